"""Memory of the crawl command on a hostile web without end: a tool to run by hand.

    python tests/hostile/endurance.py robots --number 2000     # hosts with the longest robots.txt
    python tests/hostile/endurance.py farm --number 100000     # names of one domain, in links
    python tests/hostile/endurance.py domains --number 100000  # names, each a domain of its own

It samples the process while the pages come, and prints its memory by tenths of the crawl, and the slope after
the first of them.
"""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.hostile.hosts import FARM_LINKS, LISTED
from tests.hostile.real import Survived, survive
from tests.hostile.web import hostile_web
from tests.project import Job, Running, Scrapy

MB = 1 << 20
FAST = ("DOWNLOAD_TIMEOUT=60", "LOG_LEVEL=WARNING", "FOCUSED_RETRY_DELAY=0.1")


class Sample(NamedTuple):
    """The process at a moment."""

    seconds: float
    pages: int
    memory: int  # bytes, resident


class Sampler:
    """Looks at a crawl until it ends."""

    def __init__(self) -> None:
        self.samples: list[Sample] = []

    def __call__(self, running: Running, job: Job) -> None:
        began, process = time.monotonic(), psutil.Process(running.pid)
        with suppress(psutil.Error):
            while process.status() != psutil.STATUS_ZOMBIE:
                pages = 0
                with suppress(Exception):  # there is no database yet
                    pages = job.rows("SELECT coalesce(max(position), 0) FROM pages")[0][0]
                self.samples.append(Sample(time.monotonic() - began, pages, process.memory_info().rss))
                if len(self.samples) % 100 == 0:
                    print(self.samples[-1], file=sys.stderr, flush=True)
                time.sleep(0.1)

    def story(self) -> str:
        """Return the memory by tenths of the pages, and how it grows after the first."""
        last = self.samples[-1].pages
        crawling = [one for one in self.samples if one.pages]
        lines = [f"{'pages':>8} {'seconds':>8} {'MB':>8}"]
        for tenth in range(11):
            at = next(one for one in crawling if one.pages >= max(1, last * tenth // 10))
            lines.append(f"{at.pages:8,} {at.seconds:8.0f} {at.memory / MB:8.1f}")
        later = [one for one in crawling if last / 10 <= one.pages < last]
        slope = np.polyfit([one.pages for one in later], [one.memory for one in later], 1)[0]
        lines.append(f"slope after the first tenth: {slope / MB * 1000:+.2f} MB per 1,000 pages")
        lines.append(f"from its first page to its highest: {self.growth() / MB:+.1f} MB")
        return "\n".join(lines)

    def growth(self) -> int:
        """Return by how many bytes the process was larger than at its first page, at most."""
        crawling = [one.memory for one in self.samples if 0 < one.pages < self.samples[-1].pages]
        return max(crawling) - crawling[0]


def crawl(kind: str, number: int, minutes: float, folder: Path) -> tuple[Survived, Sampler]:
    """Crawl until so many hosts were asked for their robots.txt, or so many names were met."""
    scrapy, sampler = Scrapy(folder), Sampler()
    lists = (number - 1) // LISTED + 1
    pages = number + lists if kind == "robots" else number // FARM_LINKS + 1
    seed = {"robots": "robots.test", "farm": "spam.test", "domains": "d0.manydomains.test"}[kind]
    with hostile_web(MANY_ROBOTS=str(number)) as web:
        survived = survive(
            web, scrapy, folder, [seed], *FAST, meanwhile=sampler, pages=pages, minutes=minutes
        )
    scrapy.close()
    return survived, sampler


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kind", choices=("robots", "farm", "domains"))
    parser.add_argument("--number", type=int, required=True, help="hosts, or names")
    parser.add_argument("--minutes", type=float, default=60, help="at most")
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        survived, sampler = crawl(options.kind, options.number, options.minutes, Path(folder))
        job = survived.job
        met = job.rows("SELECT count(DISTINCT substr(url, 1, instr(substr(url, 8), '/') + 7)) FROM urls")[0][
            0
        ]
    print(sampler.story())
    robots = sum(path.endswith("/robots.txt") for path in survived.served.hits)
    print(f"{met:,} names met, {robots:,} robots.txt asked for, {survived.served.sent / MB:,.0f} MB received")
    print(f"peak {survived.stats['peak'] / MB:.0f} MB; exit code {survived.done.code}")


if __name__ == "__main__":
    main()
