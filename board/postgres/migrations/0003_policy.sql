-- The log may hold policies (verb policy) from now on. A program that does not know them would
-- judge the gate by another policy, so it has to refuse the schema: this raises its version.

-- Whoever may lock the row of a run needs the right to update some column: this one, so that
-- nobody may change the name of a run.
ALTER TABLE runs ADD COLUMN turn BOOLEAN;

-- SHA-256 of the capsule's content that an event made; '' for events of before.
ALTER TABLE kb_events ADD COLUMN content TEXT COLLATE "C" NOT NULL DEFAULT '';
