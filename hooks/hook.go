package hooks

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"blackboard/board/fault"
	"blackboard/hooks/harness"
	"blackboard/kb"
	"blackboard/kb/memory"
)

const (
	// DefaultTimeout limits the whole event: harnesses wait for seconds, but so does a person.
	DefaultTimeout = 300 * time.Millisecond
	minTimeout     = 20 * time.Millisecond
	// maxTimeout is what most harnesses wait by default.
	maxTimeout = time.Minute

	// recordWithin is the extra time for a worklog line. Nobody writes a lost line
	// again, and many hooks may keep the machine busy. Harnesses wait for at least 2 s.
	recordWithin = 1500 * time.Millisecond

	// maxPayload is the longest payload that is read, in bytes.
	maxPayload = 8 << 20
)

// Config configures a hook. Zero values are the defaults; only Env is required.
type Config struct {
	Harness string // the name that the installer gave; may be ""
	// Event is the event's name, the harness's or ours. A name in the payload wins.
	Event string
	// Home is the data home. If it is "", nothing is remembered or logged.
	Home string
	Env  func(string) string // the environment, such as os.Getenv
	// Boards is the directory or server of a working directory's runs; nil: the data home.
	Boards func(dir string) (string, error)
	// Searcher searches the knowledge base; nil: there is none. It may use all the context's time.
	Searcher kb.Searcher
	// Memory opens the memory with the rights of the session's agent; nil: there is none.
	Memory func(memory.Options) (*memory.Store, error)
	Words  fault.Words // names the commands that show the rest of a text that was cut
	Budget int         // upper limit of the answer in tokens; 0: as the depth says
	// Limit is the most capsules for a prompt or a start; 0: as the depth says.
	Limit int
	Now   func() time.Time // nil: time.Now
	// Preview computes the answer and changes nothing: no state, no log, no record.
	Preview bool
	Topic   string // the topic to start with; "": that of the session
	// Told, if it is not nil, gets each problem that is logged. Calls may come at the same
	// time, and after Handle has returned.
	Told func(problem string)
}

type Result struct {
	// Answer is one JSON object and a line feed, in the harness's format.
	Answer []byte
	// Kind is the event's kind; "" if it is unknown.
	Kind string
	// Dir is the directory where the session works; "" if it was not needed.
	Dir string
	// Text is what the model is given, and Considered what it might have been given.
	Text       string
	Considered []Considered
	// Refused turns the event down with the text on stderr: the harness knows no other way.
	Refused bool
}

// timeout returns $BOARD_HOOK_TIMEOUT, limited to minTimeout and maxTimeout.
func timeout(env func(string) string) (time.Duration, error) {
	v := env("BOARD_HOOK_TIMEOUT")
	if v == "" {
		return DefaultTimeout, nil
	}
	d, err := time.ParseDuration(v)
	if err != nil || d <= 0 {
		return DefaultTimeout,
			fmt.Errorf("$BOARD_HOOK_TIMEOUT is %q; use a duration such as 300ms", v)
	}
	return min(max(d, minTimeout), maxTimeout), nil
}

// Handle reads an event and acts on it. It always returns an answer that the harness
// accepts, in time.
//
// The work gets four fifths of the timeout, and its parts stop by themselves, so a part
// that hangs costs only its own share of the answer. After nine tenths the answer is
// empty. A worklog line may take a little longer (recordWithin). Each error is a line
// in the log.
func Handle(ctx context.Context, cfg Config, in io.Reader) Result {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	within, timeoutErr := timeout(cfg.Env)
	ctx, cancel := context.WithTimeout(ctx, within*9/10)
	defer cancel()
	done := make(chan Result, 1)
	var recording atomic.Bool
	// by the installer's word, until the payload was read
	recording.Store(mayRecord(cmp.Or(harness.ByName(cfg.Harness),
		harness.All[0]).KindOf(cfg.Event)))
	go func() {
		defer func() {
			if wrong := recover(); wrong != nil {
				cfg.log("internal error: panic: %v", wrong)
				done <- Result{Answer: harness.Noop}
			}
		}()
		if timeoutErr != nil {
			cfg.log("%v", timeoutErr)
		}
		work, cancel := context.WithTimeout(ctx, within*8/10)
		defer cancel()
		late := func() bool { return ctx.Err() != nil }
		done <- cfg.handle(work, late, in, &recording)
	}()
	select {
	case r := <-done:
		return r
	case <-ctx.Done():
	}
	wrong := fmt.Sprintf("timed out after %s, nothing was done", within)
	if recording.Load() {
		select {
		case r := <-done:
			return r
		case <-time.After(recordWithin):
			wrong = fmt.Sprintf(LostLine+": not written within %s", within+recordWithin)
		}
	}
	logged := make(chan struct{})
	go func() { // the disk may be what hangs
		defer close(logged)
		cfg.log("%s", wrong)
	}()
	select {
	case <-logged:
	case <-time.After(within / 20):
	}
	return Result{Answer: harness.Noop}
}

