-- A finding may rest on several sources: all of them, the first one as in the columns of before, and
-- the verdict on each. [] where there is but one.
ALTER TABLE entries ADD COLUMN sources TEXT NOT NULL DEFAULT '[]';
ALTER TABLE verifications ADD COLUMN parts TEXT NOT NULL DEFAULT '[]';

-- A quote of any source is found by its words.
DROP TRIGGER IF EXISTS entries_fts_insert;
CREATE TRIGGER entries_fts_insert AFTER INSERT ON entries BEGIN
    INSERT INTO entries_fts(rowid, content, evidence, source_doc, source_ref, tags)
        VALUES (new.id, new.content, CASE new.sources WHEN '[]' THEN new.evidence ELSE
            (SELECT group_concat(json_extract(value, '$.evidence'), ' ') FROM json_each(new.sources)) END,
            CASE new.sources WHEN '[]' THEN new.source_doc ELSE
            (SELECT group_concat(json_extract(value, '$.source_doc'), ' ') FROM json_each(new.sources)) END,
            new.source_ref, new.tags);
END;
