"""A bounded frontier: the worst pending URLs make room, in every backend the same."""

from __future__ import annotations

import tracemalloc
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from focused_crawler.frontier.base import Candidate, Lease, Rules
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from focused_crawler.frontier.order import TieBreaker
from focused_crawler.frontier.queue import REMEMBERED
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.page.url import url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.pages import PageStore
from tests.databases import KINDS, PostgresqlKind, SqliteKind

QUICK = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
NUMBERS = st.integers(0, 25)
URLS = NUMBERS.map(lambda number: f"http://h{number % 3}.org/{number}")
OFFERED = st.sampled_from((0.0, 0.3, 0.6, 1.0))
LINKS = st.lists(st.tuples(URLS, OFFERED).map(lambda link: Candidate(*link)), max_size=12)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), LINKS),
        st.tuples(st.just("take"), st.integers(1, 4)),
        st.tuples(st.sampled_from(("done", "fail", "retry", "release")), st.integers(0, 5)),
        st.tuples(st.just("reprioritise"), st.dictionaries(URLS, st.floats(0, 1), max_size=4)),
    ),
    max_size=25,
)


@pytest.fixture(params=("memory", *KINDS))
def new_frontier(request, tmp_path_factory):
    """A maker of frontiers on one backend, as context managers."""

    @contextmanager
    def make(**rules):
        if request.param == "memory":
            yield MemoryFrontier(Rules(**rules))
            return
        kind = (
            SqliteKind(tmp_path_factory.mktemp("frontier"))
            if request.param == "sqlite"
            else PostgresqlKind(request.getfixturevalue("postgresql"))
        )
        with kind.open() as database:
            yield SqlFrontier(database, Rules(**rules))
        kind.remove()

    return make


def links(*priorities, host="a.org"):
    return [Candidate(f"http://{host}/{number}", priority) for number, priority in enumerate(priorities)]


def taken(frontier, n=1000, now=1.0):
    return [lease.url for lease in frontier.take(n, now)]


def test_the_lowest_priorities_make_room(new_frontier):
    """What stays is the best of all that was offered, whatever the order of arrival."""
    with new_frontier(max_pending=3) as frontier:
        assert frontier.add(links(0.5, 0.1, 0.9, 0.2)) == 3
        assert frontier.add(links(0.8, 0.05, host="b.org")) == 1
        assert len(frontier) == 3
        assert taken(frontier) == ["http://a.org/2", "http://b.org/0", "http://a.org/0"]
        assert frontier.stats().dropped == 3


def test_those_with_most_tries_go_first(new_frontier):
    """A URL that failed makes room for a fresh one of less priority."""
    with new_frontier(max_pending=2) as frontier:
        frontier.add(links(0.9))
        assert taken(frontier) == ["http://a.org/0"]
        frontier.failed("http://a.org/0", 2.0)
        assert taken(frontier, 0, now=3.0) == []
        frontier.add(links(0.1, 0.2, host="b.org"))
        assert taken(frontier, now=3.0) == ["http://b.org/1", "http://b.org/0"]


def test_among_equals_the_last_in_order_goes(new_frontier):
    """Ties are broken as in taking."""
    tie = TieBreaker(5)
    offered = links(*[0.5] * 9)
    with new_frontier(max_pending=4, seed=5) as frontier:
        frontier.add(offered)
        best = sorted((link.url for link in offered), key=lambda url: tie(url_key(url)))
        assert taken(frontier) == best[:4]


def test_leased_and_waiting_urls_stay(new_frontier):
    """What is out, or waits for its next try, takes no room and is never dropped."""
    with new_frontier(max_pending=1) as frontier:
        for host in ("a.org", "b.org"):
            frontier.add(links(0.1, host=host))
            assert taken(frontier) == [f"http://{host}/0"]
        frontier.failed("http://b.org/0", 50.0)
        frontier.add(links(0.9, 0.8, host="c.org"))
        stats = frontier.stats()
        assert (stats.leased, stats.pending, stats.dropped) == (1, 2, 1)
        assert taken(frontier) == ["http://c.org/0"]
        assert taken(frontier, now=60.0) == ["http://b.org/0"]


def test_what_comes_back_to_a_full_frontier_makes_room_at_the_next_add(new_frontier):
    """A lease given back may exceed the bound for a while; the next add ends that."""
    with new_frontier(max_pending=2) as frontier:
        frontier.add(links(0.9, 0.8))
        assert taken(frontier, 1) == ["http://a.org/0"]
        frontier.add(links(0.7, host="b.org"))
        frontier.release("http://a.org/0")
        assert len(frontier) == 3
        assert frontier.add([]) == 0
        assert frontier.add(links(0.1, host="c.org")) == 0
        assert taken(frontier) == ["http://a.org/0", "http://a.org/1"]


