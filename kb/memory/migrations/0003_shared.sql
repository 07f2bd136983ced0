-- A working note that everybody in its conversation may read.
ALTER TABLE scratch ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;
