"""The tables of a crawl, the same in SQLite and PostgreSQL: both databases' DDL comes from here.

A column of `pages` that an item holds is a field of `PageItem`. docs/reference/database.md repeats what is
said here.
SQLite's DDL is read from a file: after a change, `python -m focused_crawler.store.tables` writes it anew.

`urls` is both the frontier and the dictionary of all URLs ever seen: links and parents point to its ids.
Rows are appended and found by a narrow index on the key: with random 64-bit keys as row ids every new URL
would rewrite a page of the large table (measured at 2 million URLs: half as many a second).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import CheckConstraint, Column, MetaData, Table, UniqueConstraint
from sqlalchemy.dialects import sqlite

from focused_crawler.store.ddl import TEXT, blob, counted, definition_of, index, key, real, whole, words
from focused_crawler.store.definition import FILE, as_text
from focused_crawler.store.item import GOOD, LEAST, PAGE_COLUMNS

METADATA = MetaData()

_ID = "its number"
_PAGE = "`pages.position`"
_RUN = "`runs.id`"
_WHEN = "when"


def _table(name: str, comment: str, *parts: Any, clustered: bool = False) -> Table:
    """Declare a table; SQLite stores a `clustered` one in the order of its primary key, without row ids."""
    return Table(name, METADATA, *parts, comment=comment, sqlite_with_rowid=not clustered)


_urls = _table(
    "urls",
    "Every URL ever seen: the frontier, and the dictionary that all else points to.",
    counted(_ID),
    whole("key", "its identity: a 64-bit hash"),
    words("url", "as it is, or was, asked for"),
    whole("state", "where it stands: `states.state`"),
    whole("host", "`hosts.id`; empty: never queued", optional=True),
    whole("tries", "failed attempts", default=0),
    real(
        "priority",
        "0 to 1: the highest score of the links to it, what the strategy makes of all of them, or what a hub"
        " raised it to",
        default=0,
    ),
    whole("tie", "random order among equals, fixed by the key and the crawl's seed", default=0),
    whole("depth", "links from a seed, by the shortest way seen", default=0),
    whole(
        "parent",
        "`urls.id` of the page that gave it its priority; empty: a seed, or never queued",
        optional=True,
    ),
    real("retry_at", "not to be tried again before; empty: it waits for nothing", optional=True),
    blob("path", "what the strategy noted on its parent for it; mostly empty", optional=True),
    whole(
        "rank",
        "its place among all that were pending when it got its priority, by priority; 1: the first; empty:"
        " never queued, or unknown",
        optional=True,
    ),
    whole(
        "holders",
        "recorded pages that hold a link to it, while it waits; empty: none, or the strategy does not ask",
        optional=True,
    ),
    real("held_total", "sum of its scores on these pages", optional=True),
)
index("urls_by_key", _urls, "key", unique=True)
index("urls_pending", _urls, "host", "tries", "priority DESC", "tie", where="state = 1")
index("urls_out", _urls, "state", where="state IN (2, 3)")

_table(
    "states",
    "The states of a URL.",
    key("state", "0 to 6"),
    words(
        "name",
        "seen (not queued: link not followed), pending (or out), waiting (for its next try), leased (of"
        " earlier versions), done, failed, dropped (by a limit)",
    ),
    whole("urls", "how many URLs of the frontier are in it", default=0),
)

_table(
    "hosts",
    "Hosts, with port, of all URLs that were queued.",
    counted(_ID),
    words("name", "as in a URL"),
    whole("load", "URLs handed out", default=0),
    real("asked_at", "last time that one was", default=0),
    real(
        "ready_at",
        "not to be asked before; infinite: closed for its last run (a limit, or it refused too often)",
        default=0,
    ),
    real("delay", "seconds between two requests that it asks for (Crawl-delay)", default=0),
    whole("pages", "fetched, over all runs", default=0),
    whole("refusals", "429 and 503 in a row", default=0),
    UniqueConstraint("name"),
)

_table(
    "politeness",
    "How each host was really asked; empty of a virtual web, and of pages that a browser fetched.",
    key("host", "as in `hosts.name`", TEXT),
    whole("requests", "that went out, robots.txt and redirects included", default=0),
    whole("refusals", "429, 503, and answers with Retry-After", default=0),
    real("shortest_gap", "seconds between two of one process, but those for robots.txt", optional=True),
    real("longest_pause", "seconds from a refusal to the next request", optional=True),
    clustered=True,
)

_PAGE_ORDER = (
    "position", "key", "url", "requested_url", "host", "parent", "depth", "fetched_at", "status", "size",
    "links", "title", "relevance", "is_relevant", "is_target", "checksum", "duplicate_of", "run", "category",
    "requested_key", "likeness", "etag", "last_modified", "checked_at", "gone_at", "hubness",
    "by_content",
)  # fmt: skip
"""The order of the columns of crawls that have begun. New ones come after these, and are not named here."""


def _page_columns(*others: Column[Any]) -> list[Column[Any]]:
    """Return the columns of an item's fields, and others, in the order of the table."""
    made = {str: words, int: whole, bool: whole, float: real}
    columns = [
        *others,
        *(made[kind](name, stored.comment, optional=none) for name, kind, none, stored in PAGE_COLUMNS),
    ]
    order = {name: number for number, name in enumerate(_PAGE_ORDER)}
    return sorted(columns, key=lambda column: order.get(column.name, len(order)))


