from __future__ import annotations

import gzip
import os
import sqlite3
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from io import BytesIO
from pathlib import Path

import brotli
import pytest
from backports import zstd
from warcio.warcwriter import WARCWriter

from focused_crawler.safety.errors import WebError
from focused_crawler.virtualweb import record as record_module
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.record import WebRecord
from focused_crawler.virtualweb.writer import WebWriter
from tests.virtualweb.archives import response

HTML = {"Content-Type": "text/html; charset=utf-8"}
MakeWeb = Callable[..., Path]


def test_a_web_answers_as_recorded(make_web: MakeWeb) -> None:
    """Status, headers and body come back, under any spelling of the URL."""
    path = make_web(("https://www.a.example/Page/", 200, {**HTML, "X-One": "1"}, b"<p>hello"))
    with VirtualWeb(path) as web:
        record = web.get("http://a.example/page")
        assert record is not None
        assert (record.url, record.status, record.body) == ("https://www.a.example/Page/", 200, b"<p>hello")
        assert record.header("x-one") == "1"
        assert record.header("Content-Length") == "8"


def test_what_a_web_lacks_is_none(make_web: MakeWeb) -> None:
    """Unknown pages have no record."""
    with VirtualWeb(make_web(("http://a.example/", 200, HTML, b"."))) as web:
        assert web.get("http://a.example/other") is None
        assert "http://a.example/" in web
        assert "http://b.example/" not in web
        assert len(web) == 1


OK = ("http://a.example/x", 200, HTML, b"plain")
OK_WWW = ("http://www.a.example/x/", 200, HTML, b"www")
MOVED = ("https://a.example/x", 301, {"Location": "/y"}, b"")
TO_HTTPS = ("http://a.example/x", 301, {"Location": "https://a.example/x"}, b"")
TO_SLASH = ("http://a.example/x", 308, {"Location": "/x/"}, b"")
PROXIED = ("http://a.example/x", 203, HTML, b"by a proxy")
IN_PART = ("http://a.example/x", 206, HTML, b"pl")
ERROR = ("http://a.example/x", 503, HTML, b"later")


@pytest.mark.parametrize(
    ("answers", "url", "expected"),
    [
        ([OK, OK_WWW], "http://www.a.example/x/", (200, b"www")),
        ([OK_WWW, OK], "http://a.example/x", (200, b"plain")),
        ([OK_WWW, OK], "https://a.example/x", (200, b"www")),  # no exact one: the first
        ([ERROR, TO_HTTPS, MOVED, OK], "http://a.example/x", (200, b"plain")),
        ([ERROR, OK_WWW], "http://a.example/x", (200, b"www")),
        ([OK_WWW, PROXIED], "http://a.example/x", (203, b"by a proxy")),
        ([IN_PART, OK], "http://a.example/x", (200, b"plain")),
        ([IN_PART, MOVED], "http://a.example/x", (206, b"pl")),
        ([ERROR, MOVED], "http://a.example/x", (301, b"")),
        ([ERROR], "http://a.example/x", (503, b"later")),
        ([TO_HTTPS, ERROR], "http://a.example/x", (503, b"later")),
        ([TO_HTTPS, TO_SLASH], "http://a.example/x", None),
    ],
)
def test_the_best_record_of_a_key_wins(make_web: MakeWeb, answers: list, url: str, expected: object) -> None:
    """Exact page, any page, redirect, the rest; a redirect to its own key never."""
    with VirtualWeb(make_web(*answers)) as web:
        record = web.get(url)
        assert (record and (record.status, record.body)) == expected


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("GZIP", gzip.compress),
        ("deflate", zlib.compress),
        ("br", brotli.compress),
        ("zstd", zstd.compress),
        ("unheard-of", bytes),
    ],
)
def test_bodies_come_unpacked(make_web: MakeWeb, encoding: str, pack: Callable[[bytes], bytes]) -> None:
    """Whatever a server packed with, the body is plain and the headers say so."""
    body = b"<p>hello</p>" * 50
    path = make_web(("http://a.example/", 200, {**HTML, "Content-Encoding": encoding}, pack(body)))
    with VirtualWeb(path) as web:
        record = web.get("http://a.example/")
        assert record is not None
        assert record.body == body
        assert record.header("Content-Encoding") == ""
        assert record.header("Content-Length") == str(len(body))


