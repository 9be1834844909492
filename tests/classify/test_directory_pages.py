"""Real pages: titles, keywords and descriptions of sites that a web directory listed by category."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from focused_crawler.classify.evaluation import ReportRow
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.training import train
from focused_crawler.topic.topic import Topic

PAGES = Path(__file__).parents[3] / "shared" / "classify" / "odp_meta"
SPORTS = 0.2  # the share of these pages that are about it
PAPER = ClassifierSettings("naive_bayes", relevant_share=SPORTS)

pytestmark = pytest.mark.skipif(not PAGES.is_dir(), reason="the data set is not here")


@pytest.fixture(scope="module")
def read(make_page):
    def read(name, label):
        with gzip.open(PAGES / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        pages = [
            make_page(
                f"https://{row['id']}.example/", row["headline"], row["keywords"], row["anchor"], row["body"]
            )
            for row in rows
        ]
        return pages, np.array([label in row["labels"] for row in rows])

    return read


@pytest.mark.parametrize(
    ("settings", "floor"),
    [
        (ClassifierSettings(relevant_share=SPORTS), 0.72),
        (PAPER, 0.72),
        (replace(PAPER, information_gain="class", ig_in_norm=True), 0.72),
    ],
    ids=["the default", "the paper's", "class gain in the norm"],
)
def test_sites_about_sports_are_found(read, analyzer, settings, floor):
    """From listed pages the classifier learns to tell other pages, and its relevances come true."""
    pages, labels = read("train", "sports")
    relevant = [page for page, label in zip(pages, labels, strict=True) if label]
    other = [page for page, label in zip(pages, labels, strict=True) if not label]
    model, report = train(Topic("sports", Path("sports")), relevant, other, settings, analyzer)
    pages, labels = read("test", "sports")
    relevances = np.array([model.classifier.relevance(page) for page in pages])
    row = ReportRow.of("unseen", labels, relevances >= model.threshold, relevances)
    assert row.f1 >= floor
    assert row.f1 == pytest.approx(report.overall.f1, abs=0.07)
    assert row.calibration_error < 0.1
