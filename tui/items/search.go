package items

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"blackboard/board/words"
	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

const (
	// searchLimit is the most hits: each counts as retrieved, so no more than one looks at.
	searchLimit = 20
	// browseLimit is the most capsules or items in the list without a question, the newest.
	browseLimit = 1000
)

// findings is what the search says beside its hits.
type findings struct {
	kb.Result        // without the hits
	words     string // of the question
	filtered  bool   // it has filters
	browsed   bool   // it has no words: the newest are listed
	ofMemory  int    // how many rows are of the memory
}

// search answers a question from the knowledge base, the memory, or both, the surest hits first.
// Without words it lists the newest capsules, or items if only those are asked for.
func (q *Query) search(ctx context.Context, a *page.App, count bool) (got answer, err error) {
	if count && a.Memory != nil { // without counts it can be searched all the same
		_ = a.WithMemory(ctx, q.Agent, func(s *memory.Store) (err error) {
			got.about, err = summarise(ctx, s)
			return err
		})
	}
	t := termsOf(q.Text, a.Now())
	got.found.words = t.Text()
	for _, values := range t.Filters {
		got.found.filtered = got.found.filtered || len(values) > 0
	}
	switch got.found.browsed = len(t.Words) == 0; {
	case !got.found.browsed:
		err = q.ask(ctx, a, &t, &got)
	case t.looksIn(inKnowledge):
		err = q.browse(ctx, a, &t, &got)
	default:
		err = q.browseMemory(ctx, a, &t, &got)
	}
	return got, err
}

// looksIn reports whether a place is searched.
func (t *terms) looksIn(place string) bool {
	if place == inKnowledge {
		return t.allows("in", inKnowledge) && t.allows("kind", kb.Kinds...) &&
			t.allows("scope", kb.Scopes...) && t.allows("curator")
	}
	in := t.Filters["in"] // a channel or a conversation is in the memory
	elsewhere := len(in) > 0 && !slices.ContainsFunc(in, func(v string) bool { return v != inKnowledge })
	return !elsewhere && t.allows("kind", memory.Tiers...) && t.allows("scope", inMemory)
}

// knownValues returns the values of a filter that a list has.
func knownValues(values, list []string) (all []string) {
	for _, v := range values {
		if slices.Contains(list, v) {
			all = append(all, v)
		}
	}
	return all
}

// take adds those hits that pass every filter, up to `most` rows in all.
func (g *answer) take(t *terms, hits []kb.Hit, most int) {
	for i := range hits {
		h := &hits[i]
		at := h.Updated
		if at.Before(h.Created) {
			at = h.Created
		}
		x := traits{kind: h.Kind, scope: h.Scope, source: h.Source, tags: h.Tags,
			places: []string{inKnowledge}, at: at}
		if t.matches(&x) && len(g.rows) < most {
			g.rows = append(g.rows, Row{Ref: Ref{Kind: KindCapsule, ID: h.ID}, At: h.Created,
				Head: cells.OneLine(h.Title, 200), marks: capsuleMarks(&h.Capsule), hit: h})
		}
	}
}

func (q *Query) ask(ctx context.Context, a *page.App, t *terms, got *answer) (err error) {
	inBase := t.looksIn(inKnowledge)
	if inBase {
		query := kb.Query{Text: t.Text(), Limit: searchLimit, Workspace: a.Workspace, Explain: true,
			Peek: true, Retired: q.forgotten, Superseded: q.forgotten, Tags: t.Filters["tag"],
			Kinds: knownValues(t.Filters["kind"], kb.Kinds), Scopes: knownValues(t.Filters["scope"], kb.Scopes)}
		if len(t.Filters["doc"]) > 0 || !t.since.IsZero() {
			query.Limit *= 5 // some of them will not pass
		}
		if err = page.ErrNoKnowledge; a.Search != nil {
			got.found.Result, err = a.Search.Search(ctx, query)
		}
		got.take(t, got.found.Hits, searchLimit)
	}
	if !t.looksIn(inMemory) || a.Memory == nil {
		return err
	}
	rows, degraded, memoryErr := searchMemory(ctx, a, q.Agent, t)
	switch {
	case memoryErr != nil && !inBase:
		return memoryErr
	case memoryErr != nil && err == nil:
		got.found.Degraded = append(got.found.Degraded, "the memory could not be searched: "+memoryErr.Error())
	case err != nil && len(rows) > 0:
		got.found.Result = kb.Result{Degraded: []string{"of the memory alone: " + err.Error()}}
		err = nil
	case !inBase:
		got.found.Degraded = degraded
	}
	if got.found.ofMemory = len(rows); len(rows) > 0 {
		got.rows = append(got.rows, rows...)
		slices.SortStableFunc(got.rows, surer)
	}
	return err
}

