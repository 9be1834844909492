"""What a crawl writes: no more than so many times what it reads, whatever the web says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.hosts import HONEST_PAGES
from tests.hostile.real import is_whole, survive
from tests.hostile.web import HostileWeb, hostile_web
from tests.project import Scrapy

MB = 1_000_000


@pytest.fixture
def web() -> Iterator[HostileWeb]:
    with hostile_web() as running:
        yield running


def bytes_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_links_write_little_more_than_they_take_to_send(
    web: HostileWeb, scrapy: Scrapy, tmp_path: Path
) -> None:
    """Thousands of links a page, long by a base or as short as can be: a crawl keeps as much as it reads."""
    hosts = [f"n{number}.{kind}.test" for number in range(4) for kind in ("long", "short")]
    survived = survive(web, scrapy, tmp_path, [*hosts, "honest.test"], "FOCUSED_RETRY_DELAY=0.01")
    is_whole(survived)
    assert bytes_of(survived.job.folder) <= 20 * survived.served.sent + 5 * MB
    assert survived.done.err.count("links are too much for their page") == len(hosts)
    links = survived.stats["focused/links/seen"] + survived.stats["focused/links/cut"]
    assert links == 5000 * len(hosts) + HONEST_PAGES - 1
