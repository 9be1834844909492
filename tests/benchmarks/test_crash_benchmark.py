"""The benchmark of kills finds what it looks for, and goes on where it stopped."""

from __future__ import annotations

import json
import random
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import pytest

from benchmarks import crash
from benchmarks.crash import KINDS, measure, schedule
from tests.crawls.kills import Found, Outcome
from tests.crawls.processes import Left, RecordedPage
from tests.project import Scrapy


def left(urls, *, counted=None, fed=None, last=None, total=None):
    """Say what a crawl left that recorded these pages; all agrees where nothing else is said."""
    pages = [RecordedPage(url, 0.0, False, 1) for url in urls]
    number = len(pages)
    return Left(
        pages,
        number if counted is None else counted,
        list(urls) if fed is None else fed,
        number if last is None else last,
        number if total is None else total,
    )


@pytest.mark.parametrize(
    ("crawl", "found"),
    [
        (left("abc"), Found(3, 0, 0, 0)),
        (left("ab"), Found(2, 1, 0, 0)),
        (left("abc", fed=["a", "b"]), Found(3, 1, 0, 1)),
        (left("ab", fed=["a", "b", "c"]), Found(2, 1, 0, 1)),
        (left("abc", fed=["a", "b", "c", "c"]), Found(3, 0, 1, 0)),
        (left("abca", fed=["a", "b", "c"]), Found(4, 0, 1, 0)),
        (left("abc", counted=4), Found(3, 0, 0, 1)),
        (left("abc", total=2), Found(3, 0, 0, 1)),
        (left("abc", last=5), Found(3, 0, 0, 2)),
    ],
)
def test_a_page_that_is_lost_or_there_twice_is_counted(crawl, found):
    """In the rows and the feed; and in what rows, feed, the counter, run.json and the positions differ."""
    assert Found.of(crawl, {"a", "b", "c"}) == found


def test_a_round_is_good_only_if_all_is():
    """No figure hides a host that was asked too early, or a supervisor that gave up."""
    good = Outcome(Counter(worker=1), Found(3, 0, 0, 0), refetched=7, hasty=0, failed=0, stuck=0)
    assert good.is_good
    for found in (Found(3, 1, 0, 0), Found(3, 0, 1, 0), Found(3, 0, 0, 1)):
        assert not good._replace(found=found).is_good
    for bad in ("hasty", "failed", "stuck"):
        assert not good._replace(**{bad: 1}).is_good


@pytest.mark.parametrize("name", KINDS)
def test_kills_come_by_chance_and_again_the_same(name):
    """All that may hit a kind of crawl; a fleet's first not before pages were fetched, some at once."""
    kind = KINDS[name]
    kills = schedule(kind, 200, random.Random(0))
    assert kills == schedule(kind, 200, random.Random(0))
    assert {kill.what for kill in kills} == set(kind.WHATS)
    assert 20 < sum(kill.share == 0 for kill in kills) < 120
    assert name != "fleet" or kills[0].share > 0


@pytest.mark.slow
def test_it_goes_on_where_it_stopped(scrapy: Scrapy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Real crawls, hit as each kind is; the rounds of before are kept as they were."""
    monkeypatch.setattr(crash, "Scrapy", lambda _: scrapy)  # all tests have one, for seconds of imports
    monkeypatch.setattr(crash, "closing", nullcontext)
    file, kinds = tmp_path / "kills.json", "crawl,workers,disk"
    assert not measure(kills=1, kinds=kinds, round_kills=1, pages=60, json=file).complaint
    first = json.loads(file.read_text())["rounds"]
    report = measure(kills=3, kinds=kinds, round_kills=1, pages=60, json=file)
    rounds = json.loads(file.read_text())["rounds"]
    assert rounds[: len(first)] == first
    assert [row["kind"] for row in rounds][:3] == kinds.split(",")
    assert report.rows["rounds"].measure("kills").sum == 3
    assert (report.complaint, {row["recorded"] for row in rounds}) == ("", {60})
