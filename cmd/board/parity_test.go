package main

import (
	"cmp"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/op"
	"blackboard/cmd/board/base"
	"blackboard/hooks/mcp"
	"blackboard/hooks/ops"
	"blackboard/kb"
	"blackboard/kb/chunks"
	"blackboard/kb/memory"
	"blackboard/testdata/expect"
)

// offered is how an operation of the domain is reached: by which command, and by which tool. In
// place of a tool, or of both, stands why agents have none, in parentheses.
type offered struct{ command, tool string }

// Why an operation has no tool.
const (
	notForAgents = "(for a person at the keyboard)"
	inside       = "(inside of others)"
)

// operations are all methods of the domain, so that none is added without a thought for who can
// use it.
var operations = map[reflect.Type]map[string]offered{
	reflect.TypeFor[*board.Board](): {
		"Address": {"answer", "board_answer"}, "PostAddressing": {"answer", "board_answer"}, "Claim": {"claim", "board_claim"}, "ClaimNext": {"claim", "board_claim"}, "Release": {"claim", "board_claim"},
		"Post": {"post", "board_post"}, "PostBatch": {"post", "board_post"}, "Correct": {"correct", "board_correct"}, "VerifyPosted": {"post", "board_post"}, "Signal": {"ask", "board_ask"}, "Waive": {"waive", "board_waive"}, "Query": {"query", "board_query"}, "State": {"show", "board_state"},
		"Similar": {"post", "board_post"}, "Expected": {"post", "board_post"},
		"Signals": {"signals", "board_signals"}, "Gate": {"gate", "board_gate"}, "WaitGate": {"wait", "board_wait"}, "WaitSignal": {"wait", "board_wait"}, "WaitEvents": {"wait", "board_wait"}, "Survival": {"survival", "board_survival"}, "Trace": {"trace", "board_check"},
		"Get": {"state get", "board_var_get"}, "Variables": {"state get", "board_var_get"}, "Set": {"state set", "board_var_set"}, "Snapshot": {"export", "board_digest"},
		"Entry": {"show", "board_show"}, "SignalByID": {"show", "board_show"}, "Watch": {"watch", "(a stream)"}, "LinkDropping": {"link", "board_link"}, "Expect": {"expect", "board_expect"}, "Done": {"done", "board_done"}, "DoneWithNote": {"done", "board_done"}, "Drop": {"expect", "board_expect"}, "Link": {"link", "board_link"},
		"Conflicts": {"conflicts", "board_check"}, "RaiseConflicts": {"conflicts", "(an orchestrator's command)"}, "Settle": {"accept", "board_accept"}, "Accept": {"accept", "board_accept"},
		"Reopen": {"reopen", "board_reopen"}, "Delete": {"state set", "board_var_set"}, "Export": {"export", notForAgents}, "Replay": {"replay", notForAgents}, "Burndown": {"export", notForAgents}, "At": {inside, notForAgents}, "Timeline": {inside, notForAgents}, "Events": {"watch", notForAgents},
		"Verify": {"verify", "board_check"}, "AddSources": {"source add", "board_start"}, "Sources": {"source list", notForAgents}, "RemoveSources": {"source rm", notForAgents}, "NamedSources": {"check", "board_check"},
		"ClaimRan": {"done", "board_done"}, "CompareReceipts": {"done", "board_done"}, "Receipts": {"show", "(the gate says what is missing)"}, "RanClaims": {"show", "(the gate says what is missing)"},
		"RecordCheck": {"check", "board_check"}, "RecordPolicy": {"start", "board_start"}, "SpeltAlike": {"start", "board_start"}, "RecordedPolicy": {"gate", "board_gate"},
		"Retrieved": {"kb brief", "kb_brief"}, "Retrievals": {"show", "(what was given to others is for a person to look at)"},
		"Check": {inside, inside}, "Close": {inside, inside}, "Items": {inside, inside}, "Created": {inside, inside}, "Moment": {inside, inside}, "Run": {inside, inside}, "SetNow": {inside, inside}, "SetSession": {inside, inside},
	},
	reflect.TypeFor[*kb.KB](): {
		"Move":   {"memory adopt", notForAgents},
		"Search": {"kb search", "kb_search"}, "Get": {"kb get", "kb_get"}, "Retrieve": {"kb get", inside}, "Remember": {"kb remember", "kb_remember"}, "MadeFrom": {"kb promote", notForAgents}, "Dedupe": {"kb curate", "kb_curate"}, "Decay": {"kb curate", "kb_curate"},
		"Contradictions": {"kb curate", "kb_curate"}, "Resolve": {"kb curate", "kb_resolve"}, "Retire": {"kb retire", "kb_retire"}, "Ingest": {"kb ingest", "kb_ingest"}, "Reembed": {"kb reembed", "kb_reembed"}, "Doctor": {"kb doctor", "kb_doctor"},
		"Edit": {"kb edit", "(an agent supersedes)"}, "EditText": {"kb edit", notForAgents}, "Restore": {"kb restore", notForAgents}, "LastActive": {"kb restore", notForAgents}, "RetireAll": {"kb retire", inside}, "History": {"kb history", notForAgents}, "Revision": {"kb get", notForAgents}, "List": {"kb list", notForAgents}, "Stats": {"doctor", notForAgents}, "Calibrate": {"kb calibrate", notForAgents},
		"Confirm": {"kb learn", inside}, "Import": {"kb import", notForAgents}, "Export": {"kb export", notForAgents}, "Text": {"kb edit", inside}, "Reindex": {"kb doctor", inside}, "Examine": {inside, inside}, "Sound": {inside, inside},
		"Backfill": {inside, inside}, "Check": {inside, inside}, "Checkpoint": {inside, inside}, "Close": {inside, inside}, "Fill": {inside, inside}, "PickUp": {inside, inside}, "CheckFile": {inside, inside}, "MarkRetrieved": {inside, inside}, "Sync": {inside, inside}, "TakeNotes": {inside, inside}, "Threshold": {inside, inside}, "NeedsCalibration": {inside, inside}, "Unembedded": {inside, inside},
	},
	reflect.TypeFor[*memory.Store](): {
		"Read": {"memory read", "memory_read"}, "Orient": {"memory orient", "memory_context"}, "AgentContext": {"memory context", "memory_context"}, "Put": {"memory put", "memory_put"}, "Update": {"memory update", "memory_update"}, "Forget": {"memory forget", "memory_forget"},
		"Named": {"memory named", "memory_named"}, "GetNamed": {"memory named", "memory_named"}, "EditNamed": {"memory named edit", "memory_named"}, "RemoveNamed": {"memory named rm", notForAgents}, "NamedRevisions": {"memory named", notForAgents},
		"SaveNote": {"memory journal", "save_to_journal"}, "Notes": {"memory journal", "memory_context"}, "CountNotes": {"memory context", "memory_context"}, "Backfill": {inside, inside}, "WriteScratch": {"memory scratch write", "scratch_write"}, "ReadScratch": {"memory scratch read", "scratch_read"}, "ListScratch": {"memory scratch list", "scratch_list"}, "ClearScratch": {"memory scratch clear", "scratch_clear"},
		"StartConversation": {"memory conversation start", "conversation"}, "Summarise": {"memory conversation idle",
			"conversation"}, "IdleConversation": {"memory conversation idle", "conversation"},
		"ArchiveConversation": {"memory conversation archive", "conversation"},
		"ReopenConversation":  {"memory conversation reopen", "(an agent starts another, or goes on)"},
		"Conversation":        {"memory conversation show", "conversation"}, "Conversations": {"memory conversation list",
			"conversation_list"},
		"Invite":   {"memory conversation invite", "(whoever starts an agent hands it the conversation)"},
		"Channels": {"memory channel list", "channel_list"}, "CreateChannel": {"memory channel create", "channel_create"},
		"DescribeChannel": {"memory channel describe", notForAgents}, "RemoveChannel": {"memory channel rm", notForAgents},
		"Consolidate": {"memory consolidate", "memory_consolidate"}, "PlanConsolidation": {"memory consolidate", "memory_consolidate"}, "Scrub": {"memory scrub", "memory_scrub"}, "ScrubManifest": {"memory scrub", "memory_scrub"},
		"Get": {"memory get", "memory_read"}, "Derived": {"memory get", "memory_read"}, "Peek": {"memory get", inside}, "List": {"memory list", notForAgents}, "Revisions": {"memory get", notForAgents}, "Events": {"memory events", notForAgents}, "Stats": {inside, notForAgents}, "Export": {"memory export", notForAgents}, "Import": {"memory import", notForAgents},
		"Reembed": {"kb reembed", "(the daemon does it)"}, "Adopt": {"memory adopt", notForAgents}, "CheckAdopt": {"memory adopt", notForAgents}, "Groups": {"memory consolidate", "memory_consolidate"},
		"Restore": {"memory restore", "memory_update"}, "RestoreRevision": {"memory restore",
			"(memory_update writes the text again)"}, "ForgetAll": {"memory forget", inside},
		"Agent": {inside, inside}, "Close": {inside, inside}, "Due": {inside, inside}, "Flush": {inside, inside}, "Reaches": {inside, inside}, "LastTextChange": {inside, inside}, "Workspace": {inside, inside},
	},
	reflect.TypeFor[*chunks.Store](): {
		"Search": {"context search", "search_context"}, "Write": {"context write", "write_context"}, "Read": {"context read", "read_context"}, "List": {"context list", "list_context"}, "Delete": {"context delete", "delete_context"}, "State": {"context get", "get_state"}, "SetState": {"context set", "set_state"},
		"Import": {"context import", "(the first use does it)"}, "With": {inside, inside}, "Status": {"doctor", notForAgents}, "Reembed": {"kb reembed", notForAgents},
		"Backfill": {inside, inside}, "Close": {inside, inside}, "Embed": {inside, inside}, "Path": {inside, inside}, "Check": {inside, inside},
	},
}

