"""Texts of pages without what other pages of their site say in the same words: menus, mostly."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from focused_crawler.page.url import host_of

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
