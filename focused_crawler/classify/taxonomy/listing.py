"""Category listings: text files with a category's path and a URL a line, as web directories give them out."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from focused_crawler.classify.taxonomy.tree import MOST_LEVELS
from focused_crawler.topic.file import read_text
from focused_crawler.topic.rules import RESERVED, category_problem, url_problem

MAX_LISTING_BYTES = 100_000_000
_SPELLED = {"+": " plus ", "#": " sharp ", "&": " and "}
"""Signs that tell categories apart: C, C++ and C#."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a file lists."""

    urls: dict[str, list[str]] = field(default_factory=dict)  # by category, in the file's order
    titles: dict[str, str] = field(default_factory=dict)  # of each category, and of those above it
    skipped: Counter[str] = field(default_factory=Counter)  # why -> lines


def read_listing(path: Path) -> Listing:
    """Read `category/path<TAB>URL` or `category/path,URL` (CSV) a line; further columns say nothing.

    Paths become lower case, their names a-z, 0-9 and -: "Top/Arts & Crafts" is top/arts-and-crafts. Empty
    lines, lines that begin with # and a head of columns are no entries. TopicError for a file that cannot be
    read.
    """
    listing = Listing()
    for number, line in enumerate(read_text(path, MAX_LISTING_BYTES).splitlines()):
        if line.strip() and not line.startswith("#"):
            category, url = _columns(line)
            if _is_torn(line):
                listing.skipped["a quote that its line does not close"] += 1
            elif number or url.lower() not in ("url", "link"):
                _add(listing, category, url)
    return listing


def category_path(text: str) -> tuple[str, ...] | None:
    """Return the names of a category as folders have them, None if one has no letter a-z and no digit.

    >>> category_path("Top/Computers/C++/Été")
    ('top', 'computers', 'c-plus-plus', 'ete')
    """
    names = tuple(_name(part) for part in text.strip().strip("/").split("/"))
    return names if all(names) else None


def _add(listing: Listing, category: str, url: str) -> None:
    names = category_path(category)
    if problem := _problem(category, names, url):
        listing.skipped[problem] += 1
        return
    assert names is not None
    for level, part in enumerate(category.strip().strip("/").split("/"), start=1):
        listing.titles.setdefault("/".join(names[:level]), " ".join(part.replace("_", " ").split()))
    listing.urls.setdefault("/".join(names), []).append(url)


def _problem(category: str, names: tuple[str, ...] | None, url: str) -> str | None:
    """Return why an entry is left out."""
    if not category.strip() or not url:
        return "not a category and a URL"
    if names is None or category_problem("/".join(names)):
        return "a name without a letter a-z or digit"
    if len(names) > MOST_LEVELS:
        return f"more than {MOST_LEVELS} levels"
    return "no http or https URL" if url_problem(url) else None


def _is_torn(line: str) -> bool:
    """Tell whether a line of CSV is a part of a column that goes over several lines."""
    return "\t" not in line and line.count('"') % 2 == 1


def _columns(line: str) -> tuple[str, str]:
    if "\t" in line:
        columns = line.split("\t")
    else:
        try:
            columns = next(csv.reader([line]))
        except csv.Error:  # a column of more than 128 KiB
            columns = []
    category, url, *_ = [*columns, "", ""]
    return category, url.strip()


def _name(text: str) -> str:
    for sign, word in _SPELLED.items():
        text = text.replace(sign, word)
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:64].strip("-")
    return f"{name}-pages" if name in RESERVED else name


def entries(listing: Listing) -> Iterator[tuple[str, str, list[str]]]:
    """Yield path, title and URLs of each category, those above before those below."""
    for path in sorted(listing.titles, key=lambda path: path.split("/")):
        yield path, listing.titles[path], listing.urls.get(path, [])
