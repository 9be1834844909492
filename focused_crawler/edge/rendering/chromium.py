"""Which browser renders, and how it is started: without any way to the network of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from focused_crawler.safety.printable import say

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
NOWHERE = "http://127.0.0.1:9"
"""A proxy that is none: whatever is not answered for the page goes there."""

FLAGS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-default-apps",
    "--disable-sync",
    "--disable-breakpad",
    "--no-pings",
    "--dns-prefetch-disable",
    "--mute-audio",
    "--blink-settings=imagesEnabled=false",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",  # its name in other versions
    "--js-flags=--max-old-space-size=512",  # MiB of a page's scripts
)


class NoBrowser(Exception):
    """There is none, or it does not run; the message is one line."""


def find_browser(named: Path | None) -> str | None:
    """Return the path of Chromium: the one that is named, else the system's; None: Playwright's own."""
    if named is not None:
        return str(named)
    return next(filter(None, map(shutil.which, NAMES)), None)


def is_root() -> bool:
    """Tell whether a browser would have to do without its sandbox."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def launch_options(executable: str | None) -> dict[str, Any]:
    """Return how Playwright is to start it."""
    options: dict[str, Any] = {
        "headless": True,
        "args": list(FLAGS),
        "proxy": {"server": NOWHERE},
        "chromium_sandbox": not is_root(),
        "handle_sigint": False,  # the crawl ends its browser
        "handle_sigterm": False,
        "handle_sighup": False,
    }
    if executable is not None:
        options["executable_path"] = executable
    return options


def private_bytes(processes: list[int]) -> int:
    """Return the memory that processes share with nobody; 0 where the system has no /proc."""
    return sum(map(_private_bytes, processes))


def _private_bytes(process: int) -> int:
    try:
        _, resident, shared, *_ = Path(f"/proc/{process}/statm").read_text().split()
    except (OSError, ValueError):
        return 0
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGESIZE")


def kill_browser(process: int) -> None:
    """Kill a browser by its own process: all others of it end with that one."""
    if Path("/proc/self").exists() and not _is_browser(process):
        return  # it was gone, and its number may be another's by now
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGKILL)


def _is_browser(process: int) -> bool:
    try:
        return b"--remote-debugging-pipe" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False


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
        say(f"A browser is here: {find_browser(None) or 'Playwright has its own'}.")
    else:
        say(f"No browser could be had: pages are taken as they are sent; later type: {SET_UP}")


if __name__ == "__main__":
    main()
