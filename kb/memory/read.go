package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"blackboard/board/clash"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/evidence"
	"blackboard/kb/index"
	"blackboard/kb/rank"
	"blackboard/kb/store"
)

const (
	// DefaultLimit is how many items a read gives of each tier.
	DefaultLimit = 10
	// MaxLimit is the most that it gives.
	MaxLimit = 500
	// laneDepth is how many candidates each lane gives at least.
	laneDepth = 100
	// cosineWeight is what a cosine counts beside a BM25 score that is a share of the best,
	// and tieShare what relevance counts at most: it breaks ties. Chosen on two projects
	// with labelled questions; package eval has the figures on a third as well.
	cosineWeight = 1.0
	tieShare     = 0.02
)

// Query says what to read. The lists are filters: an item must match one value of each that is not empty.
type Query struct {
	// Tiers are read one by one, and named: none inherits from another.
	Tiers []string
	// Text is what it is about; "" reads what counts most.
	Text string
	// Channel is the one that the channel tier is read of; "" is that of the conversation, and without one all.
	Channel string
	// Conversation is the one that the conversation tier is read of.
	Conversation string
	Limit        int // of each tier; 0 is DefaultLimit

	Tags          []string
	Curators      []string
	Sources       []string
	MinImportance float64

	// Gate gives only hits that are surely about the text (not Weak).
	Gate bool
	// Archived reads what is archived, and nothing else.
	Archived bool
	// Untouched does not count as an access. What is archived is never accessed.
	Untouched bool

	shown []*Hit // elsewhere: what says the same is left out
	// words asks by words alone.
	words bool
	// recent lists what is critical, then what is newest.
	recent bool
	// one is the threshold of evidence among one item; measured is whether it counts cosines.
	one      float64
	measured bool
}

// Hit is an item that was read.
type Hit struct {
	Item
	// Relevance is what importance, time and accesses make of it now; see Rates.Relevance.
	Relevance float64 `json:"relevance"`
	// Score orders the hits, of all tiers too: the best of a result has 1. 0 where nothing was asked for.
	Score float64 `json:"score"`
	// Evidence is how sure the hit is to be about the question (see package evidence), Weak whether it is
	// below what would be given unasked.
	Evidence   float64  `json:"evidence"`
	Weak       bool     `json:"weak"`
	TextRank   int      `json:"text_rank"` // among those with the words, from 1; 0: not among them
	VectorRank int      `json:"vector_rank"`
	Cosine     *float64 `json:"cosine"`       // null: not known
	Derived    string   `json:"derived_note"` // how it stands with what it was derived from
	Frame      string   `json:"frame"`        // how to put it to a reader: a candidate, not a fact
	bm25       float64
	said       clash.Said
}

// Slice is what was read of a tier.
type Slice struct {
	Tier string `json:"tier"`
	Hits []Hit  `json:"hits"`
}

// Result is what a read gives: a slice for each tier, in the order of Tiers.
type Result struct {
	Slices []Slice `json:"tiers"`
	// Duplicates is how many were left out because another said the same.
	Duplicates int      `json:"duplicates"`
	Degraded   []string `json:"degraded"` // what could not be done, and why
}

func (s *Store) normalise(q *Query) error {
	if len(q.Tiers) == 0 {
		return invalid("no tier is named", "name those to read: "+strings.Join(Tiers, ", ")+"; none inherits from another")
	}
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	if q.Limit < 1 || q.Limit > MaxLimit {
		return invalid(fmt.Sprintf("a limit of %d is not between 1 and %d", q.Limit, MaxLimit), "", fault.Do("memory.list", "{} pages through everything"))
	}
	if err := checkImportance(q.MinImportance); err != nil {
		return err
	}
	for _, t := range q.Tiers {
		if err := s.allowed(t); err != nil {
			return err
		}
	}
	if slices.Contains(q.Tiers, Conversation) && q.Conversation == "" {
		return invalid("the conversation tier is read of one conversation, and none is named", "", fault.Give("conversation", "REF", "name it with {}"))
	}
	if q.Conversation != "" {
		if err := checkRef(q.Conversation); err != nil {
			return err
		}
	}
	if q.Channel != "" {
		if err := checkName("channel", q.Channel); err != nil {
			return err
		}
	}
	for _, c := range q.Curators {
		if !slices.Contains(Curators, c) {
			return unknown("curator", c, Curators)
		}
	}
	// Each tier once, the narrowest first: of two that say the same, the one that is nearer stays.
	var tiers []string
	for _, t := range Tiers {
		if slices.Contains(q.Tiers, t) {
			tiers = append(tiers, t)
		}
	}
	q.Tiers = tiers
	return nil
}

