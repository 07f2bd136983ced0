package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// TestGrants calls tools that are not granted. Each refusal names the grant that is
// missing, and that grant is enough.
func TestGrants(t *testing.T) {
	cost.SkipUnlessLong(t)
	full := everything(t, nil)
	admin := connect(t, full, nil)
	item := ""
	for _, s := range []step{{Tool: "board_post", Args: []byte(`{"content":"x"}`)},
		{Tool: "board_post", Args: []byte(`{"run":"other","content":"x"}`)},
		{Tool: "kb_remember", Args: []byte(`{"title":"t","body":"b"}`)},
		{Tool: "memory_put", Args: []byte(`{"content":"x","tier":"account"}`)}} {
		r, err := admin.CallTool(t.Context(), &sdk.CallToolParams{Name: s.Tool, Arguments: s.Args})
		if err != nil || r.IsError {
			t.Fatalf("%v %s", err, textOf(r))
		}
		if s.Tool == "memory_put" {
			item = r.StructuredContent.(map[string]any)["item"].(map[string]any)["id"].(string)
		}
	}
	for _, c := range []struct{ tool, args, grant string }{
		{"board_state", `{}`, "run:r1:read"},
		{"board_state", `{"run":"other"}`, "run:other:read"},
		{"board_query", `{}`, "run:read"},
		{"board_post", `{"content":"y"}`, "run:r1"},
		{"board_post", `{"content":"y","run":"other"}`, "run:other"},
		{"board_signal", `{"content":"y?"}`, "run:write"},
		{"board_claim", `{}`, "run:r1:write"},
		{"board_var_set", `{"key":"k","value":1}`, "run:r1"},
		{"kb_search", `{"query":"t"}`, "kb:read"},
		{"kb_remember", `{"title":"u","body":"c"}`, "kb:write"},
		{"memory_read", `{}`, "workspace:read"},
		{"memory_read", `{"tiers":["account"]}`, "account:read"},
		{"memory_put", `{"content":"z"}`, "workspace:write"},
		{"memory_put", `{"content":"z","tier":"account"}`, "account:write"},
		{"memory_update", `{"id":"` + item + `","title":"u"}`, "account:write"},
		{"memory_context", `{}`, "workspace:read"},
		{"save_to_core", `{"content":"z","tier":"account"}`, "account:write"},
		{"get_state", `{"key":"k"}`, "context:read"},
		{"set_state", `{"key":"k","value":null}`, "context:write"},
		{"kb_curate", `{"what":"decay"}`, "kb:write"},
		{"memory_named", `{"name":"VOICE","body":"b","revision":0}`, "named:write"},
		{"memory_named", `{"name":"SOUL","body":"b","revision":0}`, "named:write"},
		{"memory_scrub", `{"tier":"workspace"}`, "scrub"},
		{"memory_scrub", `{"tier":"workspace"}`, "scrub:keep_named"},
		{"memory_scrub", `{"tier":"workspace","mode":"all"}`, "scrub:all"},
		{"board_survival", `{"files":["docs/a.md"]}`, "files"},
	} {
		call := func(grants ...string) (*sdk.CallToolResult, error) {
			s := New(full.cfg)
			defer s.Close()
			var err error
			if s.cfg.Grants, err = ParseGrants(grants); err != nil {
				t.Fatal(err)
			}
			return connect(t, s, nil).CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool,
				Arguments: json.RawMessage(c.args)})
		}
		// What else the tool takes is granted.
		beside := map[string][]string{"save_to_core": {WorkspaceWrite},
			"memory_named": {WorkspaceWrite, AccountRead}, "memory_scrub": {WorkspaceWrite},
			"board_survival": {"run:read"}, "memory_update": {AccountRead}, "memory_put": {},
			"kb_ingest": {KBWrite}}[c.tool]
		r, err := call(beside...)
		named := strings.TrimSuffix(strings.TrimSuffix(c.grant, ":read"), ":write")
		if err != nil || !r.IsError || !strings.Contains(textOf(r), "not granted") ||
			!strings.Contains(textOf(r), "can grant "+strings.Split(named, ":")[0]) {
			t.Errorf("%s %s without %s: %v %s", c.tool, c.args, c.grant, err, textOf(r))
		}
		if strings.Contains(c.args, "SOUL") { // which takes the account's too
			if r, err := call(append(beside, c.grant)...); err != nil || !r.IsError ||
				!strings.Contains(textOf(r), "can grant account:write") {
				t.Errorf("%s %s with %s: %v %s", c.tool, c.args, c.grant, err, textOf(r))
			}
			beside = append(beside, AccountWrite)
		}
		if r, err := call(append(beside, c.grant)...); err != nil || r.IsError &&
			strings.Contains(textOf(r), "not granted") {
			t.Errorf("%s %s with %s: %v %s", c.tool, c.args, c.grant, err, textOf(r))
		}
	}
	for _, bad := range []string{"", "run", "run:", "run:../x", "kb", "kb:all", "workspace",
		"root", "run:x:y"} {
		if _, err := ParseGrants([]string{bad}); err == nil || !strings.Contains(err.Error(),
			"choose among") {
			t.Errorf("the grant %q: %v", bad, err)
		}
	}
}

