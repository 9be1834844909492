"""What a strategy knew of a URL when the frontier got its priority, on a crawl of the demo web."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from focused_crawler.classify.calibration import sigmoid
from focused_crawler.crawl.reopened import analyst_of
from focused_crawler.crawl.strategy_record import recall
from focused_crawler.link_scoring.adaptive import BY_FOLDER, BY_HOST, BY_PLACE, BY_WORDING
from focused_crawler.report.why.learnt import Learnt, Reckoned, recall_for
from focused_crawler.report.why.parts import SAME, parts_then
from focused_crawler.report.why.reading import read_facts
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.job import RunInfo, run_of
from focused_crawler.store.learnt import LearntPages
from focused_crawler.store.opening import change_crawl, read_crawl
from focused_crawler.store.rows import StrategyMemory
from tests.project import Scrapy, crawl

PAGES = 90
ROUNDING = 1e-6
ASKED = """
SELECT position, u.url, priority FROM pages AS p JOIN urls AS u ON u.key = coalesce(p.requested_key, p.key)
WHERE u.parent IS NOT NULL ORDER BY position
"""
WAITS = "SELECT url, priority FROM urls WHERE state = 1 AND parent IS NOT NULL ORDER BY priority DESC, url"


def crawled(scrapy: Scrapy, demo_web: Path, to: Path, strategy: str, at_once: int) -> Path:
    """Return the folder of a crawl that asks for so many pages at once."""
    settings = (f"FOCUSED_WEB={demo_web}", f"FOCUSED_MODELS={to}/models", "FOCUSED_LISTS=off")
    topic, more = demo_web.parent / "demo.topics/astronomy", f"CONCURRENT_REQUESTS={at_once}"
    done = scrapy.run(*crawl(topic, to, *settings, more, strategy=strategy, pages=PAGES))
    assert done.code == 0, done.err
    return to / "astronomy/1"


@pytest.fixture(scope="module", params=[1, 16])
def folder(
    request: pytest.FixtureRequest, scrapy: Scrapy, demo_web: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Pages fetched one by one, or many at once: then others are recorded while a URL is out."""
    return crawled(scrapy, demo_web, tmp_path_factory.mktemp("crawls"), "adaptive", request.param)


@pytest.fixture
def run(folder: Path) -> RunInfo:
    return run_of(folder)


@pytest.fixture
def database(folder: Path) -> Iterator[CrawlDatabase]:
    with read_crawl(folder) as opened:
        yield opened


def learnt_of(run: RunInfo, database: CrawlDatabase, url: str) -> tuple[Learnt, Reckoned]:
    learnt = recall_for(analyst_of(run, {}), database, url)
    assert learnt.reckoned is not None
    return learnt, learnt.reckoned


def worth(reckoned: Reckoned) -> float:
    """Return what the parts add up to."""
    parts = reckoned.parts
    for name, addends in parts.sums.items():
        assert parts.values[name] == pytest.approx(sum(addends.values()))
    return float(eval(parts.formula, {"max": max, "sigmoid": sigmoid}, dict(parts.values)))


def test_the_parts_add_up_to_the_priority_with_which_a_page_was_taken(
    run: RunInfo, database: CrawlDatabase
) -> None:
    """By what was learnt from pages before it; what came of it is not among that."""
    positions = dict(database.rows("SELECT url, position FROM pages"))
    fetched = database.rows(ASKED)[::6]
    assert len(fetched) > PAGES // 10
    brought = 0
    for position, url, priority in fetched:
        learnt, reckoned = learnt_of(run, database, url)
        assert worth(reckoned) == pytest.approx(priority, abs=ROUNDING)
        assert reckoned.pages < position
        for group in learnt.brought:
            assert all(positions[one] <= reckoned.pages for one in group.urls)
            brought += group.pages
        words = [group.more for group in learnt.brought if group.more is not None]
        assert words == [pytest.approx(reckoned.parts.values["wording"])] * len(words)
    assert brought


def test_the_parts_add_up_to_the_priority_that_the_frontier_has(
    run: RunInfo, database: CrawlDatabase
) -> None:
    """Of URLs that wait, all pages count that moved it."""
    latest = 0
    for url, priority in database.rows(WAITS)[:60:10]:
        _, reckoned = learnt_of(run, database, url)
        assert worth(reckoned) == pytest.approx(priority, abs=ROUNDING)
        latest = max(latest, reckoned.pages)
    assert latest > PAGES // 2


def test_what_was_chosen_to_come_next(scrapy: Scrapy, demo_web: Path, tmp_path: Path) -> None:
    """Its parts make what it deserves; what the frontier had instead is said."""
    folder = crawled(scrapy, demo_web, tmp_path, "tres", 1)
    run, notes = run_of(folder), list[str]()
    with read_crawl(folder) as database:
        for _, url, priority in database.rows(ASKED)[-20::5]:
            (link, *_) = read_facts(database, url).links
            _, reckoned = learnt_of(run, database, url)
            shown = parts_then(analyst_of(run, {}), link, reckoned)
            assert worth(reckoned) == pytest.approx(shown.score, abs=ROUNDING)
            assert reckoned.sent == pytest.approx(priority, abs=ROUNDING)
            if shown.note:
                assert shown.note == f"{priority:.3f} in the frontier: the strategy chose it to come next"
                notes.append(shown.note)
    assert notes


def test_groups_are_named(run: RunInfo, database: CrawlDatabase) -> None:
    """By host, place, folder and words of the first links to the URL."""
    names = set[str]()
    for _, url, _ in database.rows(ASKED)[::12]:
        learnt, _ = learnt_of(run, database, url)
        names.update(group.group for group in learnt.brought)
    assert not names & {BY_PLACE, BY_HOST, BY_FOLDER, BY_WORDING}
    for begin in ("links within the host at ", "links to other hosts on pages of ", 'links of the words "'):
        assert any(name.startswith(begin) for name in names)


def test_what_is_not_stored_page_by_page_any_more(folder: Path, run: RunInfo, tmp_path: Path) -> None:
    """A priority is said to be older than what its parts show; a page's own outcome to be among it."""
    copy = Path(shutil.copytree(folder, tmp_path / "1"))
    with change_crawl(copy) as database:
        analyst = analyst_of(run, {})
        recall(analyst, LearntPages(database), None)
        LearntPages(database).replace(PAGES, StrategyMemory(database, analyst.order.memory, PAGES))
        database.commit()
        _, url, _ = database.rows(ASKED)[-1]
        found = recall_for(analyst_of(run, {}), database, url)
        assert (found.reckoned, found.pages) == (None, PAGES)
        url, priority = database.rows(WAITS)[0]
        (link, *_) = read_facts(database, url).links
        _, reckoned = learnt_of(run, database, url)
        shown = parts_then(analyst, link, reckoned)
    assert reckoned.sent == pytest.approx(priority, abs=ROUNDING)
    assert shown.pages == PAGES
    assert shown.note.endswith("it is older: what was known then is not stored any more")
    assert shown.note.startswith(f"{priority:.3f} in the frontier: ") == (
        abs(reckoned.deserved - priority) >= SAME
    )
