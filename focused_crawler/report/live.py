"""What a crawl under way shows: a display for terminals, a line for logs, a panel at its end."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from rich.box import HORIZONTALS
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from focused_crawler.report import words
from focused_crawler.safety import formats

NO_BREAK = "\u00a0"


class Speed:
    """Pages a second over the last `window` seconds, from what `record` was told."""

    def __init__(self, window: float = 60.0) -> None:
        self._window = window
        self._samples: deque[tuple[float, int]] = deque()

    def record(self, now: float, pages: int) -> None:
        """Take a look at the clock (seconds) and at the number of pages so far."""
        self._samples.append((now, pages))
        while len(self._samples) > 2 and self._samples[1][0] < now - self._window:
            self._samples.popleft()

    @property
    def value(self) -> float:
        """Pages a second; 0 before the second look."""
        if len(self._samples) < 2:
            return 0.0
        (first, before), (last, pages) = self._samples[0], self._samples[-1]
        return (pages - before) / (last - first) if last > first else 0.0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A crawl at one moment. Rates are in [0, 1]; times are seconds."""

    pages: int = 0
    revisits: int = 0
    known: int = 0  # pages that an earlier crawl has as they are: none of `pages`
    relevant: int = 0
    harvest_rate: float = 0.0
    harvest_rate_100: float = 0.0
    harvest_rate_1000: float = 0.0
    target_recall: float | None = None
    pending: int = 0
    hosts: int = 0
    failures: int = 0
    last_title: str = ""  # from the web: hostile
    budget: int = 0  # pages; 0: none
    speed: float = 0.0  # pages a second
    elapsed: float = 0.0  # in this run

    @classmethod
    def from_stats(cls, stats: Mapping[str, Any], budget: int, speed: float, elapsed: float) -> Self:
        """Read the crawl's stats; what is not there yet is 0."""
        return cls(
            pages=stats.get("focused/pages", 0),
            revisits=stats.get("focused/revisits", 0),
            known=stats.get("focused/pages/known", 0),
            relevant=stats.get("focused/relevant", 0),
            harvest_rate=stats.get("focused/harvest_rate", 0.0),
            harvest_rate_100=stats.get("focused/harvest_rate_100", 0.0),
            harvest_rate_1000=stats.get("focused/harvest_rate_1000", 0.0),
            target_recall=stats.get("focused/target_recall"),
            pending=stats.get("focused/frontier/pending", 0),
            hosts=stats.get("focused/frontier/hosts", 0),
            failures=stats.get("focused/failures", 0),
            last_title=str(stats.get("focused/last_relevant_title") or ""),
            budget=budget,
            speed=speed,
            elapsed=elapsed,
        )

    @property
    def fetches(self) -> int:
        """Pages and revisits: what the budget is spent on."""
        return self.pages + self.revisits

    @property
    def seconds_left(self) -> float | None:
        """How long the rest of the budget takes at this speed; None when that is unknown."""
        if not self.budget or self.speed <= 0:
            return None
        return max(self.budget - self.fetches, 0) / self.speed


def display(heading: Text, now: Snapshot) -> RenderableType:
    """Return the display of a crawl under way. Crawled text is put in as `Text`, never as markup."""
    found = [
        ("relevant", formats.count(now.relevant)),
        ("harvest rate", formats.percent(now.harvest_rate)),
        ("last 100", formats.percent(now.harvest_rate_100)),
    ]
    if now.target_recall is not None:
        found.append(("target recall", formats.percent(now.target_recall)))
    work = [
        ("frontier", f"{formats.plural(now.pending, 'URL')} on {formats.plural(now.hosts, 'host')}"),
        ("speed", f"{now.speed:.1f} pages/s"),
        ("failures", formats.count(now.failures)),
    ]
    title = formats.tidy(now.last_title, 200) or "nothing yet"
    last = Text.assemble(("last found  ", "dim"), title, overflow="ellipsis", no_wrap=True)
    return Group(
        _spread(heading, Text(_clock(now), "dim")), _progress(now), _facts(found), _facts(work), last
    )


