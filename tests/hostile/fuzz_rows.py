"""Targets of the fuzzer that a database holds: its tables, its file, and what a link carried."""

from __future__ import annotations

import io
import json
import math
import shutil
import sqlite3
import struct
import time
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from rich.console import Console

from focused_crawler.classify.midpoints import Midpoints
from focused_crawler.classify.page_classifiers import WINDOW
from focused_crawler.crawl.hubs.listing import read_ranking
from focused_crawler.crawl.hubs.record import distill
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.link_scoring.registry import STRATEGIES, create
from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Page
from focused_crawler.page.parser import parse_page
from focused_crawler.page.stored_text import stored_text
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.report.page import render
from focused_crawler.report.read import read_summary
from focused_crawler.report.terminal.crawl import figures
from focused_crawler.report.why.learnt import Learnt
from focused_crawler.report.why.reading import read_facts
from focused_crawler.report.why.sentences import answer
from focused_crawler.report.why.terminal import as_record, conclusion, story
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.foreign import explaining
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import FINISHED, RunInfo, run_of, write_run
from focused_crawler.store.opening import read_crawl
from focused_crawler.store.page_texts import PageTexts
from focused_crawler.store.pages import PageStore
from tests.hmm import small_hmm
from tests.hostile.fuzzing import Target, scratch

PACKED = [
    b"P", b"W", b"L", b"X", b"D", b"F", b"\0", b"\xff\xff", b"http://", b"\xcb\x7f\xf0\0\0\0\0\0\0",
    b"\xcb\x7f\xf8\0\0\0\0\0\0", b"\x92", b"\x81", b"\xdc\xff\xff", b"\xdd\xff\xff\xff\xff",
    b"\xc7\x08\xff", b"\xd6\xff", b"\xa7started", b"\xa5pages", b"\xa3pid",
    b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff",
]  # fmt: skip


@cache
def _page() -> Page:
    page = parse_page(
        b"<title>Robots</title><p>A robot arm. <a href=/x>robot</a>", "http://sky.example/", Analyzer("en")
    )
    partition(page, 0.5, 10, 10)
    page.depth, page.relevance = 2, 0.5
    return page


@cache
def _strategies() -> list[Any]:
    """Return the strategies that read what a link carries, and those that learn."""
    hmm = small_hmm()
    vector = TopicVector({"robot": 1.0}, {}, 1.0)
    model = SimpleNamespace(
        vector=vector,
        midpoints=Midpoints(*[0.1] * 3),
        hidden_markov=lambda: hmm,
        language="en",
        keywords=("robot",),
    )
    names = ("hmm", "hmm_content", "hmm_content_anchor", "shark_search", "content_link_sibling")
    return [create(name, model) for name in STRATEGIES if name in names]


def carried(path: bytes | None) -> None:
    """Score the links of a page to which a link carried so much."""
    page = _page()
    page.path = path
    for strategy in _strategies():
        for page.is_relevant in (False, True):
            for score in strategy.score(page, page.links):
                assert score is None or 0.0 <= score <= 1.0, score
            strategy.path(page)
            strategy.parts(page, page.links[0])


CARRIED = [
    WINDOW.pack(0.5),
    struct.pack("<4d", 0.25, 0.5, 0.125, 0.125),
    struct.pack("<4d", 0.5, math.nan, math.inf, 2.0),
    b"hive.example",
]


# --- the crawl's database -----------------------------------------------------------------------------------

START = 1_700_000_000.0
A, B, C = (f"http://{name}.example/" for name in "abc")
VALUES: list[Any] = [
    None, 0, 1, -1, 2**63 - 1, -(2**63), 0.5, 1e300, -1e300, math.inf, -math.inf, "", "abc", "\0",
    "\x1b[31m", "\ud7ff", "{}", "[]", "9" * 400, b"", b"\xff", b"x" * 8, "http://[", "http://a.example/",
    "trap_x", "[bold", "1e5",
]  # fmt: skip


@cache
def crawl() -> Path:
    """Return the folder of a small crawl with a row in each table."""
    folder = scratch() / "bees" / "1"
    with CrawlDatabase(folder / "crawl.db") as database:
        store, frontier = PageStore(database), SqlFrontier(database)
        run = store.begin_run({"FOCUSED_STRATEGY": "lpe"}, {"scrapy": "2"})
        frontier.add([Candidate(url, 0.5) for url in (A, B, C, f"{A}x", f"{B}y")])
        for number, url in enumerate((A, B)):
            store.record_links(url, [(f"{A}x", "x", 0, 0.5), (C, "c", 1, None), (A, "a", 1, 0.1)])
            text = stored_text(_page())
            item = PageItem(
                url=url, parent=A, relevance=0.5, is_relevant=True, fetched_at=START + number, title="t",
                checksum="c", run=run, text=text, category="sky", hubness=0.1, links=3,
                duplicate_of=A if number else None,
            )  # fmt: skip
            store.record_page(item)
            frontier.done(url)
        frontier.failed(C, None)
        store.record_failure(C, "timeout", run)
        store.record_decision("failed", "timeout", url=C)
        store.record_decision("alarm", "stagnation")
        store.record_categories({"sky": True})
        store.end_run(run, "pages_budget")
        for statement in (
            "INSERT INTO revisits VALUES (1, 1, 2e9, 'changed', 0.5, 1)",
            "INSERT INTO memory (id, content, pages) VALUES (1, x'00', 2)",
            "INSERT INTO sketches VALUES (1, x'00')",
            "INSERT INTO sketch_bands VALUES (5, 1)",
        ):
            database.execute(statement)
        distill(database)
        frontier.close()
        store.commit()
    write_run(
        folder, RunInfo("bees", "Bees", "1", "lpe", "", None, trained=False, state=FINISHED, started=START)
    )
    with closing(sqlite3.connect(folder / "crawl.db")) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("VACUUM")
    return folder


