"""The benchmarks of a page's cost: real crawls of few pages, and a ledger whose rooms are the whole."""

from __future__ import annotations

from math import isfinite

import pytest

from benchmarks import ledger, page_cost, parsers
from benchmarks.harness import results_of

PAGES = 120
CRAWLERS = ("noop", "plain", "breadth_first", "lpe", "default", "workers")


@pytest.fixture(scope="module")
def cost(demo_web):
    """What pages of a web of the demo's making cost."""
    topic = demo_web.parent / "demo.topics" / "astronomy"
    return page_cost.measure(demo_web, topic=topic, pages=PAGES, rounds=1, processes=1)


@pytest.fixture(scope="module")
def rooms(cost):
    """The ledger of each crawl: milliseconds by room."""
    rows = cost.rows["rooms"]
    return {
        crawler: {row["room"]: row[crawler] for row in rows if crawler in row} for crawler in CRAWLERS[3:]
    }


@pytest.mark.slow
def test_every_crawler_has_a_figure(cost):
    """By the names of the issue; two are what the others are compared with."""
    _, figures = results_of(page_cost.measure, cost)
    names = [*(f"cpu_ms_{crawler}" for crawler in CRAWLERS), "wall_ratio_workers"]
    assert all(isfinite(figures[name]) for name in names)  # of so few pages they are not right
    assert figures["sample_pages"] == int(page_cost.SPARE * PAGES)
    crawls = cost.rows["crawls"]
    for other in ("noop", "plain"):
        assert crawls.where(crawler=other).measure(f"of_{other}").values == [1]


@pytest.mark.slow
@pytest.mark.parametrize("crawler", CRAWLERS[3:])
def test_the_rooms_are_the_whole(rooms, crawler, cost):
    """Next to nothing of a crawl's CPU is in none of them, and the table ends with their sum."""
    spent = rooms[crawler]
    names = {room for _, room in ledger.ROOMS if room} | {ledger.THREADS, ledger.CHILDREN, ledger.NOWHERE}
    assert spent.keys() <= names | {"asking"}
    whole = sum(spent.values())
    assert abs(spent["asking"]) < 0.1 * whole
    grids, _ = results_of(page_cost.measure, cost)
    assert f"{whole:.2f}" in grids[-1].rows[-1]


@pytest.mark.slow
def test_pages_are_read_where_they_are_analysed(rooms):
    """In the process of the crawl, or in its children."""
    for crawler in ("lpe", "default"):
        assert rooms[crawler]["parse"] > 0
        assert rooms[crawler][ledger.CHILDREN] == 0
    assert rooms["workers"][ledger.CHILDREN] > 0


def test_every_way_to_read_a_page_is_timed(demo_web):
    """Beside ours those of lxml, which is always there; all calls are counted."""
    report = parsers.measure(demo_web, pages=5, rounds=1)
    _, figures = results_of(parsers.measure, report)
    assert figures["pages"] == 5
    assert all(figures[f"ms_{way}"] > 0 for way in ("ours", "builder", "lxml_target", "lxml_walk"))
    assert report.rows["ways"].where(way="ours").measure("share").values == [1]
    assert 0 < figures["needless_per_page"] < figures["tags_per_page"]
    assert figures["texts_per_page"] > 0
