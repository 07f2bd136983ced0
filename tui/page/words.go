package page

import (
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"

	"blackboard/board/fault"
	"blackboard/board/text"
	"blackboard/tui/cells"
)

// keyOfStep has the key for the operation that an error or finding names as the next
// step, and where that key works.
func keyOfStep(op string) (b key.Binding, where string) {
	switch op {
	case "signal.address":
		return KeyAddress, ""
	case "signal.waive":
		return KeyWaive, ""
	case "signal.reopen":
		return KeyReopen, ""
	case "signal.show", "entry.show", "kb.get", "memory.get":
		return KeyOpen, ""
	case "signal.list":
		return KeyPart2, " of the run"
	case "entry.list":
		return KeyPart1, " of the run"
	case "entry.post":
		return KeyPost, ""
	case "entry.settle":
		return KeySettle, " on the pair"
	case "kb.search":
		return KeySearch, ""
	case "run.list":
		return KeyBack, ""
	case "kb.edit":
		return KeyEdit, " on it"
	case "kb.history":
		return KeyOpen, " on it"
	case "memory.list":
		return KeyMemory, ""
	}
	return key.Binding{}, ""
}

// inShell are operations that exist only in a shell.
var inShell = []string{
	"model.pull", "kb.rebuild", "kb.reembed", "kb.ingest", "context.reembed", "policy.init",
	"worker.done", "worker.drop", "entry.verify", "source.list",
}

// words formats a step as the keys for it. Without a key, it uses the caller's words if
// the step works in a shell, else nothing.
func (a *App) words(s fault.Step) string {
	switch b, where := keyOfStep(s.Op); {
	case len(b.Keys()) > 0:
		said := b.Help().Key + where
		for _, name := range []string{"id", "signal"} {
			if id := s.Args[name]; id != "" && where == "" {
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