// Read gives what the caller may see of the tiers named.
//
// Items that fit a text are found by words and by meaning, and scored as in package kb: BM25
// as a share of the best one's, and the cosine. Relevance breaks ties alone (see tieShare).
// Without a text they come by relevance, a conversation's by recency; then nothing was asked
// for, and nothing counts as an access.
func (s *Store) Read(ctx context.Context, q Query) (Result, error) {
	res := Result{Slices: []Slice{}, Degraded: []string{}}
	if err := s.normalise(&q); err != nil {
		return res, err
	}
	if q.Conversation != "" {
		c, err := s.Conversation(ctx, q.Conversation)
		if err != nil {
			return res, err
		}
		if q.Channel == "" {
			q.Channel = c.Channel
		}
	}
	var v embed.Vector
	var err error
	if !q.words {
		if v, err = s.embedText(ctx, q.Text, &res); err != nil {
			return res, err
		}
	}
	q.one = evidence.WordThreshold
	if v != nil && s.opt.Threshold != nil {
		if one, ok := s.opt.Threshold(ctx, s.opt.Embedder.Model().Name); ok {
			q.one, q.measured = one, true
		}
	}
	files := make([]*file, len(q.Tiers))
	for i, tier := range q.Tiers {
		res.Slices = append(res.Slices, Slice{Tier: tier, Hits: []Hit{}})
		f, err := s.file(ctx, tier, false)
		if errors.Is(err, errNoFile) {
			continue
		}
		if err != nil {
			return res, err
		}
		files[i] = f
		if tier == Channel && q.Channel != "" {
			if err := f.ReadIndex(ctx, func(tx *sqlite.Tx) error { return f.checkChannel(tx, q.Channel) }); err != nil {
				return res, err
			}
		}
		degraded := len(res.Degraded)
		if err := f.ReadIndex(ctx, func(tx *sqlite.Tx) (err error) {
			res.Degraded = res.Degraded[:degraded] // a second try says it once
			res.Slices[i].Hits, err = f.readTier(tx, tier, &q, v, &res)
			return err
		}); err != nil {
			return res, err
		}
	}
	if q.Text != "" {
		score(res.Slices)
	}
	res.choose(&q)
	for i, f := range files {
		if f != nil {
			s.present(ctx, f, res.Slices[i].Hits, &q)
		}
	}
	res.Degraded = slices.Compact(res.Degraded)
	return res, nil
}

// choose leaves as many hits of each tier as were asked for, without what says the same as one
// that is there already.
func (r *Result) choose(q *Query) {
	accepted := q.shown
	for i := range r.Slices {
		all := r.Slices[i].Hits
		kept := []Hit{}
		for j := range all {
			if len(kept) == q.Limit {
				break
			}
			if q.Gate && all[j].Weak {
				continue
			}
			if slices.ContainsFunc(accepted, all[j].saysTheSame) {
				r.Duplicates++
				continue
			}
			accepted = append(accepted, &all[j])
			kept = append(kept, all[j])
		}
		r.Slices[i].Hits = kept
	}
}

// saysTheSame reports whether two hits make the same statement.
func (h *Hit) saysTheSame(other *Hit) bool { return h.said.Same(other.said) }

// present adds to hits what is said of them, and counts the access.
func (s *Store) present(ctx context.Context, f *file, hits []Hit, q *Query) {
	now := f.Now()
	for i := range hits {
		h := &hits[i]
		if h.DerivedFrom == "memory:"+h.ID {
			h.DerivedFrom = "" // put so before that was refused: it says nothing
		}
		if h.DerivedFrom != "" && s.opt.Resolve != nil {
			h.Derived = s.opt.Resolve(ctx, &h.Item)
		}
		h.Frame = h.frame(now)
	}
	if !q.Untouched && !q.Archived && q.Text != "" {
		f.ask(f.s.session(q.Conversation, now), answers(q.Text, hits)...)
		f.touch(ctx, asked(hits)...)
	}
}

// What was asked for: the best of the words, or near in meaning. The rest of a list was shown because there was room, and would be asked for again and again by being shown.
const (
	askedRank   = 10
	askedCosine = 0.45
)

