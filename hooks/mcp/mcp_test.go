package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/board"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/wait"
)

// TestEveryToolAnswers makes the calls that the Inspector makes too. Each answer is what
// its schema says, and can be read.
func TestEveryToolAnswers(t *testing.T) {
	server := everything(t, nil)
	c := connect(t, server, nil)
	schemas := map[string]*jsonschema.Resolved{}
	listed, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, out := range server.gives {
		if schemas[name], err = out.Resolve(nil); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	saved, called := map[string]string{}, map[string]bool{}
	for _, s := range steps(t) {
		args := string(s.Args)
		for k, v := range saved {
			args = strings.ReplaceAll(args, `"$`+k+`"`, `"`+v+`"`)
		}
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: s.Tool,
			Arguments: json.RawMessage(args)})
		if err != nil || r.IsError {
			t.Fatalf("%s %s: %v\n%s", s.Tool, args, err, textOf(r))
		}
		called[s.Tool] = true
		if strings.TrimSpace(textOf(r)) == "" {
			t.Errorf("%s %s: there is nothing to read", s.Tool, args)
		}
		if err := schemas[meantTool(s.Tool, json.RawMessage(args))].Validate(r.StructuredContent); err != nil {
			t.Errorf("%s %s: %v\n%v", s.Tool, args, err, r.StructuredContent)
		}
		for k, path := range s.Save {
			v := r.StructuredContent
			for _, p := range strings.Split(path, ".") {
				v = v.(map[string]any)[p]
			}
			saved[k] = v.(string)
		}
	}
	for _, tool := range listed.Tools {
		if !called[tool.Name] {
			t.Errorf("%s is never called", tool.Name)
		}
	}
}

// TestToolsAreDescribed reads the list as a client does.
func TestToolsAreDescribed(t *testing.T) {
	c := connect(t, everything(t, nil), nil)
	listed, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	// 41,000 bytes are 9,600 tokens of the vocabulary o200k_base. Two of the tools are older ones;
	// several sources are listed twice.
	if all, _ := json.Marshal(listed.Tools); len(all) > 42_800 || len(listed.Tools) != 58 {
		t.Errorf("all %d tools take %d bytes to list", len(listed.Tools), len(all))
	}
	var walk func(tool, at string, v any)
	walk = func(tool, at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if kind, there := v["type"]; there {
				if _, one := kind.(string); !one && at != "properties" {
					t.Errorf("%s %s: several types: %v", tool, at, kind)
				}
			}
			for k, member := range v {
				walk(tool, k, member)
			}
		case []any:
			for _, member := range v {
				walk(tool, at, member)
			}
		}
	}
	for _, tool := range listed.Tools {
		if tool.Title == "" || len(tool.Description) < 20 || tool.Annotations == nil ||
			!tool.Annotations.ReadOnlyHint && tool.Annotations.DestructiveHint == nil {
			t.Errorf("%s is not described: %+v", tool.Name, tool)
		}
		walk(tool.Name, "input", tool.InputSchema)
		walk(tool.Name, "output", tool.OutputSchema)
		if in := tool.InputSchema.(map[string]any); in["type"] != "object" ||
			in["properties"] == nil {
			t.Errorf("%s takes anything", tool.Name)
		}
	}
	// The memory's list costs every session that has it: few tools, and no schemas of
	// answers that agents read as text.
	own := connect(t, everything(t, func(c *Config) { c.Profiles = []string{ProfileMemory} }), nil)
	listed, err = own.ListTools(t.Context(), nil)
	data, _ := json.Marshal(listed)
	if err != nil || len(data) > 3000*4 || len(listed.Tools) != 16 {
		t.Errorf("the memory's %d tools take %d bytes to list, %v", len(listed.Tools), len(data),
			err)
	}
	// What an agent gets when nobody chose: few, and no word of the others.
	few := connect(t, everything(t, func(c *Config) { c.Profiles = nil }), nil)
	listed, err = few.ListTools(t.Context(), nil)
	data, _ = json.Marshal(listed.Tools)
	if err != nil || len(listed.Tools) != 20 || len(data) > 3000*4 {
		t.Errorf("by default %d tools take %d bytes to list, %v", len(listed.Tools), len(data),
			err)
	}
	for _, tool := range listed.Tools {
		for name, p := range tool.InputSchema.(map[string]any)["properties"].(map[string]any) {
			p := p.(map[string]any)
			if p["description"] == nil || p["type"] == "array" && p["items"] == nil ||
				p["type"] == "object" || p["anyOf"] != nil {
				t.Errorf("%s: some clients, or their models, cannot use %s: %v", tool.Name, name, p)
			}
		}
	}
	if text := few.InitializeResult().Instructions; strings.Contains(text, "write_context") ||
		!strings.Contains(text, "board_show") {
		t.Errorf("the instructions are %s", text)
	}
}

