-- What passes take away is restored item by item, so their steps are no longer kept.
DROP TABLE pass_steps;
DROP TABLE passes;