@cache
def _cells() -> list[tuple[str, str]]:
    with closing(sqlite3.connect(crawl() / "crawl.db")) as connection:
        tables = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        )
        return [
            (table, column[1])
            for (table,) in tables.fetchall()
            for column in connection.execute(f"PRAGMA table_info({table})").fetchall()
        ]


def rows(data: bytes) -> None:
    """A crawl's database in which another program has written: reported, asked, and gone on with."""
    folder = crawl().with_name("2")
    shutil.copytree(crawl(), folder, dirs_exist_ok=True)
    try:
        _edit(folder / "crawl.db", data)
        look_at(folder)
    finally:
        shutil.rmtree(folder)


def _edit(path: Path, data: bytes) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA ignore_check_constraints = ON")
        for column, value, row in zip(data[::3], data[1::3], data[2::3], strict=False):
            table, name = _cells()[column % len(_cells())]
            chosen = VALUES[value % len(VALUES)]
            where = f"(SELECT {name} FROM {table} LIMIT 1 OFFSET {row % 4})" if row % 2 else name
            with suppress(sqlite3.IntegrityError):
                database.execute(f"UPDATE {table} SET {name} = ? WHERE {name} IS {where}", (chosen,))


def look_at(folder: Path) -> None:
    """Do with a crawl what report, why, distill, search and the next run do."""
    console = Console(file=io.StringIO(), width=100)
    first: CrawlError | None = None
    for look in (_report, _why, _distil, _go_on):
        try:
            with explaining():
                look(folder, console)
        except CrawlError as error:
            first = first or error
    if first is not None:
        raise first


def _report(folder: Path, console: Console) -> None:
    summary = read_summary(folder)
    console.print(figures([summary]))


def _why(folder: Path, console: Console) -> None:
    run = run_of(folder)
    for url in (A, C, f"{A}x", f"{A}unknown"):
        with read_crawl(folder) as database:
            facts = read_facts(database, url)
            found = answer(facts, run, START + 10)
            console.print(story(facts, run, None, Learnt(), START + 10))
            console.print(conclusion(found))
            json.dumps(as_record(facts, run, None, Learnt(), found))


def _distil(folder: Path, console: Console) -> None:
    with read_crawl(folder) as database:
        list(PageTexts(database).texts())
        list(CrawlHistory(database).pages())
        CrawlHistory(database).runs()


def _go_on(folder: Path, console: Console) -> None:
    with CrawlDatabase(folder / "crawl.db") as database:
        PageStore(database)
        frontier = SqlFrontier(database, Rules())
        for lease in frontier.take(5, time.time() + 1e6):
            carried(lease.path)
            frontier.done(lease.url)
        frontier.close()
        read_ranking(database, distill(database), 5)
        database.commit()


def report(data: bytes) -> None:
    """The same, drawn."""
    folder = crawl().with_name("5")
    shutil.copytree(crawl(), folder, dirs_exist_ok=True)
    try:
        _edit(folder / "crawl.db", data)
        with explaining():
            summary = read_summary(folder)
            render(summary, [summary])
    finally:
        shutil.rmtree(folder)


def file(data: bytes) -> None:
    """A crawl's database of any bytes."""
    folder = crawl().with_name("3")
    shutil.copytree(crawl(), folder, dirs_exist_ok=True)
    try:
        (folder / "crawl.db").write_bytes(data)
        look_at(folder)
    finally:
        shutil.rmtree(folder)


def run_json(data: bytes) -> None:
    """The run.json of a crawl."""
    folder = crawl().with_name("4")
    shutil.copytree(crawl(), folder, dirs_exist_ok=True)
    try:
        (folder / "run.json").write_bytes(data)
        _report(folder, console := Console(file=io.StringIO(), width=100))
        _why(folder, console)
    finally:
        shutil.rmtree(folder)


RUN = [
    b"null", b"true", b"false", b"[]", b"{}", b'""', b"-1", b"1e999", b"NaN", b"Infinity", b'"\\ud800"',
    b'"\\u001b[2J"', b'"running"', b'"stopped"', b'"totals": {"pages": ', b'"left": [1, 2]',
    b'"frontier": "redis://"', b'"database": "postgresql://a:b@h/c"', b'"schema": "x"', b'"state": ',
    b'"settings": {"FOCUSED_HOST_PAGES": ', b'"targets": ', b'"judged_by": "ground truth"',
]  # fmt: skip

TARGETS = (
    Target("carried", carried, CARRIED, (), PACKED),
    Target("rows", rows, [b"", b"abc", bytes(range(60))], (CrawlError,)),
    Target("report", report, [b""], (CrawlError,), is_slow=True),
    Target(
        "file", file, lambda: [(crawl() / "crawl.db").read_bytes()], (CrawlError,), [b"SQLite format 3\0"]
    ),
    Target("run", run_json, lambda: [(crawl() / "run.json").read_bytes()], (CrawlError,), RUN),
)
