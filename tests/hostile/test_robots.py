"""No robots.txt fills the crawl command's memory, or holds its event loop."""

from __future__ import annotations

from pathlib import Path

from tests.hostile.endurance import Sampler
from tests.hostile.hosts import MOST_PARSED
from tests.hostile.real import HOLD, survive
from tests.hostile.web import hostile_web
from tests.project import Scrapy

MB = 1 << 20
HOSTS = [*range(4), *range(MOST_PARSED + 1, MOST_PARSED + 100)]
MANY = len([number for number in HOSTS if number < MOST_PARSED or number % MOST_PARSED == 0])
GROWTH = 64 * MB
"""Bytes that the process may grow by; their rules are 50 MB in all."""


def test_rules_without_end(scrapy: Scrapy, tmp_path: Path) -> None:
    """The longest robots.txt of many hosts: each is obeyed and asked for once, and few are kept."""
    hosts, sampler = [f"n{number}robots.test" for number in HOSTS], Sampler()
    with hostile_web() as web:
        survived = survive(web, scrapy, tmp_path, hosts, "DOWNLOAD_TIMEOUT=30", meanwhile=sampler)
    assert (survived.done.code, survived.is_quiet) == (0, True), survived.done.err[-3000:]
    assert sorted(survived.job.pages) == sorted(web.url(host) for host in hosts)
    asked = {path: times for path, times in survived.served.hits.items() if path.endswith("robots.txt")}
    assert asked == {f"{host}/robots.txt": 1 for host in hosts}
    assert survived.stats["focused/limits/robots_rules"] == MANY
    assert survived.hold["cpu"] < HOLD, survived.hold
    assert sampler.growth() < GROWTH, sampler.story()
