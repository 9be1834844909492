from __future__ import annotations

import re

import pytest
from lxml import etree

from focused_crawler.report import charts
from focused_crawler.report.charts import line_of
from focused_crawler.report.plots import Plot
from focused_crawler.report.strokes import OWN, strokes_of
from focused_crawler.report.summary import Curve
from focused_crawler.store.history import ScoreBand
from tests.report.test_page import changed

RELEVANCES = [n / 999 for n in range(1000)]
PLOTS = {
    "curves": charts.curves(
        "a", "", [line_of("x", Curve((1, 2), (1.0, 0.5)), stroke) for stroke in strokes_of(list("abcdefgh"))]
    ),
    "time": charts.relevance_over_time(RELEVANCES),
    "histogram": charts.histogram(RELEVANCES),
    "frontier": charts.frontier(changed(bands=(ScoreBand(0.0, 0.1, 5), ScoreBand(0.1, 0.2, 0)))),
}


def drawn(plot: Plot) -> str:
    return plot.svg(plot.panels[0])


DRAWN = {name: drawn(plot) for name, plot in PLOTS.items()}


@pytest.fixture(params=PLOTS)
def svg(request) -> str:
    return DRAWN[request.param]


def test_a_plot_is_whole_xml(svg):
    """It can stand in any HTML page, and scales with it."""
    root = etree.fromstring(svg)
    assert "width" not in root.attrib
    assert root.get("viewBox") == "0 0 440 250"


def test_colours_and_font_come_from_the_page(svg):
    """No colour is fixed (it must suit light and dark), no font is named, no rule leaks out of the plot."""
    assert not re.findall(r"#[0-9a-f]{6}\b|#[0-9a-f]{3}\b", re.sub(r"(url\(|href=\")#\w+", "", svg))
    assert "font-family" not in svg
    assert "<style" not in svg


def test_a_long_crawl_is_thinned():
    """However many pages, there are at most 1,500 dots."""
    long = drawn(charts.relevance_over_time(RELEVANCES * 20))
    assert len(long) < 90_000


def test_low_rates_fill_the_plot():
    """A harvest of some per cent is not a line along the bottom; the first page's 100 % does not count."""
    curve = Curve(tuple(range(1, 101)), (1.0, *(0.04,) * 99))
    labels = re.findall(r">([\d.]+) %<", drawn(charts.curves("a", "", [line_of("x", curve, OWN)])))
    assert max(map(float, labels)) <= 5
