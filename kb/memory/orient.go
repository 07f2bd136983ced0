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
	// DefaultBudget is the default number of tokens of an orientation.
	DefaultBudget = 1200
	// frameContent is the most characters of an item in an orientation.
	frameContent = 400
	// leastLine is about the fewest tokens of an item's line.
	leastLine = 12
)

// tokens estimates the tokens of a text: 4 bytes each, as in English text.
func tokens(s string) int { return (len(s) + 3) / 4 }

// OrientQuery describes the reader of an orientation.
type OrientQuery struct {
	Text         string // what the turn is about
	Conversation string // "": none
	Channel      string // "": that of the conversation
	Budget       int    // tokens; 0 means DefaultBudget
	Limit        int    // most items of a section; 0: as many as the budget may hold
	// Tiers to read; nil: all that the caller can reach, and the conversation's if one
	// is named.
	Tiers []string
	// Unasked is for a document that nobody asked for and that must be fast. Each line
	// of the text is one question, asked by words only. Only sure answers are included,
	// and nothing counts as an access.
	Unasked bool
	// Given lists what the reader has already, as Orientation.Given does.
	Given []string
	// Clean removes from texts what the reader must not see; nil: nothing.
	Clean func(string) string
	// Since leaves out what has not changed since then; zero: nothing.
	Since time.Time
	// Words name the command that shows the rest of a cut text.
	Words fault.Words
}

// unchanged reports whether a time of change is before Since.
func (q *OrientQuery) unchanged(changed time.Time) bool {
	return !q.Since.IsZero() && !changed.After(q.Since)
}

// Orientation is the document that a turn begins with.
type Orientation struct {
	// Markdown has named entries, then items by section; "" if there are none.
	Markdown string `json:"markdown"`
	// Own has the agent's core memories and its journal of a week, framed; "" if there
	// are none.
	Own      string   `json:"own"`
	Tokens   int      `json:"tokens"` // of both together
	Budget   int      `json:"budget"`
	Named    []Named  `json:"named"`
	Slices   []Slice  `json:"tiers"`    // the included items by tier
	LeftOut  int      `json:"left_out"` // items and notes that did not fit the budget
	Degraded []string `json:"degraded"`
	// Given lists what is in the document: ids of items and notes, revisions of named
	// entries.
	Given []string `json:"-"`
}

// Text returns the whole document.
func (o *Orientation) Text() string {
	return strings.TrimSpace(o.Markdown + "\n\n" + o.Own)
}

// Orient writes the document that a turn begins with, within a budget for all of it.
// Named entries come first, whole while there is room. Then come the critical items of
// all tiers, the agent's core memories, items about the text, the conversation, the
// agent's journal, and recent items. Nothing is repeated.
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
	fitToBudget(sections, q.Budget-tokens(b.String())-1)
	var own strings.Builder
	o.write(sections, &b, &own)
	o.Degraded = slices.Compact(o.Degraded)
	o.Markdown, o.Own = strings.TrimSpace(b.String()), strings.TrimSpace(own.String())
	o.Tokens = tokens(o.Text())
	o.listGiven(sections, q.Tiers)
	if !q.Unasked && q.Text != "" {
		for i := range o.Slices {
			if err := s.touchHits(ctx, &o.Slices[i]); err != nil {
				return o, err
			}
		}
	}
	return o, nil
}

// checkBudget validates a budget of tokens; 0 means the default.
func checkBudget(budget int) (int, error) {
	if budget == 0 {
		budget = DefaultBudget
	}
	if budget < 100 || budget > 100_000 {
		return 0, invalid(fmt.Sprintf("a budget of %d tokens is not between 100 and 100,000",
			budget), "1,200 is the default")
	}
	return budget, nil
}

// touchHits counts an access for the items that were asked for.
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

// orientNamed writes the named entries of the tiers, whole while there is room.
func (s *Store) orientNamed(ctx context.Context, q *OrientQuery, o *Orientation,
	b *strings.Builder, others int) error {
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
		return n.Body == "" || q.unchanged(n.Updated) || slices.Contains(q.Given, n.version())
	})
	// They may take what the sections leave, and at least a share of the budget, divided
	// by need.
	limit := max(q.Budget*namedShare/100, q.Budget-others)
	for i := range named {
		named[i].Body = q.Clean(named[i].Body)
	}
	for i, n := range named {
		head := fmt.Sprintf("%s# %s\n\n", sep(b), n.Name)
		more := "\n… " + cmp.Or(fault.Do("memory.named.show", "the rest: {}", "name", n.Name,
			"tier", n.Tier).In(q.Words), "the rest was cut") + "\n"
		after := 0 // what the following entries need, or a fair share for each
		for _, o := range named[i+1:] {
			after += min(tokens("\n# "+o.Name+"\n\n"+o.Body+"\n"), limit/len(named))
		}
		room := 4*(limit-tokens(b.String())-1-after) - len(head)
		body := n.Body + "\n"
		if len(body) > room {
			if room -= len(more); room < 0 {
				o.Degraded = append(o.Degraded,
					"the budget has no room for the named entry "+n.Name)
				continue
			}
			cut := strings.ToValidUTF8(body[:room], "")
			if at := strings.LastIndexByte(cut, '\n'); at > len(cut)/2 {
				cut = cut[:at]
			}
			body = strings.TrimRight(cut, "\n") + more
			o.Degraded = append(o.Degraded,
				fmt.Sprintf("the named entry %s is cut to fit the budget", n.Name))
		}
		b.WriteString(head + body)
		o.Named, o.Given = append(o.Named, n), append(o.Given, n.version())
	}
	return nil
}

