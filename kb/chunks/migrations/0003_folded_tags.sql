-- The tags in small letters stand in the chunk's row, each between two separators, and lists read them from an index.
ALTER TABLE chunks ADD COLUMN folded TEXT NOT NULL DEFAULT '';
UPDATE chunks SET folded = char(31) || (SELECT group_concat(replace(t.tag, char(31), ' '), char(31)) FROM tags t WHERE t.n = chunks.n) || char(31)
    WHERE n IN (SELECT n FROM tags);
DROP TABLE tags;
CREATE INDEX chunks_tagged ON chunks (updated, n, expires, agent, folded) WHERE folded <> '';
