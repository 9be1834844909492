"""What start pages from words are worth: those that `scrapy seeds` finds in a recorded web, topic by topic.

    .venv/bin/python benchmarks/study.py seeds --web ../shared/webs/openweb.warc.gz

From title, description and keywords alone (a topic's seeds and examples are left out), by the local search.
Ground truth says afterwards how many are right. Two tables: by topic, with the defaults of `scrapy seeds`;
means over topics, by number of searches and results of each. `scrapy seeds --plateau` has the third: relevant
pages against number of searches.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from benchmarks.harness import Report
from benchmarks.studies.crawls import bench_of, subjects_of, truth_beside
from benchmarks.tables import Rows
from focused_crawler.discovery.choice import merged_results
from focused_crawler.discovery.harvest import Harvest
from focused_crawler.discovery.search.local import search_web
from focused_crawler.discovery.seed_search import SEARCHES, TOP, SeedSearch
from focused_crawler.edge.commands.seeds import PER_SITE, SEEDS
from focused_crawler.experiment.grid import Subject

GRID = [(searches, top) for searches in (10, 30, 60, 100) for top in (5, 10, 20)]
MOST = max(searches for searches, _ in GRID)


class Search:
    """A topic of words alone, with the answers to all its searches."""

    def __init__(self, subject: Subject) -> None:
        self.topic = replace(subject.topic, seeds=(), relevant_examples=(), other_examples=())
        self._truth = truth_beside(subject)
        self._search = SeedSearch(self.topic, bench_of(Path()).config, MOST)
        with closing(search_web(subject.web, self.topic.language)) as provider:
            self._answers = self._search.ask(provider, max(top for _, top in GRID)).answers

    def found(self, searches: int, top: int) -> dict[str, object]:
        """Return what so many searches find, with so many results of each."""
        answers = self._answers[:searches]
        harvest = Harvest([replace(answer, results=answer.results[:top]) for answer in answers])
        seeds = self._search.choose(harvest, PER_SITE, SEEDS).seeds
        urls = [result.url for result in merged_results(harvest.answers)]
        good = sum(self._truth.is_relevant(seed.url) for seed in seeds)
        return {
            "topic": self.topic.name,
            "searches": searches,
            "results": top,
            "pages": len(urls),
            "relevant": sum(map(self._truth.is_relevant, urls)),
            "seeds": len(seeds),
            "good": good,
            "precision": good / len(seeds) if seeds else 0.0,
            "sites": len({seed.site for seed in seeds}),
        }


def measure(*, web: Path) -> Report:
    """Search for each topic of a web."""
    searches = list(map(Search, subjects_of(web)))
    return Report(
        {
            "topics": Rows(search.found(SEARCHES, TOP) for search in searches),
            "grid": Rows(search.found(*counts) for counts in GRID for search in searches),
        }
    )
