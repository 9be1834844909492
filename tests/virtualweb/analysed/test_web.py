from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import brotli
import pytest
from w3lib.encoding import http_content_type_encoding

import focused_crawler
from focused_crawler.page.blocks import partition
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import WebError
from focused_crawler.virtualweb.analysed import reader as analysed_reader
from focused_crawler.virtualweb.analysed import web as analysed
from focused_crawler.virtualweb.analysed.file import SOURCES
from focused_crawler.virtualweb.analysed.web import AnalysedWeb, Reading, WebAnswer
from focused_crawler.virtualweb.index import VirtualWeb

HTML = {"Content-Type": "text/html; charset=utf-8"}
SITE = "http://example.org"
MakeWeb = Callable[..., Path]


def page(*links: str, head: str = "") -> bytes:
    anchors = "".join(f'<a href="{link}">to {link}</a>' for link in links)
    return f"<html><head>{head}</head><body><p>Bees keep honey. {anchors}</p></body></html>".encode()


def refresh(target: str, seconds: int = 0) -> bytes:
    return page(head=f'<meta http-equiv="refresh" content="{seconds};url={target}">')


@pytest.fixture
def odd_web(make_web: MakeWeb) -> Path:
    """A web with one answer of each kind."""
    return make_web(
        (f"{SITE}/", 200, HTML, page("/old", "/", "b", "/b", "/nowhere", "http://www.example.org/b/")),
        (f"{SITE}/b", 200, HTML, page("/film", "/loop", "/refresh")),
        (f"{SITE}/old", 301, {"Location": "/older?x=1#top", **HTML}, b""),
        (f"{SITE}/older?x=1", 302, {"Location": "//example.org/b"}, b"moved"),
        (f"{SITE}/loop", 302, {"Location": "/loop2"}, b""),
        (f"{SITE}/loop2", 302, {"Location": "/loop"}, b""),
        (f"{SITE}/refresh", 200, HTML, refresh("/b")),
        (f"{SITE}/refresh-late", 200, HTML, refresh("/b", 100)),
        (f"{SITE}/refresh-odd", 200, HTML, refresh("mailto:a@example.org")),
        (f"{SITE}/ftp", 302, {"Location": "ftp://example.org/"}, b""),
        (f"{SITE}/empty-location", 302, {"Location": " "}, b""),
        (f"{SITE}/no-location", 302, {}, b""),
        (f"{SITE}/film", 200, {"Content-Type": "video/mp4"}, b"film"),
        (f"{SITE}/pdf", 200, HTML, b"%PDF-1.7 ..."),
        (f"{SITE}/torn", 200, {**HTML, "Content-Encoding": "br"}, brotli.compress(page()) + b"garbage"),
        (f"{SITE}/long", 200, HTML, page() + b" " * 2**20),
        (f"{SITE}/empty", 200, HTML, b""),
        (f"{SITE}/bare", 200, {}, page()),
        (f"{SITE}/bare-text", 200, {}, b"no page"),
        (f"{SITE}/bare-binary", 200, {}, b"<html>\x01\x02\x03 what is this"),
        (f"{SITE}/proxied", 203, HTML, refresh("/b")),
        (f"{SITE}/later", 202, HTML, page()),
        (f"{SITE}/gone", 410, HTML, page()),
        (f"{SITE}/busy", 503, HTML, page()),
    )


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", WebAnswer(0, None, 200, "")),
        ("/b/", WebAnswer(1, None, 200, "")),
        ("/old", WebAnswer(None, f"{SITE}/older?x=1", 301, "")),
        ("/older?x=1", WebAnswer(None, f"{SITE}/b", 302, "")),
        ("/refresh", WebAnswer(2, f"{SITE}/b", 200, "")),
        ("/refresh-late", WebAnswer(3, None, 200, "")),
        ("/refresh-odd", WebAnswer(4, None, 200, "")),
        ("/bare", WebAnswer(5, None, 200, "")),
        ("/ftp", WebAnswer(None, None, 302, "redirect_location")),
        ("/empty-location", WebAnswer(None, None, 302, "http_302")),
        ("/no-location", WebAnswer(None, None, 302, "http_302")),
        ("/film", WebAnswer(None, None, 200, "content_type")),
        ("/pdf", WebAnswer(None, None, 200, "disguised")),
        ("/torn", WebAnswer(None, None, 200, "undecodable")),
        ("/long", WebAnswer(None, None, 200, "page_bytes")),
        ("/empty", WebAnswer(None, None, 200, "unparsable")),
        ("/bare-text", WebAnswer(None, None, 200, "content_type")),
        ("/bare-binary", WebAnswer(None, None, 200, "not_html")),
        ("/proxied", WebAnswer(6, f"{SITE}/b", 203, "")),
        ("/later", WebAnswer(None, None, 202, "http_202")),
        ("/gone", WebAnswer(None, None, 410, "http_410")),
        ("/busy", WebAnswer(None, None, 503, "http_503")),
        ("/nowhere", WebAnswer(None, None, 404, "http_404")),
    ],
)
def test_each_kind_of_answer(odd_web: Path, path: str, expected: WebAnswer) -> None:
    """A page, one hop of a redirect, or why there is neither."""
    with AnalysedWeb(odd_web) as web:
        assert web.answer(SITE + path) == expected
        assert len(web) == 7


