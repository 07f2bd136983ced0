-- Evidence has another scale again: thresholds are measured anew.
DELETE FROM thresholds;