def test_a_dropped_url_may_return(new_frontier):
    """SentLinks again with a priority that has room it is queued again, as new; without room it stays out."""
    with new_frontier(max_pending=2) as frontier:
        frontier.add(links(0.5, 0.4, 0.1))
        assert not frontier.is_known("http://a.org/2")
        assert frontier.add([Candidate("http://a.org/2", 0.2)]) == 0
        assert frontier.stats().dropped == 1
        assert frontier.add([Candidate("http://a.org/2", 0.45, 3, "http://p.org/")]) == 1
        assert frontier.take(9, 1.0) == [
            Lease("http://a.org/0", 0.5, 0, None, 0),
            Lease("http://a.org/2", 0.45, 3, "http://p.org/", 0),
        ]
        stats = frontier.stats()
        assert (stats.dropped, stats.known) == (1, 3)


def test_a_dropped_url_keeps_its_tries(new_frontier):
    """Coming back does not make a failing URL a fresh one."""
    with new_frontier(max_pending=1) as frontier:
        frontier.add(links(0.9))
        frontier.take(1, 1.0)
        frontier.failed("http://a.org/0", 2.0)
        frontier.take(0, 3.0)
        frontier.add(links(0.1, host="b.org"))
        assert taken(frontier, now=3.0) == ["http://b.org/0"]
        assert frontier.add(links(1.0)) == 1
        assert frontier.take(1, 4.0)[0].tries == 1


def test_a_dropped_url_may_be_ended(new_frontier):
    """A redirect may lead to the page of a dropped URL: then it is done, or failed, as any other."""
    with new_frontier(max_pending=1) as frontier:
        frontier.add(links(0.9, 0.1, 0.2))
        frontier.done("http://a.org/1")
        frontier.failed("http://a.org/2", None)
        assert frontier.add([Candidate("http://a.org/1", 1.0), Candidate("http://a.org/2", 1.0)]) == 0
        stats = frontier.stats()
        assert (stats.pending, stats.done, stats.failed, stats.dropped, stats.known) == (1, 1, 1, 0, 3)


def test_one_add_of_many_batches_stays_within_the_bound(new_frontier):
    """The bound holds for an add of any size."""
    with new_frontier(max_pending=50) as frontier:
        frontier.add(Candidate(f"http://h{n % 7}.org/{n}", n / 5000) for n in range(5000))
        assert len(frontier) == 50
        assert sorted(int(url.rsplit("/", 1)[1]) for url in taken(frontier)) == list(range(4950, 5000))


@QUICK
@given(bound=st.integers(1, 6), batches=st.lists(LINKS, max_size=8))
def test_what_stays_is_the_best_that_had_room(new_frontier, bound, batches):
    """Against a plain model: after every add the worst beyond the bound are gone, and nothing else."""
    tie, pending = TieBreaker(0), {}
    with new_frontier(max_pending=bound) as frontier:
        for batch in batches:
            for url, priority, *_ in batch:
                pending[url] = max(priority, pending.get(url, 0.0))
            ordered = sorted(pending, key=lambda url: (-pending[url], tie(url_key(url))))
            pending = {url: pending[url] for url in ordered[:bound]}
            frontier.add(batch)
            assert len(frontier) == len(pending)
        assert {lease.url: lease.priority for lease in frontier.take(100, 1.0)} == pending


def end(frontier, what, url, now):
    match what:
        case "done":
            frontier.done(url)
        case "release":
            frontier.release(url)
        case _:
            frontier.failed(url, now + 2.0 if what == "retry" else None)


def walk(frontier, steps, bound):
    """Do all steps; return everything that could be seen on the way."""
    seen, out, now = [], [], 1.0
    for what, value in steps:
        now += 1.0
        url = out.pop(value % len(out)) if out and isinstance(value, int) and what != "take" else None
        if what == "add":
            seen.append(frontier.add(value))
            assert len(frontier) <= bound + sum(step[0] == "retry" for step in steps)
        elif what == "take":
            leases = frontier.take(value, now)
            out += [lease.url for lease in leases]
            seen.append([tuple(lease) for lease in leases])
        elif what == "reprioritise":
            seen.append(frontier.reprioritise(value))
        elif url is not None:
            end(frontier, what, url, now)
        seen.append(tuple(frontier.stats()))
    return [*seen, [tuple(lease) for lease in frontier.take(1000, now + 100.0)]]


@QUICK
@given(bound=st.integers(1, 5), n_best=st.sampled_from((1, 3)), steps=STEPS)
def test_memory_and_database_drop_the_same(tmp_path_factory, bound, n_best, steps):
    """Whatever is done, both give out, drop and count the same."""
    rules = Rules(max_pending=bound, n_best=n_best)
    with CrawlDatabase(tmp_path_factory.mktemp("frontier") / "crawl.db") as database:
        assert walk(SqlFrontier(database, rules), steps, bound) == walk(MemoryFrontier(rules), steps, bound)


