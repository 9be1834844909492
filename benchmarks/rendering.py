"""What rendering on demand finds, and what it costs, beside rendering everything and nothing.

    .venv/bin/python benchmarks/rendering.py --json figures.json

On the mixed web (`rendering_web.py`), where 30 % of the hosts need a browser: three crawls of each topic with
so many pages, whose models are trained on the demo web, where the same pages are to be read. Recall: share of
the topic's relevant pages (ground truth, which no crawl sees) that were fetched, and read. Cost: CPU seconds
of the crawl with its browsers, from start to end. A page of an app counts
only if it was rendered (then it has a title of its own): else its text was not there to be read.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from scrapy.crawler import Crawler
from scrapy.statscollectors import MemoryStatsCollector

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import ROOT, STDERR, Report, main, places, scrapy_command, temporary_folder
from benchmarks.rendering_web import write_mixed_web
from benchmarks.tables import Rows
from focused_crawler.virtualweb.truth import RELEVANT, topics_folder

MODES = ("off", "needed", "all")
TOPICS = ("astronomy", "cooking", "football")
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: what a descendant leaves behind comes to us


class KeptStats(MemoryStatsCollector):
    """Writes Scrapy's stats into the JSON file STATS_FILE when a crawl ends."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._file = Path(crawler.settings["STATS_FILE"])

    def _persist_stats(self, stats: dict[str, Any]) -> None:
        self._file.write_text(json.dumps(stats, default=str))


def cost(command: Sequence[str]) -> float:
    """Return the CPU seconds of a command that has to succeed, with all that came of it: browsers, too."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, __file__, "--reap", *command]
    done = subprocess.run(words, check=True, capture_output=True, text=True, cwd=ROOT, env=environment)
    answer = json.loads(done.stdout)
    if answer["code"]:
        raise SystemExit(f"{' '.join(command)}: {done.stderr[-2000:]}")
    return float(answer["cpu"])


def reap(command: Sequence[str]) -> None:
    """Run a command, wait for all that came of it and what that leaves behind, and print what it took."""
    ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0)
    code = subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps({"code": code, "cpu": used.ru_utime + used.ru_stime}))


def crawl(mode: str, topic: Path, web: Path, folder: Path, pages: int) -> dict[str, float]:
    """Crawl, and count what came of it."""
    job, stats = folder / "crawls" / topic.name / mode, folder / f"{mode}-{topic.name}.json"
    settings = {
        **places(web, folder),
        "FOCUSED_RENDER": mode, "CONCURRENT_REQUESTS": 1, "LOG_LEVEL": "WARNING",
        "STATS_CLASS": "benchmarks.rendering.KeptStats", "STATS_FILE": stats,
    }  # fmt: skip
    arguments = {"topic": topic, "pages": pages, "job": mode}
    cpu = cost(scrapy_command("crawl", "topic", arguments=arguments, settings=settings))
    counted = json.loads(stats.read_text())
    relevant = (topics_folder(web) / topic.name / RELEVANT).read_text().split()
    with closing(sqlite3.connect(job / "crawl.db")) as database:
        read = database.execute("SELECT count(*) FROM pages WHERE is_target AND title <> host").fetchone()[0]
    return {
        "pages": counted["focused/pages"],
        "rendered": counted.get("focused/rendered", 0),
        "requests": counted["downloader/request_count"],
        "recall": read / len(relevant),
        "cpu": cpu,
    }


def measure(*, topics: str = ",".join(TOPICS), pages: int = 200) -> Report:
    """Train on the demo web, and make all crawls of the mixed one."""
    rows = Rows()
    with temporary_folder() as folder:
        plain, mixed = write_mixed_web(folder)
        for topic in topics.split(","):
            home = topics_folder(mixed) / topic
            cost(scrapy_command("train", home, "--replace", settings=places(plain, folder)))
            for mode in MODES:
                rows.append({"topic": topic, "mode": mode, **crawl(mode, home, mixed, folder, pages)})
                STDERR.print(rows[-1])
    return Report({"crawls": rows})


if __name__ == "__main__":
    if sys.argv[1:2] == ["--reap"]:
        reap(sys.argv[2:])
    else:
        main(measure, __doc__)
