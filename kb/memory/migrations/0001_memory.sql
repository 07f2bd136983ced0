-- One file holds the account tier, or the conversation, channel and workspace tiers of one workspace.

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

CREATE TABLE channels (
    name        TEXT PRIMARY KEY,
    description TEXT NOT NULL,
    is_default  INTEGER NOT NULL CHECK (is_default IN (0, 1)),
    created     INTEGER NOT NULL
) STRICT;

CREATE TABLE conversations (
    ref      TEXT PRIMARY KEY,                       -- 11 base62 characters
    channel  TEXT NOT NULL REFERENCES channels (name),
    thread   TEXT NOT NULL,                          -- what the harness calls it; '' if it has no name for it
    agent    TEXT NOT NULL,                          -- who began it
    status   TEXT NOT NULL CHECK (status IN ('active', 'idle', 'archived')),
    started  INTEGER NOT NULL,
    ended    INTEGER,
    archived INTEGER
) STRICT;
CREATE UNIQUE INDEX conversations_thread ON conversations (thread) WHERE thread <> '';
CREATE INDEX conversations_started ON conversations (started);

CREATE TABLE items (
    n            INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice: the index knows items by it
    id           TEXT NOT NULL UNIQUE,
    tier         TEXT NOT NULL CHECK (tier IN ('conversation', 'channel', 'workspace', 'account')),
    channel      TEXT NOT NULL,                      -- of the channel tier
    conversation TEXT NOT NULL,                      -- of the conversation tier; elsewhere the one that it came from
    agent        TEXT NOT NULL,                      -- whose it is alone; '' if it is everybody's
    title        TEXT NOT NULL,
    content      TEXT NOT NULL,
    curator      TEXT NOT NULL CHECK (curator IN ('agent', 'author', 'import')),
    source       TEXT NOT NULL,
    importance   REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
    lifetime     TEXT NOT NULL CHECK (lifetime IN ('long_term', 'short_term', 'conversation')),
    tags         TEXT NOT NULL,                      -- JSON
    accesses     INTEGER NOT NULL,
    created      INTEGER NOT NULL,                   -- times are milliseconds since 1970, UTC
    updated      INTEGER NOT NULL,
    accessed     INTEGER NOT NULL,
    expires      INTEGER,
    derived_from TEXT NOT NULL,
    revision     INTEGER NOT NULL,
    forgotten    INTEGER,
    rule         TEXT NOT NULL,                      -- by which it was forgotten
    why          TEXT NOT NULL,                      -- what whoever forgot it said
    replaced_by  TEXT NOT NULL,
    text_hash    BLOB NOT NULL,
    model        TEXT NOT NULL,
    dim          INTEGER NOT NULL,
    CHECK ((tier = 'channel') = (channel <> '')),
    CHECK (tier <> 'conversation' OR conversation <> ''),
    CHECK ((forgotten IS NULL) = (rule = ''))
) STRICT;
-- What a scope holds, with all that its order hangs on; and what says the same.
CREATE INDEX items_live ON items (tier, channel, conversation, agent, importance, accesses, accessed, expires) WHERE forgotten IS NULL;
CREATE INDEX items_same ON items (text_hash) WHERE forgotten IS NULL;
CREATE INDEX items_model ON items (model) WHERE forgotten IS NULL;
CREATE INDEX items_replaced ON items (replaced_by) WHERE replaced_by <> '';

-- What an item or a named entry said before it was changed.
CREATE TABLE revisions (
    subject  TEXT NOT NULL,                          -- an item's id, or named:NAME
    revision INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    actor    TEXT NOT NULL,
    before   TEXT NOT NULL,                          -- JSON
    PRIMARY KEY (subject, revision)
) STRICT, WITHOUT ROWID;

CREATE TABLE named (
    name     TEXT PRIMARY KEY COLLATE NOCASE,
    body     TEXT NOT NULL,
    curator  TEXT NOT NULL,
    revision INTEGER NOT NULL,
    created  INTEGER NOT NULL,
    updated  INTEGER NOT NULL
) STRICT;

-- The journals and core memories of agents.
CREATE TABLE notes (
    n         INTEGER PRIMARY KEY AUTOINCREMENT,
    id        TEXT NOT NULL UNIQUE,
    agent     TEXT NOT NULL CHECK (agent <> ''),
    kind      TEXT NOT NULL CHECK (kind IN ('journal', 'core')),
    content   TEXT NOT NULL,
    created   INTEGER NOT NULL,
    forgotten INTEGER
) STRICT;
CREATE INDEX notes_agent ON notes (agent, created);

CREATE TABLE scratch (
    conversation TEXT NOT NULL REFERENCES conversations (ref) ON DELETE CASCADE,
    agent        TEXT NOT NULL,                      -- whose working notes they are
    key          TEXT NOT NULL,
    value        TEXT NOT NULL,                      -- JSON
    created      INTEGER NOT NULL,
    updated      INTEGER NOT NULL,
    PRIMARY KEY (conversation, agent, key)
) STRICT, WITHOUT ROWID;

-- Everything that was done. It holds no content, so that what is scrubbed is gone, and is itself never changed.
CREATE TABLE events (
    n       INTEGER PRIMARY KEY AUTOINCREMENT,
    at      INTEGER NOT NULL,
    actor   TEXT NOT NULL,
    agent   TEXT NOT NULL,                           -- whose alone it was done to; '' if it was everybody's
    verb    TEXT NOT NULL,
    scope   TEXT NOT NULL,
    subject TEXT NOT NULL,
    other   TEXT NOT NULL,
    why     TEXT NOT NULL,
    data    TEXT NOT NULL                            -- JSON, '' for none
) STRICT;
CREATE INDEX events_subject ON events (subject);
CREATE TRIGGER events_are_new BEFORE INSERT ON events WHEN EXISTS (SELECT 1 FROM events WHERE n = NEW.n) BEGIN SELECT raise(ABORT, 'events are never replaced'); END;
CREATE TRIGGER events_stay BEFORE DELETE ON events BEGIN SELECT raise(ABORT, 'events are never removed'); END;
CREATE TRIGGER events_as_they_are BEFORE UPDATE ON events BEGIN SELECT raise(ABORT, 'events are never changed'); END;

-- How far consolidation has come in each scope.
CREATE TABLE consolidated (
    scope TEXT PRIMARY KEY,
    at    INTEGER NOT NULL,
    upto  INTEGER NOT NULL                           -- items up to this number and changed before have been compared
) STRICT;
