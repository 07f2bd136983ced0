-- Derived: the words of all contents, so that a search for any part of a word need not read the entries. wordindex.go says what a word is
-- and what the text holds. Whatever entries are not covered yet, the next write covers: all of them on a board made before this migration, or
-- after the table was emptied.
CREATE TABLE word_segments (
    id   INTEGER PRIMARY KEY,  -- in the order of what they cover; 0 is the last
    upto INTEGER NOT NULL,     -- the last entry it covers; it begins after the last one of the segment before
    text BLOB NOT NULL
) STRICT;
