"""Pages of a crawl as rows for a person: what people said of them, and as a sheet."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import TextIO

from focused_crawler.discovery.page_views import ANY, NO_LABEL, PageView
from focused_crawler.safety.formats import plural, tidy
from focused_crawler.safety.printable import harmless, one_line
from focused_crawler.store.page_table import ListedPage
from focused_crawler.topic.label import ANSWERS
from focused_crawler.topic.labels import Labels, Verdict

COLUMNS = (
    "url", "title", "relevance", "relevant", "label", "host", "depth", "category", "duplicate_of", "parent",
    "fetched_at",
)  # fmt: skip

_LABELLED = {ANY: "labelled", NO_LABEL: "without a label"}
_BYTE_ORDER_MARK = "\ufeff"
_ANSWER = {answer: name for name, answer in ANSWERS.items()}


def label_word(verdict: Verdict | None) -> str:
    """Return what people say of a page, in a word; empty: nothing."""
    return "" if verdict is None else _ANSWER[verdict.answer]


def view_words(view: PageView) -> str:
    """Return which pages a view shows, in words; empty: all.

    >>> view_words(PageView(relevant="no", host="a.example", low=0.4, words="bees"))
    'with the words bees, not relevant, at a.example, relevance from 0.4'
    """
    parts = [f"with the words {view.words}" if view.words else ""]
    parts.append({"": "", "yes": "relevant", "no": "not relevant"}[view.relevant])
    parts.append(_LABELLED.get(view.label) or (f"labelled {view.label}" if view.label else ""))
    parts.append(f"at {view.host}" if view.host else "")
    parts.append("" if view.depth is None else f"{plural(view.depth, 'link')} from a start page")
    bounds = [
        f"{word} {bound:g}" for word, bound in (("from", view.low), ("to", view.high)) if bound is not None
    ]
    parts.append(f"relevance {' '.join(bounds)}" if bounds else "")
    return ", ".join(filter(None, parts))


def write_sheet(file: TextIO, pages: Iterable[ListedPage], labels: Labels) -> None:
    """Write pages as CSV that spreadsheets read, and run nothing of."""
    file.write(_BYTE_ORDER_MARK)
    sheet = csv.writer(file, lineterminator="\r\n")
    sheet.writerow(COLUMNS)
    sheet.writerows(_cells(page, labels) for page in pages)


def _cells(page: ListedPage, labels: Labels) -> Iterator[object]:
    yield from (harmless(one_line(page.url)), harmless(tidy(page.title)), f"{page.relevance:.6f}")
    yield from ("yes" if page.is_relevant else "no", label_word(labels.by_key.get(page.key)))
    yield from (harmless(one_line(page.host)), page.depth)
    yield from (harmless(one_line(text or "")) for text in (page.category, page.duplicate_of, page.parent))
    yield f"{datetime.fromtimestamp(page.fetched_at, UTC):%Y-%m-%dT%H:%M:%SZ}"


def write_urls(file: TextIO, pages: Iterable[ListedPage]) -> None:
    """Write the URLs of pages, a line each."""
    file.writelines(f"{one_line(page.url)}\n" for page in pages)
