package hooks

import (
	"fmt"
	"strings"

	"blackboard/board/text"
	"blackboard/kb"
)

// MaxBudget is the most tokens that an answer may have: Codex takes 2,500, Claude Code and Cursor 10,000 characters.
const MaxBudget = 2400

// tokenBytes is about how many bytes a token has, as English text in the usual vocabularies.
const tokenBytes = 4

// Depth is how much a hook gives and asks for.
type Depth struct {
	Name         string  `json:"name"`          // what $BOARD_DEPTH says
	Items        int     `json:"items"`         // capsules for a prompt, at most
	Budget       int     `json:"budget"`        // tokens for a prompt
	StartBudget  int     `json:"start_budget"`  // tokens for a session's start
	MemoryBudget int     `json:"memory_budget"` // tokens of those that are kept for what the memory has
	Floor        float64 `json:"floor"`         // what a capsule must have of the best one's evidence, for a prompt
	WarmItems    int     `json:"warm_items"`    // capsules at a session's start, at most; 0: none
	TailEntries  int     `json:"tail_entries"`  // lines of the worklog at a session's start, at most
	TailBytes    int     `json:"tail_bytes"`    // bytes that are kept for them; more if there is room
	BodyBytes    int     `json:"capsule_bytes"` // bytes of a capsule's text, at most
}

// Depths are the profiles of $BOARD_DEPTH, the common one first. None changes the absolute gate, the scope gate or the deadline.
var Depths = []Depth{
	{Name: "balanced", Items: 3, Budget: 600, StartBudget: 1500, MemoryBudget: 600, Floor: kb.RecallFloor, WarmItems: 3, TailEntries: 40, TailBytes: 1200, BodyBytes: 500},
	{Name: "fast", Items: 1, Budget: 250, StartBudget: 700, MemoryBudget: 250, Floor: 0.95, WarmItems: 0, TailEntries: 15, TailBytes: 400, BodyBytes: 300},
	{Name: "deep", Items: 5, Budget: 1200, StartBudget: 2400, MemoryBudget: 1000, Floor: 0.8, WarmItems: 3, TailEntries: 60, TailBytes: 2000, BodyBytes: 900},
}

// depthOf is the profile of a name, the common one for "". One that there is not is the common one too, with an error.
func depthOf(name string) (Depth, error) {
	for _, d := range Depths {
		if strings.EqualFold(strings.TrimSpace(name), d.Name) {
			return d, nil
		}
	}
	if strings.TrimSpace(name) == "" {
		return Depths[0], nil
	}
	return Depths[0], fmt.Errorf("$BOARD_DEPTH is %q, none of fast, balanced, deep", name)
}

// room is what is left of a budget, in bytes.
type room struct{ left int }

// newRoom is the room of a frame within so many tokens.
func newRoom(budget int) *room {
	return &room{tokenBytes*max(0, min(budget, MaxBudget)) - len(text.Framed([]string{""}))}
}

// take takes a part's place, if there is enough.
func (r *room) take(part string) bool {
	if part == "" || len(part)+2 > r.left {
		return false
	}
	r.left -= len(part) + 2
	return true
}
