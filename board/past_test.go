package board

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"blackboard/board/fault"
	"blackboard/board/verify"
	"blackboard/testdata/expect"
)

// samePast fails unless a moment is the one that a replay rebuilds.
func samePast(t *testing.T, p *Past, want *Snapshot) {
	t.Helper()
	same := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("event %d: %s is\n%+v and was\n%+v", p.Seq, what, got, want)
		}
	}
	ctx := t.Context()
	got, was := p.State(), want.State()
	same("the number of entries", got.Entries.Total, was.Entries.Total)
	same("the statuses", got.Entries.ByStatus, was.Entries.ByStatus)
	same("the signals", p.Signals, want.Signals)
	same("the count of signals", got.Signals, was.Signals)
	same("the variables", got.Variables, was.Variables)
	same("the workers expected", got.Expected, was.Expected)
	same("who wrote", got.Workers, was.Workers)
	same("what was given", got.Retrievals, was.Retrievals)
	none, two := int64(0), int64(2)
	for _, policy := range []Policy{{}, {MaxDisputed: &none, MaxOpen: &two, Expect: []string{"w3", "w9"}, Block: []string{}}, {Block: []string{"low"}, MinEntries: 3}, {MaxDisputed: &none, RequireSource: true}, {RequireVerified: true, RequireEvidence: true, Block: []string{}}} {
		open := expect.Value(GateOf(t.Context(), want, policy))(t)
		verdict := expect.Value(p.Gate(ctx, policy))(t)
		same("the gate", verdict.Open, open.Open)
		same("why", verdict.Reasons, open.Reasons)
	}
	for _, q := range []Query{{Order: Oldest}, {Order: Oldest, Statuses: []string{Disputed}}, {Order: Oldest, Statuses: []string{Active, Superseded}}, {Order: Oldest, MustSurface: true}} {
		found := expect.Value(p.Query(ctx, q))(t)
		ids, of := []string{}, []string{}
		for _, e := range found.Entries {
			ids = append(ids, fmt.Sprint(e.ID, e.Status, e.MustSurface))
		}
		for _, e := range want.Entries {
			if (len(q.Statuses) == 0 || slices.Contains(q.Statuses, e.Status)) && (!q.MustSurface || e.MustSurface) {
				of = append(of, fmt.Sprint(e.ID, e.Status, e.MustSurface))
			}
		}
		same(fmt.Sprintf("the answer to %+v", q), ids, of)
	}
	for i := range want.Entries {
		e := &want.Entries[i]
		d := expect.Value(p.Entry(ctx, e.ID))(t)
		same(e.ID, d.Entry, *e)
		same("what links to "+e.ID, d.Linked, backlinksOf(want, e.ID))
		same("the duties of "+e.ID, d.SurfaceWaivers, want.DroppedOf(e.ID))
	}
	for i := range want.Signals {
		s := &want.Signals[i]
		d := expect.Value(p.SignalByID(ctx, s.ID))(t)
		same(s.ID, d.Signal, *s)
		same("what links to "+s.ID, d.Linked, backlinksOf(want, s.ID))
	}
	if _, err := p.Entry(ctx, EntryID(p.Posted+1)); !errors.Is(err, fault.NotFound) {
		t.Fatalf("e%d was not posted yet and can be read", p.Posted+1)
	}
}

// TestTimelineGrows: a timeline that has grown is the one that is read anew, and the shorter one
// still tells what it told.
func TestTimelineGrows(t *testing.T) {
	b := manyEvents(t)
	before := expect.Value(b.Timeline(t.Context()))(t)
	last := before.Last()
	expect.Value(b.Post(t.Context(), "late", Post{Content: "one more", Contradicts: []string{"e2"}}))(t)
	after := expect.Value(b.Timeline(t.Context()))(t)
	b.timeline = timelines{}
	anew, err := b.Timeline(t.Context())
	if err != nil || !reflect.DeepEqual(after.acts, anew.acts) || before.Last() != last {
		t.Fatalf("%d events, then %d, anew %d: %v", before.Last(), after.Last(), anew.Last(), err)
	}
	for _, lane := range after.Lanes(10) {
		switch sum := lane.Posted[9]; lane.Worker {
		case "late":
			if sum != 1 || lane.Entries != 1 || lane.Did[0] {
				t.Errorf("the lane of who came late is %+v", lane)
			}
		case "w":
			if lane.Entries != 4*280 || !lane.Did[0] {
				t.Errorf("the lane of who was there is %+v", lane)
			}
		}
	}
	if _, err := b.At(t.Context(), anew.Last()+1); !errors.Is(err, fault.NotFound) {
		t.Errorf("beyond the end of the log there is %v", err)
	}
}

