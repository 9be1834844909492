"""What all scripts that take pictures share: widths, schemes, a real Chromium, small files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image  # comes with matplotlib
from playwright.sync_api import Browser, sync_playwright

from focused_crawler.edge.rendering.chromium import find_browser, is_root

WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")
HEIGHT = 900
COLORS = 64


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Start a Chromium, and end it."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_browser(None), chromium_sandbox=not is_root())
        yield browser
        browser.close()


def shrink(picture: Path) -> None:
    """Keep some dozen colours: pages have few, and a picture becomes a third as large."""
    with Image.open(picture) as image:
        image.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE).save(picture, optimize=True)
