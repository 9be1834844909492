"""The migrations of crawl.db as they were released: what older versions made, to be brought up to date."""

from __future__ import annotations

_CRAWL = """
CREATE TABLE states (state INTEGER PRIMARY KEY, name TEXT NOT NULL, urls INTEGER NOT NULL DEFAULT 0);
INSERT INTO states (state, name) VALUES
    (0, 'seen'), (1, 'pending'), (2, 'waiting'), (3, 'leased'), (4, 'done'), (5, 'failed');

CREATE TABLE hosts (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    load INTEGER NOT NULL DEFAULT 0,   -- URLs handed out so far
    asked_at REAL NOT NULL DEFAULT 0,  -- last time a URL was handed out, seconds since the epoch
    ready_at REAL NOT NULL DEFAULT 0   -- not to be asked before
);

CREATE TABLE urls (
    id INTEGER PRIMARY KEY,
    key INTEGER NOT NULL,              -- identity of the URL: 64-bit hash
    url TEXT NOT NULL,
    state INTEGER NOT NULL,            -- states.state
    host INTEGER,                      -- hosts.id; of queued URLs only
    tries INTEGER NOT NULL DEFAULT 0,  -- failed attempts
    priority REAL NOT NULL DEFAULT 0,  -- 0 to 1
    tie INTEGER NOT NULL DEFAULT 0,    -- random order among equals, from the key and the crawl's seed
    depth INTEGER NOT NULL DEFAULT 0,  -- links from a seed
    parent INTEGER,                    -- urls.id of the page that gave it its priority
    retry_at REAL
);
CREATE UNIQUE INDEX urls_by_key ON urls (key);
CREATE INDEX urls_pending ON urls (host, tries, priority DESC, tie) WHERE state = 1;
CREATE INDEX urls_out ON urls (state) WHERE state IN (2, 3);

CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    started REAL NOT NULL,
    ended REAL,
    reason TEXT,                       -- why it ended; empty: it was killed, or is running
    settings TEXT NOT NULL,            -- JSON
    versions TEXT NOT NULL             -- JSON
);

CREATE TABLE pages (
    position INTEGER PRIMARY KEY,      -- 1, 2, 3, ... in order of recording, over all runs
    key INTEGER NOT NULL UNIQUE,       -- urls.key
    url TEXT NOT NULL,                 -- where it was found in the end, after redirects
    requested_url TEXT NOT NULL,
    host TEXT NOT NULL,
    parent TEXT,
    depth INTEGER NOT NULL,
    fetched_at REAL NOT NULL,          -- seconds since the epoch
    status INTEGER NOT NULL,
    size INTEGER NOT NULL,             -- bytes, decompressed
    links INTEGER NOT NULL,            -- followed or not
    title TEXT NOT NULL,
    relevance REAL NOT NULL,           -- 0 to 1
    is_relevant INTEGER NOT NULL,
    is_target INTEGER,                 -- known to be relevant; empty: nothing is known
    checksum TEXT,                     -- of the text
    duplicate_of TEXT,                 -- URL of the first page with the same text
    run INTEGER                        -- runs.id
);
CREATE INDEX pages_by_checksum ON pages (checksum) WHERE duplicate_of IS NULL;

CREATE TABLE links (
    source INTEGER NOT NULL,           -- urls.id
    number INTEGER NOT NULL,           -- 0, 1, 2, ... on its page
    target INTEGER NOT NULL,           -- urls.id
    anchor TEXT NOT NULL,              -- at most 200 characters
    block INTEGER NOT NULL,            -- content block on its page
    score REAL,                        -- 0 to 1; empty: not followed
    PRIMARY KEY (source, number)
) WITHOUT ROWID;

CREATE TABLE failures (
    key INTEGER PRIMARY KEY,           -- urls.key
    url TEXT NOT NULL,
    reason TEXT NOT NULL,              -- a class: 404, timeout, robots, ...
    failed_at REAL NOT NULL,
    run INTEGER
);

CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

CREATE VIEW named_links AS
    SELECT s.url AS source, t.url AS target, anchor, block, score
    FROM links JOIN urls AS s ON s.id = links.source JOIN urls AS t ON t.id = links.target;
CREATE VIEW named_urls AS
    SELECT u.url, states.name AS state, hosts.name AS host, u.tries, u.priority, u.depth,
           p.url AS parent, u.retry_at
    FROM urls AS u JOIN states USING (state)
    LEFT JOIN hosts ON hosts.id = u.host LEFT JOIN urls AS p ON p.id = u.parent;
"""

