package store

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
)

// note is a row of the file that the tests own.
type note struct {
	n       int64
	ID      string
	Text    string
	Tags    []string
	Created time.Time
	Ended   *time.Time
	Model   string
}

func (x *note) columns() Columns {
	return Columns{"id", &x.ID, "text", &x.Text, "tags", &x.Tags, "created", &x.Created,
		"ended", &x.Ended, "model", &x.Model}
}

func notes(tx *sqlite.Tx, where string, args ...any) ([]note, error) {
	return sqlite.All(tx, func(x *note) []any { return x.columns().Dest("a note %s whose tags", &x.n) },
		`SELECT n, `+new(note).columns().Names("", "")+` FROM notes WHERE `+where, args...)
}

// kind is of notes; those that have ended are not indexed.
var kind = Kind{Name: "the pad", Table: "notes", Live: "ended IS NULL", Row: "note", Batch: 3, Tables: []string{"notes"},
	Schema: sqlite.Schema{Name: "pad", ApplicationID: 0x626b7431, Migrations: []string{`CREATE TABLE notes (n INTEGER PRIMARY KEY AUTOINCREMENT,
		id TEXT NOT NULL UNIQUE, text TEXT NOT NULL, tags TEXT NOT NULL, created INTEGER NOT NULL, ended INTEGER, model TEXT NOT NULL) STRICT`}},
	Index: index.Config{Name: "note_index", Weights: []float64{1}, K1: 0.9, B: 0.4},
	Docs: func(tx *sqlite.Tx, where string, args ...any) ([]Doc, error) {
		all, err := notes(tx, where, args...)
		docs := make([]Doc, len(all))
		for i, x := range all {
			docs[i] = Doc{Kept: index.Kept{Doc: index.Doc{ID: x.n, Text: []string{x.Text}}, Model: x.Model}, Meaning: x.Text}
		}
		return docs, err
	}}

// pad opens a file and writes notes.
func pad(tb testing.TB, texts ...string) *File {
	tb.Helper()
	f, err := kind.Open(tb.Context(), filepath.Join(tb.TempDir(), "pad.sqlite3"), sqlite.Create, Options{})
	expect.OK(tb, err)
	tb.Cleanup(func() { f.Close() })
	expect.OK(tb, f.Write(tb.Context(), func(tx *sqlite.Tx) error {
		for _, text := range texts {
			x := note{ID: NewID('n'), Text: text, Created: tx.Now}
			n, err := x.columns().Insert(tx, "notes")
			if err == nil {
				err = f.Index.Put(tx, index.Doc{ID: n, Text: []string{text}})
			}
			if err != nil {
				return err
			}
		}
		return nil
	}))
	return f
}

func run(tb testing.TB, f *File, stmt string, args ...any) {
	tb.Helper()
	expect.OK(tb, f.Write(tb.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.Exec(stmt, args...)
		return err
	}))
}

// check holds the index against the rows, and returns how many of those that live have
// an embedding.
func check(tb testing.TB, f *File) (n int) {
	tb.Helper()
	expect.OK(tb, f.Sound(tb.Context()))
	expect.OK(tb, f.Read(tb.Context(), func(tx *sqlite.Tx) (err error) {
		if n, err = sqlite.One[int](tx, `SELECT count(*) FROM notes WHERE model <> '' AND ended IS NULL`); err != nil {
			return err
		}
		s, err := f.Index.Stats(tx)
		if err == nil && int(s.Vectors) != n {
			tb.Errorf("the index has %d vectors, the rows %d", s.Vectors, n)
		}
		return errors.Join(err, f.CheckIndex(tx))
	}))
	return n
}

// TestRows: what is written by the list of columns is read by it, and a list that is no
// JSON is named.
func TestRows(t *testing.T) {
	f := pad(t)
	at := time.Date(2026, 2, 3, 4, 5, 6, 7e6, time.UTC)
	want := note{ID: NewID('n'), Text: "one", Tags: []string{"a", "b"}, Created: at, Ended: &at, Model: "m"}
	other := note{ID: NewID('n'), Text: "two", Created: at}
	expect.OK(t, f.Write(t.Context(), func(tx *sqlite.Tx) (err error) {
		if want.n, err = want.columns().Insert(tx, "notes"); err == nil {
			other.n, err = other.columns().Insert(tx, "notes")
		}
		want.Text = "changed"
		return errors.Join(err, want.columns().Update(tx, "notes", want.n))
	}))
	read := func() (all []note, err error) {
		err = f.Read(t.Context(), func(tx *sqlite.Tx) (err error) {
			all, err = notes(tx, `1 ORDER BY n`)
			return err
		})
		return all, err
	}
	all, err := read()
	expect.OK(t, err)
	if len(all) != 2 || all[0].Text != "changed" || !slices.Equal(all[0].Tags, want.Tags) || !all[0].Created.Equal(at) || all[0].Ended == nil || !all[0].Ended.Equal(at) || all[0].Model != "m" {
		t.Errorf("%+v", all)
	}
	if len(all) == 2 && (all[1].Text != "two" || all[1].Tags == nil || len(all[1].Tags) != 0 || all[1].Ended != nil) {
		t.Errorf("a row has what the row before it has: %+v", all[1])
	}
	run(t, f, `UPDATE notes SET tags = 'no list' WHERE n = ?`, other.n)
	if _, err := read(); !errors.Is(err, fault.Corrupt) || !strings.Contains(err.Error(), "has a note "+other.ID+" whose tags cannot be read") || !strings.Contains(err.Error(), f.Path()) {
		t.Errorf("%v", err)
	}
}

