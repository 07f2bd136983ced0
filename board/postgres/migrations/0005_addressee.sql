-- A question may be for one worker, or for whoever has a tag; '': for anybody.
ALTER TABLE all_signals ADD COLUMN addressee TEXT COLLATE "C" NOT NULL DEFAULT '';
CREATE OR REPLACE VIEW signals AS SELECT id, seq, created, content, priority, status, worker, origin, addressed_by, reason, closed_by, closed,
    claimed_by, lease_until, key, external_id, addressee FROM all_signals WHERE run = current_setting('board.run')::bigint;