// otherDefaults are the arguments that tool and command take for granted differently, and why.
var otherDefaults = map[string]string{
	"memory_read.tiers":    "a model is not made to name them each time",
	"save_to_journal.tier": "the server belongs to a workspace, or to none",
	"write_context.agent":  "a server has no $BOARD_WORKER",
}

// TestDefaults compares what commands and tools take for granted, in flags and arguments of the
// same name: one operation does the same wherever it is called.
func TestDefaults(t *testing.T) {
	p := &program{&base.Program{Env: func(string) string { return "" }}}
	commands := map[string]*cli.Command{}
	eachCommand("", p.commands(), func(name string, c *cli.Command) { commands[name] = c })
	compared := 0
	for _, tool := range listedTools(t) {
		for _, table := range operations {
			for _, o := range table {
				if o.tool == tool.Name && commands[o.command] != nil {
					compared += compareDefaults(t, tool, o.command, commands[o.command].Flags)
				}
			}
		}
	}
	if compared < 60 {
		t.Errorf("only %d arguments have a flag of their name", compared)
	}
}

func listedTools(t *testing.T) []*sdk.Tool {
	grants := expect.Value(mcp.ParseGrants([]string{"all"}))(t)
	server := mcp.New(mcp.Config{Home: t.TempDir(), Profiles: mcp.Profiles, Grants: grants})
	t.Cleanup(server.Close)
	near, far := sdk.NewInMemoryTransports()
	go server.Serve(t.Context(), far)
	c := expect.Value(sdk.NewClient(&sdk.Implementation{Name: "parity", Version: "1"}, nil).Connect(t.Context(), near, nil))(t)
	listed := expect.Value(c.ListTools(t.Context(), nil))(t)
	return listed.Tools
}

