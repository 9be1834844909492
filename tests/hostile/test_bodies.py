"""No page holds the crawl command's event loop, whatever is in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.bodies import BODIES, CHARSETS, body
from tests.hostile.hosts import HONEST_PAGES
from tests.hostile.real import HOLD, is_whole, survive
from tests.hostile.web import HostileWeb
from tests.project import Scrapy


def test_codecs_that_are_no_charsets(web: HostileWeb, scrapy: Scrapy, tmp_path: Path) -> None:
    """Labels that only Python knows count for nothing: each page is read, at once, at the first try."""
    survived = survive(web, scrapy, tmp_path, ["charsets.test", "honest.test"])
    is_whole(survived)
    pages = [url for url in survived.job.pages if "//charsets.test" in url]
    assert len(pages) == 1 + 2 * len(CHARSETS)
    assert survived.stats["focused/charsets/ignored"] == len(CHARSETS)
    assert "Ignored charset punycode of http://charsets.test" in survived.done.err
    assert survived.hold["cpu"] < HOLD, survived.hold


@pytest.mark.slow
def test_bodies_that_hold_their_reader(web: HostileWeb, scrapy: Scrapy, tmp_path: Path) -> None:
    """A mebibyte of anything is read in parts, or refused."""
    for name in BODIES:
        body(name)  # or the server is late, not the reader
    pages = HONEST_PAGES + len(BODIES) + 1  # and not all that their links lead to
    survived = survive(
        web, scrapy, tmp_path, ["bodies.test", "honest.test"], "DOWNLOAD_TIMEOUT=60", pages=pages
    )  # nobody is slow but the crawl itself
    is_whole(survived)
    assert all(survived.served.hits[f"bodies.test/{name.replace(' ', '%20')}"] == 1 for name in BODIES)
    assert survived.hold["cpu"] < HOLD, survived.hold
