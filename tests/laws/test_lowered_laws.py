"""What is lowered comes last, once, in order, whatever becomes of the frontier meanwhile: on all backends."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from focused_crawler.crawl.journal import Journal
from focused_crawler.crawl.steering.copies import SketchesInMemory
from focused_crawler.crawl.steering.hubs import NO_STEERING
from focused_crawler.crawl.steering.lowered import RAISED, LoweredInMemory, LoweredTable, LoweredUrls
from focused_crawler.crawl.steering.steering import Steering
from focused_crawler.crawl.steering.traps import PATTERN, Refusal
from focused_crawler.crawl.steps import Steps
from focused_crawler.crawl.visit_context import VisitContext
from focused_crawler.crawl.visits import Visits
from focused_crawler.experiment.simulated_records import SimulatedRecords
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.page.url import url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.pages import PageStore

GOOD, TRAPS, RULES = 40, 100, Rules(per_host=8)


class Suspicious(Steering):
    """Refuses whatever has a word in its URL, and counts how often it is asked."""

    def __init__(self) -> None:
        super().__init__(NO_STEERING, lambda _: None, SketchesInMemory())
        self.asked = 0

    def refuses(self, url: str) -> Refusal | None:
        self.asked += 1
        return Refusal(PATTERN, "trap") if "/trap/" in url else None


@pytest.fixture(params=["memory", "table"])
def lowered(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LoweredUrls]:
    if request.param == "memory":
        yield LoweredInMemory()
        return
    with CrawlDatabase(tmp_path / "lowered.db") as database:
        journal = Journal(database, Steps(), lambda: None)
        yield LoweredTable(database, journal, PageStore(database).record_decision)


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


def test_best_first_by_key_among_equals(lowered: LoweredUrls) -> None:
    """In either kind the same, and blind to the order of arrival."""
    links = [Candidate(f"http://a.org/{n}", n % 3 / 2) for n in range(30)]
    for link in random.Random(1).sample(links, 30):
        lowered.put(link, Refusal(PATTERN, "a.org/#"))
    expected = sorted(links, key=lambda link: (-link.priority, url_key(link.url)))
    assert [*lowered.best(20), *lowered.best(20)] == expected
    assert not lowered.has_any()
    assert all(map(lowered.was_raised, (link.url for link in links)))
    lowered.put(links[0], Refusal(PATTERN, "a.org/#"))
    assert not lowered.has_any()
