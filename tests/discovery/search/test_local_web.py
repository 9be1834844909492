"""A search over a recorded web."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from focused_crawler.discovery.search.local import search_web
from focused_crawler.safety.errors import WebError
from focused_crawler.virtualweb.writer import WebWriter

HTML = (("Content-Type", "text/html"),)
PAGES = {
    "http://a.org/bees": "<title>Of bees</title><h1>Bees</h1><p>They make <a href=/wax>honey and wax</a>.",
    "http://a.org/wasps": "<title>Of wasps</title><p>No honey here.",
    "http://b.org/copy": "<title>Of bees</title><h1>Bees</h1><p>They make <a href=/x>honey and wax</a>.",
    "http://a.org/empty": "<p>",
}


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def write(path: Path, pages: dict[str, str]) -> Path:
    with WebWriter(path) as writer:
        for url, body in pages.items():
            writer.write(url, 200, HTML, body.encode())
        writer.write("http://a.org/gone", 404, HTML, b"No honey at all")
    return path


@pytest.fixture
def web(tmp_path: Path) -> Path:
    return write(tmp_path / "web.warc.gz", PAGES)


def found(web: Path, query: str, language: str = "en") -> list[str]:
    with closing(search_web(web, language)) as search:
        return [result.url for result in search.search(query, 10)]


def test_pages_are_found(web: Path) -> None:
    """By text, anchors, titles and URLs; copies once, failures and pages without words never."""
    assert sorted(found(web, "honey")) == ["http://a.org/bees", "http://a.org/wasps"]
    assert found(web, '"honey and wax" bees') == ["http://a.org/bees"]
    assert found(web, "honey -wax") == ["http://a.org/wasps"]
    assert found(web, "empty") == []


def test_results_have_title_and_snippet(web: Path) -> None:
    """As a reader sees the page."""
    with closing(search_web(web)) as search:
        (result,) = search.search("wax", 1)
    assert (result.title, result.snippet) == ("Of bees", "Bees They make honey and wax.")


def test_the_index_is_kept(web: Path) -> None:
    """Beside the web, one a language; made anew where the web is another, or the file is damaged."""
    found(web, "honey")
    (path,) = web.parent.glob("web.warc.gz.search-*")
    made = path.stat().st_mtime_ns
    found(web, "honey")
    assert path.stat().st_mtime_ns == made
    found(web, "honey", "de")
    assert len(list(web.parent.glob("web.warc.gz.search-*"))) == 2
    path.write_bytes(path.read_bytes()[:5000])
    assert len(found(web, "honey")) == 2
    write(web, {"http://a.org/new": "Honey of spring"})
    assert len(found(web, "honey")) == 3


def test_the_language_says_what_a_word_is(tmp_path: Path) -> None:
    """Its stems, and which words say nothing."""
    web = write(tmp_path / "web.warc.gz", {"http://a.de/": "<p>Alte Häuser in Köln"})
    assert found(web, "haus", "de") == ["http://a.de/"]
    assert found(web, "haus", "en") == []


def test_there_is_no_such_web(tmp_path: Path) -> None:
    """As everywhere."""
    with pytest.raises(WebError, match=r"gone\.warc\.gz"):
        search_web(tmp_path / "gone.warc.gz")
