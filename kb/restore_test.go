package kb

import (
	"context"
	"slices"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
)

// TestEditAndRestore: what a capsule was stays in its history, can be read, and can be had again.
func TestEditAndRestore(t *testing.T) {
	ctx, k := context.Background(), newKB(t, embedtest.NewHash(64))
	c := put(t, k, Capsule{Title: "the timeout", Body: "a request times out after 30 seconds", Source: "http.go"})
	text, revision, err := k.Text(ctx, c.ID)
	if err != nil || revision != 1 || !strings.Contains(string(text), "after 30 seconds") {
		t.Fatalf("revision %d, %v: %s", revision, err, text)
	}
	r, err := k.EditText(ctx, c.ID, []byte(strings.Replace(string(text), "30 seconds", "a minute", 1)), EditOptions{Revision: new(1), Why: "measured"})
	if err != nil || r.Capsule.Revision != 2 || r.Capsule.Body != "a request times out after a minute" || r.Unchanged {
		t.Fatalf("%+v, %v", r, err)
	}
	if r, err := k.Edit(ctx, c.ID, func(*Capsule) error { return nil }, EditOptions{}); err != nil || !r.Unchanged || r.Capsule.Revision != 2 {
		t.Errorf("an edit of nothing: %+v, %v", r, err)
	}
	_, err = k.EditText(ctx, c.ID, text, EditOptions{Revision: new(1)})
	refused(t, err, fault.Conflict, "is at revision 2, not 1")
	_, err = k.EditText(ctx, c.ID, []byte("no front matter"), EditOptions{})
	refused(t, err, fault.Invalid, "not a valid capsule")
	events, err := k.History(ctx, c.ID)
	if err != nil || len(events) != 2 || events[0].Verb != VerbRemembered || events[1].Verb != VerbEdited || events[1].Why != "measured" || !slices.Equal(events[1].Changed, []string{"body"}) {
		t.Fatalf("%+v, %v", events, err)
	}
	if was, err := k.Revision(ctx, c.ID, 1); err != nil || was.Body != c.Body {
		t.Errorf("%+v, %v", was, err)
	}
	_, err = k.Revision(ctx, c.ID, 7)
	refused(t, err, fault.NotFound, "has no revision 7")
	_, err = k.Revision(ctx, "k000000000", 1)
	refused(t, err, fault.NotFound, "not found")
	_, err = k.Restore(ctx, c.ID, 2, "")
	refused(t, err, fault.Conflict, "is already as it was at revision 2")
	back, err := k.Restore(ctx, c.ID, 1, "it was right")
	if err != nil || back.Revision != 3 || back.Body != c.Body || back.Model == "" {
		t.Fatalf("%+v, %v", back, err)
	}
	if hits := ask(t, k, Query{Text: "30 seconds", Mode: ModeVector}).Hits; len(hits) == 0 || hits[0].ID != c.ID {
		t.Error("what was restored is not found by its meaning")
	}
	sound(t, k)
}

// TestRestoreWhatStoodAside: a capsule that was retired or superseded stands again after it was
// restored, and curation leaves it alone.
func TestRestoreWhatStoodAside(t *testing.T) {
	ctx, k := context.Background(), newKB(t, nil)
	c := put(t, k, Capsule{Title: "as many words", Body: "the same thing is said here in as many words"})
	if r, err := k.Retire(ctx, c.ID, "nobody needs it"); err != nil || r.Retired == nil || r.RetiredWhy != "nobody needs it" {
		t.Fatalf("%+v, %v", r, err)
	}
	_, err := k.Retire(ctx, c.ID, "")
	refused(t, err, fault.Conflict, "is already retired")
	if c, err := k.Restore(ctx, c.ID, 1, ""); err != nil || c.Retired != nil {
		t.Fatalf("%+v, %v", c, err)
	}
	double := put(t, k, Capsule{Title: "the same thing", Body: c.Body}, RememberOptions{Force: true})
	d, err := k.Dedupe(ctx, CurateOptions{})
	if err != nil || len(d.Duplicates) != 1 {
		t.Fatalf("%+v, %v", d, err)
	}
	drop, keep := d.Duplicates[0].Drop, d.Duplicates[0].Keep
	if !slices.Contains([]string{c.ID, double.ID}, drop.ID) {
		t.Fatalf("%+v", d.Duplicates[0])
	}
	if back, err := k.Restore(ctx, drop.ID, drop.Revision, "both are needed"); err != nil || back.SupersededBy != "" {
		t.Fatalf("%+v, %v", back, err)
	}
	if over, err := k.Get(ctx, keep.ID); err != nil || len(over.Supersedes) != 0 {
		t.Errorf("the other still names it: %+v, %v", over, err)
	}
	if d, err := k.Dedupe(ctx, CurateOptions{}); err != nil || len(d.Duplicates) != 0 {
		t.Errorf("curation does it again: %+v, %v", d, err)
	}
	sound(t, k)
}