func compareDefaults(t *testing.T, tool *sdk.Tool, command string, all []cli.Flag) (compared int) {
	for name, property := range tool.InputSchema.(map[string]any)["properties"].(map[string]any) {
		for _, f := range all {
			if !slices.ContainsFunc(f.Names(), func(flag string) bool { return argumentOf(flag) == name || argumentOf(flag)+"s" == name }) {
				continue
			}
			compared++
			flag, argument := defaultOfFlag(f), defaultOfArgument(property.(map[string]any))
			if number(flag) != number(argument) && otherDefaults[tool.Name+"."+name] == "" {
				t.Errorf("%s of the tool %s is %q by default, and of the command %s %q", name, tool.Name, argument, command, flag)
			}
		}
	}
	return compared
}

// argumentOf is the argument that a flag stands for.
func argumentOf(flag string) string {
	switch flag {
	case "lease":
		return "lease_minutes"
	}
	return strings.ReplaceAll(flag, "-", "_")
}

// number is the value of an importance that is a word; other values are left as they are.
func number(value string) string {
	if level, err := memory.ParseImportance(value); err == nil {
		return fmt.Sprint(level)
	}
	return value
}

// saidDefault is a default that is told in words: the first of them, if it is a value.
var saidDefault = regexp.MustCompile(`\bdefault:? ([a-z_]+\b|[0-9.]+)`)

