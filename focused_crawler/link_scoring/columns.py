"""Tables of numbers in memory that grow by rows: 64-bit keys, numbered as they come, and their columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int32]
"""Numbers of rows; -1 is none."""

_STRIDE = 16
"""Each so many-th key is at hand in its order: the others are looked through from there."""
_NEXT = np.arange(_STRIDE) - _STRIDE

_WAITING = 4_096
_SHARE = 64
"""So many keys wait, or the 64th part of all, before they are sorted among the others."""


class Table:
    """Columns of numbers, a row a key; keys are numbered from 0 on in the order in which they come.

    A row costs its columns and 12.5 bytes, and some 100 more as long as it waits to be sorted in. To find one
    takes the logarithm of their number.
    """

    def __init__(self, **columns: Any) -> None:
        """`columns`: an empty array each, whose kind and shape of a row count."""
        self._empty = {"key": np.empty(0, np.int64), **columns}
        self._columns: dict[str, NDArray[Any]] = {}
        self._room = -1
        self._order: Rows = np.empty(0, np.int32)  # rows by key
        self._steps: NDArray[np.int64] = np.empty(0, np.int64)  # keys of each `_STRIDE`-th of these
        self._waiting: dict[int, int] = {}  # rows that are not there
        self._grow(0)

    def __len__(self) -> int:
        return len(self._order) + len(self._waiting)

    def __getitem__(self, column: str) -> NDArray[Any]:
        """Return a column with room for more rows; not to be kept, nor a view of it: it moves as it grows."""
        return self._columns[column]

    def find(self, keys: NDArray[np.int64]) -> Rows:
        """Return the row of each key, -1 for one that has none."""
        found = self._sorted_in(keys)
        if self._waiting and len(others := (found < 0).nonzero()[0]):
            waiting = self._waiting
            found[others] = [waiting.get(key, -1) for key in keys[others].tolist()]
        return found

    def rows_of(self, keys: NDArray[np.int64]) -> Rows:
        """Return the row of each key, a new one, all 0, for one that has none."""
        found = self._sorted_in(keys)
        others = (found < 0).nonzero()[0]
        if not len(others):
            return found
        waiting, before = self._waiting, len(self)
        new: list[int] = []
        rows = []
        for key in keys[others].tolist():
            row = waiting.get(key)
            if row is None:
                row = waiting[key] = before + len(new)
                new.append(key)
            rows.append(row)
        found[others] = rows
        if new:
            self._grow(before + len(new))
            self["key"][before : before + len(new)] = new
            if len(waiting) > max(_WAITING, before // _SHARE):
                self._sort()
        return found

    def keep(self, kept: NDArray[np.bool_]) -> Rows:
        """Forget all rows but those `kept`, which are numbered anew in their order.

        Returns the new number of each row before, -1 for one that is forgotten.
        """
        self._sort()
        new = np.where(kept, np.cumsum(kept, dtype=np.int32) - 1, -1).astype(np.int32)
        rows = np.flatnonzero(kept)
        columns = self._columns.items()
        self._columns = {name: column.take(rows, axis=0, mode="clip") for name, column in columns}
        self._room = len(rows)
        order = new[self._order]
        self._order = order[order >= 0]
        self._note_steps()
        return new

    def cut(self, size: int) -> None:
        """Forget all rows but the first ones."""
        for column in self._columns.values():
            column[size : len(self)] = 0
        self._order = self._order[self._order < size]
        self._waiting = {key: row for key, row in self._waiting.items() if row < size}
        self._note_steps()

    def content(self) -> dict[str, NDArray[Any]]:
        """Return all that there is, an array a column; `load` takes it back."""
        return {name: self[name][: len(self)] for name in self._empty}

    def load(self, content: Mapping[str, NDArray[Any]]) -> None:
        """Become what `content` says; ValueError for what is none of this table's."""
        arrays = {name: np.array(content[name]) for name in self._empty if name in content}
        rows = len(arrays.get("key", ()))
        for name, kind in self._empty.items():
            array = arrays.get(name)
            if array is None or array.dtype != kind.dtype or array.shape != (rows, *kind.shape[1:]):
                raise ValueError(f"column {name} is of another kind")
        self._columns, self._room = arrays, rows
        self._order, self._waiting = np.argsort(arrays["key"], kind="stable").astype(np.int32), {}
        if (np.diff(arrays["key"][self._order]) == 0).any():
            raise ValueError("a key is there twice")
        self._note_steps()

    def _sorted_in(self, keys: NDArray[np.int64]) -> Rows:
        """Return the row of each key, -1 for one that has none or waits."""
        order = self._order
        if not len(order):
            return np.full(len(keys), -1, np.int32)
        near = self._steps.searchsorted(keys, side="right")[:, None] * _STRIDE + _NEXT
        rows = order.take(near, mode="clip")
        found: Rows = np.where(self["key"][rows] == keys[:, None], rows, -1).max(axis=1)
        return found

    def _grow(self, rows: int) -> None:
        if rows <= self._room:
            return
        self._room = max(1_024, rows + rows // 8)
        for name, kind in self._empty.items():
            column = self._columns.setdefault(name, kind.copy())
            column.resize((self._room, *kind.shape[1:]), refcheck=False)  # moves pages, and copies nothing

    def _sort(self) -> None:
        keys, rows = self["key"], np.fromiter(self._waiting.values(), np.int32, len(self._waiting))
        rows = rows[np.argsort(keys[rows], kind="stable")]
        places = np.searchsorted(keys[: len(self._order)], keys[rows], sorter=self._order)
        self._order = np.insert(self._order, places, rows)
        self._waiting = {}
        self._note_steps()

    def _note_steps(self) -> None:
        self._steps = self["key"][self._order[::_STRIDE]]
