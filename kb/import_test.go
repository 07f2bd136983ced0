package kb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/testdata/expect"
)

// imported imports capsules as one set, which must be taken whole.
func imported(t *testing.T, k *KB, caps ...Capsule) Imported {
	t.Helper()
	set := &ImportSet{Format: "test"}
	for _, c := range caps {
		if c.Body == "" {
			c.Body = "what " + c.Title + " says"
		}
		set.Items = append(set.Items, Incoming{Capsule: c, From: c.Title, Notes: []string{}})
	}
	out, err := k.Import(context.Background(), set, ImportOptions{})
	if err != nil || len(out.Refused) > 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	return out
}

func row(t *testing.T, k *KB, id string) *Capsule {
	t.Helper()
	c := expect.Value(k.Get(context.Background(), id))(t)
	return &c
}

// TestImportedIDs: the same id of the same tool is the same here, and no other one is.
func TestImportedIDs(t *testing.T) {
	a := ImportedID("ai-kb", "1")
	if CheckID(a) != nil || a != ImportedID("ai-kb", "1") || a == ImportedID("ai-kb", "2") ||
		a == ImportedID("ai-kb1", "") {
		t.Error(a)
	}
}

// TestImportSuperseded: what is superseded elsewhere does not stand here, in whatever
// order the parts come, and a second import changes nothing.
func TestImportSuperseded(t *testing.T) {
	old, over := ImportedID("x", "old"), ImportedID("x", "over")
	a := Capsule{ID: old, Title: "Old", SupersededBy: over, DecayScore: 0.5}
	b := Capsule{ID: over, Title: "Over", Supersedes: []string{old}}
	plain := a
	plain.SupersededBy = ""
	for name, parts := range map[string][][]Capsule{
		"at once":          {{a, b}},
		"the old one says": {{a, {ID: over, Title: "Over"}}},
		"old first":        {{a}, {b}},
		"new first":        {{b}, {plain}},
		"said later":       {{plain, {ID: over, Title: "Over"}}, {a, b}},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKB(t, nil)
			for _, part := range parts {
				imported(t, k, part...)
			}
			if got := row(t, k, old); got.SupersededBy != over || got.DecayScore != 0.5 {
				t.Errorf("%+v", got)
			}
			if got := row(t, k, over); !slices.Equal(got.Supersedes, []string{old}) ||
				got.Retired != nil {
				t.Errorf("%+v", got)
			}
			sound(t, k)
			before := row(t, k, old).Revision + row(t, k, over).Revision
			for _, part := range parts {
				if out := imported(t, k, part...); len(out.Already) != len(part) ||
					len(out.Notes) > 0 {
					t.Errorf("again: %+v", out)
				}
			}
			if after := row(t, k, old).Revision + row(t, k, over).Revision; after != before {
				t.Errorf("%d revisions, before %d", after, before)
			}
		})
	}
}

// TestImportSupersededByNothing: what was superseded by a capsule that does not come
// along stays out of searches.
func TestImportSupersededByNothing(t *testing.T) {
	k, old := newKB(t, nil), ImportedID("x", "old")
	c := Capsule{ID: old, Title: "Old", SupersededBy: ImportedID("x", "over")}
	out := imported(t, k, c)
	if got := row(t, k, old); got.Retired == nil || got.SupersededBy != "" ||
		!strings.Contains(got.RetiredWhy, "does not exist here") ||
		len(out.Notes) != 1 {
		t.Errorf("%+v, %q", got, out.Notes)
	}
	if hits := ask(t, k, Query{Text: "what Old says"}).Hits; len(hits) > 0 {
		t.Errorf("it is found: %+v", hits)
	}
	if out := imported(t, k, c); len(out.Already) != 1 || len(out.Notes) > 0 {
		t.Errorf("again: %+v", out)
	}
	sound(t, k)
}

// TestImportSupersededReleased: who makes a capsule stand again here is not overruled by
// the next import.
func TestImportSupersededReleased(t *testing.T) {
	ctx, k := context.Background(), newKB(t, nil)
	old, over := ImportedID("x", "old"), ImportedID("x", "over")
	set := []Capsule{
		{ID: old, Title: "Old", SupersededBy: over},
		{ID: over, Title: "Over", Supersedes: []string{old}},
	}
	imported(t, k, Capsule{ID: old, Title: "Old"})
	imported(t, k, set...)
	expect.Value(k.Restore(ctx, old, 1, "it holds after all"))(t)
	if got := row(t, k, old); got.SupersededBy != "" {
		t.Fatalf("it is still superseded: %+v", got)
	}
	if out := imported(t, k, set...); len(out.Already) != 2 || len(out.Changed) > 0 {
		t.Errorf("%+v", out)
	}
	if got := row(t, k, old); got.SupersededBy != "" {
		t.Errorf("%+v", got)
	}
	sound(t, k)
}

// TestImportCircle: links that go in a circle are left out, and a second import leaves
// it at that.
func TestImportCircle(t *testing.T) {
	k := newKB(t, nil)
	a, b := ImportedID("x", "a"), ImportedID("x", "b")
	set := []Capsule{
		{ID: a, Title: "A", SupersededBy: b, Supersedes: []string{b}},
		{ID: b, Title: "B", SupersededBy: a, Supersedes: []string{a}},
	}
	if out := imported(t, k, set...); len(out.Notes) == 0 {
		t.Errorf("%+v", out)
	}
	before := *row(t, k, a)
	other := *row(t, k, b)
	imported(t, k, set...)
	if got := row(t, k, a); got.Revision != before.Revision ||
		row(t, k, b).Revision != other.Revision {
		t.Errorf("%+v, before %+v", got, before)
	}
	sound(t, k)
}

