"""The figures of a web as tables for a terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rich.table import Table

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
    table = Table(title=web, title_justify="left", show_header=False)
    rows = {
        "records": f"{records.records:,}",
        "pages": f"{links.pages:,}",
        "hosts": f"{records.hosts:,}",
        "redirects": f"{records.redirects:,}",
        "statuses": _top({str(status): count for status, count in records.statuses.items()}),
        "content types": _top(records.content_types),
        "links": f"{links.links:,} ({links.links / max(links.pages, 1):.1f} a page)",
        "that lead to a page": f"{links.resolved / max(links.links, 1):.1%}",
        "pages a page leads to": f"mean {links.mean_degree:.1f}, median {links.median_degree:g}",
        "of these, on other hosts": f"{links.cross_host:.1%}",
    }
    for name, value in rows.items():
        table.add_row(name, value)
    return table


def _top(counts: dict[str, int]) -> str:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    lines = [f"{name} {count:,}" for name, count in ranked[:_SHOWN]]
    return "\n".join([*lines, f"and {len(ranked) - _SHOWN} more"] if len(ranked) > _SHOWN else lines)


def _topics(topics: Sequence[TopicStats]) -> Table:
    table = Table("topic", title="Topics: P(relevant) of a page, by who links to it", title_justify="left")
    for name in ("relevant pages", "hosts", "not in the web", "any page", "relevant page", "other page"):
        table.add_column(name, justify="right")
    for topic in topics:
        table.add_row(
            topic.name,
            f"{topic.relevant:,}",
            f"{topic.hosts:,}",
            f"{topic.missing:,}",
            f"{topic.base_rate:.4f}",
            _probability(topic.after_relevant),
            _probability(topic.after_other),
        )
    return table


def _probability(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def _seed_sets(topics: Sequence[TopicStats]) -> Table:
    title = "Seed sets: relevant pages, and oracles' areas at |T| over the upper bound's"
    table = Table("topic", "seeds", title=title, title_justify="left")
    for name in ("reached", "behind 1+", "behind 2+", "greedy", "one-step"):
        table.add_column(name, justify="right")
    for topic in topics:
        for number, (name, stats) in enumerate(topic.seed_sets.items()):
            table.add_row("" if number else topic.name, name, *_cells(stats))
    return table


def _cells(stats: SeedSetStats) -> list[str]:
    shares = [f"{share:.1%}" for share in (stats.reached, stats.behind_one, stats.behind_two)]
    at_targets = stats.areas[BUDGETS.index(1.0)]
    return [*shares, f"{at_targets.greedy:.3f}", f"{at_targets.one_step:.3f}"]
