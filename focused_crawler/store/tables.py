"""What the tables of a crawl are, whatever database holds them.

SQLite comes to these by its migrations (`schema.py`), PostgreSQL is made from them; a test compares the two.
Texts compare byte by byte in both, and numbers have 64 bits.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Dialect,
    Double,
    Identity,
    Index,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.schema import (
    CreateIndex,
    CreateTable,
    ExecutableDDLElement,
    SetColumnComment,
    SetTableComment,
)

METADATA = MetaData()

_TEXT = Text().with_variant(Text(collation="C"), "postgresql")


def _whole(name: str, comment: str, *, optional: bool = False, default: int | None = None) -> Column[Any]:
    return _column(name, BigInteger(), comment, optional, default)


def _real(name: str, comment: str, *, optional: bool = False, default: int | None = None) -> Column[Any]:
    return _column(name, Double(), comment, optional, default)


def _text(name: str, comment: str, *, optional: bool = False) -> Column[Any]:
    return _column(name, _TEXT, comment, optional, None)


def _blob(name: str, comment: str, *, optional: bool = False) -> Column[Any]:
    return _column(name, LargeBinary(), comment, optional, None)


def _column(name: str, kind: Any, comment: str, optional: bool, default: int | None) -> Column[Any]:
    server_default = None if default is None else text(str(default))
    return Column(name, kind, nullable=optional, comment=comment, server_default=server_default)


def _id(name: str = "id", comment: str = "") -> Column[Any]:
    """Return a primary key that the database counts up."""
    return Column(name, BigInteger(), Identity(), primary_key=True, comment=comment or None)


def _key(name: str, comment: str, kind: Any = None) -> Column[Any]:
    """Return a primary key that is always given."""
    kind = BigInteger() if kind is None else kind
    return Column(name, kind, primary_key=True, autoincrement=False, comment=comment)


def _table(name: str, comment: str, *parts: Any) -> Table:
    return Table(name, METADATA, *parts, comment=comment)


def _index(name: str, table: Table, *columns: str, where: str = "", unique: bool = False) -> None:
    parts = [text(column) if " " in column else table.c[column] for column in columns]
    condition = text(where) if where else None
    Index(name, *parts, unique=unique, sqlite_where=condition, postgresql_where=condition, _table=table)


_RUN = "runs.id"
_PAGE = "pages.position"
_WHEN = "seconds since the epoch"

_table(
    "migrations",
    "what has made the schema what it is",
    Column("name", _TEXT, primary_key=True, comment="in the order they are applied"),
    _real("applied_at", _WHEN),
)

_table(
    "states",
    "where a URL may stand, and how many do",
    _key("state", "0 to 6"),
    _text("name", "seen, pending, waiting, leased, done, failed, dropped"),
    _whole("urls", "how many; seen ones are not counted", default=0),
)

_table(
    "hosts",
    "hosts of queued URLs",
    _id(comment="urls.host"),
    _text("name", "as in URLs, without a port that is its scheme's"),
    _whole("load", "URLs handed out so far", default=0),
    _real("asked_at", f"last time a URL was handed out, {_WHEN}", default=0),
    _real("ready_at", "not to be asked before; infinite: no more", default=0),
    _real("delay", "seconds between requests that it asked for", default=0),
    _whole("pages", "fetched, over all runs", default=0),
    _whole("refusals", "429 and 503 in a row", default=0),
    UniqueConstraint("name"),
)

_urls = _table(
    "urls",
    "every URL ever seen; the frontier",
    _id(comment="of links and parents"),
    _whole("key", "identity of the URL: 64-bit hash"),
    _text("url", "normalised"),
    _whole("state", "states.state"),
    _whole("host", "hosts.id; of queued URLs only", optional=True),
    _whole("tries", "failed attempts", default=0),
    _real("priority", "0 to 1", default=0),
    _whole("tie", "random order among equals, from the key and the crawl's seed", default=0),
    _whole("depth", "links from a seed", default=0),
    _whole("parent", "urls.id of the page that gave it its priority", optional=True),
    _real("retry_at", f"not to be tried before, {_WHEN}", optional=True),
    _blob("path", "what the strategy noted on the parent for this URL", optional=True),
    _whole(
        "rank",
        "place among all that were pending when it got its priority, 1: first; empty: unknown",
        optional=True,
    ),
)
_index("urls_by_key", _urls, "key", unique=True)
_index("urls_pending", _urls, "host", "tries", "priority DESC", "tie", where="state = 1")
_index("urls_out", _urls, "state", where="state IN (2, 3)")

_table(
    "runs",
    "each start of the crawl",
    _id(comment="1, 2, 3, ..."),
    _real("started", _WHEN),
    _real("ended", "empty: it was killed, or is running", optional=True),
    _text("reason", "why it ended", optional=True),
    _text("settings", "JSON"),
    _text("versions", "JSON"),
)

_pages = _table(
    "pages",
    "fetched pages",
    _key("position", "1, 2, 3, ... in order of recording, over all runs"),
    _whole("key", "urls.key"),
    _text("url", "where it was found in the end, after redirects"),
    _text("requested_url", "what the frontier gave out"),
    _text("host", "of url"),
    _text("parent", "URL of the page that led here", optional=True),
    _whole("depth", "links from a seed"),
    _real("fetched_at", _WHEN),
    _whole("status", "of HTTP"),
    _whole("size", "bytes, decompressed"),
    _whole("links", "on it, followed or not"),
    _text("title", "at most 1,000 characters"),
    _real("relevance", "0 to 1"),
    _whole("is_relevant", "1: yes, 0: no"),
    _whole("is_target", "known to be relevant; empty: nothing is known", optional=True),
    _text("checksum", "of the text", optional=True),
    _text("duplicate_of", "URL of the first page with the same text, or one much like it", optional=True),
    _whole("run", _RUN, optional=True),
    _text("category", "best leaf of the taxonomy; empty: judged by none", optional=True),
    _whole("requested_key", "urls.key of what was asked for; empty: the same", optional=True),
    _real("likeness", "to the page it is a copy of, 0 to 1 (1: verbatim); empty: no copy", optional=True),
    _text("etag", "as its server wrote it", optional=True),
    _text("last_modified", "as its server wrote it", optional=True),
    _real("checked_at", "last asked for after it was fetched; empty: never", optional=True),
    _real("gone_at", "when it was first found gone (404, 410); empty: it is there", optional=True),
    UniqueConstraint("key"),
)
_index("pages_by_checksum", _pages, "checksum", where="duplicate_of IS NULL")
_index("pages_by_host", _pages, "host")

_links = _table(
    "links",
    "links of fetched pages, followed or not",
    _key("source", "urls.id of the page"),
    _key("number", "0, 1, 2, ... on its page"),
    _whole("target", "urls.id"),
    _text("anchor", "at most 200 characters"),
    _whole("block", "content block on its page"),
    _real("score", "0 to 1; empty: not followed", optional=True),
    _whole("external", "1: leads to another site (host without www.)", default=0),
)
_index("links_by_target", _links, "target")
_index("links_external", _links, "source", "target", where="external = 1")

_table(
    "failures",
    "URLs that ended without a page",
    _key("key", "urls.key"),
    _text("url", "normalised"),
    _text("reason", "a class: http_404, timeout, robots, ..."),
    _real("failed_at", _WHEN),
    _whole("run", _RUN, optional=True),
)

_table(
    "counters",
    "totals over all runs",
    _key("name", "pages, relevant, targets, bytes, duplicates, links, failures, ...", _TEXT),
    _whole("value", "so many"),
)

_table(
    "memory",
    "what the strategy has learnt: one row, or none",
    _key("id", "1"),
    _blob("content", "in the strategy's own format"),
    _whole("pages", "so many pages were recorded when it was written"),
    CheckConstraint("id = 1"),
)

_decisions = _table(
    "decisions",
    "what was decided beyond the usual way of a URL (queued, fetched)",
    _id(comment="in order"),
    _whole("url", "urls.id; empty: about a host, or the crawl", optional=True),
    _text("host", "empty: about a URL, or the crawl", optional=True),
    _real("decided_at", _WHEN),
    _whole("run", _RUN, optional=True),
    _text("decision", "retry, failed, redirected, duplicate, dropped, raised, closed, alarm, ..."),
    _text("rule", "what decided: http_404, robots, trap_pattern, hub, stagnation, ..."),
    _text("detail", "URL or words; may be empty"),
)
_index("decisions_by_url", _decisions, "url", where="url IS NOT NULL")
_index("decisions_by_host", _decisions, "host", where="host IS NOT NULL")

_table(
    "categories",
    "leaves of the taxonomy",
    _key("path", "as in pages.category", _TEXT),
    _whole("is_good", "1: pages of it are wanted"),
)

_table(
    "distillations",
    "each rating of hubs and authorities",
    _id(comment="in order"),
    _real("distilled_at", _WHEN),
    _whole("pages", "so many were recorded"),
    _whole("links", "between sites, to an authority"),
    _real("rho", "relevance above which a page was a candidate authority"),
    _real("seconds", "of CPU"),
)

_table(
    "ratings",
    "of the last distillation; pages with neither score have no row",
    _key("page", _PAGE),
    _real("hub", "all sum to 1"),
    _real("authority", "all sum to 1"),
)

_revisits = _table(
    "revisits",
    "pages asked for again",
    _id(comment="in order"),
    _whole("page", _PAGE),
    _real("visited_at", _WHEN),
    _text("outcome", "unchanged, changed, gone, failed"),
    _real("relevance", "of a changed page", optional=True),
    _whole("run", _RUN, optional=True),
)
_index("revisits_by_page", _revisits, "page")

_table(
    "sketches",
    "what near-duplicates are found by",
    _key("page", _PAGE),
    _blob("minhash", "of its text"),
)
_table(
    "sketch_bands",
    "pages that agree in a band may be near-duplicates",
    _key("band", "64-bit hash of the band's number and values"),
    _key("page", _PAGE),
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
