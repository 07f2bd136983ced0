-- The tables of all runs, each with the number of its run, and for each a view of the run that board.run names. The views have the names and
-- the columns that the statements of package board use; the migrations of package board say what the columns mean.
-- Text sorts by its bytes, as it does in SQLite.

CREATE TABLE runs (
    run  BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL UNIQUE
);

CREATE TABLE all_run (
    run     BIGINT PRIMARY KEY DEFAULT current_setting('board.run')::bigint,
    one     BIGINT NOT NULL CHECK (one = 1),
    name    TEXT COLLATE "C" NOT NULL,
    goal    TEXT COLLATE "C" NOT NULL,
    created BIGINT NOT NULL
);

CREATE TABLE all_entries (
    run          BIGINT NOT NULL DEFAULT current_setting('board.run')::bigint,
    id           BIGINT NOT NULL,
    seq          BIGINT NOT NULL,
    created      BIGINT NOT NULL,
    type         TEXT COLLATE "C" NOT NULL,
    status       TEXT COLLATE "C" NOT NULL,
    content      TEXT COLLATE "C" NOT NULL,
    source_doc   TEXT COLLATE "C" NOT NULL,
    source_ref   TEXT COLLATE "C" NOT NULL,
    evidence     TEXT COLLATE "C" NOT NULL,
    confidence   DOUBLE PRECISION,
    worker       TEXT COLLATE "C" NOT NULL,
    tags         TEXT COLLATE "C" NOT NULL,
    must_surface BIGINT NOT NULL,
    key          TEXT COLLATE "C",
    external_id  TEXT COLLATE "C",
    PRIMARY KEY (run, id)
);
CREATE UNIQUE INDEX entries_key ON all_entries (run, key) WHERE key IS NOT NULL;
CREATE INDEX entries_type ON all_entries (run, type, id);
CREATE INDEX entries_worker ON all_entries (run, worker, id);
CREATE INDEX entries_external ON all_entries (run, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX entries_unsettled ON all_entries (run, status, id) WHERE status <> 'active';
CREATE INDEX entries_must ON all_entries (run, id) WHERE must_surface = 1;
CREATE INDEX entries_unsourced ON all_entries (run, id)
    WHERE must_surface = 1 AND status <> 'superseded' AND source_doc = '' AND source_ref = '';

CREATE TABLE all_entry_tags (
    run   BIGINT NOT NULL DEFAULT current_setting('board.run')::bigint,
    tag   TEXT COLLATE "C" NOT NULL,
    entry BIGINT NOT NULL,
    PRIMARY KEY (run, tag, entry),
    FOREIGN KEY (run, entry) REFERENCES all_entries
);

CREATE TABLE all_links (
    run  BIGINT NOT NULL DEFAULT current_setting('board.run')::bigint,
    src  BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    pos  BIGINT NOT NULL,
    dst  BIGINT NOT NULL,
    PRIMARY KEY (run, src, kind, pos),
    FOREIGN KEY (run, src) REFERENCES all_entries
);
CREATE UNIQUE INDEX links_dst ON all_links (run, dst, kind, src);

CREATE TABLE all_signals (
    run          BIGINT NOT NULL DEFAULT current_setting('board.run')::bigint,
    id           BIGINT NOT NULL,
    seq          BIGINT NOT NULL,
    created      BIGINT NOT NULL,
    content      TEXT COLLATE "C" NOT NULL,
    priority     BIGINT NOT NULL,
    status       TEXT COLLATE "C" NOT NULL,
    worker       TEXT COLLATE "C" NOT NULL,
    origin       BIGINT,
    addressed_by BIGINT,
    reason       TEXT COLLATE "C" NOT NULL,
    closed_by    TEXT COLLATE "C" NOT NULL,
    closed       BIGINT,
    claimed_by   TEXT COLLATE "C" NOT NULL,
    lease_until  BIGINT,
    key          TEXT COLLATE "C",
    external_id  TEXT COLLATE "C",
    PRIMARY KEY (run, id)
);
CREATE UNIQUE INDEX signals_key ON all_signals (run, key) WHERE key IS NOT NULL;
CREATE INDEX signals_status ON all_signals (run, status, priority, id);
CREATE INDEX signals_origin ON all_signals (run, origin) WHERE origin IS NOT NULL;
CREATE INDEX signals_external ON all_signals (run, external_id) WHERE external_id IS NOT NULL;

CREATE TABLE all_variables (
    run     BIGINT NOT NULL DEFAULT current_setting('board.run')::bigint,
    key     TEXT COLLATE "C" NOT NULL,
    value   TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    deleted BIGINT NOT NULL,
    updated BIGINT NOT NULL,
    worker  TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (run, key)
);

-- token is that of the transaction: who does not know whether it was committed, looks for it.
CREATE TABLE all_events (
    run     BIGINT NOT NULL DEFAULT current_setting('board.run')::bigint,
    seq     BIGINT NOT NULL,
    at      BIGINT NOT NULL,
    actor   TEXT COLLATE "C" NOT NULL,
    verb    TEXT COLLATE "C" NOT NULL,
    id      TEXT COLLATE "C" NOT NULL,
    payload TEXT COLLATE "C" NOT NULL,
    token   BIGINT NOT NULL DEFAULT current_setting('board.token')::bigint,
    PRIMARY KEY (run, seq)
);
CREATE INDEX events_id ON all_events (run, id, seq);

CREATE TABLE all_expected (
    run        BIGINT NOT NULL DEFAULT current_setting('board.run')::bigint,
    worker     TEXT COLLATE "C" NOT NULL,
    seq        BIGINT NOT NULL,
    status     TEXT COLLATE "C" NOT NULL,
    changed    BIGINT NOT NULL,
    changed_by TEXT COLLATE "C" NOT NULL,
    reason     TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (run, worker)
);

CREATE TABLE all_dropped_duties (
    run       BIGINT NOT NULL DEFAULT current_setting('board.run')::bigint,
    entry     BIGINT NOT NULL,
    successor BIGINT NOT NULL,
    seq       BIGINT NOT NULL,
    worker    TEXT COLLATE "C" NOT NULL,
    reason    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (run, entry, successor),
    FOREIGN KEY (run, entry) REFERENCES all_entries,
    FOREIGN KEY (run, successor) REFERENCES all_entries
);

CREATE TABLE all_settlements (
    run    BIGINT NOT NULL DEFAULT current_setting('board.run')::bigint,
    a      BIGINT NOT NULL,
    b      BIGINT NOT NULL,
    seq    BIGINT NOT NULL,
    at     BIGINT NOT NULL,
    worker TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (run, a, b),
    FOREIGN KEY (run, a) REFERENCES all_entries,
    FOREIGN KEY (run, b) REFERENCES all_entries
);

CREATE TABLE all_sources (
    run    BIGINT NOT NULL DEFAULT current_setting('board.run')::bigint,
    name   TEXT COLLATE "C" NOT NULL,
    seq    BIGINT NOT NULL,
    at     BIGINT NOT NULL,
    worker TEXT COLLATE "C" NOT NULL,
    path   TEXT COLLATE "C" NOT NULL,
    sha256 TEXT COLLATE "C" NOT NULL,
    size   BIGINT NOT NULL,
    text   BIGINT NOT NULL,
    PRIMARY KEY (run, name)
);

CREATE TABLE all_verifications (
    run     BIGINT NOT NULL DEFAULT current_setting('board.run')::bigint,
    entry   BIGINT NOT NULL,
    seq     BIGINT NOT NULL,
    at      BIGINT NOT NULL,
    worker  TEXT COLLATE "C" NOT NULL,
    verdict TEXT COLLATE "C" NOT NULL,
    source  TEXT COLLATE "C" NOT NULL,
    sha256  TEXT COLLATE "C" NOT NULL,
    place   TEXT COLLATE "C" NOT NULL,
    note    TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (run, entry),
    FOREIGN KEY (run, entry) REFERENCES all_entries
);

-- Derived: running counts. Room is left in each page for the next version of a row.
CREATE TABLE all_counts (
    run  BIGINT NOT NULL DEFAULT current_setting('board.run')::bigint,
    kind TEXT COLLATE "C" NOT NULL,
    name TEXT COLLATE "C" NOT NULL,
    n    BIGINT NOT NULL,
    last BIGINT NOT NULL,
    PRIMARY KEY (run, kind, name)
) WITH (fillfactor = 50);

CREATE VIEW run AS SELECT one, name, goal, created FROM all_run WHERE run = current_setting('board.run')::bigint;
CREATE VIEW entries AS SELECT id, seq, created, type, status, content, source_doc, source_ref, evidence, confidence, worker, tags, must_surface,
    key, external_id FROM all_entries WHERE run = current_setting('board.run')::bigint;
CREATE VIEW entry_tags AS SELECT tag, entry FROM all_entry_tags WHERE run = current_setting('board.run')::bigint;
CREATE VIEW links AS SELECT src, kind, pos, dst FROM all_links WHERE run = current_setting('board.run')::bigint;
CREATE VIEW signals AS SELECT id, seq, created, content, priority, status, worker, origin, addressed_by, reason, closed_by, closed, claimed_by,
    lease_until, key, external_id FROM all_signals WHERE run = current_setting('board.run')::bigint;
CREATE VIEW variables AS SELECT key, value, version, deleted, updated, worker FROM all_variables WHERE run = current_setting('board.run')::bigint;
CREATE VIEW events AS SELECT seq, at, actor, verb, id, payload FROM all_events WHERE run = current_setting('board.run')::bigint;
CREATE VIEW expected AS SELECT worker, seq, status, changed, changed_by, reason FROM all_expected WHERE run = current_setting('board.run')::bigint;
CREATE VIEW dropped_duties AS SELECT entry, successor, seq, worker, reason FROM all_dropped_duties
    WHERE run = current_setting('board.run')::bigint;
CREATE VIEW settlements AS SELECT a, b, seq, at, worker, reason FROM all_settlements WHERE run = current_setting('board.run')::bigint;
CREATE VIEW sources AS SELECT name, seq, at, worker, path, sha256, size, text FROM all_sources WHERE run = current_setting('board.run')::bigint;
CREATE VIEW verifications AS SELECT entry, seq, at, worker, verdict, source, sha256, place, note FROM all_verifications
    WHERE run = current_setting('board.run')::bigint;
CREATE VIEW counts AS SELECT kind, name, n, last FROM all_counts WHERE run = current_setting('board.run')::bigint;

-- The log is append-only, but for runs that are dropped as a whole.
CREATE FUNCTION events_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND old.run::text = current_setting('board.dropped', true) THEN
        RETURN old;
    END IF;
    RAISE EXCEPTION 'events are append-only';
END $$;
CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE ON all_events FOR EACH ROW EXECUTE FUNCTION events_append_only();

-- What counts is as in SQLite. A row that one transaction changes thousands of times is slower each time, as none of its versions can go
-- before the end: whoever writes so much sets board.bulk, and has count_again count in the end.
CREATE FUNCTION count_again() RETURNS void LANGUAGE sql AS $$
    DELETE FROM counts;
    INSERT INTO counts
        SELECT 'type', type, count(*), max(seq) FROM entries GROUP BY type
        UNION ALL SELECT 'status', status, count(*), max(seq) FROM entries GROUP BY status
        UNION ALL SELECT 'must_surface', status, count(*), max(seq) FROM entries WHERE must_surface = 1 GROUP BY status
        UNION ALL SELECT 'worker', worker, count(*), max(seq) FROM entries GROUP BY worker
        UNION ALL SELECT 'signal', status || ' ' || priority, count(*), max(seq) FROM signals GROUP BY status, priority
        UNION ALL SELECT 'link', kind, count(*), 0 FROM links GROUP BY kind
        UNION ALL SELECT 'actor', actor, count(*), max(seq) FROM events GROUP BY actor;
$$;
CREATE FUNCTION entries_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO all_counts AS c VALUES (new.run, 'type', new.type, 1, new.seq), (new.run, 'status', new.status, 1, new.seq),
            (new.run, 'worker', new.worker, 1, new.seq)
        ON CONFLICT (run, kind, name) DO UPDATE SET n = c.n + 1, last = excluded.last;
    IF new.must_surface = 1 THEN
        INSERT INTO all_counts AS c VALUES (new.run, 'must_surface', new.status, 1, new.seq)
            ON CONFLICT (run, kind, name) DO UPDATE SET n = c.n + 1, last = excluded.last;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER entries_count_insert AFTER INSERT ON all_entries FOR EACH ROW
    WHEN (current_setting('board.bulk', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION entries_count_insert();

CREATE FUNCTION entries_count_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE all_counts SET n = n - 1 WHERE run = new.run AND name = old.status
        AND (kind = 'status' OR kind = 'must_surface' AND new.must_surface = 1);
    INSERT INTO all_counts AS c VALUES (new.run, 'status', new.status, 1, 0) ON CONFLICT (run, kind, name) DO UPDATE SET n = c.n + 1;
    IF new.must_surface = 1 THEN
        INSERT INTO all_counts AS c VALUES (new.run, 'must_surface', new.status, 1, 0) ON CONFLICT (run, kind, name) DO UPDATE SET n = c.n + 1;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER entries_count_update AFTER UPDATE ON all_entries FOR EACH ROW WHEN (current_setting('board.bulk', true) IS DISTINCT FROM 'on' AND old.status <> new.status)
    EXECUTE FUNCTION entries_count_update();

CREATE FUNCTION entries_count_duty() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO all_counts AS c VALUES (new.run, 'must_surface', new.status, 1, 0) ON CONFLICT (run, kind, name) DO UPDATE SET n = c.n + 1;
    RETURN NULL;
END $$;
CREATE TRIGGER entries_count_duty AFTER UPDATE ON all_entries FOR EACH ROW WHEN (current_setting('board.bulk', true) IS DISTINCT FROM 'on' AND old.must_surface = 0 AND new.must_surface = 1)
    EXECUTE FUNCTION entries_count_duty();

CREATE FUNCTION signals_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        UPDATE all_counts SET n = n - 1 WHERE run = new.run AND kind = 'signal' AND name = old.status || ' ' || old.priority;
    END IF;
    INSERT INTO all_counts AS c VALUES (new.run, 'signal', new.status || ' ' || new.priority, 1, CASE TG_OP WHEN 'INSERT' THEN new.seq ELSE 0 END)
        ON CONFLICT (run, kind, name) DO UPDATE SET n = c.n + 1, last = greatest(c.last, excluded.last);
    RETURN NULL;
END $$;
CREATE TRIGGER signals_count_insert AFTER INSERT ON all_signals FOR EACH ROW
    WHEN (current_setting('board.bulk', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION signals_count();
CREATE TRIGGER signals_count_update AFTER UPDATE ON all_signals FOR EACH ROW WHEN (current_setting('board.bulk', true) IS DISTINCT FROM 'on' AND old.status <> new.status) EXECUTE FUNCTION signals_count();

CREATE FUNCTION links_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO all_counts AS c VALUES (new.run, 'link', new.kind, 1, 0) ON CONFLICT (run, kind, name) DO UPDATE SET n = c.n + 1;
    RETURN NULL;
END $$;
CREATE TRIGGER links_count_insert AFTER INSERT ON all_links FOR EACH ROW
    WHEN (current_setting('board.bulk', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION links_count();

CREATE FUNCTION events_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO all_counts AS c VALUES (new.run, 'actor', new.actor, 1, new.seq)
        ON CONFLICT (run, kind, name) DO UPDATE SET n = c.n + 1, last = excluded.last;
    RETURN NULL;
END $$;
CREATE TRIGGER events_count_insert AFTER INSERT ON all_events FOR EACH ROW
    WHEN (current_setting('board.bulk', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION events_count();

-- What SQLite has and the statements of the boards use.
CREATE FUNCTION instr(text, text) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT strpos($1, $2)::bigint $$;
CREATE FUNCTION json_each(text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT json_array_elements_text($1::json)
$$;
CREATE FUNCTION json_each(text, text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT json_array_elements($1::json #> string_to_array(substr($2, 3), '.'))::text
$$;
CREATE FUNCTION json_extract(text, text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT $1::json #>> string_to_array(substr($2, 3), '.')
$$;
