package page

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/bubbles/key"

	"blackboard/board/fault"
	"blackboard/board/text"
	"blackboard/tui/cells"
)

// keyed is a key, and where it works.
type keyed struct {
	key.Binding
	where string
}

// keysOfSteps have the key for an operation that an error or finding names as the next step.
var keysOfSteps = sync.OnceValue(func() map[string]keyed {
	return map[string]keyed{
		"signal.address": {KeyAddress, ""}, "signal.waive": {KeyWaive, ""}, "signal.reopen": {KeyReopen, ""},
		"signal.show": {KeyOpen, ""}, "entry.show": {KeyOpen, ""}, "kb.get": {KeyOpen, ""}, "memory.get": {KeyOpen, ""},
		"signal.list": {KeyPart2, " of the run"}, "entry.list": {KeyPart1, " of the run"},
		"entry.post": {KeyPost, ""}, "entry.settle": {KeySettle, " on the pair"},
		"kb.search": {KeySearch, ""}, "kb.edit": {KeyEdit, " on it"}, "kb.history": {KeyOpen, " on it"},
		"memory.list": {KeyMemory, ""}, "run.list": {KeyBack, ""},
	}
})

// inShell are operations that exist only in a shell.
var inShell = []string{
	"model.pull", "kb.rebuild", "kb.reembed", "kb.ingest", "context.reembed", "policy.init",
	"worker.done", "worker.drop", "entry.verify", "source.list",
}

// words formats a step as the keys for it. Without a key, it uses the caller's words if
// the step works in a shell, else nothing.
func (a *App) words(s fault.Step) string {
	switch to, ok := keysOfSteps()[s.Op]; {
	case ok:
		said := to.Help().Key + to.where
		for _, name := range []string{"id", "signal"} {
			if id := s.Args[name]; id != "" && to.where == "" {
				said += " on " + id
			}
		}
		return said
	case s.Op == "" && slices.Equal(s.Names(), []string{"workspace"}) && a.Config.Words != nil:
		return a.Config.Words(s) // of the program itself
	case s.Op == "" && slices.Equal(s.Names(), []string{"reason"}):
		return "a reason"
	case s.Op == "" && slices.Equal(s.Names(), []string{"supersedes"}):
		return "supersedes " + s.Args["supersedes"] + " in the links"
	case slices.Contains(inShell, s.Op) && a.Config.Words != nil:
		if said := a.Config.Words(s); said != "" {
			return said + " in a shell"
		}
	}
	return ""
}

// programTime matches a time in the programs' format.
var programTime = text.NewRegexp(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)

// WithClocks formats the times in a text as on the screen.
func WithClocks(s string) string {
	if !strings.Contains(s, "T") {
		return s
	}
	return programTime.ReplaceAllStringFunc(s, func(at string) string {
		t, err := time.Parse(time.RFC3339, at)
		if err != nil {
			return at
		}
		return cells.Clock(t)
	})
}
