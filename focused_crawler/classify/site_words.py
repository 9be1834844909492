"""Words that a site's pages have in common: some name it, others are usual there, whatever a page says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.base import ExamplePages
from focused_crawler.classify.model_file import numbers, words
from focused_crawler.page.model import Page
from focused_crawler.page.text.weighting import Matrix, count_terms
from focused_crawler.page.url import site_of

USUAL = 0.8
"""Share of a site's examples that hold its usual words, at least."""

FEWEST = 2
"""Examples of a site that tell what its pages have in common; relevant ones, for what is usual."""

Counts = Mapping[str, float]
_Arrays = dict[str, NDArray[Any]]


class Furniture(NamedTuple):
    """What the title, headlines and meta keywords of all pages of a site say: they name the site."""

    headline: Counts
    keywords: Counts

    @classmethod
    def of(cls, pages: Sequence[Page]) -> Self:
        """Find what is the same on each of some pages of a site, as often as it is on all of them."""
        return cls(
            reduce(_least, (count_terms(page.sections.headline) for page in pages)),
            reduce(_least, (count_terms(page.sections.keywords) for page in pages)),
        )

    @staticmethod
    def arrays(sites: Mapping[str, Furniture]) -> _Arrays:
        """Return that of all sites as data for a model file."""
        rows = [
            (site, term, here.headline.get(term, 0), here.keywords.get(term, 0))
            for site, here in sorted(sites.items())
            for term in sorted({*here.headline, *here.keywords})
        ]
        return {
            "sites": np.array([row[0] for row in rows], np.str_),
            "site_terms": np.array([row[1] for row in rows], np.str_),
            "site_headline": np.array([row[2] for row in rows], np.float64),
            "site_keywords": np.array([row[3] for row in rows], np.float64),
        }

    @classmethod
    def restored(cls, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Self]:
        """Return what `arrays` made data of."""
        columns = (words(arrays[name]) for name in ("sites", "site_terms"))
        counts = (numbers(arrays[name]).tolist() for name in ("site_headline", "site_keywords"))
        found: dict[str, tuple[dict[str, float], dict[str, float]]] = {}
        for site, term, *both in zip(*columns, *counts, strict=True):
            for known, count in zip(found.setdefault(site, ({}, {})), both, strict=True):
                known[term] = count
        return {site: cls(*known) for site, known in found.items()}


class Usual(NamedTuple):
    """Words that most examples of a site hold outside anchors, and within."""

    text: frozenset[str]
    anchors: frozenset[str]

    @staticmethod
    def arrays(sites: Mapping[str, Usual]) -> _Arrays:
        """Return those of all sites as data for a model file."""
        rows = [
            (site, term, place)
            for site, here in sorted(sites.items())
            for place, terms in enumerate(here)
            for term in sorted(terms)
        ]
        return {
            "usual_sites": np.array([row[0] for row in rows], np.str_),
            "usual_terms": np.array([row[1] for row in rows], np.str_),
            "usual_places": np.array([row[2] for row in rows], np.float64),
        }

    @classmethod
    def restored(cls, arrays: Mapping[str, NDArray[Any]], sites: Iterable[str]) -> dict[str, Self]:
        """Return what `arrays` made data of, of these sites, which may have no usual words."""
        found: dict[str, tuple[set[str], set[str]]] = {site: (set(), set()) for site in sites}
        if found:
            columns = (words(arrays[name]) for name in ("usual_sites", "usual_terms"))
            for site, term, place in zip(*columns, numbers(arrays["usual_places"]).tolist(), strict=True):
                found[site][int(place > 0)].add(term)
        return {site: cls(*map(frozenset, known)) for site, known in found.items()}


def furniture_of(pages: Iterable[Page]) -> dict[str, Furniture]:
    """Return what the pages of each site have in common that has at least two."""
    by_site: dict[str, list[Page]] = {}
    for page in pages:
        by_site.setdefault(site_of(page.url), []).append(page)
    found = {site: Furniture.of(some) for site, some in by_site.items() if site and len(some) >= FEWEST}
    return {site: here for site, here in found.items() if any(here)}


def usual_of(examples: ExamplePages, rows: Matrix, kept: NDArray[np.intp]) -> dict[str, Usual]:
    """Return the usual words of each site with two relevant examples, of the terms of some columns.

    `rows`: values of the examples' terms outside anchors, then of the same terms within.
    """
    by_site: dict[str, list[int]] = {}
    for row, page in enumerate(examples.pages):
        by_site.setdefault(site_of(page.url), []).append(row)
    found = {}
    for site, own in by_site.items():
        if site and examples.is_relevant[own].sum() >= FEWEST:
            share = np.bincount(rows[own].indices, minlength=rows.shape[1]) / len(own)
            places = np.split(share >= USUAL, 2)
            found[site] = Usual(*(frozenset(examples.terms[kept[here[kept]]].tolist()) for here in places))
    return found


def without(counts: Counts, known: Counts) -> dict[str, float]:
    """Return how often terms stand somewhere beside what is known to."""
    return {term: count - known.get(term, 0) for term, count in counts.items() if count > known.get(term, 0)}


def _least(one: Counts, other: Counts) -> Counts:
    return {term: min(count, other[term]) for term, count in one.items() if term in other}
