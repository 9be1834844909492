"""A random sample of a crawl's pages for people to judge: each run with the same seed draws the same."""

from __future__ import annotations

import random
from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, pairwise
from typing import NamedTuple

from focused_crawler.store.database import CrawlDatabase

_CHUNK = 10_000
_PAGES = "SELECT position, relevance, host FROM pages WHERE position > ? {} ORDER BY position LIMIT ?"
_RELEVANT = "AND is_relevant = 1"


@dataclass(frozen=True, slots=True)
class Population:
    """Numbers of all its pages, in order of recording: some 30 bytes a page in memory."""

    positions: array[int]  # pages.position
    relevance: array[float]  # [0, 1]; of a search's results: 1 / rank
    hosts: array[int]  # indexes of `host_names`
    host_names: list[str]

    def __len__(self) -> int:
        return len(self.positions)


def read_population(database: CrawlDatabase, *, has_all: bool = False) -> Population:
    """Return the pages that the crawl calls relevant, or all of them."""
    found = Population(array("q"), array("d"), array("q"), [])
    numbers: dict[str, int] = {}
    for rows in database.chunks(_PAGES.format("" if has_all else _RELEVANT), size=_CHUNK):
        for position, relevance, host in rows:
            found.positions.append(position)
            found.relevance.append(relevance)
            found.hosts.append(numbers.setdefault(host, len(numbers)))
    found.host_names.extend(numbers)
    return found


BANDS = 5
LEAST = 5
"""Pages drawn from a stratum, at least: the interval holds what it promises from about there on."""


class Stratum(NamedTuple):
    """Some pages that are alike."""

    meaning: str  # what they have in common, for people; it may reveal scores
    members: Sequence[int]  # indexes of the population


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


PAGE_OF_RESULTS = 10


def result_pages(population: Population, n: int) -> list[Stratum]:
    """Cut results of searches by rank, ten at a time, or as many tens as get five of `n` pages."""

    def ten(index: int) -> int:
        return (_rank(population, index) - 1) // PAGE_OF_RESULTS

    ranked = sorted(range(len(population)), key=partial(_rank, population))
    found: list[list[int]] = []
    for _, group in groupby(ranked, key=ten):
        if found and len(found[-1]) * n < LEAST * len(population):
            found[-1] += group
        else:
            found.append(list(group))
    if len(found) > 1 and len(found[-1]) * n < LEAST * len(population):
        last = found.pop()
        found[-1] += last
    ends = [[_rank(population, members[end]) for end in (0, -1)] for members in found]
    return [
        Stratum(f"rank {low} to {high}", members) for (low, high), members in zip(ends, found, strict=True)
    ]


def _rank(population: Population, index: int) -> int:
    return round(1 / max(population.relevance[index], 1e-6))


STRATIFIED: Mapping[str, Callable[[Population, int], list[Stratum]]] = {
    "relevance": relevance_bands,
    "host": largest_hosts,
    "rank": result_pages,
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


_JUDGED_PAGES = "SELECT position, url, title, relevance, is_relevant FROM pages WHERE position {}"


class DrawnStratum(NamedTuple):
    """A stratum and how much of it was drawn."""

    name: str  # a number, given by chance: it says nothing of scores
    meaning: str  # may reveal scores
    drawn: int
    pages: int  # of the crawl, which the drawn ones stand for


class SampledPage(NamedTuple):
    """A page to be judged, and what the crawl thought of it."""

    number: int  # 1, 2, 3, ... in random order
    position: int  # pages.position
    part: DrawnStratum
    url: str
    title: str
    relevance: float  # [0, 1]
    is_relevant: bool


@dataclass(frozen=True, slots=True)
class Sample:
    """Pages drawn without replacement, within each part each page as likely as any other."""

    pages: Sequence[SampledPage]
    parts: Sequence[DrawnStratum]

    @property
    def population(self) -> int:
        """Return how many pages of the crawl it stands for."""
        return sum(part.pages for part in self.parts)


def draw(
    database: CrawlDatabase, population: Population, n: int, *, by: str | None = None, seed: int = 0
) -> Sample:
    """Draw `n` pages, all where there are no more; `by`: a name in STRATIFIED, None: from all together."""
    return draw_rows(partial(_rows, database), population, n, by=by, seed=seed)


Row = tuple[str, str, float, bool]
"""URL, title, relevance, is_relevant."""


def draw_rows(
    rows: Callable[[Sequence[int]], Mapping[int, Row]],
    population: Population,
    n: int,
    *,
    by: str | None = None,
    seed: int = 0,
) -> Sample:
    """Draw as `draw` does, from what `rows` returns by position."""
    chance = random.Random(seed)
    n = min(n, len(population))
    strata = STRATIFIED[by](population, n) if by else [Stratum("all", range(len(population)))]
    parts = _parts(strata, n, chance)
    drawn = [
        (population.positions[index], part)
        for stratum, part in zip(strata, parts, strict=True)
        for index in chance.sample(stratum.members, part.drawn)
    ]
    chance.shuffle(drawn)
    found = rows([position for position, _ in drawn])
    pages = [
        SampledPage(number, position, part, *found[position])
        for number, (position, part) in enumerate(drawn, 1)
    ]
    return Sample(pages, sorted(parts, key=lambda part: int(part.name)))


def _parts(strata: Sequence[Stratum], n: int, chance: random.Random) -> list[DrawnStratum]:
    """Name strata by chance and give each its share of the draws."""
    names = chance.sample(range(1, len(strata) + 1), len(strata))
    sizes = [len(stratum.members) for stratum in strata]
    rows = zip(names, strata, shares(sizes, n), sizes, strict=True)
    return [DrawnStratum(str(name), stratum.meaning, drawn, size) for name, stratum, drawn, size in rows]


def _rows(database: CrawlDatabase, positions: Sequence[int]) -> dict[int, Row]:
    rows = database.rows(_JUDGED_PAGES.format(database.among), (database.many(positions),))
    return {
        position: (url, title, relevance, bool(is_relevant))
        for position, url, title, relevance, is_relevant in rows
    }
