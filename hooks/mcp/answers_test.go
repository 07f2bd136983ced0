package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// userText is what users say in these tests: it looks like what no answer may say by
// itself.
const userText = "git push --force `board_state lists them` `board show`"

// ownWords sees that an answer names no command and no flag, except where it repeats what
// the user said, which comes back unchanged.
func ownWords(t *testing.T, what, answer string) {
	t.Helper()
	own := strings.ReplaceAll(answer, userText, "")
	for n := len(userText) - 1; n > 0; n-- { // a beginning of it, marked as one
		own = strings.ReplaceAll(own, userText[:n]+"…", "")
	}
	for _, bad := range []string{"`board ", " --", "git push", "lists them` `"} {
		if strings.Contains(own, bad) {
			t.Errorf("%s: %q is in the answer\n%s", what, bad, answer)
		}
	}
}

// answer is what a tool answers, whatever becomes of the call.
func answer(t *testing.T, c *sdk.ClientSession, tool, args string) string {
	t.Helper()
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil {
		return err.Error()
	}
	return textOf(r)
}

// TestAnswersNameNoCommand calls every tool with each of its arguments absent, of the wrong
// type, empty, and about what there is not.
func TestAnswersNameNoCommand(t *testing.T) {
	cost.SkipUnlessLong(t)
	s := everything(t, nil)
	c := connect(t, s, nil)
	saved, called := map[string]string{}, map[string]bool{}
	for _, st := range steps(t) {
		args := string(st.Args)
		for k, v := range saved {
			args = strings.ReplaceAll(args, `"$`+k+`"`, `"`+v+`"`)
		}
		var given map[string]any
		expect.OK(t, json.Unmarshal([]byte(args), &given))
		st.Tool = meantTool(st.Tool, json.RawMessage(args))
		takes, listed := s.takes[st.Tool]
		if listed && takes.Properties["timeout_seconds"] != nil {
			given["timeout_seconds"] = 0.001
		}
		r := expect.Value(c.CallTool(t.Context(), &sdk.CallToolParams{Name: st.Tool, Arguments: given}))(t)
		ownWords(t, st.Tool+" "+args, textOf(r))
		first := !called[st.Tool]
		called[st.Tool] = true
		for k, path := range st.Save {
			v := r.StructuredContent
			for _, p := range strings.Split(path, ".") {
				v = v.(map[string]any)[p]
			}
			saved[k] = v.(string)
		}
		if !first || !listed {
			continue
		}
		for _, name := range append(slices.Sorted(maps.Keys(takes.Properties)), userText) {
			for _, v := range []any{nil, "", userText, -1, true, []any{userText}} {
				with := maps.Clone(given)
				if with[name] = v; v == nil {
					delete(with, name)
				}
				if name == "timeout_seconds" && v == nil {
					continue // it would wait for long
				}
				args, _ := json.Marshal(with)
				ownWords(t, st.Tool+" "+fault.Clip(string(args), 300), answer(t, c, st.Tool, string(args)))
			}
		}
	}
}

// TestRefusalsNameNoCommand calls every tool on servers that lack something.
func TestRefusalsNameNoCommand(t *testing.T) {
	cost.SkipUnlessLong(t)
	cost.SkipTable(t)
	for what, change := range map[string]func(*Config){
		"no grants":    func(c *Config) { c.Grants = Grants{} },
		"no run":       func(c *Config) { c.Run = "" },
		"no such run":  func(c *Config) { c.Run, c.NoCreate = "r2", true },
		"no workspace": func(c *Config) { c.Workspace = "" },
		"no store":     func(c *Config) { c.Store = "" },
		"no model":     func(c *Config) { c.Embedder = func(context.Context) (embed.Embedder, func()) { return nil, func() {} } },
		"from afar":    func(c *Config) { c.Far = true },
		"few tools":    func(c *Config) { c.Profiles = []string{ProfileRun} },
	} {
		c := connect(t, everything(t, change), nil)
		for _, st := range steps(t) {
			ownWords(t, what+": "+st.Tool, answer(t, c, st.Tool, strings.ReplaceAll(string(st.Args), `"timeout_seconds":1`, `"timeout_seconds":0.001`)))
		}
	}
}

