"""The trained model of the HMM crawlers, and its files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from hmmlearn.hmm import CategoricalHMM
from numpy.typing import ArrayLike, NDArray

from focused_crawler.classify.hmm.clusters import PageClusters
from focused_crawler.classify.model_file import (
    HMM,
    Arrays,
    Header,
    matrix_arrays,
    matrix_of,
    read_model,
    words,
    write_model,
)


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
        terms = np.array(self.clusters.terms, dtype=np.str_)
        arrays = {"terms": terms, "clusters": self.clusters.clusters}
        write_model(folder, header, arrays | matrix_arrays(self.clusters.weights), HMM)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read them back; raises ModelError, with what to type, for files that cannot be used."""
        return read_model(folder, cls._of, HMM)

    @classmethod
    def _of(cls, header: Header, arrays: Arrays) -> Self:
        terms, clusters = words(arrays["terms"]), arrays["clusters"]
        chain = markov_chain(header["pi"], header["A"], header["B"])
        if clusters.ndim != 1 or clusters.dtype.kind != "i" or not _are_within(clusters, chain.n_features):
            raise ValueError("its pages are in no clusters")
        weights = matrix_of(arrays, (len(terms), len(clusters)))
        return cls(
            topic=str(header["topic"]),
            chain=chain,
            clusters=PageClusters(str(header["language"]), terms, weights, clusters),
            sessions=int(header["sessions"]),
            pages=int(header["pages"]),
        )


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


def _are_within(numbers: NDArray[np.intp], end: int) -> bool:
    return bool(((numbers >= 0) & (numbers < end)).all())


def _are_shares(rows: NDArray[np.float64]) -> bool:
    return bool((rows >= 0).all() and np.allclose(rows.sum(axis=-1), 1.0))
