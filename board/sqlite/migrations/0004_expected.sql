-- Workers whose work the run waits for, and what became of each. The log alone can rebuild it.
CREATE TABLE IF NOT EXISTS expected (
    worker     TEXT PRIMARY KEY,
    seq        INTEGER NOT NULL,  -- the event that named the worker first: they are listed so
    status     TEXT NOT NULL,     -- expected, done, dropped
    changed    INTEGER NOT NULL,
    changed_by TEXT NOT NULL,
    reason     TEXT NOT NULL      -- why it was dropped
) STRICT, WITHOUT ROWID;

-- Superseded entries that had to surface, and whose successor need not: who dropped that duty, and why.
CREATE TABLE IF NOT EXISTS dropped_duties (
    entry     INTEGER NOT NULL REFERENCES entries(id),
    successor INTEGER NOT NULL REFERENCES entries(id),
    seq       INTEGER NOT NULL,
    worker    TEXT NOT NULL,
    reason    TEXT NOT NULL,
    PRIMARY KEY (entry, successor)
) STRICT, WITHOUT ROWID;

-- An entry takes over the duty of one that it supersedes by a later link.
CREATE TRIGGER IF NOT EXISTS entries_count_duty AFTER UPDATE OF must_surface ON entries WHEN old.must_surface = 0 AND new.must_surface = 1 BEGIN
    INSERT INTO counts VALUES ('must_surface', new.status, 1, 0) ON CONFLICT DO UPDATE SET n = n + 1;
END;
