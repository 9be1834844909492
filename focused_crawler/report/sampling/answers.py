"""The results of searches as a population: a provider's own precision, by the sheets of a crawl's."""

from __future__ import annotations

from array import array
from collections.abc import Mapping

from focused_crawler.discovery.search.base import SearchResult
from focused_crawler.page.url import host_of
from focused_crawler.report.sampling.sample import Population, Sample, draw_rows


def draw_answers(results: Mapping[SearchResult, int], n: int, *, by: str | None, seed: int) -> Sample:
    """Draw `n` of different results, given with their best ranks; each is relevant, as the provider has it.

    Positions are those in the order of the results; what stands for a score is 1 / rank.
    """
    hosts: dict[str, int] = {}
    pages = dict(enumerate(results.items(), 1))
    population = Population(
        array("q", pages),
        array("d", (1 / rank for rank in results.values())),
        array("q", (hosts.setdefault(host_of(result.url), len(hosts)) for result in results)),
        [],
    )
    population.host_names.extend(hosts)
    rows = {number: (page.url, page.title, 1 / rank, True) for number, (page, rank) in pages.items()}
    return draw_rows(lambda _: rows, population, n, by=by, seed=seed)
