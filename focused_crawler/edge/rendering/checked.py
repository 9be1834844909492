"""Whether there is a browser for pages that need one, and whether it runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

from focused_crawler.crawl.doctor.finding import ERROR, OK, WARNING, Finding
from focused_crawler.edge.rendering.chromium import SET_UP, find_browser, is_root
from focused_crawler.safety.extras import is_here
from focused_crawler.safety.printable import printable

_PATIENCE = 20  # seconds
_LEAVE_OUT = "or crawl without one: -s FOCUSED_RENDER=off"


def check_browser(mode: str, named: Path | None) -> Finding:
    """Start the browser of a crawl for its version. `mode`: FOCUSED_RENDER."""
    if mode == "off":
        return Finding("browser", OK, "not needed: FOCUSED_RENDER is off")
    if mode == "auto" and is_root():
        return Finding("browser", OK, "not used: root's has no sandbox, and FOCUSED_RENDER is auto")
    worst = WARNING if mode == "auto" else ERROR
    if not is_here("render"):
        cure = f"pip install 'focused-crawler[render]', {_LEAVE_OUT}"
        return Finding("browser", worst, "none can be used without the extra render", cure)
    program = find_browser(named)
    if program is None:
        return Finding("browser", worst, "no Chromium was found", f"install one ({SET_UP}), {_LEAVE_OUT}")
    try:
        done = subprocess.run(  # noqa: S603 - the program that a crawl starts
            [program, "--version"], check=True, capture_output=True, timeout=_PATIENCE, text=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        text = f"{printable(program)} does not run ({type(error).__name__})"
        return Finding("browser", worst, text, f"name another with -s FOCUSED_BROWSER=PATH, {_LEAVE_OUT}")
    return Finding("browser", OK, printable(f"{done.stdout.strip()}, {program}"))
