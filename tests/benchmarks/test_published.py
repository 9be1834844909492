"""What the study of sitemaps, feeds and heads of pages leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.studies.published import Read, SilentWeb
from focused_crawler.virtualweb.analysed.web import AnalysedWeb
from focused_crawler.virtualweb.writer import WebWriter

URL = "http://a.example/list?page=2"
PAGE = b"""<head><link rel=canonical href=/list>
<link rel="prev" href="/list?page=1"><link rel=next href="/list?page=3">
<body><p>Bees keep honey. <a rel=next href="/list?page=3">more</a> <a href=/hive>a hive</a>"""


@pytest.mark.parametrize(
    ("read", "canonical", "links"),
    [
        (Read(), "", ["/list?page=3", "/hive"]),
        (Read(series=True), "", ["/list?page=1", "/list?page=3", "/list?page=3", "/hive"]),
        (Read(canonical=True), "http://a.example/list", ["/list?page=3", "/hive"]),
    ],
)
def test_a_silent_web_names_only_what_is_read(
    read: Read, canonical: str, links: list[str], tmp_path: Path
) -> None:
    """A link that readers see stays, whatever its rel."""
    with WebWriter(tmp_path / "web.warc.gz") as writer:
        writer.write(URL, 200, [("Content-Type", "text/html")], PAGE)
    with AnalysedWeb(tmp_path / "web.warc.gz") as web:
        page = SilentWeb(web, read).page(0)
    assert page.named.canonical == canonical
    assert [link.url for link in page.links] == [f"http://a.example{link}" for link in links]
