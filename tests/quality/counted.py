"""Run a `scrapy` command and count what its pages cost, in calls and SQL: the same on every machine.

    python -m tests.quality.counted REPORT FIRST LAST crawl topic -a topic=...

Counting begins after page FIRST and stops after page LAST, so that start-up and report are left out.
REPORT is a JSON file: the counts between the two, and the calls of each function.

Calls of Python functions are counted in all threads; a generator counts each time it resumes. Comprehensions
are not counted: since Python 3.12 they are not calls. Calls of execute and executemany are counted on all
SQLite databases, the index of a virtual web included. A commit is a COMMIT that SQLite runs.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import threading
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from pydispatch import dispatcher
from scrapy import signals
from scrapy.cmdline import execute

PACKAGE = "focused_crawler"
HOUR = 3600.0
_SQL = frozenset({"execute", "executemany", "executescript"})
_COMPREHENSIONS = frozenset({"<listcomp>", "<dictcomp>", "<setcomp>"})
_SQLITE = (sqlite3.Connection, sqlite3.Cursor)
_connect = sqlite3.connect


class Counts:
    """Calls and SQL between two pages of a crawl."""

    def __init__(self, first: int, last: int) -> None:
        self._first, self._last = first, last
        self._is_on = False
        self.ended = 0  # pages
        self.calls: Counter[CodeType] = Counter()
        self.sql: Counter[str] = Counter()

    def watch(self) -> None:
        """Watch pages and databases; call this before the project is imported."""
        sqlite3.connect = self._traced
        threading.setprofile(self._event)  # of threads that start from now on
        for signal in (signals.item_scraped, signals.item_dropped):
            dispatcher.connect(self._page_ended, signal, sender=dispatcher.Any, weak=False)

    def _traced(self, *args: Any, **options: Any) -> sqlite3.Connection:
        connection = _connect(*args, **options)
        connection.set_trace_callback(self._statement)
        return connection

    def _statement(self, text: str) -> None:
        if self._is_on and text.upper().startswith(("COMMIT", "END")):
            self.sql["commit"] += 1

    def _page_ended(self) -> None:
        self.ended += 1
        if self.ended == self._first:
            self._is_on = True
            sys.setprofile(self._event)
        elif self.ended == self._last:
            self._is_on = False
            sys.setprofile(None)

    def _event(self, frame: FrameType, event: str, arg: Any) -> None:
        if not self._is_on:
            return
        if event == "call":
            self.calls[frame.f_code] += 1
        elif event == "c_call" and arg.__name__ in _SQL and isinstance(arg.__self__, _SQLITE):
            self.sql[arg.__name__] += 1

    def report(self) -> dict[str, Any]:
        """Return all counts, as sums over the pages between."""
        folder = _folder_of(PACKAGE)
        calls = {
            code: times
            for code, times in self.calls.items()
            if code.co_filename != __file__ and code.co_name not in _COMPREHENSIONS
        }
        functions: Counter[str] = Counter()
        for code, times in calls.items():
            functions[f"{_short(code.co_filename)}:{code.co_qualname}"] += times
        return {
            "pages": self.ended - self._first,
            "calls": sum(calls.values()),
            "own_calls": sum(times for code, times in calls.items() if code.co_filename.startswith(folder)),
            **{name: self.sql[name] for name in ("execute", "executemany", "executescript", "commit")},
            "functions": dict(functions.most_common()),
        }


def _folder_of(package: str) -> str:
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    return f"{spec.submodule_search_locations[0]}/"


def _short(path: str) -> str:
    """Return a path without the part that differs from machine to machine.

    >>> _short("/somewhere/lib/python3.12/site-packages/scrapy/spiders/__init__.py")
    'scrapy/spiders/__init__.py'
    """
    root = f"{Path(_folder_of(PACKAGE)).parent}/"
    return path.rpartition("site-packages/")[2].removeprefix(root)


def _commit_by_number() -> None:
    """Let no page be committed because time has passed: counting takes some."""
    from focused_crawler.crawl import journal  # noqa: PLC0415 - watched

    journal.COMMIT_SECONDS = HOUR


def main() -> None:
    report, first, last, *words = sys.argv[1:]
    counts = Counts(int(first), int(last))
    counts.watch()
    _commit_by_number()
    sys.argv = ["scrapy", *words]
    code: object = 0
    try:
        execute(sys.argv)
    except SystemExit as end:
        code = end.code
    if counts.ended != int(last):
        sys.exit(f"{counts.ended} pages ended, not {last}: {' '.join(words)}")
    Path(report).write_text(json.dumps(counts.report(), indent=1) + "\n")
    sys.exit(code)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
