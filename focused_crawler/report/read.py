"""The folder of a crawl -> `CrawlSummary`. Works beside a running crawl, and after one that was killed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from focused_crawler.errors import CrawlError
from focused_crawler.metrics.curves import harvest_curve, recall_curve
from focused_crawler.metrics.harvest import HarvestRate
from focused_crawler.report.findings import read_findings
from focused_crawler.report.summary import Band, CrawlSummary, HostRow, Judge, PageRow
from focused_crawler.report.words import why_stopped
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.job import RUNNING, RunInfo, read_run
from focused_crawler.store.opening import read_crawl

BEST_PAGES = 20
TOP_HOSTS = 20

_BEST = """
SELECT url, title, relevance FROM pages WHERE duplicate_of IS NULL
ORDER BY relevance DESC, position LIMIT ?
"""
_HOSTS = """
SELECT host, count(*) AS pages, sum({relevant}) FROM pages GROUP BY host ORDER BY pages DESC, 3 DESC, host
"""
# A run that was killed lasted until its last page at least.
_RUNS = """
SELECT runs.started, coalesce(runs.ended, max(pages.fetched_at), runs.started)
FROM runs LEFT JOIN pages ON pages.run = runs.id GROUP BY runs.id
"""


class _Outcomes(NamedTuple):
    """What became of every page, in the order of fetching."""

    relevances: list[float]
    relevant: list[bool]
    targets: list[bool]


def read_summary(folder: Path) -> CrawlSummary:
    """Sum a crawl up; raises CrawlError that names the folder or file and what would be right."""
    run = read_run(folder)
    if run is None:
        raise CrawlError(
            f"{folder} is not a crawl's folder: it has no run.json; give one like crawls/asthma/1"
        )
    with read_crawl(folder) as database:
        return _summarise(folder, run, database)


def _summarise(folder: Path, run: RunInfo, database: CrawlDatabase) -> CrawlSummary:
    judge: Judge = "ground truth" if run.judged_by == "ground truth" else "the crawler's own classifier"
    column = "coalesce(is_target, 0)" if judge == "ground truth" else "is_relevant"
    outcomes = _outcomes(database, column)
    rate = HarvestRate.from_outcomes(outcomes.relevant)
    hosts = [HostRow(*row) for row in database.rows(_HOSTS.format(relevant=column))]
    history = CrawlHistory(database)
    bands = _bands(run, history)
    findings = read_findings(database, knows_frontier=bands is not None)
    runs = database.rows(_RUNS) or [(run.started, run.ended)]
    return CrawlSummary(
        folder=str(folder),
        topic=run.topic,
        title=run.title or run.topic,
        strategy=run.strategy,
        job=run.job,
        started=min(started for started, _ in runs),
        ended=max(ended for _, ended in runs),
        seconds=_seconds(runs),
        pages=rate.pages,
        relevant=rate.relevant,
        harvest_rate=rate.value,
        harvest_rate_100=rate.over_last(100),
        harvest_rate_1000=rate.over_last(1000),
        target_recall=sum(outcomes.targets) / run.targets if run.targets else None,
        judged_by=judge,
        stopped=_stopped(run, bands),
        host_count=len(hosts),
        bands=bands,
        errors=history.failures_by_class(),
        hosts=tuple(hosts[:TOP_HOSTS]),
        best_pages=tuple(PageRow(*row) for row in database.rows(_BEST, (BEST_PAGES,))),
        relevances=tuple(outcomes.relevances),
        harvest_curve=harvest_curve(outcomes.relevant),
        recall_curve=recall_curve(outcomes.targets, run.targets) if run.targets else None,
        findings=findings,
        settings=_texts(run.settings),
        versions=_texts(run.versions),
    )


def _outcomes(database: CrawlDatabase, relevant: str) -> _Outcomes:
    rows = database.rows(f"SELECT relevance, {relevant}, is_target FROM pages ORDER BY position")  # noqa: S608 - one of two names of columns
    return _Outcomes([row[0] for row in rows], [bool(row[1]) for row in rows], [bool(row[2]) for row in rows])


def _seconds(runs: Sequence[tuple[float, float]]) -> float:
    """Return how long anybody was at work: workers of a fleet are at a time."""
    seconds, until = 0.0, 0.0
    for started, ended in sorted(runs):
        seconds += max(0.0, ended - max(started, until))
        until = max(until, ended)
    return seconds


def _bands(run: RunInfo, history: CrawlHistory) -> tuple[Band, ...] | None:
    if not run.has_frontier:
        bands = len(run.left)
        return tuple(Band(i / bands, (i + 1) / bands, urls) for i, urls in enumerate(run.left)) or None
    return tuple(Band(*band) for band in history.frontier_bands())


def _stopped(run: RunInfo, bands: Sequence[Band] | None) -> str:
    if run.state == RUNNING:
        return "It was killed, or is still running; the same command goes on from here."
    return why_stopped(run.reason, pending=sum(band.urls for band in bands or ()))


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in values.items()
        if value not in ("", None)
    }
