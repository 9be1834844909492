"""Parts of a population that a sample is drawn from one by one, each by its share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from focused_crawler.sampling.population import Population

BANDS = 5
LEAST = 5
"""Pages drawn from a stratum, at least: the interval holds what it promises from about there on."""


class Stratum(NamedTuple):
    """Some pages that are alike."""

    meaning: str  # what they have in common, for people; it may tell of scores
    members: Sequence[int]  # indexes of the population


def undivided(population: Population, n: int) -> list[Stratum]:
    """Return all pages as one stratum: the simple random sample."""
    return [Stratum("all", range(len(population)))]


def relevance_bands(population: Population, n: int) -> list[Stratum]:
    """Cut the pages, by relevance, into as many equal parts as a sample of `n` pages allows, five at most."""
    bands = max(1, min(BANDS, n // LEAST))
    ranked = sorted(range(len(population)), key=population.relevance.__getitem__)
    cuts = [len(ranked) * band // bands for band in range(bands + 1)]
    found = (ranked[first:last] for first, last in pairwise(cuts))
    return [Stratum(_band(population, members), members) for members in found if members]


def largest_hosts(population: Population, n: int) -> list[Stratum]:
    """Put each host that five or more of `n` pages fall to by itself, and all others together."""
    pages = Counter(population.hosts)
    own = [host for host, count in pages.most_common() if count * n >= LEAST * len(population)]
    others = len(population) - sum(pages[host] for host in own)
    while own and 0 < others * n < LEAST * len(population):
        others += pages[own.pop()]
    members: dict[int, list[int]] = {host: [] for host in own}
    rest: list[int] = []
    for index, host in enumerate(population.hosts):
        members.get(host, rest).append(index)
    found = [Stratum(population.host_names[host], members[host]) for host in own]
    return [*found, Stratum("other hosts", rest)] if rest else found


STRATIFIED: Mapping[str, Callable[[Population, int], list[Stratum]]] = {
    "relevance": relevance_bands,
    "host": largest_hosts,
}
"""What a sample may be stratified by."""


def shares(sizes: Sequence[int], n: int) -> list[int]:
    """Divide `n` draws in proportion to sizes, remainders to the largest; no more than there is.

    >>> shares([10, 10, 10], 10), shares([900, 95, 5], 100), shares([2, 1], 5)
    ([4, 3, 3], [90, 10, 0], [2, 1])
    """
    total = sum(sizes)
    n = min(n, total)
    found = [size * n // total for size in sizes]
    by_remainder = sorted(range(len(sizes)), key=lambda index: -(sizes[index] * n % total))
    for index in by_remainder[: n - sum(found)]:
        found[index] += 1
    return found


def _band(population: Population, members: Sequence[int]) -> str:
    lowest, highest = (population.relevance[members[end]] for end in (0, -1))
    return f"relevance {lowest:.4f} to {highest:.4f}"
