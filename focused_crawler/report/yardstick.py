"""The one judge that crawls of a topic are compared by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from focused_crawler.crawl.judging import TextJudge, pages_without_text
from focused_crawler.crawl.labelled import LabelledSample, labelled_sample
from focused_crawler.safety.errors import FocusedCrawlerError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import last_position
from focused_crawler.store.job import RunInfo, run_of
from focused_crawler.store.judges import GROUND_TRUTH, LABELS, MODEL, is_certain, kind_of
from focused_crawler.store.opening import read_crawl

_JUDGES = """
SELECT DISTINCT judge FROM runs WHERE EXISTS (SELECT 1 FROM pages WHERE pages.run = runs.id)
"""


class Yardstick(NamedTuple):
    """What crawls are compared by."""

    name: str  # of `store.judges`
    texts: TextJudge | None = None  # judges stored texts; None: what is recorded counts, or what people said
    labelled: tuple[LabelledSample, ...] = ()  # of each crawl, where labels judge
    why: str = ""  # it is this one, where that needs words

    @property
    def judged_by(self) -> str:
        """Return its name, with why."""
        return f"{self.name} ({self.why})" if self.why else self.name


def yardstick(folders: Sequence[Path], judge_of: Callable[[RunInfo], TextJudge]) -> Yardstick:
    """Return the ground truth if all have it, else labels where each has enough, else the newest model.

    `judge_of` returns the newest model, or the topic's words where nothing was trained. Those yield to the
    judge that all crawls had; so does a model that is newer, where the texts to judge by it are missing.
    """
    runs = [run_of(folder) for folder in folders]
    names, totals, kept = set(), [], []
    for folder, run in zip(folders, runs, strict=True):
        with read_crawl(folder) as database:
            names.add(_judge_of(run, database))
            totals.append(last_position(database))
            kept.append(not pages_without_text(database))
    common = names.pop() if len(names) == 1 else ""
    if common == GROUND_TRUTH:
        return Yardstick(common)
    if labelled := _labelled(folders, runs, min(totals)):
        numbers = " and ".join(f"{len(one.positions):,}" for one in labelled)
        return Yardstick(LABELS, labelled=labelled, why=f"{numbers} pages that people looked at")
    if not is_certain(common):
        newest = judge_of(runs[0])
        return Yardstick(newest.name, newest)
    with suppress(FocusedCrawlerError):  # its topic or model is not there any more
        newest = judge_of(runs[0])
        if kind_of(newest.name) == MODEL and newest.name != common:
            if all(kept):
                return Yardstick(newest.name, newest)
            return Yardstick(common, why=f"as not all texts were kept, which {newest.name} would judge")
    return Yardstick(common)


def _judge_of(run: RunInfo, database: CrawlDatabase) -> str:
    """Return the one judge of all its pages; empty: there were several, or nobody knows."""
    if run.judged_by == GROUND_TRUTH:
        return GROUND_TRUTH
    found = [name or "" for (name,) in database.rows(_JUDGES)]
    return "" if len(found) > 1 else "".join(found) or run.judged_by


def _labelled(folders: Sequence[Path], runs: Sequence[RunInfo], pages: int) -> tuple[LabelledSample, ...]:
    """Return the sample of each crawl; none at all where one has not enough."""
    found = []
    for folder, run in zip(folders, runs, strict=True):
        with read_crawl(folder) as database:
            sample = labelled_sample(run, database, pages)
        if sample is None:
            return ()
        found.append(sample)
    return tuple(found)
