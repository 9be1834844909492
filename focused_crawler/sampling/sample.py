"""A random sample of a crawl's pages for people to judge: each run with the same seed draws the same."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from focused_crawler.sampling.population import Population
from focused_crawler.sampling.strata import STRATIFIED, Stratum, shares, undivided
from focused_crawler.store.database import CrawlDatabase

_PAGES = "SELECT position, url, title, relevance, is_relevant FROM pages WHERE position {}"


class Part(NamedTuple):
    """A stratum and how much of it was drawn."""

    name: str  # a number, given by chance: it says nothing of scores
    meaning: str  # may tell of scores
    drawn: int
    pages: int  # of the crawl, which the drawn ones stand for


class SampledPage(NamedTuple):
    """A page to be judged, and what the crawl thought of it."""

    number: int  # 1, 2, 3, ... in random order
    position: int  # pages.position
    part: Part
    url: str
    title: str
    relevance: float  # [0, 1]
    is_relevant: bool


@dataclass(frozen=True, slots=True)
class Sample:
    """Pages drawn without replacement, within each part each page as likely as any other."""

    pages: Sequence[SampledPage]
    parts: Sequence[Part]

    @property
    def population(self) -> int:
        """Return how many pages of the crawl it stands for."""
        return sum(part.pages for part in self.parts)


def draw(
    database: CrawlDatabase, population: Population, n: int, *, by: str | None = None, seed: int = 0
) -> Sample:
    """Draw `n` pages, all where there are no more; `by`: a name in STRATIFIED, None: from all together."""
    chance = random.Random(seed)
    n = min(n, len(population))
    strata = (STRATIFIED[by] if by else undivided)(population, n)
    parts = _parts(strata, n, chance)
    drawn = [
        (population.positions[index], part)
        for stratum, part in zip(strata, parts, strict=True)
        for index in chance.sample(stratum.members, part.drawn)
    ]
    chance.shuffle(drawn)
    return Sample(_pages(database, drawn), sorted(parts, key=lambda part: int(part.name)))


def _parts(strata: Sequence[Stratum], n: int, chance: random.Random) -> list[Part]:
    """Name strata by chance and give each its share of the draws."""
    names = chance.sample(range(1, len(strata) + 1), len(strata))
    sizes = [len(stratum.members) for stratum in strata]
    rows = zip(names, strata, shares(sizes, n), sizes, strict=True)
    return [Part(str(name), stratum.meaning, drawn, size) for name, stratum, drawn, size in rows]


def _pages(database: CrawlDatabase, drawn: Sequence[tuple[int, Part]]) -> list[SampledPage]:
    positions = database.many([position for position, _ in drawn])
    rows = database.rows(_PAGES.format(database.among), (positions,))
    found = {position: rest for position, *rest in rows}
    pages = []
    for number, (position, part) in enumerate(drawn, 1):
        url, title, relevance, is_relevant = found[position]
        pages.append(SampledPage(number, position, part, url, title, relevance, bool(is_relevant)))
    return pages