// TestReindexIfCorrupt: damage in the index costs one more try, no row and no embedding
// that can be read, and what failed for another reason is not tried again.
func TestReindexIfCorrupt(t *testing.T) {
	f := pad(t, "alpha", "beta", "gamma", "delta", "epsilon")
	_, err := Embed(t.Context(), embedtest.NewHash(64), []*File{f}, EmbedOptions{})
	expect.OK(t, err)
	for name, use := range map[string]func(*File, context.Context, func(*sqlite.Tx) error) error{"ReadIndex": (*File).ReadIndex, "WriteIndex": (*File).WriteIndex} {
		run(t, f, `UPDATE note_index_tail SET record = x'ffffffff'`)
		fresh, err := kind.Open(t.Context(), f.Path(), sqlite.ReadWrite, Options{})
		expect.OK(t, err)
		defer fresh.Close()
		tries := 0
		expect.OK(t, use(fresh, t.Context(), func(tx *sqlite.Tx) error {
			tries++
			found, err := fresh.Index.Search(tx, index.Query{Text: "gamma", Depth: 5})
			if err == nil && len(found.Candidates) != 1 {
				t.Errorf("%s: found %v", name, found.Candidates)
			}
			return err
		}))
		if tries != 2 {
			t.Errorf("%s: %d tries", name, tries)
		}
		if n := check(t, fresh); n != 5 {
			t.Errorf("%s: %d embeddings are left", name, n)
		}
		failed := errors.New("of the caller")
		if err := use(fresh, t.Context(), func(*sqlite.Tx) error { tries++; return failed }); !errors.Is(err, failed) || tries != 3 {
			t.Errorf("%s: %v after %d tries", name, err, tries)
		}
	}
}

// TestOpenPrepares: an index that is not there, or not of this program, is made once;
// and what the first use does is done once.
func TestOpenPrepares(t *testing.T) {
	f := pad(t, "alpha", "beta", "gamma", "delta")
	run(t, f, `UPDATE notes SET ended = 1 WHERE text = 'delta'`)
	run(t, f, `UPDATE note_index_meta SET stamp = 'another'`)
	done := false
	opt := Options{Warm: true,
		Ready:   func(*sqlite.Tx) (bool, error) { return done, nil },
		Prepare: func(*sqlite.Tx) error { done = !done; return nil }}
	for range 2 {
		g, err := kind.Open(t.Context(), f.Path(), sqlite.ReadWrite, opt)
		expect.OK(t, err)
		check(t, g)
		expect.OK(t, g.Close())
		if !done {
			t.Error("the first use was prepared twice, or never")
		}
	}
	refused := errors.New("another's")
	opt.Ready = func(*sqlite.Tx) (bool, error) { return false, refused }
	if _, err := kind.Open(t.Context(), f.Path(), sqlite.ReadWrite, opt); !errors.Is(err, refused) {
		t.Errorf("%v", err)
	}
}

// meanwhile is an embedder that does something before it answers.
type meanwhile struct {
	embed.Embedder
	do func()
}

func (m meanwhile) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	m.do()
	return m.Embedder.Embed(ctx, texts)
}

type renamed struct {
	embed.Embedder
	name string
}

func (r renamed) Model() embed.Model { return embed.Model{Name: r.name, Dim: r.Embedder.Model().Dim} }