_HOSTS = """
INSERT INTO states (state, name) VALUES (6, 'dropped');
ALTER TABLE hosts ADD COLUMN delay REAL NOT NULL DEFAULT 0;     -- seconds between requests that it asked for
ALTER TABLE hosts ADD COLUMN pages INTEGER NOT NULL DEFAULT 0;  -- fetched, over all runs
ALTER TABLE hosts ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0; -- 429 and 503 in a row
UPDATE hosts SET pages = found.pages FROM (SELECT host, count(*) AS pages FROM pages GROUP BY host) AS found
    WHERE found.host = hosts.name;
"""

_STRATEGY = """
ALTER TABLE urls ADD COLUMN path BLOB;  -- what the strategy noted on the parent for this URL; mostly empty
CREATE TABLE memory (                   -- what the strategy has learnt: one row, or none
    id INTEGER PRIMARY KEY CHECK (id = 1),
    content BLOB NOT NULL,              -- in the strategy's own format
    pages INTEGER NOT NULL              -- so many pages were recorded when it was written
);
"""

_TAXONOMY = """
ALTER TABLE pages ADD COLUMN category TEXT;  -- best leaf of the taxonomy; empty: judged by none
"""

_QUESTIONS = """
ALTER TABLE urls ADD COLUMN rank INTEGER;       -- among all pending when it got its priority; 1: first
ALTER TABLE links ADD COLUMN external INTEGER NOT NULL DEFAULT 0;  -- to another site (host, no www.)
CREATE INDEX links_by_target ON links (target);
CREATE INDEX links_external ON links (source, target) WHERE external = 1;
UPDATE links SET external = 1 WHERE
    (SELECT CASE WHEN site LIKE 'www.%' THEN substr(site, 5) ELSE site END
     FROM (SELECT substr(rest, 1, instr(rest || '/', '/') - 1) AS site
           FROM (SELECT substr(url, instr(url, '://') + 3) AS rest FROM urls WHERE id = links.source)))
 <> (SELECT CASE WHEN site LIKE 'www.%' THEN substr(site, 5) ELSE site END
     FROM (SELECT substr(rest, 1, instr(rest || '/', '/') - 1) AS site
           FROM (SELECT substr(url, instr(url, '://') + 3) AS rest FROM urls WHERE id = links.target)));

ALTER TABLE pages ADD COLUMN requested_key INTEGER;  -- urls.key of what was asked for, if another
ALTER TABLE pages ADD COLUMN likeness REAL;      -- to the page it copies; 1: verbatim; empty: no copy
ALTER TABLE pages ADD COLUMN etag TEXT;
ALTER TABLE pages ADD COLUMN last_modified TEXT; -- as its server wrote it
ALTER TABLE pages ADD COLUMN checked_at REAL;    -- last asked for after it was fetched; empty: never
ALTER TABLE pages ADD COLUMN gone_at REAL;       -- when first found gone (404, 410); empty: it is there
CREATE INDEX pages_by_host ON pages (host);
UPDATE pages SET likeness = 1.0 WHERE duplicate_of IS NOT NULL;

CREATE TABLE decisions (                -- what was decided beyond the usual way of a URL (queued, fetched)
    id INTEGER PRIMARY KEY,
    url INTEGER,                       -- urls.id; empty: about a host, or the crawl
    host TEXT,                         -- empty: about a URL, or the crawl
    decided_at REAL NOT NULL,          -- seconds since the epoch
    run INTEGER,                       -- runs.id
    decision TEXT NOT NULL,            -- retry, failed, redirected, dropped, raised, closed, alarm, ...
    rule TEXT NOT NULL,                -- what decided: http_404, robots, trap_pattern, hub, stagnation, ...
    detail TEXT NOT NULL               -- URL or words; may be empty
);
CREATE INDEX decisions_by_url ON decisions (url) WHERE url IS NOT NULL;
CREATE INDEX decisions_by_host ON decisions (host) WHERE host IS NOT NULL;

CREATE TABLE categories (               -- leaves of the taxonomy
    path TEXT PRIMARY KEY,
    is_good INTEGER NOT NULL           -- relevant pages are of it, or below one that is
) WITHOUT ROWID;

CREATE TABLE distillations (
    id INTEGER PRIMARY KEY,
    distilled_at REAL NOT NULL,        -- seconds since the epoch
    pages INTEGER NOT NULL,            -- so many were recorded
    links INTEGER NOT NULL,            -- between sites, to an authority
    rho REAL NOT NULL,                 -- relevance above which a page was a candidate authority
    seconds REAL NOT NULL              -- of CPU
);
CREATE TABLE ratings (                 -- of the last distillation; pages with neither score have no row
    page INTEGER PRIMARY KEY,          -- pages.position
    hub REAL NOT NULL,                 -- sum to 1
    authority REAL NOT NULL            -- sum to 1
);

CREATE TABLE revisits (
    id INTEGER PRIMARY KEY,
    page INTEGER NOT NULL,             -- pages.position
    visited_at REAL NOT NULL,          -- seconds since the epoch
    outcome TEXT NOT NULL,             -- unchanged, changed, gone, failed
    relevance REAL,                    -- of a changed page
    run INTEGER                        -- runs.id
);
CREATE INDEX revisits_by_page ON revisits (page);

CREATE TABLE sketches (page INTEGER PRIMARY KEY, minhash BLOB NOT NULL);  -- pages.position
CREATE TABLE sketch_bands (            -- pages that agree in a band may be near-duplicates
    band INTEGER NOT NULL,             -- 64-bit hash of the band's number and values
    page INTEGER NOT NULL,
    PRIMARY KEY (band, page)
) WITHOUT ROWID;

DROP VIEW named_links;
CREATE VIEW named_links AS
    SELECT s.url AS source, number, t.url AS target, anchor, block, score, external
    FROM links JOIN urls AS s ON s.id = links.source JOIN urls AS t ON t.id = links.target;
DROP VIEW named_urls;
CREATE VIEW named_urls AS
    SELECT u.url, states.name AS state, hosts.name AS host, u.tries, u.priority, u.rank, u.depth,
           p.url AS parent, u.retry_at
    FROM urls AS u JOIN states USING (state)
    LEFT JOIN hosts ON hosts.id = u.host LEFT JOIN urls AS p ON p.id = u.parent;
CREATE VIEW named_decisions AS
    SELECT decided_at, urls.url, decisions.host, decision, rule, detail, run
    FROM decisions LEFT JOIN urls ON urls.id = decisions.url;
"""

_WORDS = """
ALTER TABLE pages ADD COLUMN hubness REAL;  -- links to other sites a word; empty: no words, or not known
CREATE TABLE page_texts (
    page INTEGER PRIMARY KEY,          -- pages.position
    text BLOB NOT NULL                 -- zstd of its first 100,000 characters in UTF-8
);
"""

_FLEET = """
ALTER TABLE runs ADD COLUMN worker TEXT;  -- whose run it was; empty: of the only process
"""

RELEASED: tuple[tuple[str, str], ...] = (
    ("0001_crawl", _CRAWL),
    ("0002_hosts", _HOSTS),
    ("0003_strategy", _STRATEGY),
    ("0004_taxonomy", _TAXONOMY),
    ("0005_questions", _QUESTIONS),
    ("0006_words", _WORDS),
    ("0007_fleet", _FLEET),
)
