"""A sample as an HTML file for a judge: a page at a time, answers by key, kept in the browser, saved as CSV.

Titles, addresses and texts are other people's: jinja escapes them, and the policy in the file's head lets no
script run but its own, known by its hash. It loads nothing from anywhere.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files

from focused_crawler.page.url import host_of
from focused_crawler.report.html import render_page
from focused_crawler.report.sampling.sample import Sample
from focused_crawler.report.sampling.sheet import COLUMNS, csv_line, sheet_row

CUT = "…"
"""Stands where words were left out."""

_RUN = 6  # words: a shorter run may be on two pages by chance
_LEAST = 10  # words: fewer are no extract
_READ = 30_000  # characters of each text


def without_menus(texts: Mapping[str, str]) -> dict[str, str]:
    """Return URL -> its text less what other pages of its host, of those given, say in the same words.

    A page of which hardly anything would be left, a copy for one, keeps all its words.
    """
    by_host: dict[str, list[str]] = defaultdict(list)
    for url in texts:
        by_host[host_of(url)].append(url)
    found: dict[str, str] = {}
    for urls in by_host.values():
        words = [texts[url][:_READ].split() for url in urls]
        found.update(zip(urls, _own(words), strict=True))
    return {url: found[url] for url in texts}


def _own(pages: Sequence[list[str]]) -> Iterator[str]:
    """Yield the words of each page that are not in a run which another page has, too."""
    on_pages = Counter(run for page in pages for run in set(_runs(page)))
    for page in pages:
        shared = [False] * len(page)
        for first, run in enumerate(_runs(page)):
            if on_pages[run] > 1:
                shared[first : first + _RUN] = [True] * _RUN
        kept = len(page) - sum(shared)
        yield " ".join(_cut(page, shared) if kept >= _LEAST else page)


def _runs(words: Sequence[str]) -> Iterable[tuple[str, ...]]:
    return zip(*(words[shift:] for shift in range(_RUN)), strict=False)


def _cut(words: Sequence[str], shared: Sequence[bool]) -> Iterator[str]:
    is_cutting = False
    for word, is_shared in zip(words, shared, strict=True):
        if not is_shared:
            yield word
        elif not is_cutting:
            yield CUT
        is_cutting = is_shared


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
    return f"sha256-{base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode()}"
