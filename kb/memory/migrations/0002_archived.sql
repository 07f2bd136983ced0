-- An archived item is out of sight and not forgotten: nobody asked for it, and nothing else says it.
ALTER TABLE items ADD COLUMN archived INTEGER CHECK (archived IS NULL OR forgotten IS NULL);
DROP INDEX items_live;
CREATE INDEX items_live ON items (tier, channel, conversation, agent, importance, accesses, accessed, expires) WHERE forgotten IS NULL AND archived IS NULL;

-- In which sessions somebody asked what an item answers. Being shown is not being asked for.
CREATE TABLE asked (
    item    INTEGER NOT NULL REFERENCES items (n) ON DELETE CASCADE,
    session TEXT NOT NULL,
    PRIMARY KEY (item, session)
) STRICT, WITHOUT ROWID;

-- What each pass of consolidation did, so that it can be undone. No content.
CREATE TABLE passes (
    id     TEXT PRIMARY KEY,
    scope  TEXT NOT NULL,
    actor  TEXT NOT NULL,
    began  INTEGER NOT NULL,
    ended  INTEGER,                                  -- NULL: it was interrupted
    undone INTEGER
) STRICT;
CREATE TABLE pass_steps (
    pass   TEXT NOT NULL REFERENCES passes (id),
    k      INTEGER NOT NULL,
    op     TEXT NOT NULL,
    item   TEXT NOT NULL,
    heir   TEXT NOT NULL,                            -- of a merge or a rewrite: the item that stays
    trace  TEXT NOT NULL,                            -- JSON: numbers of the item that was changed, before and after
    PRIMARY KEY (pass, k)
) STRICT, WITHOUT ROWID;
CREATE INDEX pass_steps_item ON pass_steps (item);
CREATE INDEX pass_steps_heir ON pass_steps (heir) WHERE heir <> '';

-- How items are compared is new, so all are compared again.
DELETE FROM consolidated;
DELETE FROM meta WHERE substr(key, 1, 13) = 'consolidated ';
