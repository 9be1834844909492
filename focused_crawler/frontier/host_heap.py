"""Hosts in an order that changes all the time."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Any, Generic, TypeVar

Item = TypeVar("Item", bound=tuple[Any, ...])


class HostHeap(Generic[Item]):
    """Hosts by an item each, whose last field is the host; the lowest is first.

    An item counts only while it is its host's, so that a change costs one push. Old ones are dropped when
    they come up, and when they are most of the heap.
    """

    def __init__(self) -> None:
        self._heap: list[Item] = []
        self._items: dict[int, Item] = {}  # by the id of the host

    def put(self, item: Item) -> None:
        """Give a host its item, in the place of what it had."""
        id = item[-1].id
        if self._items.get(id) == item:
            return
        self._items[id] = item
        heappush(self._heap, item)
        if len(self._heap) > 2 * len(self._items) + 64:
            self._heap = list(self._items.values())
            heapify(self._heap)

    def remove(self, id: int) -> None:
        """Leave out the host with this id, if it is there."""
        self._items.pop(id, None)

    def first(self) -> Item | None:
        """Return the lowest item, None if there is none."""
        while self._heap:
            item = self._heap[0]
            if self._items.get(item[-1].id) is item:
                return item
            heappop(self._heap)
        return None
