package memory

import (
	"os"
	"path/filepath"
	"testing"

	"blackboard/board/sqlite"
	"blackboard/kb/store"
	"blackboard/testdata/expect"
)

// TestSchema1 opens a memory of the first schema: what its passes pruned stays forgotten, and can
// be brought back.
func TestSchema1(t *testing.T) {
	home := t.TempDir()
	path := WorkspacePath(home, filepath.Join(home, "project"))
	expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	first := kind
	first.Schema.Migrations, first.Tables = []string{migration1}, first.Tables[:10]
	first.Docs = func(*sqlite.Tx, string, ...any) ([]store.Doc, error) { return nil, nil }
	f := expect.Value(first.Open(t.Context(), path, sqlite.Create, store.Options{Prepare: func(tx *sqlite.Tx) error {
		_, err := tx.Exec(`INSERT INTO meta VALUES ('owner', ?)`, "workspace "+filepath.Join(home, "project"))
		return err
	}}))(t)
	expect.OK(t, f.WriteIndex(t.Context(), func(tx *sqlite.Tx) error {
		for _, it := range []Item{{ID: "m000000001", Content: "The roses want sun"}, {ID: "m000000002", Content: "The tax table is imported by hand", Forgotten: &tx.Now, Rule: "pruned"}} {
			it.Tier, it.Curator, it.Importance, it.Created, it.Revision = Workspace, CuratorAgent, .5, tx.Now, 1
			if err := it.normalise(); err != nil {
				return err
			}
			c := it.stored()
			for i := 0; i < len(c); i += 2 {
				if c[i] == "archived" {
					c = append(c[:i:i], c[i+2:]...)
					break
				}
			}
			n, err := c.Insert(tx, "items")
			if err != nil {
				return err
			}
			if it.n = n; it.Forgotten == nil {
				if err := f.Index.Put(tx, document(&it, nil)); err != nil {
					return err
				}
			}
		}
		_, err := tx.Exec(`INSERT INTO consolidated VALUES ('workspace', ?, 2)`, tx.Now.UnixMilli())
		return err
	}))
	expect.OK(t, f.Close())
	s := open(t, home, Options{})
	if l, _, err := s.List(t.Context(), ListQuery{}); err != nil || len(l) != 1 || l[0].ID != "m000000001" {
		t.Fatalf("%+v, %v", l, err)
	}
	if got := get(t, s, "m000000002"); got.Rule != "pruned" || got.Archived != nil {
		t.Errorf("%+v", got)
	}
	expect.Value(s.Restore(t.Context(), "m000000002"))(t)
	sound(t, s)
	if h, err := Check(t.Context(), home, path, true); err != nil || h.Index != nil || h.Live != 2 {
		t.Errorf("%+v, %v", h, err)
	}
	consolidate(t, s)
}
