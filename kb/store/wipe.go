package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"blackboard/board/sqlite"
)

// A deleted or changed row may stay in the file's bytes: in free pages, in gaps of pages, and in
// the WAL. Only writing the whole file again removes it, and no transaction can do that. So the
// transaction marks the file in its table meta, and it is wiped right after. If the process dies in
// between, or others read an old snapshot, the mark stays until FinishWipe.
const wipeDue = "wipe due"

const wipePatience = 2 * time.Second

// Wipe runs fn, and wipes from the file what fn deletes, after the commit. An obstacle is noted.
func (f *File) Wipe(tx *sqlite.Tx, notes *[]string, fn func() error) error {
	// SQLite overwrites what is deleted with zeros. It does not affect what was freed before.
	if _, err := tx.Exec(`PRAGMA secure_delete = ON`); err != nil {
		return err
	}
	err := fn()
	tx.Exec(`PRAGMA secure_delete = OFF`) // the connection is reused
	if err != nil {
		return err
	}
	if _, err := tx.Exec(`INSERT OR REPLACE INTO meta VALUES (?, ?)`, wipeDue,
		tx.Now.Format(time.RFC3339)); err != nil {
		return err
	}
	f.wipeOnCommit(tx, notes)
	return nil
}

func (f *File) wipeOnCommit(tx *sqlite.Tx, notes *[]string) {
	tx.AfterCommit(func() { // this process still holds the write lock
		// Not ctx: the rows are deleted, and stopping now would leave their bytes.
		if err := f.wipe(context.Background()); err != nil {
			*notes = append(*notes, fmt.Sprintf(
				"deleted content may still be in the bytes of %s or its -wal: %v; the next scrub or dry run clears it", f.Path(), err))
		}
	})
}

// wipe writes the file again without free space and empties the WAL.
func (f *File) wipe(ctx context.Context) error {
	conn, err := f.SQLite().Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	var patience int
	if err := conn.QueryRowContext(ctx, `PRAGMA busy_timeout`).Scan(&patience); err != nil {
		return err
	}
	set := func(ms int64) error {
		_, err := conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA busy_timeout = %d`, ms))
		return err
	}
	if err := set(wipePatience.Milliseconds()); err != nil {
		return err
	}
	defer set(int64(patience))
	truncate := func() error {
		var busy, pages, moved int
		err := conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(
			&busy, &pages, &moved)
		if err == nil && busy != 0 {
			err = errors.New("other processes are reading it")
		}
		return err
	}
	_, err = conn.ExecContext(ctx, `VACUUM`)
	// Without space for a copy, at least empty the WAL: deleted rows are overwritten.
	if left := truncate(); err == nil {
		err = left
	}
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, `DELETE FROM meta WHERE key = ?`, wipeDue); err != nil {
		return err
	}
	truncate() // for the one row of the mark: an error does not matter
	return nil
}

// FinishWipe completes an earlier wipe. If it fails, the mark stays.
func (f *File) FinishWipe(ctx context.Context) {
	if f.ReadOnly() {
		return
	}
	var due int
	if err := f.Read(ctx, func(tx *sqlite.Tx) error {
		return tx.QueryRow(`SELECT count(*) FROM meta WHERE key = ?`, wipeDue).Scan(&due)
	}); err != nil || due == 0 {
		return
	}
	var notes []string
	_ = f.WriteWithin(ctx, wipePatience, func(tx *sqlite.Tx) error {
		f.wipeOnCommit(tx, &notes)
		return nil
	})
}
