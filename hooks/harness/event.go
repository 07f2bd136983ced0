package harness

import "cmp"

// Kinds of events that harnesses report.
const (
	SessionStart  = "session_start"
	Prompt        = "prompt"
	ToolCall      = "tool_call" // before the tool runs
	ToolResult    = "tool_result"
	ToolFailure   = "tool_failure"
	FileEdit      = "file_edit"
	PreCompact    = "pre_compact"
	PostCompact   = "post_compact"
	SubagentStart = "subagent_start"
	SubagentStop  = "subagent_stop"
	TaskCompleted = "task_completed" // a worker says that a task is done
	Stop          = "stop"           // the turn is over
	SessionEnd    = "session_end"
	Other         = "other" // any other event
)

// Kinds has all kinds.
var Kinds = []string{SessionStart, Prompt, ToolCall, ToolResult, ToolFailure, FileEdit, PreCompact,
	PostCompact, SubagentStart, SubagentStop, TaskCompleted, Stop, SessionEnd, Other}

// Sources of a session's start. The source is "" if the harness has one word for new
// and resumed sessions.
const (
	Startup = "startup"
	Resume  = "resume"
	Clear   = "clear"
	Compact = "compact"
)

// Event is an event in one format for all harnesses. A field that is missing or invalid
// has the zero value.
type Event struct {
	Harness string `json:"harness"`           // our name of the harness
	Kind    string `json:"kind"`              // one of Kinds
	Name    string `json:"name"`              // the harness's name of the event
	Session string `json:"session,omitempty"` // its id, by the harness
	Turn    string `json:"turn,omitempty"`    // the prompt that it belongs to
	Cwd     string `json:"cwd,omitempty"`     // where the session works
	// of a session's start: Startup, Resume, Clear, Compact or none
	Source string `json:"source,omitempty"`
	// of a session's end, or what set off a compaction
	Reason string `json:"reason,omitempty"`
	// what the user wrote, without what hooks put around it
	Prompt     string `json:"prompt,omitempty"`
	Transcript string `json:"transcript,omitempty"` // path of the harness's transcript
	Agent      string `json:"agent,omitempty"`      // id of the subagent, if any
	// AgentType is the harness's name of the subagent's kind.
	AgentType string `json:"agent_type,omitempty"`
	Tool      *Tool  `json:"tool,omitempty"`    // nil if the event is not about a tool
	Summary   string `json:"summary,omitempty"` // the harness's, of a compaction
	// Echo means that the harness also sends another event for this, with more detail.
	Echo bool `json:"echo,omitempty"`
	// Continuation means that the prompt is not the user's: the harness calls its model
	// again.
	Continuation bool `json:"continuation,omitempty"`
}

// Tool is the use of a tool.
type Tool struct {
	ID      string `json:"id,omitempty"`      // of this use, within the session
	Name    string `json:"name,omitempty"`    // by the harness
	Command string `json:"command,omitempty"` // of a shell
	Path    string `json:"path,omitempty"`    // the file that it is about
	// Input is its other input in short: JSON, or the files of a patch.
	Input  string `json:"input,omitempty"`
	Output string `json:"output,omitempty"` // what it gave back
	Error  string `json:"error,omitempty"`  // the tool's error message
	End    string `json:"-"`                // the end of what it gave back
	// OK means success; nil: unknown.
	OK         *bool  `json:"ok,omitempty"`
	ExitCode   *int   `json:"exit_code,omitempty"`   // of a shell; nil: unknown
	DurationMS *int64 `json:"duration_ms,omitempty"` // milliseconds; nil: unknown
}

// tool returns the event's tool and creates it if needed.
func (e *Event) tool() *Tool {
	e.Tool = cmp.Or(e.Tool, &Tool{})
	return e.Tool
}

// setOutput sets what the tool gave back: its beginning is searched, its end tells one run
// from another.
func (t *Tool) setOutput(s string) {
	const end = 2 << 10
	t.Output, t.End = Head(s), s[max(0, len(s)-end):]
}

// setOutcome sets the outcome, unless it is known already.
func (t *Tool) setOutcome(ok bool) {
	t.OK = cmp.Or(t.OK, &ok)
}

// setExit sets an exit code and the outcome that follows from it.
func (t *Tool) setExit(code int) {
	t.ExitCode = &code
	ok := code == 0
	t.OK = &ok
}

// setExitAndError sets an exit code. If it is an error, the output is the error message.
func (t *Tool) setExitAndError(code int64) {
	if t.setExit(int(code)); code != 0 {
		t.Error = t.Output
	}
}
