"""`import focused_crawler` loads nothing, and its names lead to what they say."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import focused_crawler as fc

LOADED = """
import sys
import focused_crawler as fc
print(*(name for name in sys.modules if name.startswith("focused_crawler.")))
"""
ROOMS = """
import focused_crawler as fc
{first}
import focused_crawler.crawl.plan
import focused_crawler.crawl as room
try:
    fc.crawl("no such topic")
except fc.FocusedCrawlerError as error:
    print(room.plan.__name__, callable(fc.experiment), str(error)[:8])
"""


def printed(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_nothing_is_loaded_before_it_is_used() -> None:
    """Not even a module of our own."""
    assert printed(LOADED) == ""


@pytest.mark.parametrize("name", fc.__all__)
def test_every_name_is_there(name: str) -> None:
    """And shown by dir()."""
    assert callable(getattr(fc, name))
    assert name in dir(fc)


def test_what_is_not_there() -> None:
    """As of any module."""
    with pytest.raises(AttributeError, match="has no attribute 'crwal'"):
        fc.crwal  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("first", ["", "import focused_crawler.crawl.visit", "fc.crawl"])
def test_a_room_is_a_function_as_well(first: str) -> None:
    """Whether the room or the function is asked for first: `crawl` and `experiment` are both."""
    assert printed(ROOMS.format(first=first)) == "focused_crawler.crawl.plan True no topic"


@pytest.mark.parametrize("name", ["crawl", "experiment"])
def test_a_notebook_shows_what_a_function_takes(name: str) -> None:
    """Not (*args, **kwargs), though a room stands in its place."""
    assert {"pages", "settings"} <= set(inspect.signature(getattr(fc, name)).parameters)
