package hooks

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blackboard/board/text"
	"blackboard/hooks/harness"
	"blackboard/hooks/shell"
	"blackboard/hooks/topics"
)

// readOnlyTools only read: no work worth recording, unless they fail.
var readOnlyTools = strings.Fields(`read readfile readmanyfiles notebookread grep grepsearch glob
	globsearch ls list listdir listdirectory search searchfilecontent filesearch codebasesearch
	view viewfile find todoread todowrite toolsearch semanticsearch think`)

// worthRecording reports whether a tool's use goes into the worklog: it changes or runs something,
// or fails. Reading, and this program's own tools, would be noise.
func worthRecording(e *harness.Event) bool {
	t := e.Tool
	if e.Echo || t == nil || t.Name == "" && t.Command == "" && t.Path == "" || ownTool(t) {
		return false
	}
	failed := e.Kind == harness.ToolFailure || t.OK != nil && !*t.OK
	if t.Command != "" {
		line := shell.Read(t.Command)
		answer := line.Asks && t.ExitCode != nil && *t.ExitCode == 1
		return line.Does != shell.Looks || failed && !answer
	}
	return failed || !slices.Contains(readOnlyTools, harness.Plain(t.Name))
}

// ownTools matches our MCP server's tools, as harnesses name them: mcp__board__kb_search,
// board-kb_search.
var ownTools = text.NewRegexp(`^(?:mcp_+(?:plugin_\w+_)?)?board(?:[-./:]|_+)[a-z]`)

// boardTools are the prefixes of those tools' names. Cursor leaves out the server.
var boardTools = strings.Fields("board_ kb_ memory_ scratch_ channel_ conversation_ " +
	"search_context read_context list_context get_state set_state")

// ownTool reports whether a tool is this program's own, or code that calls it.
func ownTool(t *harness.Tool) bool {
	if name, ok := strings.CutPrefix(t.Name, "MCP:"); ok {
		return slices.ContainsFunc(boardTools,
			func(p string) bool { return strings.HasPrefix(name, p) })
	}
	return ownTools.MatchString(t.Name) || harness.Plain(t.Name) == "codemode" &&
		strings.Contains(t.Input, "board")
}

func (t *turn) record(ctx context.Context) {
	if t.topics == nil || t.topic.Name == "" {
		return
	}
	_, err := t.topics.Record(ctx, t.topic.Name, entry(t.e, t.now, t.roots()...))
	t.logError("write the worklog", err)
}

// roots returns the paths of the workspace: its own, and the one that the harness uses.
func (t *turn) roots() []string {
	roots := []string{t.topics.Workspace()}
	if real, err := filepath.EvalSymlinks(t.dir); err == nil && real != t.dir {
		if below, ok := strings.CutPrefix(real, roots[0]); ok {
			if root, ok := strings.CutSuffix(t.dir, below); ok {
				roots = append(roots, root)
			}
		}
	}
	return roots
}

// entry returns the worklog line for the use of a tool. Its texts are free of private
// parts and secrets; paths below the roots are relative.
func entry(e *harness.Event, now time.Time, roots ...string) topics.Entry {
	use := e.Tool
	clean := func(s string) string { return clean(relative(s, roots)) }
	out := topics.Entry{
		Time: now, Session: clean(e.Session), ID: clean(use.ID), Event: clean(e.Name),
		Tool: clean(use.Name), Command: clean(use.Command), Path: clean(use.Path),
		Summary:  clean(use.Input),
		ExitCode: use.ExitCode, OK: use.OK, DurationMS: use.DurationMS,
	}
	out.Tool = cmp.Or(out.Tool, e.Kind)
	if who := clean(e.AgentType); who != "" {
		out.Summary = strings.TrimSpace(out.Summary + " (subagent " + clip(who, 60) + ")")
	}
	if use.OK != nil && !*use.OK {
		out.Error = clean(use.ErrorText())
	}
	return out
}

