"""The one thread that talks to a shared frontier: it says and takes, and lives through outages."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext, suppress
from itertools import groupby
from typing import TypeVar

from focused_crawler.frontier.base import FrontierStats, Info, SharedFrontier
from focused_crawler.frontier.prefetch.calls import REPEATED_SECONDS, Call, Offered, Recent, gathered
from focused_crawler.frontier.prefetch.state import FENCE_SECONDS, AheadState, ticks
from focused_crawler.safety.errors import CrawlError, FrontierUnreachable

BEAT_SECONDS = 1.0
_FIRST_BEATS_SECONDS = 0.25  # at the start, when it matters how many others begin with us
STATS_SECONDS = 1.0
OUTAGE_SECONDS = 120.0
"""So long a server may not answer before the crawl gives up."""

_RESYNC_SECONDS = 30.0  # a lease whose reply was lost comes back after so long at most
_CLOCK_SECONDS = 60.0  # from one look at the server's clock to the next
_LOOKS = 3
LEAST_PAUSE, _MOST_PAUSE = 0.005, 0.03  # between looks for leases while there are none
_FIRST_TRY, _LAST_TRY = 0.05, 2.0  # pauses while the server does not answer
_CHANGES_OFFERS = frozenset({"again", "reprioritise"})
_MAKES_READY = frozenset({"add", "again", "done", "failed", "refused", "release", "reprioritise"})

logger = logging.getLogger(__name__)
_T = TypeVar("_T")


class AheadTalk:
    """What the thread does. What ends it is in `AheadState.failure`, and in every answer waited for."""

    def __init__(self, frontier: SharedFrontier, state: AheadState, info: Callable[[], Info]) -> None:
        self._frontier = frontier
        self._state = state
        self._info = info
        self._beat_at = self._stats_at = self._take_at = self._resync_at = self._clock_at = 0.0
        self._offered, self._recent = Offered(), Recent()
        self._outage_began: float | None = None
        self._runs: frozenset[str] = frozenset()  # of the servers, as last seen
        self._looked_at = 0.0
        self._try_pause = _FIRST_TRY
        self._nothing_more: FrontierStats | None = None  # as it was when there was nothing more

    def run(self) -> None:
        """Talk until the crawl closes, or something cannot be mended."""
        failure: BaseException = CrawlError("the frontier is closed")
        try:
            self._talk()
        except BaseException as error:
            failure = error
        try:
            with suppress(CrawlError):
                self._frontier.close()
        finally:
            self._end(failure)

    def _talk(self) -> None:
        self._persist(self._live)
        self._refresh()
        while self._wait():
            self._beat_if_due()
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
        due = min(self._beat_at, self._stats_at)
        stale_at = buffer.stale_at()
        due = due if stale_at is None else min(due, stale_at)
        return min(due, self._take_at) if self._state.room else due

    def _send(self) -> None:
        """Say what the crawl has said, a batch of it."""
        with self._state.changed:
            batch = self._state.batch()
        for has_answer, calls in groupby(gathered(batch), lambda call: call.answer is not None):
            self._beat_if_due()
            if has_answer:
                for call in calls:
                    self._ask(call)
            else:
                self._tell([self._looked_through(call) for call in calls])
        with self._state.changed:
            self._state.sent(batch)
        self._hear_of_closed_hosts()

    def _looked_through(self, call: Call) -> Call:
        """Leave out the links that the frontier has heard of."""
        if call.what in _CHANGES_OFFERS:
            self._offered.forget()
        return Call("add", (self._offered.fresh(call.args[0]),)) if call.what == "add" else call

    def _tell(self, calls: Sequence[Call]) -> None:
        self._persist(lambda: self._say(calls))
        for call in calls:
            self._told(call)
            self._recent.note(call, ticks())

    def _say(self, calls: Sequence[Call]) -> None:
        together = getattr(self._frontier, "together", nullcontext)
        with together():
            for call in calls:
                getattr(self._frontier, call.what)(*call.args)

    def _ask(self, call: Call) -> None:
        result = self._persist(lambda: getattr(self._frontier, call.what)(*call.args))
        self._told(call)
        if call.answer is not None and call.answer.set_running_or_notify_cancel():
            call.answer.set_result(result)

    def _told(self, call: Call) -> None:
        with self._state.changed:
            self._state.told(call)
        if call.what in _MAKES_READY:
            self._take_at, self._state.pause = 0.0, LEAST_PAUSE

    def _take(self) -> None:
        """Take ahead what there is room for."""
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
        self._hear_of_closed_hosts()
        if is_empty:
            self._refresh()

    def _give_back_stale(self) -> None:
        with self._state.changed:
            stale = self._state.buffer.drop_stale(ticks())
        if stale:
            self._tell([Call("release", (url,)) for url in stale])

    def _hear_of_closed_hosts(self) -> None:
        closed = self._frontier.closed_hosts()
        if closed:
            with self._state.changed:
                self._state.closed_hosts += closed

    def _refresh(self) -> None:
        """Ask for the state of the whole.

        It takes two looks with the same numbers to be sure that nothing is left: one alone may see a part
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
        """Give back what was taken ahead and see how things stand at the end."""
        with self._state.changed:
            ahead = self._state.buffer.clear()
        self._tell([Call("release", (url,)) for url in ahead])
        self._persist(lambda: self._frontier.resync(()))
        self._refresh()

    def _beat_if_due(self) -> None:
        if ticks() >= self._beat_at:
            self._persist(self._live)

    def _live(self) -> None:
        """Say that we live; after a silence, and now and then, also what we know of."""
        sent_at = ticks()
        workers = self._frontier.beat(self._info())
        state = self._state
        with state.changed:
            if sent_at - state.last_beat > FENCE_SECONDS:
                state.forget_ahead()
            is_due = state.has_lost or sent_at >= self._resync_at
            state.last_beat, state.has_lost, known = sent_at, False, state.known
            state.start.workers = workers
            self._beat_at = sent_at + (_FIRST_BEATS_SECONDS if state.is_starting else BEAT_SECONDS)
        self._notice_restart()
        if sent_at >= self._clock_at:
            self._set_clock()
        if is_due:
            self._frontier.resync(known)
            self._resync_at = sent_at + _RESYNC_SECONDS

    def _notice_restart(self) -> None:
        """Say once more what a server may have lost that was started anew since the last look."""
        looked_at = ticks()
        try:
            runs = self._frontier.server_runs()
        except FrontierUnreachable:  # one of a cluster; it is looked at when it is back
            return
        if self._runs and not runs <= self._runs:
            self._offered.forget()
            self._say(self._recent.since(self._looked_at - REPEATED_SECONDS))
            self._resync_at = 0.0
        self._runs, self._looked_at = runs, looked_at

    def _set_clock(self) -> None:
        """Compare the clocks; of a few looks the quickest counts."""
        looks = []
        for _ in range(_LOOKS):
            before, server, after = ticks(), self._frontier.server_time(), ticks()
            looks.append((after - before, server - (before + after) / 2))
        with self._state.changed:
            self._state.offset = min(looks)[1]
        self._clock_at = ticks() + _CLOCK_SECONDS

    def _persist(self, step: Callable[[], _T]) -> _T:
        """Do something until the server answers, or has not for too long."""
        while True:
            try:
                if self._outage_began is not None:
                    self._live()
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
