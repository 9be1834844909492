"""The workbench beside a crawl of 100,000 pages: each view, a stream, and a crawl that it watches.

    .venv/bin/python benchmarks/workbench.py [--pages N] [--seconds N] [--pairs N] [--json FILE]

The crawl is made up (`large_crawl.py`), with the texts of real pages; it grows by ten pages a second while it
is watched. CPU is that of the workbench's process, all threads, in nanoseconds by the system's scheduler.
Views are asked for five times each, the first time included. The speed of a crawl is taken in pairs, with a
tab that watches and without: pages a second of the crawl's own CPU, as others use the machine, too; the
clock's ratio is shown beside.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, NamedTuple
from urllib.parse import quote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import ROOT, Report, main, temporary_folder
from benchmarks.large_crawl import LargeCrawl
from benchmarks.tables import Rows
from focused_crawler.classify.taxonomy.training import train_taxonomy
from focused_crawler.classify.taxonomy.tree import Category, Tree, parent_of
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import read_run, write_run
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.toml import listed
from focused_crawler.virtualweb.demo import write_demo_web

ROUNDS = 5
PAGES_A_SECOND = 10
SETTLED = 0.01
"""Share of a core below which a process that was asked nothing has settled."""
TOPIC, JOB = "astronomy", "large"
_CRAWL, _TOPIC = f"/crawls/{TOPIC}/{JOB}", f"/topics/{TOPIC}"


class Place(NamedTuple):
    """Folders of the benchmark."""

    root: Path

    @property
    def crawls(self) -> Path:
        return self.root / "crawls"

    @property
    def web(self) -> Path:
        return self.root / "web.warc.gz"

    @property
    def tree(self) -> Path:
        return self.root / "tree"

    @property
    def topic(self) -> Path:
        return self.root / f"demo.topics/{TOPIC}"

    @property
    def large(self) -> Path:
        return self.crawls / TOPIC / JOB

    def settings(self) -> list[str]:
        given = {"CRAWLS": self.crawls, "WEB": self.web, "MODELS": self.root / "models", "SEARCH": "local"}
        return [word for name, value in given.items() for word in ("-s", f"FOCUSED_{name}={value}")]

    def crawl(self, job: str, pages: int) -> list[str]:
        given = {"topic": self.topic, "job": job, "pages": pages, "profile": "offline"}
        words = [word for name, value in given.items() for word in ("-a", f"{name}={value}")]
        return [sys.executable, "-m", "scrapy", "crawl", "topic", *words, *self.settings()]


def make(root: Path, pages: int) -> Place:
    """Make a web without ground truth, a small crawl of it, and a large one that is of the same topic."""
    place = Place(root)
    write_demo_web(root).rename(place.web)
    subprocess.run(place.crawl("small", 60), cwd=ROOT, check=True, capture_output=True)
    place.large.mkdir()
    with CrawlDatabase(place.large / "crawl.db") as database:
        LargeCrawl(database, pages).fill()
        relevant = database.rows("SELECT count(*) FROM pages WHERE is_relevant = 1")[0][0]
        states = database.rows("SELECT state, count(*) FROM urls GROUP BY state")
        database.executemany(
            "UPDATE states SET urls = ? WHERE state = ?", [(n, state) for state, n in states]
        )
        counts = [(pages, "pages"), (relevant, "relevant")]
        database.executemany("UPDATE counters SET value = ? WHERE name = ?", counts)
        with closing(sqlite3.connect(place.crawls / TOPIC / "small/crawl.db")) as small:
            texts = [text for (text,) in small.execute("SELECT text FROM page_texts")]
        rows = ((position, texts[position % len(texts)]) for position in range(1, pages + 1))
        database.executemany("INSERT INTO page_texts (page, text) VALUES (?, ?)", rows)
        database.commit()
        _write_taxonomy(place, database)
    run = read_run(place.crawls / TOPIC / "small")
    assert run is not None
    write_run(place.large, replace(run, job=JOB, totals={"pages": pages, "relevant": relevant}))
    return place


def _write_taxonomy(place: Place, database: CrawlDatabase) -> None:
    """Write the tree that the made-up crawl was judged by, with its pages as examples, and a model of it."""
    words = (
        "star",
        "planet",
        "goal",
        "match",
        "oven",
        "flour",
        "bond",
        "garden",
        "rose",
        "meteor",
        "telescope",
    )
    leaves = [path for (path,) in database.rows("SELECT path FROM categories ORDER BY path")]
    tree = Tree.of(Category(path) for path in leaves)
    pages = {}
    for number, path in enumerate(leaves):
        text = " ".join(words[(number * step) % len(words)] for step in range(1, 30))
        pages[path] = [
            parse_page(f"<p>{text} own{number}".encode(), f"http://{path}/", Analyzer("en"), "utf-8")
        ]
        rows = database.rows("SELECT url FROM pages WHERE category = ? ORDER BY position LIMIT 20", (path,))
        folder = place.tree / path
        folder.mkdir(parents=True)
        (folder.parent / "category.toml").touch()
        (folder / "category.toml").write_text(f"examples = {listed([url for (url,) in rows])}\n")
    (place.tree / "category.toml").touch()
    train_taxonomy(tree, pages)[0].save(place.root / "models/taxonomy")
    with (place.topic / "topic.toml").open("a") as file:
        file.write(f'\n[taxonomy]\ngood = ["{parent_of(leaves[0])}"]\n')


class Server:
    """A workbench in a process of its own."""

    def __init__(self, place: Place) -> None:
        words = [sys.executable, "-m", "scrapy", "ui", "--no-browser", "--port", "0", *place.settings()]
        words += ["-s", f"FOCUSED_TAXONOMY={place.tree}"]
        self._process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        found = re.search(r"http://\S+", self._process.stdout.readline())
        assert found is not None, "scrapy ui did not start"
        parts = urlsplit(found[0])
        self.address = parts.netloc
        self._cookie = ""
        self._cookie = self.ask(f"/?{parts.query}")[1]["Set-Cookie"].partition(";")[0]

    def connect(self, path: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(self.address, timeout=120)
        connection.request("GET", path, headers={"Cookie": self._cookie})
        return connection.getresponse()

    def ask(self, path: str) -> tuple[int, http.client.HTTPMessage, bytes]:
        with closing(self.connect(path)) as response:
            if response.status == 303 and self._cookie:
                return self.ask(response.headers["Location"])
            return response.status, response.headers, response.read()

    @property
    def cpu(self) -> float:
        """Return the CPU seconds of all its threads."""
        tasks = Path(f"/proc/{self._process.pid}/task").glob("*/schedstat")
        return sum(int(path.read_text().split()[0]) for path in tasks) / 1e9

    @property
    def memory(self) -> float:
        """Return its megabytes."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE") / 1e6

    def settle(self) -> None:
        """Wait until what it computes beside its answers is done."""
        while True:
            before = self.cpu
            time.sleep(1.0)
            if self.cpu - before < SETTLED:
                return

    def close(self) -> None:
        self._process.send_signal(signal.SIGINT)
        self._process.wait()


