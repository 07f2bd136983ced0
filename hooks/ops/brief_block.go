package ops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/text"
	"blackboard/kb"
)

type BriefOptions struct {
	Role               string // one of kb.Roles, which decides the kinds; "": all kinds
	Task               string // what the role is about to do
	Workspace, Project string
	Run                string // the run that asks; its own entries are on its board already
	Budget             int    // tokens of the whole block, 4 bytes each; 0 means defaultBudget
	Limit              int    // the most capsules; 0 means 8
	Mode               string
}

// defaultBudget is the default number of tokens of a brief. With less than leastBudget
// tokens the frame leaves no room for a capsule.
const (
	defaultBudget = 600
	leastBudget   = 80
)

const (
	// briefFloor is the least share of the best hit's evidence that a capsule needs.
	briefFloor = 0.5
	// briefWeak is the most capsules of a brief in which no capsule is surely relevant.
	briefWeak = 3
)

// BriefEntry is a capsule considered for a brief, with its kb.Hit's scores.
type BriefEntry struct {
	ID          string   `json:"id"`
	Kind        string   `json:"kind"`
	Title       string   `json:"title"`
	Score       float64  `json:"score"`
	BM25Score   float64  `json:"bm25_score"`
	CosineScore *float64 `json:"cosine_score"`
	Evidence    float64  `json:"evidence"`
	Weak        bool     `json:"weak"` // the evidence is below the threshold
	Boosts      []string `json:"boosts"`
	Included    bool     `json:"included"` // whether the block contains it
	Why         string   `json:"why"`      // why it is not included
}

// Brief is a block for a role's prompt, and a log of how it was made.
type Brief struct {
	Role  string   `json:"role"`  // the role that reads it
	Task  string   `json:"task"`  // the task it is about
	Kinds []string `json:"kinds"` // the kinds searched; empty: all
	Mode  string   `json:"mode"`
	// framed as text by others; "" if nothing known is relevant to the task
	Block    string       `json:"block"`
	Weak     bool         `json:"weak"` // nothing in it is surely relevant to the task
	Tokens   int          `json:"tokens"`
	Budget   int          `json:"budget"`        // the most tokens
	Log      []BriefEntry `json:"retrieval_log"` // every capsule that was considered, with its scores
	Degraded []string     `json:"degraded"`
	// Next makes the best match apply where the reader works, if it applies elsewhere and
	// the block is empty.
	Next []fault.Step `json:"-"`
}

// WriteBrief searches for what a role should know before a task and writes the block for its
// prompt. If no capsule is surely relevant, the block has the nearest ones and says so.
func WriteBrief(ctx context.Context, k *kb.KB, opt BriefOptions) (Brief, error) {
	if opt.Role != "" && !slices.Contains(kb.Roles, opt.Role) {
		return Brief{}, fault.Unknown("role", opt.Role, kb.Roles)
	}
	opt.Budget = cmp.Or(opt.Budget, defaultBudget)
	opt.Limit = cmp.Or(opt.Limit, 8)
	if opt.Budget < leastBudget || opt.Budget > 100_000 {
		return Brief{}, fault.Invalid.New(fmt.Sprintf(
			"a budget of %d tokens is not between 80 and 100000", opt.Budget),
			"600 is the default")
	}
	if opt.Limit < 1 || opt.Limit > 50 {
		return Brief{}, fault.Invalid.New(fmt.Sprintf(
			"a limit of %d is not between 1 and 50", opt.Limit), "8 is the default")
	}
	kinds := kb.RoleKinds(opt.Role)
	// Search for more than wanted: capsules of other places are left out afterwards.
	res, err := k.Search(ctx,
		kb.Query{Text: opt.Task, Mode: opt.Mode, Kinds: kinds, NoDocs: true,
			Workspace: opt.Workspace, Limit: min(kb.MaxLimit, 6*opt.Limit), Peek: true})
	if err != nil {
		return Brief{}, err
	}
	b := Brief{Role: opt.Role, Task: opt.Task, Kinds: append([]string{}, kinds...), Mode: res.Mode,
		Budget: opt.Budget, Log: []BriefEntry{}, Degraded: res.Degraded}
	read := b.choose(res, &opt)
	if len(read) > 0 {
		k.MarkRetrieved(ctx, read...)
	}
	return b, nil
}

