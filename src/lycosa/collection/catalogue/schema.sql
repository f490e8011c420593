-- The tables of catalogue.db, but for the frontier's, which live in the same file.
-- A change of this file needs a new VERSION in schema.py. Times are seconds since the epoch.

-- Short texts that repeat on thousands of rows; rows refer to them by number.
CREATE TABLE rules (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE reasons (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);  -- names of Reason
CREATE TABLE warcs (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);  -- file names in archive/

-- Every response, in the order of its first commit. `link` is the Link as taken from the frontier (MessagePack),
-- because learning is replayed from it. `date_source` names what gives the date; `doubtful_date` is a day that the page
-- speaks of, kept apart from `date`.
CREATE TABLE pages (
    id INTEGER PRIMARY KEY,
    key INTEGER NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    url TEXT NOT NULL,
    source TEXT NOT NULL,
    authority TEXT NOT NULL,
    status INTEGER NOT NULL,
    content_type TEXT NOT NULL,
    title TEXT NOT NULL,
    language TEXT NOT NULL,
    date TEXT NOT NULL,
    words INTEGER NOT NULL,
    canonical TEXT NOT NULL,
    depth INTEGER NOT NULL,
    trail INTEGER NOT NULL,
    explored INTEGER NOT NULL,
    parent INTEGER NOT NULL,
    relevant INTEGER,
    score REAL,
    rule INTEGER,
    refusal INTEGER,
    detail TEXT,
    simhash INTEGER NOT NULL,
    near_duplicate_of INTEGER NOT NULL,
    at REAL NOT NULL,
    elapsed_s REAL NOT NULL,
    bytes INTEGER NOT NULL,
    digest BLOB NOT NULL,
    warc INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    link BLOB NOT NULL,
    sketch BLOB NOT NULL DEFAULT x'',
    date_source TEXT NOT NULL DEFAULT '',
    doubtful_date TEXT NOT NULL DEFAULT ''
);

-- `rendered`: length of the record after this one, which holds the document a browser made of the page.
CREATE TABLE captures (
    page INTEGER NOT NULL,
    warc INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    length INTEGER NOT NULL,
    at REAL NOT NULL,
    status INTEGER NOT NULL,
    digest BLOB NOT NULL,
    revisit INTEGER NOT NULL,
    rendered INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (page, warc, offset)
) WITHOUT ROWID;
CREATE INDEX bodies ON captures (digest) WHERE status = 200;

-- About ninety rows a page: appended in key order, no other index. `url` only of refused links: the frontier has the others.
CREATE TABLE links (
    page INTEGER NOT NULL,
    position INTEGER NOT NULL,
    target INTEGER NOT NULL,
    anchor TEXT NOT NULL,
    priority REAL,
    rule INTEGER NOT NULL,
    refusal INTEGER,
    detail TEXT,
    hold TEXT,
    url TEXT,
    PRIMARY KEY (page, position)
) WITHOUT ROWID;

CREATE TABLE evidence (
    page INTEGER NOT NULL,
    name TEXT NOT NULL,
    value REAL,
    label TEXT NOT NULL,
    kind TEXT NOT NULL DEFAULT 'score',
    words INTEGER NOT NULL DEFAULT 0,
    data TEXT,  -- JSON
    PRIMARY KEY (page, name)
) WITHOUT ROWID;

-- `numbers`: one little-endian double for each link, in their order: a score, the number of a class (in `classes`, a JSON
-- list) or the position of another link.
CREATE TABLE link_evidence (
    page INTEGER NOT NULL,
    name TEXT NOT NULL,
    numbers BLOB NOT NULL,
    kind TEXT NOT NULL DEFAULT 'scores',
    classes TEXT,
    PRIMARY KEY (page, name)
) WITHOUT ROWID;

-- The last attempt of each URL that has no response.
CREATE TABLE outcomes (
    key INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    parent INTEGER NOT NULL,
    reason INTEGER NOT NULL,
    detail TEXT NOT NULL,
    at REAL NOT NULL,
    attempts INTEGER NOT NULL,
    again INTEGER NOT NULL
);

-- Refused links by reason: counting the rows of `links` would read all of them.
CREATE TABLE refused_links (reason INTEGER PRIMARY KEY, links INTEGER NOT NULL);

CREATE TABLE robots (
    authority TEXT PRIMARY KEY,
    text BLOB NOT NULL,
    status INTEGER NOT NULL,
    fetched_at REAL NOT NULL
) WITHOUT ROWID;

-- `ended` moves with every commit, so that a killed run has its hours too.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    started REAL NOT NULL,
    ended REAL NOT NULL,
    pages INTEGER NOT NULL,
    reason TEXT
);

CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE texts USING fts5(title, body, tokenize = 'unicode61 remove_diacritics 2');

CREATE TABLE places (
    page INTEGER NOT NULL,
    name TEXT NOT NULL,
    canonical TEXT NOT NULL,
    kind TEXT NOT NULL,
    lat REAL,
    lon REAL,
    country TEXT NOT NULL,
    state TEXT NOT NULL,
    count INTEGER NOT NULL
);
CREATE INDEX places_of_page ON places (page);
CREATE INDEX pages_of_place ON places (canonical);

CREATE TABLE entities (
    page INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    count INTEGER NOT NULL
);
CREATE INDEX entities_of_page ON entities (page);
CREATE INDEX pages_of_entity ON entities (name);

-- Counts by term, as MessagePack and zstd: the judge is fitted on them, so that no page is parsed twice.
CREATE TABLE terms (page INTEGER PRIMARY KEY, counts BLOB NOT NULL);

-- What a page taught when it was first judged (link, judgement, evidence), if a later capture was judged differently.
CREATE TABLE lessons (page INTEGER PRIMARY KEY, lesson BLOB NOT NULL);