def views(place: Place) -> dict[str, str]:
    """Return the name of each view -> its path."""
    with CrawlDatabase(place.large / "crawl.db", read_only=True) as database:
        url = database.rows("SELECT url FROM pages WHERE position = 50")[0][0]
        category = database.rows("SELECT max(path) FROM categories")[0][0]
    return {
        "Home": "/",
        "a topic": _TOPIC,
        "Crawl": _CRAWL,
        "dots of a crawl": f"{_CRAWL}/dots?upto=50000",
        "Pages": f"{_CRAWL}/pages",
        "Pages, relevant, by host": f"{_CRAWL}/pages?relevant=yes&order=host",
        "Pages, far on, by relevance": f"{_CRAWL}/pages?order=doubt&low=0.5&after=50",
        "Pages, by words": f"{_CRAWL}/pages?words=telescope",
        "Page": f"{_CRAWL}/page?url={quote(url)}",
        "Label": f"{_CRAWL}/label",
        "the bar of Label": f"{_CRAWL}/label/estimate",
        "Train": f"{_TOPIC}/train",
        "Taxonomy": f"{_TOPIC}/taxonomy",
        "Taxonomy, a category": f"{_TOPIC}/taxonomy?at={category}&crawl={JOB}",
        "what focus would follow": f"{_TOPIC}/taxonomy/focus?crawl={JOB}&good={category}",
        "Compare": f"{_TOPIC}/compare",
        "Compare, two crawls": f"{_TOPIC}/compare?crawl={JOB}&crawl=small",
    }


def time_views(server: Server, place: Place) -> tuple[Rows, list[str]]:
    """Return milliseconds of CPU of each view, and the views that did not answer."""
    rows, missing = Rows(), []
    server.ask("/")  # the first page of a process loads its templates
    for view, path in views(place).items():
        spent: list[float] = []
        for _ in range(ROUNDS):
            server.settle()
            before = server.cpu
            status, _, body = server.ask(path)
            spent.append(1e3 * (server.cpu - before))
            if status != 200:
                missing.append(f"{view} ({status})")
                break
        else:
            rows.append({"view": view, "first": spent[0], "median": statistics.median(spent),
                         "worst": max(spent), "kb": len(body) / 1e3, "all": spent})  # fmt: skip
    return rows, missing


