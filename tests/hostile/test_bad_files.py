"""Files and values that no crawl can use: each ends the command in one line with the cure, and at once."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import socket
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from focused_crawler.topic.thesaurus.file import read_thesaurus
from focused_crawler.virtualweb.index import VirtualWeb
from tests.project import Done, Job, Scrapy, crawl

TOPIC = "astronomy"


@pytest.fixture
def topic(demo_web: Path, tmp_path: Path) -> Path:
    """A topic of the demo web, in a folder of its own."""
    folder = demo_web.parent / "demo.topics" / TOPIC
    return Path(shutil.copytree(folder, tmp_path / "topics" / TOPIC))


@pytest.fixture
def attempt(scrapy: Scrapy, demo_web: Path, topic: Path, tmp_path: Path) -> Callable[..., Done]:
    """Crawl five pages of the demo web."""

    def run(*settings: str, pages: int = 5, web: Path = demo_web) -> Done:
        settings = (f"FOCUSED_WEB={web}", "LOG_LEVEL=WARNING", *settings)
        return scrapy.run(*crawl(topic, tmp_path / "crawls", *settings, job="1", pages=pages))

    return run


def is_refused(done: Done, said: str) -> None:
    """Check that a command ended with exit code 2 and one line, which says so."""
    assert (done.code, done.err.count("\n")) == (2, 1), done.err[-2000:]
    assert done.err.startswith("error: ")
    assert re.search(said, done.err), done.err


NO_NUMBERS = [
    ("CONCURRENT_ITEMS", "0", "use a whole number from 1"),
    ("CONCURRENT_REQUESTS", "abc", "use a whole number"),
    ("CLOSESPIDER_TIMEOUT", "abc", "use a number from 0"),
    ("DEPTH_LIMIT", "abc", "use a whole number"),
    ("DNSCACHE_SIZE", "abc", "use a whole number"),
    ("DOWNLOAD_DELAY", "1e300", "use a number from 0 to"),
    ("DOWNLOAD_MAXSIZE", "-1", "use a whole number from 0"),
    ("DOWNLOAD_MAXSIZE", "abc", "use a whole number"),
    ("DOWNLOAD_TIMEOUT", "nan", "use a number"),
    ("DOWNLOAD_WARNSIZE", "abc", "use a whole number"),
    ("JOBDIR", "/dev/null", "cannot be written to .*; name another folder"),
    ("LOG_FILE", "/", "cannot be written"),
    ("LOG_LEVEL", "abc", "use one of CRITICAL"),
    ("MEMUSAGE_CHECK_INTERVAL_SECONDS", "0", "use a number from 0.1"),
    ("REACTOR_THREADPOOL_MAXSIZE", "0", "use a whole number from 1"),
    ("REDIRECT_MAX_TIMES", "abc", "use a whole number"),
    ("SCRAPER_SLOT_MAX_ACTIVE_SIZE", "-1", "use a whole number from 1"),
    ("TELNETCONSOLE_ENABLED", "abc", "use True or False"),
]


@pytest.mark.parametrize(("name", "value", "cure"), NO_NUMBERS)
def test_settings_that_scrapy_reads(attempt: Callable[..., Done], name: str, value: str, cure: str) -> None:
    """Scrapy ends at them with a traceback, or begins and does nothing."""
    is_refused(attempt(f"{name}={value}"), f"{name} is '{value}'.*{cure}")


NO_FEEDS = {
    '{"/dev/null/pages.csv": {}}': "'/dev/null/pages.csv' cannot be written to .*; name another file with -o",
    '{"/dev": {"format": "csv"}}': "'/dev' is a folder; name another file",
    '{"gopher://a/pages.csv": {}}': "'gopher://a/pages.csv' cannot be written: gopher is no kind of feed",
    '{"pages.csv": {"format": "cvs"}}': "with format 'cvs'; use one of json,",
    '{"pages.csv": "csv"}': "FEEDS has 'pages.csv' with 'csv'; use a dict",
}


@pytest.mark.parametrize("feeds", NO_FEEDS)
def test_feeds_that_nobody_can_write(attempt: Callable[..., Done], feeds: str) -> None:
    """Scrapy goes on without any feed, or with a traceback a page; the crawl had no pages.jsonl then."""
    is_refused(attempt(f"FEEDS={feeds}"), NO_FEEDS[feeds])


def test_a_feed_that_fails_on_the_way(attempt: Callable[..., Done], tmp_path: Path) -> None:
    """The crawl's own has all pages."""
    broken = {str(tmp_path / "broken.csv"): {"format": "csv", "item_export_kwargs": {"nothing": 1}}}
    assert "FeedExporter.item_scraped" in attempt(f"FEEDS={json.dumps(broken)}").err
    assert len((tmp_path / "crawls" / TOPIC / "1" / "pages.jsonl").read_text().splitlines()) == 5


