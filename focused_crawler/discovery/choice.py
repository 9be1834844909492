"""The results of many searches -> start pages: merged, filtered, scored, a few of each site."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import fsum
from pathlib import Path

from focused_crawler.crawl.lists.use import is_banned
from focused_crawler.discovery.harvest import SearchAnswer
from focused_crawler.discovery.search.base import SearchResult
from focused_crawler.page.url import normalise, site_of, url_key
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.formats import tidy
from focused_crawler.safety.printable import harmless, place
from focused_crawler.safety.whole_file import unfinished

SMOOTHING = 60
"""k of reciprocal rank fusion (Cormack et al. 2009): each search gives a page 1 / (k + its rank there)."""
SITE = 0.5
"""Power of a site's share of the best site's score: where much is found, more is about the topic."""
LEAST = 0.05
"""A start page has at least this share of the best one's score: one wrong page leads a crawl far astray."""
LEAST_RELEVANCE = 0.1
"""Least apparent relevance of a start page: one strong word, or a few weak ones."""

Judge = Callable[[SearchResult], float]
"""Returns the apparent relevance of a result, by title, snippet and URL, in [0, 1]; 0 without topic words."""


@dataclass(frozen=True, slots=True)
class ChoiceRules:
    """Which pages are left out."""

    per_site: int
    known: Collection[int] = ()  # keys of URLs that need no search
    banned_sites: Collection[str] = ()
    banned: Collection[int] = ()  # keys of URLs
    outside: Callable[[str], str] = lambda _: ""  # why the scope leaves a URL out
    agree: int = 1  # providers that have to return a page (Subatra Devi 2017: two or three engines)


@dataclass(frozen=True, slots=True)
class Seed:
    """A page that searches found."""

    url: str
    title: str
    snippet: str  # of the search that ranked it highest
    score: float  # [0, 1]: apparent relevance, times shares of the best fused rank and the best site
    looks: float  # [0, 1]
    queries: tuple[str, ...]  # that found it, once for each provider
    providers: tuple[str, ...] = ()  # that returned it

    @property
    def site(self) -> str:
        return site_of(self.url)


@dataclass(slots=True)
class Choice:
    """The best start pages, the best first, and why others are not among them."""

    seeds: list[Seed] = field(default_factory=list)
    found: int = 0  # different pages
    left_out: Counter[str] = field(default_factory=Counter)  # reason -> pages


@dataclass(slots=True)
class _Merged:
    best: SearchResult
    rank: int  # of `best`, from 1
    shares: list[float] = field(default_factory=list)  # of its ranks
    queries: list[str] = field(default_factory=list)
    providers: dict[str, None] = field(default_factory=dict)

    @property
    def fused(self) -> float:
        """Return the sum over all searches, exact whatever their order."""
        return fsum(self.shares)


def choose(answers: Sequence[SearchAnswer], judge: Judge, rules: ChoiceRules, n: int) -> Choice:
    """Return up to `n` of the pages that the searches found; equal scores go by URL."""
    merged = _merge(answers)
    choice = Choice(found=len(merged))
    seeds = sorted(_with_sites(_scored(merged, judge)), key=lambda seed: (-seed.score, seed.url))
    least = LEAST * seeds[0].score if seeds else 0.0
    sites: Counter[str] = Counter()
    for seed in seeds:
        if reason := _reason(seed, rules, least, sites):
            choice.left_out[reason] += 1
        elif len(choice.seeds) < n:
            sites[seed.site] += 1
            choice.seeds.append(seed)
    return choice


def merged_results(answers: Sequence[SearchAnswer]) -> dict[SearchResult, int]:
    """Return the different pages of all searches, each as it was ranked highest, with that rank from 1."""
    return {found.best: found.rank for found in _merge(answers).values()}


def _merge(answers: Sequence[SearchAnswer]) -> dict[int, _Merged]:
    """Return the pages by key, in normal form, with the searches that found them; each search counts once."""
    merged: dict[int, _Merged] = {}
    for answer in answers:
        seen = set()
        for rank, result in enumerate(_usable(answer.results), start=1):
            key = url_key(result.url)
            found = merged.setdefault(key, _Merged(result, rank))
            if (rank, result.url) < (found.rank, found.best.url):
                found.best, found.rank = result, rank
            if key not in seen:
                seen.add(key)
                found.shares.append(1 / (SMOOTHING + rank))
                found.queries.append(answer.query)
                found.providers[answer.provider] = None
    return merged


def _usable(results: Sequence[SearchResult]) -> Iterator[SearchResult]:
    """Yield the results that a crawl could fetch."""
    for result in results:
        if (url := normalise(result.url)) is not None:
            yield SearchResult(url, result.title, result.snippet, result.score)


def _scored(merged: dict[int, _Merged], judge: Judge) -> list[Seed]:
    best = max((found.fused for found in merged.values()), default=1.0)
    scored = []
    for found in merged.values():
        page = found.best
        looks = judge(page)
        score = found.fused / best * looks
        queries, providers = tuple(found.queries), tuple(found.providers)
        scored.append(Seed(page.url, page.title, page.snippet, score, looks, queries, providers))
    return scored


def _with_sites(seeds: Sequence[Seed]) -> Iterator[Seed]:
    """Weight pages by their site: the sum of its pages' scores, relative to the best site's."""
    scores: dict[str, list[float]] = {}
    for seed in seeds:
        scores.setdefault(seed.site, []).append(seed.score)
    totals = {site: fsum(values) for site, values in scores.items()}
    best = max(totals.values(), default=0.0) or 1.0
    for seed in seeds:
        yield replace(seed, score=seed.score * (totals[seed.site] / best) ** SITE)


def _reason(seed: Seed, rules: ChoiceRules, least: float, sites: Counter[str]) -> str:
    """Return why a page is left out; empty if it is a start page."""
    reasons = {
        "known already": url_key(seed.url) in rules.known,
        "banned by the topic's lists": is_banned(seed.site, rules.banned_sites)
        or url_key(seed.url) in rules.banned,
        "outside the topic's scope": bool(rules.outside(seed.url)),
        f"of fewer than {rules.agree} providers": len(seed.providers) < rules.agree,
        "with hardly a word of the topic": seed.looks < LEAST_RELEVANCE,
        "far behind the best": seed.score < least,
        "more of a site that has enough": sites[seed.site] >= rules.per_site,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


COLUMNS = ("url", "score", "site", "title", "searches", "queries", "snippet", "providers")


def save_seeds(seeds: Iterable[Seed], path: Path) -> None:
    """Write start pages as CSV, the best first; raises ConfigError."""
    try:
        with (
            unfinished(path) as whole,
            whole.open("w", encoding="utf-8", errors="replace", newline="") as file,
        ):
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            writer.writerows(map(_row, seeds))
    except OSError as error:
        raise ConfigError(
            f"{place(path)} cannot be written ({error.strerror}); let --csv name a file that can be"
        ) from None


def _row(seed: Seed) -> list[str]:
    queries = harmless(" ; ".join(dict.fromkeys(seed.queries)))
    words = harmless(tidy(seed.title)), str(len(seed.queries)), queries, harmless(tidy(seed.snippet))
    return [harmless(seed.url), f"{seed.score:.4f}", harmless(seed.site), *words, " ".join(seed.providers)]
