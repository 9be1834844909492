"""What lists of sites and hubs bring: a crawl, and a second one that starts from the lists of the first.

    .venv/bin/python benchmarks/study.py lists ../shared/webs/openweb.warc.gz

Both crawls fetch |T| pages, as many as are relevant, from the same start pages of the topic. The lists count
relevant pages by the crawler's own classifier; harvest is judged by the web's ground truth, which no crawl
and no list sees. Area: under R(n), n = 1..|T|, as a share of that of a crawl that fetches nothing but
relevant pages. New relevant: relevant pages that the first crawl did not have, as a share of |T|. Models are
trained first, into --models, and not again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np

from benchmarks.harness import PROCESSES, ROOT, Names, Processes, Report, in_processes, temporary_folder
from benchmarks.studies.crawls import ClassifierCrawler, Mask, Start, prepared, settings_of, subjects_of
from benchmarks.tables import Rows
from focused_crawler.crawl.analysis import Analyst, checksum
from focused_crawler.crawl.lists.counts import count
from focused_crawler.crawl.lists.lists import Lists
from focused_crawler.crawl.lists.use import Priors, seeds_of
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import Subject, choose_seed_sets
from focused_crawler.page.url import url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo
from focused_crawler.store.pages import PageStore

STRATEGIES = "link_classifier,best_first_content_anchor,thesaurus,lpe"
WAYS = {"first": (False, 0.0), "seeds": (True, 0.0), "priors": (False, 0.25), "both": (True, 0.25)}
"""Whether the crawl starts from the lists, and the weight that they have in the scores of links."""

SAME = 0.0005
"""Areas that differ by less are shown as equal."""


def measure(
    web: Annotated[Path, "a WARC file with its topics beside it"],
    *,
    topics: Names = "",
    seed_sets: Annotated[str, "names (default: a, b and c of those there are)"] = "",
    strategies: str = STRATEGIES,
    models: Path = ROOT / "models/lists",
    processes: Processes = PROCESSES,
) -> Report:
    """Make all crawls of all settings."""
    found = subjects_of(web, topics)
    there = {name for subject in found for name in subject.seed_sets}
    subjects = choose_seed_sets(found, seed_sets or ",".join(sorted(there & set("abc"))))
    work = partial(study, bench=prepared(models, subjects, processes))
    tasks = settings_of(subjects, strategies.split(","))
    rows = Rows(row for rows in in_processes(work, tasks, processes) for row in rows)
    return Report({"crawls": rows, "topics": by_topic(rows)})


def study(task: tuple[Subject, str, str], bench: Bench) -> list[dict[str, object]]:
    """Crawl, count the crawl, and crawl again in each way: from the lists' start pages, with a weight."""
    subject, seed_set, strategy = task
    crawler = ClassifierCrawler(bench, subject)
    relevant, pages = crawler.relevant, crawler.pages
    seen = np.zeros(len(relevant), dtype=np.bool_)  # by the first crawl
    rows: list[dict[str, object]] = []
    with temporary_folder() as folder, Lists(folder / "lists.db") as lists:
        for way, (from_lists, weight) in WAYS.items():
            analyst = crawler.analyst(strategy)
            more = seeds_of(lists) if from_lists else []
            if weight:
                analyst.order.priors = Priors.of(lists, weight)
            visits = crawler.simulated(analyst, Start(seed_set), more).visits
            hits = relevant[visits]
            row = {"strategy": strategy, "topic": subject.topic.name, "seed_set": seed_set, "way": way}
            row |= {"pages": pages, "seeds": len(more), "area": area(hits, pages)}
            row |= {"rate": float(hits.sum()) / pages}
            if rows:
                change = float(row["area"]) - float(rows[0]["area"])
                row |= {"new": int((hits & ~seen[visits]).sum()) / pages, "change": change}
                row |= {"better": change > SAME, "equal": abs(change) <= SAME}
            else:
                seen[visits] = True
                path = folder / "crawl.db"
                record(path, crawler, visits, analyst)
                with CrawlDatabase(path, read_only=True) as database:
                    info = RunInfo(subject.topic.name, "", "1", strategy, seed_set, None, trained=True)
                    lists.count(count(database, info))
            rows.append(row)
    return rows


def area(hits: Mask, pages: int) -> float:
    """Return the area under R(n) as a share of the best there is; what was not fetched is not found."""
    found = np.zeros(pages, dtype=np.int64)
    found[: len(hits)] = hits
    return float(found.cumsum().sum() / (pages * (pages + 1) / 2))


def by_topic(rows: Rows) -> Rows:
    """Return for each topic whether the mean over its seed sets is better than that of the first crawls."""
    found = Rows()
    for (strategy, topic), mine in rows.by("strategy", "topic").items():
        first = mine.where(way="first").value("area")
        for (way,), of_way in mine.by("way").items():
            better = of_way.value("area") > first + SAME if way != "first" else None
            found.append({"strategy": strategy, "topic": topic, "way": way, "better": better})
    return found


def record(path: Path, crawler: ClassifierCrawler, visits: Sequence[int], analyst: Analyst) -> None:
    """Write down a simulated crawl as far as lists look; copies are the verbatim ones."""
    depth: dict[int, int] = {}
    first: dict[str, str] = {}
    with CrawlDatabase(path) as database:
        store = PageStore(database)
        for number in visits:
            page, url, relevance = crawler.web.page(number), crawler.web.urls[number], crawler.known[number]
            analyst.judge(page, relevance)
            original = first.setdefault(checksum(page.text), url)
            copy_of = None if original == url or not page.text else original
            mine = depth.setdefault(url_key(url), 0)
            for link in page.links:
                depth.setdefault(url_key(link.url), mine + 1)
            store.record_links(url, [(link.url, link.text, link.block, 0.5) for link in page.links])
            is_relevant = page.is_relevant and copy_of is None
            item = PageItem(url=url, fetched_at=0.0, relevance=relevance, is_relevant=is_relevant)
            item.duplicate_of, item.depth, item.links = copy_of, mine, len(page.links)
            store.record_page(item)
        store.commit()
