package kb

import (
	"errors"
	"testing"
	"time"

	"blackboard/board/sqlite"
	"blackboard/testdata/cost"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
	"blackboard/testdata/pgtest"
)

// TestCopy takes capsules from files to PostgreSQL and back, with all that was done to them.
func TestCopy(t *testing.T) {
	cost.SkipShort(t)
	needsFile(t)
	place, err := onServer(t.TempDir())
	if errors.Is(err, pgtest.ErrNone) {
		t.Skip(err)
	}
	expect.OK(t, err)
	home, back := t.TempDir(), t.TempDir()
	var now time.Time
	opt := Options{Embedder: embedtest.NewHash(384), Actor: "ada", Now: func() time.Time { return now }}
	x := &twin{KB: openKB(t, home, opt)}
	x.fill(t, 120, &now)
	dir := t.TempDir()
	write(t, dir, "expire.md", "Removes files.\n\n## Options\n\nHow old they may be.\n")
	ingest(t, x.KB, dir)
	write(t, dir, "expire.md", "Removes files.\n")
	ingest(t, x.KB, dir) // one is gone, its history is there
	measured := func(k *KB) (c Calibration) {
		expect.OK(t, k.db.Read(t.Context(), func(tx *sqlite.Tx) (err error) {
			c, _, err = threshold(tx, opt.Embedder.Model().Name)
			return err
		}))
		return c
	}
	expect.OK(t, x.db.Write(t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.Exec(`INSERT INTO thresholds VALUES (?, 384, 0.7, 0.9, 0.95, 1)`, opt.Embedder.Model().Name)
		return err
	}))
	copied := func(from, to string, want Copied) {
		t.Helper()
		got, err := Copy(t.Context(), from, to, "ada")
		expect.OK(t, err)
		if len(want.Conflicts) == len(got.Conflicts) {
			want.Conflicts = got.Conflicts
		}
		want.Capsules = got.Capsules
		if got.Capsules < 122 || !equalCopied(got, want) {
			t.Errorf("%s to %s: %+v, not %+v", from, to, got, want)
		}
	}
	all := 122
	copied(home, place, Copied{New: all})
	copied(home, place, Copied{})
	copied(place, back, Copied{New: all})
	there := openKB(t, place, opt)
	for _, k := range []*KB{there, openKB(t, back, opt)} {
		sound(t, k)
		settledIn(t, k)
		if got, want := measured(k), measured(x.KB); got != want {
			t.Errorf("calibration: %+v, not %+v", got, want)
		}
		if got, want := x.plain(t, ask(t, k, Query{Text: "doco zokodo", Peek: true}).Hits), x.plain(t, ask(t, x.KB, Query{Text: "doco zokodo", Peek: true}).Hits); got != want {
			t.Errorf("%s\nnot\n%s", got, want)
		}
	}
	edit := func(k *KB, id, body string) {
		t.Helper()
		_, err := k.Edit(t.Context(), id, func(c *Capsule) error { c.Body = body; return nil }, EditOptions{Force: true})
		expect.OK(t, err)
	}
	edit(x.KB, x.ids[0], "It has gone on here.")
	edit(there, x.ids[2], "It has gone on there.")
	edit(x.KB, x.ids[3], "At both, here.")
	edit(there, x.ids[3], "At both, there.")
	copied(home, place, Copied{Changed: 1, Newer: 1, Conflicts: make([]string, 1)})
	copied(place, home, Copied{Changed: 1, Conflicts: make([]string, 1)})
	if c, err := there.Get(t.Context(), x.ids[3]); err != nil || c.Body != "At both, there." {
		t.Errorf("%+v, %v", c, err)
	}
	sound(t, there)
	sound(t, x.KB)
}

func equalCopied(a, b Copied) bool {
	return a.New == b.New && a.Changed == b.Changed && a.Newer == b.Newer && len(a.Conflicts) == len(b.Conflicts)
}

// settledIn is settled for a knowledge base with files.
func settledIn(t *testing.T, k *KB) {
	t.Helper()
	if k.sidecars != "" {
		settled(t, k)
	}
}
