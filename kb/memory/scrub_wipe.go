package memory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"blackboard/board/sqlite"
)

// A row that was deleted, or changed, may stay in the file's bytes: in pages that are free, in gaps of those that are not, and in the WAL. A scrub is done when it is in none of them, and
// that takes a file that is written anew, which no transaction can do. So the transaction notes that it is due, and it is done right after. If the process dies in between, or others read
// in an old snapshot, it is due until the next scrub or dry run.
const wipeDue = "wipe due"

// wipePatience is how long a wipe waits for others to finish reading.
const wipePatience = 2 * time.Second

// wipeAfter has the file's bytes cleared once the transaction is committed; what hinders that is noted.
func (f *file) wipeAfter(tx *sqlite.Tx, notes *[]string) error {
	if _, err := tx.Exec(`INSERT OR REPLACE INTO meta VALUES (?, ?)`, wipeDue, tx.Now.Format(time.RFC3339)); err != nil {
		return err
	}
	f.wipeOnCommit(tx, notes)
	return nil
}

func (f *file) wipeOnCommit(tx *sqlite.Tx, notes *[]string) {
	tx.AfterCommit(func() { // it is still this writer's turn
		// Who called it off comes too late: it is removed, and half of that is worse than all.
		if err := f.wipe(context.Background()); err != nil {
			*notes = append(*notes, fmt.Sprintf("what was removed may still be in the bytes of %s or its -wal: %v; the next scrub, or a dry run of one, clears it", f.Path(), err))
		}
	})
}

// wipe writes the file anew without what is free in it, and empties the WAL.
func (f *file) wipe(ctx context.Context) error {
	conn, err := f.Conn(ctx)
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
		err := conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &pages, &moved)
		if err == nil && busy != 0 {
			err = errors.New("others are reading it")
		}
		return err
	}
	_, err = conn.ExecContext(ctx, `VACUUM`)
	// Without room for a second copy of the file, the WAL at least is emptied: what this scrub removed was overwritten with zeros.
	if left := truncate(); err == nil {
		err = left
	}
	if err != nil {
		return err
	}
	if _, err := conn.ExecContext(ctx, `DELETE FROM meta WHERE key = ?`, wipeDue); err != nil {
		return err
	}
	truncate() // for that one row: it does not matter
	return nil
}

// finishWipe does what a scrub before has left to do. If it cannot be done now, it stays due.
func (f *file) finishWipe(ctx context.Context) {
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
