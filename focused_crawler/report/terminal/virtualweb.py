"""The figures of a web as tables for a terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rich.console import RenderableType
from rich.table import Table

from focused_crawler.report.terminal.output import lines
from focused_crawler.report.terminal.tables import table
from focused_crawler.safety.formats import count
from focused_crawler.virtualweb.stats import BUDGETS, LinkStats, RecordStats, SeedSetStats, TopicStats

_SHOWN = 8  # rows of a breakdown


def tables(web: str, records: RecordStats, links: LinkStats, topics: Sequence[TopicStats]) -> Iterator[Table]:
    """Return the tables of a web: totals, and where there are topics, how they lie and can be crawled."""
    yield _totals(web, records, links)
    if topics:
        yield _topics(topics)
    if any(topic.seed_sets for topic in topics):
        yield _seed_sets(topics)


def figures(records: RecordStats, links: LinkStats, topics: Sequence[TopicStats]) -> dict[str, Any]:
    """Return all figures as JSON has them; curves are left out."""
    return {
        **asdict(records),
        **asdict(links),
        "topics": {topic.name: asdict(topic, dict_factory=_figures) for topic in topics},
    }


def _figures(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    named = ((name, value) for name, value in pairs if name not in {"name", "bounds"})
    return {name: [area._asdict() for area in value] if name == "areas" else value for name, value in named}


def _totals(web: str, records: RecordStats, links: LinkStats) -> Table:
    rows = (
        ("records", count(records.records)),
        ("pages", count(links.pages)),
        ("hosts", count(records.hosts)),
        ("redirects", count(records.redirects)),
        ("statuses", _top({str(status): number for status, number in records.statuses.items()})),
        ("content types", _top(records.content_types)),
        ("links", f"{count(links.links)} ({links.links / max(links.pages, 1):.1f} a page)"),
        ("that lead to a page", f"{links.resolved / max(links.links, 1):.1%}"),
        ("pages a page leads to", f"mean {links.mean_degree:.1f}, median {links.median_degree:g}"),
        ("of these, on other hosts", f"{links.cross_host:.1%}"),
    )
    shown = table("|", "", rows=rows, title=web)
    shown.show_header = False
    return shown


def _top(counts: Mapping[str, int]) -> RenderableType:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    rest = [f"and {len(ranked) - _SHOWN} more"] if len(ranked) > _SHOWN else []
    return lines([f"{name} {count(number)}" for name, number in ranked[:_SHOWN]] + rest)


def _topics(topics: Sequence[TopicStats]) -> Table:
    rows = (
        (
            topic.name,
            *map(count, (topic.relevant, topic.hosts, topic.missing)),
            *map(_probability, (topic.base_rate, topic.after_relevant, topic.after_other)),
        )
        for topic in topics
    )
    numbers = ("relevant pages", "hosts", "not in the web", "any page", "relevant page", "other page")
    title = "Topics: P(relevant) of a page, by who links to it"
    return table("topic", *map(">{}".format, numbers), rows=rows, title=title)


def _probability(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _seed_sets(topics: Sequence[TopicStats]) -> Table:
    rows = (
        ("" if number else topic.name, name, *_cells(stats))
        for topic in topics
        for number, (name, stats) in enumerate(topic.seed_sets.items())
    )
    columns = ("topic", "seeds", ">reached", ">behind 1+", ">behind 2+", ">greedy", ">one-step")
    title = "Seed sets: relevant pages, and oracles' areas at |T| over the upper bound's"
    return table(*columns, rows=rows, title=title)


def _cells(stats: SeedSetStats) -> list[str]:
    shares = [f"{share:.1%}" for share in (stats.reached, stats.behind_one, stats.behind_two)]
    at_targets = stats.areas[BUDGETS.index(1.0)]
    return [*shares, f"{at_targets.greedy:.3f}", f"{at_targets.one_step:.3f}"]
