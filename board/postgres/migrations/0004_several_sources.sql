-- A finding may rest on several sources: all of them, the first one as in the columns of before, and
-- the verdict on each. [] where there is but one.
ALTER TABLE all_entries ADD COLUMN sources TEXT COLLATE "C" NOT NULL DEFAULT '[]';
CREATE OR REPLACE VIEW entries AS SELECT id, seq, created, type, status, content, source_doc, source_ref, evidence, confidence, worker, tags,
    must_surface, key, external_id, sources FROM all_entries WHERE run = current_setting('board.run')::bigint;
ALTER TABLE all_verifications ADD COLUMN parts TEXT COLLATE "C" NOT NULL DEFAULT '[]';
CREATE OR REPLACE VIEW verifications AS SELECT entry, seq, at, worker, verdict, source, sha256, place, note, parts FROM all_verifications
    WHERE run = current_setting('board.run')::bigint;
