CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

CREATE TABLE chunks (
    n          INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice: the index knows chunks by it
    id         TEXT NOT NULL UNIQUE,
    topic      TEXT NOT NULL,
    agent      TEXT NOT NULL,
    tags       TEXT NOT NULL,                      -- JSON
    importance TEXT NOT NULL CHECK (importance IN ('low', 'medium', 'high', 'critical')),
    created    INTEGER NOT NULL,                   -- times are milliseconds since 1970, UTC
    updated    INTEGER NOT NULL,
    expires    INTEGER,
    imported   INTEGER NOT NULL CHECK (imported IN (0, 1)),
    model      TEXT NOT NULL,                      -- that it was embedded with; '' if it was not
    content    TEXT NOT NULL                       -- last: lists do not read it
) STRICT;
CREATE INDEX chunks_listed ON chunks (updated, n, expires);
CREATE INDEX chunks_of_agent ON chunks (agent, updated, n, expires);
CREATE INDEX chunks_expiring ON chunks (expires) WHERE expires IS NOT NULL;
CREATE INDEX chunks_not_embedded ON chunks (n) WHERE model = '';

-- the tags of chunks in small letters, for lists
CREATE TABLE tags (
    tag TEXT NOT NULL,
    n   INTEGER NOT NULL,
    PRIMARY KEY (tag, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE state (
    key     TEXT PRIMARY KEY,
    value   TEXT NOT NULL,                         -- JSON
    updated INTEGER NOT NULL
) STRICT;

-- imported chunks that were deleted here: a later import does not bring them back
CREATE TABLE deleted (id TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
