"""Near-duplicates: pages with the text of an earlier one (Broder 1997: shingles, MinHash, resemblance)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from struct import Struct
from typing import NamedTuple, Protocol

import numpy as np
from rensa import RMinHash

from focused_crawler.page.model import STOP, Page, Terms
from focused_crawler.page.url import url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.values import storable

LIKE = 0.9
"""From this resemblance on a page is a copy: of all runs of three words in either page, the share in both."""
LEAST_WORDS = 50
"""A page of fewer words is no copy: two that hold a menu and a heading are alike, and are two pages."""
BANDS = 12
"""A sketch is looked up by so many parts of ten values: 99.4 % of the pairs of resemblance 0.9 share one."""
MOST_IN_BAND = 16
"""So many pages are found by one part: of thousands that share a form, the first stand for all."""
MOST_COMPARED = 8

_VALUES = 120
_SEED = 1
_VERSION = bytes([RMinHash.ALGORITHM_VERSION])  # sketches of another one are never compared with ours
_SIZE = 2 * _VALUES // BANDS  # bytes of a part
_SIGNED = Struct(">q")


class Copy(NamedTuple):
    """What a page is like."""

    url: str  # of the page that came first
    likeness: float  # estimated resemblance, `LIKE` to 1


def mark_copy(item: PageItem, copy: Copy) -> None:
    """Say of which page a page is a copy: it is no further relevant page then."""
    item.duplicate_of, item.likeness = copy
    item.is_relevant = False


class SketchStore(Protocol):
    """Where sketches are stored, to be found by their bands."""

    def alike(self, bands: Sequence[int]) -> Sequence[tuple[str, bytes]]:
        """Return URL and sketch of the `MOST_COMPARED` pages, or fewer, that share most bands, best first."""

    def add(self, url: str, sketch: bytes, bands: Sequence[int]) -> None:
        """Keep a sketch; a band that holds `MOST_IN_BAND` pages takes no more."""

    def remove(self, url: str) -> None:
        """Forget the sketch of a page, if there is one."""


class Copies:
    """The pages of a crawl that are no copies, by their text."""

    def __init__(self, store: SketchStore) -> None:
        self._store = store

    def find(self, sketch: bytes) -> Copy | None:
        """Return the page most like this one, None if it is no copy."""
        if not sketch:
            return None
        found = [Copy(url, likeness(sketch, other)) for url, other in self._store.alike(bands(sketch))]
        best = max(found, key=lambda copy: copy.likeness, default=None)
        return best if best is not None and best.likeness >= LIKE else None

    def add(self, url: str, sketch: bytes) -> None:
        """Take in a page that is no copy; one with too few words is left out."""
        if sketch:
            self._store.add(url, sketch, bands(sketch))

    def replace(self, url: str, sketch: bytes) -> None:
        """Take in the new text of a known page."""
        self._store.remove(url)
        self.add(url, sketch)


class SketchesInMemory:
    """For a crawl that lives in memory: some 1.5 KB a page."""

    def __init__(self) -> None:
        self._pages: dict[str, bytes] = {}
        self._bands: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)

    def alike(self, bands: Sequence[int]) -> list[tuple[str, bytes]]:
        shared = Counter(page for band in bands for page in self._bands.get(band, ()))
        best = sorted(shared, key=lambda page: (-shared[page], page))[:MOST_COMPARED]
        return [(url, self._pages[url]) for _, url in best]

    def add(self, url: str, sketch: bytes, bands: Sequence[int]) -> None:
        if url in self._pages:
            return
        self._pages[url] = sketch
        for band in bands:
            if len(self._bands[band]) < MOST_IN_BAND:
                self._bands[band].append((len(self._pages), url))

    def remove(self, url: str) -> None:
        sketch = self._pages.pop(url, b"")
        for band in bands(sketch) if sketch else ():
            self._bands[band] = [page for page in self._bands[band] if page[1] != url]


def own_words(page: Page) -> Terms:
    """Return headlines and running text: words in links are mostly a site's menus, the same on every page."""
    return list(filter(None, chain(page.sections.headline, page.sections.body)))


