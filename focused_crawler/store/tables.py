"""What the tables of a crawl are, whatever database holds them.

SQLite comes to these by its migrations (`schema.py`), PostgreSQL is made from them; a test compares the two.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import CheckConstraint, Dialect, MetaData, Table, UniqueConstraint
from sqlalchemy.schema import (
    CreateIndex,
    CreateTable,
    ExecutableDDLElement,
    SetColumnComment,
    SetTableComment,
)

from focused_crawler.store.columns import TEXT, blob, counted, index, key, real, whole, words

METADATA = MetaData()


def _table(name: str, comment: str, *parts: Any) -> Table:
    return Table(name, METADATA, *parts, comment=comment)


_RUN = "runs.id"
_PAGE = "pages.position"
_WHEN = "seconds since the epoch"

_table(
    "migrations",
    "what has made the schema what it is",
    key("name", "in the order they are applied", TEXT),
    real("applied_at", _WHEN),
)

_table(
    "states",
    "where a URL may stand, and how many do",
    key("state", "0 to 6"),
    words("name", "seen, pending, waiting, leased, done, failed, dropped"),
    whole("urls", "how many; seen ones are not counted", default=0),
)

_table(
    "hosts",
    "hosts of queued URLs",
    counted("urls.host"),
    words("name", "as in URLs, without a port that is its scheme's"),
    whole("load", "URLs handed out so far", default=0),
    real("asked_at", f"last time a URL was handed out, {_WHEN}", default=0),
    real("ready_at", "not to be asked before; infinite: no more", default=0),
    real("delay", "seconds between requests that it asked for", default=0),
    whole("pages", "fetched, over all runs", default=0),
    whole("refusals", "429 and 503 in a row", default=0),
    UniqueConstraint("name"),
)

_urls = _table(
    "urls",
    "every URL ever seen; the frontier",
    counted("of links and parents"),
    whole("key", "identity of the URL: 64-bit hash"),
    words("url", "normalised"),
    whole("state", "states.state"),
    whole("host", "hosts.id; of queued URLs only", optional=True),
    whole("tries", "failed attempts", default=0),
    real("priority", "0 to 1", default=0),
    whole("tie", "random order among equals, from the key and the crawl's seed", default=0),
    whole("depth", "links from a seed", default=0),
    whole("parent", "urls.id of the page that gave it its priority", optional=True),
    real("retry_at", f"not to be tried before, {_WHEN}", optional=True),
    blob("path", "what the strategy noted on the parent for this URL", optional=True),
    whole(
        "rank",
        "place among all that were pending when it got its priority, 1: first; empty: unknown",
        optional=True,
    ),
)
index("urls_by_key", _urls, "key", unique=True)
index("urls_pending", _urls, "host", "tries", "priority DESC", "tie", where="state = 1")
index("urls_out", _urls, "state", where="state IN (2, 3)")

_table(
    "runs",
    "each start of the crawl",
    counted("1, 2, 3, ..."),
    real("started", _WHEN),
    real("ended", "empty: it was killed, or is running", optional=True),
    words("reason", "why it ended", optional=True),
    words("settings", "JSON"),
    words("versions", "JSON"),
    words("worker", "whose run it was; empty: of the only process", optional=True),
)

_pages = _table(
    "pages",
    "fetched pages",
    key("position", "1, 2, 3, ... in order of recording, over all runs"),
    whole("key", "urls.key"),
    words("url", "where it was found in the end, after redirects"),
    words("requested_url", "what the frontier gave out"),
    words("host", "of url"),
    words("parent", "URL of the page that led here", optional=True),
    whole("depth", "links from a seed"),
    real("fetched_at", _WHEN),
    whole("status", "of HTTP"),
    whole("size", "bytes, decompressed"),
    whole("links", "on it, followed or not"),
    words("title", "at most 1,000 characters"),
    real("relevance", "0 to 1"),
    whole("is_relevant", "1: yes, 0: no"),
    whole("is_target", "known to be relevant; empty: nothing is known", optional=True),
    words("checksum", "of the text", optional=True),
    words("duplicate_of", "URL of the first page with the same text, or one much like it", optional=True),
    whole("run", _RUN, optional=True),
    words("category", "best leaf of the taxonomy; empty: judged by none", optional=True),
    whole("requested_key", "urls.key of what was asked for; empty: the same", optional=True),
    real("likeness", "to the page it is a copy of, 0 to 1 (1: verbatim); empty: no copy", optional=True),
    words("etag", "as its server wrote it", optional=True),
    words("last_modified", "as its server wrote it", optional=True),
    real("checked_at", "last asked for after it was fetched; empty: never", optional=True),
    real("gone_at", "when it was first found gone (404, 410); empty: it is there", optional=True),
    real(
        "hubness", "links to other sites a word outside links; empty: no words, or not known", optional=True
    ),
    UniqueConstraint("key"),
)
index("pages_by_checksum", _pages, "checksum", where="duplicate_of IS NULL")
index("pages_by_host", _pages, "host")

_links = _table(
    "links",
    "links of fetched pages, followed or not",
    key("source", "urls.id of the page"),
    key("number", "0, 1, 2, ... on its page"),
    whole("target", "urls.id"),
    words("anchor", "at most 200 characters"),
    whole("block", "content block on its page"),
    real("score", "0 to 1; empty: not followed", optional=True),
    whole("external", "1: leads to another site (host without www.)", default=0),
)
index("links_by_target", _links, "target")
index("links_external", _links, "source", "target", where="external = 1")

_table(
    "failures",
    "URLs that ended without a page",
    key("key", "urls.key"),
    words("url", "normalised"),
    words("reason", "a class: http_404, timeout, robots, ..."),
    real("failed_at", _WHEN),
    whole("run", _RUN, optional=True),
)

_table(
    "counters",
    "totals over all runs",
    key("name", "pages, relevant, targets, bytes, duplicates, links, failures, ...", TEXT),
    whole("value", "so many"),
)

_table(
    "memory",
    "what the strategy has learnt: one row, or none",
    key("id", "1"),
    blob("content", "in the strategy's own format"),
    whole("pages", "so many pages were recorded when it was written"),
    CheckConstraint("id = 1"),
)

_decisions = _table(
    "decisions",
    "what was decided beyond the usual way of a URL (queued, fetched)",
    counted("in order"),
    whole("url", "urls.id; empty: about a host, or the crawl", optional=True),
    words("host", "empty: about a URL, or the crawl", optional=True),
    real("decided_at", _WHEN),
    whole("run", _RUN, optional=True),
    words("decision", "retry, failed, redirected, duplicate, dropped, raised, closed, alarm, ..."),
    words("rule", "what decided: http_404, robots, trap_pattern, hub, stagnation, ..."),
    words("detail", "URL or words; may be empty"),
)
index("decisions_by_url", _decisions, "url", where="url IS NOT NULL")
index("decisions_by_host", _decisions, "host", where="host IS NOT NULL")

_table(
    "categories",
    "leaves of the taxonomy",
    key("path", "as in pages.category", TEXT),
    whole("is_good", "1: pages of it are wanted"),
)

_table(
    "distillations",
    "each rating of hubs and authorities",
    counted("in order"),
    real("distilled_at", _WHEN),
    whole("pages", "so many were recorded"),
    whole("links", "between sites, to an authority"),
    real("rho", "relevance above which a page was a candidate authority"),
    real("seconds", "of CPU"),
)

_table(
    "ratings",
    "of the last distillation; pages with neither score have no row",
    key("page", _PAGE),
    real("hub", "all sum to 1"),
    real("authority", "all sum to 1"),
)

_revisits = _table(
    "revisits",
    "pages asked for again",
    counted("in order"),
    whole("page", _PAGE),
    real("visited_at", _WHEN),
    words("outcome", "unchanged, changed, gone, failed"),
    real("relevance", "of a changed page", optional=True),
    whole("run", _RUN, optional=True),
)
index("revisits_by_page", _revisits, "page")

_table(
    "sketches",
    "what near-duplicates are found by",
    key("page", _PAGE),
    blob("minhash", "of its text"),
)
_table(
    "sketch_bands",
    "pages that agree in a band may be near-duplicates",
    key("band", "64-bit hash of the band's number and values"),
    key("page", _PAGE),
)

_table(
    "page_texts",
    "what the words of pages are read back from; pages without words have no row",
    key("page", _PAGE),
    blob("text", "zstd of its first 100,000 characters in UTF-8"),
)

VIEWS: dict[str, str] = {
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


def statements(dialect: Dialect) -> list[str]:
    """Return what makes all tables, indexes, comments and views, in the words of a database."""
    found: list[ExecutableDDLElement] = []
    for table in METADATA.sorted_tables:
        found += [
            CreateTable(table),
            *map(CreateIndex, sorted(table.indexes, key=lambda index: str(index.name))),
        ]
        if dialect.supports_comments:
            commented = (column for column in table.columns if column.comment)
            found += [SetTableComment(table), *map(SetColumnComment, commented)]
    made = [str(element.compile(dialect=dialect)) for element in found]
    return made + [f"CREATE VIEW {name} AS {query}" for name, query in VIEWS.items()]