// TestImportDuplicates: what says the same as an earlier item of its import, or as what was
// there or has come meanwhile, is not stored again, however many lie between them, and
// what says nearly the same is named.
func TestImportDuplicates(t *testing.T) {
	usual := importBatch
	importBatch = 200 // all are alike, and each is held against those that are like it
	t.Cleanup(func() { importBatch = usual })
	for _, before := range []int{0, 300} {
		k := newKB(t, nil)
		say := func(i int) Capsule {
			return Capsule{Kind: "fact", Title: fmt.Sprintf("The queue of worker w%d", i), Body: fmt.Sprintf(
				"The queue of worker w%d drains into bucket b%d before the nightly run ends", i, i*7)}
		}
		var set ImportSet
		for i := range before {
			set.Items = append(set.Items, Incoming{Capsule: say(10_000 + i), From: "before"})
		}
		expect.Value(k.Import(t.Context(), &set, ImportOptions{}))(t)
		set = ImportSet{}
		for i := range 2*importBatch + 50 {
			set.Items = append(set.Items, Incoming{Capsule: say(i), From: fmt.Sprint("item ", i)})
		}
		again := func(i int, more string) {
			c := say(i)
			c.Title, c.Body = fmt.Sprintf("Drains of the queue of worker w%d", i), c.Body+more
			set.Items = append(set.Items, Incoming{Capsule: c, From: fmt.Sprint("again ", i)})
		}
		again(3, "")
		again(2*importBatch+9, "")
		again(20_000, "")
		if before > 0 {
			again(10_003, "")
		}
		like := say(5)
		like.Title, like.Body = like.Title+" drains", like.Body+", mostly"
		set.Items = append(set.Items, Incoming{Capsule: like, From: "like 5"})
		meanwhile := false
		out := expect.Value(k.Import(t.Context(), &set, ImportOptions{Progress: func(string, int, int) {
			if !meanwhile {
				put(t, k, say(20_000))
			}
			meanwhile = true
		}}))(t)
		var already []string
		for _, a := range out.Already {
			already = append(already, a.From)
		}
		want := []string{"again 3", fmt.Sprint("again ", 2*importBatch+9), "again 20000"}
		if before > 0 {
			want = append(want, "again 10003")
		}
		if !slices.Equal(already, want) || len(out.Refused) > 0 {
			t.Errorf("with %d before: %q are there already, not %q; refused %v", before, already,
				want, out.Refused)
		}
		last := out.Stored[len(out.Stored)-1]
		if last.From != "like 5" || !strings.Contains(strings.Join(last.Notes, " "), "worker w5\"") {
			t.Errorf("%s has the notes %q", last.From, last.Notes)
		}
		sound(t, k)
	}
}

// TestImportRolledBack: a batch that fails leaves no file, whole or half, and nothing in the
// index.
func TestImportRolledBack(t *testing.T) {
	needsFile(t)
	k := newKB(t, nil)
	kept := put(t, k, Capsule{Title: "kept", Body: "it stays"})
	err := k.change(t.Context(), func(ch *change) error {
		for i := range 40 {
			c := Capsule{Kind: "fact", Scope: "universal", Title: fmt.Sprint("new ", i), Body: "b"}
			if i == 39 {
				c.Supersedes = []string{kept.ID} // which has the others written first
			}
			if err := ch.insert(&c, nil, VerbImported, ""); err != nil {
				return err
			}
			if _, err := os.Lstat(k.sidecarPath(c.ID)); (err == nil) != (i == 39) {
				t.Errorf("after capsule %d its file: %v", i, err)
			}
		}
		return errDryRun
	})
	if err != errDryRun {
		t.Fatal(err)
	}
	files, err := os.ReadDir(k.sidecars)
	if err != nil || len(files) != 1 || files[0].Name() != kept.ID+sidecarExt {
		t.Errorf("%v, %v", files, err)
	}
	if hits := ask(t, k, Query{Text: "new"}).Hits; len(hits) > 0 {
		t.Errorf("it is found: %+v", hits)
	}
	sound(t, k)
}

// TestNewFilesOfAChange: new sidecars are written while a change goes on. One that fails leaves
// none, and one that changes its capsule again writes what it said last.
func TestNewFilesOfAChange(t *testing.T) {
	if !onFiles {
		t.Skip("in a database there are no sidecars")
	}
	k := openKB(t, t.TempDir(), Options{})
	note := func(title string) *Capsule {
		return &Capsule{Title: title, Body: "It says " + title, Kind: "fact", Scope: "universal"}
	}
	names := func() []string {
		found, err := filepath.Glob(filepath.Join(k.sidecars, "*"))
		hidden, err2 := filepath.Glob(filepath.Join(k.sidecars, ".*"))
		expect.OK(t, errors.Join(err, err2))
		return append(found, hidden...)
	}
	failed := errors.New("failed")
	if err := k.change(t.Context(), func(ch *change) error {
		for i := range 2 * writersAtOnce {
			if err := ch.insert(note(fmt.Sprint("number ", i)), nil, VerbRemembered, ""); err != nil {
				return err
			}
		}
		return failed
	}); err != failed || len(names()) > 0 {
		t.Errorf("a change that fails: %v, and leaves %q", err, names())
	}
	first := note("first")
	expect.OK(t, k.change(t.Context(), func(ch *change) error {
		if err := ch.insert(first, nil, VerbRemembered, ""); err != nil {
			return err
		}
		now := *first
		now.Body = "It says more"
		return ch.update(first, &now, nil, VerbEdited, "", "")
	}))
	data, err := os.ReadFile(k.sidecarPath(first.ID))
	if err != nil || !strings.Contains(string(data), "It says more") || len(names()) != 1 {
		t.Errorf("the file says %q, %v; there are %q", data, err, names())
	}
	sound(t, k)
}
