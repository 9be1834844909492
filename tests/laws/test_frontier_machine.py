"""Whatever is done to a frontier, and in whatever order, it answers as the model does: on every backend."""

from __future__ import annotations

from collections import Counter
from functools import partial

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from focused_crawler.frontier import hosts as hosts_module
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.order import clip
from focused_crawler.page.url import host_of, url_key
from tests.laws.backends import Memory, Partitioned, Postgresql, Sqlite
from tests.laws.model import Model

HOSTS = ("a.org", "b.org", "c.org:8080")
URLS = st.builds(
    "{}://{}/{}".format,
    st.sampled_from(("http", "https")),
    st.sampled_from((*HOSTS, "www.a.org")),
    st.integers(0, 15),
)
PRIORITIES = st.one_of(
    st.sampled_from((0.0, 0.25, 0.5, 1.0, float("nan"), float("inf"), -1.0, 7.0)), st.floats(0, 1)
)
PARENTS = st.sampled_from((None, "http://parent.org/1", "http://parent.org/2"))
PATHS = st.sampled_from((None, b"", b"\x00\xff1", b"2"))
LINK = st.builds(Candidate, URLS, PRIORITIES, st.integers(0, 5), PARENTS, PATHS)
LINKS = st.lists(LINK, max_size=12)
SPANS = st.sampled_from((0.0, 0.5, 1.0, 3.0, 20.0))
RULES = st.builds(
    Rules,
    delay=st.sampled_from((0.0, 2.0)),
    per_host=st.sampled_from((None, 1, 2)),
    host_pages=st.sampled_from((0, 0, 1, 3)),
    n_best=st.sampled_from((1, 1, 2, 5, 100)),
    wait_for_best=st.sampled_from((0.0, 0.0, 0.6, 1.0)),
    max_tries=st.integers(1, 3),
    retry_delay=st.sampled_from((0.5, 2.0)),
    lease_seconds=st.sampled_from((4.0, 1000.0)),
    seed=st.integers(0, 3),
)


