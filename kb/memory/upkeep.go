package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/store"
)

type Health struct {
	Account    bool   // the account's file; otherwise a workspace's
	Workspace  string // directory of the workspace
	Live       int    // active items
	Archived   int    // archived items
	Unembedded int    // active and archived items without an embedding
	Model      string // of the embeddings; "": there are none
	Index      error
	// Gaps is how many events are missing from the log: they are numbered, and never deleted.
	Gaps int64
	// Misnamed says that the file is sound but its name does not match its owner.
	Misnamed bool
}

var invariants = []sqlite.Invariant{
	{Breaks: `SELECT count(*) FROM items WHERE channel <> '' AND channel NOT IN (SELECT name
		FROM channels)`, Say: "has %d items in unknown channels"},
	{Breaks: `SELECT count(*) FROM items WHERE tier = 'conversation'
		AND conversation NOT IN (SELECT ref
		FROM conversations)`, Say: "has %d items in unknown conversations"},
	{Breaks: `SELECT count(*) FROM items WHERE forgotten IS NULL
		AND revision <= (SELECT max(revision) FROM revisions
		WHERE subject = id)`, Say: "has %d items that are not newer than their revisions"},
}

// Paths returns the memory files of a data home without opening them. Other files are left out.
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

// Check checks one memory file of a data home, whoever owns it: SQLite's integrity
// check, the tables against each other, and gaps in the log. full also checks the search
// index. Check changes nothing but the schema, which opening migrates.
//
// The error is for a file that cannot be used: an error of package sqlite, fs.ErrNotExist if it
// does not exist, fault.Corrupt also if its name is that of another workspace.
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
		if err := tx.QueryRow(`SELECT coalesce(max(n), 0) - count(*) FROM events`).Scan(
			&h.Gaps); err != nil {
			return err
		}
		if err := tx.QueryRow(`SELECT coalesce(sum(archived IS NULL), 0), count(archived),
			coalesce(sum(model = ''), 0) FROM items
			WHERE forgotten IS NULL`).Scan(&h.Live, &h.Archived, &h.Unembedded); err != nil {
			return err
		}
		if full {
			if err := checkTextHashes(tx, path); err != nil {
				return err
			}
		}
		state, err := x.State(tx)
		if err == nil && state != index.Ready {
			return nil // the next process to open it rebuilds the index
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

func checkTextHashes(tx *sqlite.Tx, path string) error {
	var id, content string
	var hash []byte
	return tx.Each([]any{&id, &content, &hash}, func() error {
		if bytes.Equal(hash, textHash(content)) {
			return nil
		}
		return sqlite.Fault(fault.Corrupt, path, "has an item "+id+" that differs from its hash: it was "+
			"changed past the program", nil, fault.Do("memory.get", "{} shows it", "id", id))
	}, `SELECT id, content, text_hash FROM items ORDER BY n`)
}

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
		return sqlite.Fault(fault.Corrupt, path,
			fmt.Sprintf("holds the memory of the %s, but has another name", clip(owner, 200)),
			nil)
	}
	return nil
}

// Salvage copies what can be read of a damaged file to a new one, and returns what is lost.
func Salvage(ctx context.Context, path, to string) (sqlite.Salvaged, error) {
	return kind.Salvage(ctx, path, to, nameLost)
}

// nameLost recreates missing channels, and names items that are missing.
func nameLost(tx *sqlite.Tx, s *sqlite.Salvaged) error {
	if _, err := tx.Exec(`INSERT INTO channels SELECT channel, '', 0, min(created) FROM items
		WHERE channel <> '' AND channel NOT IN (SELECT name FROM channels)
		GROUP BY channel`); err != nil {
		return err
	}
	var lost string
	var n int
	err := tx.QueryRow(`SELECT count(*), coalesce(group_concat(subject, ', '), '')
		FROM (SELECT DISTINCT subject FROM events WHERE verb = ? AND subject NOT IN (SELECT id
		FROM items)
		AND NOT EXISTS (SELECT 1 FROM events WHERE verb IN (?, ?, ?))
		ORDER BY n)`, VerbPut, VerbScrubbed, VerbPurged, VerbAdopted).Scan(&n, &lost)
	if err == nil && n > 0 {
		s.Lost = append(s.Lost, sqlite.TableLoss{
			Table: "items", Say: fmt.Sprintf("%d items in the log are missing: %s", n,
				clip(lost, 200))})
	}
	return err
}

// Reindex rebuilds the search index of one file from its items. It keeps embeddings where possible.
func Reindex(ctx context.Context, path string) error { return kind.Reindex(ctx, path) }

type Reembedded = store.Embedded

// Reembed embeds the active items of the caller's files that have no embedding of the current
// model, in at most `batches` batches (0: all). It needs a model.
func (s *Store) Reembed(ctx context.Context, batches int, progress func(done, of int)) (
	Reembedded, error) {
	return s.embed(ctx, store.EmbedOptions{Batches: batches, Change: true, Progress: progress})
}

// Backfill embeds items that have no embedding, for about as long as a caller may wait. What another
// model has embedded it leaves alone.
func (s *Store) Backfill(ctx context.Context, within time.Duration) (Reembedded, error) {
	return s.embed(ctx, store.EmbedOptions{Within: within})
}

func (s *Store) embed(ctx context.Context, opt store.EmbedOptions) (Reembedded, error) {
	if s.opt.Embedder == nil {
		return Reembedded{}, embed.NoModel()
	}
	var files []*store.File
	for f, err := range s.reached(ctx) {
		if err != nil {
			return Reembedded{Model: s.opt.Embedder.Model().Name}, err
		}
		files = append(files, f.File)
	}
	return store.Embed(ctx, s.opt.Embedder, files, opt)
}

// ReembedFile is Reembed for one file: that of a workspace, or of the account ("").
func ReembedFile(ctx context.Context, home, workspace string, e embed.Embedder,
	progress func(done, of int)) (int, error) {
	opt := Options{Workspace: workspace, Author: true, Actor: "reembed", Embedder: e,
		Tiers: Tiers[:slices.Index(Tiers, Account)]}
	if workspace == "" {
		opt.Tiers = []string{Account}
	}
	s, err := Open(home, opt)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	r, err := s.Reembed(ctx, 0, progress)
	return r.Embedded, err
}
