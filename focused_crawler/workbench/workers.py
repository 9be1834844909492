"""The workers of a fleet, as `scrapy fleet status` reads them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from focused_crawler.safety.extras import explaining_extras
from focused_crawler.store.job import run_of
from focused_crawler.store.opening import full_address
from focused_crawler.workbench.bench import Workbench

if TYPE_CHECKING:
    from focused_crawler.fleet.status import FleetStatus


def workers_of(bench: Workbench, folder: Path) -> FleetStatus:
    """Return the state of the fleet that crawls in a folder; raises ConfigError without the extra."""
    run = run_of(folder)
    with explaining_extras():
        from focused_crawler.fleet.crawls import FleetCrawl  # noqa: PLC0415 - of the extra "fleet"
        from focused_crawler.fleet.reader import FleetReader  # noqa: PLC0415

        crawl = FleetCrawl(run.topic, run.job, full_address(run.database))
        with FleetReader(crawl, bench.crawls) as reader:
            return reader.read()
