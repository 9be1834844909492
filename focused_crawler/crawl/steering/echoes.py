"""Parts of addresses that say nothing: one page stands under ever new names, as by ids of visits."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from focused_crawler.crawl.steering.url_kinds import behind_host, domain_of, pattern_of
from focused_crawler.page.url import site_of

ECHOES = 5
ECHO_SHARE = 0.8
"""So many copies, and such a share of the pages of a kind at names fetched before but for that part."""
MOST_NAMES = 50_000
"""So many names without a part are known as fetched, the latest ones; and so many kinds."""
FOLDERS = 5
"""So many are looked at, on sites that have given a page twice."""
PARTS = 5
"""So many folders, parameters of a path and names in front of a host's have to give copies before such say
nothing: one or two may be a mirror (`m.`, `/docs/2.x/`), and others of them none (`de.`)."""

_Kind = int


class Echo(NamedTuple):
    """An address without one of its parts."""

    kind: _Kind  # which part is left out, of which addresses; 0: none is
    left: int
    part: str | None = None  # what is left out; of a query none
    is_of_host: bool = False  # that stands in front of a host's name


@dataclass(slots=True)
class _Count:
    """Pages of a kind at known names."""

    pages: int = 0
    copies: int = 0
    parts: frozenset[int] = frozenset()  # that gave copies, `PARTS` at most

    def is_silent(self, view: Echo) -> bool:
        are_few = view.part is not None and len(self.parts) < PARTS
        return self.copies >= max(ECHOES, ECHO_SHARE * self.pages) and not are_few


class Echoes:
    """Counts how often a page comes again when only one part of its address is another."""

    def __init__(self) -> None:
        self._pages: OrderedDict[int, int] = OrderedDict()  # what is left of an address -> its page
        self._counts: OrderedDict[_Kind, _Count] = OrderedDict()
        self._silent: set[_Kind] = set()
        self._twice: OrderedDict[str, None] = OrderedDict()  # sites that have given a page twice
        self._domains: OrderedDict[str, None] = OrderedDict()  # of which two sites have given one page

    def count(self, url: str, copy_of: str | None) -> None:
        """Take note of a fetched page, and of the URL of the page that it repeats."""
        site, page = site_of(url), hash(copy_of or url)
        if copy_of is not None:
            self._note_twice(site, copy_of)
        for view in self._views(url, site):
            before = self._pages.get(view.left)
            if before is not None and view.kind:
                self._note(view, is_copy=before == page)
            _add(self._pages, view.left, page)

    def heard(self, url: str) -> Echo | None:
        """Return a URL without a part that says nothing, where a page was fetched that has another one."""
        views = self._views(url, site_of(url)) if self._silent else ()
        return next((view for view in views if view.kind in self._silent and view.left in self._pages), None)

    def _note_twice(self, site: str, copy_of: str) -> None:
        """Take note that a site gave a page twice, or two sites of a domain did."""
        first, domain = site_of(copy_of), domain_of(site)
        if site == first:
            _add(self._twice, site)
        elif domain_of(first) == domain:
            _add(self._domains, domain)
            for view in _views_of_host(copy_of, first, domain):  # it may have come before anything was known
                _add(self._pages, view.left, hash(copy_of))

    def _note(self, view: Echo, *, is_copy: bool) -> None:
        count = self._counts.setdefault(view.kind, _Count())
        self._counts.move_to_end(view.kind)
        count.pages += 1
        count.copies += is_copy
        if is_copy and view.part is not None and len(count.parts) < PARTS:
            count.parts |= {hash(view.part)}
        (self._silent.add if count.is_silent(view) else self._silent.discard)(view.kind)
        self._silent.discard(_shorten(self._counts))

    def _views(self, url: str, site: str) -> Iterator[Echo]:
        """Yield an address without its query, what follows a semicolon, a folder, the first part of its host.

        Kind 0: it has no query. Sites that give one page for any name are told by `trap_site`.
        """
        path, mark, query = url.partition("?")
        yield Echo(hash(pattern_of(url)) if mark else 0, hash(path))
        if self._domains and (domain := domain_of(site)) in self._domains:
            yield from _views_of_host(url, site, domain)
        if site not in self._twice:
            return
        name, mark, parameters = path.partition(";")
        if mark:
            yield Echo(hash((site, mark)), hash(name), parameters)
        parts = path.split("/")
        for at in range(3, min(len(parts) - 1, 3 + FOLDERS)):
            yield Echo(hash(tuple(parts[2:at])), hash((at, *parts[:at], *parts[at + 1 :], query)), parts[at])


def _views_of_host(url: str, site: str, domain: str) -> Iterator[Echo]:
    """Yield an address as it is, and without what stands in front of its host's name."""
    (name, _, rest), behind = site.partition("."), behind_host(url)
    yield Echo(0, hash(("*", site, behind)))
    if domain_of(rest) == domain:
        yield Echo(hash(("*", rest)), hash(("*", rest, behind)), name, is_of_host=True)


def _add(names: OrderedDict[Any, Any], name: Any, value: Any = None) -> None:
    names[name] = value
    names.move_to_end(name)
    _shorten(names)


def _shorten(names: OrderedDict[Any, Any]) -> Any:
    """Forget the oldest where there are too many, and return it."""
    return names.popitem(last=False)[0] if len(names) > MOST_NAMES else None
