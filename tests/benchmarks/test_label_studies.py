"""Studies of labels: intervals of judged samples, and examples whose labels are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.studies import precision
from benchmarks.studies.crawls import subjects_of
from benchmarks.studies.mislabelled import pointed_out
from benchmarks.studies.web_classifiers import DEFAULT, Pages, Pupil
from focused_crawler.virtualweb.analysed.web import AnalysedWeb


def test_intervals_of_made_up_crawls() -> None:
    """Ours hold the truth as often as they say, in each crawl; the usual ones do not."""
    held = {
        (row["strata"], row["way"]): row["held"] for row in precision.measure(samples=400).rows["intervals"]
    }
    assert all(0.9 <= share <= 0.99 for (_, way), share in held.items() if way == "ours")
    assert min(share for (_, way), share in held.items() if way == "usual") < 0.92


@pytest.mark.slow
def test_flipped_labels_are_pointed_out(demo_web: Path) -> None:
    """Of a web whose subjects are plain, nearly all, and hardly another."""
    with AnalysedWeb(demo_web) as web:
        pages = Pages.of(web, words=False)
        (subject,) = subjects_of(demo_web, "astronomy")
        found = pointed_out(pages, Pupil.of(subject, web).drawn(12, 24, 0), (1, 1), DEFAULT)
    assert found["labels"] == 2
    assert found["found"] >= 1
    assert found["told"] <= 3
