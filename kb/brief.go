package kb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"blackboard/board/text"
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
	Role               string // one of Roles: it decides on the kinds; "": all kinds
	Task               string // what the role is about to do, in any words
	Workspace, Project string
	Run                string // that asks: what comes from it is on its board already
	Budget             int    // tokens of the whole block, at 4 bytes each; 0 is DefaultBudget
	Limit              int    // at most so many capsules; 0 is 8
	Mode               string
}

// DefaultBudget is how many tokens a brief has; minBudget is how many it needs to say anything within its frame.
const (
	DefaultBudget = 600
	minBudget     = 80
)

const (
	// briefFloor is the least share of the best hit's evidence that a capsule of a brief has.
	briefFloor = 0.5
	// briefWeak is how many capsules a brief has at most if none is surely about the task.
	briefWeak = 3
)

// Briefed is one capsule of a brief, or one that did not get into it. Its scores are those of its Hit.
type Briefed struct {
	ID          string   `json:"id"`
	Kind        string   `json:"kind"`
	Title       string   `json:"title"`
	Score       float64  `json:"score"`
	BM25Score   float64  `json:"bm25_score"`
	CosineScore *float64 `json:"cosine_score"`
	Evidence    float64  `json:"evidence"`
	Weak        bool     `json:"weak"`
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
	Block    string    `json:"block"` // framed as what others wrote; "" if nothing that is known has anything to do with the task
	Weak     bool      `json:"weak"`  // nothing in it is surely about the task
	Tokens   int       `json:"tokens"`
	Budget   int       `json:"budget"`
	Log      []Briefed `json:"retrieval_log"`
	Degraded []string  `json:"degraded"`
}

// tokens is about how many tokens a text has: 4 bytes to one, as English text in the usual vocabularies.
func tokens(s string) int { return (len(s) + 3) / 4 }

// Brief finds what a role should know before a task, and writes the block for its prompt: what is surely about it, or else the best there is, and says that it is weak.
func (k *KB) Brief(ctx context.Context, opt BriefOptions) (Brief, error) {
	if opt.Role != "" && !slices.Contains(Roles, opt.Role) {
		return Brief{}, unknown("role", opt.Role, Roles)
	}
	if opt.Budget == 0 {
		opt.Budget = DefaultBudget
	}
	if opt.Limit == 0 {
		opt.Limit = 8
	}
	if opt.Budget < minBudget || opt.Budget > 100_000 {
		return Brief{}, invalid(fmt.Sprintf("a budget of %d tokens is not between 80 and 100000", opt.Budget), "600 is the default")
	}
	if opt.Limit < 1 || opt.Limit > 50 {
		return Brief{}, invalid(fmt.Sprintf("a limit of %d is not between 1 and 50", opt.Limit), "8 is the default")
	}
	kinds := RoleKinds(opt.Role)
	// More than are wanted: capsules of other places are left out afterwards.
	res, err := k.Search(ctx, Query{Text: opt.Task, Mode: opt.Mode, Kinds: kinds, NoDocs: true, Workspace: opt.Workspace, Limit: min(MaxLimit, 6*opt.Limit), Peek: true})
	if err != nil {
		return Brief{}, err
	}
	b := Brief{Role: opt.Role, Task: opt.Task, Kinds: append([]string{}, kinds...), Mode: res.Mode, Budget: opt.Budget, Log: []Briefed{}, Degraded: res.Degraded}
	read := b.choose(res, &opt)
	if len(read) > 0 {
		k.touch(ctx, read...)
	}
	return b, nil
}