// surer orders both stores' hits: scores are relative to a store's best, weak hits are marked.
func surer(a, b Row) int {
	if a.hit.Weak != b.hit.Weak {
		return map[bool]int{true: 1, false: -1}[a.hit.Weak]
	}
	return cmp.Compare(b.hit.Score, a.hit.Score)
}

func (q *Query) browse(ctx context.Context, a *page.App, t *terms, got *answer) error {
	k, err := a.KB(ctx)
	if err != nil {
		return err
	}
	lq := kb.ListQuery{Limit: browseLimit, Retired: q.forgotten, Superseded: q.forgotten,
		Kinds:  knownValues(t.Filters["kind"], kb.Kinds),
		Scopes: knownValues(t.Filters["scope"], kb.Scopes), Tags: t.Filters["tag"]}
	all, more, err := k.List(ctx, lq)
	hits := make([]kb.Hit, len(all))
	for i := range all {
		hits[i] = kb.Hit{Capsule: all[i], Snippet: all[i].Body}
	}
	got.take(t, hits, browseLimit)
	got.more = more
	return err
}

func (q *Query) browseMemory(ctx context.Context, a *page.App, t *terms, got *answer) error {
	return a.WithMemory(ctx, q.Agent, func(s *memory.Store) (err error) {
		lq := memory.ListQuery{Limit: browseLimit, Forgotten: q.forgotten}
		got.rows, got.more, err = listItems(ctx, s, t, lq, a.Now())
		for i := range got.rows {
			got.rows[i].toHit(got.rows[i].Ref.Tier, 0, false)
		}
		got.found.ofMemory = len(got.rows)
		return err
	})
}

// toHit makes a row of the memory one of the search: its kind is the tier.
func (r *Row) toHit(tier string, score float64, weak bool) {
	r.hit = &kb.Hit{Capsule: kb.Capsule{ID: r.Ref.ID, Kind: tier, Scope: inMemory}, Score: score, Weak: weak}
}

// beyondRead are the sections a hybrid search does not reach wholly: there each word must match.
var beyondRead = []Section{SectionConversation, SectionNamed, SectionJournal, SectionCore,
	SectionConversations}

// searchMemory searches the memory as an agent, best hits first: items by words and
// meaning, and in other tabs whatever has all of the words.
func searchMemory(
	ctx context.Context, a *page.App, agent string, t *terms,
) (rows []Row, degraded []string, err error) {
	err = a.WithMemory(ctx, agent, func(s *memory.Store) error {
		for _, section := range beyondRead {
			q, tier := Query{Agent: agent, Section: section, Text: t.typed}, section.Tier()
			if section.Note() != "" && agent == "" || tier != "" && !s.Reaches(tier) {
				continue
			}
			some, _, err := q.Read(ctx, s, a.Now(), searchLimit)
			if err != nil {
				return err
			}
			for _, r := range some {
				r.toHit(cmp.Or(tier, r.Ref.Tier, memory.Conversation), 1, false)
				rows = append(rows, r)
			}
		}
		q := memory.Query{Text: t.Text(), Limit: searchLimit, Untouched: true}
		for _, tier := range []string{memory.Channel, memory.Workspace, memory.Account} {
			if s.Reaches(tier) {
				q.Tiers = append(q.Tiers, tier)
			}
		}
		res, err := s.Read(ctx, q)
		degraded = res.Degraded
		for _, sl := range res.Slices {
			for i := range sl.Hits {
				if h := &sl.Hits[i]; (!h.Weak || h.TextRank > 0) && t.matches(itemTraits(&h.Item)) {
					r := itemRow(&h.Item, a.Now())
					r.toHit(h.Tier, h.Score, h.Weak)
					rows = append(rows, r)
				}
			}
		}
		return err
	})
	slices.SortStableFunc(rows, surer)
	return rows[:min(len(rows), searchLimit)], degraded, err
}

// noModel begins the knowledge base's note that it searches by words; the caller adds the step.
const noModel = "no embedding model is installed"

