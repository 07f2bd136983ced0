package kb

import (
	"context"
	"slices"
	"strings"
	"testing"
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
	c, err := k.Get(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
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
	if _, err := k.Restore(ctx, old, 1, "it holds after all"); err != nil {
		t.Fatal(err)
	}
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
