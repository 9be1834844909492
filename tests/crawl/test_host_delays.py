from __future__ import annotations

import pytest

from focused_crawler.crawl import host_delays
from focused_crawler.crawl.host_delays import HostDelays


def test_each_file_has_its_part() -> None:
    """The larger of what http and https ask for holds; what a file says later takes the place of its own."""
    delays = HostDelays()
    read = [("https", 10.0), ("http", 0.0), ("http", 3.0), ("https", float("nan")), ("http", -1.0)]
    assert [delays.record("a.org", scheme, seconds) for scheme, seconds in read] == [
        (10.0, True),
        (10.0, False),
        (10.0, False),
        (3.0, False),
        (0.0, False),
    ]
    assert delays.record("a.org:8080", "http", 1.0) == (1.0, True)


def test_the_latest_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is bounded: a file of a host that was forgotten is its first one again."""
    monkeypatch.setattr(host_delays, "MOST_HOSTS", 2)
    delays = HostDelays()
    for host in ("a.org", "b.org", "a.org", "c.org"):
        delays.record(host, "https", 10.0)
    assert [delays.record(host, "http", 0.0) for host in ("a.org", "b.org")] == [(10.0, False), (0.0, True)]
