package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
)

const (
	// DefaultBudget is how many tokens an orientation has.
	DefaultBudget = 1200
	// frameContent is how many characters of an item an orientation gives at most.
	frameContent = 400
	// leastLine is about how many tokens the line of an item takes at least.
	leastLine = 12
)

// tokens is about how many tokens a text has: 4 bytes to one, as English text in the usual vocabularies.
func tokens(s string) int { return (len(s) + 3) / 4 }

// OrientQuery says what an orientation is for.
type OrientQuery struct {
	Text         string // what the turn is about
	Conversation string // "" for none
	Channel      string // "" is that of the conversation
	Budget       int    // tokens; 0 is DefaultBudget
	Limit        int    // items of each section at most; 0: what the budget may have room for
	// Tiers are those to read; nil: all that the caller reaches, the conversation's only if one is named.
	Tiers []string
	// Unasked is for a document that nobody asked for and that is to be there at once: each line of the text is
	// asked, by words alone; of what they find, only what is surely about them is given, and nothing counts as
	// an access.
	Unasked bool
	// Given has what the reader has already, as Orientation.Given names it.
	Given []string
	// Clean takes out of what was noted what the reader is not to see; nil: nothing.
	Clean func(string) string
	// Since leaves out what has not changed after that time; zero leaves out nothing.
	Since time.Time
	// Words say where the rest is of what was cut.
	Words fault.Words
}

// old says whether what changed at that time is to be left out.
func (q *OrientQuery) old(changed time.Time) bool {
	return !q.Since.IsZero() && !changed.After(q.Since)
}

// Orientation is one document for a turn.
type Orientation struct {
	// Markdown has named entries, then items by section. "" if there is nothing to say.
	Markdown string `json:"markdown"`
	// Own has the agent's core memories and its journal of a week, framed; "" if there are none.
	Own      string   `json:"own"`
	Tokens   int      `json:"tokens"` // of both together
	Budget   int      `json:"budget"`
	Named    []Named  `json:"named"`
	Slices   []Slice  `json:"tiers"`    // what is given, by tier
	LeftOut  int      `json:"left_out"` // items and notes that the budget had no room for
	Degraded []string `json:"degraded"`
	// Given names what is in the document: ids of items and notes, revisions of named entries.
	Given []string `json:"-"`
}

// Text is the whole document.
func (o *Orientation) Text() string {
	return strings.TrimSpace(o.Markdown + "\n\n" + o.Own)
}

// Orient makes the document that a turn begins with, within a budget, which binds all of it.
// Named entries come first, whole as long as there is room; then the critical items of every
// tier, the agent's core memories, what the text is about, the conversation, the agent's
// journal, and what was put lately. Nothing comes twice.
func (s *Store) Orient(ctx context.Context, q OrientQuery) (Orientation, error) {
	var err error
	if q.Budget, err = checkBudget(q.Budget); err != nil {
		return Orientation{}, err
	}
	if q.Limit == 0 {
		q.Limit = min(max(DefaultLimit, q.Budget/leastLine), MaxLimit-maxCritical)
	}
	if q.Clean == nil {
		q.Clean = func(s string) string { return s }
	}
	o := Orientation{Budget: q.Budget, Named: []Named{}, Slices: []Slice{}, Degraded: []string{}}
	for _, t := range q.Tiers {
		if err := s.allowed(t); err != nil {
			return o, err
		}
	}
	if q.Tiers == nil {
		for _, t := range Tiers {
			if s.Reaches(t) && (t != Conversation || q.Conversation != "") {
				q.Tiers = append(q.Tiers, t)
			}
		}
	}
	sections, err := s.sections(ctx, &q, &o)
	if err != nil {
		return o, err
	}
	var b strings.Builder
	if err := s.orientNamed(ctx, &q, &o, &b, demand(sections)); err != nil {
		return o, err
	}
	allot(sections, q.Budget-tokens(b.String())-1)
	var own strings.Builder
	o.write(sections, &b, &own)
	o.Degraded = slices.Compact(o.Degraded)
	o.Markdown, o.Own = strings.TrimSpace(b.String()), strings.TrimSpace(own.String())
	o.Tokens = tokens(o.Text())
	o.give(sections, q.Tiers)
	if !q.Unasked && q.Text != "" {
		for i := range o.Slices {
			if err := s.touchHits(ctx, &o.Slices[i]); err != nil {
				return o, err
			}
		}
	}
	return o, nil
}

