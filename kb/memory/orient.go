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
)

// tokens is about how many tokens a text has: 4 bytes to one, as English text in the usual vocabularies.
func tokens(s string) int { return (len(s) + 3) / 4 }

// OrientQuery says what an orientation is for.
type OrientQuery struct {
	Text         string // what the turn is about
	Conversation string // "" for none
	Channel      string // "" is that of the conversation
	Budget       int    // tokens; 0 is DefaultBudget
	Limit        int    // items of each tier at most; 0 is DefaultLimit
	// Tiers are those to read; nil: all that the caller reaches, the conversation's only if one is named.
	Tiers []string
	// Words say where the rest is of what was cut.
	Words fault.Words
}

// Orientation is one document for a turn: named entries first, then what each tier has to say.
type Orientation struct {
	Markdown string   `json:"markdown"` // "" if there is nothing to say
	Tokens   int      `json:"tokens"`
	Budget   int      `json:"budget"`
	Named    []Named  `json:"named"`
	Slices   []Slice  `json:"tiers"`
	LeftOut  int      `json:"left_out"` // hits that the budget had no room for
	Degraded []string `json:"degraded"`
}

// shares of the budget that remains after the named entries. What a tier does not use goes to the next.
var shares = map[string]float64{Conversation: .35, Channel: .25, Workspace: .25, Account: .15}

// Orient makes the document that a turn begins with, within a budget. Named entries are never ranked and never pushed out; one that is too long is cut, and says where the rest is.
// All else are candidates: each line says who noted it, where, when, and how much it counts.
func (s *Store) Orient(ctx context.Context, q OrientQuery) (Orientation, error) {
	if q.Budget == 0 {
		q.Budget = DefaultBudget
	}
	o := Orientation{Budget: q.Budget, Named: []Named{}, Slices: []Slice{}, Degraded: []string{}}
	if q.Budget < 100 || q.Budget > 100_000 {
		return o, invalid(fmt.Sprintf("a budget of %d tokens is not between 100 and 100,000", q.Budget), "1,200 is the default")
	}
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
	var b strings.Builder
	if err := s.orientNamed(ctx, &q, &o, &b); err != nil {
		return o, err
	}
	if err := s.orientRead(ctx, &q, &o); err != nil {
		return o, err
	}
	kept := o.choose(q.Budget - tokens(b.String()) - tokens(intro) - 3)
	began := false
	for i := range o.Slices {
		sl := &o.Slices[i]
		o.LeftOut += len(sl.Hits) - kept[i]
		sl.Hits = sl.Hits[:kept[i]]
		if kept[i] == 0 {
			continue
		}
		if !began {
			b.WriteString(sep(&b) + intro)
			began = true
		}
		b.WriteString(heading(sl.Tier))
		for j := range sl.Hits {
			b.WriteString(frameLine(&sl.Hits[j]))
		}
		if q.Text == "" || sl.Tier == Conversation {
			continue // nobody has asked for these: they came by themselves
		}
		if err := s.touchHits(ctx, sl, q.Text); err != nil {
			return o, err
		}
	}
	o.Degraded = slices.Compact(o.Degraded)
	o.Markdown = strings.TrimSpace(b.String())
	o.Tokens = tokens(o.Markdown)
	return o, nil
}

// orientRead reads the tiers: the conversation by recency alone, the others by the text. What says the same as something that is there already is left out.
func (s *Store) orientRead(ctx context.Context, q *OrientQuery, o *Orientation) error {
	rq := Query{Channel: q.Channel, Conversation: q.Conversation, Limit: q.Limit, Untouched: true}
	for _, part := range []struct {
		text  string
		tiers []string
	}{{"", []string{Conversation}}, {q.Text, []string{Channel, Workspace, Account}}} {
		rq.Text, rq.Tiers = part.text, slices.DeleteFunc(part.tiers, func(t string) bool { return !slices.Contains(q.Tiers, t) })
		if len(rq.Tiers) == 0 {
			continue
		}
		res, err := s.Read(ctx, rq)
		for i := range res.Slices {
			for j := range res.Slices[i].Hits {
				rq.shown = append(rq.shown, &res.Slices[i].Hits[j])
			}
		}
		o.Slices = append(o.Slices, res.Slices...)
		o.Degraded = append(o.Degraded, res.Degraded...)
		if err != nil {
			return err
		}
	}
	return nil
}