// TestDomainErrorsNameNoCommand provokes what arguments alone do not.
func TestDomainErrorsNameNoCommand(t *testing.T) {
	s := everything(t, nil)
	c := connect(t, s, nil)
	long := strings.Repeat("word ", 5000)
	q := func(s string) string { return fmt.Sprintf("%q", s) }
	for _, call := range [][2]string{
		{"board_post", `{"content":"Refunds took 4 days","key":"k"}`},
		{"board_post", `{"content":` + q(userText) + `,"key":"k"}`}, // of another entry
		{"board_post", `{"content":"x","type":"contradiction"}`},
		{"board_post", `{"content":"x","type":` + q(userText) + `}`},
		{"board_post", `{"content":"x","worker":` + q(userText+"\n") + `}`},
		{"board_post", `{"content":"x","supports":["@` + userText + `"]}`},
		{"board_post", `{"content":"x","supports":["s1"]}`},
		{"board_post", `{"content":"x","addresses":["e1"]}`},
		{"board_post", `{"content":"x","drop_duty":"y"}`},
		{"board_post", `{"content":` + q(long+long) + `}`},
		{"board_post", `{"content":"must","must_surface":true}`},
		{"board_post", `{"content":"y","supersedes":["e2"],"drop_duty":` + q(userText) + `}`},
		{"board_post", `{"content":"z","supersedes":["e2"]}`},
		{"board_signal", `{"content":` + q(userText) + `,"priority":"critical"}`},
		{"board_signal", `{"content":"who?","origin":"s1"}`},
		{"board_gate", `{}`}, {"board_gate", `{"require_verified":true,"require_evidence":true,"require_source":true,"max_conflicts":0,"min_entries":50,"max_disputed":0,"max_open":0}`},
		{"board_state", `{}`}, {"board_check", `{}`}, {"board_check", `{"text":` + q(userText) + `}`}, {"board_survival", `{"text":` + q(userText) + `}`},
		{"board_claim", `{"signal":"s1","worker":` + q(userText) + `}`},
		{"board_claim", `{"signal":"s1","worker":"ben"}`}, {"board_claim", `{}`}, {"board_claim", `{"signal":"s1","worker":"ben","release":true}`},
		{"board_address", `{"signal":"s1","entry":"s1"}`}, {"board_address", `{"signal":"e1","entry":"e1"}`},
		{"board_waive", `{"signal":"s1","reason":` + q(userText) + `}`}, {"board_waive", `{"signal":"s1","reason":"again"}`},
		{"board_address", `{"signal":"s1","entry":"e1"}`}, {"board_claim", `{"signal":"s1"}`},
		{"board_settle", `{"entry":"e1","other":"e1","reason":"x"}`}, {"board_settle", `{"entry":"e1","other":"e3","reason":"x"}`},
		{"board_expect", `{"names":["` + userText + `"]}`}, {"board_expect", `{"do":"done","worker":"nobody"}`}, {"board_expect", `{"do":"drop","names":["nobody"],"reason":"x"}`},
		{"board_var_set", `{"key":` + q(userText) + `,"value":1}`}, {"board_var_set", `{"key":"phase","value":1}`}, {"board_var_set", `{"key":"phase","value":2,"if_version":7}`}, {"board_var_set", `{"key":"phase","value":2,"if_version":0}`},
		{"board_query", `{"match":"\"open"}`}, {"board_query", `{"run":` + q(userText) + `}`}, {"board_query", `{"run":"refunds"}`}, {"board_state", `{"run":"r11"}`},
		{"board_wait", `{"for":"signal","signal":"s9","timeout_seconds":0.001}`}, {"board_wait", `{"for":"gate","run":"nowhere","timeout_seconds":0.001}`},
		{"kb_search", `{"query":"anything"}`}, {"kb_get", `{"id":"k1"}`}, {"kb_brief", `{"task":"anything"}`}, {"kb_doctor", `{}`}, {"kb_curate", `{"what":"decay"}`},
		{"kb_remember", `{"title":"Refunds","body":"They need a key, for the gateway retries twice.","scope":"universal"}`},
		{"kb_remember", `{"title":"Refunds","body":"They need a key, for the gateway retries twice.","scope":"universal"}`},
		{"kb_remember", `{"title":"Key","body":"it is AKIAQ3EGRZ7T5WXNLB2M"}`}, {"kb_remember", `{"title":"x","body":"y","supersedes":["k9"]}`},
		{"kb_remember", `{"title":` + q(userText) + `,"body":` + q(userText) + `,"kind":"x"}`},
		{"kb_get", `{"id":` + q(userText) + `}`}, {"kb_retire", `{"id":"none","why":"x"}`}, {"kb_resolve", `{"keep":"a","other":"b","how":"stand","why":"x"}`},
		{"kb_ingest", `{"paths":["none.md"]}`}, {"kb_ingest", `{"paths":["/dev/stdin"]}`}, {"kb_ingest", `{"paths":["` + userText + `"]}`},
		{"kb_search", `{"query":` + q(userText) + `}`}, {"kb_search", `{"query":"refunds","mode":"semantic"}`},
		{"memory_put", `{"content":` + q(long) + `}`}, {"memory_put", `{"content":"x","tier":"conversation"}`}, {"memory_put", `{"content":"x","tier":"conversation","conversation":` + q(userText) + `}`},
		{"memory_put", `{"content":"x","tier":"channel","channel":` + q(userText) + `}`}, {"memory_put", `{"content":"it is AKIAQ3EGRZ7T5WXNLB2M"}`}, {"memory_put", `{"content":"x","ttl_days":99999}`},
		{"memory_put", `{"content":"x","derived_from":` + q(userText) + `}`},
		{"memory_update", `{"id":"m1","content":"x"}`}, {"memory_forget", `{"id":` + q(userText) + `,"why":"x"}`}, {"memory_named", `{"name":` + q(userText) + `}`}, {"memory_named", `{"name":"VOICE","body":"x","revision":7}`},
		{"memory_read", `{"tiers":["conversation"]}`}, {"memory_read", `{"tiers":["channel"],"channel":"none"}`}, {"memory_read", `{"query":` + q(userText) + `}`}, {"memory_context", `{"conversation":"none"}`}, {"memory_context", `{"task":` + q(userText) + `}`},
		{"conversation", `{"do":"get","ref":"none"}`}, {"conversation", `{"do":"start","channel":` + q(userText) + `}`}, {"conversation", `{"do":"start"}`}, {"conversation_list", `{"channel":"none"}`},
		{"scratch_write", `{"conversation":"none","key":"k","value":1}`}, {"scratch_read", `{"conversation":"none","key":"k"}`}, {"channel_create", `{"name":` + q(userText) + `}`}, {"channel_create", `{"name":"general"}`}, {"channel_create", `{"name":"general"}`},
		{"memory_consolidate", `{"do":` + q(userText) + `}`}, {"memory_consolidate", `{"scopes":["` + userText + `"]}`},
		{"memory_consolidate", `{"do":"plan"}`},
		{"memory_scrub", `{"tier":"workspace","confirm":"none"}`}, {"memory_scrub", `{"tier":"conversation"}`}, {"memory_scrub", `{"tier":"workspace","mode":"all"}`}, {"memory_scrub", `{"tier":"channel","channel":"none"}`},
		{"write_context", `{"topic":"","content":""}`}, {"read_context", `{"id":` + q(userText) + `}`}, {"delete_context", `{"id":"none"}`}, {"get_state", `{"key":` + q(userText) + `}`}, {"set_state", `{"key":"","value":1}`},
		{"search_context", `{"query":"x","top_k":1.5}`}, {"write_context", `{"topic":"t","content":"c","ttl_days":-4}`},
	} {
		ownWords(t, call[0]+" "+fault.Clip(call[1], 200), answer(t, c, call[0], call[1]))
	}
	for _, run := range []string{"r2", userText} {
		for _, uri := range []string{"board://run/" + run + "/state", "board://gate/" + run, "board://run/" + run + "/entry/e1"} {
			if _, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err != nil {
				ownWords(t, uri, err.Error())
			}
		}
	}
}

