package board

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/store"
	"blackboard/testdata/expect"
)

// disputants posts entries of which e1 and e2, e1 and e3, and e2 and e3 may contradict each other.
func disputants(t *testing.T) *Board {
	t.Helper()
	b := newBoard(t)
	for _, s := range []string{"The gateway closes idle connections after 30 seconds.", "The gateway closes idle connections after 60 seconds.",
		"The gateway closes idle connections after 90 seconds.", "Backups are kept in Dover."} {
		expect.Value(b.Post(t.Context(), "w", Post{Content: s}))(t)
	}
	return b
}

func listed(t *testing.T, b *Board) string {
	t.Helper()
	c := expect.Value(b.Conflicts(t.Context(), ConflictQuery{}))(t)
	var ids []string
	for _, p := range c.Pairs {
		ids = append(ids, p.A.ID+p.B.ID)
	}
	if c.Total != len(ids) {
		t.Errorf("%d pairs, but %d are listed", c.Total, len(ids))
	}
	return strings.Join(ids, " ")
}

// TestSettle: what is settled in either order, or linked, is no conflict.
func TestSettle(t *testing.T) {
	b := disputants(t)
	if got := listed(t, b); got != "e1e2 e1e3 e2e3" {
		t.Fatal(got)
	}
	s, err := b.Settle(t.Context(), "lead", "e2", "e1", "one is of the old version")
	if err != nil || s.A != "e1" || s.B != "e2" || s.Worker != "lead" {
		t.Fatalf("%+v, %v", s, err)
	}
	if got := listed(t, b); got != "e1e3 e2e3" {
		t.Error(got)
	}
	for _, tc := range []struct {
		a, b, reason string
		want         error
	}{
		{"e1", "e2", "again", fault.Conflict}, {"e1", "e1", "x", fault.Invalid}, {"e1", "e9", "x", fault.NotFound},
		{"e1", "s1", "x", fault.Invalid}, {"e1", "e3", "  ", fault.Invalid},
	} {
		if _, err := b.Settle(t.Context(), "lead", tc.a, tc.b, tc.reason); !errors.Is(err, tc.want) {
			t.Errorf("%s %s %q: %v", tc.a, tc.b, tc.reason, err)
		}
	}
	expect.Value(b.Link(t.Context(), "w", "e3", Links{Contradicts: []string{"e1"}}))(t)
	if got := listed(t, b); got != "e2e3" { // and e1 is disputed
		t.Error(got)
	}
	for _, id := range []string{"e1", "e2"} {
		if d, err := b.Entry(t.Context(), id); err != nil || len(d.Settled) != 1 || d.Settled[0] != s {
			t.Errorf("%s: %+v, %v", id, d.Settled, err)
		}
	}
	if d, err := b.Entry(t.Context(), "e3"); err != nil || len(d.Settled) != 0 || d.Settled == nil {
		t.Errorf("e3: %+v, %v", d.Settled, err)
	}
	events, err := b.History(t.Context(), "e1")
	if err != nil || events[1].Verb != record.VerbReconcile || events[1].Describe() != "with e2: one is of the old version" {
		t.Errorf("%+v, %v", events, err)
	}
}

