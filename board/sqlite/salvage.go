package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

type Salvaged struct {
	Rows map[string]int64 // by table
	// Lost is what could not be read or kept. It is still in the damaged file.
	Lost []TableLoss
}

// TableLoss is what is lost of a table.
type TableLoss struct{ Table, Say string }

// Losses says what is lost of each table.
func (s *Salvaged) Losses() (all []string) {
	for _, l := range s.Lost {
		all = append(all, l.Say)
	}
	return all
}

// Salvage creates the file to from what it can read of some tables of the damaged file at
// path, which it does not change. It reads rows without any index: from both ends up to
// the damage, and in between by number. It fills the tables in the given order. An error
// that matches fault.Corrupt says that nothing can be read.
func Salvage(ctx context.Context, path, to string, schema Schema, tables ...string) (s Salvaged,
	err error) {
	from, err := OpenForeign(ctx, path)
	if err != nil {
		return s, err
	}
	defer from.Close()
	db, err := Open(ctx, to, schema, Create)
	if err != nil {
		return s, err
	}
	s.Rows = map[string]int64{}
	err = db.Write(ctx, func(tx *Tx) error {
		for _, table := range tables {
			if err := s.copyTable(ctx, from, tx, table); err != nil {
				return err
			}
		}
		return nil
	})
	return s, errors.Join(err, db.Close())
}

func (s *Salvaged) lose(table, format string, a ...any) {
	s.Lost = append(s.Lost, TableLoss{table, fmt.Sprintf(format, a...)})
}

// copyTable copies the rows of one table, and notes what is lost.
func (s *Salvaged) copyTable(ctx context.Context, from *Foreign, tx *Tx, table string) error {
	columns, err := from.Columns(ctx, table)
	if err != nil || len(columns) == 0 {
		s.lose(table, "the table %s cannot be read", table)
		return ctx.Err()
	}
	for i := range columns {
		columns[i] = Quote(columns[i])
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(columns)), ", ")
	refused := 0
	put := func(row []any) error {
		res, err := tx.Exec(fmt.Sprintf(`INSERT OR IGNORE INTO %s (%s) VALUES (%s)`, Quote(table),
			strings.Join(columns, ", "), marks), row...)
		if n := int64(0); err == nil {
			if n, err = res.RowsAffected(); err == nil && n == 1 {
				s.Rows[table]++
				return nil
			}
		}
		refused++ // what is no row of such a table
		return ctx.Err()
	}
	whole, err := from.salvage(ctx, table, columns, put)
	if err != nil {
		return err
	}
	if !whole {
		s.lose(table, "not all of the table %s can be read: %d rows could be", table, s.Rows[table])
	}
	if refused > 0 {
		s.lose(table, "%d rows of the table %s do not fit into it, or are duplicates", refused,
			table)
	}
	return nil
}

// salvage calls put once for each row of a table that can be read, and reports whether
// those are all rows. An error is from put or the context.
func (f *Foreign) salvage(ctx context.Context, table string, columns []string,
	put func(row []any) error) (whole bool, err error) {
	key := []string{"rowid"}
	if pk, _ := f.queryNames(ctx,
		`SELECT name FROM pragma_table_info(?1) WHERE pk > 0 AND (SELECT wr FROM pragma_table_list WHERE name = ?1 AND schema = 'main') = 1 ORDER BY pk`, table); len(pk) > 0 {
		key = pk
	}
	for i := range key {
		key[i] = Quote(key[i])
	}
	read := fmt.Sprintf(`SELECT %s, %s FROM %s NOT INDEXED`, strings.Join(key, ", "),
		strings.Join(columns, ", "), Quote(table))
	seen := map[string]bool{}
	lowest, highest := int64(0), int64(0) // what lies between the two has not been read
	var putErr error
	each := func(query string, note func(row []any)) error {
		err := f.Each(ctx, query, func(row []any) error {
			name := fmt.Sprint(row[:len(key)])
			if seen[name] {
				return nil
			}
			seen[name] = true
			if note != nil {
				note(row)
			}
			putErr = put(row[len(key):])
			return putErr
		})
		if putErr == nil {
			putErr = ctx.Err()
		}
		return err
	}
	number := func(n *int64) func([]any) {
		return func(row []any) { *n, _ = row[0].(int64) }
	}
	err = each(read, number(&lowest))
	if putErr != nil || err == nil {
		return err == nil, putErr
	}
	if err := each(read+` ORDER BY `+strings.Join(key, " DESC, ")+` DESC`,
		number(&highest)); err == nil || putErr != nil {
		return false, putErr
	}
	const most = 1 << 20 // numbers that are tried
	for n := lowest + 1; len(key) == 1 && key[0] == Quote("rowid") &&
		n < min(highest, lowest+most) && putErr == nil; n++ {
		each(fmt.Sprintf(`%s WHERE rowid = %d`, read, n), nil)
	}
	return false, putErr
}

// Replace replaces a damaged file by the one that build creates under the name it is
// given. It does so under the write lock, so that no acknowledged write of another
// process is lost between. The damaged file, with the files beside it, is moved to aside.
// If build fails, nothing changes. Writes of processes that have the damaged file open
// return fault.Gone; they open the new one. Replace returns fault.Gone if the file is not is,
// unless that is nil.
func Replace(ctx context.Context, path string, is os.FileInfo,
	build func(to string) error) (aside string, err error) {
	if is == nil {
		if is, err = os.Stat(path); err != nil {
			return "", err
		}
	}
	unlock, err := lockWrites(ctx, path)
	if err != nil {
		return "", err
	}
	defer unlock()
	if err := checkFile(path, is); err != nil {
		return "", err
	}
	made := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.new-%d", filepath.Base(path),
		time.Now().UnixNano()))
	defer func() {
		for _, suffix := range []string{"", "-wal", "-shm", "-lock"} {
			// gone already if all went well, except the lock, which no one else has used
			os.Remove(made + suffix)
		}
	}()
	if err := build(made); err != nil {
		return "", err
	}
	if info, err := os.Stat(made + "-wal"); err == nil && info.Size() > 0 {
		return "", fmt.Errorf("%s has unmerged changes: the program that wrote it has not "+
			"closed it", made)
	}
	for i := 1; ; i++ {
		aside = fmt.Sprintf("%s.broken-%d", path, i)
		if _, err := os.Lstat(aside); errors.Is(err, fs.ErrNotExist) {
			break
		} else if err != nil {
			return "", err
		}
	}
	return aside, swap(path, aside, made)
}

// swap moves path and the files beside it to aside, made to path; a failure moves all back.
func swap(path, aside, made string) (err error) {
	var moved []string
	// the file last: without it, no one opens the others
	for _, suffix := range []string{"-wal", "-shm", ""} {
		err = os.Rename(path+suffix, aside+suffix)
		if err == nil {
			moved = append(moved, suffix)
		} else if suffix == "" || !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	if err == nil {
		err = os.Rename(made, path)
	}
	if err != nil {
		for _, suffix := range slices.Backward(moved) {
			os.Rename(aside+suffix, path+suffix)
		}
	}
	return err
}