// endSession writes the session's summary to the worklog. The session's state is kept
// for a later resume, unless the session was deleted.
func (t *turn) endSession(ctx context.Context, h *harness.Harness) {
	given := t.openSession()
	defer func() {
		t.logError("close the session's state",
			given.close(t.e.Reason == "deleted"))
	}()
	if t.topics == nil || t.topic.Name == "" || t.e.Session == "" {
		return
	}
	session := clean(t.e.Session)
	t.settle(ctx, h, session, given.Started)
	entries, err := t.topics.Tail(t.topic.Name, topics.TailLimits{})
	t.logError("read the worklog", err)
	defer t.endTalk(ctx, given, slices.DeleteFunc(slices.Clone(entries),
		func(e topics.Entry) bool { return e.Session != session }))
	begin, uses := given.Started, 0
	outcomes := map[string]int{}
	for _, e := range entries {
		if e.Session != session || e.Tool == "" ||
			e.Time.Before(given.Started.Truncate(time.Millisecond)) {
			continue
		}
		uses++
		switch ok := e.Succeeded(); {
		case ok == nil:
			outcomes["unknown"]++
		case *ok:
			outcomes["ok"]++
		default:
			outcomes["failed"]++
		}
		if begin.IsZero() {
			begin = e.Time
		}
	}
	if uses == 0 {
		return
	}
	var told []string
	for _, how := range []string{"ok", "failed", "unknown"} {
		if n := outcomes[how]; n > 0 {
			told = append(told, fmt.Sprintf("%d %s", n, how))
		}
	}
	sum := "session ended: " + strings.Join(told, ", ")
	e := topics.Entry{Time: t.now, Session: session, ID: "end",
		Event: clean(t.e.Name), Summary: sum}
	if !begin.IsZero() && t.now.After(begin) {
		ms := t.now.Sub(begin).Milliseconds()
		e.ID, e.DurationMS = fmt.Sprintf("end-%d", begin.Unix()), &ms
	}
	_, err = t.topics.Record(ctx, t.topic.Name, e)
	t.logError("write the worklog", err)
}

// settle completes the worklog from the harness's transcript: the outcome of tool uses,
// and uses that changed files since the session began but were never reported.
func (t *turn) settle(ctx context.Context, h *harness.Harness, session string, began time.Time) {
	if !h.Settles() || t.e.Transcript == "" {
		return
	}
	entries, err := t.topics.Tail(t.topic.Name, topics.TailLimits{})
	t.logError("read the worklog", err)
	open := map[string]bool{} // by the id of each recorded use: whether its outcome is unknown
	for _, e := range entries {
		if e.Session == session && e.ID != "" && e.Tool != "" {
			open[e.ID] = e.OK == nil
		}
	}
	known, err := h.Settle(t.e.Transcript, func(use *harness.Use) bool {
		unknown, there := open[clean(use.ID)]
		return unknown || !there && use.Path != "" && !use.Time.Before(began)
	})
	if t.logError("read the transcript", err); len(known) == 0 {
		return
	}
	roots := t.roots()
	later := make([]topics.Entry, 0, len(known))
	for _, use := range known {
		e := entry(&harness.Event{Session: t.e.Session, Name: "settled", Tool: &use.Tool}, t.now,
			roots...)
		if open[e.ID] {
			e = topics.Entry{Time: t.now, Session: e.Session, ID: e.ID, Event: e.Event,
				ExitCode: e.ExitCode, OK: e.OK, Error: e.Error}
		} else if !use.Time.IsZero() {
			e.Time = use.Time
		}
		later = append(later, e)
	}
	t.logError("write the worklog", t.topics.Settle(ctx, t.topic.Name, later))
}

// relative makes paths below the roots relative; a root itself becomes a dot.
func relative(s string, roots []string) string {
	part := func(c byte) bool {
		return c == '_' || c == '-' || c == '.' || c == '/' || c == '~' || c >= '0' && c <= '9' ||
			c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
	}
	for _, root := range roots {
		if len(root) < 2 || !strings.Contains(s, root) {
			continue
		}
		var b strings.Builder
		for {
			i := strings.Index(s, root)
			if i < 0 {
				break
			}
			before, rest := s[:i], s[i+len(root):]
			switch s = rest; {
			case before != "" && part(before[len(before)-1]) || before == "" && b.Len() > 0 &&
				part(b.String()[b.Len()-1]):
				b.WriteString(before + root)
			case rest == "" || rest[0] != '/' && rest[0] != '\\' && !part(rest[0]):
				b.WriteString(before + ".")
			case rest[0] == '/' || rest[0] == '\\':
				b.WriteString(before)
				if s = rest[1:]; s == "" || !part(s[0]) {
					b.WriteString(".")
				}
			default: // the name of another directory goes on
				b.WriteString(before + root)
			}
		}
		s = b.String() + s
	}
	return s
}
