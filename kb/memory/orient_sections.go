package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
)

// section is a part of an orientation: lines below a heading.
type section struct {
	heading string
	lines   []string
	ids     []string // id of each line
	hits    []*Hit   // hit of each line; nil for an agent's own notes
	kept    int
	own     bool
	// shorten formats a line again with at most n characters of its text; nil: long
	// lines are skipped instead.
	shorten func(i, n int) string
}

// collector collects the sections of an orientation without repetition.
type collector struct {
	*Store
	ctx   context.Context
	q     *OrientQuery
	o     *Orientation
	shown []*Hit
}

// sections reads the candidates for all sections, in order.
func (s *Store) sections(ctx context.Context, q *OrientQuery, o *Orientation) ([]*section, error) {
	c := &collector{Store: s, ctx: ctx, q: q, o: o}
	counts, err := c.read(Query{Limit: maxCritical + q.Limit, recent: true}, Channel, Workspace,
		Account)
	if err != nil {
		return nil, err
	}
	talk, err := c.read(Query{Limit: maxCritical + q.Limit, recent: true}, Conversation)
	if err != nil {
		return nil, err
	}
	core, journal, err := s.ownSections(ctx, q)
	if err != nil {
		return nil, err
	}
	critical := slices.DeleteFunc(slices.Concat(counts, talk),
		func(h *Hit) bool { return h.Importance < criticalFrom })
	slices.SortStableFunc(critical,
		func(a, b *Hit) int { return cmp.Compare(b.Relevance, a.Relevance) })
	all := []*section{c.section("## Critical", critical, len(critical)), core}
	all[0].shorten = func(i, n int) string { return c.line(critical[i], n) }
	about, err := c.about()
	if err != nil {
		return nil, err
	}
	all = append(all, c.section("## About this", about, q.Limit))
	talk = c.rest(talk, Conversation)
	slices.SortStableFunc(talk, func(a, b *Hit) int { return b.Created.Compare(a.Created) })
	all = append(all, c.section("## This conversation", talk, q.Limit))
	if channel := c.rest(counts, Channel); len(channel) > 0 &&
		(q.Conversation != "" || q.Channel != "") {
		// Summaries of earlier conversations come first, the latest before all.
		slices.SortStableFunc(channel, func(a, b *Hit) int {
			x, y := slices.Contains(a.Tags, TagSummary), slices.Contains(b.Tags, TagSummary)
			if x && y {
				return b.Created.Compare(a.Created)
			}
			return hasFirst(x, y)
		})
		all = append(all, c.section("## This channel: "+channel[0].Channel, channel, q.Limit))
	}
	lately := c.rest(counts, Workspace, Account)
	slices.SortStableFunc(lately, func(a, b *Hit) int {
		return cmp.Or(hasFirst(a.Importance >= lowUnder, b.Importance >= lowUnder),
			b.Updated.Compare(a.Updated))
	})
	return append(all, journal, c.section("## Lately", lately, q.Limit)), nil
}

// hasFirst compares so that true comes before false.
func hasFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// read returns the best hits of some tiers that no section has yet.
func (c *collector) read(rq Query, tiers ...string) (hits []*Hit, err error) {
	rq.Channel, rq.Conversation, rq.Untouched, rq.shown = c.q.Channel, c.q.Conversation, true,
		c.shown
	for _, t := range tiers {
		if slices.Contains(c.q.Tiers, t) {
			rq.Tiers = append(rq.Tiers, t)
		}
	}
	if len(rq.Tiers) == 0 {
		return nil, nil
	}
	res, err := c.Read(c.ctx, rq)
	c.o.Degraded = append(c.o.Degraded, res.Degraded...)
	for i := range res.Slices {
		for j := range res.Slices[i].Hits {
			if h := &res.Slices[i].Hits[j]; !c.q.unchanged(h.Updated) &&
				!slices.Contains(c.q.Given, h.ID) {
				hits = append(hits, h)
			}
		}
	}
	return hits, err
}