def count_own_words(page: Page) -> int:
    """Return how many there are of them."""
    headline, body = page.sections.headline, page.sections.body
    return len(headline) + len(body) - headline.count(STOP) - body.count(STOP)


def sketch(words: Sequence[str]) -> bytes:
    """Return 241 bytes that stand for the runs of three words, nothing for fewer than `LEAST_WORDS` words."""
    if len(words) < LEAST_WORDS:
        return b""
    minhash = RMinHash(_VALUES, _SEED)
    minhash.update(map(" ".join, zip(words, words[1:], words[2:], strict=False)))
    # two values that differ are equal in their lower halves once in 65,536 times
    return _VERSION + np.array(minhash.digest(), dtype=np.uint32).astype("<u2").tobytes()


def likeness(one: bytes, other: bytes) -> float:
    """Estimate the resemblance of two pages from their sketches: within 0.03 of it, one standard error."""
    if len(one) != len(other) or one[:1] != other[:1]:
        return 0.0
    values = (np.frombuffer(part, dtype="<u2", offset=1) for part in (one, other))
    return float(np.mean(np.equal(*values)))


@lru_cache(maxsize=64)  # a page is looked up, and then stored
def bands(sketch: bytes) -> tuple[int, ...]:
    """Return the parts of a sketch, each a signed 64-bit hash of its position and values."""
    version, values = sketch[:1], sketch[1:]
    return tuple(
        _SIGNED.unpack(
            blake2b(
                version + values[position * _SIZE : (position + 1) * _SIZE],
                digest_size=8,
                salt=bytes([position]),
            ).digest()
        )[0]
        for position in range(BANDS)
    )


_ALIKE = f"""
SELECT pages.url, sketches.minhash
FROM (SELECT page, count(*) AS shared FROM sketch_bands WHERE band IN ({", ".join("?" * BANDS)})
      GROUP BY page ORDER BY count(*) DESC, page LIMIT {MOST_COMPARED}) AS best
JOIN sketches ON sketches.page = best.page JOIN pages ON pages.position = best.page
ORDER BY best.shared DESC, best.page
"""  # noqa: S608
_SKETCH = """
INSERT INTO sketches (page, minhash) SELECT position, ? FROM pages WHERE key = ? ON CONFLICT (page) DO NOTHING
"""
_BAND = f"""
INSERT INTO sketch_bands (band, page) SELECT CAST(? AS BIGINT), position FROM pages
WHERE key = ? AND (SELECT count(*) FROM sketch_bands WHERE band = ?) < {MOST_IN_BAND}
ON CONFLICT (band, page) DO NOTHING
"""  # noqa: S608


_OLD = "SELECT page, minhash FROM sketches JOIN pages ON position = page WHERE pages.key = ?"
_UNBAND = "DELETE FROM sketch_bands WHERE band = ? AND page = ?"


class SketchTables:
    """The store of `focused_crawler.crawl.steering.copies.Copies`; a page is recorded before its sketch."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database

    def alike(self, bands: Sequence[int]) -> list[tuple[str, bytes]]:
        return [(str(url), bytes(sketch)) for url, sketch in self._database.rows(_ALIKE, bands)]

    def remove(self, url: str) -> None:
        for page, sketch in self._database.rows(_OLD, (url_key(storable(url)),)):
            self._database.executemany(_UNBAND, [(band, page) for band in bands(bytes(sketch))])
            self._database.execute("DELETE FROM sketches WHERE page = ?", (page,))

    def add(self, url: str, sketch: bytes, bands: Sequence[int]) -> None:
        key = url_key(storable(url))
        self._database.execute(_SKETCH, (sketch, key))
        self._database.executemany(_BAND, [(band, key, band) for band in bands])
