"""Sees to a browser: `python -m focused_crawler.rendering.install`, as set-up does. Goes on without one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

from focused_crawler.rendering.chromium import find_browser, is_root

SET_UP = "make setup"
PATIENCE = 240
"""Seconds for one way of installing a browser."""


def ways() -> list[list[str]]:
    """Return the commands that may bring a browser: the system's, then Playwright's own."""
    playwright = [sys.executable, "-m", "playwright", "install"]
    if not is_root():
        return [[*playwright, "chromium"]]
    apt = ["apt-get", "install", "--yes", "--no-install-recommends", "chromium"]
    return [apt, [*playwright, "--with-deps", "chromium"]]


def install(commands: Sequence[Sequence[str]]) -> bool:
    """Run commands until one brings a browser; return whether there is one, or was."""
    return find_browser(None) is not None or any(map(_succeeds, commands))


def _succeeds(command: Sequence[str]) -> bool:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(  # noqa: S603
            command, check=False, capture_output=True, timeout=PATIENCE, env=environment
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def main() -> None:
    """Bring a browser, unless one is here; what does not need it goes on without."""
    if install(ways()):
        print(f"A browser is here: {find_browser(None) or 'Playwright has its own'}.")
    else:
        print(f"No browser could be had: pages are taken as they are sent; later type: {SET_UP}")


if __name__ == "__main__":
    main()
