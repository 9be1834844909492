"""Sittings of people who label here, as long as the server runs; their labels are in the topic's file."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from focused_crawler.discovery.label_queues import ToLabel
from focused_crawler.discovery.sitting import Sitting
from focused_crawler.safety.errors import FocusedCrawlerError

MOST_SITTINGS = 100
SHOWN_SECONDS = 900.0
"""So long a page that one tab shows is shown to no other, if there is another."""


class Sitter(NamedTuple):
    """Whose sitting it is."""

    folder: Path  # of the crawl
    queue: str
    by: str


@dataclass
class Seated:
    """A sitting, which tabs share."""

    sitting: Sitting
    lock: Lock = field(default_factory=Lock)
    _shown: dict[str, float] = field(default_factory=dict)  # URL -> when

    def next_page(self) -> ToLabel | None:
        """Return a page for a tab, one that no other tab shows if there is one; None: there is none left."""
        with self.lock:
            now = time.monotonic()
            out = {url for url, when in self._shown.items() if now - when < SHOWN_SECONDS}
            page = self.sitting.next_page(out)
            if page is not None:
                self._shown[page.url] = now
            return page

    def end(self) -> None:
        """Write down what a sample takes over, once all its pages are dealt with."""
        with self.lock:
            if self.sitting.next_page() is None:
                self.sitting.end()

    def page(self, url: str) -> ToLabel | None:
        """Return a page that a tab shows already; None: something was said of it by now."""
        with self.lock:
            page = self.sitting.page(url)
            if page is not None:
                self._shown[url] = time.monotonic()
            return page


class Sittings:
    """The sittings that there are; of very many, the oldest end."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._sitters: OrderedDict[Sitter, Seated | FocusedCrawlerError] = OrderedDict()

    def get(self, sitter: Sitter) -> Seated | FocusedCrawlerError | None:
        """Return a sitting, or why there are no pages for it; None: nobody has asked for them."""
        with self._lock:
            return self._sitters.get(sitter)

    def put(self, sitter: Sitter, seated: Seated | FocusedCrawlerError) -> Seated | FocusedCrawlerError:
        """Begin a sitting, unless another tab has; return that which there is now."""
        with self._lock:
            found = self._sitters.setdefault(sitter, seated)
            while len(self._sitters) > MOST_SITTINGS:
                self._sitters.popitem(last=False)
            return found

    def end(self, sitter: Sitter) -> None:
        """Forget a sitting."""
        with self._lock:
            self._sitters.pop(sitter, None)
