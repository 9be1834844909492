"""The trained model of the HMM crawlers, and its files."""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from hmmlearn.hmm import CategoricalHMM
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from hmmlearn.hmm import CategoricalHMM
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from focused_crawler.classify.hmm.clusters import PageClusters
from focused_crawler.classify.model_file import HMM, broken, read_model, write_model

Levels: TypeAlias = tuple[float, ...]
"""a(L_0, t), a(L_1, t), ...: what the path so far says of how far its last page is from a relevant one."""


_MOST_STEPS = 2.0**52
"""Finer steps than a float can tell apart are none."""


class Forward:
    """Goes along paths page by page. A path's state is a few numbers, so that each URL can carry its own."""

    def __init__(self, chain: CategoricalHMM, *, is_normalised: bool = True, epsilon: float = 0.0) -> None:
        """`is_normalised`: levels sum to 1 after each page (ours), else they are those of Eq. 5 itself.

        `epsilon`: two pages whose P(L0, t+1) differ by less are ordered by P(L0, t+2).
        """
        self._start: Levels = tuple(chain.startprob_.tolist())
        self._into: list[list[float]] = chain.transmat_.T.tolist()  # a_ij by j
        self._emission: list[list[float]] = chain.emissionprob_.T.tolist()  # b_j,c by c
        self._is_normalised = is_normalised
        self._epsilon = epsilon
        self._format = f"<{len(self._start)}d"

    def start(self) -> Levels:
        """Return pi: what is known before a seed is fetched."""
        return self._start

    def follow(self, levels: Levels, cluster: int | None) -> Levels:
        """Return the levels of a page (Eq. 5), given those of the page that led to it.

        `cluster` None: the page tells nothing, and only the step counts.
        """
        ahead = self.ahead(levels)
        if cluster is None:
            return ahead
        seen = tuple(b * a for b, a in zip(self._emission[cluster], ahead, strict=True))
        total = sum(seen)
        if not self._is_normalised or total <= 0:
            return seen
        return tuple(level / total for level in seen)

    def ahead(self, levels: Levels) -> Levels:
        """Return P(L_j, t+1) of the pages that a page leads to (Eq. 6)."""
        return tuple(sum(map(float.__mul__, levels, column)) for column in self._into)

    def priority(self, levels: Levels) -> float:
        """Return P(L0, t+1) in [0, 1], in steps of epsilon; within a step, P(L0, t+2) says which is higher.

        So one number holds the paper's rule for ties, but that steps have fixed ends: two values nearer than
        epsilon on either side of such an end are ordered by P(L0, t+1).
        """
        ahead = self.ahead(levels)
        steps = ahead[0] / self._epsilon if self._epsilon else math.inf
        if steps > _MOST_STEPS:
            return min(ahead[0], 1.0)
        step = math.floor(steps)
        return min(self._epsilon * (step + min(self.ahead(ahead)[0], 1.0)), 1.0)

    def pack(self, levels: Levels) -> bytes:
        """Return levels as a URL carries them."""
        return struct.pack(self._format, *levels)

    def unpack(self, path: bytes | None) -> Levels:
        """Return levels that were packed; those of the start for a seed, and for a path of another model."""
        if path is None or len(path) != struct.calcsize(self._format):
            return self._start
        return struct.unpack(self._format, path)


@dataclass(frozen=True, slots=True)
class HmmModel:
    """How far pages that look like this are from relevant ones, and where their links lead."""

    topic: str
    chain: CategoricalHMM  # states L0, L1, ...; observations C0, C1, ...
    clusters: PageClusters
    sessions: int  # of more than one page, it was trained from
    pages: int

    def save(self, folder: Path) -> None:
        """Write hmm.json and hmm.npz; raises ModelError."""
        header = {
            "topic": self.topic,
            "language": self.clusters.language,
            "sessions": self.sessions,
            "pages": self.pages,
            "pi": self.chain.startprob_.tolist(),
            "A": self.chain.transmat_.tolist(),
            "B": self.chain.emissionprob_.tolist(),
        }
        weights = self.clusters.weights
        arrays = {
            "terms": np.array(self.clusters.terms, dtype=np.str_),
            "data": weights.data,
            "indices": weights.indices,
            "indptr": weights.indptr,
            "clusters": self.clusters.clusters,
        }
        write_model(folder, header, arrays, HMM)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read them back; raises ModelError, with what to type, for files that cannot be used."""
        header, arrays = read_model(folder, HMM)
        try:
            shape = (len(arrays["terms"]), len(arrays["clusters"]))
            weights = csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape)
            weights.check_format(full_check=True)  # an index out of range would be read all the same
            terms = arrays["terms"].tolist()
            return cls(
                topic=str(header["topic"]),
                chain=markov_chain(header["pi"], header["A"], header["B"]),
                clusters=PageClusters(str(header["language"]), terms, weights, arrays["clusters"]),
                sessions=int(header["sessions"]),
                pages=int(header["pages"]),
            )
        except Exception as error:  # scipy and hmmlearn make of damaged parts what they can
            raise broken(folder, f"{type(error).__name__}: {error}") from error


def markov_chain(start: ArrayLike, transitions: ArrayLike, emissions: ArrayLike) -> CategoricalHMM:
    """Return hmmlearn's model with pi, A (from level i to j) and B (level i, cluster c); each row sums to 1.

    hmmlearn lets the first page have level L_j with pi_j. In Eq. 5 a step leads to it: its first page has
    L_j with sum_i pi_i a_ij.
    """
    by_level = np.array(emissions, dtype=np.float64)
    shares = (np.array(start, dtype=np.float64), np.array(transitions, dtype=np.float64), by_level)
    levels = len(by_level)
    if [each.shape for each in shares[:2]] != [(levels,), (levels, levels)] or not all(
        map(_are_shares, shares)
    ):
        raise ValueError("pi, A and B are no probabilities of the same levels")
    chain = CategoricalHMM(n_components=by_level.shape[0], n_features=by_level.shape[1])
    chain.startprob_, chain.transmat_, chain.emissionprob_ = shares
    return chain


def _are_shares(rows: NDArray[np.float64]) -> bool:
    return bool((rows >= 0).all() and np.allclose(rows.sum(axis=-1), 1.0))
