package board

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/store"
	"blackboard/board/survival"
	"blackboard/testdata/expect"
)

// rules are those that keep the gate closed, each with what it is about.
func rules(t *testing.T, b *Board, p Policy) string {
	t.Helper()
	v := expect.Value(b.Gate(t.Context(), p))(t)
	if v.Open != (len(v.Reasons) == 0) {
		t.Errorf("open %t with the reasons %+v", v.Open, v.Reasons)
	}
	var out []string
	for _, r := range v.Reasons {
		if len(r.Next) == 0 || r.Clear == "" || r.Content == "" {
			t.Errorf("the reason says not what to do: %+v", r)
		}
		out = append(out, strings.TrimSpace(r.Rule+" "+r.ID+r.Worker))
	}
	s := expect.Value(b.Snapshot(t.Context()))(t)
	if past, err := GateOf(t.Context(), s, p); err != nil || fmt.Sprint(past.Reasons) != fmt.Sprint(v.Reasons) {
		t.Errorf("the snapshot says %v, %v, the board %v", past.Reasons, err, v.Reasons)
	}
	return strings.Join(out, ", ")
}

// sound checks the board, and that its export imports to the same.
func sound(t *testing.T, b *Board) {
	t.Helper()
	if err := b.Check(t.Context()); err != nil {
		t.Error(err)
	}
	var first, second bytes.Buffer
	expect.OK(t, b.Export(t.Context(), &first))
	dir := t.TempDir()
	expect.Value(Import(t.Context(), dir, "w", bytes.NewReader(first.Bytes()), ImportOptions{}))(t)
	copied := mustOpen(t, dir, b.Run())
	if err := copied.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if err := copied.Export(t.Context(), &second); err != nil || first.String() != second.String() {
		t.Errorf("the export changed on its way: %v", err)
	}
}

