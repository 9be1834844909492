"""Simulated crawls that are counted into lists, and crawls that go by these: for `lists.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from focused_crawler.crawl.analysis import Analyst, checksum
from focused_crawler.crawl.lists.counts import count
from focused_crawler.crawl.lists.lists import Lists
from focused_crawler.crawl.lists.use import Priors, seeds_of
from focused_crawler.experiment.bench import Bench, truth_of
from focused_crawler.experiment.grid import Subject
from focused_crawler.experiment.simulator import simulate
from focused_crawler.experiment.training import relevances
from focused_crawler.experiment.work import analyst_of
from focused_crawler.page.url import url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo
from focused_crawler.store.pages import PageStore
from focused_crawler.virtualweb.analysed.web import AnalysedWeb


@dataclass(frozen=True, slots=True)
class Outcome:
    """Crawls of so many pages, by way."""

    pages: int
    seeds: int  # start pages from the lists
    hits: dict[str, NDArray[np.bool_]]  # of each page fetched, by the ground truth, which no crawl sees
    new: dict[str, int]  # relevant pages that the first crawl does not have


def listed(
    bench: Bench,
    subject: Subject,
    seed_set: str,
    strategy: str,
    ways: Mapping[str, tuple[bool, float]],
    folder: Path,
) -> Outcome:
    """Crawl, count the crawl, and crawl again in each way: from the lists' start pages, with a weight."""
    web, truth = bench.web(subject), truth_of(bench, subject)
    relevant = truth.among(web.urls)
    pages, seeds = int(relevant.sum()), subject.seed_sets[seed_set]
    known = dict(enumerate(relevances(bench.models(subject) / subject.topic.name).tolist()))
    rules = replace(bench.config.rules(), delay=0.0, per_host=None)  # nobody is asked
    found: dict[str, NDArray[np.bool_]] = {}
    new: dict[str, int] = {}
    seen = np.zeros(len(relevant), dtype=np.bool_)  # by the first crawl
    with Lists(folder / "lists.db") as lists:
        for way, (from_lists, weight) in ways.items():
            analyst = analyst_of(bench, subject, strategy)
            more = seeds_of(lists) if from_lists else []
            if weight:
                analyst = replace(analyst, priors=Priors.of(lists, weight))
            run = simulate(analyst, web, [*seeds, *more], pages, rules, relevance=known)
            found[way] = relevant[run.visits]
            new[way] = int((found[way] & ~seen[run.visits]).sum())
            if len(found) == 1:
                seen[run.visits] = True
                record(folder / "crawl.db", web, run.visits, analyst, known)
                with CrawlDatabase(folder / "crawl.db", read_only=True) as database:
                    info = RunInfo(subject.topic.name, "", "1", strategy, seed_set, None, trained=True)
                    lists.count(count(database, info))
        return Outcome(pages, len(seeds_of(lists)), found, new)


def record(
    path: Path, web: AnalysedWeb, visits: Sequence[int], analyst: Analyst, known: Mapping[int, float]
) -> None:
    """Write down a simulated crawl as far as lists look; copies are the verbatim ones."""
    depth: dict[int, int] = {}
    first: dict[str, str] = {}
    with CrawlDatabase(path) as database:
        store = PageStore(database)
        for number in visits:
            page, url = web.page(number), web.urls[number]
            analyst.judge(page, known[number])
            original = first.setdefault(checksum(page.text), url)
            copy_of = None if original == url or not page.text else original
            mine = depth.setdefault(url_key(url), 0)
            for link in page.links:
                depth.setdefault(url_key(link.url), mine + 1)
            store.record_links(url, [(link.url, link.text, link.block, 0.5) for link in page.links])
            store.record_page(
                PageItem(
                    url=url,
                    fetched_at=0.0,
                    relevance=known[number],
                    is_relevant=page.is_relevant and copy_of is None,
                    duplicate_of=copy_of,
                    depth=mine,
                    links=len(page.links),
                )
            )
        store.commit()
