"""What has to make room in a frontier that may hold only so many pending URLs: the worst ones first."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush

from focused_crawler.frontier.order import Entry

_SPARE = 64


class WorstFirst:
    """A heap of pending URLs in memory, the last to be taken on top.

    An entry that says what is no more so stays until it comes up, or until such entries are the majority.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[int, float, int, int]] = []  # the entries, negated

    def push(self, entry: Entry, pending: int, is_pending: Callable[[Entry], bool]) -> None:
        """Add an entry; `pending` is how many there may be that are still so."""
        heappush(self._heap, _turned(entry))
        if len(self._heap) > 2 * pending + _SPARE:
            self._heap = [turned for turned in set(self._heap) if is_pending(_turned(turned))]
            heapify(self._heap)

    def pop(self, n: int, is_pending: Callable[[Entry], bool]) -> list[Entry]:
        """Return the `n` or fewer worst entries that are still so."""
        found: list[Entry] = []
        while self._heap and len(found) < n:
            entry = _turned(heappop(self._heap))
            if entry not in found[-1:] and is_pending(entry):
                found.append(entry)
        return found


def _turned(entry: Entry) -> Entry:
    tries, minus_priority, tie, key = entry
    return -tries, -minus_priority, -tie, -key