// TestOwnMemoriesStayOwn has two clients keep what is theirs.
func TestOwnMemoriesStayOwn(t *testing.T) {
	s := everything(t, nil)
	call := func(name, tool, args string) string {
		near, far := sdk.NewInMemoryTransports()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go s.Serve(ctx, far)
		c := expect.Value(sdk.NewClient(&sdk.Implementation{Name: name}, nil).Connect(ctx, near, nil))(t)
		defer c.Close()
		r, err := c.CallTool(ctx, &sdk.CallToolParams{Name: tool,
			Arguments: json.RawMessage(args)})
		if err != nil || r.IsError {
			t.Fatalf("%s %s: %v %s", tool, args, err, textOf(r))
		}
		return textOf(r)
	}
	call("anna", "save_to_core", `{"content":"I am thorough"}`)
	call("anna", "memory_put", `{"content":"between us","private":true}`)
	call("anna", "memory_put", `{"content":"for everybody"}`)
	if got := call("anna", "memory_context", `{}`); !strings.Contains(got, "thorough") ||
		!strings.Contains(got, "between us") {
		t.Errorf("anna sees %s", got)
	}
	if got := call("ben", "memory_context", `{}`); strings.Contains(got, "thorough") ||
		strings.Contains(got, "between us") || !strings.Contains(got, "for everybody") ||
		!strings.Contains(got, "anna") {
		t.Errorf("ben sees %s", got)
	}
}

// TestNamesOfClients: a client may call itself anything, and can post all the same; what
// nobody sees is no part of its name.
func TestNamesOfClients(t *testing.T) {
	for name, want := range map[string]string{"My \U0001f469\u200d\U0001f4bb agent": "My-\U0001f469\U0001f4bb-agent", "x\u200by": "xy", "a\n::error::b": "a-::error::b", "\u202e": unnamed, "\x00\x1b": unnamed} {
		s := everything(t, func(c *Config) { c.Session = "7f3a" })
		near, far := sdk.NewInMemoryTransports()
		go s.Serve(t.Context(), far)
		c := expect.Value(sdk.NewClient(&sdk.Implementation{Name: name}, nil).Connect(t.Context(), near,
			nil))(t)
		if r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "board_post",
			Arguments: json.RawMessage(`{"content":"x"}`)}); err != nil || r.IsError {
			t.Errorf("%q cannot post: %v %s", name, err, textOf(r))
		}
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "board_query",
			Arguments: json.RawMessage(`{}`)})
		data, _ := json.Marshal(r.StructuredContent)
		quoted, _ := json.Marshal(want + "-7f3a")
		if err != nil || !strings.Contains(string(data), `"worker":`+string(quoted)) {
			t.Errorf("%q posts as %s, %v", name, data, err)
		}
		c.Close()
	}
}

