"""Kill crawls with SIGKILL at random moments, resume them, and count what was lost or done twice.

    .venv/bin/python benchmarks/crash.py [--rounds 10] [--kills 10] [--pages 1500] [--json FILE]

Ours, and a plain Scrapy spider with a JOBDIR (benchmarks/jobdir_spider.py), on the same web on loopback
(benchmarks/loopback.py) and the same schedule. A round is one crawl: killed `--kills` times, each time
resumed by the same command, then run to its end; round 0 has no kill. Moments are random, and so that the
rare ones are met, too, they fall

    start  (1 of 5)   up to 2 s after the command: imports, opening, restoring, the first requests
    middle (3 of 5)   after a random share of the pages left, and up to 20 ms: that is some pages' time, so
                      before and after links, pages and commits
    stop   (1 of 10)  in a shut-down: up to 0.3 s after a SIGTERM in the middle
    end    (1 of 10)  up to 0.5 s after the last page was asked for: last commits, report, run.json

Lost: reachable pages that are not in the results (ours: in the database and in the feed; Scrapy's: in the
feed). Double: pages in them twice, or counted twice. Refetched: requests for pages that were asked for
before. A kill counts if there was a process to kill: Scrapy's ends by itself once its queue is lost. Stuck:
last runs that came to no end in 45 s, many times what they need; they are ended.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.progress import track
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.loopback import SmallWeb, reachable, serving, url, write_topic  # noqa: E402
from focused_crawler.crawl.journal import COMMIT_PAGES  # noqa: E402

HOSTS = 20
CONCURRENCY = 16
PATIENCE = 45.0  # seconds until a run counts as stuck
MOMENTS = ("start",) * 2 + ("middle",) * 6 + ("stop", "end")


class Kill(NamedTuple):
    """When to kill a run."""

    moment: str
    share: float  # of the pages that are left: to be asked for before
    delay: float  # seconds after that


def schedule(kills: int, chance: random.Random) -> list[Kill]:
    """Return so many kills, those at the end of a crawl last."""
    moments = sorted(chance.choices(MOMENTS, k=kills), key=lambda moment: moment == "end")
    return [_kill(moment, chance) for moment in moments]


def _kill(moment: str, chance: random.Random) -> Kill:
    share = {"start": 0.0, "end": 1.0}.get(moment, chance.uniform(0.0, 0.3))
    longest = {"start": 2.0, "middle": 0.02, "stop": 0.3, "end": 0.5}[moment]
    return Kill(moment, share, chance.uniform(0.0, longest))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a round came to."""

    kills: int
    recorded: int
    lost: int
    double: int
    refetched: int
    stuck: int


class Contender(ABC):
    """A crawler with a folder of its own, on a web of its own."""

    name: str

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.seed = url(0, HOSTS, port)
        self.prepare()

    @abstractmethod
    def prepare(self) -> None:
        """Make what the command needs."""

    @abstractmethod
    def command(self) -> list[str]:
        """Return the command that begins the crawl, and goes on with it."""

    @abstractmethod
    def recorded(self) -> tuple[Counter[str], int]:
        """Return how often each page is in the results, and how many pages were counted."""


class Ours(Contender):
    name = "ours"

    def prepare(self) -> None:
        self._topic = write_topic(self.folder, self.seed)

    def command(self) -> list[str]:
        settings = {
            "FOCUSED_CRAWLS": self.folder / "crawls",
            "FOCUSED_ALLOWED_NETWORKS": "127.0.0.0/8",
        }
        words = ["crawl", "topic", "-a", f"topic={self._topic}", "-a", "job=crash"]
        return [*_scrapy(), *words, "-a", "strategy=best_first_content_anchor", *_options(settings)]

    def recorded(self) -> tuple[Counter[str], int]:
        job = self.folder / "crawls/loopback/crash"
        with closing(sqlite3.connect(job / "crawl.db")) as database:
            pages = Counter(row[0] for row in database.execute("SELECT url FROM pages"))
            ((counted,),) = database.execute("SELECT value FROM counters WHERE name = 'pages'")
        lines = Counter(_urls(job / "pages.jsonl"))
        totals = json.loads((job / "run.json").read_text())["totals"]
        kept = Counter({page: max(number, lines[page]) for page, number in pages.items() if page in lines})
        return kept, max(int(counted), int(totals["pages"]))


class Jobdir(Contender):
    name = "JOBDIR"

    def prepare(self) -> None:
        self._feed = self.folder / "pages.jsonl"

    def command(self) -> list[str]:
        words = ["runspider", str(ROOT / "benchmarks/jobdir_spider.py"), "-a", f"seed={self.seed}"]
        settings = {"JOBDIR": self.folder / "job", "DOWNLOAD_TIMEOUT": 30, "TELNETCONSOLE_ENABLED": False}
        return [*_scrapy(), *words, "-o", f"{self._feed}:jsonlines", *_options(settings)]

    def recorded(self) -> tuple[Counter[str], int]:
        pages = Counter(_urls(self._feed))
        return pages, len(pages)  # it keeps no count over several runs


def _scrapy() -> list[str]:
    return [sys.executable, "-m", "scrapy"]


def _options(settings: dict[str, object]) -> list[str]:
    common = {
        "DOWNLOAD_DELAY": 0,
        "CONCURRENT_REQUESTS": CONCURRENCY,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 2,
        "LOG_LEVEL": "WARNING",
    }
    return [part for name, value in {**settings, **common}.items() for part in ("-s", f"{name}={value}")]


