package board

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/testdata/expect"
)

// TestRetrievals: what was given is kept as it was given, in the order of the log, and at
// every moment of it; a variable of the same name is none of them.
func TestRetrievals(t *testing.T) {
	b := newBoard(t)
	given := []Given{{ID: "k0000000a1", Score: 1, Evidence: 0.9}, {ID: "k0000000a2", Score: 0.5, Evidence: 0.4}}
	brief := Retrieval{Way: ByBrief, Role: "planner", Capsules: given,
		Task: "move\n the " + strings.Repeat("payments ", 100)}
	if err := b.Retrieved(t.Context(), "w", brief); !errors.Is(err, fault.NotFound) || b.Created() {
		t.Errorf("without a run: %v", err)
	}
	if _, err := b.Set(t.Context(), "w", ByBrief, []byte("1"), AnyVersion); err != nil { // event 2
		t.Fatal(err)
	}
	expect.OK(t, b.Retrieved(t.Context(), "planner-1", brief))
	expect.OK(t, b.Retrieved(t.Context(), "w", Retrieval{Way: ByPrompt, Capsules: given[1:]}))
	for _, r := range []Retrieval{
		{Way: "post", Capsules: given}, {Way: BySearch}, {Way: BySearch, Capsules: []Given{{}}},
		{Way: BySearch, Role: strings.Repeat("r", MaxName+1), Capsules: given},
		{Way: BySearch, Capsules: make([]Given, record.MaxCapsules+1)},
	} {
		if err := b.Retrieved(t.Context(), "w", r); !errors.Is(err, fault.Invalid) {
			t.Errorf("%.100v: %v", r, err)
		}
	}
	all, err := b.Retrievals(t.Context(), 0)
	if err != nil || len(all) != 2 || all[0].Way != ByPrompt || all[1].Worker != "planner-1" ||
		all[1].Role != "planner" || len(all[1].Capsules) != 2 || all[1].Capsules[1] != given[1] {
		t.Fatalf("%+v, %v", all, err)
	}
	if task := all[1].Task; utf8.RuneCountInString(task) > maxTask ||
		!strings.HasPrefix(task, "move the payments payments") {
		t.Errorf("the task is %q", all[1].Task)
	}
	if one, err := b.Retrievals(t.Context(), 1); err != nil || len(one) != 1 || one[0].Seq != 4 {
		t.Errorf("one: %+v, %v", one, err)
	}
	for seq, want := range map[int64]int64{2: 0, 3: 1, 4: 2} {
		s, err := b.Replay(t.Context(), seq)
		if err != nil || s.State().Retrievals != want || int64(len(s.Retrievals)) != want {
			t.Errorf("after event %d: %+v, %v", seq, s, err)
		}
	}
	st, err := b.State(t.Context())
	if err != nil || st.Retrievals != 2 {
		t.Errorf("the state has %d, %v", st.Retrievals, err)
	}
	if err := b.Check(t.Context()); err != nil {
		t.Error(err)
	}
	for e, err := range b.Events(t.Context(), 3) {
		if err != nil || e.Describe() != "k0000000a2 0.50" {
			t.Errorf("%q, %v", e.Describe(), err)
		}
	}
}

// TestUsage: a run has used what it was given if an entry names it as a word, or if it
// was confirmed there. What cannot be read is named.
func TestUsage(t *testing.T) {
	const id, other = "k0000000a1", "k0000000a2"
	dir := t.TempDir()
	run := func(name, posts string, given ...string) {
		t.Helper()
		b := expect.Value(OpenOrCreate(t.Context(), dir, name))(t)
		defer b.Close()
		expect.Value(b.Post(t.Context(), "w", Post{Content: "begun", SourceRef: posts}))(t)
		for _, g := range given {
			r := Retrieval{Way: BySearch, Capsules: []Given{{ID: g}, {ID: "k0000000a9"}}}
			expect.OK(t, b.Retrieved(t.Context(), "w", r))
		}
	}
	run("cites", "see kb:"+id+".", id, id, other)
	run("confirms", "x", id)
	run("ignores", "nothing, though "+id+"0 is another one", id)
	run("other", "see "+id, other)
	unread := ""
	if onFiles {
		unread = "broken"
		broken := filepath.Join(dir, unread+".sqlite3")
		expect.OK(t, os.WriteFile(broken, []byte("no database"), 0o600))
	}
	confirmed := []string{"run:confirms role:reviewer", "run:confirmsnot role:reviewer", ""}
	got, err := UsageOf(t.Context(), dir, id, time.Now(), confirmed)
	if err != nil || strings.Join(got.Unread, " ") != unread || len(got.Runs) != 3 ||
		got.Describe() != "4 times to 3 runs, used by 2" {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, u := range got.Runs {
		want := map[string]string{"cites": "used, e1 names it",
			"confirms": "used, confirmed by run:confirms role:reviewer",
			"ignores":  "not used so far"}[u.Run]
		if times := map[bool]int64{true: 2, false: 1}[u.Run == "cites"]; u.Outcome() != want ||
			u.Times != times || u.Last.IsZero() {
			t.Errorf("%+v: %s", u, u.Outcome())
		}
	}
	later := time.Now().Add(48 * time.Hour) // no run was written to since
	if got, err := UsageOf(t.Context(), dir, id, later, nil); err != nil ||
		len(got.Runs)+len(got.Unread) > 0 || got.Describe() != "to no run" {
		t.Errorf("of a capsule that is made later: %+v, %v", got, err)
	}
}
