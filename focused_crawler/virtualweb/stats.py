"""What is in a web: counts of its records, and of the links between its pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np

from focused_crawler.safety.content import PAGE_STATUSES
from focused_crawler.topic.topic import FILE_NAME, load_topic
from focused_crawler.virtualweb.analysed.web import AnalysedWeb
from focused_crawler.virtualweb.bounds import Bounds, area_share, bounds, target_costs
from focused_crawler.virtualweb.graph import UNREACHED, Mask, Pages
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.indexing import IndexEntry
from focused_crawler.virtualweb.surt import surt
from focused_crawler.virtualweb.truth import RELEVANT, GroundTruth, topics_folder


@dataclass(frozen=True, slots=True)
class RecordStats:
    """What a web answers with."""

    records: int
    hosts: int  # that answer anything
    redirects: int  # lookup keys that answer with a redirect to another
    statuses: dict[int, int]  # of records
    content_types: dict[str, int]  # of records with the status of a page


@dataclass(frozen=True, slots=True)
class LinkStats:
    """What a crawl finds in a web. Links of a page are distinct lookup keys."""

    pages: int
    links: int
    resolved: int  # of the links: lead to a page of the web, redirects followed
    mean_degree: float  # other pages of the web that a page leads to
    median_degree: float
    cross_host: float  # share of the links between pages that lead to another host


def record_stats(web: VirtualWeb) -> RecordStats:
    """Count the records of a web."""
    statuses: Counter[int] = Counter()
    content_types: Counter[str] = Counter()
    for entry in web.entries():
        statuses[entry.status] += 1
        if entry.status in PAGE_STATUSES:
            content_types[entry.content_type or "none"] += 1
    answers: dict[str, IndexEntry] = {}
    for entry in web.answering():
        answers.setdefault(entry.key, entry)
    return RecordStats(
        records=statuses.total(),
        hosts=len({host_of(entry.url) for entry in answers.values()}),
        redirects=sum(bool(entry.location) for entry in answers.values()),
        statuses=dict(statuses),
        content_types=dict(content_types),
    )


def link_stats(web: AnalysedWeb, tick: Callable[[], None] = lambda: None) -> LinkStats:
    """Count the links of a web, about 2,000 pages a second; `tick` is called once a page."""
    known: dict[str, tuple[str, bool]] = {}  # URL -> lookup key, whether it leads to a page
    links = resolved = 0
    for number in range(len(web)):
        found: dict[str, bool] = {}
        for link in web.page(number).links:
            if (key := known.get(link.url)) is None:
                key = known[link.url] = surt(link.url), web.number(link.url) is not None
            found[key[0]] = key[1]
        links += len(found)
        resolved += sum(found.values())
        tick()
    degrees = np.diff(web.graph.indptr)
    return LinkStats(
        pages=len(web),
        links=links,
        resolved=resolved,
        mean_degree=float(degrees.mean()) if len(web) else 0.0,
        median_degree=float(np.median(degrees)) if len(web) else 0.0,
        cross_host=_cross_host(web),
    )


def _cross_host(web: AnalysedWeb) -> float:
    numbers: dict[str, int] = {}
    hosts = np.array([numbers.setdefault(host_of(url), len(numbers)) for url in web.urls], dtype=np.int64)
    crossing = hosts[web.graph.sources] != hosts[web.graph.indices]
    return float(crossing.mean()) if len(crossing) else 0.0


def host_of(url: str) -> str:
    """Return a URL's host as the name of its site: without www.

    >>> host_of("http://www.example.org/a")
    'example.org'
    """
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


# How a topic lies in a web, and how well it can be crawled from each of its seed sets.
#
# Made of ground truth: for people to read, and nothing that orders a crawl.

BUDGETS = (0.5, 1.0, 2.0)
"""Pages of a crawl, in parts of |T|: where areas are taken."""


class Areas(NamedTuple):
    """Areas under R(n) as shares of the upper bound's."""

    pages: int
    greedy: float
    one_step: float


@dataclass(frozen=True, slots=True)
class SeedSetStats:
    """What can be reached from a seed set; shares are shares of the topic's pages."""

    seeds: int  # pages of the web
    reached: float  # some path leads to them
    behind_one: float  # of those reached: every path has an irrelevant page or more before them
    behind_two: float  # two or more
    areas: tuple[Areas, ...]  # one for each of `BUDGETS`
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class TopicStats:
    """A topic in a web; a probability is None where there is nothing to count."""

    name: str
    relevant: int  # pages of the web
    hosts: int  # that they lie on
    missing: int  # relevant ones by the ground truth that are no pages of the web
    base_rate: float  # share of relevant ones among all pages
    after_relevant: float | None  # share of relevant ones among the pages that relevant pages lead to
    after_other: float | None  # among those that other pages lead to
    seed_sets: dict[str, SeedSetStats]


def topic_folders(web: str | Path) -> list[Path]:
    """Return the folders of the topics beside a web that have a ground truth."""
    return [path.parent for path in sorted(topics_folder(web).glob(f"*/{RELEVANT}"))]


def seed_sets_of(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the start pages of each set, as an experiment has them; raises TopicError."""
    if not (folder / FILE_NAME).is_file():
        return {}
    return load_topic(str(folder / FILE_NAME)).starts


def topic_stats(web: AnalysedWeb, folder: Path, tick: Callable[[], None] = lambda: None) -> TopicStats:
    """Return what there is to know about a topic, about 0.1 s a seed set; `tick` is called after each.

    Raises WebError or TopicError if the topic's files cannot be read.
    """
    truth = GroundTruth.of_topic(folder) or GroundTruth(())
    targets = truth.targets(web.urls)
    relevant = targets >= 0
    after_relevant, after_other = _after(web, relevant)
    seed_sets = {}
    for name, urls in seed_sets_of(folder).items():
        seed_sets[name] = _seed_set(web, urls, targets)
        tick()
    count = len(np.unique(targets[relevant]))
    return TopicStats(
        name=folder.name,
        relevant=count,
        hosts=len({host_of(web.urls[page]) for page in np.flatnonzero(relevant).tolist()}),
        missing=len(truth) - count,
        base_rate=int(relevant.sum()) / max(1, len(web)),
        after_relevant=after_relevant,
        after_other=after_other,
        seed_sets=seed_sets,
    )


def _after(web: AnalysedWeb, relevant: Mask) -> tuple[float | None, float | None]:
    """Return P(relevant | parent relevant) and P(relevant | parent not), over the links between pages."""
    is_parent, leads_on = relevant[web.graph.sources], relevant[web.graph.indices]
    return _share(leads_on[is_parent]), _share(leads_on[~is_parent])


def _share(values: Mask) -> float | None:
    return float(values.mean()) if len(values) else None


def _seed_set(web: AnalysedWeb, urls: tuple[str, ...], targets: Pages) -> SeedSetStats:
    seeds = sorted({number for url in urls if (number := web.number(url)) is not None})
    costs = target_costs(web.graph, np.array(seeds, dtype=np.int64), targets)
    reached = costs[costs < UNREACHED]
    pages = [max(1, int(part * len(costs))) for part in BUDGETS]
    limit = bounds(web.graph, seeds, targets, pages[-1])
    return SeedSetStats(
        seeds=len(seeds),
        reached=_share(costs < UNREACHED) or 0.0,
        behind_one=_share(reached >= 1) or 0.0,
        behind_two=_share(reached >= 2) or 0.0,
        areas=tuple(
            Areas(n, area_share(limit.greedy, limit.upper, n), area_share(limit.one_step, limit.upper, n))
            for n in pages
        ),
        bounds=limit,
    )