def log_line(now: Snapshot) -> str:
    """Return the same as one line."""
    parts = [
        _pages(now),
        f"{formats.count(now.relevant)} relevant",
        f"harvest rate {formats.percent(now.harvest_rate)}"
        f" (last 100: {formats.percent(now.harvest_rate_100)})",
        f"frontier {formats.plural(now.pending, 'URL')} on {formats.plural(now.hosts, 'host')}",
        f"{now.speed:.1f} pages/s",
        formats.plural(now.failures, "failure"),
        _clock(now),
    ]
    if now.known:
        parts.insert(1, f"{formats.count(now.known)} known")
    if now.target_recall is not None:
        parts.insert(-4, f"target recall {formats.percent(now.target_recall)}")
    return ", ".join(parts)


def closing(heading: Text, now: Snapshot, reason: str, report: str | None) -> RenderableType:
    """Return the panel that ends a crawl: `reason` as Scrapy gives it, `report` a path."""
    table = Table.grid(padding=(0, 3, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in closing_facts(now, reason, report):
        table.add_row(name, Text(value, style="bold" if name == "harvest rate" else ""))
    return Panel(table, title=heading, title_align="left", box=HORIZONTALS, padding=(0, 1))


def closing_facts(now: Snapshot, reason: str, report: str | None) -> list[tuple[str, str]]:
    """Return what is to be said at the end, as (name, value)."""
    rates = (now.harvest_rate, now.harvest_rate_100, now.harvest_rate_1000)
    total, hundred, thousand = map(formats.percent, rates)
    facts = [
        ("harvest rate", f"{total}  (last 100: {hundred}, last 1,000: {thousand})"),
        ("pages", f"{formats.count(now.pages)}, {formats.count(now.relevant)} of them relevant"),
        ("this run", f"{formats.duration(now.elapsed)}, {formats.plural(now.failures, 'failure')}"),
        ("stopped", words.why_stopped(reason, now.pending)),
        ("left", f"{formats.plural(now.pending, 'URL')} in the frontier"),
    ]
    if now.known:
        facts.insert(2, ("known", f"{formats.plural(now.known, 'page')} as an earlier crawl has them"))
    if now.revisits:
        facts.insert(2, ("revisits", formats.count(now.revisits)))
    if now.target_recall is not None:
        facts.insert(1, ("target recall", formats.percent(now.target_recall)))
    if report:
        facts.append(("report", report))
    return facts


def _pages(now: Snapshot) -> str:
    again = f" and {formats.plural(now.revisits, 'revisit')}" if now.revisits else ""
    if not now.budget:
        return formats.plural(now.pages, "page") + again
    if again:
        return f"{formats.plural(now.pages, 'page')}{again} of {formats.count(now.budget)}"
    return f"{formats.count(now.pages)} of {formats.plural(now.budget, 'page')}"


def _clock(now: Snapshot) -> str:
    left = now.seconds_left
    coming = f", about {formats.duration(max(round(left), 1))} left" if left else ""
    return f"{formats.duration(round(now.elapsed))} gone{coming}"


def _progress(now: Snapshot) -> RenderableType:
    pages = Text(_pages(now), "bold")
    if not now.budget:
        return pages
    bar = ProgressBar(total=now.budget, completed=now.fetches, complete_style="blue", finished_style="blue")
    return _spread(bar, pages)


def _facts(facts: Sequence[tuple[str, str]]) -> Text:
    """Set names and values in a line; it breaks between facts only."""
    parts = [
        Text.assemble((f"{name} ".replace(" ", NO_BREAK), "dim"), value.replace(" ", NO_BREAK))
        for name, value in facts
    ]
    return Text("   ").join(parts)


def _spread(left: RenderableType, right: Text) -> Table:
    grid = Table.grid(expand=True, padding=(0, 2, 0, 0))
    grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    grid.add_column(justify="right", no_wrap=True)
    grid.add_row(left, right)
    return grid