// asked returns those of the hits of a text that it asked for.
func asked(hits []Hit) (items []*Item) {
	for i := range hits {
		h := &hits[i]
		if h.TextRank > 0 && h.TextRank <= askedRank || h.Cosine != nil && *h.Cosine >= askedCosine {
			items = append(items, &h.Item)
		}
	}
	return items
}

// embedText gives the vector of what is asked, nil if it goes by words alone, and then says so.
func (s *Store) embedText(ctx context.Context, text string, res *Result) (embed.Vector, error) {
	if text == "" {
		return nil, nil
	}
	v, why, err := store.Question(ctx, s.opt.Embedder, text)
	if why != "" {
		res.Degraded = append(res.Degraded, why+": searched by words only")
		return nil, nil
	}
	return v, err
}

// readTier gives the items of a tier, the best first, a few more than are asked for, since some may say the same.
func (f *file) readTier(tx *sqlite.Tx, tier string, q *Query, v embed.Vector, res *Result) ([]Hit, error) {
	want := 2*q.Limit + 10
	var hits []Hit
	var err error
	if q.Text == "" {
		hits, err = f.byRelevance(tx, tier, q, want)
	} else {
		hits, err = f.byText(tx, tier, q, v, want, res)
	}
	if err != nil || len(hits) == 0 {
		return nil, err
	}
	for i := range hits {
		hits[i].said = hits[i].Item.said()
	}
	return hits, nil
}

// byRelevance lists what counts most now; of a conversation what is newest.
func (f *file) byRelevance(tx *sqlite.Tx, tier string, q *Query, want int) ([]Hit, error) {
	where, args := q.where(tier, f.s.opt.Agent, tx.Now)
	order := ` ORDER BY created DESC, n DESC LIMIT ?`
	switch {
	case q.recent:
		order = ` ORDER BY importance >= ? DESC, updated DESC, n DESC LIMIT ?`
		args = append(args, criticalFrom)
	case tier != Conversation:
		// Rates.Relevance, by the index alone.
		order = ` ORDER BY importance * exp(max(0, ? - accessed) / 3600000.0 * ?) * (1 + ln(1 + accesses)) DESC, n DESC LIMIT ?`
		args = append(args, tx.Now.UnixMilli(), math.Log(f.s.rates.of(tier)))
	}
	ns, err := sqlite.Column[int64](tx, `SELECT n FROM items WHERE `+where+order, append(args, want)...)
	if err != nil {
		return nil, err
	}
	byN, err := itemsByN(tx, ns)
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, 0, len(ns))
	for _, n := range ns {
		it := byN[n]
		hits = append(hits, Hit{Item: *it, Relevance: f.s.rates.Relevance(it, tx.Now)})
	}
	return hits, nil
}

// byText lists what fits a text, in no order yet.
func (f *file) byText(tx *sqlite.Tx, tier string, q *Query, v embed.Vector, want int, res *Result) ([]Hit, error) {
	found, light, err := f.candidates(tx, tier, q, v, want, res)
	if err != nil {
		return nil, err
	}
	list := fuse(found.Candidates, light)
	list = list[:min(len(list), want)]
	ns := make([]int64, 0, len(list))
	for _, sc := range list {
		ns = append(ns, sc.ID)
	}
	byN, err := itemsByN(tx, ns)
	if err != nil {
		return nil, err
	}
	cands := make(map[int64]*index.Candidate, len(found.Candidates))
	for i := range found.Candidates {
		cands[found.Candidates[i].ID] = &found.Candidates[i]
	}
	hits := make([]Hit, len(list))
	question := evidence.Ask(&found)
	threshold := evidence.Threshold(q.one, found.Docs)
	for i, sc := range list {
		c := cands[sc.ID]
		it := byN[sc.ID]
		hits[i] = Hit{Item: *it, bm25: c.BM25, Relevance: f.s.rates.Relevance(it, tx.Now), TextRank: c.TextRank, VectorRank: c.VectorRank}
		if c.HasVector {
			hits[i].Cosine = new(c.Cosine)
		}
		cosine := 0.0
		if q.measured {
			cosine = max(0, c.Cosine)
		}
		hits[i].Evidence = question.Of(f.Index.TermsIn(found.Languages, it.Title), f.Index.TermsIn(found.Languages, it.Content), cosine)
		hits[i].Weak = hits[i].Evidence < threshold
	}
	return hits, nil
}

