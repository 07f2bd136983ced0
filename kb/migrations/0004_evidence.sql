-- Evidence has another scale now, so thresholds of before mean nothing: they are measured anew.
DELETE FROM thresholds;
