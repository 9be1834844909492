"""What a worker remembers of what it said: links that need not be said again, and what may have to be."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from focused_crawler.frontier.ahead_calls import Call
from focused_crawler.frontier.base import Candidate

REPEATED_SECONDS = 3.0
"""So much may be lost where the machine of a server dies that writes its log once a second (everysec), or
where a replica takes its place.
"""

_MOST_LINKS = 50_000
_REPEATABLE = frozenset({"add", "again", "done", "asked", "pace"})  # and what failed for good: see `Recent`


class Offered:
    """The links that this worker offered last: of a page's, two thirds and more are among them.

    Where more is pending than may be, a link that was dropped comes back a little later for it.
    """

    def __init__(self) -> None:
        self._best: dict[int, tuple[float, int]] = {}  # hash of a URL -> its highest priority, least depth

    def fresh(self, links: Iterable[Candidate]) -> list[Candidate]:
        """Return the links that tell the frontier something, and remember them."""
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


class Recent:
    """What was said in the last few seconds and may be said twice.

    `kept` may not: it would be about what has ended since, too.
    """

    def __init__(self) -> None:
        self._calls: deque[tuple[float, Call]] = deque()

    def note(self, call: Call, now: float) -> None:
        """Remember a call that the server has heard."""
        if call.what in _REPEATABLE or call.is_to_keep:
            self._calls.append((now, call))
        while self._calls and self._calls[0][0] < now - REPEATED_SECONDS:
            self._calls.popleft()

    def since(self, moment: float) -> list[Call]:
        """Return what is remembered from then on."""
        return [call for when, call in self._calls if when >= moment]
