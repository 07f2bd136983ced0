-- Pairs of entries that seemed to contradict each other, and somebody said that both hold, or why one does not count.
CREATE TABLE IF NOT EXISTS settlements (
    a      INTEGER NOT NULL REFERENCES entries(id),  -- the older one
    b      INTEGER NOT NULL REFERENCES entries(id),
    seq    INTEGER NOT NULL,                         -- the event that settled it
    at     INTEGER NOT NULL,
    worker TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (a, b)
) STRICT, WITHOUT ROWID;