func (cfg *Config) log(format string, a ...any) {
	cfg.tell(cfg.Now(), cfg.Harness, cfg.Event, fmt.Sprintf(format, a...))
}

func (cfg *Config) tell(now time.Time, name, event, problem string) {
	if cfg.Preview {
		return
	}
	if cfg.Told != nil {
		cfg.Told(problem)
	}
	logLine(cfg.Home, now, "%s %s: %s", name, event, problem)
}

// handle does the work. It sets recording to whether the event is, or may be, recorded.
// late reports whether the answer was already given without it.
func (cfg Config) handle(ctx context.Context, late func() bool, in io.Reader,
	recording *atomic.Bool) Result {
	data, err := io.ReadAll(io.LimitReader(in, maxPayload+1))
	if err == nil && len(data) > maxPayload {
		err = fmt.Errorf("payload exceeds %d bytes", maxPayload)
	}
	if err != nil {
		cfg.log("cannot read the payload: %v", err)
		return Result{Answer: harness.Noop}
	}
	recording.Store(true)
	h, e, err := harness.Read(data, cfg.Harness, cfg.Event, cfg.Env)
	if err != nil {
		cfg.log("invalid payload (%d bytes): %v", len(data), err)
		return Result{Answer: harness.Noop}
	}
	if cfg.Harness != "" && harness.ByName(cfg.Harness) == nil {
		cfg.log("unknown harness %q; `board setup --list` shows the known ones",
			clip(cfg.Harness, 60))
	}
	// Only unknown names are logged: a known event without use is normal.
	if h.KindOf(e.Name) == harness.Other {
		cfg.log("unknown event %q of %s, ignored", clip(e.Name, 60), h.Name)
	}
	if h.Borrowed(cfg.Harness) {
		return Result{Answer: harness.Noop, Kind: e.Kind}
	}
	depth, err := depthOf(cfg.Env("BOARD_DEPTH"))
	if err != nil {
		cfg.log("%v", err)
	}
	t := &turn{Config: cfg, e: &e, depth: depth, now: cfg.Now(), late: late}
	recording.Store(t.records())
	told := t.dispatch(ctx, h)
	t.logConsidered()
	r := Result{Answer: h.Answer(&e, told), Kind: e.Kind, Dir: t.dir, Text: told,
		Considered: t.considered}
	r.Refused = told != "" && h.Blocks(e.Kind)
	return r
}

// mayRecord reports whether events of this kind can leave a worklog line.
func mayRecord(kind string) bool {
	return slices.Contains([]string{harness.ToolResult, harness.ToolFailure, harness.FileEdit,
		harness.SessionEnd}, kind)
}

// records reports whether this event leaves a worklog line.
func (t *turn) records() bool {
	return mayRecord(t.e.Kind) && (t.e.Kind == harness.SessionEnd || worthRecording(t.e))
}

func (t *turn) dispatch(ctx context.Context, h *harness.Harness) string {
	switch t.e.Kind {
	case harness.SessionStart:
		t.markOwed(h)
		t.locate()
		t.nameSession()
		page := t.start(ctx, h)
		t.talkBegins(ctx)
		return page
	case harness.Prompt:
		if !h.Injects(harness.Prompt) {
			break
		}
		ask, start := t.query(), ""
		owed := !t.e.Continuation && t.startOwed()
		if !owed && trivial(ask) {
			break
		}
		t.locate()
		if owed {
			start = t.start(ctx, h)
		}
		if trivial(ask) {
			return start
		}
		return strings.TrimSpace(start + "\n\n" + t.recall(ctx, ask))
	case harness.ToolResult, harness.ToolFailure, harness.FileEdit:
		if t.records() {
			t.locate()
			t.record(ctx)
			t.noteRan(ctx)
		}
	case harness.PreCompact:
		if h.Injects(harness.PreCompact) {
			t.locate()
			return t.start(ctx, h)
		}
		if !h.Restarts() {
			t.forgetGiven(h.Injects(harness.Prompt))
		}
	case harness.PostCompact:
		t.keepSummary()
		if !h.Restarts() {
			t.forgetGiven(false)
		}
	case harness.SubagentStart:
		if h.Injects(harness.SubagentStart) {
			t.locate()
			return t.subagent(ctx)
		}
	case harness.SubagentStop:
		if h.Injects(harness.SubagentStop) {
			t.locate()
			return t.keepAtWork(ctx)
		}
	case harness.TaskCompleted:
		if h.Blocks(harness.TaskCompleted) {
			t.locate()
			return t.keepAtWork(ctx)
		}
	case harness.SessionEnd:
		t.locate()
		t.endSession(ctx, h)
	}
	return ""
}
