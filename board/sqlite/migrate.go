package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"io/fs"

	"blackboard/board/fault"
)

// migrate brings the file from version have to the newest one of the schema. Only if it is
// behind, it waits for the write lock; it then reads the version again, since another process
// may have migrated the file meanwhile. An empty file is read under the lock only: until it is
// in WAL mode, SQLite looks for a WAL and a journal by name at each reading.
func (db *DB) migrate(ctx context.Context, mode Mode, have int) error {
	want := len(db.schema.Migrations)
	if have == want {
		return nil
	}
	if have == 0 && mode != Create {
		// Its maker is not done, or ended before its first commit. Reading must not create it.
		return fmt.Errorf("%s is empty: %w", db.path, fs.ErrNotExist)
	}
	if db.readOnly {
		return Fault(fault.ReadOnly, db.path,
			fmt.Sprintf("has schema %d and must be migrated to %d, but cannot be written to", have,
				want), nil)
	}
	unlock, err := db.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := db.CheckFile(); err != nil {
		return err
	}
	if have, err = db.readVersion(ctx); err != nil || have == want {
		return err
	}
	if err := CheckLinks(db.path); err != nil {
		return err
	}
	if have == 0 {
		// Outside the transaction, as SQLite requires, and under the lock: two processes
		// that switch a new file to WAL at the same time can both fail.
		if _, err := db.sql.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil {
			return err
		}
	}
	return db.run(ctx, driver.TxOptions{}, func(tx *Tx) error {
		for i := have; i < want; i++ {
			if _, err := tx.Exec(db.schema.Migrations[i]); err != nil {
				return fmt.Errorf("migrate %s to version %d: %w", db.path, i+1, err)
			}
		}
		_, err := tx.Exec(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d",
			db.schema.ApplicationID, want))
		return err
	})
}

// readVersion returns the file's schema version, 0 for a new file. It is an error if the file
// is newer than the program or of another program.
func (db *DB) readVersion(ctx context.Context) (int, error) {
	var version, tables int
	var app int32
	// The table-valued pragmas below compile several times as long; they are for unusual files.
	for pragma, into := range map[string]any{userVersion: &version, "PRAGMA application_id": &app} {
		if err := db.sql.QueryRowContext(ctx, pragma).Scan(into); err != nil {
			break
		}
	}
	if app == db.schema.ApplicationID && version > 0 && version <= len(db.schema.Migrations) {
		return version, nil
	}
	err := db.sql.QueryRowContext(ctx, `SELECT user_version, application_id, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_user_version, pragma_application_id`).Scan(&version, &app, &tables)
	switch {
	case err == sql.ErrNoRows:
		return 0, nil
	case err != nil:
		return 0, err
	case version == 0 && app == 0 && tables == 0:
		return 0, nil
	case app != db.schema.ApplicationID:
		return 0, Fault(fault.Corrupt, db.path, "is a SQLite file, but not a "+db.schema.Name, nil)
	case version > len(db.schema.Migrations):
		return 0, db.newer(version)
	}
	return version, nil
}

func (db *DB) newer(version int) error {
	return Fault(fault.Newer, db.path, fmt.Sprintf("has schema %d; this program knows up to %d",
		version, len(db.schema.Migrations)), nil)
}