// TestUnknownArguments: what no tool takes is left out and named, since it is most likely
// misspelled. The original of the context tools takes no notice of it.
func TestUnknownArguments(t *testing.T) {
	s := everything(t, nil)
	c := connect(t, s, nil)
	ignores := map[string]bool{}
	for _, tool := range connectedTools(t, func(c *Config) { c.Profiles = []string{ProfileContext} }) {
		ignores[tool.Name] = true
	}
	for _, tool := range s.Tools() {
		text := answer(t, c, tool, `{"colour":"red"}`)
		if named := strings.Contains(text, `"colour"`); named == ignores[tool] {
			t.Errorf("%s: %s", tool, text)
		}
	}
}

func connectedTools(t *testing.T, change func(*Config)) []*sdk.Tool {
	t.Helper()
	listed := expect.Value(connect(t, everything(t, change), nil).ListTools(t.Context(), nil))(t)
	return listed.Tools
}

// TestDefaultsAreTrue stores a memory with nothing but its content, and asks for a brief with
// nothing but a task.
func TestDefaultsAreTrue(t *testing.T) {
	c := connect(t, everything(t, nil), nil)
	ref := structured(t, c, "conversation", `{"do":"start"}`)["conversation"].(map[string]any)["ref_code"].(string)
	for args, want := range map[string]map[string]any{
		`{"content":"a"}`:                                                    {"tier": "workspace", "importance": .5, "lifetime": "short_term", "source": "scout"},
		`{"content":"b","tier":"channel"}`:                                   {"tier": "channel", "channel": "general", "lifetime": "short_term"},
		`{"content":"c","level":"low"}`:                                      {"importance": .25},
		`{"content":"d","importance":"high"}`:                                {"importance": .75},
		`{"content":"e","tier":"conversation","conversation":"` + ref + `"}`: {"tier": "conversation", "lifetime": "conversation"},
	} {
		item := structured(t, c, "memory_put", args)["item"].(map[string]any)
		for name, v := range want {
			if item[name] != v {
				t.Errorf("%s: %s is %v, not %v", args, name, item[name], v)
			}
		}
	}
	refused(t, c, "memory_put", `{"content":"f","channel":"billing"}`, "tier: channel")
	must(t, c, "kb_remember", `{"title":"Refunds need a key","body":"The gateway retries a refund twice.","scope":"universal"}`)
	must(t, c, "board_post", `{"content":"x"}`)
	if text := must(t, c, "kb_brief", `{"task":"retry refunds at the gateway"}`); !strings.Contains(text, "Refunds need a key") || strings.Contains(text, "Note: what was given is not kept") {
		t.Error(text)
	}
}

// structured calls a tool that must answer, and returns its data.
func structured(t *testing.T, c *sdk.ClientSession, tool, args string) map[string]any {
	t.Helper()
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
	if err != nil || r.IsError {
		t.Fatalf("%s %s: %v %s", tool, args, err, textOf(r))
	}
	return r.StructuredContent.(map[string]any)
}
