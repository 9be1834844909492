"""What is held for a host once it was asked: counted in the command's process, at pages that a test names."""

from __future__ import annotations

import gc
import json
import os
import sys
from pathlib import Path
from typing import Any

from tests.hostile import watchdog
from tests.hostile.watchdog import KeptStats

PAGES, FILE = "CENSUS_PAGES", "CENSUS_FILE"


def install() -> None:
    """Count all objects and the downloader's slots whenever so many pages more are recorded."""
    watchdog.install()
    count, each, found = KeptStats.inc_value, int(os.environ[PAGES]), []

    def counted(stats: Any, key: str, *args: Any, **more: Any) -> None:
        count(stats, key, *args, **more)
        if key == "item_scraped_count" and stats.get_value(key) % each == 0:
            gc.collect()
            found.append((sys.getallocatedblocks(), len(stats._crawler.engine.downloader.slots)))
            Path(os.environ[FILE]).write_text(json.dumps(found))

    KeptStats.inc_value = counted  # type: ignore[method-assign]
