package hooks

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"blackboard/hooks/harness"
	"blackboard/hooks/topics"
)

// looking are the tools that only look at files. What they did is no work done; that they failed may be worth knowing.
var looking = strings.Fields(`read readfile readmanyfiles notebookread grep grepsearch glob globsearch ls list listdir listdirectory search searchfilecontent
	filesearch codebasesearch view viewfile find todoread todowrite toolsearch semanticsearch think`)

// boardReads are the commands of this program that only look, and the hooks themselves.
var boardReads = strings.Fields(`hook query show signals gate survival watch wait replay runs version help completion demo mcp --help --version
	kb/search kb/get kb/list kb/stats kb/doctor kb/history kb/eval kb/brief memory/read memory/list memory/get memory/orient memory/context memory/stats memory/events memory/workspaces
	context/search context/read context/list context/get context/status topic/status topic/show topic/list state/get state/list daemon/status daemon/logs model/list model/path`)

// Words by which tools of this program's MCP server say that they only look, or that they do not, and how their names begin.
var (
	boardToolReads  = []string{"search", "get", "read", "list", "query", "gate", "survival", "state", "wait", "brief", "context", "doctor", "show", "orient"}
	boardToolWrites = []string{"set", "write", "put", "delete", "save", "create"}
	boardTools      = []string{"board_", "kb_", "memory_", "scratch_", "channel_", "conversation_", "search_context", "read_context", "list_context", "get_state"}
)

// worthRecording says whether the use of a tool goes into the worklog: what changes something, runs something or fails. What only looks is noise there, and so is this program's own reading.
func worthRecording(e *harness.Event) bool {
	t := e.Tool
	if e.Echo || t == nil || t.Name == "" && t.Command == "" && t.Path == "" {
		return false
	}
	if e.Kind == harness.ToolResult && (t.OK == nil || *t.OK) {
		if slices.Contains(looking, harness.Plain(t.Name)) || boardTool(t.Name) {
			return false
		}
	}
	return !boardCommand(t.Command)
}

// boardCommand says whether a command line is a single command of this program that only looks.
func boardCommand(command string) bool {
	if strings.ContainsAny(command, ";|&\n`$") {
		return false
	}
	words := strings.Fields(command)
	for len(words) > 0 && strings.Contains(words[0], "=") { // variables before the command
		words = words[1:]
	}
	if len(words) < 2 || path.Base(strings.Trim(words[0], `"'`)) != "board" {
		return false
	}
	verb := words[1]
	if len(words) > 2 {
		if slices.Contains(boardReads, verb+"/"+words[2]) {
			return true
		}
	}
	return slices.Contains(boardReads, verb)
}

// boardTool says whether a tool is one of this program's MCP server, and only looks. Harnesses put the server before the tool's name: mcp__board__kb_search, board_kb_search; Cursor leaves it out:
// MCP:kb_search.
func boardTool(name string) bool {
	server, tool, ok := strings.Cut(name, "board_")
	if !ok || server != "" && !(strings.HasPrefix(server, "mcp_") && strings.HasSuffix(server, "_")) {
		if tool, ok = strings.CutPrefix(name, "MCP:"); !ok || !slices.ContainsFunc(boardTools, func(p string) bool { return strings.HasPrefix(tool, p) }) {
			return false
		}
	}
	has := func(of []string) bool {
		return slices.ContainsFunc(strings.FieldsFunc(tool, func(r rune) bool { return r == '_' || r == '-' }), func(w string) bool { return slices.Contains(of, w) })
	}
	return has(boardToolReads) && !has(boardToolWrites)
}

// record writes the use of a tool into the worklog of the session's topic.
func (t *turn) record(ctx context.Context) {
	if t.topics == nil || t.topic.Name == "" {
		return
	}
	_, err := t.topics.Record(ctx, t.topic.Name, entry(t.e, t.now))
	t.note("write the worklog", err)
}

// entry is the line of the worklog for the use of a tool. Every text of it is free of what is private and of secrets.
func entry(e *harness.Event, now time.Time) topics.Entry {
	use := e.Tool
	out := topics.Entry{
		Time: now, Session: clean(e.Session), ID: clean(use.ID), Event: clean(e.Name), Tool: clean(use.Name), Command: clean(use.Command), Path: clean(use.Path), Summary: clean(use.Input),
		ExitCode: use.ExitCode, OK: use.OK, DurationMS: use.DurationMS,
	}
	if out.Tool == "" {
		out.Tool = e.Kind
	}
	if who := clean(e.AgentType); who != "" {
		out.Summary = strings.TrimSpace(out.Summary + " (subagent " + clip(who, 60) + ")")
	}
	if use.OK != nil && !*use.OK {
		out.Error = clean(use.Wrong())
	}
	return out
}

// end writes the session's sum into the worklog, and forgets what the session has seen.
func (t *turn) end(ctx context.Context) {
	given, err := openSeen(t.Home, t.e.Session)
	t.note("read what the session has seen", err)
	defer func() { t.note("forget what the session has seen", given.forget()) }()
	if t.topics == nil || t.topic.Name == "" || t.e.Session == "" {
		return
	}
	entries, err := t.topics.Tail(t.topic.Name, topics.TailLimits{})
	t.note("read the worklog", err)
	session := clean(t.e.Session)
	begin, uses, failed := given.Started, 0, 0
	for _, e := range entries {
		if e.Session != session || e.Tool == "" || e.Time.Before(given.Started.Truncate(time.Second)) {
			continue
		}
		if uses++; e.OK != nil && !*e.OK {
			failed++
		}
		if begin.IsZero() {
			begin = e.Time
		}
	}
	sum := fmt.Sprintf("the session is over: %d uses of tools, %d failed", uses, failed)
	e := topics.Entry{Time: t.now, Session: session, ID: "end", Event: clean(t.e.Name), Summary: sum}
	if !begin.IsZero() && t.now.After(begin) {
		ms := t.now.Sub(begin).Milliseconds()
		e.ID, e.DurationMS = fmt.Sprintf("end-%d", begin.Unix()), &ms
	}
	_, err = t.topics.Record(ctx, t.topic.Name, e)
	t.note("write the worklog", err)
}
