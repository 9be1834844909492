"""The bounds of a topic as a picture: what can be found, over the pages fetched."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from focused_crawler.report.style import Colors, save_png
from focused_crawler.virtualweb.stats import SeedSetStats, TopicStats

_COLUMNS = 3
_WIDTH, _HEIGHT = 3.6, 2.7  # inches of a panel
_LINES = (  # the later lie on top: the first two are often one
    ("greedy oracle", "greedy", "series-0", "-", 2.6),
    ("upper bound", "upper", "ink", (0, (1.2, 2.2)), 1.4),
    ("one-step oracle", "one_step", "series-1", (0, (5.0, 2.0)), 1.6),
)


def save_bounds(topic: TopicStats, path: Path) -> None:
    """Draw a panel for each seed set of a topic; OSError if the file cannot be written."""
    columns = min(_COLUMNS, len(topic.seed_sets))
    rows = -(-len(topic.seed_sets) // columns)

    def draw(figure: Figure, colors: Colors) -> None:
        figure.suptitle(f"{topic.name}: {topic.relevant:,} relevant pages", x=0.01, ha="left")
        places = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes in places[len(topic.seed_sets) :]:
            axes.remove()
        for axes, (name, stats) in zip(places, topic.seed_sets.items(), strict=False):
            _draw_panel(axes, colors, f"seed set {name}", stats)
        figure.legend(
            *places[0].get_legend_handles_labels(), loc="outside upper right", ncols=3, frameon=False
        )

    save_png(path, (max(2, columns) * _WIDTH, rows * _HEIGHT + 0.4), draw)


def _draw_panel(axes: Axes, colors: Colors, title: str, stats: SeedSetStats) -> None:
    for name, curve, color, style, width in _LINES:
        values = getattr(stats.bounds, curve)
        axes.plot(values, color=colors[color], linestyle=style, linewidth=width, label=name)
    axes.set_title(title, loc="left", fontsize="medium")
    axes.set_xlabel("pages fetched")
    axes.set_ylabel("relevant pages")
    axes.set_xlim(0, len(stats.bounds.upper) - 1)
    axes.set_ylim(0, None)
    axes.grid(axis="y")
    axes.spines[["top", "right", "left"]].set_visible(False)
