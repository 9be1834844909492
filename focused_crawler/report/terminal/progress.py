"""A crawl under way as people see it: a view for terminals, a line for logs, a panel at its end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.text import Text

from focused_crawler.crawl.failure import label
from focused_crawler.report import words
from focused_crawler.report.terminal.output import assembled, clipped, sentence
from focused_crawler.report.terminal.tables import panel, spread
from focused_crawler.safety import formats
from focused_crawler.safety.printable import one_line

_STATS = {
    "pages": "focused/pages",
    "revisits": "focused/revisits",
    "known": "focused/pages/known",
    "relevant": "focused/relevant",
    "harvest_rate": "focused/harvest_rate",
    "harvest_rate_100": "focused/harvest_rate_100",
    "harvest_rate_1000": "focused/harvest_rate_1000",
    "target_recall": "focused/target_recall",
    "pending": "focused/frontier/pending",
    "hosts": "focused/frontier/hosts",
    "failures": "focused/failures",
    "last_title": "focused/last_relevant_title",
}
"""Field of a snapshot -> the stat of Scrapy that it is read from."""
FAILURES, RETRIES = "focused/failures/", "focused/retries/"
"""Stats by class begin so."""
LATEST = 100
"""Pages whose rate is shown apart, where there are more."""
MOST_CLASSES = 3
"""Classes of failures that are shown, the most frequent first."""


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
    judged_by: str = ""  # a name of `store.judges`; empty: not known
    pending: int = 0
    hosts: int = 0
    failures: int = 0
    by_class: Mapping[str, int] = field(default_factory=dict)  # failures of this run
    retried: Mapping[str, int] = field(default_factory=dict)  # requests that wait to be tried again, or were
    busiest: tuple[str, int] = ("", 0)  # host, and its pages in this run
    bands: Sequence[int] = ()  # URLs of the frontier in equal bands of their scores, lowest first
    last_title: str = ""  # from the web: hostile
    budget: int = 0  # pages; 0: none
    speed: float = 0.0  # pages a second
    is_held_back: bool = False  # free slots wait for the best hosts
    elapsed: float = 0.0  # in this run

    @classmethod
    def from_stats(
        cls, stats: Mapping[str, Any], budget: int, speed: float, elapsed: float, **more: Any
    ) -> Self:
        """Read the crawl's stats; what is not there yet is 0. `more`: what no stat says.

        A failure counts from when it comes, not from when it is stored.
        """
        found = {field: stats[name] for field, name in _STATS.items() if stats.get(name) is not None}
        failed, retried = _by_class(stats, FAILURES), _by_class(stats, RETRIES)
        found["failures"] = max(found.get("failures", 0), sum(failed.values()))
        found |= {"by_class": failed, "retried": retried}
        return cls(**found, budget=budget, speed=speed, elapsed=elapsed, **more)

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


def view(heading: Text, now: Snapshot) -> RenderableType:
    """Return the view of a crawl under way. Crawled text is never markup."""
    found = [
        ("relevant", formats.count(now.relevant)),
        ("harvest rate", formats.percent(now.harvest_rate)),
    ]
    if now.pages > LATEST:
        found.append((f"last {LATEST}", formats.percent(now.harvest_rate_100)))
    if now.target_recall is not None:
        found.append(("target recall", formats.percent(now.target_recall)))
    if now.judged_by:
        found.append(("judged by", formats.tidy(now.judged_by)))
    work = [
        ("frontier", f"{formats.plural(now.pending, 'URL')} on {formats.plural(now.hosts, 'host')}"),
        ("speed", _speed(now)),
    ]
    host, pages = now.busiest
    if pages:
        work.append(("busiest host", f"{formats.tidy(host, 60)} {formats.plural(pages, 'page')}"))
    failed = [("failures", formats.count(now.failures)), *_worst(now.by_class, now.failures)]
    rows = [found, work, *_scores(now.bands), failed]
    if now.retried:
        rows.append([("tried again", formats.count(sum(now.retried.values()))), *_worst(now.retried)])
    last = clipped(f"last found  {formats.tidy(now.last_title, 200) or 'nothing yet'}")
    last.stylize("dim", 0, len("last found"))
    clock = sentence(_clock(now), "dim")
    return Group(spread(heading, clock), _progress(now), *map(_Facts, rows), last)


def _speed(now: Snapshot) -> str:
    return f"{now.speed:.1f} pages/s{', waits for the best hosts' if now.is_held_back else ''}"


def log_line(now: Snapshot) -> str:
    """Return the same as one line."""
    latest = f" (last {LATEST}: {formats.percent(now.harvest_rate_100)})" if now.pages > LATEST else ""
    parts = [
        _pages(now),
        f"{formats.count(now.relevant)} relevant",
        f"harvest rate {formats.percent(now.harvest_rate)}{latest}",
        f"frontier {formats.plural(now.pending, 'URL')} on {formats.plural(now.hosts, 'host')}",
        _speed(now),
        _failures(now),
        _clock(now),
    ]
    if now.retried:
        parts.insert(-1, f"{formats.count(sum(now.retried.values()))} tried again{_in_brackets(now.retried)}")
    if now.known:
        parts.insert(1, f"{formats.count(now.known)} known")
    if now.target_recall is not None:
        parts.insert(3 + bool(now.known), f"target recall {formats.percent(now.target_recall)}")
    return ", ".join(parts)


def closing(heading: Text, facts: Sequence[tuple[str, str]]) -> RenderableType:
    """Return the panel that ends a crawl: names and values between two lines."""
    styles = {"harvest rate": "bold"}
    return panel(heading, ((name, sentence(value, styles.get(name, ""))) for name, value in facts))


def closing_facts(now: Snapshot, reason: str, report: str | None) -> list[tuple[str, str]]:
    """Return what is to be said at the end, as (name, value)."""
    latest = ((LATEST, now.harvest_rate_100), (1000, now.harvest_rate_1000))
    lasts = [f"last {number:,}: {formats.percent(rate)}" for number, rate in latest if now.pages > number]
    total = formats.percent(now.harvest_rate) + (f"  ({', '.join(lasts)})" if lasts else "")
    facts = [
        ("harvest rate", total),
        ("pages", f"{formats.count(now.pages)}, {formats.count(now.relevant)} of them relevant"),
        ("failures", formats.count(now.failures) + _in_brackets(now.by_class, now.failures)),
        ("this run", formats.duration(now.elapsed)),
        ("stopped", words.why_stopped(reason, now.pending)),
        ("left", f"{formats.plural(now.pending, 'URL')} in the frontier"),
    ]
    if now.known:
        facts.insert(2, ("known", f"{formats.plural(now.known, 'page')} as an earlier crawl has them"))
    if now.revisits:
        facts.insert(2, ("revisits", formats.count(now.revisits)))
    if now.target_recall is not None:
        facts.insert(1, ("target recall", formats.percent(now.target_recall)))
    if now.judged_by:
        facts.insert(1, ("judged by", formats.tidy(now.judged_by)))
    if report:
        facts.append(("report", one_line(report)))
    return facts


def _by_class(stats: Mapping[str, Any], prefix: str) -> dict[str, int]:
    return {name.removeprefix(prefix): count for name, count in stats.items() if name.startswith(prefix)}


def _worst(classes: Mapping[str, int], of: int = 0) -> list[tuple[str, str]]:
    """Return the most frequent classes of failures in words, with their numbers; `of`: all there are."""
    worst = sorted(classes.items(), key=lambda one: (-one[1], one[0]))[:MOST_CLASSES]
    others = max(of, sum(classes.values())) - sum(number for _, number in worst)
    said = [(label(reason), formats.count(number)) for reason, number in worst]
    return [*said, ("others", formats.count(others))] if said and others else said


def _failures(now: Snapshot) -> str:
    return formats.plural(now.failures, "failure") + _in_brackets(now.by_class, now.failures)


def _in_brackets(classes: Mapping[str, int], of: int = 0) -> str:
    said = ", ".join(f"{words} {number}" for words, number in _worst(classes, of))
    return f" ({said})" if said else ""


def _scores(bands: Sequence[int]) -> Iterator[list[tuple[str, str]]]:
    """Yield the line of how many URLs of the frontier have which scores, the best first."""
    size = 1 / max(len(bands), 1)
    found = [
        (f"{number * size:.1f}-{(number + 1) * size:.1f}", formats.count(urls))
        for number, urls in reversed([*enumerate(bands)])
        if urls
    ]
    if found:
        (best, urls), *others = found
        yield [(f"scores {best}", urls), *others]


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
    pages = sentence(_pages(now), "bold")
    if not now.budget:
        return pages
    bar = ProgressBar(total=now.budget, completed=now.fetches, complete_style="blue", finished_style="blue")
    return spread(bar, pages)


@dataclass(frozen=True, slots=True)
class _Facts:
    """Names and values in as few lines as the terminal's width allows; a line ends between facts only."""

    facts: Sequence[tuple[str, str]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        line: list[Text] = []
        for name, value in self.facts:
            fact = assembled((f"{name} ", "dim"), value)
            if line and _GAP.join([*line, fact]).cell_len > options.max_width:
                yield _GAP.join(line)
                line = []
            line.append(fact)
        yield _GAP.join(line)


_GAP = sentence("   ")