def test_numbers_as_people_write_them(attempt: Callable[..., Done]) -> None:
    """Scrapy itself reads neither of them."""
    assert attempt("CONCURRENT_REQUESTS=1e1", "LOG_LEVEL=warning").code == 0


def record(url: str, headers: bytes = b"Content-Type: text/html\r\n", more: bytes = b"") -> bytes:
    """Return a response record of a WARC."""
    answer = b"HTTP/1.1 200 OK\r\n" + headers + b"\r\n<p>a star"
    fields = f"WARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Length: {len(answer)}\r\n"
    return b"WARC/1.0\r\n" + more + fields.encode() + b"\r\n" + answer + b"\r\n\r\n"


A, B, C = (f"http://{name}.example/" for name in "abc")
LARGE = b"X-A: " + b"a" * 50_000_000 + b"\r\n"
MANY = b"".join(b"X-%d: a\r\n" % number for number in range(100_000))

WARCS: dict[str, tuple[Callable[[], bytes], str]] = {
    "several in a member": (
        lambda: gzip.compress(record(A) + record(B)),
        "give each its own.*warcio recompress",
    ),
    "several behind one": (
        lambda: gzip.compress(record(C)) + gzip.compress(record(A) + record(B)),
        "give each its",
    ),
    "header of a record": (lambda: gzip.compress(record(A, more=LARGE), 1), "headers are longer than"),
    "one endless line": (lambda: record(A) + b"a" * 50_000_000, "record at byte .* cannot be read"),
    "zeros": (lambda: gzip.compress(b"\0" * 50_000_000, 1), "it begins with"),
    "status": (lambda: gzip.compress(record(A).replace(b"200 OK", b"9" * 6000 + b" OK")), "cannot be read"),
}


@pytest.mark.parametrize("case", WARCS)
def test_webs_that_cannot_be_read(attempt: Callable[..., Done], tmp_path: Path, case: str) -> None:
    """Reading is bounded, in memory and in time."""
    content, said = WARCS[case]
    web = tmp_path / "web.warc.gz"
    web.write_bytes(content())
    is_refused(attempt(web=web), said)


@pytest.mark.parametrize("headers", [LARGE, MANY, b"X-A: b\r\n" + b"  c\r\n" * 500_000])
@pytest.mark.parametrize("packed", [lambda content: gzip.compress(content, 1), bytes])
def test_a_response_of_headers(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, headers: bytes, packed: Callable[[bytes], bytes]
) -> None:
    """It is passed over, and reported; the records around it are read."""
    web = tmp_path / "web.warc.gz"
    web.write_bytes(packed(record(A)) + packed(record(B, headers)) + packed(record(C)))
    with VirtualWeb(web) as opened:
        assert [entry.url for entry in opened.entries()] == [A, C]
        assert all(opened.read(entry).body == b"<p>a star" for entry in opened.entries())
    assert "passed over 1 of its records" in caplog.text


