from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tests.crawl.site import Answer, Site, page, write_topic
from tests.project import Job, Scrapy, crawl

DELAY = 0.3
HOSTS = ("127.0.0.1", "127.0.0.2")
SETTINGS = ("FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8", f"DOWNLOAD_DELAY={DELAY}", "FOCUSED_RETRY_DELAY=0.5")


@pytest.mark.slow
def test_a_wait_costs_no_heartbeat(site: Site, scrapy: Scrapy, tmp_path: Path) -> None:
    """Hosts are asked no sooner than their delay allows, and hardly later: not when Scrapy next looks.

    Without the scheduler's own alarm every wait would last Scrapy's five seconds.
    """
    for number in range(10):
        site.answers[f"/{number}"] = [page(f"number {number}", [f"/{number + 1}"] if number < 9 else [])]
    site.answers["/5"] = [Answer(status=500), *site.answers["/5"]]
    topic = write_topic(tmp_path, "bees", *(site.url("/0", host) for host in HOSTS))
    scrapy.run(*crawl(topic, tmp_path / "crawls", *SETTINGS))
    assert len(Job(tmp_path / "crawls/bees/1").pages) == 20
    for host in HOSTS:
        times = [hit.time for hit in site.hits if hit.host == host]
        assert min(later - earlier for earlier, later in pairwise(times)) > 0.95 * DELAY
        assert times[-1] - times[0] < 8
