package memory

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/kb/index"
	"blackboard/testdata/expect"
)

// TestCheck finds what is wrong with a file, and changes nothing.
func TestCheck(t *testing.T) {
	home := t.TempDir()
	s := open(t, home, Options{Embedder: bag{}})
	put(t, s, Item{Tier: Account, Content: "of everywhere"})
	put(t, s, Item{Tier: Workspace, Content: "of the project"})
	put(t, open(t, home, Options{}), Item{Tier: Workspace, Content: "of the project, without"})
	gone := put(t, s, Item{Tier: Workspace, Content: "forgotten"})
	expect.Value(s.Forget(t.Context(), gone.ID, "for the test", ""))(t)
	account, project := AccountPath(home), WorkspacePath(home, s.Workspace())
	expect.OK(t, s.Close())
	expect.OK(t, os.WriteFile(filepath.Join(Dir(home), "workspaces", "note.txt"), nil, 0o600))
	if all, err := Paths(home); err != nil || !slices.Equal(all, []string{account, project}) {
		t.Errorf("the files are %q, %v", all, err)
	}
	if all, err := Paths(filepath.Join(home, "nowhere")); err != nil || len(all) != 0 || all == nil {
		t.Errorf("the files of nobody are %q, %v", all, err)
	}
	for _, full := range []bool{false, true} {
		if h, err := Check(t.Context(), home, account, full); err != nil || h != (Health{Account: true, Live: 1, Model: "bag"}) {
			t.Errorf("the account: %+v, %v", h, err)
		}
		if h, err := Check(t.Context(), home, project, full); err != nil || h != (Health{Workspace: s.Workspace(), Live: 2, Unembedded: 1, Model: "bag"}) {
			t.Errorf("the project: %+v, %v", h, err)
		}
	}

	write(t, project, `DELETE FROM memory_index_tail WHERE gen = (SELECT max(gen) FROM memory_index_tail)`)
	if h, err := Check(t.Context(), home, project, false); err != nil || h.Index != nil {
		t.Errorf("what only a full check reads: %+v, %v", h, err)
	}
	if h, err := Check(t.Context(), home, project, true); err != nil || !errors.Is(h.Index, index.ErrCorrupt) || h.Live != 2 {
		t.Errorf("a damaged index: %+v, %v", h, err)
	}
	expect.OK(t, Reindex(t.Context(), project))
	if h, err := Check(t.Context(), home, project, true); err != nil || h.Index != nil || h.Live != 2 {
		t.Errorf("rebuilt: %+v, %v", h, err)
	}
	write(t, project, `UPDATE items SET content = 'changed past the program' WHERE n = 1`)
	if _, err := Check(t.Context(), home, project, false); err != nil {
		t.Errorf("what only a full check compares: %v", err)
	}
	if _, err := Check(t.Context(), home, project, true); !errors.Is(err, fault.Corrupt) {
		t.Errorf("an item that was changed past the program: %v", err)
	}

	other := WorkspacePath(home, filepath.Join(home, "other"))
	data, err := os.ReadFile(account)
	if err == nil {
		err = os.WriteFile(other, data, 0o600)
	}
	expect.OK(t, err)
	if _, err := Check(t.Context(), home, other, false); !errors.Is(err, fault.Corrupt) {
		t.Errorf("under another's name: %v", err)
	}
	expect.OK(t, os.WriteFile(other, nil, 0o600))
	if _, err := Check(t.Context(), home, other, false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("empty: %v", err)
	}
	expect.OK(t, os.WriteFile(other, []byte("no database at all, though it is longer than the mark of one"), 0o600))
	if _, err := Check(t.Context(), home, other, false); !errors.Is(err, fault.Corrupt) {
		t.Errorf("garbage: %v", err)
	}
}

// write runs a statement on a file, as nobody does by accident.
func write(t *testing.T, path, stmt string) {
	t.Helper()
	db := expect.Value(sqlite.Open(t.Context(), path, schema, sqlite.ReadWrite))(t)
	defer db.Close()
	expect.OK(t, db.Write(t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.Exec(stmt)
		return err
	}))
}