// checkBudget returns a budget of tokens; 0 is the default.
func checkBudget(budget int) (int, error) {
	if budget == 0 {
		budget = DefaultBudget
	}
	if budget < 100 || budget > 100_000 {
		return 0, invalid(fmt.Sprintf("a budget of %d tokens is not between 100 and 100,000", budget), "1,200 is the default")
	}
	return budget, nil
}

// touchHits counts what was asked for as accessed.
func (s *Store) touchHits(ctx context.Context, sl *Slice) error {
	if len(sl.Hits) == 0 {
		return nil
	}
	f, err := s.file(ctx, sl.Tier, false)
	if err != nil {
		return err
	}
	f.touch(ctx, asked(sl.Hits)...)
	return nil
}

func sep(b *strings.Builder) string {
	if b.Len() == 0 {
		return ""
	}
	return "\n"
}

// orientNamed writes the named entries of the tiers, whole as long as there is room.
func (s *Store) orientNamed(ctx context.Context, q *OrientQuery, o *Orientation, b *strings.Builder, others int) error {
	var tiers []string
	for _, t := range []string{Workspace, Account} {
		if slices.Contains(q.Tiers, t) {
			tiers = append(tiers, t)
		}
	}
	if len(tiers) == 0 {
		return nil
	}
	named, err := s.Named(ctx, tiers...)
	if err != nil {
		return err
	}
	named = slices.DeleteFunc(named, func(n Named) bool {
		return n.Body == "" || q.old(n.Updated) || slices.Contains(q.Given, n.version())
	})
	// They may take what the rest leaves, and at least a part of the budget, shared by need.
	limit := max(q.Budget*namedShare/100, q.Budget-others)
	for i := range named {
		named[i].Body = q.Clean(named[i].Body)
	}
	for i, n := range named {
		head := fmt.Sprintf("%s# %s\n\n", sep(b), n.Name)
		more := "\n… " + cmp.Or(fault.Do("memory.named.show", "the rest: {}", "name", n.Name, "tier", n.Tier).In(q.Words), "the rest was cut") + "\n"
		after := 0 // what those need that come after it, or a fair part for each
		for _, o := range named[i+1:] {
			after += min(tokens("\n# "+o.Name+"\n\n"+o.Body+"\n"), limit/len(named))
		}
		room := 4*(limit-tokens(b.String())-1-after) - len(head)
		body := n.Body + "\n"
		if len(body) > room {
			if room -= len(more); room < 0 {
				o.Degraded = append(o.Degraded, "the budget has no room for the named entry "+n.Name)
				continue
			}
			cut := strings.ToValidUTF8(body[:room], "")
			if at := strings.LastIndexByte(cut, '\n'); at > len(cut)/2 {
				cut = cut[:at]
			}
			body = strings.TrimRight(cut, "\n") + more
			o.Degraded = append(o.Degraded, fmt.Sprintf("the named entry %s is cut to fit the budget", n.Name))
		}
		b.WriteString(head + body)
		o.Named, o.Given = append(o.Named, n), append(o.Given, n.version())
	}
	return nil
}

// NamedTokens is what the named entries have for sure of an orientation of the usual budget, all
// of them together; they have what nothing else needs besides.
const NamedTokens = DefaultBudget * namedShare / 100

// Tokens is how many tokens the entry takes in an orientation.
func (n *Named) Tokens() int { return tokens("# " + n.Name + "\n\n" + n.Body + "\n") }

// namedShare is how much of a budget the named entries take at most, in percent.
const namedShare = 60
