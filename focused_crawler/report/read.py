"""The folder of a crawl -> `CrawlSummary`. Works beside a running crawl, and after one that was killed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from heapq import nsmallest
from pathlib import Path
from typing import Any, NamedTuple

from focused_crawler.crawl.estimated import estimate_of
from focused_crawler.crawl.judged import Interval
from focused_crawler.crawl.judging import TextJudge
from focused_crawler.crawl.measures import HarvestRate
from focused_crawler.report.compared import compare_crawls, rate_interval
from focused_crawler.report.findings import read_findings
from focused_crawler.report.ledger import read_ledger
from focused_crawler.report.summary import (
    MOST_LISTED,
    BestPage,
    ComparedBy,
    CrawlSummary,
    HostRow,
    harvest_curve,
    recall_curve,
)
from focused_crawler.report.tunnels import read_tunnels
from focused_crawler.report.words import KILLED, why_stopped
from focused_crawler.report.yardstick import yardstick
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import CrawlHistory, ScoreBand, spent
from focused_crawler.store.job import RUNNING, RunInfo, run_of
from focused_crawler.store.judges import GROUND_TRUTH, hits_by
from focused_crawler.store.opening import crawl_at_once, is_in_use

MOST_HOSTS = 1000

_BEST = """
SELECT url, title, relevance, position, depth, {} FROM pages WHERE duplicate_of IS NULL
ORDER BY relevance DESC, position LIMIT ?
"""
_NAMED = "SELECT position, url, title, depth FROM pages WHERE position {}"
_HOSTS = """
SELECT host, count(*) AS pages, sum({relevant}) FROM pages GROUP BY host ORDER BY pages DESC, 3 DESC, host
"""


def read_summary(folder: Path, judge: TextJudge | None = None) -> CrawlSummary:
    """Sum a crawl up, by its own judge or another; raises CrawlError with what would be right."""
    is_running = is_in_use(folder)  # asked first: who has ended has written so before
    run = run_of(folder)
    with crawl_at_once(folder) as database:
        return _summarise(folder, run, database, judge, is_running=is_running)


def read_summaries(folders: Sequence[Path], judge_of: Callable[[RunInfo], TextJudge]) -> list[CrawlSummary]:
    """Sum crawls up to be compared: by one judge, if they are of one topic.

    That is their `yardstick`. Raises CrawlError also where a crawl has no texts that it needs. Labels give a
    rate and its curve: all else that a summary has is by the crawl's own judge then.
    """
    if len({run_of(folder).topic for folder in folders}) > 1 or len(folders) == 1:
        return [read_summary(folder) for folder in folders]
    by = yardstick(folders, judge_of)
    found = [read_summary(folder, by.texts) for folder in folders]
    if not by.why:
        return found
    said = [ComparedBy(by.judged_by)] * len(found)
    if by.labelled:
        rates = compare_crawls(folders, judge_of).crawls
        said = [ComparedBy(by.judged_by, one.rate, one.curve) for one in rates]
    return [replace(crawl, compared=one) for crawl, one in zip(found, said, strict=True)]


def _summarise(
    folder: Path, run: RunInfo, database: CrawlDatabase, judge: TextJudge | None, *, is_running: bool
) -> CrawlSummary:
    verdicts = _recorded(run, database) if judge is None else _judged(judge, database)
    relevant, targets = verdicts.relevant, verdicts.targets
    rate = HarvestRate.from_outcomes(relevant)
    history = CrawlHistory(database)
    bands = tuple(history.bands_left(run)) or None
    is_true = verdicts.judge == GROUND_TRUTH
    own = history.judge() or run.judge
    known = None if is_true else estimate_of(run, database, *verdicts[:3])
    certain = Interval(rate.relevant, rate.relevant, rate.relevant) if is_true else None
    findings = replace(
        read_findings(
            database, certain if known is None else known.relevant, knows_frontier=run.has_frontier
        ),
        tunnels=read_tunnels(database, relevant),
        ledger=read_ledger(database, run),
    )
    runs = history.times() or [(run.started, run.ended)]
    return CrawlSummary(
        folder=str(folder),
        topic=run.topic,
        title=run.title or run.topic,
        strategy=run.ordered_by,
        job=run.job,
        started=min(started for started, _ in runs),
        ended=max(ended for _, ended in runs),
        seconds=spent(runs),
        pages=rate.pages,
        relevant=rate.relevant,
        harvest_rate=rate.value,
        harvest_rate_100=rate.over_last(100),
        harvest_rate_1000=rate.over_last(1000),
        targets=run.targets or 0,
        target_recall=sum(targets) / run.targets if run.targets else None,
        judged_by=verdicts.judge,
        relevance_by=own if is_true else "",
        watched_by=run.watched_by or (own if own != verdicts.judge else ""),
        interval=rate_interval(relevant),
        interval_100=rate_interval(relevant[-100:]),
        interval_1000=rate_interval(relevant[-1000:]),
        estimate=known,
        stopped=_stopped(run, bands, is_running=is_running),
        host_count=len(verdicts.hosts),
        bands=bands,
        errors=history.failures_by_class(),
        hosts=tuple(verdicts.hosts[:MOST_HOSTS]),
        best_pages=tuple(verdicts.best),
        relevances=tuple(verdicts.relevances),
        harvest_curve=harvest_curve(relevant),
        recall_curve=recall_curve(targets, run.targets) if run.targets else None,
        findings=findings,
        settings=_texts(run.settings),
        versions=_texts(run.versions),
    )


class _Verdicts(NamedTuple):
    """What is said of the pages, in their order, and what follows from it."""

    judge: str
    relevances: list[float]
    relevant: list[bool]
    targets: list[bool]
    hosts: list[HostRow]  # those with most pages first
    best: list[BestPage]  # no copies


def _recorded(run: RunInfo, database: CrawlDatabase) -> _Verdicts:
    """Return what the crawl says; by the ground truth if that is its judge."""
    column = hits_by(run.judged_by).column
    pages = database.rows(f"SELECT relevance, {column}, is_target FROM pages ORDER BY position")  # noqa: S608 - one of two names of columns
    judge = CrawlHistory(database).judge()  # several, as after a training
    return _Verdicts(
        run.judged_by if run.judged_by == GROUND_TRUTH else judge or run.judged_by,
        *([page[0] for page in pages], [bool(page[1]) for page in pages], [bool(page[2]) for page in pages]),
        [HostRow(*row) for row in database.rows(_HOSTS.format(relevant=column))],
        [
            BestPage(url, title, relevance, position, depth, bool(is_good))
            for url, title, relevance, position, depth, is_good in database.rows(
                _BEST.format(column), (MOST_LISTED,)
            )
        ],
    )


def _judged(judge: TextJudge, database: CrawlDatabase) -> _Verdicts:
    """Return what another judge says."""
    pages = judge.pages(database)
    found = database.rows("SELECT host, is_target, duplicate_of IS NULL FROM pages ORDER BY position")
    relevances, relevant = [page.relevance for page in pages], [page.is_relevant for page in pages]
    fetched = Counter(host for host, _, _ in found)
    good = Counter(host for (host, _, _), is_good in zip(found, relevant, strict=True) if is_good)
    hosts = sorted(fetched, key=lambda host: (-fetched[host], -good[host], host))
    rated = zip(pages, found, strict=True)
    best = nsmallest(
        MOST_LISTED, ((-page.relevance, page.position) for page, (*_, is_first) in rated if is_first)
    )
    named = database.rows(_NAMED.format(database.among), (database.many([place for _, place in best]),))
    names = {position: about for position, *about in named}
    return _Verdicts(
        judge.name,
        *(relevances, relevant, [bool(is_target) for _, is_target, _ in found]),
        [HostRow(host, fetched[host], good[host]) for host in hosts],
        [
            BestPage(url, title, -relevance, place, depth, relevant[place - 1])
            for relevance, place in best
            for url, title, depth in [names[place]]
        ],
    )


def _stopped(run: RunInfo, bands: Sequence[ScoreBand] | None, *, is_running: bool) -> str:
    if run.state == RUNNING:
        return "It is still running." if is_running else KILLED
    return why_stopped(run.reason, pending=sum(band.urls for band in bands or ()))


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in values.items()
        if value not in ("", None)
    }
