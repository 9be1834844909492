"""How much of a crawl may be rendered in a browser, and by which one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from focused_crawler.safety.errors import ConfigError

MODES = ("auto", "needed", "all", "off")
"""auto: as needed on the live web, off on a recorded one, and off as root, where a browser has no sandbox."""


@dataclass(frozen=True, slots=True)
class RenderSettings:
    """What FOCUSED_RENDER and its like say."""

    mode: str = "off"
    share: float = 0.4  # of the fetched pages that may be rendered, [0, 1]
    browser: Path | None = None  # Chromium's executable; None: the first that is found


def checked_browser(path: Path | None) -> Path | None:
    """Return the path of FOCUSED_BROWSER; raises ConfigError where nothing can be run."""
    if path is not None and not (path.is_file() and os.access(path, os.X_OK)):
        raise ConfigError(
            f"FOCUSED_BROWSER is {str(path)!r}; use the path of Chromium's program, or leave it empty"
        )
    return path
