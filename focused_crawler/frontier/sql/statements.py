"""The SQL of a frontier in a database that one process writes: SQLite's, and PostgreSQL's."""

from __future__ import annotations

from focused_crawler.frontier.order import BANDS

FIND = """
SELECT key, host, state, tries, priority, tie, depth FROM urls
WHERE key {among}
"""
# SQLite takes as long to bind a None as five numbers: where most values are, they are no values.
INSERT = """
INSERT INTO urls (key, url, host, state, tries, priority, tie, depth, parent, rank, path)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET
    url = excluded.url, host = excluded.host, state = excluded.state, tries = excluded.tries,
    priority = excluded.priority, tie = excluded.tie, depth = excluded.depth, parent = excluded.parent,
    path = excluded.path, retry_at = NULL, rank = excluded.rank
"""
INSERT_WITHOUT_PATHS = INSERT.replace("?)", "NULL)")
IMPROVE = """
UPDATE urls SET priority = ?1, depth = ?2, parent = coalesce(?3, parent),
    path = CASE WHEN ?3 IS NULL THEN path ELSE ?4 END, rank = coalesce(?6, rank)
WHERE key = ?5
"""
SEEN = "INSERT INTO urls (key, url, state) VALUES (?, ?, 0) RETURNING id"
MOVE = "UPDATE urls SET state = ?, tries = ?, retry_at = NULL WHERE key = ?"
WAIT = MOVE.replace("NULL", "?")
# The states are written as numbers: only so SQLite can use its partial indexes.
_TEXT = "url, depth, (SELECT p.url FROM urls AS p WHERE p.id = urls.parent), path"
TEXTS = f"SELECT key, {_TEXT} FROM urls WHERE key {{among}}"  # noqa: S608
BEST = f"""
SELECT tries, -priority, tie, key, {_TEXT} FROM urls WHERE host = ? AND state = 1
ORDER BY tries, priority DESC, tie LIMIT ?
"""  # noqa: S608
# Down to a whole number, whether CAST rounds or cuts off.
_BAND = f"CAST(priority * {BANDS} AS INTEGER)"
BANDS_OF_PENDING = f"""
SELECT {_BAND} - CASE WHEN {_BAND} > priority * {BANDS} THEN 1 ELSE 0 END AS band, count(*) FROM urls
WHERE state = 1 GROUP BY band
"""  # noqa: S608
WAITING = "SELECT key, host, retry_at FROM urls WHERE state = 2"
GIVE_BACK = "UPDATE urls SET state = 1 WHERE state = 3 RETURNING host"
DROP_PENDING = """
UPDATE urls SET state = 6 WHERE host = ? AND state = 1 AND NOT key {among} RETURNING priority
"""
DROP_WAITING = "UPDATE urls SET state = 6, retry_at = NULL WHERE key {among}"
DROP_WORST = """
UPDATE urls SET state = 6 WHERE id IN (
    SELECT id FROM urls WHERE state = 1 AND NOT key {among}
    ORDER BY tries DESC, priority, tie DESC LIMIT ?
) RETURNING host, tries, -priority, tie, key
"""
# Only a frontier that has been full pays for it.
RANK = """
CREATE INDEX IF NOT EXISTS urls_worst ON urls (tries DESC, priority, tie DESC) WHERE state = 1
"""
UNRANK = "DROP INDEX IF EXISTS urls_worst"
# What is recorded, or was decided about, stays: it is more than a URL that was offered.
FORGOTTEN = """
SELECT id FROM urls WHERE key {among} AND state = 6 AND tries = 0
    AND NOT EXISTS (SELECT 1 FROM pages WHERE pages.key = urls.key)
    AND NOT EXISTS (SELECT 1 FROM links WHERE links.source = urls.id)
    AND NOT EXISTS (SELECT 1 FROM decisions WHERE decisions.url = urls.id)
"""
UNLINK = "DELETE FROM links WHERE target {among}"
DELETE = "DELETE FROM urls WHERE id {among}"
REVIVE = "UPDATE urls SET state = 1 WHERE state = 6 AND host {among}"
HOSTS = "SELECT id, name, load, asked_at, ready_at, delay, pages, refusals FROM hosts"
HOSTS_OF_PENDING = "SELECT DISTINCT host FROM urls WHERE state = 1"
# Text is more than any number in SQLite; PostgreSQL has none in such columns.
_ODD = "(priority BETWEEN 0 AND 1 AND tries BETWEEN 0 AND 1000000 AND tie <= {0} AND key <= {0})".format(
    2**63 - 1
)
# By the index of what is pending, SQLite would look for each row anew: +state keeps it from that.
ODD_PENDING = f"SELECT count(*) FROM urls WHERE +state = 1 AND NOT {_ODD}"  # noqa: S608
ODD_WAITING = f"""
SELECT count(*) FROM urls WHERE state IN (2, 3) AND NOT {_ODD}
OR (state = 2 AND (retry_at IS NULL OR retry_at > 1e300)) OR (state IN (2, 3) AND host IS NULL)
"""  # noqa: S608
SAVE_HOST = """
UPDATE hosts SET load = ?, asked_at = ?, ready_at = ?, delay = ?, pages = ?, refusals = ? WHERE id = ?
"""