def test_redirects_lead_to_their_page(odd_web: Path) -> None:
    """Over several hops, and through a page that refreshes; a loop ends nowhere."""
    with AnalysedWeb(odd_web) as web:
        paths = ("/", "/old", "/refresh", "/loop", "/busy", "/nowhere")
        assert [web.number(SITE + path) for path in paths] == [0, 1, 1, None, None, None]


def test_a_refresh_counts_as_in_a_crawl(make_web: MakeWeb) -> None:
    """In UTF-16, too, and where a page only says so; not in <noscript>, which a crawl leaves to others."""
    tag = refresh("/b").decode().partition("<head>")[2].partition("</head>")[0]
    utf_16 = {"Content-Type": "text/html; charset=utf-16"}
    web = make_web(
        (f"{SITE}/wide", 200, utf_16, refresh("/b").decode().encode("utf-16")),
        (f"{SITE}/unnamed", 200, {"Content-Type": "text/html"}, refresh("/b").decode().encode("utf-16")),
        (
            f"{SITE}/misnamed",
            200,
            {"Content-Type": "text/html"},
            refresh("/b").replace(b"<meta", b"<meta charset=unicode><meta"),
        ),
        (f"{SITE}/noscript", 200, HTML, page(head=f"<noscript>{tag}</noscript>")),
    )
    names = ("wide", "unnamed", "misnamed", "noscript")
    with AnalysedWeb(web) as analysed_web:
        found = [analysed_web.answer(f"{SITE}/{name}").location for name in names]
    assert found == [*[f"{SITE}/b"] * 3, None]


def test_graph_has_a_link_where_a_crawl_would_get(odd_web: Path) -> None:
    """Each page once, however its links are written; none to itself."""
    with AnalysedWeb(odd_web) as web:
        assert [web.graph.out(number).tolist() for number in range(3)] == [[1], [], []]


def test_without_some_hosts_it_is_the_web_that_never_had_them(make_web: MakeWeb) -> None:
    """Pages, links, and redirects that pass through a host are as in a file without its records."""
    answers = (
        (f"{SITE}/", 200, HTML, page("/on", "http://a.test/", "http://www.b.test/x", "/b", "/c")),
        ("http://a.test/", 200, HTML, page(f"{SITE}/b", "http://b.test/x")),
        ("http://www.b.test/x", 200, HTML, page(f"{SITE}/", "http://ab.test/")),
        ("http://b.test/old", 301, {"Location": f"{SITE}/c"}, b""),
        (f"{SITE}/on", 302, {"Location": "http://b.test/old"}, b""),
        (f"{SITE}/b", 302, {"Location": "http://ab.test/"}, b""),
        ("http://ab.test/", 200, HTML, page(f"{SITE}/on")),
        (f"{SITE}/c", 200, HTML, page("/on", "/b")),
    )
    others = [one for one in answers if urlsplit(one[0]).hostname not in {"b.test", "www.b.test"}]
    whole, left = make_web(*answers), make_web(*others, name="left.warc.gz")
    with AnalysedWeb(whole, without=["b.test"]) as web, AnalysedWeb(left) as expected:
        assert web.urls == expected.urls
        assert [web.page(number) for number in range(len(web))] == [expected.page(n) for n in range(len(web))]
        assert web.graph.indptr.tolist() == expected.graph.indptr.tolist()
        assert web.graph.indices.tolist() == expected.graph.indices.tolist()
        for url, *_ in answers:
            assert web.answer(url) == expected.answer(url)
            assert web.number(url) == expected.number(url)
    with AnalysedWeb(whole) as again:
        assert len(again) == 5
        assert again.number(f"{SITE}/on") == again.number(f"{SITE}/c")


