package mcp

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"blackboard/board/fault"
	"blackboard/hooks/ops"
)

// said is how agents do an operation: a tool, and the arguments it says by itself.
type said struct {
	tool   string
	with   string            // an argument with its value, as "do: start"
	itself []string          // arguments of the operation that go without saying
	as     map[string]string // arguments of the tool that are called otherwise than the operation's
}

// operations are what errors and reasons name as the next step. What is missing here, or has an
// argument the tool has not, agents are not told.
var operations = sync.OnceValue(func() map[string]said {
	byID := map[string]string{"signal": "id"}
	cited := map[string]string{"source_doc": "source", "evidence": "quote"}
	all := map[string]said{
		"run.list":       {tool: "board_show"},
		"entry.list":     {tool: "board_query"},
		"entry.post":     {tool: "board_post", as: cited},
		"entry.correct":  {tool: "board_correct", as: cited},
		"entry.verify":   {tool: "board_check", itself: []string{"id"}}, // it holds all
		"entry.settle":   {tool: "board_accept", as: map[string]string{"entry": "id"}},
		"doubt.accept":   {tool: "board_accept"},
		"run.digest":     {tool: "board_digest", as: map[string]string{"budget": maxTokens}},
		"run.check":      {tool: "board_check", as: map[string]string{"report": "files"}},
		"entry.show":     {tool: "board_show"},
		"signal.list":    {tool: "board_show", itself: []string{"status"}},
		"signal.show":    {tool: "board_show", as: byID},
		"signal.reopen":  {tool: "board_reopen", as: byID},
		"signal.address": {tool: "board_answer", as: byID},
		"signal.claim":   {tool: "board_claim", as: byID},
		"signal.extend":  {tool: "board_claim", as: byID},
		"signal.waive":   {tool: "board_waive", as: byID},
		"worker.list":    {tool: "board_show"},
		"worker.done":    {tool: "board_done"},
		"worker.drop": {tool: "board_done", with: "drop: true",
			as: map[string]string{"reason": "note"}},
		"variable.get":              {tool: "board_var_get"},
		"variable.list":             {tool: "board_var_get"},
		"kb.reembed":                {tool: "kb_reembed"},
		"kb.resolve":                {tool: "kb_resolve"},
		"memory.conversation.start": {tool: "conversation", with: "do: start"},
		"memory.conversation.idle":  {tool: "conversation", with: "do: idle"},
		"memory.conversation.show":  {tool: "conversation", with: "do: get"},
		"memory.named.list":         {tool: "memory_named"},
		"memory.named.show":         {tool: "memory_named"},
		"memory.get":                {tool: "memory_read"},
		"memory.forget":             {tool: "memory_update", with: "forget: true, reason: WHY"},
		"memory.restore":            {tool: "memory_update", with: "restore: true"},
	}
	for _, o := range ops.All() { // the others are called as their command
		i := o.Tells()
		if step := strings.ReplaceAll(i.Command, " ", "."); all[step].tool == "" {
			all[step] = said{tool: i.Tool}
		}
	}
	return all
})

// parameters are those that are called otherwise than the domain's arguments.
var parameters = map[string]string{"timeout": "seconds"}

// words say a step to the caller of what takes a schema's arguments; nil: nothing takes any.
func (s *Server) words(takes *jsonschema.Schema) fault.Words {
	return func(step fault.Step) string {
		op, takes := said{}, takes
		var parts []string
		if step.Op != "" {
			known := false
			if op, known = operations()[step.Op]; !known || !s.offers(op.tool) ||
				step.Op == "run.list" && s.cfg.Run != "" { // it tells of that run instead
				return ""
			}
			if takes = s.takes[op.tool]; op.with != "" {
				parts = append(parts, op.with)
			}
		}
		for _, name := range step.Names() {
			if slices.Contains(op.itself, name) {
				continue
			}
			param := name
			if other := cmp.Or(op.as[name], parameters[name]); other != "" {
				param = other
			}
			if takes == nil || takes.Properties[param] == nil {
				return ""
			}
			if value := step.Args[name]; value != "" {
				param += ": " + value
			}
			parts = append(parts, param)
		}
		switch {
		case op.tool == "":
			return strings.Join(parts, ", ")
		case len(parts) == 0:
			return op.tool
		}
		return op.tool + " (" + strings.Join(parts, ", ") + ")"
	}
}
