"""What distilling costs: rating a million links between sites, and its share of a real crawl.

    .venv/bin/python benchmarks/distill.py [--web ../shared/webs/openweb.warc.gz] [--topic machine-learning]
                                           [--pages 3000] [--json FILE]

The million links are made up (large_crawl.py) and lie in a crawl.db. They are read and rated twice, each time
in a fresh process: with rho = 0, so that every link is a vote (hits_1m_s, hits_1m_rss_mib), and with the rho
that a crawl takes. CPU seconds: opening, reading, rating. Peak: all that the process ever had, as the kernel
has it (VmHWM); "before" is that of its imports.

The crawl is `scrapy crawl` of a recorded web, a command of its own with default settings, after `scrapy
train`. Its share: the CPU seconds of its distillations, as table `distillations` has them, of those of the
whole command. Where there is no such web that part is left out.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import OPEN_WEB, Report, main, places, scrapy, temporary_folder
from benchmarks.large_crawl import LargeCrawl, Mix
from benchmarks.meter import Meter, peak_mib
from benchmarks.tables import Rows
from focused_crawler.crawl.hubs.record import measure as distilled
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.opening import read_crawl
from focused_crawler.virtualweb.truth import topics_folder

MADE_UP_PAGES = 50_000
MIX = Mix(links=45, external=0.67, external_known=0.83)
_BETWEEN_SITES = """
SELECT count(*) FROM (
  SELECT DISTINCT source, target FROM links JOIN urls ON urls.id = target WHERE external = 1 AND state = 4
) AS found
"""


def measure(
    *,
    web: Annotated[Path, "a recorded web with topics beside it"] = OPEN_WEB,
    topic: str = "machine-learning",
    pages: Annotated[int, "of the crawl"] = 3000,
    made_up: Annotated[int, "pages of the crawl that never was"] = MADE_UP_PAGES,
) -> Report:
    """Rate the made-up crawl, and look at what distilling takes of a real one."""
    with temporary_folder() as folder:
        with CrawlDatabase(folder / "crawl.db") as database:
            LargeCrawl(database, made_up, mix=MIX).fill()
            (links,) = database.rows(_BETWEEN_SITES)[0]
        rows = Rows()
        for rho in (0.0, None):  # a process each: its peak is its own
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                rows.append({"links": links, **pool.submit(rate_here, folder, rho).result()})
        crawls = Rows([crawl_share(folder, web.resolve(), topic, pages)] if web.is_file() else [])
    first = rows[0]
    figures = {"hits_1m_s": first["cpu"], "hits_1m_rss_mib": first["peak"]}
    return Report({"made_up": rows, "crawls": crawls}, figures)


def rate_here(folder: Path, rho: float | None) -> dict[str, float]:
    """Rate the crawl in a folder; return what that took of this process."""
    before, meter = peak_mib(), Meter()
    with meter.running(), read_crawl(folder) as database:
        found = distilled(database, rho)
    counts = {"rho": found.rho, "votes": found.links, "rated": len(found.position)}
    return {**counts, "cpu": meter.cpu, "s": meter.wall, "before": before, "peak": peak_mib()}


def crawl_share(folder: Path, web: Path, topic: str, pages: int) -> dict[str, float]:
    """Crawl a web, and return what its distillations took of it."""
    place, settings = topics_folder(web) / topic, places(web, folder)
    scrapy("train", place, "--replace", settings=settings)
    arguments = {"topic": place, "pages": pages, "seed_set": "a", "job": 1}
    cpu = scrapy("crawl", "topic", arguments=arguments, settings=settings)
    with read_crawl(folder / "crawls" / topic / "1") as database:
        rows = database.rows("SELECT pages, links, seconds FROM distillations ORDER BY id")
        (recorded,) = database.rows("SELECT count(*) FROM pages")[0]
    spent, links = sum(row[2] for row in rows), rows[-1][1] if rows else 0
    counts = {"pages": recorded, "times": len(rows), "links": links}
    return {**counts, "spent": spent, "cpu": cpu, "share": spent / cpu}


if __name__ == "__main__":
    main(measure, __doc__)
