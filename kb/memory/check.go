package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/kb/index"
)

// Health is what Check has found of one file.
type Health struct {
	Account   bool   // it is the account's, else a workspace's
	Workspace string // the directory whose memory it is
	Live      int    // items that reads find
	Archived  int    // items that are out of sight, and not forgotten
	Bare      int    // of both without an embedding
	Model     string // of the embeddings; "": there are none
	// Index is what is wrong with the search index, nil if nothing is: it is derived, and Reindex makes it anew.
	Index error
	// Gaps is how many events are missing from the log: they are numbered without a gap, and none is ever removed.
	Gaps int64
	// Misnamed says that the file is sound, and has another name than that of the workspace whose it says it is.
	Misnamed bool
}

// invariants are what holds of the tables of a sound file.
var invariants = []sqlite.Invariant{
	sqlite.ForeignKeys,
	{Breaks: `SELECT count(*) FROM items WHERE channel <> '' AND channel NOT IN (SELECT name FROM channels)`, Say: "has %d items of channels that are not there"},
	{Breaks: `SELECT count(*) FROM items WHERE tier = 'conversation' AND conversation NOT IN (SELECT ref FROM conversations)`, Say: "has %d items of conversations that are not there"},
	{Breaks: `SELECT count(*) FROM items WHERE forgotten IS NULL AND revision <= (SELECT max(revision) FROM revisions WHERE subject = id)`, Say: "has %d items that are no newer than what they were before"},
}

// Paths returns the files of a data home's memory, without opening them: the account's and those of workspaces. What else lies there is left out.
func Paths(home string) ([]string, error) {
	all := []string{}
	if _, err := os.Lstat(AccountPath(home)); err == nil {
		all = append(all, AccountPath(home))
	}
	dir := filepath.Join(Dir(home), "workspaces")
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".sqlite3" {
			all = append(all, filepath.Join(dir, e.Name()))
		}
	}
	return all, nil
}

// Check looks at one file of a data home's memory, whoever's it is, and changes nothing in it but what opening does, which brings an old schema up to date: SQLite's integrity check, what the
// tables say of each other, and gaps in the log. full holds the search index against itself and the items, too. The error is for a file that cannot be used: it matches those of package sqlite, fs.ErrNotExist if nothing was written to
// it yet, and fault.Corrupt also if it has another name than the workspace's that it says it is of.
func Check(ctx context.Context, home, path string, full bool) (h Health, err error) {
	db, err := sqlite.Open(ctx, path, schema, sqlite.ReadWrite)
	if err != nil {
		return h, err
	}
	defer db.Close()
	f := kind.On(db)
	if err := f.Sound(ctx); err != nil {
		return h, err
	}
	x := f.Index
	err = db.Read(ctx, func(tx *sqlite.Tx) error {
		if err := h.owner(tx, home, path); err != nil {
			return err
		}
		if err := tx.QueryRow(`SELECT coalesce(max(n), 0) - count(*) FROM events`).Scan(&h.Gaps); err != nil {
			return err
		}
		if err := tx.QueryRow(`SELECT coalesce(sum(archived IS NULL), 0), count(archived), coalesce(sum(model = ''), 0) FROM items WHERE forgotten IS NULL`).Scan(&h.Live, &h.Archived, &h.Bare); err != nil {
			return err
		}
		state, err := x.State(tx)
		if err == nil && state != index.Ready {
			return nil // whoever opens it next makes it anew
		}
		if err == nil {
			h.Model, _, err = x.Model(tx)
		}
		if err == nil && full {
			err = f.CheckIndex(tx)
		}
		if errors.Is(err, index.ErrCorrupt) {
			h.Index, err = err, nil
		}
		return err
	})
	return h, err
}

// owner reads whose the file is, and holds its name against that.
func (h *Health) owner(tx *sqlite.Tx, home, path string) error {
	owner, err := ownerIn(tx)
	if err != nil {
		return err
	}
	dir, ofWorkspace := strings.CutPrefix(owner, "workspace ")
	h.Account, h.Workspace = owner == "account", dir
	want := AccountPath(home)
	if ofWorkspace {
		want = WorkspacePath(home, dir)
	} else {
		h.Workspace = ""
	}
	if owner != "" && filepath.Base(want) != filepath.Base(path) {
		h.Misnamed = true
		return sqlite.Fault(fault.Corrupt, path, fmt.Sprintf("holds the memory of the %s, and is not named as that", clip(owner, 200)), nil)
	}
	return nil
}

// Salvage makes the file to of what can be read of a damaged file of the memory, with a search index of its own, and says what is lost. The damaged file stays as it is.
func Salvage(ctx context.Context, path, to string) (sqlite.Salvaged, error) {
	return kind.Salvage(ctx, path, to, nameLost)
}

// nameLost gives items back the channels that they are in, and names those that were put, never removed, and are not there.
func nameLost(tx *sqlite.Tx, s *sqlite.Salvaged) error {
	if _, err := tx.Exec(`INSERT INTO channels SELECT channel, '', 0, min(created) FROM items WHERE channel <> '' AND channel NOT IN (SELECT name FROM channels) GROUP BY channel`); err != nil {
		return err
	}
	var lost string
	var n int
	err := tx.QueryRow(`SELECT count(*), coalesce(group_concat(subject, ', '), '') FROM (SELECT DISTINCT subject FROM events WHERE verb = ? AND subject NOT IN (SELECT id FROM items)
		AND NOT EXISTS (SELECT 1 FROM events WHERE verb IN (?, ?, ?)) ORDER BY n)`, VerbPut, VerbScrubbed, VerbPurged, VerbAdopted).Scan(&n, &lost)
	if err == nil && n > 0 {
		s.Lost = append(s.Lost, sqlite.TableLoss{Table: "items", Say: fmt.Sprintf("%d items are missing that the log knows of: %s", n, clip(lost, 200))})
	}
	return err
}

// Reindex makes the search index of one file anew from its items. Embeddings are kept where they can be.
func Reindex(ctx context.Context, path string) error { return kind.Reindex(ctx, path) }
