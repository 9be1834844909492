"""What start pages from words are worth: those that `scrapy seeds` finds in a recorded web, topic by topic.

    .venv/bin/python benchmarks/seeds.py --web ../shared/webs/openweb.warc.gz [--json FILE]

From title, description and keywords alone (a topic's seeds and examples are left out), by the local search.
Ground truth says afterwards how many are right. Three tables: by topic, with the defaults of `scrapy seeds`;
means over topics, by number of searches and results of each; relevant pages against number of searches.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from scrapy.settings import Settings

from focused_crawler.crawl.config import DEFAULTS, CrawlConfig
from focused_crawler.discovery.choice import merged_results
from focused_crawler.discovery.harvest import Harvest
from focused_crawler.discovery.search.base import SearchResult
from focused_crawler.discovery.search.web import search_web
from focused_crawler.discovery.seed_search import SeedSearch
from focused_crawler.edge.commands.seeds import PER_SITE, SEARCHES, SEEDS, TOP
from focused_crawler.experiment.plateau import Plateau, PlateauJudge, steps_of
from focused_crawler.topic.topic import Topic, load_topic
from focused_crawler.virtualweb.truth import GroundTruth, topics_folder

GRID = [(searches, top) for searches in (10, 30, 60, 100) for top in (5, 10, 20)]
MOST = 300
"""Searches of the plateau experiment."""


class Found(NamedTuple):
    """What a harvest came to."""

    pages: int
    relevant: int  # of these
    seeds: int
    relevant_seeds: int
    sites: int

    @property
    def precision(self) -> float:
        return self.relevant_seeds / self.seeds if self.seeds else 0.0


class Subject:
    """A topic of words alone, with the answers to all its searches."""

    def __init__(self, web: Path, topic: Topic) -> None:
        truth = GroundTruth.beside(web, topic.name)
        assert truth is not None
        self.topic = replace(topic, seeds=(), relevant_examples=(), other_examples=())
        self._truth = truth
        config = CrawlConfig.from_settings(Settings(DEFAULTS))
        self._search = SeedSearch(self.topic, config, MOST)
        with closing(search_web(web, topic.language)) as provider:
            self._answers = self._search.ask(provider, max(top for _, top in GRID)).answers

    def found(self, searches: int, top: int) -> Found:
        """Return what so many searches find, with so many results of each."""
        harvest = self._harvest(searches, top)
        seeds = self._search.choose(harvest, PER_SITE, SEEDS).seeds
        urls = [result.url for result in merged_results(harvest.answers)]
        good = self._relevant(seed.url for seed in seeds)
        return Found(len(urls), self._relevant(urls), len(seeds), good, len({seed.site for seed in seeds}))

    def plateau(self) -> Plateau:
        """Return what each search brings, ten results of each."""
        steps = steps_of(self._harvest(MOST, TOP).answers, self._is_relevant)
        judge = PlateauJudge(self._is_relevant, "ground truth", len(self._truth))
        return Plateau(self.topic, "local", TOP, judge, steps)

    def _harvest(self, searches: int, top: int) -> Harvest:
        answers = self._answers[:searches]
        return Harvest([replace(answer, results=answer.results[:top]) for answer in answers])

    def _is_relevant(self, result: SearchResult) -> bool:
        return self._truth.is_relevant(result.url)

    def _relevant(self, urls: Iterable[str]) -> int:
        return sum(map(self._truth.is_relevant, urls))


def main() -> None:
    """Search and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--web", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    folders = sorted(path.parent for path in topics_folder(options.web).glob("*/topic.toml"))
    subjects = [Subject(options.web, load_topic(str(folder))) for folder in folders]
    console = Console(width=120)
    by_topic = {subject.topic.name: subject.found(SEARCHES, TOP) for subject in subjects}
    console.print(topics_table(by_topic))
    console.print(grid_table(subjects))
    plateaus = [subject.plateau() for subject in subjects]
    console.print(plateau_table(plateaus))
    if options.json:
        values = {"figures": figures(list(by_topic.values()), plateaus)}
        options.json.write_text(json.dumps(values, indent=2) + "\n", "utf-8")


def topics_table(by_topic: dict[str, Found]) -> Table:
    """Return a row a topic."""
    title = f"{SEARCHES} searches, {TOP} results of each"
    table = _table(title, "topic", "pages", "relevant", "start pages", "relevant", "sites")
    for name, found in by_topic.items():
        table.add_row(name, *map(str, found))
    return table


def grid_table(subjects: Sequence[Subject]) -> Table:
    """Return means over topics, a row a number of searches and of results."""
    names = ("searches", "results", "pages", "relevant", "start pages", "relevant, share", "sites")
    table = _table("Means over topics", *names)
    for searches, top in GRID:
        found = [subject.found(searches, top) for subject in subjects]
        pages, relevant = fmean(one.pages for one in found), fmean(one.relevant for one in found)
        seeds, sites = fmean(one.seeds for one in found), fmean(one.sites for one in found)
        share = fmean(one.precision for one in found)
        cells = (f"{pages:.0f}", f"{relevant:.0f}", f"{seeds:.1f}", f"{share:.2f}", f"{sites:.1f}")
        table.add_row(str(searches), str(top), *cells)
    return table


def plateau_table(plateaus: Sequence[Plateau]) -> Table:
    """Return relevant pages against number of searches, a row a topic."""
    names = (
        "topic",
        "searches",
        "after 10",
        "after 30",
        "after 100",
        "after all",
        "pages",
        "plateau",
        "of all",
    )
    table = _table("Relevant pages found", *names)
    for plateau in plateaus:
        steps = plateau.steps
        at = [str(steps[number - 1].relevant) if number <= len(steps) else "" for number in (10, 30, 100)]
        last, all_relevant = steps[-1], plateau.judge.all_relevant or 1
        begins = str(plateau.begins or "none")
        share = f"{last.relevant / all_relevant:.0%}"
        cells = (*at, str(last.relevant), str(last.pages), begins, share)
        table.add_row(plateau.topic.name, str(len(steps)), *cells)
    return table


def figures(found: Sequence[Found], plateaus: Sequence[Plateau]) -> dict[str, float]:
    """Return means over topics."""
    begins = [plateau.begins for plateau in plateaus if plateau.begins is not None]
    return {
        "seeds_precision": round(fmean(one.precision for one in found), 4),
        "seeds_found": round(fmean(one.seeds for one in found), 2),
        "plateau_searches": round(fmean(begins), 2) if begins else 0.0,
    }


def _table(title: str, *names: str) -> Table:
    table = Table(title=title, title_justify="left")
    for number, name in enumerate(names):
        table.add_column(name, justify="right" if number else "left")
    return table


if __name__ == "__main__":
    main()
