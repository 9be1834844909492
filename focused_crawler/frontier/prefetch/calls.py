"""Calls of a worker: in batches, without links that it has sent already, and those that it may send again."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from itertools import islice
from typing import Any, NamedTuple

from focused_crawler.frontier.base import Candidate

ENDS = frozenset({"done", "failed", "refused", "release"})
"""Methods that end the lease of their first argument."""

_BATCH_CALLS = 256
_BATCH_LINKS = 500
_PASSED_BY_LINKS = frozenset({"done", "failed", "asked", "pace", "ack"})  # links may be queued before these


class Call(NamedTuple):
    """A method of the frontier and its arguments; `answer`: where the crawl waits for what it returns."""

    what: str
    args: tuple[Any, ...]
    answer: Future[Any] | None = None

    @property
    def ended(self) -> str | None:
        """Return the URL whose lease it ends."""
        return str(self.args[0]) if self.what in ENDS else None

    @property
    def needs_ack(self) -> bool:
        """Tell whether it ends a URL for good, and so has to be acknowledged."""
        return self.what == "done" or (self.what == "failed" and self.args[1] is None)


def next_batch(calls: Iterable[Call]) -> list[Call]:
    """Return the first few calls, as many as do not take long; an `ack` among them ends them.

    If the answer is lost they are sent again, and `ack` covers all that has ended when it arrives.
    """
    batch: list[Call] = []
    links = 0
    for call in islice(calls, _BATCH_CALLS):
        links += len(call.args[0]) if call.what == "add" else 0
        if links > _BATCH_LINKS and batch:
            break
        batch.append(call)
    last_ack = max((n for n, call in enumerate(batch, 1) if call.what == "ack"), default=len(batch))
    return batch[:last_ack]


def gathered(batch: Sequence[Call]) -> list[Call]:
    """Return calls that come to the same in fewer: links of several pages at once, `ack` once.

    No link comes later than it did, and nothing is acknowledged earlier.
    """
    last_ack = max((n for n, call in enumerate(batch) if call.what == "ack"), default=-1)
    result: list[Call] = []
    links: list[Candidate] | None = None
    for n, call in enumerate(batch):
        if call.what == "add":
            if links is None:
                links = []
                result.append(Call("add", (links,)))
            links.extend(call.args[0])
        elif call.what != "ack" or n == last_ack:
            links = links if call.what in _PASSED_BY_LINKS else None
            result.append(call)
    return [part for call in result for part in _parts(call)]


def _parts(call: Call) -> list[Call]:
    """Cut a call with very many links into several."""
    if call.what != "add" or len(call.args[0]) <= _BATCH_LINKS:
        return [call]
    links = call.args[0]
    starts = range(0, len(links), _BATCH_LINKS)
    return [Call("add", (links[start : start + _BATCH_LINKS],)) for start in starts]


REPEATED_SECONDS = 3.0
"""So much may be lost where the machine of a server dies that writes its log once a second (everysec), or
where a replica replaces it.
"""

_MOST_LINKS = 50_000
_REPEATABLE = frozenset({"add", "again", "done", "asked", "pace"})  # and final failures: see `RecentCalls`


class SentLinks:
    """The links that this worker sent last: of a page's, two thirds and more are among them.

    Where more is pending than may be, a link that was dropped comes back a little later for it.
    """

    def __init__(self) -> None:
        self._best: dict[int, tuple[float, int]] = {}  # hash of a URL -> its highest priority, least depth

    def fresh(self, links: Iterable[Candidate]) -> list[Candidate]:
        """Return the links that are new to the frontier, and remember them."""
        fresh, best = [], self._best
        for link in links:
            name, known = hash(link.url), best.get(hash(link.url))
            if known is None:
                best[name] = link.priority, link.depth
            elif link.priority > known[0] or link.depth < known[1]:
                best[name] = max(link.priority, known[0]), min(link.depth, known[1])
            else:
                continue
            fresh.append(link)
        while len(best) > _MOST_LINKS:
            del best[next(iter(best))]
        return fresh

    def forget(self) -> None:
        """Remember nothing: the frontier may not know of them any more, or as something else."""
        self._best.clear()


class RecentCalls:
    """The calls of the last few seconds that may be sent twice.

    `ack` may not: it would cover what has ended since, too.
    """

    def __init__(self) -> None:
        self._calls: deque[tuple[float, Call]] = deque()

    def add(self, call: Call, now: float) -> None:
        """Remember a call that the server has received."""
        if call.what in _REPEATABLE or call.needs_ack:
            self._calls.append((now, call))
        while self._calls and self._calls[0][0] < now - REPEATED_SECONDS:
            self._calls.popleft()

    def since(self, moment: float) -> list[Call]:
        """Return what is remembered from then on."""
        return [call for when, call in self._calls if when >= moment]
