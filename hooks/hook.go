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
	// DefaultTimeout is how long everything may take. Harnesses wait for seconds, but a person waits with them.
	DefaultTimeout = 300 * time.Millisecond
	minTimeout     = 20 * time.Millisecond
	maxTimeout     = time.Minute // what most harnesses wait for at most, unless they are told otherwise

	// keepWithin is how long after that a line for the worklog may take: nobody writes it again, and the machine may be busy with many hooks. Harnesses wait for 2 s at least.
	keepWithin = 1500 * time.Millisecond

	// maxPayload is the longest payload that is read, in bytes.
	maxPayload = 8 << 20
)

// Config is what a hook goes by. The zero value of a field is the common one, but for Env.
type Config struct {
	Harness string              // as the installer named it; "" if it did not
	Event   string              // the event's name, by the harness or by us; the payload's goes before it
	Home    string              // the data home; "": there is none, and nothing is remembered or logged
	Boards  string              // where the runs are; "": in the data home
	Env     func(string) string // the environment, like os.Getenv
	// Searcher answers questions to the knowledge base; nil: there is none. It may use the time that the context gives it.
	Searcher kb.Searcher
	// Memory opens the memory as the session's agent reaches it; nil: there is none.
	Memory func(memory.Options) (*memory.Store, error)
	Words  fault.Words      // say as commands where the rest is of what was cut
	Budget int              // tokens of the answer, at most; 0 as the depth says
	Limit  int              // capsules for a prompt or a session's start, at most; 0 as the depth says
	Now    func() time.Time // time.Now
}

// Result is what a hook did.
type Result struct {
	// Answer is one JSON object with its line's end, in the harness's form.
	Answer []byte
	// Kind is that of the event, "" if nobody could tell it.
	Kind string
	// Dir is where the session works, if that was looked for.
	Dir string
}

// timeout is $BOARD_HOOK_TIMEOUT, within bounds.
func timeout(env func(string) string) (time.Duration, error) {
	v := env("BOARD_HOOK_TIMEOUT")
	if v == "" {
		return DefaultTimeout, nil
	}
	d, err := time.ParseDuration(v)
	if err != nil || d <= 0 {
		return DefaultTimeout, fmt.Errorf("$BOARD_HOOK_TIMEOUT is %q, not a duration such as 300ms", v)
	}
	return min(max(d, minTimeout), maxTimeout), nil
}

// Handle reads an event and does what is to be done about it. It always returns an answer that the harness takes, in time: four fifths of the timeout are for the work, whose parts give up by
// themselves, so that one that hangs costs its own part of the answer only. After nine tenths the answer is that there is nothing to say; but what is to be
// recorded is waited for a little longer (keepWithin). Whatever goes wrong is a line in the log.
func Handle(ctx context.Context, cfg Config, in io.Reader) Result {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	within, timeoutErr := timeout(cfg.Env)
	ctx, cancel := context.WithTimeout(ctx, within*9/10)
	defer cancel()
	done := make(chan Result, 1)
	var recording atomic.Bool
	recording.Store(recorded(cmp.Or(harness.ByName(cfg.Harness), harness.All[0]).KindOf(cfg.Event))) // as far as the installer has said it
	go func() {
		defer func() {
			if wrong := recover(); wrong != nil {
				cfg.log("it panicked: %v", wrong)
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
	wrong := fmt.Sprintf("nothing was done within %s", within)
	if recording.Load() {
		select {
		case r := <-done:
			return r
		case <-time.After(keepWithin):
			wrong = fmt.Sprintf(Lost+": it was not written within %s", within+keepWithin)
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
	logLine(cfg.Home, cfg.Now(), "%s %s: %s", cfg.Harness, cfg.Event, fmt.Sprintf(format, a...))
}

// handle does the work. It says in recording whether what it was given is, or may be, to be recorded;
// late says whether nobody waits for its text any more.
func (cfg Config) handle(ctx context.Context, late func() bool, in io.Reader, recording *atomic.Bool) Result {
	data, err := io.ReadAll(io.LimitReader(in, maxPayload+1))
	if err == nil && len(data) > maxPayload {
		err = fmt.Errorf("it has more than %d bytes", maxPayload)
	}
	if err != nil {
		cfg.log("read the payload: %v", err)
		return Result{Answer: harness.Noop}
	}
	recording.Store(true)
	h, e, err := harness.Read(data, cfg.Harness, cfg.Event, cfg.Env)
	if err != nil {
		cfg.log("the payload, %d bytes, makes no sense: %v", len(data), err)
		return Result{Answer: harness.Noop}
	}
	if cfg.Harness != "" && harness.ByName(cfg.Harness) == nil {
		cfg.log("there is no harness %q: `board hook --list` has their names", clip(cfg.Harness, 60))
	}
	if h.KindOf(e.Name) == harness.Other { // by its name: of an event that is known, such as a part of a message that streams in, most are of no use
		cfg.log("nothing is done at the event %q of %s", clip(e.Name, 60), h.Name)
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
	answer := h.Answer(&e, t.do(ctx, h))
	return Result{Answer: answer, Kind: e.Kind, Dir: t.dir}
}

// recorded says whether events of a kind may leave a line in the worklog.
func recorded(kind string) bool {
	return slices.Contains([]string{harness.ToolResult, harness.ToolFailure, harness.FileEdit, harness.SessionEnd}, kind)
}

// records says whether an event leaves a line in the worklog.
func (t *turn) records() bool {
	return recorded(t.e.Kind) && (t.e.Kind == harness.SessionEnd || worthRecording(t.e))
}

// do does what an event asks for, and returns the text for the model.
func (t *turn) do(ctx context.Context, h *harness.Harness) string {
	switch t.e.Kind {
	case harness.SessionStart:
		t.owe(h)
		t.locate()
		return t.start(ctx, h)
	case harness.Prompt:
		if !h.Injects(harness.Prompt) {
			break
		}
		ask, start := t.query(), ""
		owed := !t.e.Continuation && t.owed()
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
		}
	case harness.PreCompact:
		if h.Injects(harness.PreCompact) {
			t.locate()
			return t.start(ctx, h)
		}
		if !h.Restarts() {
			t.compacted(h.Injects(harness.Prompt))
		}
	case harness.PostCompact:
		if !h.Restarts() {
			t.compacted(false)
		}
	case harness.SessionEnd:
		t.locate()
		t.end(ctx, h)
	}
	return ""
}
