"""What is lowered comes last, once, in order, whatever becomes of the frontier meanwhile: on all backends."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from focused_crawler.crawl.journal import Journal, SharedJournal
from focused_crawler.crawl.steering.copies import SketchesInMemory
from focused_crawler.crawl.steering.hubs import NO_STEERING
from focused_crawler.crawl.steering.lowered import RAISED, LoweredInMemory, LoweredTable, LoweredUrls
from focused_crawler.crawl.steering.steering import Steering
from focused_crawler.crawl.steering.terms import Refusal
from focused_crawler.crawl.steering.traps import PATTERN
from focused_crawler.crawl.steps import Steps
from focused_crawler.crawl.visit_context import VisitContext
from focused_crawler.crawl.visits import Visits
from focused_crawler.experiment.simulated_records import SimulatedRecords
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.page.url import url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore
from focused_crawler.store.postgresql.database import PostgresqlSchema
from tests.databases import PostgresqlKind
from tests.postgresql import Server

GOOD, TRAPS, RULES = 40, 100, Rules(per_host=8)


class Suspicious(Steering):
    """Refuses whatever has a word in its URL, and counts how often it is asked."""

    def __init__(self) -> None:
        super().__init__(NO_STEERING, lambda _: None, SketchesInMemory())
        self.asked = 0

    def refuses(self, url: str) -> Refusal | None:
        self.asked += 1
        return Refusal(PATTERN, "trap") if "/trap/" in url else None


class InMemory:
    """A crawl that is not resumed."""

    def __init__(self) -> None:
        self._only = LoweredInMemory()

    def worker(self) -> LoweredUrls:
        return self._only

    def end(self) -> None:
        pass


class InDatabase:
    """A crawl in a database: of several workers, if that has several writers."""

    def __init__(self, location: Path | PostgresqlSchema) -> None:
        self._location = location
        self._open: list[CrawlDatabase] = []
        self._workers: list[LoweredTable] = []
        self._journals: list[Journal] = []

    def worker(self) -> LoweredUrls:
        if not self._workers or isinstance(self._location, PostgresqlSchema):
            self._open.append(database := CrawlDatabase(self._location))
            self._journals.append(journal := _journal(database))
            self._workers.append(LoweredTable(database, journal, PageStore(database).record_decision))
        return self._workers[-1]

    def commit(self) -> None:
        for journal in self._journals:
            journal.commit()

    def end(self) -> None:
        """Let go of all that is not committed, as the end of a process does."""
        for database in self._open:
            database.close()
        self._open, self._workers, self._journals = [], [], []


def _journal(database: CrawlDatabase) -> Journal:
    if not database.is_shared:
        return Journal(database, Steps(), int)
    return SharedJournal(database, Steps(), int, opened=int, after=int, wants=lambda: False)


@pytest.fixture
def shared_location(postgresql: Server) -> Iterator[PostgresqlSchema]:
    kind = PostgresqlKind(postgresql)
    yield PostgresqlSchema(*kind.words, shared=True)
    kind.remove()


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def crawl(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[InMemory | InDatabase]:
    crawls = {
        "memory": InMemory,
        "sqlite": lambda: InDatabase(tmp_path / "lowered.db"),
        "postgresql": lambda: InDatabase(request.getfixturevalue("shared_location")),
    }
    crawl = crawls[request.param]()
    yield crawl
    crawl.end()


@pytest.fixture
def lowered(crawl: InMemory | InDatabase) -> LoweredUrls:
    return crawl.worker()


def raised(lowered: LoweredUrls, n: int) -> list[Candidate]:
    """Return what comes back."""
    queued: list[Candidate] = []
    assert lowered.raise_best(n, queued.extend) == bool(queued)
    return queued


def candidates(chance: random.Random) -> list[Candidate]:
    urls = [f"http://g{n % 7}.org/{n}" for n in range(GOOD)]
    urls += [f"http://t{n % 3}.org/trap/{n}" for n in range(TRAPS)]
    return [Candidate(url, chance.random(), 1, "http://a.org/", b"path") for url in urls]


@pytest.mark.parametrize("seed", range(3))
def test_it_comes_last_and_once(new_frontier, lowered: LoweredUrls, seed: int) -> None:
    """Links to it, scores that change and hosts that wait bring it no further, and cost nothing again."""
    chance = random.Random(seed)
    links = candidates(chance)
    good, traps = links[:GOOD], links[GOOD:]
    steering, urls, paths = Suspicious(), [], set()
    put, priorities = lowered.put, {}

    def noted(link: Candidate, refusal: Refusal) -> None:
        priorities[link.url] = link.priority
        put(link, refusal)

    lowered.put = noted  # type: ignore[method-assign]
    with new_frontier() as frontier, SimulatedRecords(is_distilled=False) as records:
        visits, now = Visits(VisitContext(frontier, steering, records, RULES, lowered)), 0.0
        frontier.add([*good[: GOOD // 2], *traps])
        while (visit := visits.take(now)) is not None or visits.has_more():
            now += 1
            if visit is not None:
                urls.append(visit.url)
                paths.add(visit.lease.path)
                frontier.add([link._replace(priority=1.0) for link in chance.sample(traps, 5)])
                frontier.reprioritise({link.url: 1.0 for link in chance.sample(traps, 5)})
                frontier.add([] if "/trap/" in visit.url else chance.sample(good, 3))
                visit.record(PageItem(url=visit.url, relevance=0.1, is_relevant=False, fetched_at=1.0), now)
    assert len(set(urls)) == len(urls) >= GOOD // 2 + TRAPS
    assert {*urls[-TRAPS:]} == {link.url for link in traps} == {*priorities}
    assert visits.context.traps == {PATTERN: TRAPS}
    assert steering.asked == len(urls) + TRAPS
    first, rest = urls[-TRAPS : RAISED - TRAPS], urls[RAISED - TRAPS :]
    assert min(map(priorities.__getitem__, first)) >= max(map(priorities.__getitem__, rest))
    assert paths == {b"path"}


def test_what_is_fetched_before_comes_back_no_more(lowered: LoweredUrls) -> None:
    """A link found later has queued it: it counts as come back, and nothing else is left then."""
    first, *others = lower_some(lowered)
    lowered.come_back(first.url)
    lowered.come_back("http://never-lowered.org/")
    assert sorted(raised(lowered, 10 * len(others))) == sorted(others)
    assert lowered.was_raised(first.url)
    assert not lowered.was_raised("http://never-lowered.org/")
    assert not lowered.has_any()


def test_best_first_by_key_among_equals(lowered: LoweredUrls) -> None:
    """In each kind the same, and blind to the order of arrival."""
    links = lower_some(lowered)
    assert [*raised(lowered, 20), *raised(lowered, 20)] == links
    assert not lowered.has_any()
    assert all(map(lowered.was_raised, (link.url for link in links)))
    lowered.put(links[0], Refusal(PATTERN, "a.org/#"))
    assert raised(lowered, 20) == []
    assert not lowered.has_any()


def test_any_worker_knows_at_once_what_has_come_back(crawl: InMemory | InDatabase) -> None:
    """So none lowers it again, which would end it for the frontier; nor does it come back twice."""
    one, other = crawl.worker(), crawl.worker()
    links = lower_some(one)
    assert raised(one, 20) == links[:20]
    for worker in (one, other):
        assert [link for link in links if worker.was_raised(link.url)] == links[:20]
    assert raised(other, 20) == links[20:]
    assert (raised(one, 20), raised(other, 20)) == ([], [])


@pytest.mark.parametrize("crawl", ["sqlite", "postgresql"], indirect=True)
def test_what_was_not_queued_has_not_come_back(crawl: InDatabase) -> None:
    """Whoever dies before all is queued leaves it lowered, for others and for the next run."""
    dying = crawl.worker()
    links = lower_some(dying)
    crawl.commit()

    def die(_: Sequence[Candidate]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        dying.raise_best(20, die)
    crawl.end()
    assert not crawl.worker().was_raised(links[0].url)
    assert raised(crawl.worker(), 30) == links


def lower_some(lowered: LoweredUrls) -> list[Candidate]:
    """Lower URLs in any order; return them in the order in which they are to come back."""
    links = [Candidate(f"http://a.org/{n}", n % 3 / 2) for n in range(30)]
    for link in random.Random(1).sample(links, 30):
        lowered.put(link, Refusal(PATTERN, "a.org/#"))
    return sorted(links, key=lambda link: (-link.priority, url_key(link.url)))