// TestSecretsAreNotForced tries to store a secret over a refusal.
func TestSecretsAreNotForced(t *testing.T) {
	c := connect(t, everything(t, nil), nil)
	for _, args := range []string{`{"title":"The key","body":"the key is AKIAQ3EGRZ7T5WXNLB2M","force":true}`} {
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "kb_remember",
			Arguments: json.RawMessage(args)})
		if err != nil || !r.IsError || !strings.Contains(textOf(r), "secret") {
			t.Errorf("%v %s", err, textOf(r))
		}
	}
	for i, force := range []string{"false", "false", "true"} {
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "kb_remember",
			Arguments: json.RawMessage(`{"title":"Refunds need a key","body":"All of them.","force":` + force + `}`)})
		if err != nil || r.IsError != (i == 1) {
			t.Errorf("%d: %v %s", i, err, textOf(r))
		}
	}
}

// TestWhoWrote sees that each write has the client's name; on a board with the session's
// suffix.
func TestWhoWrote(t *testing.T) {
	s := everything(t, nil)
	c := connect(t, s, nil)
	for _, call := range []struct{ tool, args, want string }{
		{"board_post", `{"content":"x"}`, ""}, {"board_query", `{}`, "by scout-"},
		{"kb_remember", `{"title":"t","body":"b"}`, ""},
		{"memory_put", `{"content":"x"}`, ""}, {"memory_read", `{"query":"x"}`, "scout"},
	} {
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: call.tool,
			Arguments: json.RawMessage(call.args)})
		if err != nil || r.IsError || !strings.Contains(textOf(r), call.want) {
			t.Errorf("%s: %v %s", call.tool, err, textOf(r))
		}
	}
	k := expect.Value(kb.Open(t.Context(), s.cfg.Home, kb.Options{}))(t)
	defer k.Close()
	all, _, err := k.List(t.Context(), kb.ListQuery{})
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if events, err := k.History(t.Context(), all[0].ID); err != nil || len(events) == 0 ||
		events[0].Actor != "scout" {
		t.Errorf("%+v, %v", events, err)
	}
}

// TestConversationsOverTheNetwork has clients that are nobody ask for a conversation that
// an agent of this machine has had.
func TestConversationsOverTheNetwork(t *testing.T) {
	cost.SkipQuick(t)
	s := everything(t, nil)
	agent := connect(t, s, nil)
	must(t, agent, "conversation", `{"do":"start"}`)
	m := expect.Value(memory.Open(s.cfg.Home, memory.Options{Workspace: s.cfg.Workspace, Author: true}))(t)
	defer m.Close()
	all, err := m.Conversations(t.Context(), "", nil, 0)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	ref := all[0].Ref
	must(t, agent, "memory_put",
		`{"content":"We suspect the pager","tier":"conversation","conversation":"`+ref+`"}`)
	far := func(grants ...string) *sdk.ClientSession {
		f := New(Config{Home: s.cfg.Home, Workspace: s.cfg.Workspace, Profiles: Profiles,
			Far: true})
		t.Cleanup(f.Close)
		f.cfg.Grants = expect.Value(ParseGrants(grants))(t)
		return connect(t, f, nil)
	}
	for _, c := range []struct{ tool, args string }{
		{"memory_read", `{"tiers":["conversation"],"conversation":"` + ref + `"}`},
		{"memory_context", `{"conversation":"` + ref + `"}`},
		{"conversation", `{"do":"get","ref":"` + ref + `"}`},
	} {
		refused(t, far(WorkspaceRead), c.tool, c.args, "conversation:"+ref)
		refused(t, far(WorkspaceRead, "conversation:00000000000"), c.tool, c.args,
			"conversation:"+ref)
		for _, grant := range []string{"conversation:" + ref, Conversations} {
			must(t, far(WorkspaceRead, grant), c.tool, c.args)
		}
	}
	if text := must(t, far(WorkspaceRead), "conversation_list", `{}`); strings.Contains(text,
		ref) {
		t.Errorf("it lists %s", text)
	}
	if text := must(t, far(WorkspaceRead, Conversations), "conversation_list",
		`{}`); !strings.Contains(text, ref) {
		t.Errorf("with the grant it lists %s", text)
	}
	refused(t, far(WorkspaceWrite), "conversation", `{"do":"start"}`, "name of an agent")
	refused(t, far(WorkspaceWrite), "memory_put",
		`{"content":"x","tier":"conversation","conversation":"`+ref+`"}`, "conversation:"+ref)
}

