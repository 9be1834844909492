"""One worker's part of a frontier that is shared by hosts: the frontier of one process, over its own hosts.

Nothing waits for other workers: what it finds for their hosts is offered with its next transaction, and they
take it with theirs. A transaction of all that was written since the last one is a turn.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from focused_crawler.frontier.base import Candidate, FrontierStats, Info, Lease, Rules
from focused_crawler.frontier.partitioned import statements as sql
from focused_crawler.frontier.partitioned.holdings import Holdings
from focused_crawler.frontier.partitioned.members import Members, Moves, lost
from focused_crawler.frontier.partitioned.offers import Offers
from focused_crawler.frontier.partitioned.partition import PARTITIONS, host_number, partition_of
from focused_crawler.frontier.partitioned.pulse import FleetGlance, Pulse
from focused_crawler.frontier.partitioned.supply import Supply, best_of
from focused_crawler.frontier.partitioned.urls import OwnedUrls
from focused_crawler.frontier.queue import QueueFrontier
from focused_crawler.frontier.sql.statements import RANK
from focused_crawler.page.url import host_of
from focused_crawler.store.database import CrawlDatabase, Written
from focused_crawler.store.values import storable

_AGAIN_SECONDS = 0.05
"""After so long a worker with nothing to give out looks whether others have sent something."""


class PartitionedFrontier(QueueFrontier):
    """The frontier over the hosts of this worker's partitions; what it writes waits for the next turn.

    A turn is a locked transaction: in it `begin_turn` comes first, then `check_turn`; `end_turn` after it.
    """

    def __init__(self, database: CrawlDatabase, rules: Rules, *, worker: str, lead: float = 0.0) -> None:
        """`lead`: seconds that the server's clock is ahead of the caller's."""
        self._owned = OwnedUrls(database, lead)
        super().__init__(self._owned, rules)
        self._database, self._worker = database, worker
        self._members = Members(database, worker)
        self._holdings = Holdings(database, self._owned, self._states)
        self._offers = Offers(database)
        self._moves = Moves({}, frozenset())
        self._row: Written | None = None  # ours among the workers, as it is in the turn under way
        self._pulse: Pulse | None = None
        self._view: FleetGlance | None = None
        self._has_offers = True  # somebody, as of the last look, or we, since then; unknown: perhaps
        self._turn: Callable[[], object] | None = None

    # Turns

    def join(self, report: Info) -> None:
        """Come to the others; the first thing, within a locked transaction."""
        if self._rules.max_pending:
            self._database.execute(RANK)
        if self._members.join(report):
            self._holdings.reopen()
        self._moves = self._members.rebalance(frozenset(), (), can_bury=True)

    def begin(self, pulse: Pulse, turn: Callable[[], object]) -> None:
        """Work with others from now on; `turn` makes a turn at once."""
        self._pulse, self._turn = pulse, turn
        self._offers.announce_on(pulse.channel)
        self._tell_held()

    @property
    def wants_turn(self) -> bool:
        """Tell whether anything waits for a turn."""
        has_mail = self._pulse is not None and self._pulse.exchange.has_mail
        return has_mail or self._owned.is_dirty or len(self._offers) > 0 or self._must_rebalance

    def begin_turn(self) -> None:
        """Write what was changed, and take what others offer."""
        self._row = self._members.ask()
        self._owned.write()
        if self._must_rebalance:
            assert self._pulse is not None
            idle, can_bury = self._holdings.idle(), self._pulse.can_bury
            self._moves = self._members.rebalance(self._owned.held, idle, can_bury=can_bury)
            if self._moves.freed:
                self._holdings.let_go(self._moves.freed)
        self._take_offers()

    def check_turn(self) -> None:
        """Raise CrawlError unless all is still ours; when the caller has waited for something anyway."""
        if self._row is None or not self._row.rowcount:
            raise lost(self._worker)
        self._row = None

    def _take_offers(self) -> None:
        if self._pulse is not None:
            if not self._pulse.exchange.has_mail:
                return
            self._pulse.exchange.has_mail = False
        offers = self._offers.take(self._owned.held)
        super().add(offers[sql.OFFERED])
        super().again(offers[sql.AGAIN])
        super().reprioritise({link.url: link.priority for link in offers[sql.CHANGED]})

    def end_turn(self) -> bool:
        """Take up what has become ours, and tell whether anything has; after the transaction."""
        moves, self._moves = self._moves, Moves({}, frozenset())
        if moves.claimed:
            self._holdings.take_up(moves.claimed)
        elif moves.freed:
            self._holdings.recount()
        if self._offers.has_sent:  # until a look that is younger than this turn finds none
            self._has_offers, self._offers.has_sent = True, False
        if self._pulse is not None:
            self._pulse.exchange.turn += 1
            self._tell_held()
        return bool(moves.claimed)

    def leave(self) -> bool:
        """Free all hosts, within a locked transaction; return whether nobody else is at work."""
        self._row = self._members.ask()
        self._owned.write()
        is_last = self._members.leave()
        self.check_turn()
        return is_last

    def _tell_held(self) -> None:
        assert self._pulse is not None
        self._pulse.exchange.held = self._owned.held

    @property
    def _must_rebalance(self) -> bool:
        view = self._view
        if view is None or self._pulse is None:
            return False
        most, held = math.ceil(PARTITIONS / (len(view.others) + 1)), len(self._owned.held)
        can_take = view.free > 0 or (view.dead > 0 and self._pulse.can_bury)
        return held > most or (held < most and can_take)

    # Frontier

    def add(self, links: Iterable[Candidate]) -> int:
        """Queue a batch; return how many were new, all that others are to judge among them."""
        own, others = self._shared(links)
        self._offer(sql.OFFERED, others)
        return super().add(own) + len(others)

    def again(self, links: Iterable[Candidate]) -> int:
        """Queue URLs that have ended once more; return how many are, or are offered to others."""
        own, others = self._shared(links)
        self._offer(sql.AGAIN, others)
        return super().again(own) + len(others)

    def reprioritise(self, priorities: Mapping[str, float]) -> int:
        """Give pending URLs new priorities; return how many were pending, or are others' to know."""
        links = [Candidate(url, priority) for url, priority in priorities.items()]
        own, others = self._shared(links)
        self._offer(sql.CHANGED, others)
        return super().reprioritise({link.url: link.priority for link in own}) + len(others)

    def take(self, n: int, now: float) -> Sequence[Lease]:
        """Lease the best of ours, as far as they are among the best of all."""
        if self._pulse is None:
            return super().take(n, now)
        self._pulse.check()
        if self._pulse.is_fenced:
            return []
        self._look()
        if self._pulse.exchange.has_mail and self._turn is not None and not self._hosts.has_ready():
            self._turn()
        leases = super().take(n, now)
        if self._pulse.exchange.is_old:
            self._publish()
        return leases

    def done(self, url: str, final: str | None = None) -> None:
        """Never give `url` out again, nor `final`."""
        super().done(url, None if final is None or self.is_elsewhere(host_of(final)) else final)

    def redirected(self, url: str, host: str, now: float) -> float | None:
        """Return when the lease of `url` may go on at `host`; None: not at all, as at another worker's."""
        return None if self.is_elsewhere(host) else super().redirected(url, host, now)

    def is_elsewhere(self, host: str) -> bool:
        """Tell whether `host` is another worker's."""
        return partition_of(host_number(storable(host))) not in self._owned.held

    def asked(self, host: str, at: float) -> None:
        """Record that `host`, if it is ours, was really asked then."""
        if not self.is_elsewhere(host):
            super().asked(host, at)

    def pace(self, host: str, delay: float, *, at_least: bool = False) -> None:
        """Leave so many seconds between two URLs of `host`, or no less than before, if it is ours."""
        if not self.is_elsewhere(host):
            super().pace(host, delay, at_least=at_least)

    def holds(self, url: str) -> bool:
        """Tell whether `url` is out, and nobody else can have it."""
        return super().holds(url) and (self._pulse is None or not self._pulse.is_fenced)

    def has_more(self) -> bool:
        """Tell whether anything is pending or out, here or elsewhere, or on its way."""
        if self._pulse is not None:
            self._pulse.check()
            self._look()
        is_on_its_way = self._has_offers or len(self._offers) > 0 or self._owned.is_dirty
        return is_on_its_way or len(self) + len(self._out) > 0 if self._pulse is not None else len(self) > 0

    def next_ready_at(self) -> float | None:
        """Return when it is worth the while to `take` again, None when there is nothing more."""
        first = super().next_ready_at()
        if self._pulse is None:
            return first
        if first is None and not self.has_more():
            return None
        soon = time.time() + _AGAIN_SECONDS
        return soon if first is None or first <= time.time() else min(first, soon)

    def is_ready(self, now: float) -> bool:
        """Tell whether any of our URLs may be asked for now."""
        first = super().next_ready_at()
        return first is not None and first <= now

    def stats(self) -> FrontierStats:
        """Count URLs by state, of all workers, and their hosts."""
        ours, others = super().stats(), [] if self._view is None else self._view.others.values()
        return ours._replace(
            hosts=ours.hosts + sum(supply.hosts for supply in others),
            waiting_hosts=ours.waiting_hosts + sum(supply.waiting_hosts for supply in others),
        )

    def bands(self, bands: int = 10) -> list[int]:
        """Return how many URLs are pending in each of so many equal bands, of all workers."""
        others = [] if self._view is None else self._view.others.values()
        published = [supply.bands for supply in others if len(supply.bands) == bands]
        return [sum(urls) for urls in zip(super().bands(bands), *published, strict=True)]

    @property
    def workers(self) -> int:
        """Return how many live, this one too."""
        return 1 if self._view is None else 1 + len(self._view.others)

    # Others

    def _shared(self, links: Iterable[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
        """Return which links are to our hosts, and which to others'."""
        links = list(links)
        if len(self._owned.held) == PARTITIONS:
            return links, []
        own: list[Candidate] = []
        others: list[Candidate] = []
        for link in links:
            (others if self.is_elsewhere(host_of(link.url)) else own).append(link)
        return own, others

    def _offer(self, kind: int, links: Sequence[Candidate]) -> None:
        if links:
            self._offers.add(kind, links)
            self._has_offers = True

    def _look(self) -> None:
        """Take in what the thread has read of others, if there is anything new."""
        assert self._pulse is not None
        view = self._pulse.exchange.view
        if view is None or view is self._view:
            return
        self._view, self._hosts.best_elsewhere = view, best_of(view.others.values())
        self._hosts.sharers = len(view.others) + 1
        if view.turn == self._pulse.exchange.turn:
            self._owned.synchronise(view.totals)
            self._has_offers = view.has_offers

    def _publish(self) -> None:
        """Publish how much is pending, and the standing of the best of it."""
        assert self._pulse is not None
        exchange = self._pulse.exchange
        best = self._hosts.best_standing(self._clock.latest)
        exchange.supply = Supply(len(self._hosts), self._hosts.waiting, super().bands(), best)
        exchange.is_old = False
