"""Which browser renders, and how it is started: without any way to the network of its own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
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


def first_line(error: Exception) -> str:
    """Return what can be shown of an error of Playwright's, which goes on with all that the browser wrote."""
    return str(error).strip().partition("\n")[0][:200] or type(error).__name__


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


_BROWSER, _DRIVER = b"--remote-debugging-pipe", b"run-driver"
"""What stands in the command of such a process."""


def driver_of(browser: int) -> int | None:
    """Return the process of Playwright's that started a browser; None where the system has no /proc."""
    try:
        stat = Path(f"/proc/{browser}/stat").read_text()
    except OSError:
        return None
    return int(stat.rpartition(")")[2].split()[1])


def drivers() -> set[int]:
    """Return the drivers that this process started; none where the system has no /proc."""
    return {child for child in _children(os.getpid()) if _DRIVER in _command(child)}


def processes_of(browser: int, driver: int | None = None) -> dict[int, bytes]:
    """Return the processes of a browser, and of its driver -> the command of each.

    If one has gone, its number may be another's by now.
    """
    if not Path("/proc/self").exists():
        return {browser: b""}
    heads = ((driver, _DRIVER), (browser, _BROWSER))
    running = [head for head, word in heads if head is not None and word in _command(head)]
    return {each: _command(each) for head in running for each in (head, *_descendants(head))}


def kill(processes: Mapping[int, bytes]) -> None:
    """Kill those that still are what they were: what is stopped ends by force alone."""
    for process, command in processes.items():
        if _command(process) == command:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)


def _descendants(process: int) -> Iterator[int]:
    """Yield what a process has started, and what that has; nothing where the system does not say."""
    for child in _children(process):
        yield child
        yield from _descendants(child)


def _children(process: int) -> Iterator[int]:
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):  # it has just ended
            yield from map(int, path.read_text().split())


def _command(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


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