// candidates searches a tier for a text, and reads what relevance is made of for those that have not expired and count enough. If only few of them are left, more are asked for.
func (f *file) candidates(tx *sqlite.Tx, tier string, q *Query, v embed.Vector, want int, res *Result) (found index.Result, light map[int64]*Item, err error) {
	iq := index.Query{Text: q.Text, Expand: !q.Gate, Depth: max(laneDepth, 2*want), Filter: q.filter(tier, f.s.opt.Agent)}
	if v != nil {
		iq.Vector, iq.Model = v, f.s.opt.Embedder.Model().Name
	}
	found, err = f.Index.Search(tx, iq)
	if errors.Is(err, index.ErrOtherModel) {
		res.Degraded = append(res.Degraded, f.OtherModel(tx, iq.Model)+": searched by words only; reembedding changes over")
		iq.Vector = nil
		found, err = f.Index.Search(tx, iq)
	}
	if err != nil {
		return found, nil, err
	}
	// What has expired, or counts too little, is known by the rows alone: if little is left, more candidates are asked for, until there are no more.
	for {
		ns := make([]int64, len(found.Candidates))
		for i := range found.Candidates {
			ns[i] = found.Candidates[i].ID
		}
		if light, err = lightItems(tx, ns, q.MinImportance); err != nil {
			return found, nil, err
		}
		if len(light) >= want || len(light) == len(ns) || len(ns) < iq.Depth || int64(iq.Depth) > found.Docs {
			break
		}
		iq.Depth *= 4
		if found, err = f.Index.Search(tx, iq); err != nil {
			return found, nil, err
		}
	}
	if missing := found.Docs - found.Vectors; iq.Vector != nil && missing > 0 {
		if err := tx.QueryRow(`SELECT count(*) FROM items WHERE `+q.state()+` AND model = '' AND tier = ? AND agent IN ('', ?)`, tier, f.s.opt.Agent).Scan(&missing); err != nil {
			return found, nil, err
		}
		if missing > 0 {
			res.Degraded = append(res.Degraded, fmt.Sprintf("%s of the %s tier without an embedding, found by words only; reembedding gives them one", items(int(missing)), tier))
		}
	}
	return found, light, nil
}

// fuse makes one list of a tier's lanes, without what has expired or counts too little.
func fuse(cands []index.Candidate, light map[int64]*Item) []rank.Scored {
	var text, vector []rank.Scored
	for i := range cands {
		c := &cands[i]
		if light[c.ID] == nil {
			continue
		}
		if c.BM25 > 0 {
			text = append(text, rank.Scored{ID: c.ID, Score: c.BM25})
		}
		if c.HasVector {
			vector = append(vector, rank.Scored{ID: c.ID, Score: c.Cosine})
		}
	}
	return rank.Convex(rank.Lane{Scores: text, Weight: 1, Norm: rank.NormMax}, rank.Lane{Scores: vector, Weight: cosineWeight, Norm: rank.NormNone})
}

// score gives the hits of all tiers their scores, and sorts each tier by them.
func score(slicesOf []Slice) {
	best := 0.0
	for _, sl := range slicesOf {
		for i := range sl.Hits {
			best = max(best, sl.Hits[i].bm25)
		}
	}
	top := 0.0
	for _, sl := range slicesOf {
		if sl.Tier == Conversation { // nothing in it fades: there the newer counts more
			slices.SortFunc(sl.Hits, func(a, b Hit) int { return b.Created.Compare(a.Created) })
		}
		for i := range sl.Hits {
			h := &sl.Hits[i]
			if best > 0 {
				h.Score = h.bm25 / best
			}
			if h.Cosine != nil {
				h.Score += cosineWeight * max(0, *h.Cosine)
			}
			share := h.Relevance / (1 + h.Relevance)
			if sl.Tier == Conversation {
				share = 1 - float64(i)/float64(len(sl.Hits))
			}
			if h.TextRank == 1 && (h.VectorRank == 1 || h.Cosine == nil) {
				share = 1 // nothing that counts more comes before the match
			}
			h.Score += tieShare * share
			top = max(top, h.Score)
		}
	}
	for _, sl := range slicesOf {
		for i := range sl.Hits {
			if top > 0 { // else nothing counts, and nothing of the question is there
				sl.Hits[i].Score /= top
			}
		}
		slices.SortStableFunc(sl.Hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	}
}
