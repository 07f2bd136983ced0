-- A question may be for one worker, or for whoever has a tag; '': for anybody.
ALTER TABLE signals ADD COLUMN addressee TEXT NOT NULL DEFAULT '';
