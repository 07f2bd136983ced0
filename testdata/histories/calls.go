package histories

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// caller makes one call after the other.
type caller struct {
	w      *world
	name   string
	via    string // stdio, http, cli
	tool   func(ctx context.Context, name string, args map[string]any) (answer, error)
	rand   *rand.Rand
	keys   []*Op // posts under a key, to be tried again
	vers   map[string]int64
	weight []weighted
}

type weighted struct {
	kind string
	n    int
}

// kinds are the calls with how often they come. Reads come often: they open and close.
var kinds = map[string][]weighted{
	"board": {{"post", 14}, {"batch", 3}, {"post-key", 4}, {"post-again", 3}, {"link", 3}, {"supersede", 3}, {"signal", 5}, {"claim", 8}, {"release", 5},
		{"address", 3}, {"waive", 2}, {"reopen", 2}, {"var-set", 3}, {"var-cas", 10}, {"var-get", 5}, {"board-read", 20}},
	"kb":      {{"remember", 6}, {"edit", 5}, {"retire", 1}, {"kb-read", 5}},
	"memory":  {{"put", 6}, {"update", 6}, {"forget", 1}, {"memory-read", 4}},
	"context": {{"write", 6}, {"set", 4}, {"get", 4}, {"context-read", 3}},
}

// onlyCommand are calls that agents have no tool for, onlyTool those that the command line cannot
// make.
var onlyCommand = map[string]bool{"reopen": true, "edit": true, "link": true}

func (c *caller) choose() string {
	total := 0
	for _, k := range c.weight {
		total += k.n
	}
	n := c.rand.IntN(total)
	for _, k := range c.weight {
		if n -= k.n; n < 0 {
			return k.kind
		}
	}
	panic("unreachable")
}

func (c *caller) loop(ctx context.Context) {
	for {
		n, ok := c.w.more(ctx)
		if !ok {
			return
		}
		o := &Op{N: n, Caller: c.name, Via: c.via, Kind: c.choose(), If: -1}
		if c.via != "cli" && onlyCommand[o.Kind] || !c.prepare(o) {
			continue
		}
		o.Call = c.w.now()
		a, err := c.make(o)
		o.Return = c.w.now()
		if err == errNoOne {
			continue
		}
		c.judge(o, a, err)
		c.w.record(o)
		if o.Kind == "post-key" {
			c.keys = append(c.keys, o)
		}
	}
}

// prepare fills in what is sent. It is false if there is nothing yet that such a call could be
// about.
func (c *caller) prepare(o *Op) bool {
	o.Value = fmt.Sprintf("value %s of call %d by %s", strconv.FormatUint(c.rand.Uint64(), 36), o.N, c.name)
	// Few things at a time, so that callers meet; others later, so that no history of one thing
	// grows long.
	pool := func(prefix string, n int) string { return prefix + strconv.Itoa(o.N/300*n+c.rand.IntN(n)) }
	w := c.w
	switch o.Kind {
	case "batch":
		for i := range 2 {
			o.More = append(o.More, fmt.Sprintf("%s, part %d", o.Value, i+2))
		}
	case "post-key":
		o.Key = "key-" + strconv.Itoa(o.N)
	case "post-again":
		if len(c.keys) == 0 {
			return false
		}
		before := c.keys[c.rand.IntN(len(c.keys))]
		o.Key, o.Value = before.Key, before.Value
	case "link":
		o.Key, o.Link = w.pick(c.rand, 8, "post", "batch"), w.pick(c.rand, 8, "post", "batch")
		return o.Key != "" && o.Key != o.Link
	case "supersede":
		o.Link = w.pick(c.rand, 4, "post", "batch")
		return o.Link != ""
	case "claim", "release", "address", "waive", "reopen":
		o.Key = w.pick(c.rand, 3, "signal")
		return o.Key != ""
	case "var-set", "var-get", "var-cas":
		o.Key, o.Value = pool("v", 2), strconv.Itoa(o.N)
		if o.Kind == "var-cas" {
			o.If = c.vers[o.Key]
		}
	case "edit", "retire":
		o.Key = w.pick(c.rand, 4, "remember")
		o.If = max(1, c.vers[o.Key])
		return o.Key != ""
	case "kb-read":
		o.Key = w.pick(c.rand, 4, "remember")
	case "update", "forget":
		o.Key = w.pick(c.rand, 4, "put")
		o.If = max(1, c.vers[o.Key])
		return o.Key != ""
	case "set", "get":
		o.Key, o.Value = pool("state", 2), strconv.Itoa(o.N)
	}
	return true
}

// make makes the call.
func (c *caller) make(o *Op) (answer, error) {
	// The end of a run begins no call, and ends none.
	ctx := context.Background()
	if c.via == "cli" {
		args, stdin := c.commandOf(o)
		return c.w.run(ctx, stdin, args...)
	}
	name, args := c.toolOf(o)
	return c.tool(ctx, name, args)
}

