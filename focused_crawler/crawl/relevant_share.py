"""Which share of a crawl's pages is relevant: a Bayesian model over cells of pages.

A cell holds the pages of one host and one band of relevance: bands divide the pages that the judge calls
relevant, and those that it does not. The log odds that a page of a cell is relevant are a line over the log
odds of its relevance and over the mean of its host's, plus what is its band's own and its host's own: sites
keep to their subjects, so that a label says much of other pages of its host. What to expect of all these
comes from crawls about other topics (`Prior`); labels and held-out examples say the rest.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.model import TopicModel

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Numbers = NDArray[np.intp]

CUTS = {False: (0.5, 0.875), True: (0.5,)}
"""Where bands end, from the least relevant page on, in shares of those not called relevant, and called so."""
WIDEST = 7.0
"""Log odds of a relevance beyond which it is as good as certain."""
MOST_HOSTS = 12
"""Hosts with the most pages; all others count as one."""
_LINES = 3


class Prior(NamedTuple):
    """What crawls about other topics lead to expect: log odds, and standard deviations between topics."""

    level: float  # of a page whose relevance is one half, as that of all others of its host
    page: float  # a step of log odds of the page's relevance
    host: float  # a step of their mean over its host
    level_spread: float
    page_spread: float
    host_spread: float
    bands: float  # standard deviation of what is a band's own
    hosts: float  # and a host's
    # What held-out examples promise, less what a crawl gets: mean and standard deviation over topics
    hits: float = 0.0  # of the share called relevant, among relevant pages
    hits_spread: float = 1.0
    alarms: float = 0.0  # among the others
    alarms_spread: float = 1.0


class HeldOutCounts(NamedTuple):
    """How a judge called examples that it was not trained from; in numbers, or weights."""

    hits: float  # relevant ones that it called relevant
    misses: float
    alarms: float  # others that it called relevant
    passes: float

    @classmethod
    def of(cls, model: TopicModel) -> Self | None:
        """Return those of a model's training; None where nobody labelled what it was trained from.

        A model says what precision and recall come to where `relevant_share` of the pages are relevant.
        """
        settings, metrics = model.settings, model.metrics
        if settings is None or not metrics:
            return None
        recall, precision = metrics["recall"], metrics["precision"]
        relevant, other = model.examples["relevant"], model.examples["other"]
        odds = settings.relevant_share / (1 - settings.relevant_share)
        alarms = min(recall * odds * (1 - precision) / precision, 1.0) if precision else 0.0
        return cls(recall * relevant, (1 - recall) * relevant, alarms * other, (1 - alarms) * other)


class Cells(NamedTuple):
    """The cells of a crawl that have pages."""

    of_page: Numbers
    pages: Floats
    is_called: Mask  # relevant, by the judge
    design: Floats  # cells x effects: level, page, host, each band, each host
    bands: int

    @classmethod
    def of(cls, relevance: Floats, is_relevant: Mask, host: Numbers | None) -> Self:
        """Divide pages; those of one host and one relevance stay together."""
        band, bands = _bands(relevance, is_relevant)
        site, sites = _sites(len(relevance), host)
        name = band * sites + site
        has_pages = np.bincount(name, minlength=bands * sites) > 0
        of_band, of_site = np.divmod(np.flatnonzero(has_pages), sites)
        cell = (np.cumsum(has_pages) - 1)[name]
        inside = np.clip(relevance, 1e-9, 1 - 1e-9)
        odds = np.clip(np.log(inside / (1 - inside)), -WIDEST, WIDEST)
        pages = np.bincount(cell).astype(np.float64)
        mean = np.bincount(cell, weights=odds) / pages
        of_host = np.bincount(site, weights=odds) / np.maximum(np.bincount(site), 1)
        lines = np.column_stack([np.ones_like(mean), mean, of_host[of_site]])
        design = np.hstack([lines, np.eye(bands)[of_band], np.eye(sites)[of_site, 1:]])
        return cls(cell, pages, np.bincount(cell, weights=is_relevant) > 0, design, bands)

    def sizes(self, pages: Numbers) -> Floats:
        """Return how many of some pages each cell has."""
        return np.bincount(self.of_page[pages], minlength=len(self.pages)).astype(np.float64)

    def expected(self, prior: Prior) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of each effect."""
        mean = np.zeros(self.design.shape[1])
        mean[:_LINES] = prior[:_LINES]
        hosts = len(mean) - _LINES - self.bands
        own = [prior.bands] * self.bands + [prior.hosts] * hosts
        return mean, np.array([*prior[_LINES : 2 * _LINES], *own])


def _bands(relevance: Floats, is_relevant: Mask) -> tuple[Numbers, int]:
    """Return the band of each page, and how many bands there may be."""
    band, bands = np.zeros(len(relevance), dtype=np.intp), 0
    for called, cuts in CUTS.items():
        mine = is_relevant == called
        if mine.any():
            ends = np.quantile(relevance[mine], cuts)
            band[mine] = bands + np.searchsorted(ends, relevance[mine], side="left")
        bands += len(cuts) + 1
    return band, bands


def _sites(pages: int, host: Numbers | None) -> tuple[Numbers, int]:
    """Return a number for the host of each page, 0 for all small ones, and how many numbers there are."""
    if host is None:
        return np.zeros(pages, dtype=np.intp), 1
    sizes = np.bincount(host)
    largest = np.argsort(-sizes, kind="stable")[:MOST_HOSTS]
    number = np.zeros(len(sizes), dtype=np.intp)
    number[largest] = np.arange(1, len(largest) + 1)
    return number[host], len(largest) + 1
