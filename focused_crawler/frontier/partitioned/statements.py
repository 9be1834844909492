"""The SQL of a frontier that workers share by hosts; all of it is PostgreSQL's."""

from __future__ import annotations

from focused_crawler.frontier.order import BANDS
from focused_crawler.frontier.partitioned.partition import HOST_BITS
from focused_crawler.store.database import Bulk

OFFERED, AGAIN, CHANGED = range(3)
"""Kinds of offers: queue it, queue it once more though it has ended, change its priority."""

_PARTS = "unnest(?::bigint[], ?::bigint[]) AS part (first, last)"
_OF_HOST = "h.id, h.name, h.load, h.asked_at, h.ready_at, h.delay, h.pages, h.refusals"
HOSTS_OF_PENDING = f"""
SELECT {_OF_HOST}, b.tries, -b.priority, b.tie, b.key
FROM {_PARTS} JOIN hosts AS h ON h.id BETWEEN part.first AND part.last
CROSS JOIN LATERAL (
    SELECT tries, priority, tie, key FROM urls WHERE host = h.id AND state = 1
    ORDER BY tries, priority DESC, tie LIMIT 2
) AS b
"""  # noqa: S608
HOSTS_BY_ID = f"SELECT {_OF_HOST} FROM hosts AS h WHERE h.id = ANY (?)"  # noqa: S608
CLOSED_HOSTS = f"""
SELECT {_OF_HOST} FROM {_PARTS} JOIN hosts AS h ON h.id BETWEEN part.first AND part.last
WHERE h.ready_at = 'infinity'
"""  # noqa: S608
COUNT_HOSTS = f"""
SELECT count(*), max(h.asked_at) FROM {_PARTS} JOIN hosts AS h ON h.id BETWEEN part.first AND part.last
"""  # noqa: S608
WAITING = f"""
SELECT key, host, retry_at FROM {_PARTS} JOIN urls ON host BETWEEN part.first AND part.last WHERE state = 2
"""  # noqa: S608
BANDS_OF_PENDING = f"""
SELECT least(floor(priority * {BANDS})::bigint, {BANDS - 1}) AS band, count(*)
FROM {_PARTS} JOIN urls ON host BETWEEN part.first AND part.last WHERE state = 1 GROUP BY band
"""  # noqa: S608
REVIVE = "UPDATE urls SET state = 1 WHERE state = 6 AND host = ANY (?)"

PENDING_OF_HOST = "SELECT key, priority, tries FROM urls WHERE host = ? AND state = 1"
WORST = f"""
SELECT host, tries, -priority, tie, key FROM urls WHERE state = 1 AND host >> {HOST_BITS} = ANY (?)
ORDER BY tries DESC, priority, tie DESC LIMIT ?
"""  # noqa: S608

PARENTS = Bulk(
    "",
    """
    INSERT INTO urls (key, url, state)
    SELECT key, url, 0 FROM unnest(?::bigint[], ?::text[]) AS given (key, url)
    WHERE NOT EXISTS (SELECT 1 FROM urls WHERE urls.key = given.key) ON CONFLICT (key) DO NOTHING
    """,
)
FRESH = Bulk(
    "",
    """
    INSERT INTO urls (key, url, host, state, tries, priority, tie, depth, parent, rank, path, retry_at)
    SELECT given.key, given.url, given.host, given.state, given.tries, given.priority, given.tie, given.depth,
           p.id, given.rank, given.path, given.retry_at
    FROM unnest(?::bigint[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::float8[], ?::bigint[],
                ?::bigint[], ?::bigint[], ?::bigint[], ?::bytea[], ?::float8[])
        AS given (key, url, host, state, tries, priority, tie, depth, parent, rank, path, retry_at)
    LEFT JOIN urls AS p ON p.key = given.parent
    ON CONFLICT (key) DO UPDATE SET
        url = excluded.url, host = excluded.host, state = excluded.state, tries = excluded.tries,
        priority = excluded.priority, tie = excluded.tie, depth = excluded.depth, parent = excluded.parent,
        path = excluded.path, retry_at = excluded.retry_at, rank = excluded.rank
    """,
)
CHANGE = Bulk(
    "",
    """
    UPDATE urls SET state = coalesce(given.state, urls.state), tries = coalesce(given.tries, urls.tries),
        retry_at = CASE WHEN given.state IS NULL THEN urls.retry_at ELSE given.retry_at END,
        priority = coalesce(given.priority, urls.priority), depth = coalesce(given.depth, urls.depth),
        parent = coalesce(given.parent, urls.parent), rank = coalesce(given.rank, urls.rank),
        path = CASE WHEN given.parent IS NULL THEN urls.path ELSE given.path END
    FROM (
        SELECT new.key, new.state, new.tries, new.retry_at, new.priority, new.depth, p.id AS parent, new.path,
               new.rank
        FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::float8[], ?::float8[], ?::bigint[],
                    ?::bigint[], ?::bytea[], ?::bigint[])
            AS new (key, state, tries, retry_at, priority, depth, parent, path, rank)
        LEFT JOIN urls AS p ON p.key = new.parent
    ) AS given WHERE urls.key = given.key
    """,
)
SAVE_HOSTS = Bulk(
    "",
    """
    INSERT INTO hosts (id, name, load, asked_at, ready_at, delay, pages, refusals)
    SELECT * FROM unnest(?::bigint[], ?::text[], ?::bigint[], ?::float8[], ?::float8[], ?::float8[],
                         ?::bigint[], ?::bigint[])
    ON CONFLICT (id) DO UPDATE SET
        load = excluded.load, asked_at = excluded.asked_at, ready_at = excluded.ready_at,
        delay = excluded.delay, pages = excluded.pages, refusals = excluded.refusals
    """,
)
COUNT = Bulk(
    "",
    """
    UPDATE states SET urls = urls + more FROM unnest(?::bigint[], ?::bigint[]) AS given (state, more)
    WHERE states.state = given.state
    """,
)

# What the owner would do nothing with is not sent: it would cost him a moment of all workers' time.
SEND = Bulk(
    "",
    f"""
    INSERT INTO offers (part, kind, url, priority, depth, parent, path)
    SELECT part, kind, given.url, given.priority, given.depth, given.parent, given.path
    FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::float8[], ?::bigint[], ?::text[],
                ?::bytea[])
        AS given (key, part, kind, url, priority, depth, parent, path)
    LEFT JOIN urls AS known ON known.key = given.key
    WHERE CASE kind
        WHEN {OFFERED} THEN known.key IS NULL OR known.state IN (0, 6) OR known.state IN (1, 2)
            AND (known.priority < given.priority OR known.depth > given.depth)
        WHEN {AGAIN} THEN known.state IN (4, 5)
        ELSE known.state IN (1, 2) AND known.priority <> given.priority END
    """,  # noqa: S608
)
TAKE_OFFERS = """
DELETE FROM offers WHERE part = ANY (?) RETURNING id, kind, url, priority, depth, parent, path
"""
NOTIFY = "SELECT pg_notify(?, ?)"