// noValues begin what says where a default comes from.
var noValues = []string{"the", "type", "one", "after", "from", "you", "never", "those", "that", "all"}

func defaultInWords(text string) string {
	m := saidDefault.FindStringSubmatch(text)
	if m == nil || slices.Contains(noValues, m[1]) {
		return ""
	}
	return m[1]
}

func defaultOfFlag(f cli.Flag) string {
	if f, ok := f.(*cli.DurationFlag); ok {
		return fmt.Sprint(f.Value.Minutes())
	}
	doc := f.(cli.DocGenerationFlag)
	if v := strings.Trim(doc.GetValue(), `"`); v != "" && v != "0" && v != "false" && v != "-1" {
		return v
	}
	return defaultInWords(doc.GetUsage())
}

func defaultOfArgument(property map[string]any) string {
	if v, there := property["default"]; there && v != 0.0 {
		return fmt.Sprint(v)
	}
	said, _ := property["description"].(string)
	return defaultInWords(said)
}

// eachCommand calls fn with every command and its full name.
func eachCommand(prefix string, all []*cli.Command, fn func(string, *cli.Command)) {
	for _, c := range all {
		fn(prefix+c.Name, c)
		eachCommand(prefix+c.Name+" ", c.Subcommands, fn)
	}
}

// TestParity sees that each operation has its command, and its tool where agents need it.
func TestParity(t *testing.T) {
	p := &program{&base.Program{Env: func(string) string { return "" }}}
	commands := map[string]bool{}
	eachCommand("", p.commands(), func(name string, _ *cli.Command) { commands[name] = true })
	server := mcp.New(mcp.Config{Home: t.TempDir(), Profiles: mcp.Profiles})
	defer server.Close()
	used := map[string]bool{}
	for kind, table := range operations {
		for i := range kind.NumMethod() {
			name := kind.Method(i).Name
			if _, there := table[name]; !there {
				t.Errorf("%s.%s is in no row: which command, and which tool, offers it?", kind, name)
			}
		}
		for name, o := range table {
			if _, there := kind.MethodByName(name); !there {
				t.Errorf("%s has no %s any more", kind, name)
			}
			if !commands[o.command] && !strings.HasPrefix(o.command, "(") {
				t.Errorf("%s.%s: there is no command %q", kind, name, o.command)
			}
			if used[o.tool] = true; !slices.Contains(server.Tools(), o.tool) && !strings.HasPrefix(o.tool, "(") {
				t.Errorf("%s.%s: there is no tool %q", kind, name, o.tool)
			}
		}
	}
	for _, tool := range server.Tools() {
		if !used[tool] && tool != "save_to_core" { // a kind of note, as the journal is
			t.Errorf("the tool %s offers nothing", tool)
		}
	}
}

