package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/board"
	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// longText is of so many bytes, in sentences.
func longText(what string, n int) string {
	s := "The " + what + " says that 17 of 42 requests failed in eu-west-3; see report.md:12. "
	return strings.Repeat(s, n/len(s)+1)[:n]
}

// crowded fills the stores of a server with as much as they take. It returns the
// arguments by which tools find something there.
func crowded(t *testing.T, s *Server) map[string]string {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	b, err := board.Create(t.Context(), s.boards(), "r1", longText("goal", 60_000), "lead", nil)
	check(err)
	defer b.Close()
	const each, long, runs = 60, 12, 25 // many times what fits a budget
	for w := range 10 {
		posts := make([]board.Post, each)
		for i := range posts {
			posts[i] = board.Post{Content: longText(fmt.Sprintf("finding %d of %d", i, w), 300),
				SourceDoc: longText("source", 200), MustSurface: i%100 == 0,
				Type: board.EntryTypes[i%len(board.EntryTypes)]}
			if w == 9 && i >= each-long { // the newest
				posts[i].Content, posts[i].Evidence = longText("long finding", 60_000),
					longText("evidence", 60_000)
			}
		}
		_, err := b.PostBatch(t.Context(), fmt.Sprintf("w%d-%s", w, strings.Repeat("long-name-",
			18)), posts)
		check(err)
	}
	small, err := board.Create(t.Context(), s.boards(), "small", "", "lead", nil)
	check(err)
	defer small.Close()
	for i := range 24 { // each is held against each other by board_check
		_, err := small.Post(t.Context(), "lead",
			board.Post{Content: longText(fmt.Sprintf("small finding %d", i), 200*(1+i%7)),
				Evidence: longText("evidence", 3000), MustSurface: i%2 == 0})
		check(err)
	}
	for i := range 4 * long {
		_, err := b.Signal(t.Context(), "lead",
			board.Raise{Content: longText(fmt.Sprintf("question %d", i), 50_000),
				Priority: []string{"critical", "high", "low"}[i%3]})
		check(err)
		_, err = b.Set(t.Context(), "lead", fmt.Sprintf("var-%d-%s", i, strings.Repeat("k", 150)),
			quotedJSON(longText("value", 50_000)), board.AnyVersion)
		check(err)
	}
	_, err = b.Expect(t.Context(), "lead", []string{strings.Repeat("x", 190),
		strings.Repeat("y", 190)}, false)
	check(err)
	for i := range runs {
		run, err := board.Create(t.Context(), s.boards(), fmt.Sprintf("run-%d", i), longText("goal", 20_000), "lead", nil)

		check(err)
		run.Close()
	}
	args := map[string]string{}
	k, err := kb.Open(t.Context(), s.cfg.Home, kb.Options{Actor: "lead"})
	check(err)
	defer k.Close()
	for i := range 30 {
		c, err := k.Remember(t.Context(), kb.Capsule{Kind: "fact", Scope: "universal",
			Title: fmt.Sprintf("Requests of service %d %s", i, strings.Repeat("and more ", 20)),
			Body:  fmt.Sprint(i, longText("capsule", 12_000)), Source: longText("source", 3000)},
			kb.RememberOptions{Force: true})
		check(err)
		args["capsule"] = c.Capsule.ID
	}
	m, err := memory.Open(s.cfg.Home, memory.Options{Workspace: s.cfg.Workspace, Agent: "scout",
		Actor: "scout", Author: true, Grants: []string{memory.GrantNamed,
			memory.GrantConversations}})
	check(err)
	defer m.Close()
	for i := range 15 {
		_, err := m.Put(t.Context(), memory.Item{Tier: memory.Workspace, Importance: 1,
			Title: fmt.Sprintf("title %d", i), Content: fmt.Sprint(i, longText("memory", 9900))},
			memory.PutOptions{})
		check(err)
	}
	for i := range 30 {
		_, err := m.EditNamed(t.Context(), fmt.Sprintf("N%d", i), memory.Workspace,
			longText("named entry", 49_000), 0)
		check(err)
		_, err = m.CreateChannel(t.Context(), fmt.Sprintf("channel-%d", i),
			longText("channel", 900))
		check(err)
		_, err = m.SaveNote(t.Context(), memory.Core, memory.Workspace,
			longText("core memory", 1500), false)
		check(err)
	}
	v, _, err := m.StartConversation(t.Context(), "", "t")
	check(err)
	args["conversation"] = v.Ref
	c := connect(t, s, nil)
	for i := range 20 {
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "write_context",
			Arguments: map[string]any{"topic": longText(fmt.Sprint("requests ", i), 480),
				"content": longText("chunk", 100_000), "tags": []string{strings.Repeat("t", 90),
					strings.Repeat("u", 90)}}})
		check(err)
		args["chunk"] = r.StructuredContent.(map[string]any)["chunk"].(map[string]any)["id"].(string)
		_, err = c.CallTool(t.Context(), &sdk.CallToolParams{Name: "scratch_write",
			Arguments: map[string]any{"conversation": v.Ref, "key": fmt.Sprint("key", i),
				"value": longText("note", 100_000)}})
		check(err)
	}
	_, err = c.CallTool(t.Context(), &sdk.CallToolParams{Name: "set_state",
		Arguments: map[string]any{"key": "huge", "value": []any{longText("state", 400_000),
			strings.Split(longText("state", 400_000), " ")}}})
	check(err)
	return args
}

