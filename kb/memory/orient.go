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
	Limit        int    // items of each section at most; 0 is DefaultLimit
	// Tiers are those to read; nil: all that the caller reaches, the conversation's only if one is named.
	Tiers []string
	// Unasked is for a document that nobody asked for: of what the text finds, only what is surely about it is
	// given, and nothing counts as an access.
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

// section is a part of an orientation: lines under a heading.
type section struct {
	heading string
	lines   []string
	ids     []string // one for each line
	hits    []*Hit   // one for each line; nil for an agent's own notes
	kept    int
	own     bool
}

// Orient makes the document that a turn begins with, within a budget, which binds all of it.
// Named entries come first, whole as long as there is room; then the critical items of every
// tier, the agent's core memories, what the text is about, the conversation, the agent's
// journal, and what was put lately. Nothing comes twice.
func (s *Store) Orient(ctx context.Context, q OrientQuery) (Orientation, error) {
	if q.Budget == 0 {
		q.Budget = DefaultBudget
	}
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	if q.Clean == nil {
		q.Clean = func(s string) string { return s }
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

// sections reads what there may be to say, the first section first.
func (s *Store) sections(ctx context.Context, q *OrientQuery, o *Orientation) ([]*section, error) {
	var shown []*Hit
	// read gives the hits of some tiers, the best first, without what another section has.
	read := func(rq Query, tiers ...string) (hits []*Hit, err error) {
		rq.Channel, rq.Conversation, rq.Untouched, rq.shown = q.Channel, q.Conversation, true, shown
		for _, t := range tiers {
			if slices.Contains(q.Tiers, t) {
				rq.Tiers = append(rq.Tiers, t)
			}
		}
		if len(rq.Tiers) == 0 {
			return nil, nil
		}
		res, err := s.Read(ctx, rq)
		o.Degraded = append(o.Degraded, res.Degraded...)
		for i := range res.Slices {
			for j := range res.Slices[i].Hits {
				if h := &res.Slices[i].Hits[j]; !q.old(h.Updated) && !slices.Contains(q.Given, h.ID) {
					hits = append(hits, h)
				}
			}
		}
		if rq.Text != "" {
			slices.SortStableFunc(hits, func(a, b *Hit) int { return cmp.Compare(b.Score, a.Score) })
		}
		return hits, err
	}
	// of makes a section of hits.
	of := func(heading string, hits []*Hit, most int) *section {
		sec := &section{heading: heading}
		now := s.now()
		for _, h := range hits[:min(most, len(hits))] {
			said := *h
			said.Title, said.Content = q.Clean(h.Title), q.Clean(h.Content)
			sec.hits, sec.ids = append(sec.hits, h), append(sec.ids, h.ID)
			sec.lines = append(sec.lines, said.Line(now, s.opt.Agent))
			shown = append(shown, h)
		}
		return sec
	}
	counts, err := read(Query{Limit: maxCritical + q.Limit, recent: true}, Channel, Workspace, Account)
	if err != nil {
		return nil, err
	}
	talk, err := read(Query{Limit: maxCritical + q.Limit}, Conversation)
	if err != nil {
		return nil, err
	}
	critical := slices.DeleteFunc(slices.Concat(counts, talk), func(h *Hit) bool { return h.Importance < criticalFrom })
	slices.SortStableFunc(critical, func(a, b *Hit) int { return cmp.Compare(b.Relevance, a.Relevance) })
	all := []*section{of("## Critical", critical, len(critical))}
	if q.Text != "" {
		var about []*Hit
		for _, text := range q.questions() {
			hits, err := read(Query{Text: text, Limit: q.Limit, Gate: q.Unasked}, Channel, Workspace, Account)
			if err != nil {
				return nil, err
			}
			for _, h := range hits {
				if !slices.ContainsFunc(about, func(o *Hit) bool { return o.ID == h.ID }) {
					about = append(about, h)
				}
			}
		}
		about = slices.DeleteFunc(about, func(h *Hit) bool { return h.Weak && h.Score < weakShare })
		if q.Unasked {
			slices.SortStableFunc(about, func(a, b *Hit) int { return cmp.Compare(b.Evidence, a.Evidence) })
		}
		all = append(all, of("## About this", about, q.Limit))
	}
	// rest are those of some hits that no section has.
	rest := func(hits []*Hit, in func(*Hit) bool) []*Hit {
		return slices.DeleteFunc(slices.Clone(hits), func(h *Hit) bool {
			return !in(h) || slices.ContainsFunc(shown, func(o *Hit) bool { return h.ID == o.ID || h.saysTheSame(o) })
		})
	}
	slices.SortStableFunc(talk, func(a, b *Hit) int { return b.Created.Compare(a.Created) })
	all = append(all, of("## This conversation", rest(talk, func(*Hit) bool { return true }), q.Limit))
	if q.Conversation != "" || q.Channel != "" {
		hits := rest(counts, func(h *Hit) bool { return h.Tier == Channel })
		// What the conversations before came to, the last one first.
		slices.SortStableFunc(hits, func(a, b *Hit) int {
			x, y := slices.Contains(a.Tags, TagSummary), slices.Contains(b.Tags, TagSummary)
			switch {
			case x && y:
				return b.Created.Compare(a.Created)
			case x:
				return -1
			case y:
				return 1
			}
			return 0
		})
		if len(hits) > 0 {
			all = append(all, of("## This channel: "+hits[0].Channel, hits, q.Limit))
		}
	}
	core, journal, err := s.ownSections(ctx, q)
	if err != nil {
		return nil, err
	}
	lately := rest(counts, func(h *Hit) bool { return h.Tier != Channel })
	slices.SortStableFunc(lately, func(a, b *Hit) int {
		if x, y := a.Importance < lowUnder, b.Importance < lowUnder; x != y {
			return map[bool]int{true: 1, false: -1}[x]
		}
		return b.Updated.Compare(a.Updated)
	})
	all = append(all, journal, of("## Lately", lately, q.Limit))
	return slices.Insert(all, 1, core), nil
}

// questions are what the text asks. What nobody asks (a topic's page) is about several things:
// asked as one, none of them would surely be what an item is about.
func (q *OrientQuery) questions() (all []string) {
	if !q.Unasked {
		return []string{q.Text}
	}
	for line := range strings.Lines(q.Text) {
		if line = strings.Trim(line, "#*-|> \t\n"); len(line) >= shortest && !slices.Contains(all, line) && len(all) < mostQuestions {
			all = append(all, line)
		}
	}
	return all
}

// ownSections are the agent's core memories and its journal of the last week.
func (s *Store) ownSections(ctx context.Context, q *OrientQuery) (core, journal *section, err error) {
	core, journal = &section{heading: "## Core", own: true}, &section{heading: "## Journal of the last week", own: true}
	if s.opt.Agent == "" || !slices.Contains(q.Tiers, Workspace) && !slices.Contains(q.Tiers, Account) {
		return core, journal, nil
	}
	notes, err := s.Notes(ctx, "", 0)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range notes { // the newest first
		switch text := "“" + inline(q.Clean(n.Content), frameContent) + "”\n"; {
		case !slices.Contains(q.Tiers, n.Tier), q.old(n.Created), slices.Contains(q.Given, n.ID):
		case n.Kind == Core:
			core.ids, core.lines = append(core.ids, n.ID), append(core.lines, "- "+text)
		case !n.Expired:
			line := "- " + n.Created.Format(time.DateOnly) + " " + text
			journal.ids, journal.lines = append(journal.ids, n.ID), append(journal.lines, line)
		}
	}
	return core, journal, nil
}

// demand is how many tokens the sections would take with all their lines.
func demand(sections []*section) (n int) {
	for _, sec := range sections {
		if len(sec.lines) > 0 {
			n += sec.cost(0)
			for _, l := range sec.lines[1:] {
				n += tokens(l)
			}
		}
	}
	return n + 2*tokens(intro)
}

// cost is what a line of a section takes, with its heading if it is the first.
func (sec *section) cost(i int) int {
	n := tokens(sec.lines[i])
	if i == 0 {
		n += tokens(sec.heading) + 1
	}
	return n
}

// allot keeps as many lines of each section as there is room for, in tokens: first of each no
// more than leaves the sections after it a share, then, in the same order, whatever fits. A
// long line makes way for shorter ones of the next section, not for those after it in its own.
func allot(sections []*section, room int) {
	began := map[bool]bool{}
	take := func(sec *section, most int) bool {
		if sec.kept == len(sec.lines) {
			return false
		}
		cost := sec.cost(sec.kept)
		if !began[sec.own] {
			cost += tokens(intro) + 2
		}
		if cost > most {
			return false
		}
		began[sec.own] = true
		room -= cost
		sec.kept++
		return true
	}
	for i, sec := range sections {
		after := 0 // sections with something to say
		for _, o := range sections[i+1:] {
			if len(o.lines) > 0 {
				after++
			}
		}
		keep := room * min(after, 4) / 10
		if strings.HasPrefix(sec.heading, "## Critical") {
			keep = 0
		}
		for take(sec, room-keep) {
		}
	}
	for _, sec := range sections {
		for take(sec, room) {
		}
	}
}

// write puts the kept lines under their headings.
func (o *Orientation) write(sections []*section, items, own *strings.Builder) {
	began := map[bool]bool{}
	for _, sec := range sections {
		o.LeftOut += len(sec.lines) - sec.kept
		if sec.kept == 0 {
			continue
		}
		b, head := items, intro
		if sec.own {
			b, head = own, ownIntro
		}
		if !began[sec.own] {
			began[sec.own] = true
			b.WriteString(sep(b) + head)
		}
		o.Given = append(o.Given, sec.ids[:sec.kept]...)
		b.WriteString("\n" + sec.heading + "\n")
		for _, l := range sec.lines[:sec.kept] {
			b.WriteString(l)
		}
	}
}

// give lists what was kept, by tier.
func (o *Orientation) give(sections []*section, tiers []string) {
	for _, t := range tiers {
		sl := Slice{Tier: t, Hits: []Hit{}}
		for _, sec := range sections {
			for i := 0; i < sec.kept && !sec.own; i++ {
				if sec.hits[i].Tier == t {
					sl.Hits = append(sl.Hits, *sec.hits[i])
				}
			}
		}
		o.Slices = append(o.Slices, sl)
	}
}

const (
	// criticalFrom is the importance from which an item comes before everything else.
	criticalFrom = 0.9
	// maxCritical is how many of them a tier gives at most.
	maxCritical = 50
	// lowUnder is the importance under which an item makes way for whatever is recent.
	lowUnder = 0.4
	// mostQuestions is how many lines of a text are asked unasked, and shortest how many bytes
	// one has at least.
	mostQuestions = 12
	shortest      = 8
	// weakShare is of the best hit's score what one needs that is not surely about the text.
	weakShare = 0.5
)

// intro stands before what was remembered, ownIntro before an agent's own notes.
const (
	intro    = "# From memory\n\nCandidates, not facts, with their ids and ages: check one before you rely on it.\n"
	ownIntro = "# Your own notes\n"
)

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

// Line puts an item into a document, on one line with its end: what was noted, within quotes,
// after its id, its age, and who noted it if that is not the reader.
func (h *Hit) Line(now time.Time, reader string) string {
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
	s += " “" + inline(text, frameContent) + "”"
	if h.DerivedFrom != "" { // where to check it
		s += " (from “" + inline(h.DerivedFrom, 120) + "”"
		if h.Derived != "" {
			s += ", " + inline(h.Derived, 120)
		}
		s += ")"
	}
	return s + "\n"
}

// shortAge is an age in few characters.
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
	s := fmt.Sprintf("%s %s, %s, importance %s: “%s”", by, age(now.Sub(h.Created)), where, Level(h.Importance), inline(text, frameContent))
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
