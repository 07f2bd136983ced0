-- Primary tables.

CREATE TABLE run (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    name     TEXT NOT NULL,
    goal     TEXT NOT NULL,
    created  INTEGER NOT NULL  -- Unix milliseconds, as all times here
) STRICT;

CREATE TABLE entries (
    id           INTEGER PRIMARY KEY,  -- e<id>; rows are never deleted, so ids are never reused
    seq          INTEGER NOT NULL,     -- the event that posted it
    created      INTEGER NOT NULL,
    type         TEXT NOT NULL,
    status       TEXT NOT NULL,
    content      TEXT NOT NULL,
    source_doc   TEXT NOT NULL,
    source_ref   TEXT NOT NULL,
    evidence     TEXT NOT NULL,
    confidence   REAL,                 -- NULL: not stated
    worker       TEXT NOT NULL,
    tags         TEXT NOT NULL,        -- JSON list; entry_tags is what queries use
    must_surface INTEGER NOT NULL,
    key          TEXT,
    external_id  TEXT
) STRICT;
CREATE UNIQUE INDEX entries_key ON entries(key) WHERE key IS NOT NULL;
CREATE INDEX entries_type ON entries(type);
CREATE INDEX entries_worker ON entries(worker);
CREATE INDEX entries_external ON entries(external_id) WHERE external_id IS NOT NULL;
CREATE INDEX entries_unsettled ON entries(status) WHERE status <> 'active';
CREATE INDEX entries_must ON entries(id) WHERE must_surface = 1;
CREATE INDEX entries_unsourced ON entries(id)
    WHERE must_surface = 1 AND status <> 'superseded' AND source_doc = '' AND source_ref = '';

CREATE TABLE entry_tags (
    tag   TEXT NOT NULL,
    entry INTEGER NOT NULL REFERENCES entries(id),
    PRIMARY KEY (tag, entry)
) STRICT, WITHOUT ROWID;

CREATE TABLE links (
    src  INTEGER NOT NULL REFERENCES entries(id),
    kind TEXT NOT NULL,     -- supports, contradicts, supersedes: dst is an entry; addresses: dst is a signal
    pos  INTEGER NOT NULL,  -- order in which the source named them
    dst  INTEGER NOT NULL,
    PRIMARY KEY (src, kind, pos)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX links_dst ON links(dst, kind, src);

CREATE TABLE signals (
    id           INTEGER PRIMARY KEY,  -- s<id>
    seq          INTEGER NOT NULL,
    created      INTEGER NOT NULL,
    content      TEXT NOT NULL,
    priority     INTEGER NOT NULL,     -- 0 critical, 1 high, 2 medium, 3 low: sorts as one works
    status       TEXT NOT NULL,
    worker       TEXT NOT NULL,        -- who raised it
    origin       INTEGER,              -- the entry it arose from
    addressed_by INTEGER,
    reason       TEXT NOT NULL,        -- why it was waived
    closed_by    TEXT NOT NULL,        -- who addressed or waived it
    closed       INTEGER,
    claimed_by   TEXT NOT NULL,
    lease_until  INTEGER,
    key          TEXT,
    external_id  TEXT
) STRICT;
CREATE UNIQUE INDEX signals_key ON signals(key) WHERE key IS NOT NULL;
CREATE INDEX signals_status ON signals(status, priority);
CREATE INDEX signals_origin ON signals(origin) WHERE origin IS NOT NULL;
CREATE INDEX signals_external ON signals(external_id) WHERE external_id IS NOT NULL;

CREATE TABLE variables (
    key     TEXT PRIMARY KEY,
    value   TEXT NOT NULL,     -- JSON
    version INTEGER NOT NULL,  -- rises with every change, also across a delete
    deleted INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    worker  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The append-only log. It alone can rebuild the tables above.
CREATE TABLE events (
    seq     INTEGER PRIMARY KEY,
    at      INTEGER NOT NULL,
    actor   TEXT NOT NULL,
    verb    TEXT NOT NULL,
    id      TEXT NOT NULL,  -- e12, s3, or a variable's key
    payload TEXT NOT NULL   -- JSON
) STRICT;
CREATE INDEX events_id ON events(id);
CREATE TRIGGER events_no_update BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'events are append-only'); END;

-- Derived: running counts, so that state and gate never scan. Triggers, so that no writer can forget them.
CREATE TABLE counts (
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    n    INTEGER NOT NULL,
    last INTEGER NOT NULL,  -- newest seq that touched it
    PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER entries_count_insert AFTER INSERT ON entries BEGIN
    INSERT INTO counts VALUES ('type', new.type, 1, new.seq), ('status', new.status, 1, new.seq), ('worker', new.worker, 1, new.seq)
        ON CONFLICT DO UPDATE SET n = n + 1, last = excluded.last;
    INSERT INTO counts SELECT 'must_surface', new.status, 1, new.seq WHERE new.must_surface = 1
        ON CONFLICT DO UPDATE SET n = n + 1, last = excluded.last;
END;
CREATE TRIGGER entries_count_update AFTER UPDATE OF status ON entries WHEN old.status <> new.status BEGIN
    UPDATE counts SET n = n - 1 WHERE (kind = 'status' AND name = old.status) OR (kind = 'must_surface' AND new.must_surface = 1 AND name = old.status);
    INSERT INTO counts VALUES ('status', new.status, 1, 0) ON CONFLICT DO UPDATE SET n = n + 1;
    INSERT INTO counts SELECT 'must_surface', new.status, 1, 0 WHERE new.must_surface = 1 ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER signals_count_insert AFTER INSERT ON signals BEGIN
    INSERT INTO counts VALUES ('signal', new.status || ' ' || new.priority, 1, new.seq)
        ON CONFLICT DO UPDATE SET n = n + 1, last = excluded.last;
END;
CREATE TRIGGER signals_count_update AFTER UPDATE OF status ON signals WHEN old.status <> new.status BEGIN
    UPDATE counts SET n = n - 1 WHERE kind = 'signal' AND name = old.status || ' ' || old.priority;
    INSERT INTO counts VALUES ('signal', new.status || ' ' || new.priority, 1, 0) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER links_count_insert AFTER INSERT ON links BEGIN
    INSERT INTO counts VALUES ('link', new.kind, 1, 0) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER events_count_insert AFTER INSERT ON events BEGIN
    INSERT INTO counts VALUES ('actor', new.actor, 1, new.seq) ON CONFLICT DO UPDATE SET n = n + 1, last = excluded.last;
END;

-- Derived: full text over entries (external content: the text itself is stored once).
CREATE VIRTUAL TABLE entries_fts USING fts5(
    content, evidence, source_doc, source_ref, tags,
    content = 'entries', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TRIGGER entries_fts_insert AFTER INSERT ON entries BEGIN
    INSERT INTO entries_fts(rowid, content, evidence, source_doc, source_ref, tags)
        VALUES (new.id, new.content, new.evidence, new.source_doc, new.source_ref, new.tags);
END;
