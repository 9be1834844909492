"""What experiments come to: the runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from focused_crawler.virtualweb.bounds import Counts


class Setting(NamedTuple):
    """Where a strategy is put to the test; what it can reach depends on nothing else."""

    web: str  # name of the WARC file without .warc.gz
    topic: str
    seed_set: str


class Case(NamedTuple):
    """One run to make."""

    web: str
    topic: str
    seed_set: str
    strategy: str

    @property
    def setting(self) -> Setting:
        """Return the case without its strategy."""
        return Setting(self.web, self.topic, self.seed_set)

    @property
    def name(self) -> str:
        """Return what files of the run are called by."""
        return ".".join(self)


@dataclass(frozen=True, slots=True)
class Run:
    """A run that was made."""

    case: Case
    hits: NDArray[np.bool_]  # one a page in the order fetched: whether it is relevant
    budget: int  # pages it might have fetched; it has fewer when it ran dry
    cpu_seconds: float  # of the whole run, pages analysed before

    def relevant(self, budget: int) -> Counts:
        """Return R(n), the relevant pages among the first n, for n = 0..budget; flat after the last page."""
        hits = np.zeros(budget + 1, dtype=np.int64)
        fetched = min(budget, len(self.hits))
        hits[1 : fetched + 1] = self.hits[:fetched]
        return np.cumsum(hits)