class FrontierMachine(RuleBasedStateMachine):
    """Does the same to a frontier and to the model, and compares all that can be seen.

    The frontier is told the time by a clock that may be set back; the model knows how time really passes.
    """

    buffer = 2  # so that hosts overflow and are refilled all the time

    @initialize(data=st.data(), links=st.lists(LINK, min_size=10, max_size=40))
    def begin(self, data, links):
        self.usual_buffer, hosts_module.BUFFER = hosts_module.BUFFER, self.buffer
        self.backend = self.kind()
        rules = data.draw(RULES)
        self.now, self.slow = 100.0, 0.0  # by so much the clock is slow
        self.model = Model(rules)
        self.frontier = self.backend.open(rules)
        self.add(links)

    def teardown(self):
        if hasattr(self, "backend"):
            hosts_module.BUFFER = self.usual_buffer
            self.backend.remove()

    @property
    def clock(self):
        return self.now - self.slow

    @rule(links=LINKS)
    def add(self, links):
        assert self.frontier.add(links) == self.model.add(links)

    @rule(links=LINKS)
    def again(self, links):
        assert self.frontier.again(links) == self.model.again(links)

    @rule(n=st.sampled_from((0, 1, 2, 5, 20)), later=SPANS)
    def take(self, n, later):
        self.now += later
        assert list(self.frontier.take(n, self.clock)) == self.model.take(n, self.now)

    @rule(later=SPANS)
    def expire(self, later):
        self.now += later
        assert self.frontier.expire(self.clock) == self.model.expire(self.now)

    @rule(jump=st.sampled_from((0.5, 8.0, 4096.0)))
    def set_the_clock_back(self, jump):
        self.take(0, 0.0)
        self.slow += jump
        self.take(0, 0.0)

    def some_lease(self, data):
        return self.model.rows[data.draw(st.sampled_from(sorted(self.model.leases)))].url

    @precondition(lambda self: self.model.leases)
    @rule(data=st.data())
    def finish_lease(self, data):
        url = self.some_lease(data)
        self.finish(url, url)

    @precondition(lambda self: self.model.leases)
    @rule(data=st.data(), wait=st.one_of(st.none(), SPANS))
    def fail_lease(self, data, wait):
        self.fail(self.some_lease(data), wait)

    @precondition(lambda self: self.model.leases)
    @rule(data=st.data())
    def release_lease(self, data):
        self.release(self.some_lease(data))

    @precondition(lambda self: self.model.leases)
    @rule(data=st.data(), seconds=st.one_of(st.none(), st.none(), SPANS))
    def refuse_lease(self, data, seconds):
        url = self.some_lease(data)
        self.refuse(url, self.model.leases[url_key(url)].at, seconds)

    @precondition(lambda self: self.model.leases)
    @rule(data=st.data(), final=URLS, is_page=st.booleans())
    def redirect_lease(self, data, final, is_page):
        url = self.some_lease(data)
        when = self.redirect(url, host_of(final))
        if when is not None and when <= self.now and is_page:
            self.finish(url, final)

    @rule(url=URLS, host=st.sampled_from(HOSTS))
    def redirect_any(self, url, host):
        self.redirect(url, host)

    def redirect(self, url, host):
        told = self.frontier.redirected(url, host, self.clock)
        expected = self.model.redirected(url, host, self.now)
        assert told == (None if expected is None else expected - self.slow)
        return expected

    @rule(url=URLS, final=URLS)
    def finish(self, url, final):
        self.frontier.done(url, final)
        self.model.done(url, final)

    @rule(url=URLS, wait=st.one_of(st.none(), SPANS))
    def fail(self, url, wait):
        self.frontier.failed(url, None if wait is None else self.clock + wait)
        self.model.failed(url, None if wait is None else self.now + wait)

    @rule(url=URLS, host=st.sampled_from(HOSTS), seconds=st.one_of(st.none(), SPANS))
    def refuse(self, url, host, seconds):
        is_queued = self.frontier.refused(url, host, self.clock, seconds)
        assert is_queued == self.model.refused(url, host, self.now, seconds)

    @rule(url=URLS)
    def release(self, url):
        self.frontier.release(url)
        self.model.release(url)

    @rule(
        host=st.sampled_from(HOSTS),
        delay=st.sampled_from((0.0, 1.0, 5.0, 8.0, 9000.0)),
        at_least=st.booleans(),
    )
    def pace(self, host, delay, at_least):
        self.frontier.pace(host, delay, at_least=at_least)
        self.model.pace(host, delay, at_least=at_least)

    @rule(priorities=st.dictionaries(URLS, PRIORITIES, max_size=5))
    def reprioritise(self, priorities):
        rows = self.model.rows
        new = {url_key(url): priority for url, priority in priorities.items()}
        pending = [key for key in new if key in rows and rows[key].state == "pending"]
        assert self.frontier.reprioritise(priorities) == len(pending)
        for key in pending:
            rows[key].priority = clip(new[key])

    @rule(url=URLS)
    def ask(self, url):
        row = self.model.row(url)
        known = row is not None and row.state not in ("pending", "dropped")
        assert self.frontier.is_known(url) == known

    @precondition(lambda self: self.backend.survives)
    @rule(orderly=st.booleans())
    def reopen(self, orderly):
        """As if nothing had been, but for what is out: nobody will end those leases."""
        if orderly:
            self.frontier.close()
        self.backend.stop()
        self.model.reopen()
        for key in list(self.model.leases):
            self.model.give_back(key)
        for host in self.model.hosts.values():
            host.misses = 0
        self.slow = 0.0
        self.frontier = self.backend.open(self.model.rules)
        self.take(0, 0.0)

    @invariant()
    def same_numbers(self):
        stats, model = self.frontier.stats(), self.model
        assert len(self.frontier) == stats.pending == model.count("pending")
        assert stats.leased == len(model.leases) == model.count("leased")
        ended = (stats.done, stats.failed, stats.dropped)
        assert ended == (model.count("done"), model.count("failed"), model.count("dropped"))
        assert stats.known == len(model.rows)
        assert 0 <= stats.waiting_hosts <= stats.hosts

    @invariant()
    def same_next_time(self):
        if self.model.rules.wait_for_best:
            self.take(0, 0.0)  # which looks again at hosts whose time has come: who waits for whom
        expected = self.model.next_ready_at()
        assert self.frontier.next_ready_at() == (None if expected is None else expected - self.slow)


class MemoryMachine(FrontierMachine):
    kind = Memory


class DatabaseMachine(FrontierMachine):
    """What the database holds in the end is what is counted."""

    def teardown(self):
        if hasattr(self, "frontier"):
            rows = self.backend.database.rows
            found = Counter(row[0] for row in rows("SELECT state FROM urls WHERE state > 0"))
            assert found == dict(rows("SELECT state, urls FROM states WHERE urls > 0"))
        super().teardown()


class SqliteMachine(DatabaseMachine):
    kind = Sqlite


TestMemoryFrontier = MemoryMachine.TestCase
TestSqlFrontier = SqliteMachine.TestCase
TestMemoryFrontier.settings = settings(max_examples=80, stateful_step_count=40, deadline=None)
TestSqlFrontier.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)


def test_postgresql_frontier(postgresql):
    """The same over PostgreSQL, less often."""

    class PostgresqlMachine(DatabaseMachine):
        kind = staticmethod(partial(Postgresql, postgresql))

    run_state_machine_as_test(
        PostgresqlMachine, settings=settings(max_examples=10, stateful_step_count=30, deadline=None)
    )


def test_partitioned_frontier(postgresql):
    """The same over hosts that are owned, with and without a turn in between."""

    class PartitionedMachine(FrontierMachine):
        kind = staticmethod(partial(Partitioned, postgresql))

        @rule()
        def turn(self):
            self.backend.write()

        def teardown(self):
            if hasattr(self, "frontier"):
                self.backend.write()
                rows = self.backend.database.rows
                found = Counter(row[0] for row in rows("SELECT state FROM urls WHERE state > 0"))
                assert found == dict(rows("SELECT state, urls FROM states WHERE urls > 0"))
            super().teardown()

    run_state_machine_as_test(
        PartitionedMachine, settings=settings(max_examples=15, stateful_step_count=40, deadline=None)
    )