func quotedJSON(s string) json.RawMessage {
	data, _ := json.Marshal(s) // a string
	return data
}

// crowdedCalls are the calls that look at everything. Every tool is there, with its
// default arguments as far as it has them.
func crowdedCalls(args map[string]string) map[string][]map[string]any {
	one := func(a map[string]any) []map[string]any { return []map[string]any{a} }
	worker := strings.Repeat("w", 190)
	return map[string][]map[string]any{
		"board_answer": one(map[string]any{"id": "s2", "content": longText("answer",
			50_000)}), "board_check": {{"run": "small"},
			{"run": "small", "text": longText("draft", 1_000)}, {"step": "gate"}},
		"board_claim": one(nil), "board_expect": one(map[string]any{"names": []string{worker}}),
		"board_done": one(map[string]any{"worker": worker}), "board_start": one(map[string]any{"run": "r2", "goal": longText("goal", 4000)}),
		"board_gate": {{}, {"require_source": true, "require_evidence": true,
			"require_verified": true}},
		"board_post": one(map[string]any{"run": "small", "content": longText("post", 60_000),
			"more": slices.Repeat([]map[string]any{{"content": "x"}}, 900)}),
		"board_query": {{}, {"limit": 200}, {"match": "finding", "order": "best"},
			{"order": "oldest", "limit": 200}},
		"board_show":    {{"id": "e9999"}, {"id": "s1"}, {"run": "small", "id": "e1"}},
		"board_signals": {{}, {"limit": 200}, {"status": "open", "priority": "low"}},
		"board_digest":  {{}, {"max_tokens": 400}, {"run": "small"}},
		"board_correct": one(map[string]any{"id": "e9999", "content": "corrected"}),
		"board_link":    one(map[string]any{"entry": "e9999", "supports": []string{"e1", "e2"}}),
		"board_reopen":  one(map[string]any{"signal": "s1", "note": longText("note", 4000)}),
		"board_accept": one(map[string]any{"id": "e1", "other": "e2",
			"reason": longText("reason", 4000)}),
		"board_ask":   one(map[string]any{"question": longText("question", 60_000)}),
		"board_state": {{}, {"run": "r1"}}, "board_survival": {{"text": "nothing"},
			{"run": "small", "text": longText("draft", 3_000)}},
		"board_var_get": {{}, {"key": "var-0-" + strings.Repeat("k", 150)}},
		"board_var_set": one(map[string]any{"key": "k", "value": longText("value", 60_000)}),
		"board_wait": {{"for": "gate", "timeout_seconds": 0}, {"for": "event", "since": 1,
			"timeout_seconds": 0}, {"for": "event", "since": 2, "timeout_seconds": 0,
			"limit": 200}},
		"board_waive": one(map[string]any{"signal": "s1", "reason": longText("reason", 4000)}),
		"kb_search": {{"query": "requests"}, {"query": "requests failed", "full": true,
			"limit": 50}, {"query": longText("query", 60_000)}},
		"kb_get": one(map[string]any{"id": args["capsule"]}),
		"kb_brief": {{"task": "requests of services"}, {"task": "requests of services",
			"budget": 80}},
		"kb_remember": one(map[string]any{"title": "Requests", "body": longText("body", 60_000)}),
		"kb_retire":   one(map[string]any{"id": args["capsule"], "why": longText("why", 1000)}),
		"kb_curate":   {{"what": "dedupe"}, {"what": "decay"}}, "kb_doctor": one(nil),
		"kb_ingest": one(map[string]any{"paths": []string{"."}}), "kb_reembed": one(nil),
		"kb_resolve": one(map[string]any{"keep": "a", "other": "b", "how": "stand",
			"why": "x"}),
		"memory_context":     {{}, {"task": "requests failed"}, {"budget": 100}, {"budget": 8000}},
		"memory_read":        {{"query": "the"}, {"query": "requests", "limit": 100}},
		"memory_named":       {{}, {"name": "N1"}},
		"memory_consolidate": {{}, {"do": "plan"}},
		"memory_scrub":       one(map[string]any{"tier": "workspace"}), "channel_list": one(nil),
		"conversation_list": one(map[string]any{"limit": 200}),
		"conversation":      one(map[string]any{"do": "get", "ref": args["conversation"]}),
		"scratch_list":      one(map[string]any{"conversation": args["conversation"]}),
		"scratch_read": one(map[string]any{"conversation": args["conversation"],
			"key": "key1"}),
		"search_context": {{"query": "requests"}, {"query": "requests", "top_k": 20}},
		"read_context":   one(map[string]any{"id": args["chunk"]}),
		"list_context":   {{}, {"limit": 500}}, "get_state": one(map[string]any{"key": "huge"}),
		"memory_put":      one(map[string]any{"content": longText("memory", 9000)}),
		"memory_update":   one(map[string]any{"id": strings.Repeat("x", 100_000)}),
		"memory_forget":   one(map[string]any{"id": strings.Repeat("x", 100_000), "why": "x"}),
		"save_to_core":    one(map[string]any{"content": "x"}),
		"save_to_journal": one(map[string]any{"content": longText("journal", 1500)}),
		"channel_create": one(map[string]any{"name": "more", "description": longText("channel",
			900)}),
		"scratch_write": one(map[string]any{"conversation": args["conversation"], "key": "k",
			"value": longText("note", 100_000)}),
		"scratch_clear": one(map[string]any{"conversation": args["conversation"]}),
		"write_context": one(map[string]any{"topic": longText("topic", 400),
			"content": longText("chunk", 100_000)}),
		"delete_context": one(map[string]any{"id": strings.Repeat("x", 100_000)}),
		"set_state":      one(map[string]any{"key": "k", "value": longText("state", 300_000)}),
	}
}

