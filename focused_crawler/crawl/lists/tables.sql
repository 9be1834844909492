CREATE TABLE crawls (
    id INTEGER PRIMARY KEY,
    identity TEXT NOT NULL UNIQUE,     -- its job and when it began
    job TEXT NOT NULL,
    started REAL NOT NULL,             -- seconds since the epoch
    counted_at REAL NOT NULL,          -- the same
    pages INTEGER NOT NULL,
    relevant INTEGER NOT NULL          -- by its own classifier, copies not counted
);
CREATE TABLE sites (
    crawl INTEGER NOT NULL,            -- crawls.id
    site TEXT NOT NULL,                -- host without www.
    pages INTEGER NOT NULL,
    relevant INTEGER NOT NULL,
    entry TEXT,                        -- URL of the relevant page that led to most relevant pages
    led INTEGER NOT NULL,              -- to so many
    PRIMARY KEY (crawl, site)
) WITHOUT ROWID;
CREATE INDEX sites_by_site ON sites (site, led DESC, crawl DESC);
CREATE TABLE hubs (
    crawl INTEGER NOT NULL,            -- crawls.id
    key INTEGER NOT NULL,              -- identity of the URL: 64-bit hash
    url TEXT NOT NULL,
    relevant INTEGER NOT NULL,         -- distinct relevant pages that it links to
    hosts INTEGER NOT NULL,            -- that these are on
    links INTEGER NOT NULL,            -- on it, followed or not
    hubness REAL,                      -- links to other sites a word; empty: not known
    rating REAL,                       -- as a hub by the distiller; empty: not rated
    PRIMARY KEY (crawl, key)
) WITHOUT ROWID;
CREATE INDEX hubs_by_key ON hubs (key);
CREATE TABLE site_marks (
    site TEXT PRIMARY KEY,
    mark TEXT NOT NULL CHECK (mark IN ('', 'kept', 'banned')),
    note TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE hub_marks (
    key INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    mark TEXT NOT NULL CHECK (mark IN ('', 'kept', 'banned')),
    note TEXT NOT NULL
);