// TestPastVerdicts: at each moment an entry has the verdict that it had then, stale if its source
// was another file by then.
func TestPastVerdicts(t *testing.T) {
	dir, docs := verifiedBoard(t)
	b := expect.Value(Open(t.Context(), dir, "r"))(t)
	defer b.Close()
	file := filepath.Join(docs, "a.md")
	expect.OK(t, os.WriteFile(file, []byte("Tokens do expire.\n"), 0o644))
	expect.Value(b.AddSources(t.Context(), "w", []verify.File{{Name: "a.md", Path: file}}, false))(t)
	expect.Value(b.Verify(t.Context(), "checker", VerifyOptions{}))(t)
	expect.OK(t, b.RemoveSources(t.Context(), "w", "a.md"))
	timeline := expect.Value(b.Timeline(t.Context()))(t)
	for seq := range timeline.Last() {
		want := expect.Value(b.Replay(t.Context(), seq+1))(t)
		p := expect.Value(b.At(t.Context(), seq+1))(t)
		samePast(t, p, want)
	}
}

// TestSince says what has changed between two moments: what is new, what is another status, and
// what was set, not what came and went.
func TestSince(t *testing.T) {
	b := newBoard(t)
	ctx := t.Context()
	posted := func(p Post) string {
		t.Helper()
		out := expect.Value(b.Post(ctx, "w", p))(t)
		return out.Entry.ID
	}
	done := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	e1, e2 := posted(Post{Content: "one"}), posted(Post{Content: "two"})
	done(b.Signal(ctx, "w", Raise{Content: "first?", Priority: "high"}))
	done(b.Signal(ctx, "w", Raise{Content: "second?", Priority: "low"}))
	done(b.Set(ctx, "w", "phase", []byte("1"), AnyVersion))
	done(b.Set(ctx, "w", "gone", []byte("1"), AnyVersion))
	state := expect.Value(b.State(ctx))(t)
	e3 := posted(Post{Content: "three", Supersedes: []string{e1}, Addresses: []string{"s1"}})
	e4 := posted(Post{Content: "four", Contradicts: []string{e2}})
	done(b.Signal(ctx, "w", Raise{Content: "third?"}))
	done(b.Waive(ctx, "w", "s2", "no"))
	done(b.Reopen(ctx, "w", "s2", ""))
	done(b.Set(ctx, "w", "phase", []byte("2"), AnyVersion))
	done(b.Delete(ctx, "w", "gone", AnyVersion))
	done(b.Expect(ctx, "lead", []string{"w"}, false))
	before := expect.Value(b.At(ctx, state.Seq))(t)
	timeline := expect.Value(b.Timeline(ctx))(t)
	now := expect.Value(b.At(ctx, timeline.Last()))(t)
	c := now.ChangesSince(before, 10)
	got := fmt.Sprint(c.Posted)
	for _, e := range c.Entries {
		got += " " + e.ID
	}
	for _, s := range c.Status {
		got += " " + s.Entry.ID + ":" + s.Was + ">" + s.Entry.Status
	}
	for i, s := range c.Signals {
		got += " " + s.ID + ":" + c.Was[i] + ">" + s.Status
	}
	for _, v := range c.Variables {
		got += " " + v.Key + "=" + string(v.Value)
	}
	want := "2 " + e3 + " " + e4 + " e1:active>superseded e2:active>disputed s1:open>addressed s3:>open phase=2 gone="
	if got != want || len(c.Expected) != 1 {
		t.Errorf("%s, expected %v; want %s", got, c.Expected, want)
	}
	if c = now.ChangesSince(before, 1); c.Posted != 2 || len(c.Entries) != 1 || len(c.Status) != 1 {
		t.Errorf("with a limit of one: %+v", c)
	}
}

// backlinksOf returns the links that point at an entry or a signal.
func backlinksOf(s *Snapshot, id string) []Backlink {
	links := []Backlink{}
	for _, e := range s.Entries {
		for _, kind := range LinkKinds {
			if slices.Contains(e.Of(kind), id) {
				links = append(links, Backlink{Kind: kind, From: e.ID, Line: Line(e.Content, 100)})
			}
		}
	}
	return links
}
