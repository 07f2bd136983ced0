package postgres

import (
	"strings"

	"blackboard/board/fault"
)

// Roles is SQL that makes three roles with their rights; it may be run again. The prefix
// of their names is the schema's name unless another is given.
func (p *Place) Roles(prefix string) (string, error) {
	if prefix == "" {
		prefix = p.schema
	}
	if !isSchemaName(prefix) {
		return "", fault.Usage.New("the prefix of the roles cannot be used", "give one of lower-case letters, digits and _")
	}
	var views, knowledge []string
	for _, table := range ofRuns {
		views = append(views, p.schema+"."+table)
	}
	for _, table := range ofKB {
		knowledge = append(knowledge, p.schema+"."+table)
	}
	return strings.NewReplacer("{schema}", p.schema, "{prefix}", prefix, "{database}", `"`+strings.ReplaceAll(p.config.Database, `"`, `""`)+`"`,
		"{what}", strings.Join(strings.Fields(p.what), " "), "{views}", strings.Join(views, ", "), "{knowledge}", strings.Join(knowledge, ", ")).Replace(rolesSQL), nil
}

// rolesSQL gives a worker what the statements of the boards need: they write to the
// views, triggers to the counts, and each locks a row of runs. No
// view of what is never changed or deleted lets it be; who may drop runs deletes from the
// tables themselves.
const rolesSQL = `-- Roles for {what}.
-- Run it as a superuser with psql -v ON_ERROR_STOP=1, and again whenever the schema was brought up to date. Then: GRANT {prefix}_worker TO somebody;
BEGIN;
DO $$
DECLARE
    name TEXT;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('blackboard roles')); -- two grants at once on one database fail
    FOREACH name IN ARRAY ARRAY['{prefix}_reader', '{prefix}_worker', '{prefix}_owner'] LOOP
        IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = name) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', name);
        END IF;
    END LOOP;
END $$;
GRANT CONNECT ON DATABASE {database} TO {prefix}_reader, {prefix}_worker, {prefix}_owner;

-- The owner has the schema and all in it.
ALTER SCHEMA {schema} OWNER TO {prefix}_owner;
DO $$
DECLARE
    found REGCLASS;
    routine REGPROCEDURE;
BEGIN
    FOR found IN SELECT oid FROM pg_class WHERE relnamespace = '{schema}'::regnamespace AND relkind IN ('r', 'v') LOOP
        EXECUTE format('ALTER TABLE %s OWNER TO {prefix}_owner', found);
    END LOOP;
    FOR routine IN SELECT oid FROM pg_proc WHERE pronamespace = '{schema}'::regnamespace LOOP
        EXECUTE format('ALTER FUNCTION %s OWNER TO {prefix}_owner', routine);
    END LOOP;
END $$;

-- The reader reads.
GRANT USAGE ON SCHEMA {schema} TO {prefix}_reader, {prefix}_worker;
REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM {prefix}_reader, {prefix}_worker;
GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {prefix}_reader, {prefix}_worker;

-- The worker makes runs, and writes to them; it deletes none, and changes no event.
GRANT INSERT (name), UPDATE (turn) ON {schema}.runs TO {prefix}_worker;
GRANT INSERT ON {views} TO {prefix}_worker;
GRANT UPDATE ON {schema}.entries, {schema}.signals, {schema}.expected TO {prefix}_worker;
GRANT DELETE ON {schema}.variables, {schema}.sources, {schema}.verifications, {schema}.counts TO {prefix}_worker;
GRANT INSERT, UPDATE ON {schema}.all_counts TO {prefix}_worker;

-- He changes the knowledge base, but no event of it.
GRANT UPDATE ON {schema}.kb TO {prefix}_worker;
GRANT INSERT, DELETE ON {schema}.kb_writes TO {prefix}_worker;
GRANT INSERT ON {schema}.kb_events TO {prefix}_worker;
GRANT INSERT, UPDATE, DELETE ON {knowledge} TO {prefix}_worker;
COMMIT;
`
