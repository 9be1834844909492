from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from focused_crawler.safety.errors import CrawlError, WebError
from focused_crawler.store.job import RunInfo, write_run
from focused_crawler.virtualweb.exchange import Exchange, head_of
from focused_crawler.virtualweb.export import PageToWrite, write_warc
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.writer import WebWriter
from tests.virtualweb.archives import apart, digest, record, response

WASPS = "wasps – and hornets"
WHEN = datetime(2025, 5, 1, 12, tzinfo=UTC)
AT = WHEN.timestamp()
HEAD = b"HTTP/1.1 200 Fine\r\nx-odd: caf\xe9\r\nContent-Length: 4\r\n\r\n"
ASKED = b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """A crawl that was recorded: two pages and an error."""
    record = tmp_path / "record.warc.gz"
    with WebWriter(record) as writer:
        writer.record(Exchange("http://a.example/", HEAD, b"bees", ASKED), WHEN)
        writer.record(Exchange("http://a.example/2", head_of(200, [("Content-Length", "1")]), b"2"), WHEN)
        writer.record(Exchange("http://a.example/gone", head_of(404, []), b""), WHEN)
    folder = tmp_path / "crawls" / "bees" / "1"
    folder.mkdir(parents=True)
    settings = {"FOCUSED_RECORD": str(record)}
    write_run(folder, RunInfo("bees", "Bees", "1", "lpe", "a", None, trained=False, settings=settings))
    return folder


def records(path: Path) -> list[Any]:
    with path.open("rb") as file:
        for one in ArchiveIterator(file, check_digests="raise"):
            one.raw_stream.read()
    with path.open("rb") as file:
        return [
            (one.rec_type, one.rec_headers.get_header("WARC-Target-URI"), one.raw_stream.read())
            for one in ArchiveIterator(file, no_record_parse=True)
        ]


def test_responses_are_copied_and_texts_converted(crawl: Path, tmp_path: Path) -> None:
    """Byte for byte, with the request; of a page that the record lacks, its text."""
    path = tmp_path / "out" / "bees.warc.gz"
    pages = [
        PageToWrite("http://a.example/", AT, "bees"),
        PageToWrite("http://a.example/gone", AT),
        PageToWrite("http://b.example/", AT, WASPS),
    ]
    assert write_warc(crawl, pages, path) == (1, 1, 1)
    info, *rest = records(path)
    assert info[0] == "warcinfo"
    assert b"isPartOf: bees/1\r\n" in info[2]
    assert rest == [
        ("response", "http://a.example/", HEAD + b"bees"),
        ("request", "http://a.example/", ASKED),
        ("conversion", "http://b.example/", WASPS.encode()),
    ]
    with VirtualWeb(path) as web:
        assert [entry.url for entry in web.entries()] == ["http://a.example/"]


def test_a_page_that_was_found_unchanged_is_copied_with_what_it_refers_to(
    crawl: Path, tmp_path: Path
) -> None:
    """Both whole; of records without ids no request is taken for theirs."""
    again, old = "http://a.example/again", "http://a.example/old"
    unchanged = b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n"
    first, asked = response(old, b"<p>bees"), record("request", "http://a.example/x", ASKED)
    revisit = record("revisit", again, unchanged, Payload_Digest=digest(b"<p>bees"))
    with (tmp_path / "record.warc.gz").open("ab") as file:
        file.write(apart([_without_id(one) for one in (first, asked, revisit)]))
    path = tmp_path / "out.warc.gz"
    assert write_warc(crawl, [PageToWrite(again, AT)], path) == (1, 0, 0)
    assert [one[:2] for one in records(path)[1:]] == [("response", old), ("revisit", again)]
    assert records(path)[2][2] == unchanged
    with VirtualWeb(path) as web:
        page = web.get(again)
    assert page is not None
    assert page.body == b"<p>bees"


def _without_id(one: bytes) -> bytes:
    return b"".join(line for line in one.splitlines(keepends=True) if not line.startswith(b"WARC-Record-ID"))


def test_the_same_pages_give_the_same_bytes(crawl: Path, tmp_path: Path) -> None:
    """An export can be compared, and cited by its digest."""
    pages = [PageToWrite("http://a.example/2", AT), PageToWrite("http://b.example/", AT, "text")]
    first, second = tmp_path / "1" / "x.warc.gz", tmp_path / "2" / "x.warc.gz"
    for path in (first, second):
        write_warc(crawl, iter(pages), path)
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize(
    ("pages", "message"),
    [
        ([], "no page of .* was chosen"),
        ([PageToWrite("http://b.example/", AT)], "neither responses nor texts of its 1 page; "),
    ],
)
def test_what_cannot_be_written_leaves_no_file(
    crawl: Path, tmp_path: Path, pages: list[PageToWrite], message: str
) -> None:
    """One line says why."""
    with pytest.raises(CrawlError, match=message):
        write_warc(crawl, pages, tmp_path / "out.warc.gz")
    assert not list(tmp_path.glob("*out*"))


def test_an_export_never_overwrites_its_source(crawl: Path, tmp_path: Path) -> None:
    """Nor does it need a folder that cannot be."""
    pages = [PageToWrite("http://a.example/", AT)]
    with pytest.raises(WebError, match="write to another file"):
        write_warc(crawl, pages, tmp_path / "record.warc.gz")
    with pytest.raises(WebError, match="cannot be written"):
        write_warc(crawl, pages, tmp_path / "record.warc.gz" / "x.warc.gz")