func (c *caller) toolOf(o *Op) (string, map[string]any) {
	run := func(more ...any) map[string]any {
		m := map[string]any{"run": runName, "worker": c.name}
		for i := 0; i < len(more); i += 2 {
			m[more[i].(string)] = more[i+1]
		}
		return m
	}
	num := json.Number(o.Value)
	switch o.Kind {
	case "post":
		return "board_post", run("content", o.Value)
	case "batch":
		var more []any
		for _, v := range o.More {
			more = append(more, map[string]any{"content": v})
		}
		return "board_post", run("content", o.Value, "more", more)
	case "post-key", "post-again":
		return "board_post", run("content", o.Value, "key", o.Key)
	case "supersede":
		return "board_post", run("content", o.Value, "supersedes", []string{o.Link})
	case "signal":
		return "board_signal", run("content", o.Value, "priority", "high")
	case "claim":
		return "board_claim", run("signal", o.Key)
	case "release":
		return "board_claim", run("signal", o.Key, "release", true)
	case "address":
		return "board_address", run("signal", o.Key, "content", o.Value)
	case "waive":
		return "board_waive", run("signal", o.Key, "reason", o.Value)
	case "var-set":
		return "board_var_set", run("key", o.Key, "value", num)
	case "var-cas":
		return "board_var_set", run("key", o.Key, "value", num, "if_version", o.If)
	case "var-get":
		return "board_var_get", map[string]any{"run": runName, "key": o.Key}
	case "board-read":
		switch c.rand.IntN(3) {
		case 0:
			return "board_query", map[string]any{"run": runName, "limit": 5}
		case 1:
			return "board_gate", map[string]any{"run": runName}
		}
		return "board_state", map[string]any{"run": runName}
	case "remember":
		return "kb_remember", map[string]any{"title": "Title of " + o.Value, "body": o.Value, "source": "history", "force": true}
	case "retire":
		return "kb_retire", map[string]any{"id": o.Key, "why": o.Value}
	case "kb-read":
		if o.Key != "" && c.rand.IntN(2) == 0 {
			return "kb_get", map[string]any{"id": o.Key}
		}
		o.Key = ""
		return "kb_search", map[string]any{"query": "value of call"}
	case "put":
		return "memory_put", map[string]any{"content": o.Value, "tier": "workspace"}
	case "update":
		return "memory_update", map[string]any{"id": o.Key, "content": o.Value, "revision": o.If}
	case "forget":
		return "memory_forget", map[string]any{"id": o.Key, "why": o.Value}
	case "memory-read":
		return "memory_read", map[string]any{"query": "value of call", "limit": 3}
	case "write":
		return "write_context", map[string]any{"topic": "call " + strconv.Itoa(o.N), "content": o.Value}
	case "set":
		return "set_state", map[string]any{"key": o.Key, "value": num}
	case "get":
		return "get_state", map[string]any{"key": o.Key}
	case "context-read":
		return "search_context", map[string]any{"query": "value of call"}
	}
	panic("no tool for " + o.Kind)
}

func (c *caller) commandOf(o *Op) (args []string, stdin string) {
	board := func(args ...string) []string { return append(args, "--run", runName, "--worker", c.name, "--json") }
	version := strconv.FormatInt(o.If, 10)
	switch o.Kind {
	case "post":
		return board("post", o.Value), ""
	case "batch":
		for _, v := range append([]string{o.Value}, o.More...) {
			stdin += fmt.Sprintf("{\"content\":%q}\n", v)
		}
		return board("post", "--batch", "-"), stdin
	case "post-key", "post-again":
		return board("post", o.Value, "--key", o.Key), ""
	case "supersede":
		return board("post", o.Value, "--supersedes", o.Link), ""
	case "link":
		return board("link", o.Key, "--supports", o.Link), ""
	case "signal":
		return board("signal", o.Value, "--priority", "high"), ""
	case "claim", "release", "reopen":
		return board(o.Kind, o.Key), ""
	case "address":
		return board("address", o.Key, o.Value), ""
	case "waive":
		return board("waive", o.Key, "--reason", o.Value), ""
	case "var-set":
		return board("state", "set", o.Key, o.Value), ""
	case "var-cas":
		return board("state", "set", o.Key, o.Value, "--if-match", version), ""
	case "var-get":
		return []string{"state", "get", o.Key, "--run", runName, "--json"}, ""
	case "board-read":
		return []string{[]string{"show", "signals", "gate"}[c.rand.IntN(3)], "--run", runName, "--json"}, ""
	case "remember":
		return []string{"kb", "remember", "--title", "Title of " + o.Value, "--source", "history", "--force", "--worker", c.name, "--json", o.Value}, ""
	case "edit":
		return []string{"kb", "edit", o.Key, "--body", o.Value, "--if-revision", version, "--force", "--worker", c.name, "--json"}, ""
	case "retire":
		return []string{"kb", "retire", o.Key, "--why", o.Value, "--worker", c.name, "--json"}, ""
	case "kb-read":
		if o.Key != "" && c.rand.IntN(2) == 0 {
			return []string{"kb", "get", o.Key, "--json"}, ""
		}
		o.Key = ""
		return []string{"kb", "list", "--limit", "3", "--json"}, ""
	case "put":
		return []string{"memory", "put", o.Value, "--tier", "workspace", "--agent", c.name, "--json"}, ""
	case "update":
		return []string{"memory", "update", o.Key, o.Value, "--if-revision", version, "--json"}, ""
	case "forget":
		return []string{"memory", "forget", o.Key, "--why", o.Value, "--json"}, ""
	case "memory-read":
		return []string{"memory", "list", "--limit", "3", "--json"}, ""
	case "write":
		return []string{"context", "write", o.Value, "--topic", "call " + strconv.Itoa(o.N), "--json"}, ""
	case "set":
		return []string{"context", "set", o.Key, o.Value, "--json"}, ""
	case "get":
		return []string{"context", "get", o.Key, "--json"}, ""
	case "context-read":
		return []string{"context", "list", "--limit", "3", "--json"}, ""
	}
	panic("no command for " + o.Kind)
}

