"""Parts of addresses that say nothing: one page stands under ever new names, as by ids of visits."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from focused_crawler.crawl.steering.url_kinds import pattern_of
from focused_crawler.page.url import site_of

ECHOES = 5
ECHO_SHARE = 0.8
"""So many copies, and such a share of the pages of a kind at names fetched before but for that part."""
MOST_NAMES = 50_000
"""So many names without a part are known as fetched, the latest ones; and so many kinds."""
FOLDERS = 5
"""So many are looked at, on sites that have given a page twice."""

_Kind = int
_View = tuple[_Kind, int]  # which part is left out, of which addresses; what is left


class Echoes:
    """Counts how often a page comes again when only one part of its address is another."""

    def __init__(self) -> None:
        self._pages: OrderedDict[int, int] = OrderedDict()  # what is left of an address -> its page
        self._counts: OrderedDict[_Kind, list[int]] = OrderedDict()  # pages at known names, copies among them
        self._silent: set[_Kind] = set()
        self._twice: OrderedDict[str, None] = OrderedDict()  # sites that have given a page twice

    def count(self, url: str, copy_of: str | None) -> None:
        """Take note of a fetched page, and of the URL of the page that it repeats."""
        site = site_of(url)
        if copy_of is not None and site_of(copy_of) == site:
            self._twice[site] = None
            self._twice.move_to_end(site)
            _shorten(self._twice)
        page = hash(copy_of or url)
        for kind, left in self._views(url, site):
            before = self._pages.get(left)
            if before is not None and kind:
                counts = self._counts.setdefault(kind, [0, 0])
                self._counts.move_to_end(kind)
                counts[0] += 1
                counts[1] += before == page
                is_silent = counts[1] >= max(ECHOES, ECHO_SHARE * counts[0])
                (self._silent.add if is_silent else self._silent.discard)(kind)
                self._silent.discard(_shorten(self._counts))
            self._pages[left] = page
            self._pages.move_to_end(left)
            _shorten(self._pages)

    def hears(self, url: str) -> bool:
        """Tell whether a page was fetched whose address differs only in a part that says nothing."""
        if not self._silent:
            return False
        return any(
            kind in self._silent and left in self._pages for kind, left in self._views(url, site_of(url))
        )

    def _views(self, url: str, site: str) -> Iterator[_View]:
        """Yield an address without its query, without what follows a semicolon, without each folder.

        Kind 0: it has no query. Sites that give one page for any name are told by `trap_site`.
        """
        path, mark, query = url.partition("?")
        yield hash(pattern_of(url)) if mark else 0, hash(path)
        if site not in self._twice:
            return
        name, mark, _ = path.partition(";")
        if mark:
            yield hash((site, mark)), hash(name)
        parts = path.split("/")
        for at in range(3, min(len(parts) - 1, 3 + FOLDERS)):
            yield hash(tuple(parts[2:at])), hash((at, *parts[:at], *parts[at + 1 :], query))


def _shorten(names: OrderedDict[Any, Any]) -> Any:
    """Forget the oldest where there are too many, and return it."""
    return names.popitem(last=False)[0] if len(names) > MOST_NAMES else None