// TestGateOfEmptyRun: a run on which nothing was posted or raised has a closed gate.
func TestGateOfEmptyRun(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	b, err := Create(ctx, dir, "test", "", "lead", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	is := func(p Policy, want string) {
		t.Helper()
		if got := rules(t, b, p); got != want {
			t.Errorf("%+v: %q, want %q", p, got, want)
		}
	}
	is(Policy{}, "empty")
	is(Policy{Block: []string{}}, "empty")
	is(Policy{MinEntries: 2}, "min-entries")
	if infos, err := List(ctx, dir, Policy{}); err != nil || infos[0].Open {
		t.Errorf("%+v, %v", infos, err)
	}
	expect.Value(b.Set(ctx, "lead", "phase", []byte(`1`), AnyVersion))(t)
	is(Policy{}, "empty")
	expect.Value(b.Signal(ctx, "lead", Raise{Content: "q", Priority: "low"}))(t)
	is(Policy{}, "")
	is(Policy{MinEntries: 1}, "min-entries")
	expect.Value(b.Post(ctx, "w", Post{Content: "a"}))(t)
	is(Policy{MinEntries: 1}, "")
	is(Policy{MinEntries: 2}, "min-entries")
	_, err = b.Gate(ctx, Policy{MinEntries: -1})
	refused(t, err, fault.Invalid, "-1 is not a number of entries")
}

// TestExpected: the gate waits for each worker that is expected, until it is done or dropped; said
// twice, nothing changes.
func TestExpected(t *testing.T) {
	b, ctx := newBoard(t), t.Context()
	all, err := b.Expect(ctx, "lead", []string{"w1", "w2", "w1", "e1"}, false)
	if err != nil || len(all) != 3 || all[0] != (Expected{Worker: "w1", Seq: 2, Status: WorkerExpected, At: all[0].At, By: "lead", Reason: ""}) {
		t.Fatalf("%+v, %v", all, err)
	}
	is := func(want string) {
		t.Helper()
		if got := rules(t, b, Policy{}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	is("empty, expected w1, expected w2, expected e1")
	expect.Value(b.Post(ctx, "w1", Post{Content: "a"}))(t)
	if d, err := b.Entry(ctx, "e1"); err != nil || len(d.History) != 1 {
		t.Errorf("the worker e1 is in the history of the entry: %+v, %v", d.History, err)
	}
	is("expected w1, expected w2, expected e1")
	for range 2 {
		expect.Value(b.Done(ctx, "w1"))(t)
		expect.Value(b.Drop(ctx, "lead", "w2", "late"))(t)
		if all, err = b.Done(ctx, "lead", "e1"); err != nil || all[1].Reason != "late" || all[2].By != "lead" {
			t.Fatalf("%+v, %v", all, err)
		}
		is("")
	}
	expect.Value(b.Post(ctx, "w1", Post{Content: "one more"}))(t)
	before := expect.Value(b.State(ctx))(t)
	expect.Value(b.Expect(ctx, "lead", []string{"w1", "w2"}, false))(t)
	is("")
	if st, err := b.State(ctx); err != nil || st.Seq != before.Seq || len(st.Expected) != 3 {
		t.Errorf("%+v, %v: what was said before is in the log again", st, err)
	}
	if all, err = b.Expect(ctx, "lead", []string{"w2"}, true); err != nil || all[1].Status != WorkerExpected || all[1].Reason != "" {
		t.Errorf("%+v, %v", all, err)
	}
	is("expected w2")
	if _, err := b.Done(ctx, "w2"); err != nil { // one that was dropped, too
		t.Fatal(err)
	}
	for _, note := range []string{"first", "first", "the index of 2019 is left open", ""} {
		all, err = b.DoneWithNote(ctx, "lead", note, "early")
		if last := all[len(all)-1]; err != nil || last.Reason != cmp.Or(note, last.Reason) || last.By != "lead" {
			t.Fatalf("%+v, %v", all, err)
		}
	}
	if n, err := b.History(ctx, "early"); err != nil || all[len(all)-1].Reason != "the index of 2019 is left open" {
		t.Errorf("%+v, %v: %v", n, err, all)
	}
	expect.Value(b.Expect(ctx, "lead", []string{"early"}, false))(t)
	is("")
	sound(t, b)
	if _, err := b.Drop(ctx, "lead", "w2", "late"); !errors.Is(err, fault.Conflict) {
		t.Errorf("one that is done was dropped: %v", err)
	}
	_, err = b.Expect(ctx, "lead", nil, false)
	refused(t, err, fault.Invalid, "no worker is named")
	_, err = b.Expect(ctx, "lead", []string{"a\nb"}, false)
	refused(t, err, fault.Invalid, "cannot be seen")
	_, err = b.Drop(ctx, "lead", "w9", "late")
	refused(t, err, fault.NotFound, "no one expects w9")
	_, err = b.Drop(ctx, "lead", "w1", "late")
	refused(t, err, fault.Conflict, "w1 is done")
	_, err = b.Drop(ctx, "lead", "w1", " ")
	refused(t, err, fault.Invalid, "needs a reason")
}

// TestOlderSchema: where the tables of a newer schema are missing, as in a file that cannot be
// migrated, nobody is expected and no duty was dropped.
func TestOlderSchema(t *testing.T) {
	needsFile(t)
	b, ctx := newBoard(t), t.Context()
	expect.Value(b.Post(ctx, "w", Post{Content: "a"}))(t)
	expect.OK(t, b.db.Write(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(`DROP TABLE expected; DROP TABLE dropped_duties`)
		return err
	}))
	if st, err := b.State(ctx); err != nil || st.Expected == nil || len(st.Expected) > 0 {
		t.Errorf("%+v, %v", st, err)
	}
	if got := rules(t, b, Policy{}); got != "" {
		t.Error(got)
	}
	if s, err := b.Survival(ctx, documents.New("r.md", "x")); err != nil || !s.Passed {
		t.Errorf("%+v, %v", s, err)
	}
	if err := b.Check(ctx); err != nil {
		t.Error(err)
	}
}

// TestWaitRun: a wait for a run ends when the run is made, with an error when the time is over.
func TestWaitRun(t *testing.T) {
	dir := t.TempDir()
	_, err := WaitRun(t.Context(), dir, "no/run")
	if !errors.Is(err, fault.Invalid) {
		t.Errorf("%v", err)
	}
	over, done := context.WithTimeout(t.Context(), 0)
	defer done()
	_, err = WaitRun(over, dir, "later")
	refused(t, err, fault.NotFound, "there is no run later")
	type answer struct {
		b   *Board
		err error
	}
	got := make(chan answer, 1)
	go func() {
		b, err := WaitRun(t.Context(), dir, "later")
		got <- answer{b, err}
	}()
	b := expect.Value(Create(t.Context(), dir, "later", "", "lead", nil))(t)
	defer b.Close()
	a := <-got
	if a.err != nil || a.b.Run() != "later" {
		t.Fatal(a.err)
	}
	a.b.Close()
}

// TestAnswerSuperseded: a signal whose answer is superseded is open again, unless the successor
// answers it.
func TestAnswerSuperseded(t *testing.T) {
	s1 := []string{"s1"}
	for _, c := range []struct {
		name string
		do   func(b *Board, ctx context.Context) error
		by   string // the answer afterwards; "": the signal is open
	}{
		{"by what says nothing of it", func(b *Board, ctx context.Context) error {
			_, err := b.Post(ctx, "x", Post{Content: "b", Supersedes: []string{"e1"}})
			return err
		}, ""},
		{"by another answer", func(b *Board, ctx context.Context) error {
			_, err := b.Post(ctx, "x", Post{Content: "b", Supersedes: []string{"e1"}, Addresses: s1})
			return err
		}, "e2"},
		{"by a link", func(b *Board, ctx context.Context) error {
			_, err := b.PostBatch(ctx, "x", []Post{{Content: "b", Key: "b"}})
			if err == nil {
				var l Linked
				l, err = b.Link(ctx, "x", "e2", Links{Supersedes: []string{"e1"}})
				if !slices.Equal(l.Reopened, s1) {
					err = errors.Join(err, fmt.Errorf("reopened %v", l.Reopened))
				}
			}
			return err
		}, ""},
		{"by a link to both", func(b *Board, ctx context.Context) error {
			_, err := b.Post(ctx, "x", Post{Content: "b"})
			if err == nil {
				var l Linked
				l, err = b.Link(ctx, "x", "e2", Links{Supersedes: []string{"e1"}, Addresses: s1})
				if len(l.Reopened) > 0 {
					err = errors.Join(err, fmt.Errorf("reopened %v", l.Reopened))
				}
			}
			return err
		}, "e2"},
		{"by what has answered it too", func(b *Board, ctx context.Context) error {
			_, err := b.Post(ctx, "x", Post{Content: "b", Addresses: s1})
			if err == nil {
				_, err = b.Link(ctx, "x", "e2", Links{Supersedes: []string{"e1"}})
			}
			return err
		}, "e2"},
		{"twice in a batch, the last an answer", func(b *Board, ctx context.Context) error {
			_, err := b.PostBatch(ctx, "x", []Post{{Content: "b", Key: "b", Supersedes: []string{"e1"}}, {Content: "c", Supersedes: []string{"@b"}, Addresses: s1}})
			return err
		}, "e3"},
		{"twice in a batch, backwards", func(b *Board, ctx context.Context) error {
			_, err := b.PostBatch(ctx, "x", []Post{{Content: "c", Supersedes: []string{"@b"}, Addresses: s1}, {Content: "b", Key: "b", Supersedes: []string{"e1"}}})
			return err
		}, "e2"},
		{"twice in a batch, the last no answer", func(b *Board, ctx context.Context) error {
			_, err := b.PostBatch(ctx, "x", []Post{{Content: "b", Key: "b", Supersedes: []string{"e1"}, Addresses: s1}, {Content: "c", Supersedes: []string{"@b"}}})
			return err
		}, ""},
		{"twice in a batch, the last no answer, backwards", func(b *Board, ctx context.Context) error {
			_, err := b.PostBatch(ctx, "x", []Post{{Content: "c", Supersedes: []string{"@b"}}, {Content: "b", Key: "b", Supersedes: []string{"e1"}, Addresses: s1}})
			return err
		}, ""},
		{"after it was waived", func(b *Board, ctx context.Context) error {
			if _, err := b.Reopen(ctx, "lead", "s1", ""); err != nil {
				return err
			}
			if _, err := b.Waive(ctx, "lead", "s1", "no"); err != nil {
				return err
			}
			_, err := b.Post(ctx, "x", Post{Content: "b", Supersedes: []string{"e1"}})
			return err
		}, "waived"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, ctx := newBoard(t), t.Context()
			expect.Value(b.Signal(ctx, "lead", Raise{Content: "q", Priority: "high"}))(t)
			expect.Values(b.PostAddressing(ctx, "w", "s1", Post{Content: "a"}, nil))(t)
			expect.OK(t, c.do(b, ctx))
			d := expect.Value(b.SignalByID(ctx, "s1"))(t)
			last, s := d.History[len(d.History)-1], d.Signal
			switch {
			case c.by == "waived":
				if s.Status != Waived {
					t.Errorf("%+v", s)
				}
			case c.by == "":
				if s.Status != SignalOpen || last.Verb == record.VerbReopen && !strings.Contains(last.Describe(), "was superseded by e") {
					t.Errorf("%+v, %s", s, last.Describe())
				}
			case s.Status != Addressed || s.AddressedBy != c.by || s.ClosedBy != "x" || last.Verb != record.VerbAddress:
				t.Errorf("%+v", s)
			}
			if points, err := b.Burndown(ctx); err != nil || points[len(points)-1].Total() != map[bool]int64{true: 1}[s.Status == SignalOpen] {
				t.Errorf("%+v, %v", points, err)
			}
			sound(t, b)
		})
	}
}

// TestDutyToSurface: what supersedes a must-surface entry must surface too, unless that is dropped
// with a reason.
func TestDutyToSurface(t *testing.T) {
	b, ctx := newBoard(t), t.Context()
	post := func(posts ...Post) []Posted {
		t.Helper()
		out := expect.Value(b.PostBatch(ctx, "w", posts))(t)
		return out
	}
	must := func(want ...string) {
		t.Helper()
		items, err := b.Items(ctx)
		var got []string
		for _, i := range items {
			got = append(got, i.ID)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v must surface, want %v; %v", got, want, err)
		}
		sound(t, b)
	}
	post(Post{Content: "a", MustSurface: true})
	second := Post{Content: "b", Supersedes: []string{"e1"}, Key: "k"}
	if p := post(second); !p[0].Entry.MustSurface {
		t.Error("the duty was lost")
	}
	if p := post(second); !p[0].Existing { // a retry does not say that it must surface
		t.Error("a retry made another entry")
	}
	must("e2")
	post(Post{Content: "d", Supersedes: []string{"@c"}}, Post{Content: "c", Key: "c", Supersedes: []string{"e2"}}) // e3 supersedes e4
	must("e3")
	post(Post{Content: "no use", Supersedes: []string{"e3"}, DropDuty: "the test was wrong"})
	must()
	s, err := b.Survival(ctx, documents.New("r.md", "x"))
	if err != nil || !s.Passed || len(s.Dropped) != 1 || s.Dropped[0] != (survival.Dropped{ID: "e3", By: "e5", Worker: "w", Reason: "the test was wrong", Content: "d"}) {
		t.Errorf("%+v, %v", s, err)
	}

	post(Post{Content: "f", Type: Contradiction, Contradicts: []string{"e5"}}, Post{Content: "g"}, Post{Content: "h"}) // e6, e7, e8
	if e, err := b.Link(ctx, "x", "e7", Links{Supersedes: []string{"e6"}}); err != nil || !e.MustSurface {
		t.Errorf("%+v, %v", e, err)
	}
	must("e7")
	if e, err := b.LinkDropping(ctx, "x", "e8", Links{Supersedes: []string{"e7"}}, "no use"); err != nil || e.MustSurface {
		t.Errorf("%+v, %v", e, err)
	}
	must()
	if st, err := b.State(ctx); err != nil || st.Entries.MustSurface != 0 {
		t.Errorf("%+v, %v", st, err)
	}

	_, err = b.Post(ctx, "w", Post{Content: "i", Supersedes: []string{"e8"}, DropDuty: "why not"})
	refused(t, err, fault.Invalid, "there is no duty to drop")
	_, err = b.Post(ctx, "w", Post{Content: "i", DropDuty: "why not"})
	refused(t, err, fault.Invalid, "there is no duty to drop")
	_, err = b.LinkDropping(ctx, "w", "e5", Links{Supports: []string{"e1"}}, "why not")
	refused(t, err, fault.Invalid, "there is no duty to drop")
	_, err = b.Post(ctx, "w", Post{Content: "i", MustSurface: true, Supersedes: []string{"e7"}, DropDuty: "why not"})
	refused(t, err, fault.Invalid, "cannot drop it")
}

// TestSourceOfAnswers: who asks for sources asks for those of answers too.
func TestSourceOfAnswers(t *testing.T) {
	b, ctx := newBoard(t), t.Context()
	expect.Value(b.Signal(ctx, "lead", Raise{Content: "q"}))(t)
	posts := []Post{{Content: "a detail"}, {Content: "must", MustSurface: true}, {Content: "the answer", Addresses: []string{"s1"}}, {Content: "both", MustSurface: true, Addresses: []string{"s1"}}}
	expect.Value(b.PostBatch(ctx, "w", posts))(t)
	if got := rules(t, b, Policy{}); got != "" {
		t.Error(got)
	}
	if got := rules(t, b, Policy{RequireSource: true}); got != "require-source e2w, require-source e3w, require-source e4w" {
		t.Error(got)
	}
	for _, id := range []string{"e2", "e3", "e4"} {
		expect.Value(b.Post(ctx, "w", Post{Content: "again", SourceDoc: "a.md", Supersedes: []string{id}, Addresses: []string{"s1"}}))(t)
	}
	if got := rules(t, b, Policy{RequireSource: true}); got != "" {
		t.Error(got)
	}
}

// TestPostedReopened: a post tells which signals it has opened again, but not those that a
// later post of its batch answers.
func TestPostedReopened(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		posts []Post
		want  []string
	}{
		{[]Post{{Content: "b", Supersedes: []string{"e1"}}}, []string{"s1"}},
		{[]Post{{Content: "b", Supersedes: []string{"e1"}, Addresses: []string{"s1"}}}, nil},
		{[]Post{{Content: "b", Supersedes: []string{"e1"}},
			{Content: "c", Addresses: []string{"s1"}}}, nil},
		{[]Post{{Content: "b"}}, nil},
	} {
		b := newBoard(t)
		expect.Value(b.Signal(ctx, "x", Raise{Content: "who?"}))(t)
		expect.Value(b.Post(ctx, "x", Post{Content: "a", Addresses: []string{"s1"}}))(t)
		posted := expect.Value(b.PostBatch(ctx, "x", c.posts))(t)
		if got := posted[0].Reopened; !slices.Equal(got, c.want) {
			t.Errorf("%v: reopened %v, not %v", c.posts, got, c.want)
		}
	}
}
