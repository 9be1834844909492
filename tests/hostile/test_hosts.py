"""What a crawl of many hosts holds for each of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.hostile import census
from tests.hostile.real import survive
from tests.hostile.web import hostile_web
from tests.project import Scrapy

HOSTS, EACH = 1200, 300
MOST_OBJECTS = 34
"""Python objects that a host leaves behind, lists and texts of it included (28 to 30 here)."""
UNDER_WAY = 50
"""Hosts that are asked, and have no page yet."""


@pytest.mark.slow
def test_little_is_held_for_a_host_that_was_asked(tmp_path: Path, scrapy: Scrapy) -> None:
    """Its account of traps, its rules and its address; the downloader forgets it within seconds."""
    with hostile_web(MANY_ROBOTS=str(HOSTS), SHORT_ROBOTS="1") as web:
        survived = survive(
            web,
            scrapy,
            tmp_path,
            ["robots.test"],
            before="tests.hostile.census.install",
            environ={
                census.PAGES: str(EACH),
                census.LAST: str(HOSTS),
                census.FILE: str(tmp_path / "census"),
            },
        )
    assert (survived.done.code, survived.is_quiet) == (0, True), survived.done.err[-3000:]
    found = json.loads((tmp_path / "census").read_text())
    assert len(found) == HOSTS // EACH
    (first, *_), *_, (last, *_) = found
    assert (last - first) / (HOSTS - EACH) <= MOST_OBJECTS
    assert [slots for _, slots, lately in found if slots > lately + UNDER_WAY] == []
