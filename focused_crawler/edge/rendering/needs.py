"""Whether a page needs a browser, by its HTML: little text, scripts, and an element for them to fill."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal
from urllib.parse import urlsplit

from focused_crawler.page.encoding import decode
from focused_crawler.page.markup import Target, reading
from focused_crawler.page.parser import MAX_BODY
from focused_crawler.page.tags import SKIPPED
from focused_crawler.safety.aside import finished


def is_tracker(url: str) -> bool:
    """Tell whether a URL is one of theirs; a relative one is not.

    >>> is_tracker("https://www.google-analytics.com/ga.js"), is_tracker("/app.js")
    (True, False)
    """
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return False
    labels = host.split(".")
    return any(".".join(labels[start:]) in tracker_hosts() for start in range(len(labels) - 1))


@cache
def tracker_hosts() -> frozenset[str]:
    """Return their domains; each stands for all hosts under it."""
    lines = files(__package__ or "").joinpath("trackers.txt").read_text(encoding="utf-8").split("\n")
    return frozenset(line.strip() for line in lines if line.strip() and not line.startswith("#"))


Sign = Literal["root", "noscript", "thin", "host"]
"""Why a page may need a browser.

root: the element that an app writes into is empty; noscript: it asks for scripts; thin: it has scripts, and
hardly a word or link; host: nothing, but other pages of its host did.
"""

MANY_WORDS = 300
"""A page with so many words is read without a browser, whatever its signs."""

SOME_WORDS = 150
"""Where so many words are there, a request for scripts is about something else (a form, a map)."""

FEW_WORDS = 40
FEW_LINKS = 5
EMPTY = 60
"""Characters in the root of an app until it counts as filled: "Loading, please wait" is no content."""

ROOT_IDS = frozenset([
    "root", "app", "app-root", "approot", "react-root", "react-app", "reactroot", "main-app",
    "mainapp", "spa",
    "__next", "__nuxt", "___gatsby", "svelte", "q-app", "ember-app", "vue-app", "application",
])  # fmt: skip
ROOT_ATTRIBUTES = frozenset([
    "data-reactroot", "ng-app", "data-ng-app", "ng-version", "v-cloak", "data-v-app", "data-server-rendered",
])  # fmt: skip
ROOT_TAGS = frozenset(["app-root", "my-app", "ion-app", "ember-app"])
_SCRIPT_TYPES = frozenset(["", "module", "text/javascript", "application/javascript"])
_MAX_TEXT = 2_000
"""Characters that are read in a <noscript>, and counted in a root."""


@dataclass(slots=True)
class Signs:
    """What a page's HTML shows."""

    scripts: int = 0  # that may write text: those of trackers are left out
    has_empty_root: bool = False
    asks_for_scripts: bool = False


def why_needed(signs: Signs, words: int, links: int) -> Sign | None:
    """Return why a page with so many words and links may need a browser; None if nothing indicates it."""
    if not signs.scripts or words >= MANY_WORDS:
        return None
    if signs.has_empty_root:
        return "root"
    if signs.asks_for_scripts and words < SOME_WORDS:
        return "noscript"
    return "thin" if words < FEW_WORDS and links < FEW_LINKS else None


def has_scripts(body: bytes) -> bool:
    """Tell at a glance whether a page may have scripts."""
    return b"<script" in body or b"<SCRIPT" in body


def read_signs(body: bytes, encoding: str | None = None) -> Signs:
    """Read a body; `encoding` is what the server declared."""
    signs: Signs = finished(reading(decode(body[:MAX_BODY], encoding), _SignReader()))
    return signs


class _SignReader(Target):
    """A parser target: is called tag by tag, and holds no tree."""

    def __init__(self) -> None:
        super().__init__()
        self._signs = Signs()
        self._skipping: list[str] = []  # open elements whose text nobody sees
        self._open: Counter[str] = Counter()  # how many of each these are
        self._noscript = ""
        self._root = ""  # tag of the open root
        self._nested = 0  # open elements of that tag in it
        self._filled = 0  # characters in it

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.opened.append(tag)
        if tag == "script":
            self._signs.scripts += _may_write(attributes)
        if tag in SKIPPED:
            self._skipping.append(tag)
            self._open[tag] += 1
        elif self._root:
            self._nested += tag == self._root
            self._filled += tag in ("a", "img") and 20  # links and pictures are content as well
        elif not self._skipping and _is_root(tag, attributes):
            self._root, self._nested, self._filled = tag, 1, 0

    def data(self, text: str) -> None:
        if self._skipping:
            if self._skipping[-1] == "noscript" and len(self._noscript) < _MAX_TEXT:
                self._noscript += text[:_MAX_TEXT]
        elif self._root and self._filled < _MAX_TEXT:
            self._filled += len(text[:_MAX_TEXT].strip())

    def end(self, tag: str) -> None:
        self.opened.pop()
        if tag in SKIPPED:
            closed = "" if self._open[tag] else tag
            while closed != tag:
                closed = self._skipping.pop()
                self._open[closed] -= 1
        elif tag == self._root:
            self._nested -= 1
            if not self._nested:
                self._end_root()

    def close(self) -> Signs:
        self._end_root()
        asked = self._noscript.lower()
        self._signs.asks_for_scripts = "javascript" in asked and "disqus" not in asked  # comments
        return self._signs

    def _end_root(self) -> None:
        if self._root and self._filled < EMPTY:
            self._signs.has_empty_root = True
        self._root = ""


def _is_root(tag: str, attributes: Mapping[str, str]) -> bool:
    return (
        tag in ROOT_TAGS
        or (attributes.get("id") or "").lower() in ROOT_IDS
        or not ROOT_ATTRIBUTES.isdisjoint(attributes)
    )


def _may_write(attributes: Mapping[str, str]) -> bool:
    """Tell whether a script is one, and may write text: no data, and nothing that only counts visitors."""
    kind = (attributes.get("type") or "").strip().lower()
    return kind in _SCRIPT_TYPES and not is_tracker(attributes.get("src") or "")