// judge reads the answer into the call.
func (c *caller) judge(o *Op, a answer, err error) {
	switch {
	case err == errGone:
		o.Out = Unknown
		return
	case err != nil:
		o.Out, o.Err = Failed, err.Error()
		return
	case a.isError:
		o.Out, o.Err = Failed, strings.TrimSpace(a.text)
		if c.via == "cli" && (a.code == 5 || a.code == 6) || c.via != "cli" && refusal(a.text) {
			o.Out = Refused
		}
		// A command that only looks exits with 3 where the gate is closed.
		if c.via == "cli" && o.Kind == "board-read" && a.code == 3 {
			o.Out, o.Err = OK, ""
		}
		return
	}
	o.Out = OK
	d := a.data
	switch o.Kind {
	case "post", "post-key", "post-again", "supersede", "batch":
		for _, list := range []string{"entries", "posted"} {
			for _, e := range sliceOf(d[list]) {
				if inner := mapOf(mapOf(e)["entry"]); inner != nil {
					e = inner
				}
				o.IDs = append(o.IDs, str(mapOf(e)["id"]))
				o.Exists = o.Exists || mapOf(e)["existing"] == true
			}
		}
		if e := mapOf(d["entry"]); e != nil {
			o.IDs, o.Exists = []string{str(e["id"])}, d["existing"] == true
		}
	case "address":
		if id, ok := d["entry"].(string); ok {
			o.IDs = []string{id}
		} else {
			o.IDs = []string{str(mapOf(d["entry"])["id"])}
		}
	case "signal", "claim", "release", "waive", "reopen":
		o.IDs = []string{str(mapOf(d["signal"])["id"])}
	case "var-set", "var-cas", "var-get":
		v := mapOf(d["variable"])
		if list := sliceOf(d["variables"]); len(list) > 0 {
			v = mapOf(list[0])
		}
		o.Ver, o.Got = number(v["version"]), fmt.Sprint(v["value"])
		c.vers[o.Key] = o.Ver
	case "remember":
		if o.IDs = []string{str(d["id"])}; d["id"] == nil {
			o.IDs[0] = str(mapOf(d["capsule"])["id"])
		}
		c.vers[o.IDs[0]] = 1
	case "edit":
		o.Ver = number(mapOf(d["capsule"])["revision"])
		c.vers[o.Key] = o.Ver
	case "kb-read":
		capsule := mapOf(d["capsule"]) // of a command; a tool's answer is one
		if capsule == nil {
			capsule = d
		}
		if o.Key != "" {
			o.Ver, o.Got = number(capsule["revision"]), str(capsule["body"])
			c.vers[o.Key] = o.Ver
		}
	case "put", "update":
		item := mapOf(d["item"])
		o.IDs, o.Ver = []string{str(item["id"])}, number(item["revision"])
		c.vers[o.IDs[0]] = o.Ver
	case "write":
		if o.IDs = []string{str(d["id"])}; d["id"] == nil {
			o.IDs[0] = str(mapOf(d["chunk"])["id"])
		}
	case "get":
		if state := mapOf(d["state"]); state != nil {
			d = state
		}
		o.Got = fmt.Sprint(d["value"])
	}
}

// refusal reports whether the text of a tool's error says that nothing was done, since something
// was in the way.
func refusal(text string) bool {
	for _, s := range []string{"has version", "does not exist", "is claimed by", "is not claimed", "is answered already", "was waived by", "there is no", "has revision",
		"is superseded", "was forgotten", "is forgotten", "is retired", "is already", "not found", "was retired", "is not active", "has changed", "not revision", "does not have", "nothing is set", "was changed", "an agent does not change it"} {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

func mapOf(v any) map[string]any { m, _ := v.(map[string]any); return m }
func sliceOf(v any) []any        { s, _ := v.([]any); return s }
func str(v any) string           { s, _ := v.(string); return s }
func number(v any) int64         { f, _ := v.(float64); return int64(f) }