// TestResources reads what has an address.
func TestResources(t *testing.T) {
	s := everything(t, nil)
	c := connect(t, s, nil)
	b := expect.Value(board.OpenOrCreate(t.Context(), s.boards(), "r1"))(t)
	defer b.Close()
	expect.Value(b.Post(t.Context(), "w", board.Post{Content: "first"}))(t)
	for uri, want := range map[string]string{"board://run/r1/state": `"seq": 2`,
		"board://run/r1/entry/e1": "first", "board://gate/r1": `"open": true`,
		"board://runs": "r1"} {
		r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil || !strings.Contains(r.Contents[0].Text, want) ||
			r.Contents[0].MIMEType != "application/json" {
			t.Errorf("%s: %v %+v", uri, err, r)
		}
	}
	for _, uri := range []string{"board://run/none/state", "board://run/r1/entry/e9",
		"board://run/../state", "board://run//state", "board://capsule/none", "board://gate/r1/x",
		"board://nothing", "file:///etc/passwd"} {
		if r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s: %+v", uri, r.Contents[0])
		}
	}
}

// TestWaiting waits for what comes, and for what does not.
func TestWaiting(t *testing.T) {
	s := everything(t, nil)
	c := connect(t, s, nil)
	call := func(tool, args string) (map[string]any, string) {
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool,
			Arguments: json.RawMessage(args)})
		if err != nil || r.IsError {
			t.Errorf("%s %s: %v %s", tool, args, err, textOf(r))
			return map[string]any{}, ""
		}
		return r.StructuredContent.(map[string]any), textOf(r)
	}
	call("board_signal", `{"content":"who?","priority":"high"}`)
	if out, text := call("board_wait",
		`{"for":"gate","timeout_seconds":0.05}`); out["happened"] != false ||
		!strings.Contains(text, "CLOSED") {
		t.Errorf("%v %s", out, text)
	}
	begun := calls(s)
	var wg sync.WaitGroup
	for _, args := range []string{`{"for":"gate","timeout_seconds":300}`,
		`{"for":"signal","signal":"s1","timeout_seconds":300}`,
		`{"for":"event","since":2,"timeout_seconds":300}`} {
		wg.Go(func() {
			if out, text := call("board_wait", args); out["happened"] != true {
				t.Errorf("%s: %v %s", args, out, text)
			}
		})
	}
	for range 3 {
		<-begun
	}
	call("board_waive", `{"signal":"s1","reason":"no matter"}`)
	wg.Wait()
	// One that is called off ends.
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "board_wait",
			Arguments: json.RawMessage(`{"for":"event","timeout_seconds":300}`)})
		done <- err
	}()
	<-begun // the waiving
	<-begun
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
}

// TestBadArguments sends what does not fit. The answer says what is wrong, and what the
// tool takes.
func TestBadArguments(t *testing.T) {
	cost.SkipUnlessLong(t)
	c := connect(t, everything(t, nil), nil)
	for _, b := range []struct{ tool, args, want string }{
		{"kb_search", `{}`, "query is missing"},
		{"kb_search", `{"query":{"a":7}}`, "query must be a text"},
		{"kb_search", `{"query":"x","limit":0}`, "between 1 and 1000"},
		{"kb_search", `{"query":"x","limit":2.5}`, "whole number"},
		{"kb_search", `{"query":"x","mode":"best"}`, "must be one of"},
		{"kb_search", `[1]`, "one JSON object"},
		{"kb_search", `{"query":""}`, "nothing to search for"},
		{"board_post", `{"content":"` + strings.Repeat("x", 5<<20) + `"}`, "65536"},
		{"board_post", `{"content":"x","supports":["e99"]}`, "e99"},
		{"board_post", `{"content":"x","run":"../x"}`, "run"},
		{"board_claim", `{"release":true}`, "release takes the question"},
		{"board_address", `{"signal":"s1"}`, "give one of entry and content"},
		{"board_wait", `{"for":"signal"}`, "id goes with"},
		{"board_survival", `{"text":"x","min_items":-1}`, "at least 0"},
		{"memory_forget", `{"id":"x","why":" "}`, "reason is needed"},
		{"memory_named", `{"name":"VOICE","body":"x"}`, "read it first"},
		{"conversation", `{"do":"start","ref":"x"}`, "start takes a channel"},
		{"search_context", `{"query":"x","top_k":21}`, "between 1 and 20"},
		{"list_context", `{"limit":1.5}`, "whole number"},
		{"board_var_set", `{"key":"k"}`, "give one of value and delete"},
	} {
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: b.tool,
			Arguments: json.RawMessage(b.args)})
		if err != nil {
			t.Errorf("%s %.60s: %v", b.tool, b.args, err)
			continue
		}
		if !r.IsError || !strings.Contains(textOf(r), b.want) || !strings.Contains(textOf(r),
			"try: ") && b.want != "e99" {
			t.Errorf("%s %.60s: %.300s", b.tool, b.args, textOf(r))
		}
	}
	if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "nothing"}); err == nil ||
		!strings.Contains(err.Error(), "nothing") {
		t.Errorf("an unknown tool: %v", err)
	}
	// null says nothing, and numbers of a value keep their digits.
	for _, args := range []string{`{"key":"n","value":12345678901234567890.5}`,
		`{"key":"nothing","value":null,"run":null,"if_version":null}`} {
		if r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "board_var_set",
			Arguments: json.RawMessage(args)}); err != nil || r.IsError {
			t.Errorf("%s: %v %s", args, err, textOf(r))
		}
	}
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "board_var_get",
		Arguments: map[string]any{"key": "n"}})
	if err != nil || !strings.Contains(textOf(r), "12345678901234567890.5") {
		t.Errorf("%v %s", err, textOf(r))
	}
}

