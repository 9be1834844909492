from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.stats import gather, page_links, topic_stats

HTML = {"Content-Type": "text/html; charset=utf-8"}
PAGE = b"""<a href="/b">b</a> <a href='b'>again</a>
<a href="http://www.c.example/">c</a> <a href="/gone">gone</a>
<a href="mailto:x@a.example">mail</a> <a href="http://[bad/">bad</a> <a>none</a> <a href="#top">itself</a>"""


def test_counts_of_a_small_web(make_web: Callable[..., Path]) -> None:
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
        stats = gather(web)
    assert (stats.records, stats.pages, stats.hosts, stats.redirects) == (7, 2, 2, 1)
    assert stats.statuses == {200: 4, 302: 1, 301: 1, 500: 1}
    assert stats.content_types == {"text/html": 3, "application/pdf": 1}
    assert (stats.links, stats.resolved_links, stats.cross_host_links) == (4, 3, 1)
    assert sorted(stats.page_bytes) == [4, len(PAGE)]


def test_topics_beside_a_web_are_counted(make_web: Callable[..., Path]) -> None:
    """Truth that the web does not hold is told apart."""
    path = make_web(("http://a.example/", 200, HTML, b"."), ("http://b.example/", 404, HTML, b"."))
    folder = path.parent / "web.topics" / "tea"
    folder.mkdir(parents=True)
    (folder / "relevant.txt").write_text("http://a.example/\nhttp://www.a.example\nhttp://b.example/\n")
    with VirtualWeb(path) as web:
        (topic,) = topic_stats(web)
    assert (topic.name, topic.relevant, topic.hosts, topic.missing) == ("tea", 2, 2, 1)


def test_pages_without_markup_have_no_links() -> None:
    """Empty, binary and broken pages are no trouble."""
    for body in (b"", b"\x00\xff\xfe", b"<!--", b"<", b"   "):
        assert page_links("http://a.example/", body) == {}
