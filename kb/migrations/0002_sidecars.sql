ALTER TABLE capsules ADD COLUMN retired INTEGER;                           -- since when it is out of searches; NULL: it stands
ALTER TABLE capsules ADD COLUMN retired_why TEXT NOT NULL DEFAULT '';
ALTER TABLE capsules ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE capsules ADD COLUMN ingest_file TEXT NOT NULL DEFAULT '';      -- the document that it is a part of, '' if it is none's
ALTER TABLE capsules ADD COLUMN ingest_sha TEXT NOT NULL DEFAULT '';       -- of the document, SHA-256 in hex
ALTER TABLE capsules ADD COLUMN ingest_part INTEGER NOT NULL DEFAULT 0;    -- from 1
ALTER TABLE capsules ADD COLUMN ingest_of INTEGER NOT NULL DEFAULT 0;
CREATE INDEX capsules_ingest ON capsules(ingest_file) WHERE ingest_file <> '';
CREATE INDEX capsules_superseded_by ON capsules(superseded_by) WHERE superseded_by <> '';

-- the sidecars as they were when their capsules were last read from them or written to them
CREATE TABLE sidecars (
    id      TEXT PRIMARY KEY,
    size    INTEGER NOT NULL,  -- bytes; -1: it was removed by hand, and the capsule retired for it
    mtime   INTEGER NOT NULL,  -- Unix nanoseconds
    checked INTEGER NOT NULL,  -- when, Unix nanoseconds: a file as young as that may have changed without showing it
    hash    BLOB NOT NULL      -- SHA-256
) STRICT, WITHOUT ROWID;

-- everything that was ever done to a capsule; never changed, never rebuilt
CREATE TABLE events (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    at       INTEGER NOT NULL,
    actor    TEXT NOT NULL,
    verb     TEXT NOT NULL,
    capsule  TEXT NOT NULL,
    revision INTEGER NOT NULL,  -- that it made
    other    TEXT NOT NULL,     -- the other capsule, where there is one
    why      TEXT NOT NULL,
    before   TEXT NOT NULL      -- the capsule before it, as JSON; '' for its first
) STRICT;
CREATE INDEX events_capsule ON events(capsule, seq);

-- what curation may not decide again: two capsules that both stand
CREATE TABLE decisions (
    a        TEXT NOT NULL,  -- a < b
    b        TEXT NOT NULL,
    decision TEXT NOT NULL,
    why      TEXT NOT NULL,
    actor    TEXT NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (a, b)
) STRICT, WITHOUT ROWID;

-- documents that were cut into capsules
CREATE TABLE ingested (
    file    TEXT PRIMARY KEY,
    sha256  TEXT NOT NULL,
    parts   INTEGER NOT NULL,
    refused INTEGER NOT NULL,  -- sections that were not taken in
    at      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- figures of the upkeep
CREATE TABLE upkeep (
    what  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX capsules_decayed ON capsules(n, decay_score) WHERE decay_score > 0;
