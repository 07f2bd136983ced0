-- The log may hold policies (verb policy) from now on. A program that does not know them would
-- judge the gate by another policy, so it has to refuse the file: this raises the version.
SELECT 1;
