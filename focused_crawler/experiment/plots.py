"""The figures of the papers, and what each strategy reaches: as PNG files and for the report's page."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from focused_crawler.experiment.checks import RANDOM, is_control
from focused_crawler.experiment.curves import MeanCurves, Quantity, Scale, harvest, recall
from focused_crawler.experiment.measures import (
    Best,
    Floats,
    RunTable,
    Setting,
    WebTopic,
    area,
    members_of,
    milliseconds_per_page,
    oracle,
    topics_of,
)
from focused_crawler.experiment.ranking import BASELINES, ORACLES
from focused_crawler.experiment.statistics import Band, intervals
from focused_crawler.report.hover import over_lines, over_rows
from focused_crawler.report.panels import DotRow, Line, Panel
from focused_crawler.report.plots import Plot
from focused_crawler.report.strokes import LOOKS, color_of, strokes_of
from focused_crawler.safety import formats

FAMILIES = {
    "Best-first": (
        "breadth_first",
        "least_loaded",
        "best_first_content",
        "best_first_anchor",
        "best_first_content_anchor",
        "mean_of_parents",
    ),
    "Link contexts and blocks": ("link_context", "cbp", "lpe", "lpe_soft"),
    "Semantic and hidden Markov": (
        "semantic_synonym",
        "semantic_hypernym",
        "hmm",
        "hmm_content",
        "hmm_content_anchor",
    ),
    "Focus, siblings, sharks, link classifier": (
        "hard_focus",
        "soft_focus",
        "unfocused",
        "thesaurus",
        "content_link_sibling",
        "shark_search",
        "link_classifier",
    ),
}
_CROWD = len(LOOKS)  # lines that can be distinguished in one plot
_LEADERS = 5
HOVERED = 20
"""Parts of a panel that say their values: a page has a hundred panels."""
_READING = "Faint: the other strategies. |T|: all relevant pages."
_CURVES: Sequence[tuple[str, str, str, Quantity]] = (
    (
        "harvest_rate",
        "Harvest rate",
        "Share of the fetched pages that are relevant: mean over topics, 95 % bands. " + _READING,
        harvest,
    ),
    (
        "target_recall",
        "Target recall",
        "Share of all relevant pages that was fetched: mean over topics, 95 % bands. " + _READING,
        recall,
    ),
)
_DOTTED, _DASHED = (1.2, 2.2), (5.0, 3.0)
_BOUNDS: Sequence[tuple[str, Best, tuple[float, ...]]] = (
    ("upper bound", "upper", _DOTTED),
    ("greedy oracle", "greedy", ()),
    ("one-step oracle", "one_step", (8.0, 3.0, 1.5, 3.0)),
)


def plots(table: RunTable) -> Iterator[Plot]:
    """Return all figures of a table of runs."""
    progress = MeanCurves(table, table.settings)
    ranking = table.values(area()).ranking()
    yield _areas(table, ranking)
    for file, title, note, quantity in _CURVES:
        bands = {strategy: progress.of_strategy(strategy, quantity) for strategy in ranking}
        panels = _families(progress.scale, bands, progress.of_bound("upper", quantity))
        yield Plot(file, title, note, panels, 2, (6.6, 3.3), (440, 250))
    later = progress.after_first_targets()
    if later.scale.points.size:
        bands = {strategy: later.share_of_upper(strategy) for strategy in ranking}
        panels = _families(later.scale, bands, None)
        note = "Relevant pages found, over the most that any crawl can find in as many pages; 95 % bands. "
        note += _READING
        yield Plot("share_of_upper", "Share of what could be found", note, panels, 2, (6.6, 3.3), (440, 250))
    yield _topics(table, ranking)
    yield _cost(table)


def _areas(table: RunTable, ranking: Sequence[str]) -> Plot:
    values = table.values(area())
    means, parts = intervals(values), values.by_topic()
    rows = [
        DotRow(
            formats.tidy(name),
            means[name].mean,
            (means[name].low, means[name].high) if means[name].is_known else None,
            parts[name],
            _color(name),
        )
        for name in ranking
    ]
    marks = [(name, table.values(oracle(best)).means()[ranking[0]]) for name, best in ORACLES.items()]
    note = "Large dots: means over topics, with 95 % intervals. Small dots: topics."
    title = "Area under R(n) at |T| pages, over the upper bound's"
    height = len(rows) + 2
    inches, pixels = (9, 0.3 * height + 0.4), (440, 21 * height + 30)
    texts = [f"{row.name}: {row.mean:.3f}{_span(row.interval)}" for row in rows]
    x_label = "share of the upper bound's area"
    panel = Panel("", (), over_rows(texts), x_label, rows=rows, marks=marks)
    return Plot("areas", title, note, [panel], 1, inches, pixels)


def _span(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else " (95 %: {:.3f} to {:.3f})".format(*interval)


def _color(strategy: str) -> str:
    return "muted" if is_control(strategy) else color_of(strategy)


def _families(scale: Scale, bands: Mapping[str, Band], upper: Floats | None) -> list[Panel]:
    """Draw one panel a family of strategies, in each the best of all and, faintly, the rest."""
    best = next((strategy for strategy in bands if not is_control(strategy)), "")
    return [
        _line_panel(family, scale, _cast(members, best, scale.points, bands, upper))
        for family, members in _groups(list(bands))
    ]


def _groups(strategies: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Part strategies into families small enough for one plot; few of them stay together."""
    own = [strategy for strategy in strategies if not is_control(strategy)]
    if len(own) <= _CROWD:
        return [("", own)]
    groups = [(family, [name for name in own if name in members]) for family, members in FAMILIES.items()]
    known = {name for members in FAMILIES.values() for name in members}
    others = [name for name in own if name not in known]
    groups += [("Others", others[first : first + _CROWD]) for first in range(0, len(others), _CROWD)]
    return [(family, members) for family, members in groups if members]


