"""What sitemaps, feeds, canonical and next URLs bring: crawls of demo webs that publish them, and of others.

    .venv/bin/python benchmarks/study.py published --out FOLDER --into docs/research/listings.md

Each demo web of both kinds is made from its seed, with sitemaps, feeds and canonical URLs on some of its
sites (`scrapy virtualweb demo FOLDER --listings`); `--webs` names recorded webs beside them. A sitemap or
feed counts as a fetch without gain. The area is that of what was found by fetch n, as a share of n, up to as
many fetches as there are relevant pages; intervals are of a bootstrap over topics and seed sets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np

from benchmarks.harness import Names, Processes, Report, in_processes
from benchmarks.studies import crawls
from benchmarks.studies.crawls import ClassifierCrawler, Mask, Start
from benchmarks.studies.lists import area
from benchmarks.tables import NAN, Rows
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject, choose_seed_sets, web_name
from focused_crawler.experiment.simulator import Simulation
from focused_crawler.page.model import Page
from focused_crawler.virtualweb.analysed.web import AnalysedWeb
from focused_crawler.virtualweb.demo import write_demo_web

STRATEGIES = "lpe,link_classifier,adaptive,breadth_first"
SEEDS = "1,2,3"
_IN_HEAD = re.compile(r"(?:^| )link\.(?:next|prev|previous)$")


class Read(NamedTuple):
    """What a crawl reads of all that sites publish for crawlers."""

    listings: str = "off"  # FOCUSED_LISTINGS
    canonical: bool = False
    series: bool = False  # rel=next and rel=prev of a page's head


VARIANTS = {
    "nothing": Read(),
    "next": Read(series=True),
    "canonical": Read(canonical=True),
    "sitemaps": Read("sitemaps"),
    "feeds": Read("feeds"),
    "all": Read("all", canonical=True, series=True),
}
"""Each is compared with the first."""


class SilentWeb:
    """A web whose pages do not name in their heads what is not read."""

    def __init__(self, web: AnalysedWeb, read: Read) -> None:
        self._web, self._read = web, read

    def __getattr__(self, name: str) -> object:
        return getattr(self._web, name)

    def __len__(self) -> int:
        return len(self._web)

    def page(self, number: int) -> Page:
        """Return a page without what it says of itself."""
        page = self._web.page(number)
        if not self._read.canonical:
            page.named = page.named._replace(canonical="")
        if not self._read.series:
            page.links = [link for link in page.links if not _IN_HEAD.search(page.places.get(link.place, ""))]
        return page


def measure(
    *,
    out: Path,
    seeds: Annotated[Names, "of demo webs, with commas between"] = SEEDS,
    webs: Annotated[str, "WARC files beside them, with commas between"] = "",
    topics: Annotated[str, "of all webs, with commas between (default: all)"] = "",
    seed_sets: Names = "",
    pages: Annotated[int, "most of a crawl (default: twice as many as are relevant)"] = 0,
    strategies: Names = STRATEGIES,
    variants: Names = "",
    processes: Processes = 1,
) -> Report:
    """Make the webs that are not there, crawl each in all ways, and compare run by run."""
    numbers = map(int, filter(None, seeds.split(",")))
    paths = [demo(out, seed, is_wide=is_wide) for seed in numbers for is_wide in (False, True)]
    rows = Rows()
    for path in [*paths, *map(Path, filter(None, webs.split(",")))]:
        subjects = choose_seed_sets(crawls.subjects_of(path, topics), seed_sets)
        bench = crawls.prepared(out / "bench" / path.parent.name, subjects, processes)
        for found in in_processes(
            partial(
                _crawled,
                bench,
                tuple(strategies.split(",")),
                tuple(variants.split(",") if variants else VARIANTS),
                pages,
            ),
            subjects,
            processes,
            path.name,
        ):
            rows += compared(found)
    return Report({"runs": rows})


def demo(out: Path, seed: int, *, is_wide: bool) -> Path:
    """Return a demo web with listings; it is made if it is not there."""
    folder = out / f"{'wide' if is_wide else 'narrow'}_{seed}"
    path = folder / (f"demo_{seed}.warc.gz" if is_wide else "demo.warc.gz")
    return path if path.is_file() else write_demo_web(folder, seed, is_wide=is_wide, has_listings=True)


def _crawled(
    bench: Bench, strategies: tuple[str, ...], variants: tuple[str, ...], pages: int, subject: Subject
) -> Rows:
    rows = Rows()
    for variant in variants:
        read = VARIANTS[variant]
        steering = replace(bench.config.steering, listings=read.listings)
        crawler = ClassifierCrawler(replace(bench, config=replace(bench.config, steering=steering)), subject)
        targets = min(crawler.targets, pages // 2 or crawler.targets)
        crawler.pages = 2 * targets
        crawler.web = SilentWeb(crawler.web, read)
        for seeds in subject.seed_sets:
            about = {
                "web": subject.web.parent.name + "/" + web_name(subject.web),
                "topic": subject.topic.name,
            }
            for strategy in strategies:
                run = crawler.simulated(crawler.analyst(strategy), Start(seeds))
                values = measured(crawler.relevant[run.visits], run, targets)
                rows.append({**about, "seed_set": seeds, "strategy": strategy, "variant": variant, **values})
    return rows


def measured(hits: Mask, run: Simulation, targets: int) -> dict[str, float]:
    """Return what a crawl came to, with listings as fetches without gain."""
    fetched = np.insert(hits, run.listings, False)
    half = np.flatnonzero(np.cumsum(fetched) >= targets / 2)
    return {
        "area": area(fetched[:targets], targets),
        "found": float(fetched[: 2 * targets].sum() / targets),
        "to_half": float(half[0] + 1) if len(half) else NAN,
        "listings": float(len(run.listings)),
    }


def compared(rows: Rows) -> Iterator[dict[str, object]]:
    """Yield each run with what it has more than that which reads nothing of the kind."""
    for group in rows.by("web", "topic", "seed_set", "strategy").values():
        (first,) = group.where(variant="nothing")
        for row in group:
            changes = {f"{name}_change": row[name] - first[name] for name in ("area", "found")}
            changes["saved"] = first["to_half"] - row["to_half"]
            kind = "recorded" if "_" not in row["web"].partition("/")[0] else row["web"].partition("_")[0]
            yield {**row, **changes, "kind": kind, "worse": changes["area_change"] < 0}