@contextmanager
def growing(place: Place) -> Iterator[None]:
    """Let the large crawl run: it records ten pages a second."""
    ends = threading.Event()

    def record() -> None:
        with CrawlDatabase(place.large / "crawl.db") as database:
            store, number = PageStore(database), 0
            while not ends.wait(1 / PAGES_A_SECOND):
                number += 1
                url = f"http://www.new{number % 50}.example/page-{number}.html"
                relevance = number % 97 / 97
                about = {"title": f"Page {number}", "size": 20_000, "status": 200}
                about |= {"relevance": relevance, "is_relevant": relevance > 0.5}
                page = PageItem(url=url, fetched_at=time.time(), **about)
                store.record_page(page)
                store.commit()

    thread = threading.Thread(target=record)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        thread.join()


def watch(server: Server, path: str, ends: threading.Event) -> dict[str, float]:
    """Read a stream until it is to end; return its bytes, dots and messages."""
    found = {"bytes": 0.0, "dots": 0.0, "messages": 0.0}
    response = server.connect(f"{path}/live?after=0")
    while not ends.is_set():
        line = response.readline()
        found["bytes"] += len(line)
        if line.startswith(b"data: "):
            found["messages"] += 1
            found["dots"] += len(json.loads(line[6:]).get("dots", []))
    response.close()
    return found


def time_stream(server: Server, place: Place, seconds: int) -> dict[str, float]:
    """Return what a tab that watches costs, after its first seconds, in which all is sent."""
    found: dict[str, float] = {}
    warm, ends = threading.Event(), threading.Event()
    with growing(place):
        first = threading.Thread(
            target=watch, args=(server, _CRAWL, warm)
        )  # holds the reader while others come
        first.start()
        time.sleep(20.0)
        thread = threading.Thread(target=lambda: found.update(watch(server, _CRAWL, ends)))
        memory, before, began = server.memory, server.cpu, time.monotonic()
        thread.start()
        time.sleep(seconds)
        spent, took, grown = server.cpu - before, time.monotonic() - began, server.memory - memory
        ends.set()
        thread.join()
        warm.set()
        first.join()
    return {
        "core": spent / took,
        "kb": found["bytes"] / 1e3 / took,
        "dots": found["dots"] / took,
        "mb": grown,
    }


def time_crawls(server: Server, place: Place, pairs: int, pages: int = 600) -> Rows:
    """Return the speed of crawls that a tab watches, of those without, of the same pages."""
    rows = Rows()
    for number in range(pairs):
        pair: dict[str, tuple[float, float, list[str]]] = {}
        for kind in ("watched", "alone")[:: 1 if number % 2 else -1]:
            job = f"{kind}-{number}"
            ends = threading.Event()
            process = subprocess.Popen(place.crawl(job, pages), cwd=ROOT, stderr=subprocess.DEVNULL)
            folder = place.crawls / TOPIC / job
            while not (folder / "run.json").exists():
                time.sleep(0.05)
            tab = threading.Thread(target=watch, args=(server, f"/crawls/{TOPIC}/{job}", ends))
            if kind == "watched":
                tab.start()
            _, _, usage = os.wait4(process.pid, 0)
            process.returncode = 0
            ends.set()
            if kind == "watched":
                tab.join()
            run = read_run(folder)
            assert run is not None
            with CrawlDatabase(folder / "crawl.db", read_only=True) as database:
                urls = [url for (url,) in database.rows("SELECT url FROM pages ORDER BY position")]
            pair[kind] = usage.ru_utime + usage.ru_stime, run.seconds, urls
            shutil.rmtree(folder)
        (cpu, clock, watched), (own_cpu, own_clock, alone) = pair["watched"], pair["alone"]
        rows.append({"pair": number + 1, "cpu": own_cpu / cpu, "clock": own_clock / clock,
                     "pages": len(watched), "same": float(watched == alone)})  # fmt: skip
    return rows


def measure(
    *,
    pages: int = 100_000,
    seconds: Annotated[int, "that the stream is read"] = 120,
    pairs: Annotated[int, "of crawls, with a tab that watches and without"] = 5,
) -> Report:
    """Make a crawl, and ask."""
    with temporary_folder() as folder:
        place = make(folder, pages)
        server = Server(place)
        try:
            asked, missing = time_views(server, place)
            stream = time_stream(server, place, seconds)
            crawls = time_crawls(server, place, pairs)
        finally:
            server.close()
    spent = sorted(one for row in asked for one in row["all"])
    figures = {
        "view_p95_ms": spent[min(len(spent) - 1, round(0.95 * len(spent)))],
        "live_core_share": stream["core"],
        "live_kb_per_s": stream["kb"],
        "live_dots_per_s": stream["dots"],
        "live_growth_mb": stream["mb"],
        "crawl_speed_ratio": statistics.median(row["cpu"] for row in crawls),
    }
    complaint = f"no answer: {', '.join(missing)}" if missing else ""
    if not all(row["same"] for row in crawls):
        complaint = "a crawl that was watched has fetched other pages"
    return Report({"views": asked, "crawls": crawls}, figures, complaint)


if __name__ == "__main__":
    main(measure, __doc__)