DEEP = {
    "lists": "x = " + "[" * 3000 + "]" * 3000,
    "tables": "x = " + "{a=" * 3000 + "1" + "}" * 3000,
    "dotted": ".".join(["a"] * 200_000) + " = 1",
    "quoted": ".".join(['"a"'] * 100_000) + " = 1",
    "header": "[" + ".".join(["a"] * 200_000) + "]",
}


@pytest.mark.parametrize("case", DEEP)
@pytest.mark.parametrize("name", ["topic.toml", "thesaurus.toml"])
def test_nesting(attempt: Callable[..., Done], topic: Path, name: str, case: str) -> None:
    (topic / name).write_text(f"{DEEP[case]}\n")
    is_refused(attempt(), f"{name}.*nested too deeply")


def test_twenty_thousand_keywords(attempt: Callable[..., Done], topic: Path) -> None:
    """They take a second, not a minute: time grows with their number, not with its square."""
    text = (topic / "topic.toml").read_text()
    words = ", ".join(f'"k{number} w{number}"' for number in range(20_000))
    (topic / "topic.toml").write_text(re.sub(r"(?ms)^keywords = \[.*?\]", f"keywords = [{words}]", text))
    assert attempt().code == 0


def test_entries_that_look_like_statements(tmp_path: Path) -> None:
    """Each was parsed with all before it, to find the line that an error is on."""
    entries = "".join(f"w{number}x = q\n" for number in range(19_000))
    path = tmp_path / "thesaurus.toml"
    path.write_text(f"[facets.x]\nentries = '''\n{entries}'''\n")
    assert len(read_thesaurus(path).facets) == 1


def bound(path: Path) -> None:
    """Make a socket; its address may have 107 bytes, which a path soon has."""
    with tempfile.TemporaryDirectory() as folder, closing(socket.socket(socket.AF_UNIX)) as end:
        end.bind(f"{folder}/socket")
        Path(f"{folder}/socket").rename(path)


KINDS: dict[str, Callable[[Path], Any]] = {
    "pipe": os.mkfifo,
    "folder": Path.mkdir,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "socket": bound,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name", ["topic.toml", "model/model.json", "web.warc.gz", "run.json", "relevant.txt"]
)
def test_what_is_no_file(
    attempt: Callable[..., Done], topic: Path, demo_web: Path, tmp_path: Path, name: str, kind: str
) -> None:
    """A pipe was waited for, and a device read, without end."""
    web = demo_web
    path = tmp_path / "crawls" / TOPIC / "1" / name if name == "run.json" else topic / name
    if name == "web.warc.gz":
        web = path
    elif name == "relevant.txt":
        web = Path(shutil.copy(demo_web, tmp_path))
        shutil.copy(f"{demo_web}.index", tmp_path)
        path = tmp_path / "demo.topics" / TOPIC / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    KINDS[kind](path)
    is_refused(attempt(web=web), re.escape(name.rpartition("/")[2]))