// about returns the items about the text, the best first.
func (c *collector) about() (hits []*Hit, err error) {
	questions := c.q.questions()
	for _, text := range questions {
		limit := min(c.q.Limit, max(DefaultLimit, c.q.Limit/len(questions)))
		found, err := c.read(Query{
			Text: text, Limit: limit, Gate: c.q.Unasked, words: c.q.Unasked}, Channel, Workspace,
			Account)
		if err != nil {
			return nil, err
		}
		for _, h := range found {
			if !slices.ContainsFunc(hits, func(o *Hit) bool { return o.ID == h.ID }) &&
				(!h.Weak || h.Score >= weakShare) {
				hits = append(hits, h)
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b *Hit) int {
		if c.q.Unasked { // scores of different questions cannot be compared
			return cmp.Compare(b.Evidence, a.Evidence)
		}
		return cmp.Compare(b.Score, a.Score)
	})
	return hits, nil
}

// section makes a section of hits.
func (c *collector) section(heading string, hits []*Hit, most int) *section {
	sec := &section{heading: heading}
	for _, h := range hits[:min(most, len(hits))] {
		sec.hits, sec.ids = append(sec.hits, h), append(sec.ids, h.ID)
		sec.lines = append(sec.lines, c.line(h, frameContent))
		c.shown = append(c.shown, h)
	}
	return sec
}

// line formats a hit with at most n characters of its text.
func (c *collector) line(h *Hit, n int) string {
	said := *h
	said.Title, said.Content = c.q.Clean(h.Title), c.q.Clean(h.Content)
	return said.line(c.now(), c.opt.Agent, n)
}

// rest returns the hits of some tiers that no section has yet.
func (c *collector) rest(hits []*Hit, tiers ...string) []*Hit {
	return slices.DeleteFunc(slices.Clone(hits), func(h *Hit) bool {
		return !slices.Contains(tiers, h.Tier) ||
			slices.ContainsFunc(c.shown,
				func(o *Hit) bool { return h.ID == o.ID || h.sameStatement(o) })
	})
}

// questions returns what to ask. A topic's page is about several things: as one
// question, it would match no item surely.
func (q *OrientQuery) questions() (all []string) {
	switch {
	case q.Text == "":
		return nil
	case !q.Unasked:
		return []string{q.Text}
	}
	for line := range strings.Lines(q.Text) {
		if line = strings.Trim(line, "#*-|> \t\n"); (len(line) >= shortest || line == q.Text) &&
			!slices.Contains(all, line) && len(all) < mostQuestions {
			all = append(all, line)
		}
	}
	return all
}

// ownSections returns the agent's core memories and its journal of the last week.
func (s *Store) ownSections(ctx context.Context, q *OrientQuery) (
	core, journal *section, err error) {
	core, journal = &section{heading: "## Core", own: true},
		&section{heading: "## Journal of the last week", own: true}
	if s.opt.Agent == "" || !slices.Contains(q.Tiers, Workspace) &&
		!slices.Contains(q.Tiers, Account) {
		return core, journal, nil
	}
	notes, err := s.Notes(ctx, "", 0)
	if err != nil {
		return nil, nil, err
	}
	for _, n := range notes { // the newest first
		switch text := "“" + inline(q.Clean(n.Content), frameContent) + "”\n"; {
		case !slices.Contains(q.Tiers, n.Tier), q.unchanged(n.Created),
			slices.Contains(q.Given, n.ID):
		case n.Kind == Core:
			core.ids, core.lines = append(core.ids, n.ID), append(core.lines, "- "+text)
		case !n.Expired:
			line := "- " + n.Created.Format(time.DateOnly) + " " + text
			journal.ids, journal.lines = append(journal.ids, n.ID), append(journal.lines, line)
		}
	}
	return core, journal, nil
}

// demand returns the tokens of all lines of all sections.
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

// cost returns the tokens of a line, and of the heading for the first line.
func (sec *section) cost(i int) int {
	n := tokens(sec.lines[i])
	if i == 0 {
		n += tokens(sec.heading) + 1
	}
	return n
}

// fitToBudget decides how many lines of each section to keep. The first round takes
// lines in order of sections, and leaves the later sections a share. The second round,
// in the same order, fills the room that is left.
//
// A line that is too long makes way for the next section, but not for later lines of its
// own section. Critical items make way only for the first of the agent's own notes, and
// are shortened before that.
func fitToBudget(sections []*section, room int) {
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
		// number of later sections with lines, and tokens of the first own notes
		after, own := 0, 0
		for _, o := range sections[i+1:] {
			if len(o.lines) > 0 {
				after++
				if o.own {
					own += o.cost(0)
				}
			}
		}
		keep := room * min(after, 4) / 10
		if sec.shorten != nil {
			if keep = 0; own > 0 {
				keep = min(own+tokens(intro)+2, room/4)
			}
		}
		for take(sec, room-keep) {
		}
		for n := frameContent * 3 / 4; sec.shorten != nil && sec.kept < len(sec.lines) &&
			n >= leastContent; n -= 20 {
			whole := sec.lines[sec.kept]
			if sec.lines[sec.kept] = sec.shorten(sec.kept, n); take(sec, room-keep) {
				break
			}
			sec.lines[sec.kept] = whole
		}
	}
	for _, sec := range sections {
		for take(sec, room) {
		}
	}
}

// write writes the kept lines below their headings.
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

// listGiven lists the kept hits by tier.
func (o *Orientation) listGiven(sections []*section, tiers []string) {
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
	// criticalFrom is the least importance of a critical item.
	criticalFrom = 0.9
	// maxCritical is the most critical items of a tier.
	maxCritical = 50
	// leastContent is the fewest characters of a critical item.
	leastContent = 60
	// lowUnder is the importance below which recent items come first.
	lowUnder = 0.4
	// mostQuestions is the most lines of a text that are asked. shortest is the fewest
	// bytes of a line, unless it is the only one.
	mostQuestions = 12
	shortest      = 8
	// weakShare is the share of the best score that a weak hit needs.
	weakShare = 0.5
)

// intro precedes the items, ownIntro an agent's own notes.
const (
	intro    = "# From memory\n\nCandidates, not facts, with their ids and ages: check one before you rely on it.\n"
	ownIntro = "# Your own notes\n"
)
