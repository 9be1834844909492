from __future__ import annotations

import matplotlib as mpl
from matplotlib.image import imread

from focused_crawler.report import charts
from focused_crawler.report.panels import Line, Panel


def test_a_legend_has_the_order_of_the_ends() -> None:
    """The highest first, as the lines themselves stand; one without a name has no place in it."""
    ends = {"low": 1.0, "high": 9.0, "": 5.0, "middle": 4.0}
    lines = [Line(name, [0, 1], [9.9 - end, end]) for name, end in ends.items()]
    assert [line.name for line in Panel("", lines).legend] == ["high", "middle", "low"]


def test_a_users_matplotlib_settings_do_not_matter(tmp_path) -> None:
    """Figures look alike on every machine."""
    plot = charts.histogram([n / 999 for n in range(1000)])
    own = plot.save(tmp_path).read_bytes()
    with mpl.rc_context({"font.size": 40, "axes.grid": True, "lines.linewidth": 9}):
        assert plot.save(tmp_path).read_bytes() == own


def test_a_page_is_a_dot_of_a_figure(tmp_path) -> None:
    """As its note says: some thousand points of the picture have their hue, the line is blue."""
    picture = imread(charts.relevance_over_time([0.0, 1.0] * 200).save(tmp_path))
    red, _, blue = picture[..., :3].transpose(2, 0, 1)
    assert (red - blue > 0.2).sum() > 1000
