package histories

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blackboard/board"
	"blackboard/board/fault"
)

// final is what the files hold in the end, read by SQL where that says more than the program
// would.
type final struct {
	entries, churn []entry
	signals        map[string]signal
	links          map[string]bool // "e1 supports e2"
	vars           map[string]version
	capsules       map[string]version // title, body and revision
	items          map[string]version
	chunks         map[string]string // content by id
	states         map[string]string
	problems       []string // of the files themselves
}

type entry struct {
	id, seq                      int64
	content, worker, key, status string
}

type signal struct{ content, status, claimedBy, worker string }

type version struct {
	value, title string
	version      int64
	gone         bool // deleted, retired, forgotten
}

// each runs a query on a file, if the file is there.
func (f *final) each(path, query string, row func(scan func(...any) error) error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return
	}
	db, err := sql.Open("sqlite", "file:"+path+"?mode=rw&_pragma=busy_timeout(10000)")
	if err == nil {
		defer db.Close()
		var rows *sql.Rows
		if rows, err = db.Query(query); err == nil {
			defer rows.Close()
			for rows.Next() && err == nil {
				err = row(rows.Scan)
			}
			err = errors.Join(err, rows.Err())
		}
	}
	if err != nil {
		f.problems = append(f.problems, fmt.Sprintf("%s cannot be read: %v", filepath.Base(path), err))
	}
}

func readFinal(dir string) *final {
	f := &final{signals: map[string]signal{}, links: map[string]bool{}, vars: map[string]version{}, capsules: map[string]version{}, items: map[string]version{},
		chunks: map[string]string{}, states: map[string]string{}}
	home, store := filepath.Join(dir, "home"), filepath.Join(dir, "store", "board.sqlite3")
	run := filepath.Join(home, "boards", runName+".sqlite3")
	for _, root := range []string{home, filepath.Dir(store)} {
		filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".sqlite3" {
				f.each(path, "PRAGMA integrity_check(5)", func(scan func(...any) error) error {
					var s string
					if err := scan(&s); err != nil || s == "ok" {
						return err
					}
					f.problems = append(f.problems, filepath.Base(path)+" fails its integrity check: "+s)
					return nil
				})
			}
			return nil
		})
	}
	f.entries, f.churn = f.readEntries(run), f.readEntries(filepath.Join(home, "boards", churnName+".sqlite3"))
	f.replay(home)
	f.each(run, "SELECT 's' || id, content, status, claimed_by, worker FROM signals", func(scan func(...any) error) error {
		var id string
		var s signal
		err := scan(&id, &s.content, &s.status, &s.claimedBy, &s.worker)
		f.signals[id] = s
		return err
	})
	f.each(run, "SELECT 'e' || src || ' ' || kind || ' ' || CASE kind WHEN 'addresses' THEN 's' ELSE 'e' END || dst FROM links", func(scan func(...any) error) error {
		var s string
		err := scan(&s)
		f.links[s] = true
		return err
	})
	versions := func(path, query string, into map[string]version) {
		f.each(path, query, func(scan func(...any) error) error {
			var id string
			var v version
			err := scan(&id, &v.title, &v.value, &v.version, &v.gone)
			into[id] = v
			return err
		})
	}
	versions(run, "SELECT key, '', value, version, deleted FROM variables", f.vars)
	versions(filepath.Join(home, "kb", "kb.sqlite3"), "SELECT id, title, body, revision, retired IS NOT NULL FROM capsules", f.capsules)
	memories, _ := filepath.Glob(filepath.Join(home, "memory", "workspaces", "*.sqlite3"))
	for _, path := range memories {
		versions(path, "SELECT id, title, content, revision, forgotten IS NOT NULL FROM items", f.items)
	}
	strs := func(query string, into map[string]string) {
		f.each(store, query, func(scan func(...any) error) error {
			var k, v string
			err := scan(&k, &v)
			into[k] = v
			return err
		})
	}
	strs("SELECT id, content FROM chunks", f.chunks)
	strs("SELECT key, value FROM state", f.states)
	f.readSidecars(filepath.Join(home, "kb", "capsules"))
	return f
}

func (f *final) readEntries(path string) (all []entry) {
	f.each(path, "SELECT id, seq, content, worker, coalesce(key, ''), status FROM entries ORDER BY id", func(scan func(...any) error) error {
		var e entry
		err := scan(&e.id, &e.seq, &e.content, &e.worker, &e.key, &e.status)
		all = append(all, e)
		return err
	})
	return all
}

// replay has each board checked as the program does it: the log rebuilds the tables.
func (f *final) replay(home string) {
	for _, run := range []string{runName, churnName} {
		b, err := board.Open(context.Background(), filepath.Join(home, "boards"), run)
		if err == nil {
			err = b.Check(context.Background())
			b.Close()
		}
		if err != nil && !errors.Is(err, fault.NotFound) {
			f.problems = append(f.problems, fmt.Sprintf("the board %s: %v", run, err))
		}
	}
}

// readSidecars holds the files of capsules against the rows.
func (f *final) readSidecars(dir string) {
	files := map[string]bool{}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".md")
		if !ok || strings.HasPrefix(id, ".") { // unfinished, of a process that was killed
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		c, known := f.capsules[id]
		switch files[id] = true; {
		case err != nil:
			f.problems = append(f.problems, err.Error())
		case !known:
			f.problems = append(f.problems, "the file of capsule "+id+" has no row")
		case !strings.Contains(string(text), c.value):
			f.problems = append(f.problems, fmt.Sprintf("capsule %s: its row says %.60q, its file not", id, c.value))
		}
	}
	for id := range f.capsules {
		if !files[id] {
			f.problems = append(f.problems, "capsule "+id+" has no file")
		}
	}
}
