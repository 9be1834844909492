"""How a web answers when its pages are known by number: one hop, or to the end of all redirects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from focused_crawler.virtualweb.analysed_response import redirect_target
from focused_crawler.virtualweb.surt import surt

MAX_HOPS = 10
"""Redirects that a crawl follows for one URL, as REDIRECT_MAX_TIMES has it."""


class Answer(NamedTuple):
    """What a web says to one request.

    A redirect has a location, a page a number; a page that refreshes to another has both: it is the page of
    who has had its share of redirects, and leads all others on.
    """

    page: int | None
    location: str | None  # absolute, to be asked for next
    status: int
    reason: str  # why there is neither, by the class that failures are counted under; else empty


class Row(NamedTuple):
    """An answer as it is kept."""

    key: str
    url: str  # as recorded
    page: int | None
    location: str | None  # of a page: absolute; else a header, to be joined with what was asked for
    status: int
    reason: str


_MISSING = Answer(None, None, 404, "http_404")


class Answers:
    """The answers of a web. `rows` hold those of a lookup key in the order in which they are preferred."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows: defaultdict[str, list[Row]] = defaultdict(list)
        for row in rows:
            self._rows[row.key].append(row)

    def answer(self, url: str) -> Answer:
        """Return what the web says to a request for `url`."""
        rows = self._rows.get(surt(url))
        if rows is None:
            return _MISSING
        row = rows[0] if len(rows) == 1 else next((row for row in rows if row.url == url), rows[0])
        _, _, page, location, status, reason = row
        if location is None or status == 200:
            return Answer(page, location, status, reason)
        target = redirect_target(url, location)
        return Answer(None, target, status, "" if target is not None else "redirect_location")

    def number(self, url: str) -> int | None:
        """Return the page that `url` leads to at last; None if there is none."""
        answer = self.answer(url)
        for _ in range(MAX_HOPS):
            if answer.location is None:
                break
            answer = self.answer(answer.location)
        return answer.page
