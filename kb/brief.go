package kb

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Roles of a run's workers.
var Roles = []string{"planner", "executor", "reviewer", "re_reviewer", "reflector"}

// RoleKinds returns the kinds of capsules that a role wants to read; nil: all of them.
func RoleKinds(role string) []string {
	switch strings.ReplaceAll(role, "-", "_") {
	case "executor":
		return []string{"fact", "recipe", "gotcha", "anti_pattern", "pattern"}
	case "reviewer":
		return []string{"gotcha", "anti_pattern"}
	case "re_reviewer":
		return []string{"gotcha", "anti_pattern", "principle"}
	}
	return nil
}

// BriefOptions say what a brief is for.
type BriefOptions struct {
	Role               string // one of Roles: it decides on the kinds
	Task               string // what the role is about to do, in any words
	Workspace, Project string
	Budget             int // tokens of the whole block, at 4 bytes each; 0 is DefaultBudget
	Limit              int // at most so many capsules; 0 is 8
	Mode               string
}

// DefaultBudget is how many tokens a brief has.
const DefaultBudget = 600

// briefFloor is the least share of the best hit's score that a capsule of a brief has.
const briefFloor = 0.5

// Briefed is one capsule of a brief, or one that did not get into it. Its scores are those of its Hit.
type Briefed struct {
	ID          string   `json:"id"`
	Kind        string   `json:"kind"`
	Title       string   `json:"title"`
	Score       float64  `json:"score"`
	BM25Score   float64  `json:"bm25_score"`
	CosineScore *float64 `json:"cosine_score"`
	Boosts      []string `json:"boosts"`
	Included    bool     `json:"included"`
	Why         string   `json:"why"` // it is not included
}

// Brief is the block of a role's prompt that tells what is known, and the log of how it came about.
type Brief struct {
	Role     string    `json:"role"`
	Task     string    `json:"task"`
	Kinds    []string  `json:"kinds"` // empty: all
	Mode     string    `json:"mode"`
	Block    string    `json:"block"` // "" if nothing is known
	Tokens   int       `json:"tokens"`
	Budget   int       `json:"budget"`
	Log      []Briefed `json:"retrieval_log"`
	Degraded []string  `json:"degraded"`
}

// tokens is about how many tokens a text has: 4 bytes to one, as English text in the usual vocabularies.
func tokens(s string) int { return (len(s) + 3) / 4 }

// Brief finds what a role should know before a task, and writes the block for its prompt.
func (k *KB) Brief(ctx context.Context, opt BriefOptions) (Brief, error) {
	if !slices.Contains(Roles, opt.Role) {
		return Brief{}, unknown("role", opt.Role, Roles)
	}
	if opt.Budget == 0 {
		opt.Budget = DefaultBudget
	}
	if opt.Limit == 0 {
		opt.Limit = 8
	}
	if opt.Budget < 50 || opt.Budget > 100_000 {
		return Brief{}, invalid(fmt.Sprintf("a budget of %d tokens is not between 50 and 100000", opt.Budget), "600 is the default")
	}
	if opt.Limit < 1 || opt.Limit > 50 {
		return Brief{}, invalid(fmt.Sprintf("a limit of %d is not between 1 and 50", opt.Limit), "8 is the default")
	}
	kinds := RoleKinds(opt.Role)
	// More than are wanted: capsules of other places are left out afterwards.
	res, err := k.Search(ctx, Query{Text: opt.Task, Mode: opt.Mode, Kinds: kinds, Workspace: opt.Workspace, Limit: min(MaxLimit, 6*opt.Limit), Floor: briefFloor, Peek: true})
	if err != nil {
		return Brief{}, err
	}
	b := Brief{Role: opt.Role, Task: opt.Task, Kinds: append([]string{}, kinds...), Mode: res.Mode, Budget: opt.Budget, Log: []Briefed{}, Degraded: res.Degraded}
	const head = "## RECENT LEARNINGS\n\n"
	block, in := head, 0
	var read []*Capsule
	for i := range res.Hits {
		h := &res.Hits[i]
		entry := Briefed{ID: h.ID, Kind: h.Kind, Title: h.Title, Score: h.Score, BM25Score: h.BM25Score, CosineScore: h.CosineScore, Boosts: h.Boosts}
		switch {
		case res.Threshold > 0 && res.Evidence < res.Threshold:
			entry.Why = fmt.Sprintf("nothing is surely about the task: an evidence of %.2f, and %.2f is asked for", res.Evidence, res.Threshold)
		case !h.holdsIn(opt.Workspace, opt.Project):
			entry.Why = "holds elsewhere: " + h.Scope + " " + h.place()
		case in == opt.Limit:
			entry.Why = "beyond the limit"
		default:
			line := briefLine(&h.Capsule, 4*opt.Budget-len(block))
			if line == "" {
				entry.Why = "beyond the budget"
				break
			}
			block += line
			in++
			entry.Included = true
			read = append(read, &h.Capsule)
		}
		b.Log = append(b.Log, entry)
	}
	if in > 0 {
		b.Block, b.Tokens = block, tokens(block)
		k.touch(ctx, read...)
	}
	return b, nil
}

// holdsIn reports whether a capsule holds in a workspace and project: what is scoped to a place must be of that place.
func (c *Capsule) holdsIn(workspace, project string) bool {
	switch c.Scope {
	case "workspace":
		return c.Workspace == workspace
	case "project":
		return workspace != "" && c.Workspace == workspace || project != "" && c.Project == project || c.Workspace == "" && c.Project == ""
	}
	return true
}

func (c *Capsule) place() string {
	if c.Project != "" && c.Scope == "project" {
		return c.Project
	}
	return c.Workspace
}

// briefLine is a capsule in a brief, of at most room bytes; "" if that is too few to say anything.
func briefLine(c *Capsule, room int) string {
	const most, least = 600, 80
	about := []string{c.ID}
	if c.Confidence != nil {
		about = append(about, fmt.Sprintf("confidence %g", *c.Confidence))
	}
	if c.Source != "" {
		about = append(about, "source "+clip(strings.Join(strings.Fields(c.Source), " "), 100))
	}
	body, title := strings.Join(strings.Fields(c.Body), " "), c.Title
	if strings.HasPrefix(body, strings.TrimSuffix(title, "…")) { // made from it: said once
		title, body = body, ""
		if room > 0 {
			title = clipBytes(title, min(most, room))
		}
	}
	head := fmt.Sprintf("- [%s] %s (%s)\n", c.Kind, title, strings.Join(about, ", "))
	room = min(room, len(head)+most)
	if left := room - len(head) - len("  \n"); len(head) > room || left < min(least, len(body)) {
		return ""
	} else if body != "" {
		head += "  " + clipBytes(body, left) + "\n"
	}
	return head
}