// TestSettleLinked: a settlement ends the dispute of a link, unless another entry disputes it too;
// whoever disagrees posts a new entry.
func TestSettleLinked(t *testing.T) {
	b := newBoard(t)
	ctx := t.Context()
	for _, p := range []Post{{Content: "the crane lifts 40 tonnes"},
		{Content: "the crane lifts 25 tonnes", Contradicts: []string{"e1"}},
		{Content: "the crane lifts 30 tonnes", Contradicts: []string{"e1"}}} {
		expect.Value(b.Post(ctx, "w", p))(t)
	}
	status := func(id, want string) {
		t.Helper()
		if d, err := b.Entry(ctx, id); err != nil || d.Entry.Status != want {
			t.Errorf("%s is %s, not %s: %v", id, d.Entry.Status, want, err)
		}
	}
	settle := func(a, c string) {
		t.Helper()
		expect.Value(b.Settle(ctx, "lead", a, c, "before and after the inspection"))(t)
	}
	settle("e1", "e2")
	status("e1", Disputed) // by e3
	settle("e3", "e1")
	status("e1", Active)
	none := int64(0)
	if v, err := b.Gate(ctx, Policy{MaxDisputed: &none}); err != nil || !v.Open {
		t.Errorf("%+v, %v", v.Reasons, err)
	}
	if items, err := b.Items(ctx); err != nil || len(items) != 2 { // both are still to be told
		t.Errorf("%+v, %v", items, err)
	}
	_, err := b.Link(ctx, "w", "e1", Links{Contradicts: []string{"e2"}})
	refused(t, err, fault.Conflict, "e1 and e2 were settled by lead")
	expect.Value(b.Post(ctx, "w", Post{Content: "it lifts 20 tonnes", Contradicts: []string{"e1"}}))(t)
	status("e1", Disputed)
	expect.Value(b.Post(ctx, "w", Post{Content: "no: 40", Supersedes: []string{"e4"}}))(t)
	status("e1", Active)
	if err := b.Check(ctx); err != nil {
		t.Error(err)
	}
}

