"""A sample as an HTML file for a judge: a page at a time, answers by key, kept in the browser, saved as CSV.

Titles, addresses and texts are other people's: jinja escapes them, and the policy in the file's head lets no
script run but its own, known by its hash. It loads nothing from anywhere.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from importlib.resources import files

from focused_crawler.report.html import hash_of, render_page
from focused_crawler.report.sampling.menus import without_menus
from focused_crawler.report.sampling.sample import Sample
from focused_crawler.report.sampling.sheet import COLUMNS, csv_line, sheet_row

LONGEST_EXTRACT = 3000
"""Characters of a page's text that a judge is shown."""

_TEMPLATE = "template.html"
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def extracts(sample: Sample, texts: Mapping[str, str]) -> dict[int, str]:
    """Return position -> what a judge reads of the sampled pages whose texts are given, by URL."""
    words = without_menus(texts)
    return {page.position: words[page.url] for page in sample.pages if page.url in words}


def sheet_html(sample: Sample, texts: Mapping[int, str], judge: str, title: str, description: str) -> str:
    """Return the file for one judge of the topic with that title and description."""
    rows = {page.number: csv_line(sheet_row(page, judge)[:-1]) for page in sample.pages}
    values = {
        "sample": sample,
        "cards": [(page, rows[page.number], texts.get(page.position, "")) for page in sample.pages],
        "judge": judge,
        "title": title,
        "description": description,
        "longest": LONGEST_EXTRACT,
        "header": csv_line(COLUMNS),
        "sample_id": _identity(list(rows.values())),
        "script_hash": _script_hash(),
    }
    return render_page(f"report/sampling/{_TEMPLATE}", values)


def _identity(rows: list[str]) -> str:
    """Return what distinguishes this judge's sheet from every other in one browser."""
    return hashlib.sha256("\n".join(rows).encode("utf-8", "replace")).hexdigest()[:24]


def _script_hash() -> str:
    """Return our script as a Content-Security-Policy names it."""
    template = files("focused_crawler.report.sampling").joinpath(_TEMPLATE).read_text("utf-8")
    found = _SCRIPT.search(template)
    assert found is not None
    return hash_of(found[1])
