"""Pictures of the live display and of the panel that ends a crawl, on terminals of two widths.

    .venv/bin/python -m docs.images.live.screenshots

A crawl of the demo web runs on a pseudo-terminal; what it has drawn last is exported by rich, and pictured.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from docs.images.pictures import WIDTHS, open_browser, shrink
from focused_crawler.virtualweb.demo import write_demo_web

HERE = Path(__file__).resolve().parent
COLUMNS = {1280: 104, 390: 46}
"""Of a terminal in a window of so many pixels."""
_REDRAWN = re.compile(r"(?:\r|\x1b\[2K)*(?:\x1b\[1A\x1b\[2K)+")
_OF_CURSOR = re.compile(r"\x1b\[\?25[hl]")
ARGUMENTS = ("-a", "topic=web/demo.topics/astronomy", "-a", "profile=offline", "-a", "pages=300", "-a")
QUIET = ("-L", "ERROR")
PAGE = "<!doctype html><body style='margin:0;background:#292929'>{}"


def screen(folder: Path, columns: int) -> str:
    """Run a crawl on a terminal of so many columns; return all that it has drawn."""
    leader, follower = pty.openpty()
    environ = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": "30"}
    words = ["crawl", "topic", *ARGUMENTS, f"job={columns}", "-s", "FOCUSED_WEB=web/demo.warc.gz"]
    command = [
        sys.executable,
        "-m",
        "focused_crawler",
        *words,
        "-s",
        "FOCUSED_WEB_LATENCY=0.05",
        "-L",
        "ERROR",
    ]
    with subprocess.Popen(command, cwd=folder, stdout=follower, stderr=follower, env=environ):  # noqa: S603 - our own words
        os.close(follower)
        drawn = b"".join(iter(lambda: read_some(leader), b""))
    os.close(leader)
    return drawn.decode()


def read_some(descriptor: int) -> bytes:
    """Read what there is; nothing when the other end was closed, which Linux calls an error."""
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""


def frames(drawn: str) -> list[str]:
    """Return what stood on the screen, one after the other."""
    plain = _OF_CURSOR.sub("", drawn).replace("\r\n", "\n")
    return [frame.strip("\r\n") for frame in _REDRAWN.split(plain) if frame.strip()]


def picture(text: str, columns: int) -> str:
    """Return what was drawn as an SVG."""
    with Path(os.devnull).open("w") as nowhere:
        console = Console(record=True, width=columns, file=nowhere, force_terminal=True)
        console.print(Text.from_ansi(text))
        return console.export_svg(title="focused-crawler crawl topic")


def main() -> None:
    """Take all pictures."""
    with tempfile.TemporaryDirectory() as name, open_browser() as browser:
        folder = Path(name)
        write_demo_web(folder / "web")
        for width in WIDTHS:
            columns = COLUMNS[width]
            *_, live, end = frames(screen(folder, columns))
            for moment, text in {"live": live, "end": end}.items():
                page = browser.new_page(viewport={"width": width, "height": 100})
                page.set_content(PAGE.format(picture(text, columns)))
                path = HERE / f"{moment}-{width}.png"
                page.locator("svg").screenshot(path=path)
                shrink(path)
                page.close()


if __name__ == "__main__":
    main()
