-- The index of 0002 made a post three times as expensive, apart from the disk, and a search of a few thousand entries
-- milliseconds faster at best: reading them all is good enough.
DROP TABLE word_segments;
