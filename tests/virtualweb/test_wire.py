from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request, Spider
from scrapy.utils.test import get_crawler
from warcio.archiveiterator import ArchiveIterator

from focused_crawler.edge.download.virtual_web import VirtualWebDownloadHandler
from focused_crawler.virtualweb.index import VirtualWeb
from tests.virtualweb.wire import KINDS, LARGE, SPIDER, sending

RECORDED = [name for name, kind in KINDS.items() if kind.is_recorded]


class Recording:
    """A crawl of every kind of response, recorded once for all tests."""

    def __init__(self, path: Path) -> None:
        self.path = path
        paths = [f"/{name}" for name in KINDS]
        with sending() as (self.base, self.sent):
            done = subprocess.run(
                [sys.executable, "-c", SPIDER, self.base, str(path), *paths],
                capture_output=True, text=True, timeout=100,
            )  # fmt: skip
        self.log = done.stderr
        with path.open("rb") as file:
            records = [(one, one.raw_stream.read()) for one in ArchiveIterator(file, no_record_parse=True)]
        self.info = [block for one, block in records if one.rec_type == "warcinfo"]
        self.requests = [(one.rec_headers, block) for one, block in records if one.rec_type == "request"]
        self.responses: dict[str, tuple[Any, bytes]] = {
            one.rec_headers.get_header("WARC-Target-URI").rpartition("/")[2]: (one.rec_headers, block)
            for one, block in records
            if one.rec_type == "response"
        }


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return Recording(tmp_path_factory.mktemp("wire") / "wire.warc.gz")


@pytest.mark.parametrize("name", RECORDED)
def test_a_head_is_recorded_as_it_was_received(recording: Recording, name: str) -> None:
    """Status line, order, case, spaces, bytes that are no ASCII, line ends: all as the server sent them."""
    assert recording.responses[name][1].startswith(KINDS[name].head)


@pytest.mark.parametrize("name", RECORDED)
def test_a_body_is_recorded_as_far_as_it_was_received(recording: Recording, name: str) -> None:
    """Still packed; what was sent in chunks is one chunk; what was cut says so, and is as long as it is."""
    kind, (headers, block) = KINDS[name], recording.responses[name]
    body = block.removeprefix(kind.head)
    if b"chunked" in kind.head:
        size, _, rest = body.partition(b"\r\n")
        body = rest[: int(size, 16)]
        assert rest[len(body) :] == (b"\r\n" if kind.truncated else b"\r\n0\r\n\r\n" if body else b"\r\n")
    assert headers.get_header("WARC-Truncated", "") == kind.truncated
    if not kind.truncated:
        with VirtualWeb(recording.path) as web:
            record = web.get(f"{recording.base}/{name}")
            assert record is not None
            assert record.body == kind.page
    elif kind.truncated == "length":
        assert 1024 * 1024 < len(body) <= LARGE
        assert not body.strip(kind.page[:1])
    else:
        assert body == kind.page


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["non-ascii", "latin-redirect", "twice", "odd-reason"])
async def test_headers_are_replayed_as_bytes(recording: Recording, name: str) -> None:
    """A redirect to a path that is no UTF-8 leads where it led on the network."""
    handler = VirtualWebDownloadHandler(get_crawler(Spider, {"FOCUSED_WEB": str(recording.path)}))
    response = await handler.download_request(Request(f"{recording.base}/{name}"))
    await handler.close()
    lines = KINDS[name].head.split(b"\r\n")[1:-2]
    for header, value in (line.split(b":", 1) for line in lines):
        assert value.strip() in response.headers.getlist(header)
    with VirtualWeb(recording.path) as web:
        found = web.find(f"{recording.base}/latin-redirect")
        assert found is not None
        assert found.location == f"{recording.base}/caf%E9"


def test_every_digest_is_that_of_its_bytes(recording: Recording) -> None:
    """Of the block and of the payload, as warcio counts them."""
    with recording.path.open("rb") as file:
        for record in ArchiveIterator(file, check_digests="raise"):
            assert record.rec_headers.get_header("WARC-Block-Digest")
            record.raw_stream.read()


def test_requests_are_recorded_as_they_were_sent(recording: Recording) -> None:
    """Each beside its response; but never a password."""
    assert recording.log == ""
    ids = {headers.get_header("WARC-Record-ID") for headers, _ in recording.responses.values()}
    assert {headers.get_header("WARC-Concurrent-To") for headers, _ in recording.requests} == ids
    kept = [sent.replace(b"Authorization: Basic secret\r\n", b"") for sent in recording.sent]
    assert b"".join(recording.sent).count(b"secret") == len(KINDS)
    assert {block for _, block in recording.requests} == {
        sent for sent in kept if not sent.startswith(b"GET /304 ")
    }


def test_a_recording_says_what_made_it(recording: Recording) -> None:
    """One warcinfo record, to which all others refer; the address that answered, where Scrapy has it."""
    (info,) = recording.info
    assert b"software: focused-crawler/" in info
    assert b"http-header-user-agent: focused-crawler/" in info
    for name, (headers, _) in recording.responses.items():
        assert headers.get_header("WARC-Warcinfo-ID")
        assert headers.get_header("WARC-IP-Address") == ("127.0.0.1" if name != "too-long" else None)
