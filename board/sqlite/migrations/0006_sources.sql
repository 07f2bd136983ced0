-- The tables may be there: a version that was set back is migrated again.

-- What the run reads. The extracted text of a source, if it is kept, is in its event.
CREATE TABLE IF NOT EXISTS sources (
    name   TEXT PRIMARY KEY,
    seq    INTEGER NOT NULL,  -- the event that registered it
    at     INTEGER NOT NULL,
    worker TEXT NOT NULL,
    path   TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    size   INTEGER NOT NULL,
    text   INTEGER NOT NULL   -- 1: the event has its text
) STRICT, WITHOUT ROWID;

-- The last verdict on each entry that was held against its source.
CREATE TABLE IF NOT EXISTS verifications (
    entry   INTEGER PRIMARY KEY REFERENCES entries(id),
    seq     INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    worker  TEXT NOT NULL,
    verdict TEXT NOT NULL,
    source  TEXT NOT NULL,    -- a registered name, or a path
    sha256  TEXT NOT NULL,    -- of the source's file
    place   TEXT NOT NULL,
    note    TEXT NOT NULL
) STRICT;
