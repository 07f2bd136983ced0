-- The titles as they are compared: in one Unicode form, without case. Titles that are alike may be there already, so it is not unique.
CREATE TABLE capsule_titles (
    n   INTEGER PRIMARY KEY REFERENCES capsules(n) ON DELETE CASCADE ON UPDATE CASCADE,
    key TEXT NOT NULL
) STRICT;
CREATE INDEX capsule_titles_key ON capsule_titles(key);
DROP INDEX capsules_title;
