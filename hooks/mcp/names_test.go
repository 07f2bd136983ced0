package mcp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/board/op"
	"blackboard/testdata/expect"
)

// TestNames calls tools by the names that they had, and by such that there are not.
func TestNames(t *testing.T) {
	c := connect(t, everything(t, func(c *Config) { c.Profiles, c.Agent = nil, "ann" }), nil)
	has(t, must(t, c, "board_start", `{"run":"r1","goal":"May we ship?","expect":"ben"}`),
		"created run r1\ngoal: May we ship?\nits gate waits for ben")
	has(t, must(t, c, "board_signal", `{"content":"Who signs?","priority":"high"}`), "s1 high")
	has(t, must(t, c, "board_show", `{}`), "gate       CLOSED: 2 reasons", "  expected  ben has not finished yet", "  s1     high      Who signs?",
		"questions  1: open 1 (high 1)", "run r1  May we ship?")
	has(t, must(t, c, "board_address", `{"signal":"s1","content":"The board"}`), "e1 answers s1; it must surface, since s1 is high", "gate closed: ben not done")
	has(t, must(t, c, "board_done", `{"names":["ben"],"drop":true,"note":"ill"}`), "dropped by ann: ill")
	has(t, must(t, c, "board_show", `{"id":"s1"}`), "Who signs?", "addressed")
	put := must(t, c, "memory_put", `{"content":"Builds need Node 22"}`)
	id, _, _ := strings.Cut(put, " ")
	has(t, must(t, c, "memory_read", `{}`), "Node 22")
	has(t, must(t, c, "memory.update", `{"id":"`+id+`","forget":true,"reason":"it is over"}`),
		id+" is forgotten")
	if text := must(t, c, "memory_read", `{"query":"Node"}`); strings.Contains(text, "Node 22") {
		t.Errorf("it is not forgotten: %s", text)
	}
	_, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "board_anwser",
		Arguments: json.RawMessage(`{}`)})
	if err == nil || !strings.Contains(err.Error(), "did you mean board_answer") {
		t.Errorf("of a misspelled tool it says %v", err)
	}
}

// TestProfilesList: who works on a run is told of what that takes, in a fixed order.
func TestProfilesList(t *testing.T) {
	for profile, want := range map[string]string{ProfileWorker: workerTools,
		ProfileOrchestrator: orchestratorTools, "": defaultTools} {
		profiles := expect.Value(ParseProfiles(strings.Fields(profile)))(t)
		c := connect(t, everything(t, func(c *Config) { c.Profiles = profiles }), nil)
		listed := expect.Value(c.ListTools(t.Context(), nil))(t)
		names := op.Each(listed.Tools, func(tool **sdk.Tool) string { return (*tool).Name })
		if !slices.Equal(names, strings.Fields(want)) {
			t.Errorf("%q lists %v", profile, names)
		}
		if r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "board_var_get"}); err != nil {
			t.Errorf("%q: what is not listed cannot be called: %v %v", profile, err, r)
		}
	}
}

// TestJoined: what a session has started, or else named first, is its run, if the server has none.
func TestJoined(t *testing.T) {
	s := everything(t, func(c *Config) { c.Profiles, c.Agent, c.Run = nil, "ann", "" })
	c := connect(t, s, nil)
	refused(t, c, "board_post", `{"content":"Tokens expire"}`, "no run is named, and none was started here")
	must(t, c, "board_start", `{"run":"r1"}`)
	has(t, must(t, c, "board_post", `{"content":"Tokens expire"}`), "e1")
	must(t, c, "board_start", `{"run":"r2"}`)
	has(t, must(t, c, "board_show", `{}`), "r2")
	has(t, must(t, c, "board_show", `{"run":"r1","id":"e1"}`), "Tokens expire")
	has(t, must(t, c, "board_show", `{}`), "r2")
	has(t, must(t, c, "board_post", `{"content":"Keys rotate","run":"R1"}`), "e2 observation posted to r1")
	s.joined.Clear() // a worker starts nothing, and names its run once
	must(t, c, "board_show", `{"run":"r1"}`)
	has(t, must(t, c, "board_post", `{"content":"Keys are long"}`), "e3 observation posted to r1")
}

// TestMetadataIsShown: a hit of the memory has its relevance, or that it is weak, its importance, tier,
// age and author; the document for a turn counts the caller's own notes in its data.
func TestMetadataIsShown(t *testing.T) {
	c := connect(t, everything(t, func(c *Config) { c.Agent = "ann" }), nil)
	has(t, must(t, c, "memory_context", `{"format":"json"}`), `"memories_count":{"core":0,"journal":0}`)
	must(t, c, "memory_put", `{"content":"Builds need Node 22","importance":"high"}`)
	must(t, c, "memory_put", `{"content":"I doubt the build cache","tier":"journal"}`)
	has(t, must(t, c, "memory_read", `{"query":"which Node do builds need"}`), "relevance 0.75",
		"noted by an agent (“ann”) just now, workspace, importance high")
	has(t, must(t, c, "memory_read", `{"query":"builds on what machine, and for how long a time"}`), "weak\n")
	has(t, must(t, c, "memory_context", `{"format":"json"}`), `"memories_count":{"core":0,"journal":1}`)
}