// choose writes the block of what a search found, and returns what is in it.
func (b *Brief) choose(res Result, opt *BriefOptions) (read []*Capsule) {
	hits := given(res.Hits, len(res.Hits), 0)
	b.Weak = !slices.ContainsFunc(hits, func(h Hit) bool {
		return !h.Weak && h.holdsIn(opt.Workspace, opt.Project) && !h.isFrom(opt.Run)
	})
	from := map[string]string{} // the capsule of each entry that is given
	heading := "## RECENT LEARNINGS"
	limit := opt.Limit
	if b.Weak {
		heading += "\n\nNothing is surely about this task. What comes nearest:"
		limit = min(limit, briefWeak)
	}
	block := heading + "\n\n"
	frame := len(text.Framed([]string{""}))
	for i := range hits {
		h := &hits[i]
		_, of := h.Origin()
		entry := Briefed{ID: h.ID, Kind: h.Kind, Title: h.Title, Score: h.Score, BM25Score: h.BM25Score, CosineScore: h.CosineScore, Evidence: h.Evidence, Weak: h.Weak, Boosts: h.Boosts}
		switch {
		case !h.holdsIn(opt.Workspace, opt.Project):
			entry.Why = "holds elsewhere: " + h.Scope + " " + h.place()
		case h.Evidence == 0:
			entry.Why = "it has nothing of the task but words that every text has"
		case h.Weak && !b.Weak:
			entry.Why = fmt.Sprintf("weak: an evidence of %.2f, and %.2f is asked for", h.Evidence, res.Threshold)
		case h.Evidence < briefFloor*res.Evidence:
			entry.Why = fmt.Sprintf("far behind the best: an evidence of %.2f against %.2f", h.Evidence, res.Evidence)
		case h.isFrom(opt.Run):
			entry.Why = "it is from this run: " + of + " on its board"
		case of != "" && from[h.origin()] != "":
			entry.Why = "it is of the same entry as " + from[h.origin()]
		case len(read) == limit:
			entry.Why = "beyond the limit"
		default:
			line := briefLine(&h.Capsule, 4*opt.Budget-len(block)-frame)
			if line == "" {
				entry.Why = "beyond the budget"
				break
			}
			block += line
			entry.Included = true
			from[h.origin()] = h.ID
			read = append(read, &h.Capsule)
		}
		b.Log = append(b.Log, entry)
	}
	if len(read) > 0 {
		b.Block = text.Framed([]string{strings.TrimSuffix(block, "\n")}) + "\n"
		b.Tokens = tokens(b.Block)
	}
	b.Weak = b.Weak && len(read) > 0
	return read
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

// isFrom reports whether a capsule was promoted from a run.
func (c *Capsule) isFrom(run string) bool {
	from, _ := c.Origin()
	return from != "" && from == run
}

// origin is the entry that it was promoted from, among those of all runs.
func (c *Capsule) origin() string {
	run, entry := c.Origin()
	return run + "/" + entry
}

func (c *Capsule) place() string {
	if c.Project != "" && c.Scope == "project" {
		return c.Project
	}
	return c.Workspace
}

// evidenceHeading is what the evidence of a promoted entry stands below.
const evidenceHeading = "\n\nEvidence:\n"

// WithEvidence is a body that ends with the quote that it rests on.
func WithEvidence(body, quote string) string {
	return body + evidenceHeading + "> " + strings.ReplaceAll(quote, "\n", "\n> ")
}

// SaidOnce are the title and the body without what both say: a title that is the body's
// beginning, evidence that is the same words. The body is "" if the title has all of it.
func (c *Capsule) SaidOnce() (title, body string) {
	title, body = c.Title, c.Body
	line := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if claim, quote, ok := strings.Cut(body, evidenceHeading); ok {
		said, quote := line(claim), line(strings.ReplaceAll("\n"+quote, "\n> ", "\n"))
		same := strings.Contains(quote, strings.TrimRight(said, ".")) &&
			len(quote) < 2*len(said) // a longer one tells more
		if same || strings.Contains(said, strings.TrimRight(quote, ".")) {
			body = claim
		}
	}
	if strings.HasPrefix(line(body), strings.TrimSuffix(line(title), "…")) { // made from it
		title, body = body, ""
	}
	return title, body
}

// briefText is a text of others on one line, without what could close the frame or imitate it.
func briefText(s string) string { return strings.Join(strings.Fields(text.Harmless(s)), " ") }

// briefLine is a capsule in a brief, of at most room bytes; "" if that is too few to say anything.
func briefLine(c *Capsule, room int) string {
	const most, least = 600, 80
	about := []string{c.ID}
	if c.Confidence != nil {
		about = append(about, fmt.Sprintf("confidence %g", *c.Confidence))
	}
	if c.Source != "" {
		about = append(about, "source "+clip(briefText(c.Source), 100))
	}
	title, body := c.SaidOnce()
	if title, body = briefText(title), briefText(body); body == "" && room > 0 {
		title = clipBytes(title, min(most, room))
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