// choose says how many hits of each slice there is room for, in tokens. First each tier gets its share, what it does not use going to the next; then, in the same order, whatever there is
// room for.
func (o *Orientation) choose(room int) []int {
	kept := make([]int, len(o.Slices))
	// take keeps the next hit of a slice if it costs no more than most, and returns the cost, 0 if it was not kept.
	take := func(i, most int) int {
		sl := &o.Slices[i]
		if kept[i] == len(sl.Hits) {
			return 0
		}
		cost := tokens(frameLine(&sl.Hits[kept[i]]))
		if kept[i] == 0 {
			cost += tokens(heading(sl.Tier))
		}
		if cost > most {
			return 0
		}
		kept[i]++
		return cost
	}
	spare, whole := 0.0, float64(max(0, room))
	for i, sl := range o.Slices {
		spare += shares[sl.Tier] * whole
		for cost := take(i, min(room, int(spare))); cost > 0; cost = take(i, min(room, int(spare))) {
			room, spare = room-cost, spare-float64(cost)
		}
	}
	for i := range o.Slices {
		for cost := take(i, room); cost > 0; cost = take(i, room) {
			room -= cost
		}
	}
	return kept
}

func frameLine(h *Hit) string { return "- " + h.Frame + "\n" }

// intro stands before what was remembered.
const intro = "# From memory\n\nCandidates, not facts: check one before you rely on it.\n"

func heading(tier string) string {
	return "\n## " + map[string]string{Conversation: "This conversation", Channel: "This channel", Workspace: "This workspace", Account: "All workspaces"}[tier] + "\n"
}

// touchHits counts what was asked for as accessed.
func (s *Store) touchHits(ctx context.Context, sl *Slice, text string) error {
	if len(sl.Hits) == 0 {
		return nil
	}
	f, err := s.file(ctx, sl.Tier, false)
	if err != nil {
		return err
	}
	f.touch(ctx, asked(sl.Hits, text)...)
	return nil
}

func sep(b *strings.Builder) string {
	if b.Len() == 0 {
		return ""
	}
	return "\n"
}

// orientNamed writes the named entries of the tiers, whole as long as there is room.
func (s *Store) orientNamed(ctx context.Context, q *OrientQuery, o *Orientation, b *strings.Builder) error {
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
	named = slices.DeleteFunc(named, func(n Named) bool { return n.Body == "" })
	// They may take all of a budget that has nothing else to say; else a part of it, shared by need.
	limit := q.Budget * namedShare / 100
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
		o.Named = append(o.Named, n)
	}
	return nil
}

// namedShare is how much of a budget the named entries take at most, in percent.
const namedShare = 60

// frame puts an item to a reader as what it is: something that somebody noted once. What was noted stays on its line and within its quotes, whatever is in it.
func (h *Hit) frame(now time.Time) string {
	by := map[string]string{CuratorAgent: "noted by an agent", CuratorAuthor: "noted by the author", CuratorImport: "imported"}[h.Curator]
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
	s := fmt.Sprintf("%s %s, %s, importance %s, relevance %.2f, %s: “%s”", by, age(now.Sub(h.Created)), where, Level(h.Importance), h.Relevance, h.ID, inline(text, frameContent))
	if h.DerivedFrom != "" {
		s += " — derived from “" + inline(h.DerivedFrom, 120) + "”"
		if h.Derived != "" {
			s += " (" + inline(h.Derived, 120) + ")"
		}
	}
	return s
}

// inline makes one line of a text, of at most n characters, that cannot end the quotes that it stands in.
func inline(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '“' || r == '”':
			return '"'
		case r == 0x200b || r == 0x2060 || r == 0xfeff || r >= 0xe0000 && r <= 0xe0fff: // nobody sees them
			return -1
		case r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r >= 0x80 && r < 0xa0:
			return ' '
		}
		return r
	}, s)
	return clip(strings.Join(strings.Fields(s), " "), n)
}

// age says how long ago something was.
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