def test_a_body_that_cannot_be_unpacked_keeps_its_encoding(make_web: MakeWeb) -> None:
    """A replay fails to unpack it as the recorded crawl did; it was read as random signs."""
    broken = brotli.compress(b"<p>hello</p>" * 50) + b"garbage"
    path = make_web(("http://a.example/", 200, {**HTML, "Content-Encoding": "br"}, broken))
    with VirtualWeb(path) as web:
        record = web.get("http://a.example/")
    assert record is not None
    assert (record.body, record.header("Content-Encoding")) == (broken, "br")


def stored(folder: Path, headers: bytes, body: bytes) -> WebRecord:
    """Return an answer as a web reads it that another tool has recorded, byte for byte."""
    path = folder / "other.warc"
    path.write_bytes(response("http://a.example/", body, b"HTTP/1.1 200 OK\r\n" + headers + b"\r\n\r\n"))
    with VirtualWeb(path) as web:
        record = web.get("http://a.example/")
    assert record is not None
    return record


@pytest.mark.parametrize(
    ("head", "body", "left"),
    [
        (b"Content-Length: 12", b"<p>hello</p>", "gzip"),
        (b"Transfer-Encoding: chunked", b"c\r\n<p>hello</p>\r\n0\r\n\r\n", "gzip"),
        (b"Content-Length: 31", b"<p>hello</p>", ""),
        (b"Transfer-Encoding: chunked", b"<p>hello</p>", ""),
    ],
    ids=["of its length", "in chunks", "of another length", "in no chunks"],
)
def test_a_text_that_was_sent_as_packed_stays_so(tmp_path: Path, head: bytes, body: bytes, left: str) -> None:
    """A crawl could not unpack it, nor can browsers; what a recorder has unpacked is read."""
    record = stored(tmp_path, b"Content-Encoding: gzip\r\n" + head, body)
    assert (record.body, record.header("Content-Encoding")) == (b"<p>hello</p>", left)


def test_chunked_bodies_of_other_writers_are_joined(tmp_path: Path) -> None:
    """Other tools store the transfer encoding too."""
    path = tmp_path / "chunked.warc.gz"
    raw = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        writer.write_record(
            writer.create_warc_record("http://a.example/", "response", BytesIO(raw), len(raw))
        )
    with VirtualWeb(path) as web:
        record = web.get("http://a.example/")
        assert record is not None
        assert record.body == b"abcde"
        assert record.header("Transfer-Encoding") == ""


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (b"chunked", b"8\r\n<p>honey\r\n8\r\n of bees\r\n0\r\nX-Sum: 1\r\n\r\n"),
        (b"chunked", b"8;x=1\r\n<p>honey\r\n8\r\n of bees\r\n8\r"),
        (b"identity, chunked", b"10\r\n<p>honey of bees\r\n0\r\n\r\n"),
        (b"identity\r\nTransfer-Encoding: Chunked", b"10\r\n<p>honey of bees\r\n0\r\n\r\n"),
        (b"chunked", b"<p>honey of bees"),
        (b"gzip", gzip.compress(b"<p>honey of bees")),
    ],
    ids=["trailer", "torn", "list", "two headers", "in no chunks", "packed"],
)
def test_a_transfer_encoding_is_undone(tmp_path: Path, head: bytes, body: bytes) -> None:
    """However its header is written; where another tool has undone it, nothing is left to do."""
    record = stored(tmp_path, b"Transfer-Encoding: " + head, body)
    assert (record.body, record.headers) == (b"<p>honey of bees", [("Content-Length", "16")])


