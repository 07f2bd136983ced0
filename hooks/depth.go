package hooks

import (
	"fmt"
	"strings"

	"blackboard/kb"
)

// MaxBudget is the upper limit of an answer in tokens. Codex accepts 2,500 tokens,
// Claude Code and Cursor 10,000 characters.
const MaxBudget = 2400

// tokenBytes is the approximate number of bytes in a token of English text.
const tokenBytes = 4

// Depth sets how much text hooks inject. Every number is an upper limit.
type Depth struct {
	Name        string `json:"name"`         // the value of $BOARD_DEPTH
	Items       int    `json:"items"`        // capsules for a prompt
	Budget      int    `json:"budget"`       // tokens for a prompt
	StartBudget int    `json:"start_budget"` // tokens for a session's start
	// SessionBudget is the upper limit of all that a session's context is given, in tokens.
	SessionBudget int `json:"session_budget"`
	// MemoryBudget is the memory's part of StartBudget, in tokens.
	MemoryBudget int `json:"memory_budget"`
	// Floor is a prompt's least evidence of a capsule, as a share of the best one's.
	Floor     float64 `json:"floor"`
	WarmItems int     `json:"warm_items"` // capsules at a session's start; 0: none
	// TailEntries is the number of worklog lines at a session's start.
	TailEntries int `json:"tail_entries"`
	// TailBytes are reserved for those lines; they may take more if there is room.
	TailBytes int `json:"tail_bytes"`
	BodyBytes int `json:"capsule_bytes"` // bytes of one capsule's text
}

// Depths are the profiles of $BOARD_DEPTH, the default first. No profile changes the
// absolute gate, the scope gate or the deadline.
var Depths = []Depth{
	{Name: "balanced", Items: 3, Budget: 600, StartBudget: 1500, MemoryBudget: 600,
		SessionBudget: 6000, Floor: kb.RecallFloor, WarmItems: 3, TailEntries: 40, TailBytes: 1200, BodyBytes: 500},
	{Name: "fast", Items: 1, Budget: 250, StartBudget: 700, MemoryBudget: 250,
		SessionBudget: 2500, Floor: 0.95,
		WarmItems: 0, TailEntries: 15, TailBytes: 400, BodyBytes: 300},
	{Name: "deep", Items: 5, Budget: 1200, StartBudget: 2400, MemoryBudget: 1000,
		SessionBudget: 12000, Floor: 0.8,
		WarmItems: 3, TailEntries: 60, TailBytes: 2000, BodyBytes: 900},
}

// depthOf returns the profile of a name, the default for "" and, with an error, for unknown ones.
func depthOf(name string) (Depth, error) {
	for _, d := range Depths {
		if strings.EqualFold(strings.TrimSpace(name), d.Name) {
			return d, nil
		}
	}
	if strings.TrimSpace(name) == "" {
		return Depths[0], nil
	}
	return Depths[0], fmt.Errorf("$BOARD_DEPTH is %q; use fast, balanced or deep", name)
}

// room is the rest of a budget, in bytes.
type room struct{ left int }

// take takes the space of a part if there is enough, and reports whether it did.
func (r *room) take(part string) bool {
	if part == "" || len(part)+2 > r.left {
		return false
	}
	r.left -= len(part) + 2
	return true
}
