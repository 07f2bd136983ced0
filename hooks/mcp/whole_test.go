package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/testdata/expect"
)

// leaves are the texts of JSON, with their path.
func leaves(v any, at string, each func(path, text string)) {
	switch v := v.(type) {
	case string:
		each(at, v)
	case []any:
		for _, member := range v {
			leaves(member, at, each)
		}
	case map[string]any:
		for k, member := range v {
			leaves(member, strings.TrimPrefix(at+"."+k, "."), each)
		}
	}
}

// implied are fields that a reader does not need: which run or mode it is, unless the
// call said so; when something was, where the text says how long ago, or nothing; what
// holds of nearly all, such as the status active; and what a write repeats of the thing.
var implied = map[string]string{
	"run": "", "mode": "", "tier": "", "what": "",
	"at": "", "last": "", "created": "", "updated": "", "updated_at": "", "created_at": "", "retired": "",
	"status": "active", "lifetime": "short_term", "curator": "", "workspace": "",
	"accessed": "", "embedding_model": "", "memory_put": "source", "memory_update": "source tags", "memory_forget": "source rule forgotten", "kb_retire": "body scope source id kind",
	"kb_ingest": "new", "kb_brief": "kinds", "conversation_list": "thread started ended", "conversation": "thread agent started ended", "scratch_write": "agent", "scratch_read": "agent", "scratch_list": "agent", "memory_scrub": "sample actor verb", "memory_context": "source frame", "search_context": "degraded", "board_wait": "tags key source_doc source_ref",
	"board_expect": "by", "board_var_set": "worker", "board_post": "worker", "board_ask": "status worker", "board_signal": "status worker", "board_start": "status by", "board_done": "by", "board_query": "key", "board_show": "kind closed", "board_claim": "lease_until worker status", "board_answer": "worker closed closed_by status origin content type", "board_waive": "closed", "board_reopen": "worker", "board_accept": "worker", "board_link": "worker content", "board_correct": "worker source_doc source_ref type tags",
}

// isImplied reports whether a text of the data need not be read.
func isImplied(tool, field, said, args string) bool {
	status, any := implied[field]
	return any && (status == "" || status == said) || strings.Contains(args, said) ||
		slices.Contains(strings.Fields(implied[tool]), field)
}

// TestTextIsWhole makes every call of the scenario, and compares what a reader gets with
// the data: each text of the data is in what is read.
func TestTextIsWhole(t *testing.T) {
	s := everything(t, nil)
	c := connect(t, s, nil)
	saved := map[string]string{}
	for _, step := range steps(t) {
		args := string(step.Args)
		for k, v := range saved {
			args = strings.ReplaceAll(args, `"$`+k+`"`, `"`+v+`"`)
		}
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: step.Tool,
			Arguments: json.RawMessage(args)})
		if err != nil || r.IsError {
			t.Fatalf("%s: %v %s", step.Tool, err, textOf(r))
		}
		for k, path := range step.Save {
			v := r.StructuredContent
			for _, p := range strings.Split(path, ".") {
				v = v.(map[string]any)[p]
			}
			saved[k] = v.(string)
		}
		read := strings.Join(strings.Fields(textOf(r)), " ")
		leaves(r.StructuredContent, "", func(path, said string) {
			said = strings.Join(strings.Fields(said), " ")
			if strings.Contains("board_gate board_check board_survival board_state board_start", step.Tool) &&
				!strings.HasSuffix(path, "reasons.content") {
				return // the data has all that was compared, the text what fails
			}
			if !strings.Contains(read, said) && !isImplied(step.Tool, path[strings.LastIndex(path, ".")+1:], said, args) {
				t.Errorf("%s %s: %q is not in the text: %.600s", step.Tool, path, said, read)
			}
		})
	}
}

// TestOneAnswerForAll: every client is given the same text, in one block, and nothing
// besides; a program that asks for JSON gets the data in both ways.
func TestOneAnswerForAll(t *testing.T) {
	s := everything(t, nil)
	s.bothForms = false
	first := connect(t, s, nil)
	const said = "answers 99 % of its requests within 250 ms; the rest waits for the lock of the ledger"
	for i := range 20 {
		must(t, first, "board_post", fmt.Sprintf(`{"content":"Service %d %s","source_doc":"report.md","evidence":"p95 of 240 ms","must_surface":true}`, i, said))
	}
	as := func(name, tool string, args any) *sdk.CallToolResult {
		t.Helper()
		near, far := sdk.NewInMemoryTransports()
		go s.Serve(t.Context(), far)
		c := expect.Value(sdk.NewClient(&sdk.Implementation{Name: name}, nil).Connect(t.Context(), near, nil))(t)
		defer c.Close()
		listed, err := c.ListTools(t.Context(), nil)
		if err != nil || slices.ContainsFunc(listed.Tools, func(t *sdk.Tool) bool { return t.OutputSchema != nil }) {
			t.Errorf("%s is told of output schemas (%v)", name, err)
		}
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
		if err != nil || r.IsError {
			t.Fatalf("%s: %v %v", tool, err, r)
		}
		return r
	}
	for _, tool := range []string{"board_query", "board_gate", "board_digest", "board_state"} {
		want := textOf(as("a-program", tool, nil))
		for _, name := range []string{"claude-code", "codex-mcp-client", "Visual Studio Code", "qwen-cli-mcp-client"} {
			r := as(name, tool, nil)
			if textOf(r) != want || len(r.Content) != 1 || r.StructuredContent != nil {
				t.Errorf("%s gets of %s %d blocks, data %v, and %s", name, tool, len(r.Content),
					r.StructuredContent, textOf(r))
			}
		}
	}
	if text := textOf(as("codex-mcp-client", "board_query", nil)); strings.Count(text, said) != 20 {
		t.Errorf("not all entries are whole: %s", text)
	}
	r := as("a-program", "board_query", map[string]any{"format": "json"})
	var data, structured any
	body, _ := json.Marshal(r.StructuredContent)
	if json.Unmarshal([]byte(textOf(r)), &data) != nil || json.Unmarshal(body, &structured) != nil ||
		fmt.Sprint(data) != fmt.Sprint(structured) || strings.Count(textOf(r), said) != 20 {
		t.Errorf("a program gets %s, and the text %s", body, textOf(r))
	}
	if _, err := first.CallTool(t.Context(), &sdk.CallToolParams{Name: "board_query",
		Arguments: map[string]any{"format": "text"}}); err != nil {
		t.Error(err)
	}
	if r, _ := first.CallTool(t.Context(), &sdk.CallToolParams{Name: "board_query",
		Arguments: map[string]any{"format": "xml"}}); !r.IsError {
		t.Error("any format is taken")
	}
}
