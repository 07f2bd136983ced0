-- SHA-256 of the capsule's content that an event made, so that a row that was changed past the
-- program is found; '' for events of before.
ALTER TABLE events ADD COLUMN content TEXT NOT NULL DEFAULT '';