// TestGuardOfZero: 0 is the version of what does not exist, for every tool that compares
// and sets: it is a conflict for what is there, and no guard that is dropped.
func TestGuardOfZero(t *testing.T) {
	c := connect(t, everything(t, nil), nil)
	use := func(tool string, args map[string]any) (*sdk.CallToolResult, string) {
		t.Helper()
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatalf("%s: %v", tool, err)
		}
		return r, textOf(r)
	}
	r, _ := use("memory_put", map[string]any{"tier": "workspace",
		"content": "The release is cut on Tuesdays"})
	item, _ := r.StructuredContent.(map[string]any)["item"].(map[string]any)
	id, _ := item["id"].(string)
	for _, g := range []struct {
		tool, guard string
		args        map[string]any
		first       bool // that what the guard means is not there yet
	}{
		{"board_var_set", "if_version", map[string]any{"key": "phase", "value": 1}, true},
		{"memory_named", "revision", map[string]any{"name": "VOICE", "body": "Short sentences."},
			true},
		{"memory_update", "revision", map[string]any{"id": id,
			"content": "The release is cut on Fridays"}, false},
	} {
		g.args[g.guard] = 0
		if g.first {
			if r, text := use(g.tool, g.args); r.IsError {
				t.Errorf("%s with %s 0, of what is new: %s", g.tool, g.guard, text)
			}
		}
		if r, text := use(g.tool, g.args); !r.IsError || !strings.Contains(text, "not 0") {
			t.Errorf("%s with %s 0, of what is there: %s", g.tool, g.guard, text)
		}
		g.args[g.guard] = -1
		if r, text := use(g.tool, g.args); !r.IsError || !strings.Contains(text, "at least 0") {
			t.Errorf("%s with %s -1: %s", g.tool, g.guard, text)
		}
	}
}

// TestEnumsAreUsed sees that each list that a tag may name is named.
func TestEnumsAreUsed(t *testing.T) {
	data := []string{}
	files, err := filepath.Glob("*.go")
	operations, _ := filepath.Glob("../ops/*.go")
	if files = append(files, operations...); err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text := expect.Value(os.ReadFile(f))(t)
		data = append(data, string(text))
	}
	all := strings.Join(data, "")
	for name := range enums() {
		if !strings.Contains(all, `enum:"`+name+`"`) {
			t.Errorf("the list %s is not used", name)
		}
	}
	if !slices.Contains(Profiles, ProfileAdmin) {
		t.Error("there is no profile for upkeep")
	}
}

// TestProgressIsTold has something long done, by a client that wants to know how far it
// has come.
func TestProgressIsTold(t *testing.T) {
	s := everything(t, nil)
	var mu sync.Mutex
	told := map[string]int{}
	c := connect(t, s, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context,
		r *sdk.ProgressNotificationClientRequest) {
		mu.Lock()
		defer mu.Unlock()
		told[fmt.Sprint(r.Params.ProgressToken)]++
	}})
	for i := range 30 {
		expect.OK(t, os.WriteFile(filepath.Join(s.cfg.Workspace, "docs", fmt.Sprintf("d%d.md", i)),
			[]byte(fmt.Sprintf("# Document %d\n\nIt says %d.\n", i, i)), 0o600))
	}
	for _, call := range []struct{ tool, args string }{{"kb_ingest", `{"paths":["docs"]}`},
		{"kb_reembed", `{}`}} {
		p := &sdk.CallToolParams{Name: call.tool, Arguments: json.RawMessage(call.args)}
		p.SetProgressToken(call.tool)
		if r, err := c.CallTool(t.Context(), p); err != nil || r.IsError {
			t.Fatalf("%s: %v %s", call.tool, err, textOf(r))
		}
	}
	if r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "kb_ingest",
		Arguments: json.RawMessage(`{"paths":["docs"]}`)}); err != nil || r.IsError {
		t.Fatal(err)
	}
	wait.For(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return told["kb_ingest"] > 0 && len(told) <= 2
	}, func() string {
		mu.Lock()
		defer mu.Unlock()
		return fmt.Sprintf("told %v", told)
	})
}