// TestEmbed: batches are kept and counted, what changed or went meanwhile gets no
// embedding of what it was, and files of another model are left alone unless they are
// to change over.
func TestEmbed(t *testing.T) {
	texts := make([]string, 2*EmbedBatch+1)
	for i := range texts {
		texts[i] = "note " + strings.Repeat("x", i+1)
	}
	f, e := pad(t, texts...), embedtest.NewHash(64)
	unembedded := func(e embed.Embedder, want int) {
		t.Helper()
		if n, err := f.Unembedded(t.Context(), e); err != nil || n != want {
			t.Errorf("%d rows wait for an embedding, want %d, %v", n, want, err)
		}
	}
	unembedded(e, len(texts))
	for i, want := range []Embedded{{"hash", EmbedBatch, EmbedBatch + 1}, {"hash", EmbedBatch, 1}, {"hash", 1, 0}, {"hash", 0, 0}} {
		if got, err := Embed(t.Context(), e, []*File{f}, EmbedOptions{Batches: 1}); err != nil || got != want {
			t.Errorf("%d: %+v, want %+v, %v", i, got, want, err)
		}
	}
	if n := check(t, f); n != len(texts) {
		t.Errorf("%d have an embedding", n)
	}
	other := renamed{e, "other"}
	unembedded(e, 0)
	unembedded(other, len(texts))
	if got, err := Embed(t.Context(), other, []*File{f}, EmbedOptions{}); err != nil || got != (Embedded{Model: "other"}) || check(t, f) != len(texts) {
		t.Errorf("%+v, %v", got, err)
	}
	var steps []int
	if got, err := Embed(t.Context(), other, []*File{f}, EmbedOptions{Change: true, Progress: func(done, of int) { steps = append(steps, done, of) }}); err != nil || got != (Embedded{Model: "other", Embedded: len(texts)}) ||
		!slices.Equal(steps, []int{50, 101, 100, 101, 101, 101}) || check(t, f) != len(texts) {
		t.Errorf("%+v, %v, %v", got, steps, err)
	}

	g := pad(t, "goes", "changes", "stays", "ends", "is chosen")
	got, err := Embed(t.Context(), e, []*File{g}, EmbedOptions{Where: `text LIKE ?`, Args: []any{"is %"}})
	if err != nil || got != (Embedded{Model: "hash", Embedded: 1}) {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = Embed(t.Context(), meanwhile{e, func() {
		expect.OK(t, g.Write(t.Context(), func(tx *sqlite.Tx) error {
			gone, err := sqlite.Column[int64](tx, `SELECT n FROM notes WHERE text IN ('goes', 'ends')`)
			if err == nil {
				err = g.Index.Delete(tx, gone...)
			}
			for _, stmt := range []string{`DELETE FROM notes WHERE text = 'goes'`, `UPDATE notes SET ended = 1 WHERE text = 'ends'`, `UPDATE notes SET text = 'is new' WHERE text = 'changes'`} {
				if err == nil {
					_, err = tx.Exec(stmt)
				}
			}
			return err
		}))
	}}, []*File{g}, EmbedOptions{})
	if err != nil || got != (Embedded{Model: "hash", Embedded: 1, Left: 1}) || check(t, g) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	// Another process changes over while this one embeds: vectors of two models are
	// never mixed.
	_, err = Embed(t.Context(), meanwhile{e, func() {
		expect.OK(t, g.Write(t.Context(), func(tx *sqlite.Tx) error {
			_, err := tx.Exec(`UPDATE notes SET model = ''`)
			return errors.Join(err, g.Index.SetModel(tx, other.Model()))
		}))
	}}, []*File{g}, EmbedOptions{})
	if !errors.Is(err, index.ErrOtherModel) || check(t, g) != 0 {
		t.Errorf("%v", err)
	}
}

// TestSalvage: what can be read of a damaged file is in the new one, with an index.
func TestSalvage(t *testing.T) {
	f := pad(t, "alpha", "beta")
	to := filepath.Join(t.TempDir(), "new.sqlite3")
	mended := 0
	_, err := kind.Salvage(t.Context(), f.Path(), to, func(tx *sqlite.Tx, _ *sqlite.Salvaged) error {
		mended++
		_, err := tx.Exec(`UPDATE notes SET text = 'mended' WHERE text = 'beta'`)
		return err
	})
	expect.OK(t, err)
	g, err := kind.Open(t.Context(), to, sqlite.ReadWrite, Options{})
	expect.OK(t, err)
	defer g.Close()
	check(t, g)
	expect.OK(t, g.Read(t.Context(), func(tx *sqlite.Tx) error {
		found, err := g.Index.Search(tx, index.Query{Text: "mended", Depth: 5})
		if len(found.Candidates) != 1 || mended != 1 {
			t.Errorf("%v, mended %d times", found.Candidates, mended)
		}
		return err
	}))
}

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		id string
		is bool
	}{{NewID('m'), true}, {NewID('j'), true}, {NewID('k'), false}, {"m12345678", false}, {"m1234567l9", false}, {"", false}} {
		if IsID(c.id, "mj") != c.is {
			t.Errorf("IsID(%q) is %v", c.id, !c.is)
		}
	}
	if a, b := NewID('m'), NewID('m'); a == b {
		t.Error("two ids are the same")
	}
	hash := func(string) []byte { return []byte{0xab} }
	if got := Keyword("p:", strings.Repeat("é", 200), 9, hash); got != "p:"+strings.Repeat("é", 200) {
		t.Errorf("one that fits is %q", got)
	}
	if got := Keyword("p:", strings.Repeat("é", 201), 9, hash); got != "p:éééé#ab" {
		t.Errorf("one that is too long is %q", got)
	}
}
