package postgres

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"

	"blackboard/board/fault"
	"blackboard/board/store"
)

var (
	//go:embed migrations/0001_board.sql
	migration0001 string
	//go:embed migrations/0002_kb.sql
	migration0002 string
	//go:embed migrations/0003_policy.sql
	migration0003 string
	//go:embed migrations/0004_several_sources.sql
	migration0004 string
	//go:embed migrations/0005_addressee.sql
	migration0005 string
)

// migrations take a schema to its next version. After a release none is edited.
var migrations = []string{migration0001, migration0002, migration0003, migration0004, migration0005}

type Status struct {
	Database string `json:"database"` // its URL, without a password
	Server   string `json:"server"`   // the version of PostgreSQL
	Schema   int    `json:"schema"`   // the version of the schema; 0: there is none
	Knows    int    `json:"knows"`    // the version that this program has
	Standby  bool   `json:"standby"`  // it takes no writes
	Runs     int64  `json:"runs"`
	Bytes    int64  `json:"bytes"` // of all boards, and of the knowledge base
	Capsules int64  `json:"capsules"`
}

// Status asks the server.
func (p *Place) Status(ctx context.Context) (Status, error) {
	st := Status{Database: p.name, Knows: len(migrations)}
	err := p.retryWhileDown(ctx, func() error {
		return p.inTx(ctx, &sql.TxOptions{ReadOnly: true}, func(tx *sql.Tx) (err error) {
			if err = tx.QueryRowContext(ctx, `SELECT current_setting('server_version'), pg_is_in_recovery()`).Scan(&st.Server, &st.Standby); err != nil {
				return err
			}
			if st.Schema, err = p.version(ctx, tx); err != nil || st.Schema == 0 {
				return err
			}
			err = tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM runs), (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
				FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r')`, p.schema).Scan(&st.Runs, &st.Bytes)
			if err == nil && st.Schema > 1 {
				err = tx.QueryRowContext(ctx, `SELECT count(*) FROM capsules`).Scan(&st.Capsules)
			}
			return err
		})
	})
	return st, err
}

// version reads the version of the schema, 0 if there is none.
func (p *Place) version(ctx context.Context, tx *sql.Tx) (n int, err error) {
	var there bool
	err = tx.QueryRowContext(ctx, `SELECT to_regclass($1) IS NOT NULL`, p.schema+".schema_version").Scan(&there)
	if err == nil && there {
		err = tx.QueryRowContext(ctx, `SELECT version FROM schema_version`).Scan(&n)
	}
	return n, err
}

// Init creates the schema, or brings it up to date, and returns the version that it had.
// Processes that do so at the same time wait for each other.
func (p *Place) Init(ctx context.Context) (had int, err error) {
	err = p.retryWhileDown(ctx, func() error {
		return p.inTx(ctx, nil, func(tx *sql.Tx) error {
			const lock = 0x42427264 // "BBrd"
			if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1, hashtext($2))`, int32(lock), p.schema); err != nil {
				return err
			}
			var encoding string
			if err := tx.QueryRowContext(ctx, `SELECT current_setting('server_encoding')`).Scan(&encoding); err != nil {
				return err
			}
			if encoding != "UTF8" {
				return store.Fault(fault.Invalid, p.what, "has the encoding "+encoding+"; boards need UTF8", nil,
					fault.Step{Text: "make a database with ENCODING 'UTF8' TEMPLATE template0"})
			}
			if had, err = p.version(ctx, tx); err != nil || had == len(migrations) {
				return err
			}
			if had > len(migrations) {
				return p.newer(had)
			}
			if had == 0 {
				if _, err := tx.ExecContext(ctx, `CREATE SCHEMA IF NOT EXISTS `+p.schema); err != nil {
					return err
				}
				if _, err := tx.ExecContext(ctx, `CREATE TABLE schema_version (version BIGINT NOT NULL)`); err != nil {
					return err
				}
				if _, err := tx.ExecContext(ctx, `INSERT INTO schema_version VALUES (0)`); err != nil {
					return err
				}
			}
			for i := had; i < len(migrations); i++ {
				if _, err := tx.ExecContext(ctx, migrations[i]); err != nil {
					return fmt.Errorf("migrate %s to version %d: %w", p.what, i+1, err)
				}
			}
			_, err := tx.ExecContext(ctx, `UPDATE schema_version SET version = $1`, len(migrations))
			return err
		})
	})
	return had, err
}

// isReady reports whether the schema is known to be this program's.
func (p *Place) isReady() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ready
}

// Ready returns an error if the server does not answer, or the schema is not of this
// program's version. Once it was, the server is not asked again: a schema is never migrated back.
func (p *Place) Ready(ctx context.Context) error {
	if p.isReady() {
		return nil
	}
	var version int
	err := p.retryWhileDown(ctx, func() error {
		err := within(ctx, replyTimeout, func(ctx context.Context) error {
			return p.pool.QueryRowContext(ctx, p.askVersion()).Scan(&version)
		})
		if code := codeOf(err); code == codeNoTable || code == codeNoSchema {
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	return p.checkVersion(version)
}

func (p *Place) askVersion() string { return `SELECT version FROM ` + p.schema + `.schema_version` }

func (p *Place) checkVersion(version int) error {
	switch {
	case version == 0:
		return p.notSetUp()
	case version > len(migrations):
		return p.newer(version)
	case version < len(migrations):
		return store.Fault(fault.Away, p.what, fmt.Sprintf("has schema %d and must be migrated to %d", version, len(migrations)), nil,
			fault.Do("database.init", "{} migrates it; older versions of board are refused from then on"))
	}
	p.mu.Lock()
	p.ready = true
	p.mu.Unlock()
	return nil
}

func (p *Place) newer(version int) error {
	return store.Fault(fault.Newer, p.what, fmt.Sprintf("has schema %d; this program knows up to %d", version, len(migrations)), nil,
		fault.Step{Text: "install the newer version of board that migrated it"})
}
