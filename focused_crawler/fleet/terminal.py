"""A fleet in the terminal: one view of the whole, or one line; what is foreign is put in as `Text`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.box import HORIZONTALS, SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from focused_crawler.fleet.crawls import KnownCrawl
from focused_crawler.fleet.status import FleetStatus, FrontierView, Totals, WorkerRow
from focused_crawler.report.live import Snapshot, closing_facts, display, log_line
from focused_crawler.safety import formats

MOST_WORKERS = 40
MOST_ERRORS = 8
GAP = "   "


def view(status: FleetStatus) -> RenderableType:
    """Return the view of a fleet at one moment."""
    parts: list[RenderableType] = [
        *(Text(formats.tidy(remark, 500), style="yellow") for remark in status.remarks),
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
    return formats.tidy(f"{_workers_in_words(status)}; {facts}", 2000)


def closing_view(status: FleetStatus, reason: str, report: Path) -> RenderableType:
    """Return the panel that ends a fleet's work: `reason` as Scrapy gives it."""
    facts = closing_facts(snapshot(status), reason, str(report))
    return _panel(status, [fact for fact in facts if fact[0] != "left" or not status.lacks_frontier])


def table_of(crawls: Sequence[KnownCrawl]) -> Table:
    """Return the fleet crawls of a database."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("topic", "job", "last worker came", "pages", "relevant"):
        table.add_column(name, justify="left" if name in {"topic", "job"} else "right")
    for crawl in crawls:
        cells = (
            formats.tidy(crawl.topic),
            formats.tidy(crawl.job),
            formats.moment(crawl.started),
            formats.count(crawl.pages),
            formats.count(crawl.relevant),
        )
        table.add_row(*map(Text, cells))
    return table


def snapshot(status: FleetStatus) -> Snapshot:
    """Return what the display of a crawl shows of a fleet."""
    totals, frontier = status.totals or Totals(), status.frontier
    return Snapshot(
        pages=totals.pages,
        revisits=totals.revisits,
        relevant=totals.relevant,
        harvest_rate=totals.harvest_rate,
        harvest_rate_100=totals.harvest_rate_100,
        harvest_rate_1000=totals.harvest_rate_1000,
        target_recall=totals.target_recall,
        pending=frontier.pending if frontier else 0,
        hosts=frontier.hosts if frontier else 0,
        failures=totals.failures,
        last_title=totals.last_title,
        budget=totals.page_budget,
        speed=status.speed,
        elapsed=status.elapsed,
    )


def _heading(status: FleetStatus) -> Text:
    return Text.assemble(
        (formats.tidy(status.topic), "bold"),
        (" by ", "dim"),
        formats.tidy(status.strategy or "?"),
        (", job ", "dim"),
        formats.tidy(status.job),
        (", ", "dim"),
        "ended" if status.ended else _workers_in_words(status),
    )


def _workers_in_words(status: FleetStatus) -> str:
    return "? workers" if status.workers is None else formats.plural(status.living, "worker")


def _whole(status: FleetStatus) -> RenderableType:
    """Return how the crawl gets on, or what came of it; "?" for what could not be read."""
    if status.ended:
        facts = closing_facts(snapshot(status), status.ended, None)
        return _panel(status, [fact for fact in facts if fact[0] != "this run"])
    if status.lacks_totals or status.lacks_frontier:
        return Group(_heading(status), _Facts("crawl", _read_facts(status)))
    return display(_heading(status), snapshot(status))


def _panel(status: FleetStatus, facts: Sequence[tuple[str, str]]) -> Panel:
    table = Table.grid(padding=(0, 3, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts:
        table.add_row(name, Text(value, style="bold" if name == "harvest rate" else ""))
    return Panel(table, title=_heading(status), title_align="left", box=HORIZONTALS, padding=(0, 1))


def _read_facts(status: FleetStatus) -> list[str]:
    totals, frontier = status.totals, status.frontier
    facts = ["? pages"]
    if totals is not None:
        budget = f" of {formats.count(totals.page_budget)}" if totals.page_budget else ""
        facts = [
            f"{formats.count(totals.pages)}{budget} pages",
            f"{formats.count(totals.relevant)} relevant",
            f"harvest rate {formats.percent(totals.harvest_rate)}",
            formats.plural(totals.failures, "failure"),
        ]
    pending = formats.plural(frontier.pending, "URL") if frontier is not None else "? URLs"
    return [*facts, f"frontier {pending}"]


def _workers(workers: Sequence[WorkerRow]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("worker", overflow="ellipsis")  # the only one that may become narrower
    for name in ("age", "beat", "out", "busy", "pages", "per s", "failed"):
        table.add_column(name, justify="right", no_wrap=True)
    for worker in workers[:MOST_WORKERS]:
        table.add_row(*map(Text, _cells(worker)), style="red" if worker.is_dead else None)
    if len(workers) > MOST_WORKERS:
        table.add_row(Text(f"and {formats.count(len(workers) - MOST_WORKERS)} more"))
    return table


def _cells(worker: WorkerRow) -> tuple[str, ...]:
    beat = formats.duration(worker.beat) + (", dead" if worker.is_dead else "")
    return (
        worker.name,  # begins with machine and process id
        formats.duration(worker.age),
        beat,
        formats.count(worker.leases),
        formats.count(worker.in_flight),
        formats.count(worker.pages),
        f"{worker.speed:.1f}",
        formats.count(worker.failures),
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
    details.append(("servers", _servers(status)))
    return details


def _states(frontier: FrontierView) -> list[str]:
    facts = [
        f"{formats.count(frontier.pending)} pending",
        f"{formats.count(frontier.leased)} out",
        f"{formats.count(frontier.done)} done",
        f"{formats.count(frontier.failed)} failed",
        f"{formats.count(frontier.dropped)} dropped",
        f"{formats.plural(frontier.hosts, 'host')}, {formats.count(frontier.waiting_hosts)} waiting",
    ]
    if frontier.quarantined:
        broken = "entry" if frontier.quarantined == 1 else "entries"
        facts.append(f"{formats.count(frontier.quarantined)} broken {broken} put aside")
    return facts


def _bands(bands: Sequence[int]) -> list[str]:
    """Return the bands that hold any, the best first."""
    held = [(number / len(bands), urls) for number, urls in enumerate(bands) if urls]
    return [f"from {low:.1f}: {formats.count(urls)}" for low, urls in reversed(held)]


def _errors(errors: dict[str, int]) -> list[str]:
    shown = [f"{formats.tidy(name, 40)} {formats.count(number)}" for name, number in errors.items()]
    rest = len(shown) - MOST_ERRORS
    return shown[:MOST_ERRORS] + ([f"and {rest} kinds more"] if rest > 0 else [])


def _servers(status: FleetStatus) -> list[str]:
    facts = []
    if status.frontier is not None:
        facts.append(f"Redis {_size(status.frontier.redis_bytes)} at {status.frontier_address}")
    if status.totals is not None:
        facts.append(f"PostgreSQL {_size(status.totals.database_bytes)} at {status.database_address}")
    return facts


@dataclass(frozen=True, slots=True)
class _Facts:
    """A name and what there is to say of it, in lines that break between two facts only."""

    name: str
    facts: Sequence[str]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = [Text.assemble((self.name, "dim"))]
        for fact in map(Text, self.facts):
            if lines[-1].cell_len + len(GAP) + fact.cell_len > options.max_width:
                lines.append(Text())
            lines[-1].append(GAP).append_text(fact)
        for text in lines:
            yield Text.assemble(text, no_wrap=True, overflow="ellipsis")


def _size(number: int) -> str:
    """Return bytes as people say it.

    >>> _size(999), _size(5_340_000), _size(12_000_000_000)
    ('999 bytes', '5.3 MB', '12.0 GB')
    """
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if number >= unit:
            return f"{number / unit:.1f} {name}"
    return formats.plural(number, "byte")
