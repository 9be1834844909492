"""The links between the pages of a web: for bounds, graph figures and oracles, never for a crawl's order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class LinkGraph:
    """Pages by number and the distinct pages each leads to, redirects followed: a sparse matrix by rows."""

    indptr: NDArray[np.int64]  # one longer than there are pages
    indices: NDArray[np.int32]

    @classmethod
    def of(cls, rows: Iterable[Sequence[int]]) -> Self:
        """Make a graph of the pages that each page leads to; links to itself and second ones are left out.

        >>> LinkGraph.of([[1, 0, 1], []]).out(0).tolist()
        [1]
        """
        indices: list[int] = []
        indptr = [0]
        for number, row in enumerate(rows):
            targets = dict.fromkeys(row)
            targets.pop(number, None)
            indices += targets
            indptr.append(len(indices))
        return cls(np.array(indptr, dtype=np.int64), np.array(indices, dtype=np.int32))

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self.indptr) - 1

    @property
    def sources(self) -> NDArray[np.int64]:
        """Return the page that each link stands on, as `indices` has the page that it leads to."""
        return np.repeat(np.arange(len(self)), np.diff(self.indptr))

    def out(self, page: int) -> NDArray[np.int32]:
        """Return the pages that a page leads to, in the order of its links."""
        return self.indices[self.indptr[page] : self.indptr[page + 1]]

    def reverse(self) -> LinkGraph:
        """Return the graph of the pages that lead to each page, in ascending order."""
        counts = np.bincount(self.indices, minlength=len(self))
        indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64)])
        return LinkGraph(indptr, self.sources[np.argsort(self.indices, kind="stable")].astype(np.int32))
