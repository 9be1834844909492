"""The real crawl command against the hostile web, and what is to be known of it afterwards."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tests.crawls.site import write_topic
from tests.hostile.hosts import HONEST_PAGES
from tests.hostile.watchdog import FILE, STATS
from tests.hostile.web import HostileWeb, Served
from tests.project import Done, Job, Running, Scrapy, crawl

HOLD = 0.25
"""Seconds of CPU that one turn of the loop may take."""
QUICK = ("DOWNLOAD_DELAY=0", "CONCURRENT_REQUESTS_PER_DOMAIN=8", "DOWNLOAD_TIMEOUT=5")


@dataclass(frozen=True)
class Survived:
    """A crawl that has ended."""

    done: Done
    job: Job
    served: Served  # to this crawl
    stats: dict[str, Any]
    hold: dict[str, Any]  # the loop's longest turn
    honest: list[str]  # pages of the honest site that are recorded

    @property
    def seconds(self) -> float:
        """Return how long the honest site took, from its first to its last page."""
        times = self.job.rows("SELECT fetched_at FROM pages WHERE url LIKE '%//honest.test%'")
        return max(times)[0] - min(times)[0]

    @property
    def is_quiet(self) -> bool:
        """Tell whether the log has no traceback and no raw control character."""
        return "Traceback" not in self.done.err and not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", self.done.err)


def survive(
    web: HostileWeb,
    scrapy: Scrapy,
    folder: Path,
    hosts: list[str],
    *settings: str,
    before: str = "tests.hostile.watchdog.install",
    meanwhile: Callable[[Running, Job], None] | None = None,
    environ: Mapping[str, str] = MappingProxyType({}),
    **arguments: object,
) -> Survived:
    """Crawl from these hosts, the defaults changed by `settings` alone.

    `before` is called in its process first; `meanwhile` may do something to it when it has begun.
    """
    folder.mkdir(exist_ok=True)
    topic = write_topic(folder, "bees", *(web.url(host) for host in hosts))
    watch, stats = folder / "watchdog", folder / "stats"
    words = crawl(
        topic,
        folder / "crawls",
        f"FOCUSED_NAME_SERVERS=127.0.0.1:{web.dns}",
        "FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8",
        "STATS_CLASS=tests.hostile.watchdog.KeptStats",
        *QUICK,
        *settings,
        job="1",
        **arguments,
    )
    job = Job(folder / "crawls" / "bees" / "1")
    earlier = web.asked()  # by another test of the module, whichever comes first
    running = scrapy.start(*words, before=before, environ={FILE: str(watch), STATS: str(stats), **environ})
    if meanwhile is not None:
        meanwhile(running, job)
    done = running.wait()
    honest = [url for url in job.pages if "//honest.test" in url]
    hold = json.loads(watch.read_text()) if watch.exists() else {}
    counted = json.loads(stats.read_text()) if stats.exists() else {}
    return Survived(done, job, web.asked().since(earlier), counted, hold, honest)


def is_whole(survived: Survived) -> None:
    """Check that the honest site was crawled whole, and that nothing of the rest was noticed."""
    assert (survived.done.code, survived.is_quiet) == (0, True), survived.done.err[-3000:]
    assert len(survived.honest) == HONEST_PAGES, survived.done.err[-3000:]