def _cast(
    members: Sequence[str], best: str, x: Floats, bands: Mapping[str, Band], upper: Floats | None
) -> list[Line]:
    """Return the lines of a panel: its members, the best of all, the random control, the bound, the rest."""
    lines = _strategy_lines(members, x, bands)
    if best and best not in members:
        lines.append(Line(f"{formats.tidy(best)} (best of all)", x, bands[best].mean, "ink", (), 1.5))
    if upper is not None:
        lines.append(Line("upper bound", x, upper, "ink", _DOTTED, 1.5))
    return lines + _background(x, bands, {*members, best})


def _strategy_lines(names: Sequence[str], x: Floats, bands: Mapping[str, Band]) -> list[Line]:
    """Return lines with the colours of their strategies, in the order of names."""
    lines = []
    for name, stroke in zip(names, strokes_of(names), strict=True):
        mean, low, high = bands[name]
        band = (low, high) if bands[name].is_known else None
        lines.append(Line(formats.tidy(name), x, mean, stroke.color, stroke.look.dashes, 2.0, band))
    return lines


def _background(x: Floats, bands: Mapping[str, Band], shown: Collection[str]) -> list[Line]:
    lines = [Line("", x, band.mean) for name, band in bands.items() if name not in {*shown, RANDOM}]
    if RANDOM in bands:
        lines.append(Line(RANDOM, x, bands[RANDOM].mean, "muted", _DASHED, 1.6))
    return lines


def _line_panel(title: str, scale: Scale, lines: Sequence[Line]) -> Panel:
    hovers = over_lines(lines, scale.label, parts=HOVERED)
    return Panel(title, lines, hovers, scale.label, most=1.0)


def _topics(table: RunTable, ranking: Sequence[str]) -> Plot:
    """Draw one panel a topic: target recall of the best strategies and of the baselines, under the bounds."""
    leaders = [strategy for strategy in ranking if not is_control(strategy)][:_LEADERS]
    named = leaders + [name for name in BASELINES if name in ranking and name not in leaders]
    topics = zip(topics_of(table.settings), members_of(table.settings), strict=True)
    panels = [
        _topic_panel(table, topic, [table.settings[position] for position in members], named)
        for topic, members in topics
    ]
    note = "Share of a topic's relevant pages that was fetched: mean over seed sets. " + _READING
    return Plot("topics", "Target recall, topic by topic", note, panels, 3, (3.7, 2.7), (290, 200), True)


def _topic_panel(
    table: RunTable, topic: WebTopic, settings: Sequence[Setting], named: Sequence[str]
) -> Panel:
    progress = MeanCurves(table, settings)
    x = progress.scale.points
    bands = {name: progress.of_strategy(name, recall) for name in table.strategies}
    lines = _strategy_lines(named, x, bands)
    for name, best, dashes in _BOUNDS:
        lines.append(Line(name, x, progress.of_bound(best, recall), "ink", dashes, 1.4))
    lines += _background(x, bands, named)
    return _line_panel(formats.tidy(table.name_of(topic), 60), progress.scale, lines)


def _cost(table: RunTable) -> Plot:
    values = table.values(milliseconds_per_page)
    means = values.means()
    bars = [(formats.tidy(name), means[name]) for name in values.ranking()]
    note = "What frontier and strategy take of a page; pages were parsed and classified before."
    height = len(bars) + 1
    inches, pixels = (9, 0.3 * height + 0.4), (440, 21 * height + 35)
    hovers = over_rows([f"{name}: {value:.3f} ms" for name, value in bars])
    panel = Panel("", (), hovers, "milliseconds of CPU time a page", bars=bars)
    return Plot("cost", "Running time a page", note, [panel], 1, inches, pixels)
