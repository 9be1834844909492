"""Crawls of recorded webs as their own judges see them, beside the truth: made once, kept in a folder."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np

from benchmarks.harness import OPEN_WEB, in_processes
from benchmarks.studies.crawls import ClassifierCrawler, Mask, Start, bench_of, subjects_of, truth_beside
from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.judged import Judged
from focused_crawler.crawl.relevant_share import HeldOutCounts
from focused_crawler.experiment.grid import MAX_PAGES, Subject, web_name
from focused_crawler.experiment.training import prepare
from focused_crawler.safety.whole_file import replace_file

CHOSEN = ("cooking", "databases", "mathematics", "security")
"""Topics of openweb whose crawls constants are chosen by; the others, and other webs, only check them."""
WORDS, THESAURUS, EXAMPLES = "words", "thesaurus", "examples"
"""What a judge is made of: the topic's words alone, a thesaurus of these (it judges anew what a crawl by the
words fetched), or its examples."""


def group_of(web: str, topic: str) -> str:
    """Return what the crawls about a topic are for."""
    if web != web_name(OPEN_WEB):
        return web
    return "chosen topics" if topic in CHOSEN else "other topics"


class JudgedCrawl(NamedTuple):
    """A crawl by the default strategy, of twice as many pages as the topic has relevant ones."""

    web: str
    topic: str
    seed_set: str
    kind: str
    judged: Judged
    truth: Mask
    held_out: HeldOutCounts | None

    @property
    def group(self) -> str:
        """Return what the crawl is for."""
        return group_of(self.web, self.topic)


def judged_crawls(webs: Sequence[Path], topics: str, folder: Path, processes: int) -> list[JudgedCrawl]:
    """Make the crawls of all topics of some webs, from each seed set, or read those that were made."""
    subjects = [subject for web in webs for subject in subjects_of(web, topics)]
    tasks = [(subject, kind) for kind in (WORDS, THESAURUS, EXAMPLES) for subject in subjects]
    done = in_processes(partial(_crawls, folder=folder), tasks, processes, "crawls")
    return [crawl for crawls in done for crawl in crawls]


def _crawls(task: tuple[Subject, str], folder: Path) -> list[JudgedCrawl]:
    subject, kind = task
    place = folder / kind / f"{subject.web_name}.{subject.topic.name}"
    missing = [name for name in subject.seed_sets if not (place / f"{name}.npz").is_file()]
    for name, crawl in _made(subject, kind, folder / "models", missing):
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **crawl)
        place.mkdir(parents=True, exist_ok=True)
        replace_file(place / f"{name}.npz", buffer.getvalue())
    return [_read(subject, kind, place / f"{name}.npz") for name in subject.seed_sets]


def _made(
    subject: Subject, kind: str, folder: Path, seed_sets: Sequence[str]
) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    """Yield what each crawl comes to."""
    if not seed_sets:
        return
    if kind != EXAMPLES:
        subject = replace(subject, topic=replace(subject.topic, relevant_examples=(), other_examples=()))
    bench = bench_of(folder / (EXAMPLES if kind == EXAMPLES else WORDS))
    prepare(bench, subject)
    crawler = ClassifierCrawler(bench, subject, min(2 * len(truth_beside(subject)), MAX_PAGES))
    for name in seed_sets:
        analyst = crawler.analyst(bench.config.default_strategy)
        visits = crawler.simulated(analyst, Start(name)).visits
        known = crawler.known if kind != THESAURUS else by_thesaurus(crawler, analyst, visits)
        relevance = np.array([known[page] for page in visits])
        yield (
            name,
            {
                "relevance": relevance,
                "is_relevant": relevance >= analyst.model.threshold,
                "truth": crawler.relevant[visits],
                "host": _hosts([crawler.web.urls[page] for page in visits]),
                "held_out": np.array(HeldOutCounts.of(analyst.model) or ()),
            },
        )


def by_thesaurus(crawler: ClassifierCrawler, analyst: Analyst, pages: Sequence[int]) -> dict[int, float]:
    """Return how relevant pages are by the topic's thesaurus."""
    judge = analyst.model.by_thesaurus(analyst.analyzer).classifier
    return {page: judge.relevance(crawler.web.page(page)) for page in pages}


def _hosts(urls: Sequence[str]) -> np.ndarray:
    _, number = np.unique([urlsplit(url).hostname or "" for url in urls], return_inverse=True)
    return number


def _read(subject: Subject, kind: str, file: Path) -> JudgedCrawl:
    with np.load(file) as found:
        judged = Judged(found["relevance"], found["is_relevant"], found["host"])
        held_out = HeldOutCounts(*found["held_out"].tolist()) if len(found["held_out"]) else None
        about = (subject.web_name, subject.topic.name, file.stem, kind)
        return JudgedCrawl(*about, judged, found["truth"], held_out)