_pages = _table(
    "pages",
    "Every page fetched and recorded, once.",
    *_page_columns(
        key("position", "1, 2, 3, ... in order of recording, over all runs"),
        whole("key", "`urls.key` of `url`"),
        words("host", "of `url`"),
        whole("run", _RUN, optional=True),
        whole("requested_key", "`urls.key` of `requested_url`; empty: the same as `key`", optional=True),
        real("checked_at", "last time it was asked for after it was fetched; empty: never", optional=True),
        real("gone_at", "when it was first found gone (404, 410); empty: it is there", optional=True),
    ),
    UniqueConstraint("key"),
)
index("pages_by_checksum", _pages, "checksum", where="duplicate_of IS NULL")
index("pages_by_host", _pages, "host")
index("pages_by_category", _pages, "category", "relevance DESC", where="category IS NOT NULL")

_links = _table(
    "links",
    "Every link of every recorded page, followed or not; two links of a page to one URL are two rows.",
    key("source", "`urls.id` of its page"),
    key("number", "0, 1, 2, ... on its page"),
    whole("target", "`urls.id`"),
    words("anchor", "its text, at most 200 characters"),
    whole("block", "content block on its page, from 0"),
    real("score", "0 to 1, by the strategy; empty: not followed", optional=True),
    whole("external", "it leads to another site", default=0),
    clustered=True,
)
index("links_by_target", _links, "target")
index("links_external", _links, "source", "target", where="external = 1")

_table(
    "failures",
    "URLs that gave no page in the end.",
    key("key", "`urls.key`"),
    words("url", "as it was asked for"),
    words("reason", "a class: http_404, timeout, robots, trap_pattern, ..."),
    real("failed_at", _WHEN),
    whole("run", _RUN, optional=True),
)

_lowered = _table(
    "lowered",
    "URLs that are fetched if nothing better is left; `decisions` has the rule.",
    key("key", "`urls.key`"),
    words("url", "as it is to be asked for"),
    real("priority", "0 to 1, as it was: their order among themselves"),
    whole("depth", "links from a seed"),
    words("parent", "URL of the page that gave it its priority; empty: a seed", optional=True),
    blob("path", "what the strategy noted on its parent for it; mostly empty", optional=True),
    whole("is_raised", "it has come back, as nothing better was left or by another link"),
)
index("lowered_best", _lowered, "priority DESC", "key", where="is_raised = 0")

_table(
    "shares",
    "What counts for the shares of domains with ten hosts or more.",
    key("domain", "its name", TEXT),
    key("key", "64-bit hash of a name"),
    key("is_host", "of a host that was asked; else of a domain that links there"),
    clustered=True,
)

_decisions = _table(
    "decisions",
    "What was decided beyond the usual way of a URL (queued, fetched), by which rule.",
    counted(_ID),
    whole("url", "`urls.id`; empty: about a host, or the crawl", optional=True),
    words("host", "its name; empty: about a URL, or the crawl", optional=True),
    real("decided_at", _WHEN),
    whole("run", _RUN, optional=True),
    words(
        "decision",
        "retry, failed, skipped (known), raised (by a hub), lowered, closed (a host), gone,"
        " alias, disputed (canonical URLs), alarm, ...",
    ),
    words("rule", "what decided: http_503, robots, trap_pattern, hub, host_limit, refusals, stagnation, ..."),
    words("detail", "a URL or words; may be empty"),
)
index("decisions_by_url", _decisions, "url", where="url IS NOT NULL")
index("decisions_by_host", _decisions, "host", where="host IS NOT NULL")

_table(
    "runs",
    "Each start of the crawl.",
    counted(_ID),
    real("started", _WHEN),
    real("ended", f"{_WHEN}; empty: it was killed, or is running", optional=True),
    words("reason", "why it ended", optional=True),
    words("settings", "JSON"),
    words("versions", "JSON"),
    words(
        "worker",
        "whose run it was, where several processes share the crawl; empty: of the only one",
        optional=True,
    ),
    words(
        "acts_as",
        "the strategy that its own was, as nothing was trained for it; empty: itself",
        optional=True,
    ),
    words(
        "judge",
        "who says how relevant its pages are, as keywords:9e4df222; empty: nobody wrote it down",
        optional=True,
    ),
)

_table(
    "categories",
    "Leaves of the taxonomy, where the crawl has one.",
    key("path", "as in `pages.category`", TEXT),
    whole("is_good", "it belongs to the topic"),
    clustered=True,
)

_table(
    "distillations",
    "Each time hubs and authorities were rated.",
    counted(_ID),
    real("distilled_at", _WHEN),
    whole("pages", "so many were recorded"),
    whole("links", "between sites, to a candidate authority"),
    real("rho", "relevance above which a page was a candidate authority"),
    real("seconds", "of CPU"),
)

