"""The crawl command: stopped for longer than a lease, with slower answers, and on a clock that jumps."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

from tests.crawls.faults import JUMP, set_clock
from tests.hostile.hosts import HONEST_PAGES, SLOW_PAGES
from tests.hostile.real import Survived, survive
from tests.hostile.web import HostileWeb
from tests.project import Job, Running, Scrapy, until

SHORT = "FOCUSED_LEASE_SECONDS=1"
PAGES = {"honest.test": HONEST_PAGES, **{host: pages for host, (pages, _) in SLOW_PAGES.items()}}


def has_each_page_once(survived: Survived, host: str) -> None:
    """Check that database, feed, counters and stats agree on the pages of a site."""
    job, pages = survived.job, PAGES[host]
    assert (survived.done.code, survived.is_quiet) == (0, True), survived.done.err[-3000:]
    feed = [json.loads(line) for line in (job.folder / "pages.jsonl").read_text().splitlines()]
    assert [page["url"] for page in feed] == job.pages
    assert len(set(job.pages)) == len(job.pages) == pages
    assert [page["duplicate_of"] for page in feed] == [None] * pages
    assert dict(job.rows("SELECT * FROM counters"))["pages"] == job.run["totals"]["pages"] == pages
    assert (job.run["totals"]["harvest_rate"], job.failures) == (1.0, {})
    assert survived.stats["focused/pages"] == survived.stats["focused/run/pages"] == pages
    assert survived.stats["item_scraped_count"] == pages


def test_a_stop_longer_than_a_lease(web: HostileWeb, scrapy: Scrapy, tmp_path: Path) -> None:
    """A closed laptop, a SIGSTOP: what was out is asked for again, and what comes twice is recorded once."""

    def stop(running: Running, _: Job) -> None:
        for pages in (20, 60, 100):
            until(lambda n=pages: web.asked().hits.total() > n)
            running.signal(signal.SIGSTOP)
            time.sleep(1.2)
            running.signal(signal.SIGCONT)

    survived = survive(web, scrapy, tmp_path, ["honest.test"], SHORT, meanwhile=stop)
    has_each_page_once(survived, "honest.test")


def test_answers_slower_than_a_lease(web: HostileWeb, scrapy: Scrapy, tmp_path: Path) -> None:
    """Each is asked for again before it comes; the first to come counts, the other is counted as late."""
    survived = survive(web, scrapy, tmp_path, ["slower.test"], SHORT)
    has_each_page_once(survived, "slower.test")
    late = survived.stats["focused/late_answers"]
    assert late > 0
    assert survived.done.err.count("Late, and fetched again meanwhile") == late


def test_a_clock_that_jumps_ahead(web: HostileWeb, scrapy: Scrapy, tmp_path: Path) -> None:
    """By a day, with what is out: no lease ends for that, and nothing is asked for twice."""
    sign, before = tmp_path / "jump", web.asked().hits.total()

    def jump(*_: object) -> None:
        until(lambda: web.asked().hits.total() > before + 8)
        set_clock(sign, 86_400)

    survived = survive(
        web,
        scrapy,
        tmp_path / "crawl",
        ["slow.test"],
        before="tests.crawls.faults.clock_jumps",
        meanwhile=jump,
        environ={JUMP: str(sign)},
    )
    has_each_page_once(survived, "slow.test")
    assert "focused/late_answers" not in survived.stats
