package harness

// Kinds of Events: the moments of a session that harnesses tell of.
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
	Stop          = "stop" // the turn is over
	SessionEnd    = "session_end"
	Other         = "other" // whatever is of no use here
)

// Kinds are all of them.
var Kinds = []string{SessionStart, Prompt, ToolCall, ToolResult, ToolFailure, FileEdit, PreCompact, PostCompact, SubagentStart, SubagentStop, Stop, SessionEnd, Other}

// Sources of a session's start. It has none if the harness has one word for a new session
// and for one that goes on.
const (
	Startup = "startup"
	Resume  = "resume"
	Clear   = "clear"
	Compact = "compact"
)

// Event is what a harness told, whatever harness it was. What it did not tell, or told in a form that makes no sense, is the zero value.
type Event struct {
	Harness    string `json:"harness"`              // the harness that told it, by our name
	Kind       string `json:"kind"`                 // one of Kinds
	Name       string `json:"name"`                 // the event, by the harness's name
	Session    string `json:"session,omitempty"`    // its id, by the harness
	Turn       string `json:"turn,omitempty"`       // the prompt that it belongs to
	Cwd        string `json:"cwd,omitempty"`        // where the session works
	Source     string `json:"source,omitempty"`     // of a session's start: Startup, Resume, Clear, Compact or none
	Reason     string `json:"reason,omitempty"`     // of a session's end, or what set off a compaction
	Prompt     string `json:"prompt,omitempty"`     // what the user wrote, without what hooks put around it
	Transcript string `json:"transcript,omitempty"` // the path of the harness's own record
	Agent      string `json:"agent,omitempty"`      // the id of the subagent that it happened in
	AgentType  string `json:"agent_type,omitempty"` // what kind of subagent that is, by the harness
	Tool       *Tool  `json:"tool,omitempty"`       // of what tools do; nil: it is about none
	// Echo says that the harness tells the same by another event too, which tells more.
	Echo bool `json:"echo,omitempty"`
	// Continuation says that a prompt is none of the user's: the harness asks its model once more.
	Continuation bool `json:"continuation,omitempty"`
}

// Tool is the use of a tool.
type Tool struct {
	ID      string `json:"id,omitempty"`      // of this use, within the session
	Name    string `json:"name,omitempty"`    // by the harness
	Command string `json:"command,omitempty"` // of a shell
	Path    string `json:"path,omitempty"`    // the file that it is about
	Input   string `json:"input,omitempty"`   // what else it was given, in short: JSON, or the files of a patch
	Output  string `json:"output,omitempty"`  // what it gave back
	Error   string `json:"error,omitempty"`   // what went wrong, in the tool's words
	// OK is whether it went well; nil: the harness does not say.
	OK         *bool  `json:"ok,omitempty"`
	ExitCode   *int   `json:"exit_code,omitempty"`   // of a shell; nil: the harness does not say
	DurationMS *int64 `json:"duration_ms,omitempty"` // milliseconds; nil: the harness does not say
}

// tool is the event's tool, made if there is none.
func (e *Event) tool() *Tool {
	if e.Tool == nil {
		e.Tool = &Tool{}
	}
	return e.Tool
}

// went says how it went, unless that is known already.
func (t *Tool) went(ok bool) {
	if t.OK == nil {
		t.OK = &ok
	}
}

// exited notes an exit code, and what it says about how it went.
func (t *Tool) exited(code int) {
	t.ExitCode = &code
	ok := code == 0
	t.OK = &ok
}

// ended notes an exit code beside an output, which then says what went wrong.
func (t *Tool) ended(code int64) {
	if t.exited(int(code)); code != 0 {
		t.Error = t.Output
	}
}
