package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	driver "modernc.org/sqlite"

	"blackboard/board/disk"
	"blackboard/board/fault"
)

// MaxForeign is the largest file of another program, in bytes.
const MaxForeign = 1 << 30

// Foreign is an SQLite file of another program, open for reading. It reads a copy, so
// nothing is written to the file or left beside it.
type Foreign struct {
	path string
	dir  string
	sql  *sql.DB
}

// OpenForeign opens a copy of the file and its WAL or journal; Close deletes it. Errors:
// fs.ErrNotExist, fault.Corrupt (no SQLite), fault.Busy (never stops changing).
func OpenForeign(ctx context.Context, path string) (*Foreign, error) {
	dir, err := os.MkdirTemp("", "board-foreign-")
	if err != nil {
		return nil, err
	}
	f := &Foreign{path: path, dir: dir}
	if err := f.open(ctx); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (f *Foreign) open(ctx context.Context) error {
	if err := f.copy(ctx); err != nil {
		return err
	}
	// The schema is not ours: its views and triggers may do no harm; nothing is changed.
	q := url.Values{"_pragma": {"trusted_schema(0)", "cell_size_check(1)", "query_only(1)"}}
	db, err := sql.Open("sqlite", fileURI(filepath.Join(f.dir, "copy"), q))
	if err != nil {
		return err
	}
	f.sql = db
	var n int
	return f.wrap(db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master`).Scan(&n))
}

// beside are suffixes of what SQLite keeps beside a database: a WAL or a journal.
var beside = []string{"", "-wal", "-journal"}

func (f *Foreign) copy(ctx context.Context) error {
	return CopyBeside(f.path, filepath.Join(f.dir, "copy"), MaxForeign, func(from, to string) error {
		return copyFile(ctx, from, to)
	})
}

// CopyBeside copies a file with what SQLite has beside it, of at most most bytes together, by one
// call of copy for each; again if one of them has changed by then. It returns fault.Busy after five times.
func CopyBeside(path, to string, most int64, copy func(from, to string) error) error {
	for range 5 {
		before, err := fileStamps(path, most)
		if err != nil {
			return err
		}
		for i, suffix := range beside {
			if err := os.Remove(to + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			if before[i].size < 0 {
				continue
			}
			if err := copy(path+suffix, to+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		after, err := fileStamps(path, most)
		if err != nil {
			return err
		}
		if slices.Equal(before, after) {
			return nil
		}
	}
	return Fault(fault.Busy, path, "is written to constantly", nil,
		fault.Step{Text: "repeat the command when the other program has stopped writing"})
}

type fileStamp struct{ size, modified int64 }

// fileStamps returns the size and time of each file; a missing one has the size -1.
func fileStamps(path string, most int64) ([]fileStamp, error) {
	seen := make([]fileStamp, len(beside))
	total := int64(0)
	for i, suffix := range beside {
		info, err := os.Stat(path + suffix)
		switch {
		case err != nil && suffix != "" && errors.Is(err, fs.ErrNotExist):
			seen[i].size = -1
			continue
		case err != nil:
			return nil, err
		case !info.Mode().IsRegular():
			return nil, Fault(fault.Corrupt, path+suffix, "is not a regular file", nil)
		}
		seen[i] = fileStamp{info.Size(), info.ModTime().UnixNano()}
		total += info.Size()
	}
	if total > most {
		return nil, Fault(fault.Full, path, fmt.Sprintf("has %d MB; at most %d are allowed",
			total>>20, most>>20), nil, fault.Step{Text: "make it smaller first"})
	}
	return seen, nil
}

func copyFile(ctx context.Context, from, to string) error {
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(CopyFile(ctx, from, out), out.Close())
}

// CopyFile writes a file's content, perhaps of a database open here, until ctx ends.
func CopyFile(ctx context.Context, from string, out io.Writer) error {
	in, err := disk.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	for err == nil {
		if err = ctx.Err(); err == nil {
			_, err = io.CopyN(out, in, 4<<20)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Tables returns the names of the tables, without views and the tables of SQLite.
func (f *Foreign) Tables(ctx context.Context) ([]string, error) {
	return f.queryNames(ctx, `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`)
}

// Columns returns the names of a table's columns, none if the table does not exist.
func (f *Foreign) Columns(ctx context.Context, table string) ([]string, error) {
	return f.queryNames(ctx, `SELECT name FROM pragma_table_info(?) ORDER BY cid`, table)
}

func (f *Foreign) queryNames(ctx context.Context, query string, args ...any) (all []string, err error) {
	err = f.Each(ctx, query, func(row []any) error {
		all = append(all, Text(row[0]))
		return nil
	}, args...)
	return all, err
}

// Each runs a query and calls fn with each row, in values of database/sql. The next row
// overwrites it. It stops at the first error.
func (f *Foreign) Each(ctx context.Context, query string, fn func(row []any) error,
	args ...any) error {
	rows, err := f.sql.QueryContext(ctx, query, args...)
	if err != nil {
		return f.wrap(err)
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		return f.wrap(err)
	}
	row, into := make([]any, len(cols)), make([]any, len(cols))
	for i := range row {
		into[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return f.wrap(err)
		}
		if err := fn(row); err != nil {
			return err
		}
	}
	return f.wrap(rows.Err())
}

func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func Text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case []byte:
		return string(v)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(v)
}

func (f *Foreign) Close() error {
	var err error
	if f.sql != nil {
		err = f.sql.Close()
	}
	return errors.Join(err, os.RemoveAll(f.dir))
}

// wrap names the file in errors, not its copy.
func (f *Foreign) wrap(err error) error {
	var de *driver.Error
	if !errors.As(err, &de) {
		return err
	}
	switch de.Code() & 0xff {
	case codeCorrupt, codeNotADB:
		return Fault(fault.Corrupt, f.path, "is not a valid SQLite file", err)
	case codeFull:
		return Fault(fault.Full, f.path, "could not be copied", err)
	}
	return fmt.Errorf("%s: %w", f.path, err)
}
