"""The folder of a crawl -> `CrawlSummary`. Works beside a running crawl, and after one that was killed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from focused_crawler.crawl.hubs.listing import top_authorities, top_hosts, top_hubs
from focused_crawler.crawl.measures import HarvestRate
from focused_crawler.crawl.steering.estimate import estimate
from focused_crawler.crawl.steering.inputs import read_tallies
from focused_crawler.report.summary import (
    AlarmRow,
    BestPage,
    CrawlSummary,
    Findings,
    HostRow,
    Judge,
    TrapRow,
    harvest_curve,
    recall_curve,
)
from focused_crawler.report.words import why_stopped
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import CrawlHistory, ScoreBand
from focused_crawler.store.job import RUNNING, RunInfo, run_of
from focused_crawler.store.opening import read_crawl

TOP = 10
MOST_ALARMS = 20

_ALARMS = """
SELECT rule, decided_at, detail FROM decisions WHERE decision = 'alarm'
ORDER BY decided_at DESC, id DESC LIMIT ?
"""
_RATED = "SELECT pages FROM distillations ORDER BY id DESC LIMIT 1"
_COPIES = """
SELECT CASE WHEN likeness < 1 THEN 'near-copies' ELSE 'verbatim copies' END AS kind, count(*)
FROM pages WHERE duplicate_of IS NOT NULL GROUP BY 1 ORDER BY 1 DESC
"""
# What is shown elsewhere is left out: failures are a table of their own, and so are copies and alarms.
_STEERED = """
SELECT decision, rule, count(*) FROM decisions
WHERE decision NOT IN ('alarm', 'duplicate', 'failed', 'redirected', 'retry') OR rule LIKE 'trap%'
GROUP BY decision, rule ORDER BY 3 DESC, 1, 2
"""
_TRAPS = """
SELECT rule, hosts.name, count(*) AS dropped, min(urls.url) FROM decisions
JOIN urls ON urls.id = decisions.url JOIN hosts ON hosts.id = urls.host
WHERE rule LIKE 'trap%' GROUP BY rule, hosts.name ORDER BY dropped DESC, 1, 2 LIMIT ?
"""
_REVISITS = "SELECT outcome, count(*) AS visits FROM revisits GROUP BY outcome ORDER BY visits DESC, outcome"
_WORDS = {
    "hub": "raised as neighbour of a hub",
    "host_limit": "host closed at its cap of pages",
    "refusals": "host closed after refusals",
    "soft_404": "said that it was not found (soft 404)",
    "trap_pattern": "trap: pattern of URLs without gain",
    "trap_site": "trap: site without gain",
    "trap_domain": "trap: domain without gain",
    "trap_mirror": "trap: mirror of another site",
}


def read_findings(database: CrawlDatabase, *, knows_frontier: bool) -> Findings:
    """Read them. `knows_frontier`: the database holds the frontier, so that what is left can be estimated."""
    rated = database.rows(_RATED)
    alarms = database.rows(_ALARMS, (MOST_ALARMS,))
    return Findings(
        estimate=estimate(read_tallies(database)) if knows_frontier else None,
        alarms=tuple(AlarmRow(*row) for row in reversed(alarms)),
        hubs=tuple(top_hubs(database, TOP)),
        authorities=tuple(top_authorities(database, TOP)),
        sites=tuple(top_hosts(database, TOP)),
        rated_pages=rated[0][0] if rated else 0,
        steered=_steered(database),
        traps=tuple(TrapRow(_WORDS.get(rule, rule), *row) for rule, *row in database.rows(_TRAPS, (TOP,))),
        revisits=dict(database.rows(_REVISITS)),
    )


def _steered(database: CrawlDatabase) -> dict[str, int]:
    """Count copies and decisions, in words where we have any."""
    found = dict(database.rows(_COPIES))
    for decision, rule, number in database.rows(_STEERED):
        name = _WORDS.get(rule, f"{decision}: {rule}")
        found[name] = found.get(name, 0) + number
    return found


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


def read_summary(folder: Path) -> CrawlSummary:
    """Sum a crawl up; raises CrawlError that names the folder or file and what would be right."""
    run = run_of(folder)
    with read_crawl(folder) as database:
        return _summarise(folder, run, database)


def _summarise(folder: Path, run: RunInfo, database: CrawlDatabase) -> CrawlSummary:
    judge: Judge = "ground truth" if run.judged_by == "ground truth" else "the crawler's own classifier"
    column = "coalesce(is_target, 0)" if judge == "ground truth" else "is_relevant"
    pages = database.rows(f"SELECT relevance, {column}, is_target FROM pages ORDER BY position")  # noqa: S608 - one of two names of columns
    relevant, targets = ([bool(page[place]) for page in pages] for place in (1, 2))
    rate = HarvestRate.from_outcomes(relevant)
    hosts = [HostRow(*row) for row in database.rows(_HOSTS.format(relevant=column))]
    history = CrawlHistory(database)
    bands = _bands(run, history)
    findings = read_findings(database, knows_frontier=bands is not None)
    runs = database.rows(_RUNS) or [(run.started, run.ended)]
    return CrawlSummary(
        folder=str(folder),
        topic=run.topic,
        title=run.title or run.topic,
        strategy=run.ordered_by,
        job=run.job,
        started=min(started for started, _ in runs),
        ended=max(ended for _, ended in runs),
        seconds=_seconds(runs),
        pages=rate.pages,
        relevant=rate.relevant,
        harvest_rate=rate.value,
        harvest_rate_100=rate.over_last(100),
        harvest_rate_1000=rate.over_last(1000),
        target_recall=sum(targets) / run.targets if run.targets else None,
        judged_by=judge,
        stopped=_stopped(run, bands),
        host_count=len(hosts),
        bands=bands,
        errors=history.failures_by_class(),
        hosts=tuple(hosts[:TOP_HOSTS]),
        best_pages=tuple(BestPage(*row) for row in database.rows(_BEST, (BEST_PAGES,))),
        relevances=tuple(page[0] for page in pages),
        harvest_curve=harvest_curve(relevant),
        recall_curve=recall_curve(targets, run.targets) if run.targets else None,
        findings=findings,
        settings=_texts(run.settings),
        versions=_texts(run.versions),
    )


def _seconds(runs: Sequence[tuple[float, float]]) -> float:
    """Return how long anybody was at work: workers of a fleet are at a time."""
    seconds, until = 0.0, 0.0
    for started, ended in sorted(runs):
        seconds += max(0.0, ended - max(started, until))
        until = max(until, ended)
    return seconds


def _bands(run: RunInfo, history: CrawlHistory) -> tuple[ScoreBand, ...] | None:
    if not run.has_frontier:
        bands = len(run.left)
        return tuple(ScoreBand(i / bands, (i + 1) / bands, urls) for i, urls in enumerate(run.left)) or None
    return tuple(history.frontier_bands())


def _stopped(run: RunInfo, bands: Sequence[ScoreBand] | None) -> str:
    if run.state == RUNNING:
        return "It was killed, or is still running; the same command goes on from here."
    return why_stopped(run.reason, pending=sum(band.urls for band in bands or ()))


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in values.items()
        if value not in ("", None)
    }