// notes returns notes on an answer: what was not possible, and words that no capsule has.
func (p *Page) notes(most int) []string {
	f := &p.found
	var parts []string
	if words := typedWords(f.words, f.Missing); len(words) > 0 {
		parts = append(parts, "no capsule has words like: "+cells.OneLine(strings.Join(words, ", "), 300))
	}
	for _, e := range f.Expanded {
		instead := cells.OneLine(strings.Join(e.Terms, ", "), 200)
		parts = append(parts, "searched for "+instead+" instead of "+cells.OneLine(e.Missing, 80))
	}
	for _, d := range f.Degraded {
		if d = cells.OneLine(d, 300); strings.HasPrefix(d, noModel) {
			d += " (`board model pull` fetches one)"
		}
		parts = append(parts, d)
	}
	if len(parts) == 0 || !p.searching() {
		return nil
	}
	lines := cells.Wrap("! "+strings.Join(parts, " · "), p.Width-2)
	if len(lines) > most {
		lines = append(lines[:most-1], cells.Fit(strings.Join(lines[most-1:], " "), p.Width-2))
	}
	for i := range lines {
		lines[i] = " " + p.app.Styles.Warn.Render(lines[i])
	}
	return lines
}

// heading says how many hits there are, and how sure.
func (f *findings) heading(p *Page) string {
	n := int64(len(p.rows))
	switch {
	case !p.known || p.err != nil:
		return "Found"
	case !f.browsed && n > 0 && p.rows[0].hit.Weak: // the surest come first
		return "Nothing matches well: " + cells.Plural(n, "weak hit")
	case f.browsed && f.ofMemory > 0:
		return cells.Plural(n, "item") + " of the memory, the newest first"
	case f.browsed && p.query.forgotten:
		return cells.Plural(n, "capsule") + ", the newest first, retired ones too"
	case f.browsed:
		return cells.Plural(n, "capsule") + ", the newest first"
	case f.ofMemory > 0:
		return cells.Count(n) + " found, " + cells.Count(int64(f.ofMemory)) + " of them in the memory"
	}
	return cells.Count(n) + " found"
}

// note says how they were found, and among how many.
func (f *findings) note(p *Page) (said string) {
	switch {
	case f.browsed && p.more:
		return ", and more: ask for them"
	case f.browsed || f.Mode == "":
		return ""
	}
	said = " · by " + cells.Clean(f.Mode) + ", of " + cells.Plural(f.Total, "capsule") + " in all"
	return said
}

// emptyText is the text without hits.
func (f *findings) emptyText(q *Query) string {
	key := page.KeyFewer.Help().Key
	switch {
	case f.filtered:
		return "No results with these filters."
	case f.browsed || f.Total == 0:
		return "No active capsule. `board kb remember` stores one; so does P on an entry of a run. " +
			"Retired and superseded ones: tab, then " + key + "."
	case q.forgotten:
		return "No results. Try other words."
	}
	return "No results. Try other words. Retired and superseded capsules too: tab, then " + key + "."
}

// stemRunes is the length of the prefix that words with the same stem share.
const stemRunes = 3

// longWords are the words of a question that can be marked: a shorter one is a part of many.
func longWords(asked string) []string {
	return slices.DeleteFunc(words.Split(asked, ""), func(w string) bool { return utf8.RuneCountInString(w) < stemRunes })
}

// foundWords returns what to highlight in a hit: the terms by which it was found, and the
// words of the question from which they come; the longest first.
func foundWords(asked string, h *kb.Hit) (found []string) {
	for _, t := range h.Terms {
		if len(t.Term) >= stemRunes { // a shorter one is a part of too many words
			found = append(found, t.Term)
		}
	}
	found = append(found, typedWords(asked, found)...)
	slices.SortStableFunc(found, func(a, b string) int { return len(b) - len(a) })
	return found
}

// typedWords are the words that became the index's terms: before for the stem befor; a term
// without one stays. ASCII words of one or two letters are left out.
func typedWords(asked string, stems []string) []string {
	typed := words.Split(asked, "")
	var out []string
	for _, stem := range stems {
		word := stem
		for _, made := range []string{stem, stem[:max(len(stem)-1, 0)]} { // happi for happy
			at := slices.IndexFunc(typed, func(w string) bool { return strings.HasPrefix(w, made) })
			if at >= 0 && (made == stem || len(made) >= stemRunes) {
				word = typed[at]
				break
			}
		}
		if short := len(word) <= 2 && utf8.RuneCountInString(word) == len(word); !short && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}