// TestOneNameForAHarness: what a harness's agent keeps for itself has the name that it
// has in the harness's shell; on boards each of its sessions has its own.
func TestOneNameForAHarness(t *testing.T) {
	s := everything(t, func(c *Config) { c.Harness = "claude" })
	c := connect(t, s, nil)
	must(t, c, "save_to_core", `{"content":"I am thorough"}`)
	must(t, c, "board_post", `{"content":"x"}`)
	if text := must(t, c, "board_query", `{}`); !strings.Contains(text, "by scout-") {
		t.Errorf("it posts as %s", text)
	}
	m := expect.Value(memory.Open(s.cfg.Home, memory.Options{Workspace: s.cfg.Workspace, Agent: "claude"}))(t)
	defer m.Close()
	if block, _, err := m.AgentContext(t.Context(), 0); err != nil || !strings.Contains(block,
		"thorough") {
		t.Errorf("in the shell it is %q, %v", block, err)
	}
}

// TestWhatItCameFrom: MCP says how it stands with a source, as far as the client may
// know, and sets it.
func TestWhatItCameFrom(t *testing.T) {
	s := everything(t, func(c *Config) {
		c.Resolve = func(string, *memory.Store) (
			func(context.Context, *memory.Item) string, func()) {
			return func(_ context.Context, it *memory.Item) string {
				return "superseded by k000000001"
			}, func() {}
		}
	})
	c := connect(t, s, nil)
	if text := must(t, c, "memory_put",
		`{"content":"Tokens never expire","derived_from":"kb:k000000000"}`); !strings.Contains(text, "is superseded by k000000001") {
		t.Errorf("a put says %s", text)
	}
	for _, call := range []struct{ tool, args string }{{"memory_read", `{}`},
		{"memory_context", `{}`}} {
		if text := must(t, c, call.tool, call.args); !strings.Contains(text,
			"superseded by k000000001)") {
			t.Errorf("%s says %s", call.tool, text)
		}
	}
	weak := New(s.cfg)
	defer weak.Close()
	var err error
	weak.cfg.Grants = expect.Value(ParseGrants([]string{WorkspaceRead}))(t)
	if text := must(t, connect(t, weak, nil), "memory_read", `{}`); strings.Contains(text,
		"superseded") {
		t.Errorf("without the knowledge base it says %s", text)
	}
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "memory_put",
		Arguments: json.RawMessage(`{"content":"Keys rotate monthly"}`)})
	if err != nil || r.IsError {
		t.Fatal(err, textOf(r))
	}
	item := r.StructuredContent.(map[string]any)["item"].(map[string]any)
	id := item["id"].(string)
	if item["lifetime"] != memory.ShortTerm {
		t.Errorf("it is stored as %v, and the schema says short_term", item["lifetime"])
	}
	must(t, c, "memory_update",
		`{"id":"`+id+`","source":"researcher","derived_from":"kb:k000000000"}`)
	if text := must(t, c, "memory_read", `{"query":"keys rotate"}`); !strings.Contains(text,
		"researcher") || !strings.Contains(text, "kb:k000000000") {
		t.Errorf("it reads %s", text)
	}
	refused(t, c, "memory_update", `{"id":"`+id+`","derived_from":"memory:`+id+`"}`,
		"derived from itself")
	must(t, c, "memory_put", `{"content":"No source yet"}`)
}