_table(
    "ratings",
    "Hubs and authorities by the last distillation; pages with neither score have no row.",
    key("page", _PAGE),
    real("hub", "all sum to 1"),
    real("authority", "all sum to 1"),
)

_revisits = _table(
    "revisits",
    "Each time a recorded page was asked for again.",
    counted(_ID),
    whole("page", _PAGE),
    real("visited_at", _WHEN),
    words("outcome", "unchanged, changed, gone, failed"),
    real("relevance", "of a changed page", optional=True),
    whole("run", _RUN, optional=True),
)
index("revisits_by_page", _revisits, "page")

_table(
    "sketches",
    "MinHash sketches of page texts, by which near-duplicates are found.",
    key("page", _PAGE),
    blob("minhash", "the sketch"),
)
_table(
    "sketch_bands",
    "Pages that agree in a band may be near-duplicates.",
    key("band", "64-bit hash of the band's number and values"),
    key("page", _PAGE),
    clustered=True,
)

_table(
    "counters",
    "Totals over all runs.",
    key(
        "name",
        "pages, relevant, targets, bytes, duplicates, links, failures, revisits, known, own_pages, listings",
        TEXT,
    ),
    whole("value", "total over all runs"),
    clustered=True,
)

_table(
    "memory",
    "What the strategy has learnt: one row, or none.",
    key("id", "1"),
    blob("content", "in the strategy's own format"),
    whole("pages", "so many were recorded when it was written"),
    CheckConstraint("id = 1"),
)

_table(
    "learnt",
    "What each page taught the strategy; what its memory holds is deleted.",
    key("position", _PAGE),
    blob("content", "in the strategy's own format"),
)

_table(
    "orders",
    "Orders that a crawl received while it ran, or obeys when it goes on.",
    counted(_ID),
    real("given_at", _WHEN),
    words("what", "model or marks (judge by what the topic has now), budget, add (URLs), stop"),
    words("detail", "of the order; may be empty"),
    real("done_at", f"{_WHEN}; empty: not yet", optional=True),
    words("answer", "what came of it", optional=True),
)

_table(
    "workers",
    "Of a fleet.",
    key("name", "unique", TEXT),
    real("heartbeat_at", "the last"),
    words("report", "JSON"),
    words("supply", "JSON: its best URLs in the order"),
)

_table(
    "partitions",
    "Shares of its hosts.",
    key("number", "first byte of `hosts.id`"),
    words("worker", "its owner", optional=True),
    real("asked_until", "by a dead owner", default=0),
)

_offers = _table(
    "offers",
    "Links to hosts of other workers.",
    counted(_ID),
    whole("part", "`partitions.number`"),
    whole("kind", "0: queue, 1: again, 2: change"),
    words("url", "to ask for"),
    real("priority", "0 to 1"),
    whole("depth", "of it"),
    words("parent", "its URL", optional=True),
    blob("path", "as in `urls`", optional=True),
)
index("offers_by_part", _offers, "part")

_table(
    "migrations",
    "What has made these tables what they are.",
    key("name", "a change of these tables, in order", TEXT),
    real("applied_at", _WHEN),
)

_table(
    "page_texts",
    "The words of pages, as they are now.",
    key("page", _PAGE),
    blob("text", "zstd: first 100,000 characters, then terms of sections and what links stand in"),
)

VIEWS: dict[str, str] = {
    "judged_pages": f"""
    SELECT position, key, requested_key, url, host, title, depth, fetched_at, category, duplicate_of,
           CASE WHEN log_rd IS NULL THEN relevance WHEN log_rd < {LEAST} THEN 0.0
                ELSE exp(log_rd) END AS relevance,
           CASE WHEN duplicate_of IS NOT NULL THEN 0 WHEN log_rd IS NULL THEN is_relevant
                WHEN log_rd >= {GOOD} THEN 1 ELSE 0 END AS is_relevant
    FROM pages
""",  # noqa: S608 - our own numbers
    "named_links": """
    SELECT s.url AS source, number, t.url AS target, anchor, block, score, external
    FROM links JOIN urls AS s ON s.id = links.source JOIN urls AS t ON t.id = links.target
""",
    "named_urls": """
    SELECT u.url, states.name AS state, hosts.name AS host, u.tries, u.priority, u.rank, u.depth,
           p.url AS parent, u.retry_at
    FROM urls AS u JOIN states USING (state)
    LEFT JOIN hosts ON hosts.id = u.host LEFT JOIN urls AS p ON p.id = u.parent
""",
    "named_decisions": """
    SELECT decided_at, urls.url, decisions.host, decision, rule, detail, run
    FROM decisions LEFT JOIN urls ON urls.id = decisions.url
""",
}

if __name__ == "__main__":
    text = as_text(definition_of(METADATA, VIEWS, sqlite.dialect()))
    Path(__file__).with_name(FILE).write_text(text, "utf-8")
