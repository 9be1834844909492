"""Steering as a crawl asks it: copies, traps, hubs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from focused_crawler.crawl.coordinator import Coordinator
from focused_crawler.crawl.journal import Journal
from focused_crawler.crawl.steering.copies import SketchesInMemory, SketchStore, SketchTables, sketch
from focused_crawler.crawl.steering.domains import FOR_A_DOMAIN, FREE
from focused_crawler.crawl.steering.hubs import NO_STEERING, SteeringSettings
from focused_crawler.crawl.steering.lowered import LoweredTable
from focused_crawler.crawl.steering.steering import JudgedPage, Steering
from focused_crawler.crawl.steering.terms import FetchedPage, Refusal
from focused_crawler.crawl.steering.traps import Budgets
from focused_crawler.crawl.steps import Steps
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.page.url import site_of
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore
from tests.databases import KINDS, PostgresqlKind, SqliteKind

WORDS = [f"word{n % 97}x{n % 13}" for n in range(400)]
ALL = SteeringSettings(distill_pages=3, hub_trigger=2, near_duplicates=True, trap_budgets=True)


def record(database: CrawlDatabase, url: str, links: tuple[str, ...] = (), relevance: float = 0.9) -> None:
    """Record a page with its links."""
    store = PageStore(database)
    store.record_links(url, [(link, "", 0, 0.5) for link in links])
    store.record_page(
        PageItem(url=url, fetched_at=1.0, relevance=relevance, is_relevant=relevance > 0.5, depth=1)
    )


def steering(database: CrawlDatabase, settings: SteeringSettings = ALL) -> Steering:
    """Return steering as a crawl makes it."""
    plan: Any = SimpleNamespace(config=SimpleNamespace(steering=settings), truth=None, targets=None)
    return Coordinator(plan).read_back(database, PageStore(database)).steering


@pytest.mark.parametrize("kind", ["tables", "memory"])
def test_a_page_much_like_an_earlier_one_is_its_copy(tmp_path: Path, kind: str) -> None:
    """But not before that one is recorded, and not where near-duplicates are not looked for."""
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        sketches: SketchStore = SketchTables(database) if kind == "tables" else SketchesInMemory()
        steered = Steering(replace(NO_STEERING, near_duplicates=True), lambda _: None, sketches)
        one, other = sketch(WORDS), sketch([*WORDS[:-2], "changed", "words"])
        for url, words in (("http://a.org/", one), ("http://b.org/", other), ("http://c.org/", other)):
            assert steered.compare(JudgedPage(words), url, "") is None
        record(database, "http://a.org/")
        steered.recorded(JudgedPage(one), FetchedPage("http://a.org/", None, is_gain=True))
        copy = steered.compare(JudgedPage(other), "http://c.org/", "")
        assert copy is not None
        assert copy.url == "http://a.org/"
        assert 0.9 <= copy.likeness < 1
        plain = Steering(NO_STEERING, lambda _: None, sketches)
        assert plain.compare(JudgedPage(other), "http://c.org/", "") is None
        steered.changed(JudgedPage(sketch(WORDS[::-1])), "http://a.org/")
        assert steered.compare(JudgedPage(other), "http://c.org/", "") is None


def test_a_verbatim_copy_needs_no_words(tmp_path: Path) -> None:
    """Its checksum is enough; the page itself, asked for again, is no copy."""
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        steered = Steering(NO_STEERING, {"sum": "http://a.org/"}.get, SketchTables(database))
        assert steered.compare(None, "http://b.org/", "sum") == ("http://a.org/", 1.0)
        assert steered.compare(None, "http://a.org/", "sum") is None
        assert steered.compare(None, "http://b.org/", "") is None


def test_traps_are_remembered_by_the_next_run(tmp_path: Path) -> None:
    """Budgets are counted anew from the recorded pages."""
    days = [f"http://trap.org/calendar/{day}" for day in range(Budgets().chain + 1)]
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        first = steering(database, replace(NO_STEERING, trap_budgets=True))
        store = PageStore(database)
        for before, day in zip([None, *days], days, strict=False):
            assert first.refuses(day) is None
            page = PageItem(url=day, parent=before, fetched_at=1.0, relevance=0.1, is_relevant=False)
            store.record_page(page)
            first.recorded(None, FetchedPage(day, before, is_gain=False))
        again = steering(database, replace(NO_STEERING, trap_budgets=True))
        for steered in (first, again):
            refusal = steered.refuses("http://trap.org/calendar/99")
            assert refusal == Refusal("trap_pattern", "trap.org/calendar/#")
            assert steered.refuses("http://trap.org/about") is None
        assert steering(database, NO_STEERING).refuses("http://trap.org/calendar/99") is None


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqliteKind | PostgresqlKind]:
    is_file = request.param == "sqlite"
    kind = SqliteKind(tmp_path) if is_file else PostgresqlKind(request.getfixturevalue("postgresql"))
    yield kind
    kind.remove()


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("texts", ["a", "aa", "ab", "aba"])
@pytest.mark.parametrize("further", ["", "a", "b"])
def test_what_pages_name_is_known_to_the_next_run(
    kind: SqliteKind | PostgresqlKind, texts: str, workers: int, further: str
) -> None:
    """As one that was not stopped knows it, though several may have recorded the pages in turn."""
    settings, named = replace(NO_STEERING, trap_budgets=True), "http://a.example/list"
    with kind.open() as database:
        store = PageStore(database)
        whole, *fleet = [steering(database, settings) for _ in range(1 + workers)]
        for number, text in enumerate(texts):
            page = f"{named}?page={number}"
            store.record_links(page, [(named, "", 0, 0.5)])
            store.record_page(
                PageItem(url=page, checksum=text, relevance=0.1, is_relevant=False, fetched_at=1.0)
            )
            whole.name(page, named, text)
            if decision := fleet[number % workers].name(page, named, text):
                store.record_decision(decision, "canonical", url=page, detail=named)
        again = steering(database, settings)
        decisions = [each.name(f"{named}?page=9", named, further) for each in (whole, again) if further]
        assert len({*decisions}) <= 1
        assert again.refuses(named) == whole.refuses(named)


def test_neighbours_of_hubs_rise(tmp_path: Path) -> None:
    """Those on other sites that were never fetched, each once, a link further than its hub."""
    best = [f"http://s{n}.org/" for n in range(3)]
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        steered = steering(database)
        found = []
        for url in best:
            record(database, url)
            found += steered.recorded(None, FetchedPage(url, None, is_gain=True))
        hub = "http://hub.org/"
        record(database, hub, (*best, "http://new.org/x", "http://hub.org/own", "http://new.org/x"))
        found += steered.recorded(None, FetchedPage(hub, None, is_gain=True))
        for number in range(2):
            page = f"http://dull{number}.org/"
            record(database, page, relevance=0.01)
            found += steered.recorded(None, FetchedPage(page, None, is_gain=False))
        assert found == [(Candidate("http://new.org/x", 1.0, 2), hub)]
        assert site_of(found[0].candidate.url) != site_of(hub)
        assert database.rows("SELECT count(*) FROM distillations") == [(2,)]
        for page in ("http://late.org/", "http://later.org/"):
            steered = steering(database)
            record(database, page)
            steered.recorded(None, FetchedPage(page, None, is_gain=True))
        steering(database).finish()
        steering(database).finish()
        assert database.rows("SELECT max(pages), count(*) FROM distillations") == [(8, 3)]


def test_a_run_that_goes_on_asks_no_further_hosts_of_a_farm(tmp_path: Path) -> None:
    """Nor do its hosts that wait count as domains that link; others' links, and gains, go on to count."""
    settings = replace(NO_STEERING, trap_budgets=True)
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        frontier, journal = SqlFrontier(database, Rules()), Journal(database, Steps(), int)
        waiting = LoweredTable(database, journal, PageStore(database).record_decision)

        def asked(steered: Steering, first: int, source: str = "http://good.org/", n: int = 60) -> int:
            links = [Candidate(f"http://x{k}.farm.org/", 0.5, 1, source) for k in range(first, first + n)]
            queued, lowered = steered.admit(links, source)
            frontier.add(queued)
            refused = []
            for lease in frontier.take(n, 0.0):
                refusal = steered.ask(lease.url)
                if refusal is None:
                    frontier.done(lease.url)
                else:
                    frontier.release(lease.url)
                    frontier.failed(lease.url, None)
                    refused.append((Candidate(lease.url, 0.5, 1, source), refusal))
            for link, refusal in (*lowered, *refused):
                waiting.put(link, refusal)
            database.commit()
            return len(queued) - len(refused)

        steered = steering(database, settings)
        assert [asked(steered, 0), asked(steered, 60)] == [60, FREE + FOR_A_DOMAIN - 60]
        facts: dict[str, Any] = {"fetched_at": 1.0, "relevance": 0.1, "is_relevant": False}
        page = PageItem(url="http://x1.farm.org/", parent="http://good.org/", **facts)
        PageStore(database).record_page(page)
        steered.recorded(None, FetchedPage.of(page))
        again = steering(database, settings)
        for one in (steered, again):
            assert asked(one, 200, n=1) == 0
            assert one.admit([Candidate("http://new.org/", 0.5)], "http://x1.farm.org/")[1] == []
        assert again.shares is not None is not steered.shares
        assert asked(again, 300, "http://fine.org/") == FOR_A_DOMAIN


@pytest.mark.parametrize("ends", [(4,), (3, 5, 14), (6, 7, 8, 30)])
def test_the_end_of_a_run_moves_no_later_distillation(tmp_path: Path, ends: tuple[int, ...]) -> None:
    """Hubs raise their neighbours at the same pages as in a crawl that was not stopped."""

    def distilled(name: str, ends: tuple[int, ...] = ()) -> list[int]:
        found = []
        with CrawlDatabase(tmp_path / name) as database:
            steered, times = steering(database), 0
            for number in range(1, 40):
                url = f"http://s{number}.org/"
                record(database, url)
                steered.recorded(None, FetchedPage(url, None, is_gain=True))
                ((now,),) = database.rows("SELECT count(*) FROM distillations")
                found += [number] * (now - times)
                if number in ends:
                    steered.finish()
                    steered = steering(database)
                ((times,),) = database.rows("SELECT count(*) FROM distillations")
        return found

    assert distilled("parts.db", ends) == distilled("whole.db")