// TestFormsSayTheSame: what a screen asks for an operation has the words, the values and the bounds
// of its command and of its tool.
func TestFormsSayTheSame(t *testing.T) {
	home := t.TempDir()
	c, _ := server(t, os.Args[0], []string{"BOARD_HOME=" + home, "BOARD_DAEMON=off", "BOARD_RUN=forms"}, "--profile", "all")
	defer c.Close()
	list := expect.Value(c.ListTools(t.Context(), nil))(t)
	tools := map[string]map[string]any{}
	for _, tool := range list.Tools {
		tools[tool.Name] = tool.InputSchema.(map[string]any)["properties"].(map[string]any)
	}
	usages := map[string]string{} // of the flags of commands
	eachCommand("", (&program{&base.Program{Env: func(string) string { return "" }}}).commands(), func(name string, c *cli.Command) {
		for _, f := range c.Flags {
			usages[name+" --"+f.Names()[0]] = f.(cli.DocGenerationFlag).GetUsage()
		}
	})
	compared := 0
	for _, o := range ops.All() {
		about, fields := o.Tells(), map[string]op.Field{}
		if !slices.Contains([]string{"post", "correct", "answer", "ask", "waive", "reopen", "accept", "done", "expect", "kb remember", "kb retire", "memory forget"}, about.Command) {
			continue // the screen has no form for it
		}
		for _, f := range op.Fields(o.Takes()) {
			fields[f.Name] = f
		}
		for _, asked := range ops.Form(about.Command).Fields {
			f := fields[asked.Name]
			if flags := f.Flags(); len(flags) > 0 {
				own := strings.TrimSpace(f.Tag.Get("cli")) // where a command says it otherwise
				if usage := usages[about.Command+" --"+flags[0]]; usage == "" || !strings.Contains(usage, cmp.Or(own, asked.Help)) {
					t.Errorf("board %s says %q of --%s, the form %q", about.Command, usage, flags[0], asked.Help)
				}
			}
			p, listed := tools[about.Tool][asked.Name].(map[string]any)
			if !listed {
				continue
			}
			compared++
			if p["description"] != asked.Help && f.Tag.Get("jsonschema") != "" {
				t.Errorf("the form of %s says %q of %s, its tool %q", about.Command, asked.Help, asked.Name, p["description"])
			}
			words, _ := p["enum"].([]any)
			choices := slices.DeleteFunc(slices.Clone(asked.Choices), func(c string) bool { return c == "" })
			if len(words) > 0 && fmt.Sprint(words) != fmt.Sprint(choices) {
				t.Errorf("the form of %s takes %q for %s, its tool %q", about.Command, choices, asked.Name, words)
			}
		}
	}
	if compared < 30 {
		t.Errorf("only %d arguments were compared", compared)
	}
	// one bound, in three places
	const wrong = "confidence must be a number between 0 and 1, not 2"
	var said strings.Builder
	env := map[string]string{"BOARD_HOME": home, "BOARD_DAEMON": "off", "BOARD_RUN": "forms", "HOME": home}
	run(t.Context(), []string{"post", "x", "--confidence", "2"}, func(name string) string { return env[name] }, strings.NewReader(""), &said, &said)
	if !strings.Contains(said.String(), "--"+wrong) {
		t.Errorf("the command says %s", &said)
	}
	res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "board_post", Arguments: map[string]any{"content": "x", "confidence": 2}})
	if err != nil || !strings.Contains(res.Content[0].(*sdk.TextContent).Text, wrong) {
		t.Errorf("the tool says %v, %v", res, err)
	}
	form := ops.Form("post")
	if err := form.Decode(map[string]string{"content": "x", "confidence": "2"}, &struct{}{}); err == nil || err.Error() != "the "+wrong {
		t.Errorf("the form says %v", err)
	}
}
