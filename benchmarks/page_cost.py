"""CPU time that a page costs: Scrapy doing nothing, Scrapy following links, and our crawls.

    WEBS=../shared/webs
    .venv/bin/python benchmarks/page_cost.py $WEBS/openweb.warc.gz --topic $WEBS/openweb.topics/health

All crawls fetch the same pages, over real HTTP from one `scrapy virtualweb serve` on loopback: a random
sample of the web, its hosts moved to 127.x.x.x. All links are looked at, and queued behind the sample. CPU
time is that of the whole process tree, user and system, less that of a crawl of 20 pages: start-up is left
out. Each crawl runs `--rounds` times, in turns; the table shows the median. The ledger is of one more crawl
by `lpe`, by the default strategy, and by it with analysis processes (`workers`): where a page's CPU goes,
room by room of the main process, and what its children take (benchmarks/ledger.py).
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import tomlkit
from rich.progress import track

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import (
    PROCESSES,
    ROOT,
    STDERR,
    Report,
    main,
    random_pages,
    scrapy,
    scrapy_command,
    words_of,
)
from benchmarks.tables import Rows
from focused_crawler.topic.topic import load_topic
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.record import WebRecord
from focused_crawler.virtualweb.writer import WebWriter

START_UP_PAGES = 20
DEFAULT, WORKERS = "default", "workers"
CONCURRENCY = 16
_SITE = re.compile(rb"(?:https?:|(?<=[\"'=]))//([a-z0-9.-]+)(?::\d+)?", re.IGNORECASE)
SPARE = 1.05  # so much longer are the lists than a crawl: not all of a real web can be parsed


def free_port() -> int:
    """Return a port that nobody listens at: one that the system gives out by itself."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Sample:
    """Some pages of a web under addresses of this machine, in a web of their own."""

    def __init__(self, source: Path, pages: int, seed: int, folder: Path) -> None:
        self.port = free_port()
        self.path = folder / "sample.warc.gz"
        self.urls: list[str] = []
        self.sizes: list[int] = []
        self._hosts: dict[bytes, int] = {}
        with VirtualWeb(source) as web, WebWriter(self.path) as writer:
            for record in random_pages(web, seed):
                self._copy(record, writer)
                if len(self.urls) == pages:
                    break

    def _copy(self, record: WebRecord, writer: WebWriter) -> None:
        url = self._local(record.url.encode()).decode()
        if url not in self.urls:
            body = self._local(record.body)
            writer.write(url, 200, [("Content-Type", record.header("Content-Type"))], body)
            self.urls.append(url)
            self.sizes.append(len(body))

    def _local(self, text: bytes) -> bytes:
        """Give every host in a text an address of its own on this machine."""
        return _SITE.sub(lambda found: self._site(found[1].lower()), text)

    def _site(self, host: bytes) -> bytes:
        number = self._hosts.setdefault(host, len(self._hosts))
        return b"http://127.%d.%d.%d:%d" % (number // 62500, number // 250 % 250, number % 250 + 1, self.port)


@contextmanager
def served(sample: Sample) -> Iterator[None]:
    """Serve a sample while the block runs."""
    where = ("--host", "0.0.0.0", "--port", sample.port)
    command = scrapy_command("virtualweb", "serve", sample.path, *where)
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        server.stdout.readline()
        try:
            yield
        finally:
            server.terminate()


def plain(follow: str, lists: dict[int, Path], pages: int) -> float:
    """Crawl by benchmarks/plain_spider.py; `follow` 1: it follows links. Return the CPU seconds."""
    settings = {
        "CONCURRENT_REQUESTS": CONCURRENCY,
        "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
        "ROBOTSTXT_OBEY": True,  # as `scrapy startproject` has it
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",  # the list before the links
        "LOG_LEVEL": "CRITICAL",
    }
    arguments = {"urls": lists[pages], "follow": follow, "pages": pages}
    outside = Path(tempfile.gettempdir())  # of the project, which Scrapy by itself must not find
    spider = ROOT / "benchmarks/plain_spider.py"
    return scrapy("runspider", spider, arguments=arguments, settings=settings, cwd=outside)


def focused(strategy: str, topics: dict[int, Path], folder: Path, processes: int, pages: int) -> float:
    """Crawl by a strategy, with so many analysis processes. Return the CPU seconds."""
    return scrapy("crawl", "topic", **_words(strategy, topics, folder, processes, pages))


def ledger(crawler: str, topics: dict[int, Path], folder: Path, processes: int, pages: int) -> Rows:
    """Crawl once more; return what a page costs room by room."""
    report, strategy = folder / "ledger.json", DEFAULT if crawler == WORKERS else crawler
    words = words_of(**_words(strategy, topics, folder, processes, pages))
    span = (START_UP_PAGES, pages)  # as in the table
    command = [sys.executable, "-m", "benchmarks.ledger", report, *span, "crawl", "topic", *words]
    subprocess.run([*map(str, command)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    rooms: dict[str, float] = json.loads(report.read_text())
    rows = [{"room": room, crawler: ms} for room, ms in rooms.items()]
    return Rows(sorted(rows, key=lambda row: -row[crawler]))


def _words(
    strategy: str, topics: dict[int, Path], folder: Path, processes: int, pages: int
) -> dict[str, dict[str, object]]:
    """Return the arguments and settings of a crawl; `default`: of no strategy in particular."""
    settings: dict[str, object] = {
        "FOCUSED_CRAWLS": tempfile.mkdtemp(dir=folder),
        "FOCUSED_MODELS": folder / "models",
        "FOCUSED_ALLOWED_NETWORKS": "127.0.0.0/8",
        "FOCUSED_ANALYSIS_PROCESSES": processes,
        "CONCURRENT_REQUESTS": CONCURRENCY,
        "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
        "DOWNLOAD_DELAY": 0,
        "LOG_LEVEL": "CRITICAL",
    }
    arguments: dict[str, object] = {"topic": topics[pages], "pages": pages}
    if strategy != DEFAULT:
        arguments["strategy"] = strategy
    return {"arguments": arguments, "settings": settings}


def prepare(topic: Path, web: Path, sample: Sample, pages: int, folder: Path) -> tuple[dict[int, Path], ...]:
    """Train the model; write and return lists of URLs and topics that start with them, by number of pages."""
    original = load_topic(str(topic))
    scrapy("train", topic, "--replace", settings={"FOCUSED_MODELS": folder / "models", "FOCUSED_WEB": web})
    lists, topics = {}, {}
    for number in (START_UP_PAGES, pages):
        urls = sample.urls[: int(SPARE * number)]
        lists[number], topics[number] = folder / f"{number}.txt", folder / str(number) / original.name
        lists[number].write_text("\n".join(urls) + "\n")
        topics[number].mkdir(parents=True)
        about = {name: getattr(original, name) for name in ("name", "title", "description")}
        about |= {"keywords": list(original.keywords), "seeds": urls}
        (topics[number] / "topic.toml").write_text(tomlkit.dumps(about))
    return lists, topics


def measure(
    web: Annotated[Path, "a WARC file"],
    *,
    topic: Annotated[Path, "a topic folder with examples in that web"],
    pages: int = 3000,
    rounds: int = 3,
    processes: Annotated[int, "analysis processes of `workers`, the default strategy with some"] = PROCESSES,
    seed: int = 0,
) -> Report:
    """Crawl in turns; each crawl less one of few pages."""
    web, topic, rows, more = web.resolve(), topic.resolve(), Rows(), pages - START_UP_PAGES
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sample = Sample(web, int(SPARE * pages), seed, folder)
        lists, topics = prepare(topic, web, sample, pages, folder)
        crawlers = {"noop": partial(plain, "", lists), "plain": partial(plain, "1", lists)}
        for strategy in ("breadth_first", "lpe", DEFAULT):
            crawlers[strategy] = partial(focused, strategy, topics, folder, 0)
        crawlers[WORKERS] = partial(focused, DEFAULT, topics, folder, processes)
        with served(sample):
            for _ in track(range(rounds), "rounds", console=STDERR):
                for crawler, crawl in crawlers.items():
                    (cpu, wall), (little, little_wall) = timed(crawl, pages), timed(crawl, START_UP_PAGES)
                    costs = {"cpu": 1000 * (cpu - little) / more, "wall": 1000 * (wall - little_wall) / more}
                    rows.append({"crawler": crawler, **costs})
            rooms = Rows()
            for crawler, others in (("lpe", 0), (DEFAULT, 0), (WORKERS, processes)):
                rooms += ledger(crawler, topics, folder, others, pages)
    of = {crawler: mine.measure("cpu").median for (crawler,), mine in rows.by("crawler").items()}
    for row in rows:
        row |= {f"of_{name}": of[row["crawler"]] / of[name] for name in ("noop", "plain")}
    one, workers = (rows.where(crawler=name).measure("wall").median for name in (DEFAULT, WORKERS))
    sizes = {"sample_pages": len(sample.urls), "sample_kib": sum(sample.sizes) / len(sample.sizes) / 1024}
    return Report({"crawls": rows, "rooms": rooms}, {"wall_ratio_workers": one / workers, **sizes})


def timed(crawl: Callable[[int], float], pages: int) -> tuple[float, float]:
    """Return seconds of CPU and by the clock."""
    began = time.monotonic()
    return crawl(pages), time.monotonic() - began


if __name__ == "__main__":
    main(measure, __doc__)
