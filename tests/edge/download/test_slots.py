"""Hosts that the downloader forgets, and those that it must not."""

from __future__ import annotations

from time import monotonic

from scrapy import Request
from scrapy.core.downloader import Slot
from scrapy.utils.test import get_crawler

from focused_crawler.edge.download.slots import FORGOTTEN_AFTER, ForgetfulDownloader


def slot(asked: float, delay: float = 1.0, *, is_active: bool = False) -> Slot:
    """Return the slot of a host that was asked so many seconds ago."""
    made = Slot(8, delay, 0.0)
    made.lastseen = monotonic() - asked
    if is_active:
        made.active.add(Request("http://a.org/"))
    return made


def test_a_host_is_forgotten_soon_after_its_delay() -> None:
    """Not one that is being asked; a delay of its own, as what pages ask of it counts, for a minute."""
    handlers = dict.fromkeys(("http", "https", "ftp", "file", "data", "s3"))
    downloader = ForgetfulDownloader(
        get_crawler(settings_dict={"DOWNLOAD_DELAY": 1.0, "DOWNLOAD_HANDLERS": handlers})
    )
    downloader.slots.update(
        over=slot(FORGOTTEN_AFTER + 1.5),
        fresh=slot(FORGOTTEN_AFTER + 0.5),
        busy=slot(1000, is_active=True),
        slow=slot(59, delay=2.0),
        slow_over=slot(63, delay=2.0),
    )
    downloader._slot_gc()
    assert sorted(downloader.slots) == ["busy", "fresh", "slow"]