// budgets are the tokens that an answer may have, where it is not the usual.
var budgets = map[string]int{"board_state": 2000, "board_gate": 2000, "board_digest": 6000}

// TestAnswersHaveBudgets asks every tool of crowded stores. The text is within the budget,
// and so is the data where it is asked for; the data is what the schema says, and
// max_tokens gives more.
func TestAnswersHaveBudgets(t *testing.T) {
	cost.SkipUnlessLong(t)
	s := everything(t, func(c *Config) { c.Agent, c.Run = "scout", "r1" })
	all := crowdedCalls(crowded(t, s))
	c := connect(t, s, nil)
	bare := connect(t, everything(t, func(c *Config) {
		c.Home, c.Workspace, c.Run = s.cfg.Home, filepath.Dir(s.cfg.Home), ""
	}), nil)
	tokens := func(c *sdk.ClientSession, tool string, args map[string]any) (
		int, *sdk.CallToolResult) {
		t.Helper()
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatalf("%s %.100v: %v", tool, args, err)
		}
		return tokens(textOf(r)), r
	}
	readOnly := map[string]bool{}
	listed := expect.Value(c.ListTools(t.Context(), nil))(t)
	for _, tool := range listed.Tools {
		readOnly[tool.Name] = tool.Annotations.ReadOnlyHint
	}
	for _, tool := range s.Tools() {
		if all[tool] == nil {
			t.Errorf("%s is not called", tool)
		}
		schema := expect.Value(s.gives[tool].Resolve(nil))(t)
		for i, args := range all[tool] {
			most := usualTokens
			if n := budgets[tool]; n > 0 {
				most = n
			}
			if tool == "memory_context" || tool == "kb_brief" {
				most = map[string]int{"memory_context": 1200, "kb_brief": 600}[tool]
				if n, ok := args["budget"].(int); ok {
					most = max(n, leastTokens)
				}
			}
			n, r := tokens(c, tool, args)
			if n > most {
				t.Errorf("%s %.100v: %d tokens, want at most %d", tool, args, n, most)
			}
			if r.IsError {
				continue
			}
			if readOnly[tool] {
				asJSON := maps.Clone(args)
				if asJSON == nil {
					asJSON = map[string]any{}
				}
				asJSON["format"] = "json"
				n, r := tokens(c, tool, asJSON)
				if n > most || !json.Valid([]byte(textOf(r))) || schema.Validate(r.StructuredContent) != nil {
					t.Errorf("%s %.100v as JSON: %d tokens, want at most %d; %.200s", tool, args, n, most, textOf(r))
				}
			}
			if err := schema.Validate(r.StructuredContent); err != nil {
				t.Errorf("%s %.100v: %v", tool, args, err)
			}
			if properties := s.takes[tool].Properties; i > 0 || properties["max_tokens"] == nil ||
				!strings.Contains(textOf(r), "max_tokens") {
				continue
			}
			more := maps.Clone(args)
			if more == nil {
				more = map[string]any{}
			}
			for _, asked := range []int{500, 15_000} {
				more["max_tokens"] = asked
				if got, _ := tokens(c, tool, more); got > asked || asked > n && got <= n {
					t.Errorf("%s %.100v: %d tokens, and %d by default", tool, more, got, n)
				}
			}
		}
	}
	if n, r := tokens(bare, "board_state", nil); n > 2_000 || r.IsError {
		t.Errorf("the list of runs: %d tokens, %s", n, textOf(r))
	}
}