// NamedTokens is what all named entries together are guaranteed of a default
// orientation. They also get what the sections do not need.
const NamedTokens = DefaultBudget * namedShare / 100

// Tokens returns the tokens of the entry in an orientation.
func (n *Named) Tokens() int { return tokens("# " + n.Name + "\n\n" + n.Body + "\n") }

// namedShare is the guaranteed share of named entries in a budget, in percent.
const namedShare = 60

// Line formats an item as one line: its id, its age, its source if that is not the
// reader, and its text in quotes.
func (h *Hit) Line(now time.Time, reader string) string {
	return h.line(now, reader, frameContent)
}

// line is Line with at most n characters of the text.
func (h *Hit) line(now time.Time, reader string, n int) string {
	s := "- " + h.ID + " " + shortAge(now.Sub(h.Created))
	switch {
	case h.Curator == CuratorAuthor:
		s += " by the author"
	case h.Source != "" && h.Source != reader:
		s += " by " + inline(h.Source, 30)
	}
	text := h.Content
	if h.Title != "" {
		text = h.Title + ": " + text
	}
	s += " “" + inline(text, n) + "”"
	if h.DerivedFrom != "" { // the source, for verification
		s += " (from “" + inline(h.DerivedFrom, 120) + "”"
		if h.Derived != "" {
			s += ", " + inline(h.Derived, 120)
		}
		s += ")"
	}
	return s + "\n"
}

// shortAge formats an age briefly.
func shortAge(d time.Duration) string {
	switch day := 24 * time.Hour; {
	case d < time.Hour:
		return fmt.Sprintf("%dmin", max(0, int(d/time.Minute)))
	case d < day:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d < 730*day:
		return fmt.Sprintf("%dd", d/day)
	default:
		return fmt.Sprintf("%dy", d/(365*day))
	}
}

// frame presents an item as what somebody noted once. The text stays on its line and in
// its quotes, whatever it contains.
func (h *Hit) frame(now time.Time) string {
	by := map[string]string{
		CuratorAgent: "noted by an agent", CuratorAuthor: "noted by the author",
		CuratorImport: "imported"}[h.Curator]
	if h.Source != "" && h.Source != h.Curator {
		by += " (“" + inline(h.Source, 60) + "”)"
	}
	where := h.Tier
	if h.Tier == Channel {
		where += " " + h.Channel
	}
	if h.Agent != "" {
		where += ", private"
	}
	text := h.Content
	if h.Title != "" {
		text = h.Title + ": " + text
	}
	s := fmt.Sprintf("%s %s, %s, importance %s: “%s”", by, age(now.Sub(h.Created)), where,
		Level(h.Importance), inline(text, frameContent))
	if h.DerivedFrom != "" {
		s += " — derived from “" + inline(h.DerivedFrom, 120) + "”"
		if h.Derived != "" {
			s += " (" + inline(h.Derived, 120) + ")"
		}
	}
	return s
}

// inline puts a text on one line of at most n characters that cannot end its quotes.
func inline(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '“' || r == '”':
			return '"'
		// invisible characters
		case r == 0x200b || r == 0x2060 || r == 0xfeff || r >= 0xe0000 && r <= 0xe0fff:
			return -1
		case r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 || r >= 0x202a && r <= 0x202e ||
			r >= 0x2066 && r <= 0x2069 || r >= 0x80 && r < 0xa0:
			return ' '
		}
		return r
	}, s)
	return clip(strings.Join(strings.Fields(s), " "), n)
}

// age formats how long ago something was.
func age(d time.Duration) string {
	ago := func(n int, unit string) string {
		if n == 1 {
			return "1 " + unit + " ago"
		}
		return fmt.Sprintf("%d %ss ago", n, unit)
	}
	switch day := 24 * time.Hour; {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return ago(int(d/time.Minute), "minute")
	case d < day:
		return ago(int(d/time.Hour), "hour")
	case d < 60*day:
		return ago(int(d/day), "day")
	case d < 730*day:
		return ago(int(d/(30*day)), "month")
	default:
		return ago(int(d/(365*day)), "year")
	}
}
