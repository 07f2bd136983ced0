CREATE TABLE capsules (
    n             INTEGER PRIMARY KEY AUTOINCREMENT,  -- what the index knows it by; never used again
    id            TEXT NOT NULL UNIQUE,
    kind          TEXT NOT NULL,
    scope         TEXT NOT NULL,
    title         TEXT NOT NULL,
    body          TEXT NOT NULL,
    tags          TEXT NOT NULL,     -- JSON list; capsule_tags is what queries use
    domain_tags   TEXT NOT NULL,     -- JSON list
    source        TEXT NOT NULL,
    confidence    REAL,              -- NULL: not stated
    verified_by   TEXT NOT NULL,
    supersedes    TEXT NOT NULL,     -- JSON list of ids
    superseded_by TEXT NOT NULL,     -- id, or '' while it stands
    refs          TEXT NOT NULL,     -- JSON list
    workspace     TEXT NOT NULL,
    project       TEXT NOT NULL,
    decay_score   REAL NOT NULL,
    created       INTEGER NOT NULL,  -- Unix milliseconds, as all times here
    updated       INTEGER NOT NULL,
    retrieved     INTEGER,
    model         TEXT NOT NULL,     -- of its embedding, '' if it has none; the vector is in the index
    dim           INTEGER NOT NULL
) STRICT;
CREATE INDEX capsules_title ON capsules(title COLLATE NOCASE);
CREATE INDEX capsules_kind ON capsules(kind, n);
CREATE INDEX capsules_scope ON capsules(scope, n);
CREATE INDEX capsules_workspace ON capsules(workspace, n);
CREATE INDEX capsules_project ON capsules(project, n);
CREATE INDEX capsules_without_model ON capsules(n) WHERE model = '';

-- tags and domain tags, the latter with domain = 1
CREATE TABLE capsule_tags (
    tag     TEXT NOT NULL,
    domain  INTEGER NOT NULL,
    capsule INTEGER NOT NULL REFERENCES capsules(n),
    PRIMARY KEY (tag, domain, capsule)
) STRICT, WITHOUT ROWID;

-- how sure a model must be of its best hit before a prompt is answered unasked
CREATE TABLE thresholds (
    model     TEXT PRIMARY KEY,
    dim       INTEGER NOT NULL,
    threshold REAL NOT NULL,
    kept      REAL NOT NULL,  -- share of on-topic prompts at or above it
    rejected  REAL NOT NULL,  -- share of off-topic prompts below it
    measured  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
