"""What the machine gives a crawl."""

from __future__ import annotations

from pathlib import Path

import pytest

from focused_crawler.crawl.doctor.machine import GIB, check_clock, check_disk, check_versions, disk_finding


def test_the_folder_of_crawls_need_not_be_there() -> None:
    """The nearest one above it that is there is measured, and what is tried there is taken away."""
    before = set(Path.cwd().iterdir())
    found = check_disk(Path("no/such/folder"))
    assert str(Path.cwd()) in found.text
    assert set(Path.cwd().iterdir()) == before


def test_a_folder_that_cannot_be_written_to_is_an_error() -> None:
    """Also for root, who may write wherever something can be written."""
    found = check_disk(Path("/proc/crawls"))
    assert (found.state, "FOCUSED_CRAWLS" in found.cure) == ("error", True)


@pytest.mark.parametrize(("free", "state"), [(GIB // 8, "error"), (GIB, "warning"), (9 * GIB, "ok")])
def test_little_space_is_a_warning_and_hardly_any_an_error(free: int, state: str) -> None:
    assert disk_finding(Path("/crawls"), free).state == state


def test_one_server_whose_clock_is_wrong_says_nothing_of_ours() -> None:
    """The median counts."""
    (fine,) = check_clock({"a": 1.0, "b": -2.0, "c": 1e6})
    (late,) = check_clock({"a": 7200.0, "b": 7201.0, "c": 0.0})
    assert (fine.state, fine.text) == ("ok", "agrees with 3 servers to 1 s")
    assert (late.state, late.text) == ("warning", "is 7200 s behind of 3 servers")
    assert list(check_clock({})) == []


def test_versions_are_those_that_run() -> None:
    assert "Scrapy 2." in check_versions().text
