from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from matplotlib.image import imread

from focused_crawler.experiment import plots
from focused_crawler.experiment.checks import is_control
from focused_crawler.experiment.measures import RunTable
from focused_crawler.report.html import style_sheet
from focused_crawler.report.panels import apart
from focused_crawler.report.plots import Plot
from tests.experiment.random_runs import PAPERS, TOPICS, random_runs, settings

FILES = ["areas", "harvest_rate", "target_recall", "share_of_upper", "topics", "cost"]


def plots_of(everywhere, strategies, **sizes) -> dict[str, Plot]:
    found = list(plots.plots(RunTable.of(*random_runs(everywhere, strategies, **sizes))))
    return {plot.file: plot for plot in found}


@pytest.fixture(scope="module")
def all_plots() -> dict[str, Plot]:
    return plots_of(settings(["w"], TOPICS, "ab"), PAPERS)


def test_every_figure_is_a_picture(all_plots, tmp_path) -> None:
    """Six files, each large enough to read and not blank."""
    assert list(all_plots) == FILES
    for plot in all_plots.values():
        picture = imread(plot.save(tmp_path))
        assert picture.shape[0] > 400
        assert picture.shape[1] > 1000
        assert np.std(picture[..., :3]) > 0.02
        assert (tmp_path / f"{plot.file}.png").stat().st_size < 800_000


def test_on_a_page_the_style_sheet_colours_them(all_plots) -> None:
    """Well-formed, named for screen readers, and every colour one that knows light from dark."""
    for plot in all_plots.values():
        drawn = plot.svg(plot.panels[0])
        root = etree.fromstring(drawn)
        assert plot.title in root.get("aria-label")
        assert "#" not in drawn
        used = {part.split(")")[0] for part in drawn.split("var(")[1:]}
        assert used
        assert all(f"{variable}: #" in style_sheet() for variable in used)


def test_every_strategy_is_named_in_one_panel(all_plots) -> None:
    """Fifteen lines are too many for one plot: families part them, the others lie faintly behind."""
    panels = all_plots["target_recall"].panels
    own = [line.name for panel in panels for line in panel.lines if line.band is not None]
    assert sorted(own) == sorted({name for name in PAPERS if not is_control(name)})
    for panel in panels:
        assert len(panel.lines) >= len(PAPERS) - 1  # all but a control, and the bound
        assert sum(line.name == "upper bound" for line in panel.lines) == 1


names = st.lists(
    st.sampled_from([*PAPERS, *(f"mine_{n}" for n in range(20))]), unique=True, min_size=1, max_size=30
)


@given(names)
def test_groups_hold_every_strategy_once(strategies) -> None:
    """Whatever was run, a user's own strategies included: each stands in one group that is not too large."""
    groups = plots._groups(strategies)
    members = [name for _, group in groups for name in group]
    assert sorted(members) == sorted({name for name in strategies if not is_control(name)})
    assert all(len(group) <= 8 for _, group in groups)


def test_no_two_lines_of_a_panel_look_alike(all_plots) -> None:
    """Named lines differ in colour, and without colour in dashes or width."""
    for file in ("harvest_rate", "target_recall", "share_of_upper", "topics"):
        for panel in all_plots[file].panels:
            looks = [(line.dashes, line.width) for line in panel.lines if line.name]
            assert len(set(looks)) == len(looks)


def test_topics_show_the_best_the_baselines_and_the_bounds(all_plots) -> None:
    """One panel a topic; what is named is the same in all of them."""
    plot = all_plots["topics"]
    assert [panel.title for panel in plot.panels] == list(TOPICS)
    named = [{line.name for line in panel.lines if line.name} for panel in plot.panels]
    assert all(one == named[0] for one in named)
    assert {"breadth_first", "best_first_content_anchor", "random", "shark_search"} <= named[0]
    assert {"upper bound", "greedy oracle", "one-step oracle"} <= named[0]


@pytest.mark.parametrize(
    ("everywhere", "strategies", "sizes"),
    [
        (settings(["w"], ["x"], "a"), ["lpe"], {}),
        (settings(["w"], ["x", "y"], "a"), ["random", "shuffled"], {"budget": 30}),
        (
            settings(["v", "w"], ["x"], "a"),
            ["$\\frac$", "<b>&_%", *(f"mine_{n}" for n in range(7))],
            {"targets": 6},
        ),
    ],
)
def test_small_and_strange_experiments_have_plots(tmp_path, everywhere, strategies, sizes) -> None:
    """One run, controls alone, a small budget, names that are not words: no crash and no warning."""
    drawn = plots_of(everywhere, strategies, **sizes)
    for plot in drawn.values():
        plot.save(tmp_path)
        for panel in plot.panels:
            assert etree.fromstring(plot.svg(panel)).tag.endswith("svg")
    assert len(list(tmp_path.glob("*.png"))) == len(drawn) > 0


@given(st.lists(st.floats(0, 1), max_size=9).map(sorted))
def test_names_at_the_ends_of_lines_never_overlap(heights) -> None:
    """They keep their order and their distance, and stay beside the plot."""
    placed = apart(heights, 0.062)
    assert all(later - earlier >= 0.062 - 1e-9 for earlier, later in pairwise(placed))
    assert all(-1e-9 <= height <= 1 + 1e-9 for height in placed)