// TestSettlementsLast: the log rebuilds settlements, and an export carries them.
func TestSettlementsLast(t *testing.T) {
	b := disputants(t)
	want := expect.Value(b.Settle(t.Context(), "lead", "e1", "e3", "both hold"))(t)
	expect.OK(t, b.Check(t.Context()))
	s, err := b.Replay(t.Context(), want.Seq)
	if err != nil || len(s.Settled) != 1 || s.Settled[0] != want {
		t.Errorf("replay: %+v, %v", s.Settled, err)
	}
	if s, err := b.Replay(t.Context(), want.Seq-1); err != nil || len(s.Settled) != 0 {
		t.Errorf("replay of before: %+v, %v", s.Settled, err)
	}
	var out bytes.Buffer
	expect.OK(t, b.Export(t.Context(), &out))
	dir := t.TempDir()
	if _, err := Import(t.Context(), dir, "w", strings.NewReader(strings.Replace(out.String(), `"reason":"both hold","worker"`, `"reason":"neither","worker"`, 1)), ImportOptions{}); !errors.Is(err, fault.Invalid) {
		t.Errorf("an export that says otherwise than its log: %v", err)
	}
	expect.Value(Import(t.Context(), dir, "w", &out, ImportOptions{}))(t)
	c := expect.Value(Open(t.Context(), dir, b.Run()))(t)
	defer c.Close()
	if got := listed(t, c); got != "e1e2 e2e3" {
		t.Errorf("imported: %s", got)
	}
	if err := c.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestSettlementChecked: a table that lost a settlement does not agree with its log.
func TestSettlementChecked(t *testing.T) {
	b := disputants(t)
	expect.Value(b.Settle(t.Context(), "lead", "e1", "e3", "both hold"))(t)
	expect.OK(t, b.db.Write(t.Context(), func(tx *store.Tx) error { _, err := tx.Exec(`DELETE FROM settlements`); return err }))
	if err := b.Check(t.Context()); !errors.Is(err, fault.Corrupt) || !strings.Contains(err.Error(), "0 settled pairs, not 1") {
		t.Errorf("%v", err)
	}
	if !onFiles {
		return // where nothing is rebuilt
	}
	b.Close()
	if s, _, err := Rebuild(t.Context(), b.dir, b.Run()); err != nil || !s.Whole {
		t.Fatalf("%+v, %v", s, err)
	}
	c := expect.Value(Open(t.Context(), b.dir, b.Run()))(t)
	defer c.Close()
	if got := listed(t, c); got != "e1e2 e2e3" {
		t.Errorf("rebuilt: %s", got)
	}
}

// TestRaiseConflicts: each pair is asked about once, and what becomes of the question settles it.
func TestRaiseConflicts(t *testing.T) {
	b := disputants(t)
	c := expect.Value(b.Conflicts(t.Context(), ConflictQuery{}))(t)
	for _, want := range []int{3, 0} {
		raised, err := b.RaiseConflicts(t.Context(), "lead", &c, "high")
		if err != nil || len(raised) != want {
			t.Fatalf("%+v, %v", raised, err)
		}
	}
	if c.Pairs[0].Signal != "s1" {
		t.Errorf("%+v", c.Pairs[0])
	}
	s, err := b.SignalByID(t.Context(), "s1")
	if err != nil || s.Signal.Origin != "e2" || s.Signal.Priority != "high" || !strings.Contains(s.Signal.Content, "e1 and e2 may contradict each other (30 seconds and 60 seconds: ") {
		t.Errorf("%+v, %v", s.Signal, err)
	}
	if c, err = b.Conflicts(t.Context(), ConflictQuery{}); err != nil || c.Pairs[0].Signal != "s1" || c.Total != 3 {
		t.Errorf("%+v, %v", c, err)
	}
	expect.Value(b.Waive(t.Context(), "w", "s1", "two versions"))(t)
	expect.Values(b.PostAddressing(t.Context(), "w", "s2", Post{Content: "An interview settled which."}, nil))(t)
	if got := listed(t, b); got != "e2e3" {
		t.Error(got)
	}
	expect.Value(b.Reopen(t.Context(), "w", "s1", ""))(t)
	if got := listed(t, b); got != "e1e2 e2e3" {
		t.Errorf("reopened: %s", got)
	}
	if _, err := b.RaiseConflicts(t.Context(), "lead", &c, "urgent"); !errors.Is(err, fault.Invalid) {
		t.Errorf("%v", err)
	}
}

// TestConflictQuery: types are of both entries, and Max cuts the list but not the count.
func TestConflictQuery(t *testing.T) {
	b := disputants(t)
	for _, p := range []Post{{Type: Calculation, Content: "The gateway closes idle connections after 75 seconds."},
		{Type: Contradiction, Content: "The gateway closes idle connections after 45 seconds."}} {
		expect.Value(b.Post(t.Context(), "w", p))(t)
	}
	for _, tc := range []struct {
		q                      ConflictQuery
		total, pairs, compared int
	}{
		{ConflictQuery{}, 6, 6, 5}, {ConflictQuery{Max: 2}, 6, 2, 5}, {ConflictQuery{Types: []string{Calculation}}, 0, 0, 1},
		{ConflictQuery{Types: []string{Calculation, Contradiction}}, 1, 1, 2},
	} {
		if c, err := b.Conflicts(t.Context(), tc.q); err != nil || c.Total != tc.total || len(c.Pairs) != tc.pairs || c.Compared != tc.compared {
			t.Errorf("%+v: %+v, %v", tc.q, c, err)
		}
	}
	for _, q := range []ConflictQuery{{Types: []string{"rumour"}}, {Max: -1}} {
		if _, err := b.Conflicts(t.Context(), q); !errors.Is(err, fault.Invalid) {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

// TestGateConflicts: the policy closes the gate, on the board and on a snapshot, and says how to
// open it.
func TestGateConflicts(t *testing.T) {
	b := disputants(t)
	for _, tc := range []struct {
		most int64
		open bool
	}{{0, false}, {2, false}, {3, true}} {
		p := Policy{MaxConflicts: &tc.most}
		v, err := b.Gate(t.Context(), p)
		if err != nil || v.Open != tc.open {
			t.Errorf("at most %d: %+v, %v", tc.most, v, err)
		}
		s := expect.Value(b.Snapshot(t.Context()))(t)
		if w, err := GateOf(t.Context(), s, p); err != nil || w.Open != tc.open || len(w.Reasons) != len(v.Reasons) {
			t.Errorf("snapshot, at most %d: %+v, %v", tc.most, w, err)
		}
		if !tc.open {
			if r := v.Reasons[0]; r.Rule != RuleConflicts || r.ID != "e1" || r.Other != "e2" || !strings.Contains(r.Content, "e1 and e2 may contradict each other: 30 seconds") {
				t.Errorf("%+v", r)
			}
		}
	}
	less := int64(-1)
	if _, err := b.Gate(t.Context(), Policy{MaxConflicts: &less}); !errors.Is(err, fault.Invalid) {
		t.Errorf("%v", err)
	}
	if v, err := b.Gate(t.Context(), Policy{}); err != nil || !v.Open {
		t.Errorf("the default compares nothing: %+v, %v", v, err)
	}
}