def test_the_exact_spelling_wins(make_web: MakeWeb) -> None:
    """Of two pages under one lookup key each has its own URL, and all others lead to the first."""
    path = make_web((f"{SITE}/A", 200, HTML, page("/1")), (f"{SITE}/a", 200, HTML, page("/2")))
    with AnalysedWeb(path) as web, VirtualWeb(path) as plain:
        for url in (f"{SITE}/A", f"{SITE}/a", f"https://{SITE[7:]}/a/"):
            number, record = web.number(url), plain.get(url)
            assert record is not None
            assert number is not None
            assert web.page(number).url == record.url
    assert web.urls == [f"{SITE}/A", f"{SITE}/a"]


def test_pages_are_those_of_a_fresh_look(demo_web: Path) -> None:
    """Pages of the demo web are as parser and partition make them."""
    analyzer = Analyzer("en")
    with AnalysedWeb(demo_web) as web, VirtualWeb(demo_web) as plain:
        for number in range(0, len(web), 10):
            record = plain.get(web.urls[number])
            assert record is not None
            encoding = http_content_type_encoding(record.header("Content-Type"))
            expected = parse_page(record.body, record.url, analyzer, encoding)
            partition(expected)
            assert web.page(number) == expected
        assert len(web) > 500


def test_processes_make_the_same_file(make_web: MakeWeb, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages, answers and links do not depend on who read them."""
    answers = [(f"{SITE}/{n}", 200, HTML, page(f"/{n + 1}", f"/{n * 2}")) for n in range(250)]
    alone, together = make_web(*answers), make_web(*answers, name="other.warc.gz")
    with AnalysedWeb(alone) as one:
        monkeypatch.setattr(analysed_reader, "_ALONE", 100)
        with AnalysedWeb(together) as other:
            assert one.urls == other.urls
            assert [one.page(n) for n in range(250)] == [other.page(n) for n in range(250)]
            assert one.graph.indices.tolist() == other.graph.indices.tolist()


def cache_file(path: Path) -> Path:
    (found,) = path.parent.glob(f"{path.name}.pages-*")
    return found


def test_pages_are_read_once(odd_web: Path) -> None:
    """The file is used as long as web, reading and code stay as they are."""
    AnalysedWeb(odd_web).close()
    before = cache_file(odd_web).stat().st_mtime_ns
    AnalysedWeb(odd_web).close()
    assert cache_file(odd_web).stat().st_mtime_ns == before


def test_each_reading_has_its_own_file(odd_web: Path) -> None:
    """Opening a web in two ways by turns makes nothing again."""
    wide = replace(Reading(), context_words=1, content_types=("text/html", "video/mp4"))
    with AnalysedWeb(odd_web) as web, AnalysedWeb(odd_web, wide) as other:
        assert web.page(0).links[0].context != other.page(0).links[0].context
        assert other.answer(f"{SITE}/film").reason == "not_html"
    assert len(list(odd_web.parent.glob("*.pages-*"))) == 2


def truncate(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def scribble(file: Path) -> None:
    file.write_bytes(b"no database")


def forget_words(file: Path) -> None:
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("DELETE FROM part WHERE name = 'words'")


def lose_a_page(file: Path) -> None:
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("DELETE FROM page WHERE number = 2")


def lead_nowhere(file: Path) -> None:
    with closing(sqlite3.connect(file)) as db, db:
        db.execute("UPDATE part SET value = x'ffffff7f' WHERE name = 'indices'")


@pytest.mark.parametrize("spoil", [truncate, scribble, forget_words, lose_a_page, lead_nowhere, Path.unlink])
def test_a_spoilt_file_is_made_again(odd_web: Path, spoil: Callable[[Path], None]) -> None:
    """Whatever became of it."""
    with AnalysedWeb(odd_web) as web:
        expected = [web.page(number) for number in range(len(web))]
    spoil(cache_file(odd_web))
    with AnalysedWeb(odd_web) as web:
        assert [web.page(number) for number in range(len(web))] == expected


def test_other_code_reads_again(odd_web: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file made by older code is not used."""
    AnalysedWeb(odd_web).close()
    before = cache_file(odd_web).stat().st_mtime_ns
    monkeypatch.setattr(analysed, "code_version", lambda: 1)
    AnalysedWeb(odd_web).close()
    assert cache_file(odd_web).stat().st_mtime_ns > before


def test_all_code_that_reads_pages_is_known() -> None:
    """Else pages that older code has read would stay."""
    code = f"import sys, {analysed_reader.__name__}; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    package = Path(focused_crawler.__path__[0])
    names = (f"{name.replace('.', '/')}.py".partition("/")[2] for name in found.stdout.split())
    loaded = {name for name in names if name.startswith("page/") and (package / name).is_file()}
    assert "page/nofollow.py" in loaded
    assert {*loaded, "safety/unpacking.py"} <= {*SOURCES}


def test_a_web_that_grew_is_read_again(make_web: MakeWeb) -> None:
    """One more page is seen."""
    path = make_web((f"{SITE}/", 200, HTML, page("/b")))
    AnalysedWeb(path).close()
    make_web((f"{SITE}/b", 200, HTML, page()))
    with AnalysedWeb(path) as web:
        assert web.graph.out(0).tolist() == [1]


def test_a_folder_that_cannot_be_written_to(odd_web: Path, cache: Path) -> None:
    """The file lies in the user's cache then."""
    odd_web.parent.chmod(0o555)
    try:
        AnalysedWeb(odd_web).close()
    finally:
        odd_web.parent.chmod(0o755)
    assert list(cache.rglob("*.pages-*"))


def test_a_damaged_page_ends_in_one_line(odd_web: Path) -> None:
    """It names the file, for that can be removed."""
    AnalysedWeb(odd_web).close()
    with closing(sqlite3.connect(cache_file(odd_web))) as db, db:
        db.execute("UPDATE page SET record = x'00' WHERE number = 1")
    with AnalysedWeb(odd_web) as web, pytest.raises(WebError, match=r"damaged.*remove .*pages-") as caught:
        web.page(1)
    assert "\n" not in str(caught.value)


def test_a_damaged_list_of_sitemaps_ends_in_one_line(odd_web: Path) -> None:
    """Also where SQLite cannot read it."""
    AnalysedWeb(odd_web).close()
    file = cache_file(odd_web)
    with closing(sqlite3.connect(file)) as db, db:
        roots = db.execute("SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'listing'").fetchall()
    with file.open("r+b") as raw:
        for (root,) in roots:
            raw.seek((root - 1) * 4096)
            raw.write(b"\xff" * 4096)
    with AnalysedWeb(odd_web) as web, pytest.raises(WebError, match=r"damaged.*remove .*pages-"):
        web.listing(f"{SITE}/")


def test_a_web_without_pages(make_web: MakeWeb) -> None:
    """It has answers all the same."""
    with AnalysedWeb(make_web((f"{SITE}/", 404, HTML, b""))) as web:
        assert (len(web), len(web.graph), web.number(f"{SITE}/")) == (0, 0, None)


def test_no_web() -> None:
    """As for any virtual web."""
    with pytest.raises(WebError, match="no web at"):
        AnalysedWeb("nowhere.warc.gz")
