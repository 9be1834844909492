"""What is held for a host once it was asked: counted in the command's process, at pages that a test names."""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path
from time import monotonic
from typing import Any

from focused_crawler.edge.download.slots import FORGOTTEN_AFTER
from tests.hostile import watchdog
from tests.hostile.watchdog import KeptStats

PAGES, LAST, FILE = "CENSUS_PAGES", "CENSUS_LAST", "CENSUS_FILE"
LATELY = 2 * FORGOTTEN_AFTER + 2
"""Seconds after which the downloader has forgotten a host, however fast hosts are asked."""


def install() -> None:
    """Count all objects, the downloader's slots and the pages of late whenever so many more are recorded.

    Before the first and the last count idle slots are forgotten: else it is the speed that is measured.
    """
    watchdog.install()
    count, each, last = KeptStats.inc_value, int(os.environ[PAGES]), int(os.environ[LAST])
    found: list[tuple[int, int, int]] = []
    times: list[float] = []

    def counted(stats: Any, key: str, *args: Any, **more: Any) -> None:
        count(stats, key, *args, **more)
        if key != "item_scraped_count":
            return
        times.append(monotonic())
        if stats.get_value(key) % each == 0:
            lately = sum(at >= times[-1] - LATELY for at in times)
            downloader = stats._crawler.engine.downloader
            slots = len(downloader.slots)
            if stats.get_value(key) in {each, last}:
                downloader._slot_gc(0)
            gc.collect()
            found.append((sys.getallocatedblocks(), slots, lately))
            Path(os.environ[FILE]).write_text(json.dumps(found))

    KeptStats.inc_value = counted  # type: ignore[method-assign]
