package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	driver "modernc.org/sqlite"

	"blackboard/board/disk"
	"blackboard/board/fault"
)

// Backup copies a database in use, by SQLite's own backup: the file of one moment, without a -wal,
// checked (fault.Corrupt if damaged). It replaces a file.
func Backup(ctx context.Context, path, to string) error {
	if err := disk.Write(to, nil, 0o600); err != nil { // for its owner alone
		return err
	}
	from := &DB{path: path, closing: new(atomic.Bool), readOnly: !writable(path)}
	var err error
	if from.file, err = os.Stat(path); err != nil {
		return err
	}
	from.connect()
	defer from.sql.Close()
	if err := from.copyPages(ctx, to); err != nil {
		return from.wrap(err)
	}
	return checkCopy(ctx, path, to)
}

// copyPages copies in one read transaction, so that writers do not make it start again.
func (db *DB) copyPages(ctx context.Context, to string) error {
	reserved, err := db.sql.Conn(ctx)
	if err != nil {
		return err
	}
	defer reserved.Close()
	if _, err := reserved.ExecContext(ctx, "BEGIN"); err != nil {
		return err
	}
	defer reserved.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	var n int
	begin := reserved.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema")
	if err := begin.Scan(&n); err != nil {
		return err
	}
	return reserved.Raw(func(c any) error {
		b, err := c.(*conn).libraryConn.(interface {
			NewBackup(string) (*driver.Backup, error)
		}).NewBackup(fileURI(to, nil))
		if err != nil {
			return err
		}
		const pages = 4096
		for more := true; more && err == nil; {
			if err = ctx.Err(); err == nil {
				more, err = b.Step(pages)
			}
		}
		if e := b.Finish(); err == nil {
			err = e
		}
		return err
	})
}

// fileURI returns the URI of a file for SQLite, with the parameters q, which may be nil.
func fileURI(path string, q url.Values) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") && filepath.VolumeName(path) != "" {
		path = "/" + path // file:///C:/…
	}
	uri := "file:" + (&url.URL{Path: path}).EscapedPath()
	if q != nil {
		uri += "?" + q.Encode()
	}
	return uri
}

// checkCopy checks a copy of a file without leaving anything beside it.
func checkCopy(ctx context.Context, path, copied string) error {
	db, err := sql.Open("sqlite", fileURI(copied, url.Values{"mode": {"ro"}, "immutable": {"1"}}))
	if err != nil {
		return err
	}
	defer db.Close()
	var says string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&says); err != nil {
		return fmt.Errorf("check the copy of %s: %w", path, err)
	}
	if says != "ok" {
		return Fault(fault.Corrupt, path, "fails its integrity check: "+says, nil)
	}
	return nil
}
