"""`pages.jsonl`: every recorded page once, one JSON object a line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, fields
from pathlib import Path

from focused_crawler.items import PageItem
from focused_crawler.store.history import StoredPage

FEED = "pages.jsonl"
_FIELDS = tuple(field.name for field in fields(PageItem))


def rewrite_feed(path: Path, pages: Iterable[StoredPage]) -> None:
    """Make the feed hold just these pages, in one step.

    A killed run leaves lines out or torn, because the feed is no part of the database's transactions; this is
    done before a resumed run appends to it.
    """
    temporary = path.with_name(f".{path.name}")
    with temporary.open("w", encoding="utf-8") as file:
        for page in pages:
            item = PageItem(**{name: getattr(page, name) for name in _FIELDS})
            file.write(json.dumps(asdict(item)) + "\n")
    temporary.replace(path)
