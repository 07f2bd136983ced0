package main

import (
	"bytes"
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"blackboard/cmd/board/base"
	"blackboard/kb/memory"
	"blackboard/testdata/expect"
)

// inThePast remembers something at another time, since a script cannot wait a week.
func inThePast(t *testing.T, home, workspace, agent string, ago time.Duration, fn func(*memory.Store) error) {
	t.Helper()
	s := expect.Value(memory.Open(home, memory.Options{Workspace: workspace, Agent: agent, Author: agent == "", Now: func() time.Time { return time.Now().Add(-ago) }}))(t)
	expect.OK(t, fn(s))
	expect.OK(t, s.Close())
}

// TestMemoryAges: what is old is told so, and what is too old is not told, or marked.
func TestMemoryAges(t *testing.T) {
	home, ws := t.TempDir(), t.TempDir()
	ws = expect.Value(filepath.EvalSymlinks(ws))(t)
	const day = 24 * time.Hour
	ctx := context.Background()
	journal := func(text string) func(*memory.Store) error {
		return func(s *memory.Store) error {
			_, err := s.SaveNote(ctx, memory.Journal, "", text, false)
			return err
		}
	}
	inThePast(t, home, ws, "a", 8*day, journal("eight days old"))
	inThePast(t, home, ws, "a", 2*day, journal("two days old"))
	put := func(it memory.Item) func(*memory.Store) error {
		return func(s *memory.Store) error {
			_, err := s.Put(ctx, it, memory.PutOptions{})
			return err
		}
	}
	expires := time.Now().Add(-2 * day)
	inThePast(t, home, ws, "", 4*day, put(memory.Item{Tier: memory.Workspace, Content: "expired by now", Importance: 1, Expires: &expires}))
	inThePast(t, home, ws, "", 3*day, put(memory.Item{Tier: memory.Workspace, Content: "three days old", Importance: 1}))
	inThePast(t, home, ws, "b", 400*day, put(memory.Item{Tier: memory.Account, Content: "nobody asked", Importance: .25}))
	env := map[string]string{"BOARD_HOME": home, "BOARD_WORKSPACE": ws, "USER": "somebody"}
	board := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if code := run(ctx, append([]string{"memory"}, args...), func(k string) string { return env[k] }, strings.NewReader(""), &out, &errs); code != base.ExitOK {
			t.Fatalf("board memory %v: exit %d: %s", args, code, &errs)
		}
		return out.String()
	}
	for _, c := range []struct {
		args []string
		want string // all of the answer, with ID for ids and DAY for days
	}{
		{[]string{"journal", "--agent", "a"}, "ID  DAY  workspace  two days old\nID  DAY  workspace  eight days old  expired\n"},
		{[]string{"context", "--agent", "a"}, "# Your Private Memory\n\n## Recent Journal Entries\n- [DAY] two days old\n"},
		{[]string{"list", "--tier", "workspace"}, "ID  DAY  workspace  three days old\n"},
		{[]string{"list", "--tier", "workspace", "--forgotten", "--agent", "b"}, "ID  DAY  workspace  three days old\nID  DAY  workspace  expired by now  expired\n"},
		// .995^72 are .70
		{[]string{"read", "--tier", "workspace"}, "workspace: 1 item\nID  relevance 0.70\n" +
			"       | noted by the author 3 days ago, workspace, importance critical: “three days old”\n"},
		{[]string{"consolidate", "--scope", "account"}, "account: 1 archived; 0 items now\n"},
		{[]string{"list", "--tier", "account", "--archived"}, "ID  DAY  account  nobody asked  archived\n"},
	} {
		got := regexp.MustCompile(`\b[mjp][0-9a-z]{9}\b`).ReplaceAllString(board(c.args...), "ID")
		got = regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`).ReplaceAllString(got, "DAY")
		if got != c.want {
			t.Errorf("board memory %s:\n%s\nand not\n%s", strings.Join(c.args, " "), got, c.want)
		}
	}
	// With another rate it is worth something else. A read without a question was no access.
	env["BOARD_MEMORY_DECAY"] = "workspace=1"
	if got := board("read", "--tier", "workspace"); !strings.Contains(got, "relevance 1.00") {
		t.Errorf("with no decay: %s", got)
	}
}
