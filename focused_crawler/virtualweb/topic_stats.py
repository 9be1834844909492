"""How a topic lies in a web, and how well it can be crawled from each of its seed sets.

Made of ground truth: for people to read, and nothing that orders a crawl.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from focused_crawler.topic import FILE_NAME, load_topic
from focused_crawler.virtualweb.analysed import AnalysedWeb
from focused_crawler.virtualweb.bounds import Bounds, area_share, bounds, target_costs
from focused_crawler.virtualweb.paths import UNREACHED, Mask
from focused_crawler.virtualweb.stats import host_of, sources
from focused_crawler.virtualweb.truth import RELEVANT, GroundTruth, topics_folder

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
    """Return a topic's seed sets; without any its seeds, without those nothing. Raises TopicError."""
    if not (folder / FILE_NAME).is_file():
        return {}
    topic = load_topic(str(folder / FILE_NAME))
    return topic.seed_sets or ({"seeds": topic.seeds} if topic.seeds else {})


def topic_stats(web: AnalysedWeb, folder: Path, tick: Callable[[], None] = lambda: None) -> TopicStats:
    """Return what there is to know about a topic, about 0.1 s a seed set; `tick` is called after each.

    Raises WebError or TopicError if the topic's files cannot be read.
    """
    truth = GroundTruth.of_topic(folder) or GroundTruth(())
    relevant = truth.among(web.urls)
    after_relevant, after_other = _after(web, relevant)
    seed_sets = {}
    for name, urls in seed_sets_of(folder).items():
        seed_sets[name] = _seed_set(web, urls, relevant)
        tick()
    count = int(relevant.sum())
    return TopicStats(
        name=folder.name,
        relevant=count,
        hosts=len({host_of(web.urls[page]) for page in np.flatnonzero(relevant).tolist()}),
        missing=len(truth) - count,
        base_rate=count / max(1, len(web)),
        after_relevant=after_relevant,
        after_other=after_other,
        seed_sets=seed_sets,
    )


def _after(web: AnalysedWeb, relevant: Mask) -> tuple[float | None, float | None]:
    """Return P(relevant | parent relevant) and P(relevant | parent not), over the links between pages."""
    is_parent, leads_on = relevant[sources(web.graph)], relevant[web.graph.indices]
    return _share(leads_on[is_parent]), _share(leads_on[~is_parent])


def _share(values: Mask) -> float | None:
    return float(values.mean()) if len(values) else None


def _seed_set(web: AnalysedWeb, urls: tuple[str, ...], relevant: Mask) -> SeedSetStats:
    seeds = sorted({number for url in urls if (number := web.number(url)) is not None})
    costs = target_costs(web.graph, np.array(seeds, dtype=np.int64), relevant)
    reached = costs[costs < UNREACHED]
    pages = [max(1, int(part * len(costs))) for part in BUDGETS]
    limit = bounds(web.graph, seeds, relevant, pages[-1])
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
