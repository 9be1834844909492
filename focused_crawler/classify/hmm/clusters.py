"""What a page looks like, as one of a few clusters of training pages (Batsakis et al. 2009, section 3.3)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from focused_crawler.page.text.idf import TermStatistics
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.page.text.weighting import Matrix, count_matrix, tfidf, vocabulary

RELEVANT = 0
"""The cluster C0: all relevant training pages."""

Clusters = NDArray[np.intp]


class PageClusters:
    """The training pages with their clusters. A new page is in the one that most of its neighbours are in.

    A page is its terms' frequency times precompiled idf (Eq. 2; to divide by the largest frequency would
    change no cosine), scaled to length 1.
    """

    def __init__(self, language: str, terms: Sequence[str], weights: Matrix, clusters: Clusters) -> None:
        """Take the weights (a row a term, a column a training page) and each page's cluster."""
        self.language = language
        self.terms = list(terms)
        self.weights = weights
        self.clusters = clusters
        statistics = TermStatistics.for_language(language)
        self._rows = {term: row for row, term in enumerate(self.terms)}
        self._idf = [statistics.idf(term) for term in self.terms]
        centroid = weights[:, np.flatnonzero(clusters == RELEVANT)].sum(axis=1).tolist()
        self.centroid = TopicVector(
            dict(zip(self.terms, centroid, strict=True)), statistics.mapping, statistics.default
        )
        """c_r of the relevant training pages: pages and anchors are compared with it (Eq. 1)."""

    @classmethod
    def fit(
        cls,
        language: str,
        pages: Sequence[Mapping[str, float]],
        is_relevant: Sequence[bool],
        count: int,
        random_seed: int,
    ) -> Self:
        """Cluster pages, given by their term counts: C0 are the relevant ones, K-means makes C1 to C`count`.

        Where there are fewer others than clusters, each is one of its own.
        """
        terms = vocabulary(pages)
        statistics = TermStatistics.for_language(language)
        idf = np.array([statistics.idf(term) for term in terms])
        rows = tfidf(count_matrix(pages, terms), idf)
        clusters = np.full(len(pages), RELEVANT, dtype=np.intp)
        others = np.flatnonzero(~np.asarray(is_relevant, dtype=np.bool_))
        clusters[others] = 1 + _k_means(rows[others], count, random_seed)
        return cls(language, terms, csr_array(rows.T), clusters)

    def nearest(self, counts: Mapping[str, float], neighbours: int) -> int | None:
        """Return the cluster of a page by a vote of its nearest training pages; None: it shares no term.

        Of clusters with as many votes, that with the more similar pages wins.
        """
        known = [(self._rows[term], count) for term, count in counts.items() if term in self._rows]
        rows = [row for row, _ in known]
        values = [count * self._idf[row] for row, count in known]
        similarities = np.asarray(values) @ self.weights[rows] if rows else np.zeros(len(self.clusters))
        nearest = np.argsort(-similarities, kind="stable")[:neighbours]
        nearest = nearest[similarities[nearest] > 0]
        if not len(nearest):
            return None
        voted = self.clusters[nearest]
        votes, total = np.bincount(voted), np.bincount(voted, similarities[nearest])
        return int(np.lexsort((total, votes))[-1])


def _k_means(rows: Matrix, count: int, random_seed: int) -> Clusters:
    count = min(count, rows.shape[0])
    if count < 2:
        return np.zeros(rows.shape[0], dtype=np.intp)
    with warnings.catch_warnings():  # pages that are copies make fewer clusters, which does no harm
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = KMeans(count, n_init=10, random_state=random_seed).fit(rows)
    return np.asarray(fitted.labels_, dtype=np.intp)
