package mcp

import (
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/testdata/expect"
)

// calledBy calls a tool and returns its text, and whether it is an error.
func calledBy(t *testing.T, c *sdk.ClientSession, tool, args string) (string, bool) {
	t.Helper()
	r := expect.Value(c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool,
		Arguments: json.RawMessage(args)}))(t)
	return textOf(r), r.IsError
}

// TestClaimsBelongToSessions: two servers whose clients call themselves the same, one of
// them with a worker's name that both give. Neither takes nor releases what the other
// holds; each can extend and release its own.
func TestClaimsBelongToSessions(t *testing.T) {
	s := everything(t, nil)
	one := connect(t, s, nil)
	other := connect(t, everything(t, func(c *Config) { c.Home = s.cfg.Home }), nil)
	for _, worker := range []string{"", `,"worker":"reader-1"`} {
		if text, failed := calledBy(t, one, "board_signal",
			`{"content":"who rotates the keys?"}`); failed {
			t.Fatal(text)
		}
		id := map[bool]string{true: "s1", false: "s2"}[worker == ""]
		claim, release := `{"signal":"`+id+`"`+worker+`}`,
			`{"signal":"`+id+`","release":true`+worker+`}`
		if text, failed := calledBy(t, one, "board_claim", claim); failed ||
			strings.Contains(text, "already") {
			t.Fatal(text)
		}
		for _, args := range []string{claim, release} {
			if text, failed := calledBy(t, other, "board_claim", args); !failed ||
				!strings.Contains(text, id+" is claimed by") {
				t.Errorf("the other session, with %s: %s", args, text)
			}
		}
		if text, failed := calledBy(t, one, "board_claim", claim); failed ||
			!strings.Contains(text, "already") {
			t.Errorf("extended: %s", text)
		}
		if text, failed := calledBy(t, one, "board_claim", release); failed {
			t.Errorf("released: %s", text)
		}
		if text, failed := calledBy(t, other, "board_claim", claim); failed {
			t.Errorf("the other session, of what is free: %s", text)
		}
	}
}

// TestNamesOfWorkers: a client's default worker is what it calls itself with the suffix
// of its server, the same at each call. Where somebody has said who the client is, that
// is the worker.
func TestNamesOfWorkers(t *testing.T) {
	for _, test := range []struct {
		agent string
		want  string
	}{{"", "by scout-7f3a"}, {"w1", "by w1"}} {
		c := connect(t, everything(t, func(c *Config) {
			c.Agent, c.Session = test.agent, "7f3a0123456789ab"
		}), nil)
		for range 2 {
			calledBy(t, c, "board_post", `{"content":"x"}`)
		}
		if text, _ := calledBy(t, c, "board_query", `{}`); strings.Count(text, test.want) != 2 {
			t.Errorf("%s instead of twice %q", text, test.want)
		}
	}
}

// TestClaimOverNetwork: what a client calls itself over the network is not enough to
// claim, since others may call themselves so.
func TestClaimOverNetwork(t *testing.T) {
	c := connect(t, everything(t, func(c *Config) { c.Far = true }), nil)
	calledBy(t, c, "board_signal", `{"content":"who rotates the keys?","worker":"lead"}`)
	if text, failed := calledBy(t, c, "board_claim", `{}`); !failed ||
		!strings.Contains(text, "give worker") {
		t.Errorf("without a worker: %s", text)
	}
	if text, failed := calledBy(t, c, "board_claim", `{"worker":"reader-1"}`); failed ||
		!strings.Contains(text, "s1 medium is yours, as reader-1, until ") {
		t.Errorf("with one: %s", text)
	}
}