// choose writes the block from the hits of a search and returns the capsules in it.
func (b *Brief) choose(res kb.Result, opt *BriefOptions) (read []*kb.Capsule) {
	hits := slices.Clone(res.Hits)
	slices.SortStableFunc(hits,
		func(a, b kb.Hit) int { return cmp.Compare(b.Evidence, a.Evidence) })
	b.Weak = !slices.ContainsFunc(hits, func(h kb.Hit) bool {
		return !h.Weak && holdsIn(&h.Capsule, opt.Workspace, opt.Project) &&
			!isFrom(&h.Capsule, opt.Run)
	})
	from := map[string]string{} // capsule by the entry that it was promoted from
	heading := "## RECENT LEARNINGS"
	limit := opt.Limit
	if b.Weak {
		heading += "\n\nNo confident match for this task. The nearest matches:"
		limit = min(limit, briefWeak)
	}
	block := heading + "\n\n"
	frame := len(text.Framed([]string{""}))
	for i := range hits {
		h := &hits[i]
		_, of := h.Origin()
		entry := BriefEntry{ID: h.ID, Kind: h.Kind, Title: h.Title, Score: h.Score,
			BM25Score: h.BM25Score, CosineScore: h.CosineScore, Evidence: h.Evidence, Weak: h.Weak,
			Boosts: h.Boosts}
		switch {
		case !holdsIn(&h.Capsule, opt.Workspace, opt.Project):
			entry.Why = "holds elsewhere: scope " + h.Place()
		case h.Evidence == 0:
			entry.Why = "no evidence beyond words that every text has"
		case h.Weak && !b.Weak:
			entry.Why = fmt.Sprintf("weak: evidence %.2f is below the threshold %.2f", h.Evidence,
				res.Threshold)
		case h.Evidence < briefFloor*res.Evidence:
			entry.Why = fmt.Sprintf("far behind the best: evidence %.2f against %.2f",
				h.Evidence, res.Evidence)
		case isFrom(&h.Capsule, opt.Run):
			entry.Why = "it is from this run: " + of + " on its board"
		case of != "" && from[originOf(&h.Capsule)] != "":
			entry.Why = "same entry as " + from[originOf(&h.Capsule)]
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
			from[originOf(&h.Capsule)] = h.ID
			read = append(read, &h.Capsule)
		}
		b.Log = append(b.Log, entry)
	}
	if len(read) > 0 {
		b.Block = text.Framed([]string{strings.TrimSuffix(block, "\n")}) + "\n"
		b.Tokens = (len(b.Block) + 3) / 4
	}
	b.Weak = b.Weak && len(read) > 0
	if b.Block == "" && len(hits) > 0 && hits[0].Evidence > 0 &&
		!holdsIn(&hits[0].Capsule, opt.Workspace, opt.Project) {
		b.Next = fault.Steps("", fault.Do("kb.edit", "{} makes it apply in every directory",
			"id", hits[0].ID, "scope", "universal"))
	}
	return read
}

// holdsIn reports whether a capsule applies to a workspace and project. A capsule with
// the scope workspace or project must belong to that place.
func holdsIn(c *kb.Capsule, workspace, project string) bool {
	switch c.Scope {
	case "workspace":
		return c.Workspace == workspace
	case "project":
		return workspace != "" && c.Workspace == workspace ||
			project != "" && c.Project == project || c.Workspace == "" && c.Project == ""
	}
	return true
}

func isFrom(c *kb.Capsule, run string) bool {
	from, _ := c.Origin()
	return from != "" && from == run
}

// originOf names the run and entry that a capsule was promoted from.
func originOf(c *kb.Capsule) string {
	run, entry := c.Origin()
	return run + "/" + entry
}

// briefText puts others' text on one line that cannot close or imitate the frame.
func briefText(s string) string { return strings.Join(strings.Fields(text.Harmless(s)), " ") }

// briefLine formats a capsule in at most room bytes; "" if that is too little.
func briefLine(c *kb.Capsule, room int) string {
	const most, least = 600, 80
	about := []string{c.ID}
	if c.Confidence != nil {
		about = append(about, fmt.Sprintf("confidence %g", *c.Confidence))
	}
	if c.Source != "" {
		about = append(about, "source "+fault.Clip(briefText(c.Source), 100))
	}
	title, body := c.SaidOnce()
	if title, body = briefText(title), briefText(body); body == "" && room > 0 {
		title = text.ClipBytes(title, min(most, room))
	}
	head := fmt.Sprintf("- [%s] %s (%s)\n", c.Kind, title, strings.Join(about, ", "))
	room = min(room, len(head)+most)
	if left := room - len(head) - len("  \n"); len(head) > room || left < min(least, len(body)) {
		return ""
	} else if body != "" {
		head += "  " + text.ClipBytes(body, left) + "\n"
	}
	return head
}