@pytest.fixture(scope="module")
def begun(scrapy: Scrapy, demo_web: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The crawls folder of a crawl of five pages."""
    crawls = tmp_path_factory.mktemp("begun")
    topic = demo_web.parent / "demo.topics" / TOPIC
    scrapy.run(*crawl(topic, crawls, f"FOCUSED_WEB={demo_web}", job="1", pages=5))
    return crawls


RUNS: list[dict[str, Any]] = [
    {"seconds": "abc"},
    {"seconds": float("nan")},
    {"started": float("inf")},
    {"settings": 5},
    {"state": "gone"},
    {"totals": []},
    {"totals": {"pages": "x"}},
    {"left": [None]},
    {"web": 5},
    {"more": 1},
]


@pytest.mark.parametrize("edit", RUNS, ids=str)
def test_a_run_that_was_edited(
    attempt: Callable[..., Done], begun: Path, tmp_path: Path, edit: dict[str, Any]
) -> None:
    path = Path(shutil.copytree(begun, tmp_path / "crawls")) / TOPIC / "1" / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | edit))
    is_refused(
        attempt(pages=9), f"run.json cannot be read.*{next(iter(edit))}.*name another crawl, or move this"
    )


REFUSED = [
    "UPDATE urls SET state = 99 WHERE state = 1",
    "UPDATE urls SET state = 'x'",
    "UPDATE urls SET host = 999999",
    "UPDATE urls SET priority = 'abc'",
    "UPDATE urls SET priority = 9e999",
    "UPDATE urls SET tries = 'abc'",
    "UPDATE urls SET tie = 'abc'",
    "UPDATE urls SET state = 2, retry_at = 'x'",
    "UPDATE urls SET state = 2, retry_at = NULL",
    "UPDATE hosts SET ready_at = 'abc'",
    "UPDATE hosts SET asked_at = 9e999",
    "UPDATE hosts SET delay = 'abc'",
    "UPDATE hosts SET load = 'abc'",
    "DELETE FROM hosts",
]
MENDED = [
    "UPDATE hosts SET ready_at = 32503680000",
    "UPDATE hosts SET ready_at = 32503680000, asked_at = 32503680000",
    "UPDATE urls SET state = 2, retry_at = 32503680000 WHERE state = 1",
    "UPDATE states SET urls = -5",
    "UPDATE states SET urls = 'x'",
    "UPDATE states SET urls = 0",
    "DELETE FROM states",
]


def edited(begun: Path, tmp_path: Path, statement: str) -> None:
    path = Path(shutil.copytree(begun, tmp_path / "crawls")) / TOPIC / "1" / "crawl.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        database.execute(statement)


@pytest.mark.parametrize("statement", REFUSED)
def test_a_database_that_was_edited(
    attempt: Callable[..., Done], begun: Path, tmp_path: Path, statement: str
) -> None:
    """The crawl did nothing, for ever and without a word."""
    edited(begun, tmp_path, statement)
    done = attempt(pages=9)
    assert (done.code, "Traceback" in done.err) == (2, False), done.err[-2000:]
    last = done.err.splitlines()[-1]
    assert re.search("^error: .*changed by another program .*put a copy of it back", last)


@pytest.mark.parametrize("statement", MENDED)
def test_a_database_that_can_be_mended(
    attempt: Callable[..., Done], begun: Path, tmp_path: Path, statement: str
) -> None:
    """Counts are taken anew, and nobody waits for the year 3000."""
    edited(begun, tmp_path, statement)
    done = attempt(pages=9)
    assert (done.code, "Traceback" in done.err) == (0, False), done.err[-2000:]


READ = [
    ("report", "UPDATE pages SET relevance = 'abc'"),
    ("report", "UPDATE runs SET started = 'abc'"),
    ("why", "UPDATE pages SET fetched_at = 1e300"),
    ("why", "UPDATE urls SET state = 99"),
    ("distill", "UPDATE links SET target = 'abc'"),
    ("crawl", "UPDATE counters SET value = 'abc'"),
    ("crawl", "UPDATE pages SET fetched_at = x'00'"),
]


@pytest.mark.parametrize(("command", "statement"), READ)
def test_what_another_program_wrote(
    scrapy: Scrapy, attempt: Callable[..., Done], begun: Path, tmp_path: Path, command: str, statement: str
) -> None:
    """Whoever reads it says which file it is, and which column."""
    edited(begun, tmp_path, statement)
    folder = tmp_path / "crawls" / TOPIC / "1"
    (url,) = Job(folder).rows("SELECT url FROM urls WHERE state != 1 LIMIT 1")[0]
    words = {"report": [folder], "why": [url, "--crawl", folder], "distill": [folder]}
    done = attempt(pages=9) if command == "crawl" else scrapy.run(command, *words[command])
    assert (done.code, "Traceback" in done.err) == (2, False), done.err[-2000:]
    column = re.search(r"(\w+) SET (\w+)", statement)
    said = f"^error: .*crawl.db was changed by another program \\({column[2]} of {column[1]}\\); put a copy"
    assert re.search(said, done.err.splitlines()[-1]), done.err[-2000:]
