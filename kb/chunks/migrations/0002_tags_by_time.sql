-- The tags of chunks in small letters, each with its chunk's time, so that the newest of a tag are read in their order: a list of the newest 100 must not read all that have the tag.
ALTER TABLE tags RENAME TO tags_before;
CREATE TABLE tags (
    tag     TEXT NOT NULL,
    updated INTEGER NOT NULL,  -- as in chunks
    n       INTEGER NOT NULL,
    PRIMARY KEY (tag, updated, n)
) STRICT, WITHOUT ROWID;
INSERT INTO tags SELECT t.tag, c.updated, t.n FROM tags_before t JOIN chunks c ON c.n = t.n;
DROP TABLE tags_before;
