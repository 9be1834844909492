"""Writing down a crawl: pages, links, failures, runs and counters, each counted once."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from focused_crawler.page.url import host_of, url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PAGE_COLUMNS, PageItem, PageRow
from focused_crawler.store.judges import several
from focused_crawler.store.prefetch import Prefetch
from focused_crawler.store.rows import LinkRows, add_to_counters, held, read_counters
from focused_crawler.store.values import cut, storable, storable_integer, storable_or_none

_reason, _detail = cut(100), cut(1000)

_FIRST_VISIT = frozenset({"url", "requested_url", "parent", "depth", "fetched_at", "is_target"})
"""What a later visit leaves as it is."""
_NEW = PageRow(*(column.name for column in PAGE_COLUMNS))
_LATER = PageRow(*(name for name in _NEW.names if name not in _FIRST_VISIT))
_BESIDE = ("key", "host", "requested_key", "run")
# Positions have no gaps, where PostgreSQL's own numbers would.
_PAGE = f"""
INSERT INTO pages (position, {", ".join((*_BESIDE, *_NEW.names))})
VALUES ((SELECT coalesce(max(position), 0) + 1 FROM pages), {", ".join("?" * len((*_BESIDE, *_NEW.names)))})
ON CONFLICT (key) DO NOTHING
"""  # noqa: S608
_REPLACE = f"UPDATE pages SET {', '.join(f'{name} = ?' for name in _LATER.names)} WHERE key = ?"  # noqa: S608
_TEXT = "INSERT INTO page_texts (page, text) SELECT position, ? FROM pages WHERE key = ?"
_UNTEXT = "DELETE FROM page_texts WHERE page = (SELECT position FROM pages WHERE key = ?)"
_ENDED = """
SELECT (SELECT count(*) FROM pages WHERE key = ?1), (SELECT count(*) FROM failures WHERE key = ?1)
"""
_FAILURE = """
INSERT INTO failures (key, url, reason, failed_at, run) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET reason = excluded.reason, failed_at = excluded.failed_at, run = excluded.run
"""
_FORGET_FAILURE = "DELETE FROM failures WHERE key = ?"  # there is none of a page
_DECISION = """
INSERT INTO decisions (url, host, decided_at, run, decision, rule, detail)
VALUES ((SELECT id FROM urls WHERE key = ?), ?, ?, ?, ?, ?, ?)
"""
_RUN = """
INSERT INTO runs (started, settings, versions, worker, acts_as, judge) VALUES (?, ?, ?, ?, ?, ?) RETURNING id
"""
_BEGAN = "SELECT started FROM runs ORDER BY id LIMIT 1"
_CATEGORY = """
INSERT INTO categories (path, is_good) VALUES (?, ?)
ON CONFLICT (path) DO UPDATE SET is_good = excluded.is_good
"""


class PageStore:
    """Writes a crawl into its database. `commit` stores it, together with the frontier's changes.

    `counters` holds totals over all runs: pages, relevant, targets, bytes, duplicates, failures, revisits,
    known, own_pages, listings; of links, and of what others count, what was there at the last `refresh`.
    """

    def __init__(self, database: CrawlDatabase) -> None:
        self._database = database
        self._prefetch = Prefetch(database)
        self._links = LinkRows(database)
        self._more: Counter[str] = Counter()  # counted since the last commit
        self.counters: Counter[str] = Counter()
        self.refresh()

    def prefetch(self, urls: Iterable[str], checksums: Iterable[str]) -> None:
        """Fetch what is recorded of these pages and texts, for the rest of this transaction.

        Then recording them, their failures, and `seen_checksum` wait for no answer.
        """
        self._prefetch.load({url_key(storable(url)) for url in urls}, set(checksums))

    def refresh(self) -> None:
        """Read what other writers have counted."""
        totals = read_counters(self._database)
        self.counters.clear()
        self.counters.update(totals)

    def begin_run(
        self,
        settings: Mapping[str, Any],
        versions: Mapping[str, str],
        worker: str | None = None,
        acts_as: str = "",
        judge: str = "",
    ) -> int:
        """Open a run and return its number; `worker`: the name of one of several that share the database.

        `judge`: the name of who says what is relevant.
        """
        facts = (json.dumps(dict(settings), default=str), json.dumps(dict(versions)))
        values = (time.time(), *facts, worker, acts_as or None, judge or None)
        ((run,),) = self._database.rows(_RUN, values)
        return int(run)

    def began(self) -> float:
        """Return when the first run began, in seconds since the epoch."""
        return float(self._database.rows(_BEGAN)[0][0])

    def end_run(self, run: int, reason: str) -> None:
        """Write down when and why a run ended."""
        self._database.execute(
            "UPDATE runs SET ended = ?, reason = ? WHERE id = ?", (time.time(), storable(reason), run)
        )

    def name_judge(self, judge: str) -> None:
        """Write down that all pages are judged by one judge now."""
        self._database.execute("UPDATE runs SET judge = ?", (judge,))

    def add_judge(self, judge: str, run: int, acts_as: str) -> None:
        """Write down that some pages of each run are judged by another; `run` orders by it from now on."""
        for one, named in self._database.rows("SELECT id, judge FROM runs WHERE judge IS NOT NULL"):
            self._database.execute("UPDATE runs SET judge = ? WHERE id = ?", (several(named, judge), one))
        self._database.execute("UPDATE runs SET acts_as = ? WHERE id = ?", (acts_as or None, run))

    def record_categories(self, leaves: Mapping[str, bool]) -> None:
        """Store the leaves of the taxonomy that pages are judged by, and whether each is good."""
        self._database.executemany(_CATEGORY, [(storable(path), int(good)) for path, good in leaves.items()])

    def record_page(self, page: PageItem) -> bool:
        """Store a page; False, and nothing is counted, if that URL was recorded before."""
        url = storable(page.url)
        key = url_key(url)
        failures = self._add_page(key, (*_beside(key, url, page), *_NEW.values(page)))
        if failures is None:
            return False
        self._prefetch.add_page(key, url, page.checksum if page.duplicate_of is None else None)
        self._store_text(key, page.text)
        self.count(
            pages=1,
            relevant=int(page.is_relevant),
            targets=int(page.is_target or False),
            bytes=storable_integer(page.size),
            duplicates=int(page.duplicate_of is not None),
            failures=-failures,
        )
        return True

    def _add_page(self, key: int, values: Sequence[Any]) -> int | None:
        """Add a page, and return how many failures it puts an end to; None: it was recorded before."""
        ended = self._prefetch.ended(key)
        if ended is None:
            added = self._database.execute(_PAGE, values)
            forgotten = self._database.execute(_FORGET_FAILURE, (key,))
            return forgotten.rowcount if added.rowcount else None
        is_page, is_failure = ended
        if is_page:
            return None
        self._database.execute(_PAGE, values)
        if is_failure:
            self._database.execute(_FORGET_FAILURE, (key,))
        return int(is_failure)

    def has_page(self, url: str) -> bool:
        """Tell whether the page of a URL is recorded."""
        return bool(self._database.rows("SELECT 1 FROM pages WHERE key = ?", (url_key(storable(url)),)))

    def replace_page(self, page: PageItem) -> bool:
        """Replace what was found at an earlier visit, and correct the counters; False if it is not recorded.

        Its address, its position, when it was first fetched and whether it is a target stay as they are.
        """
        key = url_key(storable(page.url))
        found = self._database.rows("SELECT is_relevant, size, duplicate_of FROM pages WHERE key = ?", (key,))
        if not found:
            return False
        is_relevant, size, original = found[0]
        self._database.execute(_REPLACE, (*_LATER.values(page), key))
        self._database.execute(_UNTEXT, (key,))
        self._store_text(key, page.text)
        self.count(
            relevant=int(page.is_relevant) - is_relevant,
            bytes=storable_integer(page.size) - size,
            duplicates=int(page.duplicate_of is not None) - int(original is not None),
        )
        return True

    def urls(self, keys: Collection[int]) -> dict[int, str]:
        """Return the URLs of keys that are known, of links that are not written yet as well."""
        return self._links.urls(keys)

    def record_links(self, source: str, links: Sequence[Sequence[Any]], first: int = 0) -> None:
        """Store the links of a page, in their order on it: (target, anchor text, content block, score, ...).

        Numbered from `first` on. The anchor is cut at 200 characters; score None: not followed. Those of a
        page are replaced when they are recorded again.
        """
        self._links.add(source, links, first)

    def held(self, scores: Mapping[str, float], *, is_new: bool) -> list[tuple[str, float, int]]:
        """Return which links of a page several pages hold: see `rows.held`."""
        self._links.write()  # which may be the first to name them
        return held(self._database, scores, is_new=is_new)

    def record_failure(self, url: str, reason: str, run: int | None = None) -> bool:
        """Store the class of an end without a page (404, timeout, robots, ...); the last one of a URL counts.

        False, and nothing is counted, if its page is recorded or it failed before.
        """
        url = storable(url)
        key = url_key(url)
        is_page, is_failure = self._prefetch.ended(key) or self._database.rows(_ENDED, (key,))[0]
        if is_page:
            return False
        is_new = not is_failure
        self._database.execute(_FAILURE, (key, url, _reason(reason), time.time(), run))
        self._prefetch.add_failure(key)
        self.count(failures=int(is_new))
        return is_new

    def record_decision(
        self,
        decision: str,
        rule: str,
        *,
        url: str | None = None,
        host: str | None = None,
        detail: str = "",
        run: int | None = None,
    ) -> None:
        """Store what was decided about a known URL, a host, or the crawl (neither), and by which rule."""
        if url is not None:
            self._links.write()  # which may be the first to name it
        key = None if url is None else url_key(storable(url))
        row = (
            key,
            storable_or_none(host),
            time.time(),
            run,
            decision,
            _reason(rule),
            _detail(detail),
        )
        self._database.execute(_DECISION, row)

    def seen_checksum(self, checksum: str) -> str | None:
        """Return the URL of the first page recorded with that checksum."""
        if self._prefetch.knows_text(checksum):
            return self._prefetch.original(checksum)
        found = self._database.rows(
            "SELECT url FROM pages WHERE checksum = ? AND duplicate_of IS NULL ORDER BY position LIMIT 1",
            (checksum,),
        )
        return str(found[0][0]) if found else None

    def commit(self) -> None:
        """Commit all pages, links, counters and frontier changes written since the last commit."""
        self._database.commit()

    def count(self, **more: int) -> None:
        """Add to counters, as part of the transaction."""
        self.counters.update(more)
        self._more.update(more)
        self._database.defer(self._write_counters, "counters")

    def _write_counters(self) -> None:
        more, self._more = self._more, Counter()
        add_to_counters(self._database, more)

    def _store_text(self, key: int, text: bytes) -> None:
        if text:
            self._database.execute(_TEXT, (text, key))


def _beside(key: int, url: str, page: PageItem) -> tuple[int, str, int | None, int | None]:
    """Return the values of the columns that no field of an item has."""
    requested = key if page.requested_url == page.url else url_key(storable(page.requested_url))
    return key, host_of(url), None if requested == key else requested, page.run