@QUICK
@given(bound=st.integers(1, 5), steps=STEPS, more=STEPS)
def test_a_bound_outlives_the_process(tmp_path_factory, bound, steps, more):
    """Closed and reopened, a frontier goes on as one that was never closed."""
    rules = Rules(max_pending=bound)
    path = tmp_path_factory.mktemp("frontier") / "crawl.db"
    with CrawlDatabase(path) as database:
        frontier = SqlFrontier(database, rules)
        walk(frontier, steps, bound)
        frontier.close()
        before = frontier.stats()
        database.commit()
    with CrawlDatabase(path) as database:
        frontier = SqlFrontier(database, rules)
        assert frontier.stats()._replace(waiting_hosts=0) == before._replace(waiting_hosts=0)
        walk(frontier, more, bound + before.pending)
        frontier.add([Candidate("http://last.org/", 0.5)])
        assert len(frontier) <= max(bound, 1) + sum(step[0] == "retry" for step in (*steps, *more))


def test_bounds_may_change_between_runs(tmp_path):
    """A smaller bound holds from the first add on; without one none is dropped and none returns by itself."""
    for bound, offered, kept in ((0, 100, 101), (10, 0, 10), (0, 0, 11), (0, 100, 104)):
        with CrawlDatabase(tmp_path / "crawl.db") as database:
            frontier = SqlFrontier(database, Rules(max_pending=bound))
            frontier.add(links(*[0.3] * offered))
            frontier.add([Candidate(f"http://b{bound}.org/{kept}", 0.9)])
            assert len(frontier) == kept
            database.commit()


def test_memory_forgets_what_was_dropped():
    """A frontier in memory keeps a key of what it dropped, not its text, and no more than twice its bound."""
    frontier = MemoryFrontier(Rules(max_pending=100))
    tracemalloc.start()
    try:
        for number in range(100):
            frontier.add(
                Candidate(f"http://h{n % 5}.org/{n}/{'x' * 1000}", n / 10_000)
                for n in range(100 * number, 100 * number + 100)
            )
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert frontier.stats().dropped == 9_900
    assert held < 3_000_000  # the texts alone would be 10 MB


def test_what_was_dropped_is_forgotten_in_the_end(new_frontier):
    """The latest are known; an older one comes back as new, and one that was tried keeps its tries."""
    with new_frontier(max_pending=10) as frontier:
        frontier.add([Candidate("http://tried.org/", 1.0)])
        assert taken(frontier) == ["http://tried.org/"]
        frontier.failed("http://tried.org/", 2.0)
        assert taken(frontier, 0, now=3.0) == []
        for batch in range(3):
            frontier.add(links(*[0.1 * batch] * 1_000, host=f"h{batch}.org"))
        stats = frontier.stats()
        assert (stats.pending, stats.dropped, stats.known) == (10, 2_991, 3_001)
        assert len(taken(frontier, now=4.0)) == 10
        assert frontier.add([Candidate("http://h0.org/0", 1.0), Candidate("http://tried.org/", 1.0)]) == 2
        assert frontier.stats().dropped == 2_990  # of the two one was known
        tries = {lease.url: lease.tries for lease in frontier.take(2, 5.0)}
        assert tries == {"http://h0.org/0": 0, "http://tried.org/": 1}


def test_what_is_forgotten_leaves_the_database(tmp_path):
    """With the links to it; what is recorded, or was decided about, stays."""
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        frontier, store = SqlFrontier(database, Rules(max_pending=10)), PageStore(database)
        for page in range(30):
            targets = [f"http://a.org/{page}/{number}" for number in range(200)]
            store.record_links(f"http://p.org/{page}", [(url, "", 0, 0.5) for url in targets])
            store.record_decision("raised", "hub", url=targets[0])
            frontier.add([Candidate(url, 0.5, 1, f"http://p.org/{page}") for url in targets])
        database.commit()
        ((urls,),) = database.rows("SELECT count(*) FROM urls")
        assert frontier.stats().known == 6_000
        assert urls <= 30 + 10 + 30 + 2 * REMEMBERED
        ((dangling,),) = database.rows(
            "SELECT count(*) FROM links WHERE target NOT IN (SELECT id FROM urls)"
            " OR source NOT IN (SELECT id FROM urls)"
        )
        ((left,),) = database.rows("SELECT count(*) FROM links")
        assert (dangling, left) == (0, urls - 30)
        assert len(database.rows("SELECT 1 FROM decisions JOIN urls ON urls.id = decisions.url")) == 30


def test_a_frontier_that_was_never_full_is_not_ranked(tmp_path):
    """The index that finds the worst is made when it is first needed, and stays."""
    ranked = "SELECT 1 FROM sqlite_master WHERE name = 'urls_worst'"
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        frontier = SqlFrontier(database, Rules(max_pending=2))
        frontier.add(links(0.1, 0.2))
        assert database.rows(ranked) == []
        frontier.add(links(0.3, host="b.org"))
        assert len(database.rows(ranked)) == 1
