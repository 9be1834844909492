"""Sketches of pages in the crawl's database: written and committed with their pages."""

from __future__ import annotations

from collections.abc import Sequence

from focused_crawler.page.url import url_key
from focused_crawler.steering.copies import BANDS, MOST_COMPARED, MOST_IN_BAND, bands
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.text import storable

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
    """The store of `focused_crawler.steering.copies.Copies`; a page is recorded before its sketch."""

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database

    def alike(self, bands: Sequence[int]) -> list[tuple[str, bytes]]:
        return [(str(url), bytes(sketch)) for url, sketch in self._database.rows(_ALIKE, list(bands))]

    def remove(self, url: str) -> None:
        for page, sketch in self._database.rows(_OLD, (url_key(storable(url)),)):
            self._database.executemany(_UNBAND, [(band, page) for band in bands(bytes(sketch))])
            self._database.execute("DELETE FROM sketches WHERE page = ?", (page,))

    def add(self, url: str, sketch: bytes, bands: Sequence[int]) -> None:
        key = url_key(storable(url))
        self._database.execute(_SKETCH, (sketch, key))
        self._database.executemany(_BAND, [(band, key, band) for band in bands])