def _urls(feed: Path) -> list[str]:
    """Return the URLs of a feed, without the lines that a kill has torn."""
    urls = []
    for line in feed.read_text("utf-8", "replace").splitlines() if feed.exists() else ():
        try:
            urls.append(json.loads(line)["url"])
        except (ValueError, TypeError):
            continue
    return urls


def run_round(kind: type[Contender], pages: int, kills: Sequence[Kill], latency: float = 0.005) -> Outcome:
    """Crawl once, with these kills on the way."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        hits = folder / "hits.txt"
        with serving("SMALL", pages, HOSTS, latency, hits) as port:
            crawler = kind(folder, port)
            landed = sum(_kill_run(crawler, hits, pages, kill) for kill in kills)
            stuck = not _run_to_end(crawler)
            return _outcome(crawler, hits, pages, port, landed, stuck)


def _start(crawler: Contender) -> subprocess.Popen[bytes]:
    home = ROOT if isinstance(crawler, Ours) else crawler.folder  # Scrapy by itself must not find the project
    log = (crawler.folder / "log.txt").open("ab")
    with log:
        return subprocess.Popen(crawler.command(), cwd=home, stdout=log, stderr=log)


def _run_to_end(crawler: Contender) -> bool:
    """Tell whether it came to one."""
    process = _start(crawler)
    try:
        if process.wait(PATIENCE):
            raise SystemExit((crawler.folder / "log.txt").read_text("utf-8", "replace"))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return False
    return True


def _kill_run(crawler: Contender, hits: Path, pages: int, kill: Kill) -> bool:
    """Start or resume the crawl and kill it when its moment has come; False if it ended before."""
    before = _asked(hits)
    wanted = len(before) + kill.share * (pages - len(before))
    process = _start(crawler)
    end = time.monotonic() + PATIENCE
    while process.poll() is None and len(_asked(hits)) < wanted and time.monotonic() < end:
        time.sleep(0.005)
    if kill.moment == "stop":
        process.send_signal(signal.SIGTERM)
    time.sleep(kill.delay)
    landed = process.poll() is None
    process.kill()
    process.wait()
    return landed


def _asked(hits: Path) -> Counter[str]:
    lines = hits.read_text().split() if hits.exists() else []
    return Counter(line for line in lines if line.startswith("/page/"))


def _outcome(crawler: Contender, hits: Path, pages: int, port: int, kills: int, stuck: bool) -> Outcome:
    recorded, counted = crawler.recorded()
    wanted = {url(page, HOSTS, port) for page in reachable(SmallWeb(pages, HOSTS))}
    asked = _asked(hits)
    return Outcome(
        kills=kills,
        recorded=len(recorded),
        lost=len(wanted - recorded.keys()),
        double=recorded.total() - len(recorded) + abs(counted - len(recorded)),
        refetched=asked.total() - len(asked),
        stuck=int(stuck),
    )


def _total(rounds: Sequence[Outcome]) -> Outcome:
    return Outcome(*(sum(getattr(outcome, name) for outcome in rounds) for name in Outcome.__slots__))


def report(outcomes: dict[str, Sequence[Outcome]], pages: int) -> Table:
    """Set the crawlers side by side, round by round."""
    table = Table("round", "", *Outcome.__slots__, title=f"{pages} pages a round, killed and resumed")
    for number, pair in enumerate(zip(*outcomes.values(), strict=True)):
        _add(table, str(number), dict(zip(outcomes, pair, strict=True)))
    _add(table, "all", {name: _total(rounds) for name, rounds in outcomes.items()})
    return table


def _add(table: Table, first: str, outcomes: dict[str, Outcome]) -> None:
    for name, outcome in outcomes.items():
        table.add_row(first, name, *(str(getattr(outcome, column)) for column in Outcome.__slots__))
        first = ""
    table.add_section()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--kills", type=int, default=10, help="a round")
    parser.add_argument("--pages", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    os.environ.pop("SCRAPY_SETTINGS_MODULE", None)
    chance = random.Random(options.seed)
    schedules = [[], *(schedule(options.kills, chance) for _ in range(options.rounds))]
    stderr = Console(stderr=True)
    outcomes = {
        kind.name: [
            run_round(kind, options.pages, kills) for kills in track(schedules, kind.name, console=stderr)
        ]
        for kind in (Ours, Jobdir)
    }
    console = Console()
    console.print(report(outcomes, options.pages))
    total, theirs = _total(outcomes[Ours.name]), _total(outcomes[Jobdir.name])
    figures = {
        "kills": total.kills,
        "lost": total.lost,
        "double": total.double,
        "refetched": total.refetched,
        "stuck": total.stuck,
        "most_refetched": total.kills * (CONCURRENCY + COMMIT_PAGES),  # in flight, or not committed yet
        "jobdir_kills": theirs.kills,
        "jobdir_lost": theirs.lost,
        "jobdir_double": theirs.double,
        "jobdir_refetched": theirs.refetched,
        "jobdir_stuck": theirs.stuck,
    }
    console.print(figures)
    if options.json:
        options.json.write_text(json.dumps({"figures": figures}, indent=2) + "\n")


if __name__ == "__main__":
    main()
