from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from focused_crawler.safety.errors import WebError
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.writer import WebWriter

HTML = [("Content-Type", "text/html")]


def test_each_record_is_a_gzip_member_with_sound_digests(tmp_path: Path) -> None:
    """Any WARC tool can read what we write."""
    with WebWriter(tmp_path / "w.warc.gz") as writer:
        for n in range(5):
            writer.write(f"http://a.example/{n}", 200, HTML, b"x" * n)
    with (tmp_path / "w.warc.gz").open("rb") as file:
        records = ArchiveIterator(file, check_digests="raise")
        assert [r.content_stream().read() for r in records] == [b"x" * n for n in range(5)]


def test_the_same_records_give_the_same_bytes(tmp_path: Path) -> None:
    """Nothing in a file hangs on the clock or on chance when the time is given."""
    for name in "ab":
        with WebWriter(tmp_path / name) as writer:
            writer.write("http://a.example/", 200, HTML, b"x", datetime(2025, 1, 1, tzinfo=UTC))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@given(body=st.binary(max_size=300), value=st.text(max_size=20), status=st.integers(200, 599))
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, body: bytes, value: str, status: int
) -> None:
    """Bodies come back byte for byte, and no header can break a record."""
    path = tmp_path_factory.mktemp("w") / "w.warc.gz"
    with WebWriter(path) as writer:
        writer.write("http://a.example/", status, [("X-Odd", value), ("Transfer-Encoding", "chunked")], body)
        writer.write("http://a.example/next", 200, HTML, b"next")
    with VirtualWeb(path) as web:
        first, second = web.get("http://a.example/"), web.get("http://a.example/next")
        assert first is not None
        assert second is not None
        assert (first.status, first.body, second.body) == (status, body, b"next")


@pytest.mark.parametrize("cut", [1, 10, 500])
def test_a_torn_file_is_mended_when_it_is_opened_again(tmp_path: Path, cut: int) -> None:
    """The torn record is cut off, and what comes next stands behind the whole ones."""
    path = tmp_path / "w.warc.gz"
    with WebWriter(path) as writer:
        for n in range(3):
            writer.write(f"http://a.example/{n}", 200, HTML, os.urandom(700))
    path.write_bytes(path.read_bytes()[:-cut])
    with WebWriter(path) as writer:
        writer.write("http://a.example/new", 200, HTML, b"new")
    with VirtualWeb(path) as web:
        assert [entry.url[-1] for entry in web.entries()] == ["0", "1", "w"]
        assert web.get("http://a.example/new") is not None


def test_wherever_a_file_is_torn_it_can_be_gone_on_with(tmp_path: Path) -> None:
    """In the middle of a record's own headers too: a disk may be full at any byte."""
    path = tmp_path / "web.warc.gz"
    with WebWriter(path) as writer:
        writer.write("http://example.org/", 200, HTML, b"whole")
    whole = path.stat().st_size
    with WebWriter(path) as writer:
        writer.write("http://example.org/torn", 200, HTML, b"torn")
    both = path.read_bytes()
    for size in range(whole, len(both)):
        path.write_bytes(both[:size])
        WebWriter(path).close()
        assert path.stat().st_size == whole, size


def test_a_file_torn_in_its_first_record_is_started_anew(tmp_path: Path) -> None:
    """There is nothing whole to keep."""
    path = tmp_path / "w.warc.gz"
    with WebWriter(path) as writer:
        writer.write("http://a.example/", 200, HTML, os.urandom(700))
    path.write_bytes(path.read_bytes()[:-100])
    with WebWriter(path) as writer:
        writer.write("http://a.example/new", 200, HTML, b"new")
    with VirtualWeb(path) as web:
        assert [entry.url for entry in web.entries()] == ["http://a.example/new"]


def test_records_survive_a_kill(tmp_path: Path) -> None:
    """Every record reported as written is in the file after kill -9."""
    path = tmp_path / "w.warc.gz"
    code = (
        "import sys, itertools; from focused_crawler.virtualweb.writer import WebWriter\n"
        "writer = WebWriter(sys.argv[1])\n"
        "for n in itertools.count():\n"
        "    writer.write(f'http://a.example/{n}', 200, [('Content-Type', 'text/html')], bytes(5000))\n"
        "    print(n, flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        written = [int(child.stdout.readline()) for _ in range(40)]
        child.send_signal(signal.SIGKILL)
        child.stdout.read()
    with VirtualWeb(path) as web:
        assert all(f"http://a.example/{n}" in web for n in written)


def test_a_place_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    """A folder where the file should be; a file where its folder should be."""
    (tmp_path / "file").touch()
    for path in (tmp_path, tmp_path / "file" / "w.warc.gz"):
        with pytest.raises(WebError, match="cannot be written"):
            WebWriter(path)


def test_a_file_that_is_no_warc_is_not_overwritten(tmp_path: Path) -> None:
    """A slip in FOCUSED_RECORD must not cost a file."""
    path = tmp_path / "thesis.txt"
    path.write_text("my thesis\n" * 100)
    with pytest.raises(WebError, match="no sound WARC"):
        WebWriter(path)
    assert path.read_text() == "my thesis\n" * 100
