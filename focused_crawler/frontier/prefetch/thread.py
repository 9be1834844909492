"""The one thread that calls a shared frontier: it sends and takes, and outlasts outages."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from itertools import groupby
from typing import TypeVar

from focused_crawler.frontier.base import FrontierStats, Info, SharedFrontier
from focused_crawler.frontier.prefetch.calls import (
    REPEATED_SECONDS,
    Call,
    RecentCalls,
    SentLinks,
    gathered,
    next_batch,
)
from focused_crawler.frontier.prefetch.state import FENCE_SECONDS, PrefetchState, ticks
from focused_crawler.safety.errors import CrawlError, FrontierUnreachable

HEARTBEAT_SECONDS = 1.0
_FIRST_HEARTBEATS_SECONDS = 0.25  # at the start, when it matters how many others begin with us
STATS_SECONDS = 1.0
OUTAGE_SECONDS = 120.0
"""So long a server may not answer before the crawl gives up."""

_RESYNC_SECONDS = 30.0  # a lease whose reply was lost comes back after so long at most
_CLOCK_SECONDS = 60.0  # from one reading of the server's clock to the next
_CLOCK_READINGS = 3
LEAST_PAUSE, _MOST_PAUSE = 0.005, 0.03  # between takes while there are no leases
_FIRST_TRY, _LAST_TRY = 0.05, 2.0  # pauses while the server does not answer
_CHANGES_LINKS = frozenset({"again", "reprioritise"})
_MAKES_READY = frozenset({"add", "again", "done", "failed", "refused", "release", "reprioritise"})

logger = logging.getLogger(__name__)
_T = TypeVar("_T")


class PrefetchThread:
    """What the thread does. What ends it is in `PrefetchState.failure`, and in every answer waited for."""

    def __init__(self, frontier: SharedFrontier, state: PrefetchState, info: Callable[[], Info]) -> None:
        self._frontier = frontier
        self._state = state
        self._info = info
        self._heartbeat_at = self._stats_at = self._take_at = self._resync_at = self._clock_at = 0.0
        self._sent_links, self._recent = SentLinks(), RecentCalls()
        self._outage_began: float | None = None
        self._runs: frozenset[str] = frozenset()  # of the servers, as last seen
        self._checked_at = 0.0
        self._try_pause = _FIRST_TRY
        self._nothing_more: FrontierStats | None = None  # as it was when there was nothing more

    def run(self) -> None:
        """Serve until the crawl closes, or an error is final."""
        failure: BaseException = CrawlError("the frontier is closed")
        try:
            self._serve()
        except BaseException as error:
            failure = error
        try:
            with suppress(CrawlError):
                self._frontier.close()
        finally:
            self._end(failure)

    def _serve(self) -> None:
        self._persist(self._heartbeat)
        self._refresh()
        while self._wait():
            self._heartbeat_if_due()
            self._send()
            self._give_back_stale()
            self._take()
            if ticks() >= self._stats_at:
                self._refresh()
        self._part()

    def _end(self, failure: BaseException) -> None:
        with self._state.changed:
            self._state.failure = failure
            waiting = [call.answer for call in self._state.calls if call.answer is not None]
            self._state.changed.notify_all()
        for answer in waiting:
            if not answer.done() and answer.set_running_or_notify_cancel():
                answer.set_exception(failure)

    def _wait(self) -> bool:
        """Wait until there is something to do; return whether the crawl goes on."""
        state = self._state
        with state.changed:
            while not state.calls:
                if state.close_at is not None:
                    return False
                seconds = self._due_at() - ticks()
                if seconds <= 0:
                    break
                state.changed.wait(seconds)
        return True

    def _due_at(self) -> float:
        buffer = self._state.buffer
        due = min(self._heartbeat_at, self._stats_at)
        stale_at = buffer.stale_at()
        due = due if stale_at is None else min(due, stale_at)
        return min(due, self._take_at) if self._state.room else due

    def _send(self) -> None:
        """Send the next batch of the crawl's calls."""
        with self._state.changed:
            batch = next_batch(self._state.calls)
        for has_answer, calls in groupby(gathered(batch), lambda call: call.answer is not None):
            self._heartbeat_if_due()
            if has_answer:
                for call in calls:
                    self._ask(call)
            else:
                self._deliver([self._without_known(call) for call in calls])
        with self._state.changed:
            self._state.sent(batch)
        self._receive_closed_hosts()

    def _without_known(self, call: Call) -> Call:
        """Leave out the links that the frontier has received."""
        if call.what in _CHANGES_LINKS:
            self._sent_links.forget()
        return Call("add", (self._sent_links.fresh(call.args[0]),)) if call.what == "add" else call

    def _deliver(self, calls: Sequence[Call]) -> None:
        self._persist(lambda: self._send_calls(calls))
        for call in calls:
            self._delivered(call)
            self._recent.add(call, ticks())

    def _send_calls(self, calls: Sequence[Call]) -> None:
        pipelined = getattr(self._frontier, "pipelined", nullcontext)
        with pipelined():
            for call in calls:
                getattr(self._frontier, call.what)(*call.args)

    def _ask(self, call: Call) -> None:
        result = self._persist(lambda: getattr(self._frontier, call.what)(*call.args))
        self._delivered(call)
        if call.answer is not None and call.answer.set_running_or_notify_cancel():
            call.answer.set_result(result)

    def _delivered(self, call: Call) -> None:
        with self._state.changed:
            self._state.delivered(call)
        if call.what in _MAKES_READY:
            self._take_at, self._state.pause = 0.0, LEAST_PAUSE

    def _take(self) -> None:
        """Prefetch what there is room for."""
        state = self._state
        with state.changed:
            room = state.room
        if not room or ticks() < self._take_at:
            return
        leases = self._persist(lambda: self._frontier.take(room, state.server_now))
        with state.changed:
            if state.is_fenced:
                state.has_lost = True  # they may be others' by now, or will be
            else:
                state.buffer.fill(leases, ticks(), is_all=len(leases) == room)
            is_empty = not state.buffer
            state.pause = min(_MOST_PAUSE, 2 * state.pause) if len(leases) < room else LEAST_PAUSE
            self._take_at = ticks() + state.pause if len(leases) < room else 0.0
        self._receive_closed_hosts()
        if is_empty:
            self._refresh()

    def _give_back_stale(self) -> None:
        with self._state.changed:
            stale = self._state.buffer.drop_stale(ticks())
        if stale:
            self._deliver([Call("release", (url,)) for url in stale])

    def _receive_closed_hosts(self) -> None:
        closed = self._frontier.closed_hosts()
        if closed:
            with self._state.changed:
                self._state.closed_hosts += closed

    def _refresh(self) -> None:
        """Ask for the state of the whole.

        It takes two readings with the same numbers to be sure that nothing is left: one alone may see a part
        of the frontier before a URL comes there, and another part after it went.
        """
        with self._state.changed:
            sent = self._state.calls_sent
        more = self._persist(self._frontier.has_more)
        stats = self._persist(self._frontier.stats)
        is_over = not more and stats == self._nothing_more
        self._nothing_more = None if more else stats
        self._stats_at = ticks() + (STATS_SECONDS if more or is_over else LEAST_PAUSE)
        with self._state.changed:
            self._state.answered(stats, sent, is_over=is_over)

    def _part(self) -> None:
        """Give back what was prefetched, and read the final state."""
        with self._state.changed:
            urls = self._state.buffer.clear()
        self._deliver([Call("release", (url,)) for url in urls])
        self._persist(lambda: self._frontier.resync(()))
        self._refresh()

    def _heartbeat_if_due(self) -> None:
        if ticks() >= self._heartbeat_at:
            self._persist(self._heartbeat)

    def _heartbeat(self) -> None:
        """Send a heartbeat; after a silence, and now and then, also what we know of."""
        sent_at = ticks()
        workers = self._frontier.heartbeat(self._info())
        state = self._state
        with state.changed:
            if sent_at - state.last_heartbeat > FENCE_SECONDS:
                state.forget_prefetched()
            is_due = state.has_lost or sent_at >= self._resync_at
            state.last_heartbeat, state.has_lost, known = sent_at, False, state.known
            state.start.workers = workers
            self._heartbeat_at = sent_at + (
                _FIRST_HEARTBEATS_SECONDS if state.is_starting else HEARTBEAT_SECONDS
            )
        self._notice_restart()
        if sent_at >= self._clock_at:
            self._set_clock()
        if is_due:
            self._frontier.resync(known)
            self._resync_at = sent_at + _RESYNC_SECONDS

    def _notice_restart(self) -> None:
        """Send once more what a server may have lost that was restarted since the last check."""
        checked_at = ticks()
        try:
            runs = self._frontier.server_runs()
        except FrontierUnreachable:  # one of a cluster; it is checked when it is back
            return
        if self._runs and not runs <= self._runs:
            self._sent_links.forget()
            self._send_calls(self._recent.since(self._checked_at - REPEATED_SECONDS))
            self._resync_at = 0.0
        self._runs, self._checked_at = runs, checked_at

    def _set_clock(self) -> None:
        """Compare the clocks; of a few readings the quickest counts."""
        readings = []
        for _ in range(_CLOCK_READINGS):
            before, server, after = ticks(), self._frontier.server_time(), ticks()
            readings.append((after - before, server - (before + after) / 2))
        with self._state.changed:
            self._state.offset = min(readings)[1]
        self._clock_at = ticks() + _CLOCK_SECONDS

    def _persist(self, step: Callable[[], _T]) -> _T:
        """Do something until the server answers, or has not for too long."""
        while True:
            try:
                if self._outage_began is not None:
                    self._heartbeat()
                result = step()
            except FrontierUnreachable as error:
                self._endure(error)
            else:
                self._recover()
                return result

    def _endure(self, error: FrontierUnreachable) -> None:
        now = ticks()
        if self._outage_began is None:
            self._outage_began, self._try_pause = now, _FIRST_TRY
            self._resync_at = self._clock_at = 0.0
            self._state.pause = _MOST_PAUSE
            logger.warning("%s; trying again for %d seconds", error, OUTAGE_SECONDS)
        close_at = self._state.close_at
        if now - self._outage_began > OUTAGE_SECONDS or (close_at is not None and now > close_at):
            raise error
        time.sleep(self._try_pause if close_at is None else _FIRST_TRY)
        self._try_pause = min(_LAST_TRY, 2 * self._try_pause)

    def _recover(self) -> None:
        if self._outage_began is not None:
            logger.warning("The frontier answers again, after %.1f seconds", ticks() - self._outage_began)
            self._outage_began = None