def test_bombs_are_cut(make_web: MakeWeb, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small record that unpacks to a huge one cannot fill the memory."""
    monkeypatch.setattr(record_module, "MAX_BODY_BYTES", 100_000)
    zeros = bytes(3_000_000)
    path = make_web(
        ("http://a.example/gzip", 200, {"Content-Encoding": "gzip"}, gzip.compress(zeros)),
        ("http://a.example/zstd", 200, {"Content-Encoding": "zstd"}, zstd.compress(zeros)),
        ("http://a.example/plain", 200, {}, zeros),
    )
    with VirtualWeb(path) as web:
        for name in ("gzip", "zstd", "plain"):
            record = web.get(f"http://a.example/{name}")
            assert record is not None
            assert len(record.body) == 100_000


def test_an_uncompressed_warc_is_a_web_too(tmp_path: Path) -> None:
    """.warc files work as .warc.gz files do."""
    path = tmp_path / "plain.warc"
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=False)
        for name in "ab":
            raw = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + name.encode()
            url = f"http://a.example/{name}"
            writer.write_record(writer.create_warc_record(url, "response", BytesIO(raw), len(raw)))
    with VirtualWeb(path) as web:
        assert [record.body for name in "ab" if (record := web.get(f"http://a.example/{name}"))] == [
            b"a",
            b"b",
        ]


def test_the_index_is_built_once(make_web: MakeWeb) -> None:
    """The second opening uses what the first one wrote beside the WARC."""
    path = make_web(("http://a.example/", 200, HTML, b"."))
    VirtualWeb(path).close()
    index = path.with_name("web.warc.gz.index")
    made = index.stat().st_mtime_ns
    VirtualWeb(path).close()
    assert index.stat().st_mtime_ns == made
    assert [p.name for p in path.parent.iterdir() if p.suffix == ".index"] == [index.name]


def test_a_changed_warc_gets_a_new_index(make_web: MakeWeb) -> None:
    """Records appended later are found."""
    path = make_web(("http://a.example/", 200, HTML, b"."))
    VirtualWeb(path).close()
    with WebWriter(path) as writer:
        writer.write("http://a.example/new", 200, list(HTML.items()), b"new")
    with VirtualWeb(path) as web:
        assert web.get("http://a.example/new") is not None


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + bytes(200)])
def test_a_broken_index_is_built_again(make_web: MakeWeb, content: bytes) -> None:
    """Whatever lies where the index should be, the web opens."""
    path = make_web(("http://a.example/", 200, HTML, b"."))
    path.with_name("web.warc.gz.index").write_bytes(content)
    with VirtualWeb(path) as web:
        assert "http://a.example/" in web


def test_an_index_that_is_damaged_within_is_one_clear_line(make_web: MakeWeb) -> None:
    """Which file to remove; it is not read through each time it is opened."""
    path = make_web(*((f"http://a.example/{number}", 200, HTML, b".") for number in range(500)))
    VirtualWeb(path).close()
    index = path.with_name("web.warc.gz.index")
    with index.open("r+b") as file:
        file.seek(2 * 4096)
        file.write(b"\xff" * (index.stat().st_size - 2 * 4096))
    looks = (len, VirtualWeb.entries, VirtualWeb.answering, lambda web: web.get("http://a.example/7"))
    with VirtualWeb(path) as web:
        for look in looks:
            with pytest.raises(WebError, match=r"the index of .* is damaged .*; remove .*\.index"):
                list(look(web))


def test_an_index_of_another_format_is_built_again(make_web: MakeWeb) -> None:
    """The format version is checked."""
    path = make_web(("http://a.example/", 200, HTML, b"."))
    VirtualWeb(path).close()
    with sqlite3.connect(path.with_name("web.warc.gz.index")) as db:
        db.execute("UPDATE made_from SET format = 0")
        db.execute("DELETE FROM record")
    db.close()
    with VirtualWeb(path) as web:
        assert "http://a.example/" in web


def test_a_read_only_folder_is_left_alone(make_web: MakeWeb, cache: Path) -> None:
    """The index then lies in the user's cache; even root keeps out of the folder."""
    path = make_web(("http://a.example/", 200, HTML, b"."))
    before = sorted(path.parent.iterdir())
    path.parent.chmod(0o555)
    try:
        with VirtualWeb(path) as web:
            assert "http://a.example/" in web
    except WebError:
        assert os.getuid() != 0  # the cache of this test lies in the same folder: only root may make it
    finally:
        path.parent.chmod(0o755)
    assert [p for p in sorted(path.parent.iterdir()) if p != cache] == before


def _count(path: Path) -> int:
    with VirtualWeb(path) as web:
        return len(web)


def test_processes_may_start_at_once(make_web: MakeWeb) -> None:
    """Each builds its own index; none sees half of another's."""
    path = make_web(*((f"http://a.example/{n}", 200, HTML, b"." * 50) for n in range(500)))
    with ProcessPoolExecutor(4) as pool:
        assert list(pool.map(_count, [path] * 8)) == [500] * 8
    assert sorted(p.name for p in path.parent.iterdir() if p.is_file()) == [
        "web.warc.gz",
        "web.warc.gz.index",
    ]


def test_a_torn_last_record_is_left_out(make_web: MakeWeb) -> None:
    """A recording that was killed is a web of its whole records."""
    path = make_web(*((f"http://a.example/{n}", 200, HTML, os.urandom(900)) for n in range(3)))
    for cut in (1, 8, 700):
        path.write_bytes(path.read_bytes()[:-cut])
        with VirtualWeb(path) as web:
            assert len(web) == 2


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.warc.gz", None, "no web at"),
        ("text.warc.gz", b"hello, this is no WARC\n" * 100, "no sound WARC"),
        ("noise.warc.gz", b"\x1f\x8b" + bytes(range(256)) * 100, "no sound WARC"),
        ("empty.warc.gz", b"", "holds no response record"),
        (
            "one-gzip.warc.gz",
            gzip.compress(
                b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n" * 2, mtime=0
            ),
            ".",
        ),
        (".", None, "is a folder"),
    ],
)
def test_what_is_no_web_is_one_clear_line(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    """Missing, empty and foreign files end in a WebError that names them."""
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(WebError, match=message) as caught:
        VirtualWeb(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)
    assert not list(tmp_path.glob("*.index"))


def test_damage_in_the_middle_is_not_hidden(make_web: MakeWeb) -> None:
    """A web that lost most of its pages to one bad byte must say so."""
    path = make_web(*((f"http://a.example/{n}", 200, HTML, os.urandom(20_000)) for n in range(9)))
    content = bytearray(path.read_bytes())
    content[30_000:30_064] = bytes(64)
    path.write_bytes(content)
    with pytest.raises(WebError, match="no sound WARC"):
        VirtualWeb(path)


def test_reading_a_page_takes_well_under_a_millisecond(demo: Path) -> None:
    """An experiment reads every page of a web many times."""
    with VirtualWeb(demo) as web:
        urls = [entry.url for entry in web.entries() if entry.length < 50_000][::10]
        took = []
        for _ in range(5):
            started = time.thread_time()  # what other processes do does not count
            for url in urls:
                web.get(url)
            took.append(time.thread_time() - started)
        assert min(took) / len(urls) < 1e-3


SHARED = Path("../shared/webs/openweb.warc.gz")


@pytest.mark.skipif(not SHARED.exists(), reason="the real web is not here")
def test_every_page_of_a_real_web_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that is recorded can be asked for, and no answer is a redirect to itself."""
    monkeypatch.undo()  # its index is worth keeping in the user's cache
    with VirtualWeb(SHARED) as web:
        entries = list(web.entries())
        assert len(entries) > 22_000
        for entry in entries[::50]:
            found = web.find(entry.url)
            assert found is not None
            assert found.status == 200 or entry.status != 200
