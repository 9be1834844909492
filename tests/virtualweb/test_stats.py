from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from focused_crawler.virtualweb.analysed.web import AnalysedWeb
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.stats import link_stats, record_stats

HTML = {"Content-Type": "text/html; charset=utf-8"}
PAGE = b"""<p>A page. <a href="/b">b</a> <a href='b'>again</a> <a href="https://a.example/b">and again</a>
<a href="http://www.c.example/">c</a> <a href="/gone">gone</a> <a href="/fault">fault</a>
<a href="mailto:x@a.example">mail</a> <a href="http://[bad/">bad</a> <a>none</a>"""


def test_counts_of_records(make_web: Callable[..., Path]) -> None:
    """Each number is what one counts by hand."""
    path = make_web(
        ("http://a.example/", 200, HTML, PAGE),
        ("http://a.example/b", 200, HTML, b"<p>b"),
        ("http://a.example/b", 200, HTML, b"<p>the same page once more"),
        ("http://a.example/pdf", 200, {"Content-Type": "application/pdf"}, b"%PDF"),
        ("http://c.example/", 302, {"Location": "/new"}, b""),
        ("http://c.example/new", 500, HTML, b""),
        ("http://d.example/", 301, {"Location": "https://d.example/"}, b""),
    )
    with VirtualWeb(path) as web:
        stats = record_stats(web)
    assert (stats.records, stats.hosts, stats.redirects) == (7, 2, 1)
    assert stats.statuses == {200: 4, 302: 1, 301: 1, 500: 1}
    assert stats.content_types == {"text/html": 3, "application/pdf": 1}


def test_counts_of_links(make_web: Callable[..., Path]) -> None:
    """Distinct ones of a page; they lead to a page if their redirects do, whatever else is recorded."""
    path = make_web(
        ("http://a.example/", 200, HTML, PAGE),
        ("http://a.example/b", 200, HTML, b'<p><a href="/">a</a>'),
        ("http://a.example/fault", 500, HTML, b"<p>sorry"),
        ("http://www.c.example/", 302, {"Location": "/new"}, b""),
        ("http://www.c.example/new", 200, HTML, b'<p><a href="/">itself, by way of a redirect</a>'),
    )
    ticks = []
    with AnalysedWeb(path) as web:
        stats = link_stats(web, lambda: ticks.append(1))
    assert (stats.pages, len(ticks)) == (3, 3)
    assert (stats.links, stats.resolved) == (4 + 1 + 1, 2 + 1 + 1)
    assert stats.mean_degree == pytest.approx((2 + 1 + 0) / 3)
    assert stats.median_degree == 1
    assert stats.cross_host == pytest.approx(1 / 3)


def test_a_web_without_pages_has_no_links(make_web: Callable[..., Path]) -> None:
    """Every share is 0."""
    path = make_web(("http://a.example/", 404, HTML, b""))
    with AnalysedWeb(path) as web:
        stats = link_stats(web)
    assert (stats.pages, stats.links, stats.mean_degree, stats.median_degree, stats.cross_host) == (0,) * 5
