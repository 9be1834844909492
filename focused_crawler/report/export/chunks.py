"""Passages of the pages for retrieval: where they stand, under which headings, how relevant their page is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from focused_crawler.page.encoding import header_charset
from focused_crawler.page.passages import Passage, passages_of_html, passages_of_text
from focused_crawler.report.export.rows import Row
from focused_crawler.report.export.tables import iso
from focused_crawler.safety.content import PAGE_STATUSES
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.page_texts import anchors_of
from focused_crawler.virtualweb.index import VirtualWeb

MARKDOWN, TEXT = "markdown", "text"


def chunks(
    rows: Iterable[Row], webs: Sequence[VirtualWeb], anchors: Callable[[int], Sequence[str]]
) -> Iterator[Row]:
    """Yield the passages of pages: Markdown under headings out of their HTML, else their stored texts.

    `webs`: responses of the crawl, where some are at hand. `anchors`: the texts of a page's links, which tell
    menus.
    """
    for row in rows:
        found, kind = _as_fetched(webs, row["url"]), MARKDOWN
        if not found:
            found, kind = passages_of_text(row["text"] or "", anchors(row["position"])), TEXT
        for number, passage in enumerate(found, 1):
            yield {
                "id": f"{row['position']}-{number}",
                "url": row["url"],
                "title": row["title"],
                "headings": list(passage.headings),
                "text": passage.text,
                "format": kind,
                "relevance": row["relevance"],
                "judge": row["judge"],
                "fetched_at": iso(row["fetched_at"]),
                "gone_at": iso(row["gone_at"]),
            }


def _as_fetched(webs: Sequence[VirtualWeb], url: str) -> list[Passage]:
    """Return the passages of a page as it was fetched; none where its response is not there."""
    for web in webs:
        entry = web.find(url)
        if entry is not None and entry.status in PAGE_STATUSES:
            record = web.read(entry)
            return passages_of_html(record.body, header_charset(record.header("content-type").encode()))
    return []


def write_chunks(rows: Iterable[Row], database: CrawlDatabase, sources: Sequence[Path], path: Path) -> int:
    """Write an object a passage; return how many."""
    number, anchors = 0, partial(anchors_of, database)
    with ExitStack() as stack, path.open("w", encoding="utf-8", errors="replace") as file:
        webs = [stack.enter_context(VirtualWeb(source)) for source in sources]
        for number, chunk in enumerate(chunks(rows, webs, anchors), 1):  # noqa: B007
            file.write(f"{json.dumps(chunk, ensure_ascii=False)}\n")
    return number