// TestResolve: what was decided about two capsules is done, noted with both, and not asked again.
func TestResolve(t *testing.T) {
	ctx, k := context.Background(), newKB(t, nil)
	pair := func(name string) (a, b Capsule) {
		return put(t, k, Capsule{Title: name + " limit", Body: "the " + name + " limit is 10 requests"}), put(t, k, Capsule{Title: name + " limit, measured", Body: "the " + name + " limit is 20 requests"})
	}
	standing := func() []string {
		t.Helper()
		all, looked, err := k.Contradictions(ctx, CurateOptions{})
		if err != nil || looked == 0 {
			t.Fatalf("looked at %d: %v", looked, err)
		}
		ids := []string{}
		for _, c := range all {
			ids = append(ids, c.A.ID, c.B.ID)
		}
		return ids
	}
	a, b := pair("upload")
	if ids := standing(); !slices.Contains(ids, a.ID) || !slices.Contains(ids, b.ID) {
		t.Fatalf("%v does not have %s and %s", ids, a.ID, b.ID)
	}
	expect.OK(t, k.Resolve(ctx, a.ID, b.ID, ResolveStand, "one is per user"))
	if ids := standing(); len(ids) != 0 {
		t.Errorf("what was decided is asked again: %v", ids)
	}
	for _, id := range []string{a.ID, b.ID} {
		if events, err := k.History(ctx, id); err != nil || events[len(events)-1].Verb != VerbDecided || events[len(events)-1].Why != DecisionStand+": one is per user" {
			t.Errorf("%+v, %v", events, err)
		}
	}
	a, b = pair("download")
	expect.OK(t, k.Resolve(ctx, b.ID, a.ID, ResolveSupersede, ""))
	if c, err := k.Get(ctx, a.ID); err != nil || c.SupersededBy != b.ID {
		t.Errorf("%+v, %v", c, err)
	}
	refused(t, k.Resolve(ctx, b.ID, a.ID, ResolveSupersede, ""), fault.Conflict, "is already superseded by "+b.ID)
	refused(t, k.Resolve(ctx, a.ID, b.ID, ResolveSupersede, ""), fault.Conflict, "is not active itself")
	a, b = pair("login")
	expect.OK(t, k.Resolve(ctx, b.ID, a.ID, ResolveRetire, "it was wrong"))
	if c, err := k.Get(ctx, a.ID); err != nil || c.Retired == nil || c.RetiredWhy != "it was wrong" {
		t.Errorf("%+v, %v", c, err)
	}
	refused(t, k.Resolve(ctx, b.ID, a.ID, ResolveRetire, ""), fault.Conflict, "is already retired")
	refused(t, k.Resolve(ctx, a.ID, a.ID, ResolveStand, ""), fault.Invalid, "the same capsule")
	refused(t, k.Resolve(ctx, a.ID, b.ID, "shrug", ""), fault.Invalid, "resolution")
	refused(t, k.Resolve(ctx, "k1", b.ID, ResolveStand, ""), fault.Invalid, "is not a capsule id")
	sound(t, k)
}
