"""A fleet in the terminal: one view of the whole, or one line; what is foreign is made printable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich import filesize
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from focused_crawler.crawl.failure import label
from focused_crawler.fleet.crawls import KnownCrawl
from focused_crawler.fleet.status import FleetStatus, FleetTotals, FrontierView, WorkerRow
from focused_crawler.report.terminal import progress
from focused_crawler.report.terminal.output import assembled, clipped, sentence
from focused_crawler.report.terminal.progress import Snapshot, closing, closing_facts, log_line
from focused_crawler.report.terminal.tables import add_row, more, table
from focused_crawler.safety.formats import count, duration, moment, percent, plural, tidy

MOST_WORKERS = 40
MOST_ERRORS = 8
GAP = "   "

_RATES = ("harvest_rate", "harvest_rate_100", "harvest_rate_1000", "target_recall")
_OF_TOTALS = ("pages", "revisits", "relevant", *_RATES, "failures", "last_title")
"""What a display shows of a fleet's totals as it does of a crawl's."""


def view(status: FleetStatus) -> RenderableType:
    """Return the view of a fleet at one moment."""
    parts: list[RenderableType] = [
        *(sentence(tidy(remark, 500), "yellow") for remark in status.remarks),
        _whole(status),
    ]
    if status.workers:
        parts.append(_workers(status.workers))
    parts += [_Facts(name, facts) for name, facts in _details(status) if facts]
    return Group(*parts)


def line(status: FleetStatus) -> str:
    """Return the same as one line, for logs."""
    is_partial = status.lacks_totals or status.lacks_frontier
    facts = ", ".join(_read_facts(status)) if is_partial else log_line(snapshot(status))
    return tidy(f"{_workers_in_words(status)}; {facts}", 2000)


def closing_view(status: FleetStatus, reason: str, report: Path) -> RenderableType:
    """Return the panel that ends a fleet's work: `reason` as Scrapy gives it.

    What is left is counted as run.json and the report do it: without what is still on its way to a worker.
    """
    left = sum(status.frontier.bands) if status.frontier else 0
    facts = closing_facts(replace(snapshot(status), pending=left), reason, str(report))
    return closing(_heading(status), [one for one in facts if one[0] != "left" or not status.lacks_frontier])


def table_of(crawls: Sequence[KnownCrawl]) -> Table:
    """Return the fleet crawls of a database."""
    rows = (
        (crawl.topic, crawl.job, moment(crawl.started), count(crawl.pages), count(crawl.relevant))
        for crawl in crawls
    )
    return table("topic", "job", ">last worker came", ">pages", ">relevant", rows=rows)


def snapshot(status: FleetStatus) -> Snapshot:
    """Return what the display of a crawl shows of a fleet."""
    totals, frontier = status.totals or FleetTotals(), status.frontier
    return Snapshot(
        **{name: getattr(totals, name) for name in _OF_TOTALS},
        pending=frontier.pending if frontier else 0,
        hosts=frontier.hosts if frontier else 0,
        budget=totals.page_budget,
        speed=status.speed,
        elapsed=status.elapsed,
    )


def _heading(status: FleetStatus) -> Text:
    return assembled(
        (tidy(status.topic), "bold"),
        (" by ", "dim"),
        tidy(status.strategy or "?"),
        (", job ", "dim"),
        tidy(status.job),
        (", ", "dim"),
        "ended" if status.ended else _workers_in_words(status),
    )


def _workers_in_words(status: FleetStatus) -> str:
    return "? workers" if status.workers is None else plural(status.living, "worker")


def _whole(status: FleetStatus) -> RenderableType:
    """Return how the crawl gets on, or what came of it; "?" for what could not be read."""
    if status.ended:
        facts = closing_facts(snapshot(status), status.ended, None)
        return closing(_heading(status), [fact for fact in facts if fact[0] != "this run"])
    if status.lacks_totals or status.lacks_frontier:
        return Group(_heading(status), _Facts("crawl", _read_facts(status)))
    return progress.view(_heading(status), snapshot(status))


def _read_facts(status: FleetStatus) -> list[str]:
    totals, frontier = status.totals, status.frontier
    facts = ["? pages"]
    if totals is not None:
        pages = plural(totals.page_budget or totals.pages, "page")
        facts = [
            f"{count(totals.pages)} of {pages}" if totals.page_budget else pages,
            f"{count(totals.relevant)} relevant",
            f"harvest rate {percent(totals.harvest_rate)}",
            plural(totals.failures, "failure"),
        ]
    pending = plural(frontier.pending, "URL") if frontier is not None else "? URLs"
    return [*facts, f"frontier {pending}"]


def _workers(workers: Sequence[WorkerRow]) -> Table:
    shown = table("worker", ">age", ">heartbeat", ">out", ">pages", ">per s", ">failed")
    shown.columns[0].overflow = "ellipsis"  # the only one that may become narrower
    for worker in workers[:MOST_WORKERS]:
        add_row(shown, *_cells(worker), style="red" if worker.is_dead else "")
    if len(workers) > MOST_WORKERS:
        add_row(shown, more(len(workers) - MOST_WORKERS))
    return shown


def _cells(worker: WorkerRow) -> tuple[RenderableType, ...]:
    return (
        clipped(worker.name),  # begins with machine and process id
        duration(worker.age),
        duration(worker.beat) + (", dead" if worker.is_dead else ""),
        *map(count, (worker.in_flight, worker.pages)),
        f"{worker.speed:.1f}",
        count(worker.failures),
    )


def _details(status: FleetStatus) -> list[tuple[str, list[str]]]:
    details: list[tuple[str, list[str]]] = []
    if status.frontier is not None:
        details += [
            ("frontier", _states(status.frontier)),
            ("pending by score", _bands(status.frontier.bands)),
        ]
    if status.totals is not None:
        details.append(("failures", _errors(status.totals.errors)))
    details.append(("server", _server(status)))
    return details


def _states(frontier: FrontierView) -> list[str]:
    return [
        f"{count(frontier.pending)} pending",
        f"{count(frontier.leased)} out",
        f"{count(frontier.done)} done",
        f"{count(frontier.failed)} failed",
        f"{count(frontier.dropped)} dropped",
        f"{plural(frontier.hosts, 'host')}, {count(frontier.waiting_hosts)} waiting",
    ]


def _bands(bands: Sequence[int]) -> list[str]:
    """Return the bands that hold any, the best first."""
    held = [(number / len(bands), urls) for number, urls in enumerate(bands) if urls]
    return [f"from {low:.1f}: {count(urls)}" for low, urls in reversed(held)]


def _errors(errors: dict[str, int]) -> list[str]:
    shown = [f"{tidy(label(name), 40)} {count(number)}" for name, number in errors.items()]
    rest = len(shown) - MOST_ERRORS
    return shown[:MOST_ERRORS] + ([f"and {rest} kinds more"] if rest > 0 else [])


def _server(status: FleetStatus) -> list[str]:
    if status.totals is None:
        return []
    return [f"PostgreSQL {filesize.decimal(status.totals.database_bytes)} at {status.database_address}"]


@dataclass(frozen=True, slots=True)
class _Facts:
    """A name and its facts, in lines that break between two facts only."""

    name: str
    facts: Sequence[str]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = [assembled((self.name, "dim"))]
        for fact in map(sentence, self.facts):
            if lines[-1].cell_len + len(GAP) + fact.cell_len > options.max_width:
                lines.append(Text())
            lines[-1].append(GAP).append_text(fact)
        for text in lines:
            text.no_wrap, text.overflow = True, "ellipsis"
            yield text
