package mcp

import (
	"strings"
	"testing"

	"blackboard/board/fault"
)

// TestOperations sees that each tool of the table exists, and takes what the table says
// of it.
func TestOperations(t *testing.T) {
	s := everything(t, nil)
	for op, how := range operations() {
		takes := s.takes[how.tool]
		if takes == nil {
			t.Errorf("%s: there is no tool %s", op, how.tool)
			continue
		}
		if param, _, _ := strings.Cut(how.with, ":"); param != "" &&
			takes.Properties[param] == nil {
			t.Errorf("%s: %s takes no %s", op, how.tool, param)
		}
	}
	for arg, param := range parameters {
		if !anyTakes(s, param) || anyTakes(s, arg) {
			t.Errorf("no tool takes %s, or one takes %s itself", param, arg)
		}
	}
}

func anyTakes(s *Server, param string) bool {
	for _, takes := range s.takes {
		if takes.Properties[param] != nil {
			return true
		}
	}
	return false
}

func TestWords(t *testing.T) {
	s := everything(t, nil)
	for _, c := range []struct {
		tool string // that was called
		step fault.Step
		want string
	}{
		{"board_claim", fault.Give("force", "", "take it away with {}"), ""}, // it has none
		{"kb_remember", fault.Give("force", "", "{} keeps both"), "force keeps both"},
		{"kb_remember", fault.Give("keep_secret", "", "{} stores it"), "keep_secret stores it"},
		{"kb_remember", fault.Give("supersedes", "k1", "{} replaces it"),
			"supersedes: k1 replaces it"},
		{"board_wait", fault.Give("timeout", "", "wait longer with {}"),
			"wait longer with seconds"},
		{"", fault.Give("force", "", "{} keeps both"), ""},
		{"", fault.Do("signal.list", "{} shows who holds what", "status", "open"),
			"board_show shows who holds what"},
		{"", fault.Do("signal.show", "{} tells how", "signal", "s1"),
			"board_show (id: s1) tells how"},
		{"", fault.Do("kb.get", "{} shows it", "id", "k1"), "kb_get (id: k1) shows it"},
		{"", fault.Do("memory.conversation.idle", "end it first: {}", "ref", "x"),
			"end it first: conversation (do: idle, ref: x)"},
		{"", fault.Do("kb.history", "{} shows why", "id", "k1"), ""}, // for a person
	} {
		if got := c.step.In(s.words(s.takes[c.tool])); got != c.want {
			t.Errorf("%s, %+v: %q, want %q", c.tool, c.step, got, c.want)
		}
	}
	some := everything(t, func(c *Config) { c.Profiles = []string{ProfileRun} })
	if got := fault.Do("kb.get", "{}", "id", "k1").In(some.words(nil)); got != "" {
		t.Errorf("a tool that is not offered: %q", got)
	}
}
