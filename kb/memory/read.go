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
	"blackboard/kb/index"
	"blackboard/kb/store"
)

const (
	DefaultLimit = 10
	MaxLimit     = 500
	laneDepth    = 100
)

// Query's lists are filters: an item must match one value of each that is not empty.
type Query struct {
	// Tiers to read; they do not inherit from each other.
	Tiers []string
	// Text is the question; "" reads the most relevant items.
	Text string
	// Channel limits the channel tier; "": that of the conversation, or all.
	Channel string
	// Conversation is the one to read in the conversation tier.
	Conversation string
	Limit        int // of each tier; 0 means DefaultLimit

	Tags          []string
	Curators      []string
	Sources       []string
	MinImportance float64

	Gate bool
	// Own also reads the caller's journal and core memories, if there is a text.
	Own      bool
	Archived bool
	// Untouched does not count as an access. Reading archived items never does.
	Untouched bool

	shown []*Hit // shown elsewhere: repetitions of these are left out
	words bool
	// recent lists critical items first, then the newest.
	recent     bool
	calibrated float64
	threshold  float64       // the highest of the files that were read
	wanted     *clash.Wanted // what the text asks for, nil if no hit is sure
}

// Hit is an item that was read.
type Hit struct {
	Item
	// Relevance is computed from importance, time and accesses; see Rates.Relevance.
	Relevance float64 `json:"relevance"`
	// Score orders the hits across tiers: the best has 1. 0 if no text was given.
	Score float64 `json:"score"`
	// Evidence is how sure the hit is to answer the question (rank.Question.Of). Weak
	// hits are below the threshold.
	Evidence   float64  `json:"evidence"`
	Weak       bool     `json:"weak"`
	TextRank   int      `json:"text_rank"` // rank by words, from 1; 0: not among the candidates
	VectorRank int      `json:"vector_rank"`
	Cosine     *float64 `json:"cosine"`       // null: unknown
	Derived    string   `json:"derived_note"` // state of the source
	Frame      string   `json:"frame"`        // text for a reader: a candidate, not a fact
	// ids of older notes that say otherwise, in whose place it is given
	Replaces []string `json:"replaces"`
	// id of the newer note that says otherwise; "": none is known
	Newer string `json:"newer"`
	said  clash.Said
}

// Slice has the hits of a tier.
type Slice struct {
	Tier string `json:"tier"`
	Hits []Hit  `json:"hits"`
}

// Result is the result of a read: a slice for each tier, in the order of Tiers.
type Result struct {
	Slices []Slice `json:"tiers"`
	// Duplicates is how many hits were left out because another says the same.
	Duplicates int      `json:"duplicates"`
	Degraded   []string `json:"degraded"` // what could not be done, and why
	// Weak are the hits that a gated read leaves out, Threshold the evidence that they lack.
	Weak      []Hit   `json:"-"`
	Threshold float64 `json:"-"`
}

func (s *Store) normalise(q *Query) error {
	if len(q.Tiers) == 0 {
		return invalid("no tier is given",
			"name the tiers to read, for example workspace; there are "+strings.Join(Tiers, ", ")+
				", and they do not inherit from each other")
	}
	q.Limit = cmp.Or(q.Limit, DefaultLimit)
	if q.Limit < 1 || q.Limit > MaxLimit {
		return invalid(fmt.Sprintf("a limit of %d is not between 1 and %d", q.Limit, MaxLimit), "",
			fault.Do("memory.list", "{} pages through everything"))
	}
	if slices.Contains(q.Tiers, Conversation) && q.Conversation == "" {
		return invalid("to read the conversation tier, name a conversation", "",
			fault.Give("conversation", "REF", "name it with {}"))
	}
	if err := cmp.Or(checkImportance(q.MinImportance),
		s.checkFilters(q.Tiers, q.Channel, q.Conversation, q.Curators)); err != nil {
		return err
	}
	// Each tier once, the narrowest first: the narrower of two same hits stays.
	var tiers []string
	for _, t := range Tiers {
		if slices.Contains(q.Tiers, t) {
			tiers = append(tiers, t)
		}
	}
	q.Tiers = tiers
	return nil
}

func (s *Store) checkFilters(tiers []string, channel, conversation string, curators []string) error {
	for _, t := range tiers {
		if err := s.allowed(t); err != nil {
			return err
		}
	}
	err := oneOf("curator", Curators, curators...)
	if channel != "" {
		err = cmp.Or(err, checkName("channel", channel))
	}
	if conversation != "" {
		err = cmp.Or(err, checkRef(conversation))
	}
	return err
}

// Read returns what the caller may see of the named tiers.
//
// With a text, items are found by words and meaning and ranked as in package kb (store.Order).
// Relevance only breaks ties (see tieShare). Without a text, items are ordered by relevance, a
// conversation's by time, and nothing counts as an access.
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
		q.Channel = cmp.Or(q.Channel, c.Channel)
	}
	var v embed.Vector
	var err error
	if !q.words {
		if v, err = s.embedText(ctx, q.Text, &res); err != nil {
			return res, err
		}
	}
	if v != nil && s.opt.Threshold != nil {
		if one, ok := s.opt.Threshold(ctx, s.opt.Embedder.Model().Name); ok {
			q.calibrated = one
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
			if err := f.ReadIndex(ctx,
				func(tx *sqlite.Tx) error { return f.checkChannel(tx, q.Channel) }); err != nil {
				return res, err
			}
		}
		degraded := len(res.Degraded)
		if err := f.ReadIndex(ctx, func(tx *sqlite.Tx) (err error) {
			res.Degraded = res.Degraded[:degraded] // a retry must not repeat it
			res.Slices[i].Hits, err = f.readTier(tx, tier, &q, v, &res)
			return err
		}); err != nil {
			return res, err
		}
	}
	if q.Text != "" {
		score(res.Slices)
		for _, sl := range res.Slices {
			for i := range sl.Hits {
				sl.Hits[i].Weak = sl.Hits[i].Evidence < q.threshold
			}
		}
		if err := res.renew(ctx, files, &q); err != nil {
			return res, err
		}
	}
	if q.Own && q.Text != "" && s.opt.Agent != "" {
		if err := s.readNotes(ctx, &q, &res); err != nil {
			return res, err
		}
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

func (r *Result) renew(ctx context.Context, files []*file, q *Query) error {
	for i, f := range files {
		if f == nil || q.Archived || r.Slices[i].Tier == Conversation || len(r.Slices[i].Hits) == 0 {
			continue
		}
		found := r.Slices[i].Hits
		if err := f.ReadIndex(ctx, func(tx *sqlite.Tx) (err error) {
			r.Slices[i].Hits, err = f.renew(tx, found, q)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// choose keeps as many hits of each tier as were asked for, without repetitions.
func (r *Result) choose(q *Query) {
	accepted := q.shown
	r.Threshold = q.threshold
	for i := range r.Slices {
		all := r.Slices[i].Hits
		kept := []Hit{}
		for j := range all {
			if len(kept) == q.Limit {
				break
			}
			if q.Gate && all[j].Weak {
				r.Weak = append(r.Weak, all[j])
				continue
			}
			if slices.ContainsFunc(accepted, all[j].sameStatement) {
				r.Duplicates++
				continue
			}
			accepted = append(accepted, &all[j])
			kept = append(kept, all[j])
		}
		r.Slices[i].Hits = kept
	}
}

func (h *Hit) sameStatement(other *Hit) bool { return h.said.Same(other.said) }

func (s *Store) present(ctx context.Context, f *file, hits []Hit, q *Query) {
	now := f.Now()
	for i := range hits {
		h := &hits[i]
		if h.DerivedFrom == "memory:"+h.ID {
			h.DerivedFrom = "" // stored before links to itself were refused; it says nothing
		}
		h.Derived = s.Derived(ctx, &h.Item)
		h.Frame = h.frame(now)
		if h.Replaces == nil {
			h.Replaces = []string{}
		}
	}
	if !q.Untouched && !q.Archived && q.Text != "" {
		f.ask(f.s.session(q.Conversation, now), answers(q.Text, hits)...)
		f.touch(ctx, asked(q.Text, hits)...)
	}
}

// embedText returns the embedding of a text; nil, with a note, if only words are searched.
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

// readTier returns the best items of a tier, and a few more: some may be repetitions.
func (f *file) readTier(tx *sqlite.Tx, tier string, q *Query, v embed.Vector, res *Result) (
	[]Hit, error) {
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
		hits[i].said = hits[i].Item.statement()
	}
	return hits, nil
}

// byRelevance: of a conversation the newest first; with q.recent critical, then changed last.
func (f *file) byRelevance(tx *sqlite.Tx, tier string, q *Query, want int) ([]Hit, error) {
	where, args := q.where(tier, f.s.opt.Agent, tx.Now)
	order := ` ORDER BY created DESC, n DESC LIMIT ?`
	switch {
	case q.recent:
		order = ` ORDER BY importance >= ? DESC, updated DESC, n DESC LIMIT ?`
		args = append(args, criticalFrom)
	case tier != Conversation:
		// Rates.Relevance, computed from the index alone.
		order = ` ORDER BY importance * exp(max(0, ? - accessed) / 3600000.0 * ?) * (1 + ln(1 + accesses)) DESC, n DESC LIMIT ?`
		args = append(args, tx.Now.UnixMilli(), math.Log(f.s.rates.of(tier)))
	}
	ns, err := sqlite.Column[int64](tx, `SELECT n FROM items WHERE `+where+order,
		append(args, want)...)
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

func (f *file) byText(tx *sqlite.Tx, tier string, q *Query, v embed.Vector, want int,
	res *Result) ([]Hit, error) {
	found, light, err := f.candidates(tx, tier, q, v, want, res)
	if err != nil {
		return nil, err
	}
	model := ""
	if v != nil && found.Vectors > 0 {
		model = f.s.opt.Embedder.Model().Name
	}
	list := store.Order(model, len(found.Terms), slices.DeleteFunc(slices.Clone(found.Candidates),
		func(c index.Candidate) bool { return light[c.ID] == nil }))
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
	judge := store.NewJudge(f.Index, q.Text, &found, model, q.calibrated, q.Gate)
	q.threshold = max(q.threshold, judge.Threshold)
	for i, sc := range list {
		c := cands[sc.ID]
		it := byN[sc.ID]
		hits[i] = Hit{Item: *it, Score: sc.Score, Relevance: f.s.rates.Relevance(it, tx.Now),
			TextRank: c.TextRank, VectorRank: c.VectorRank}
		if c.HasVector {
			hits[i].Cosine = new(c.Cosine)
		}
		hits[i].Evidence = judge.Evidence(c, it.Title, it.Content)
	}
	for i := range hits {
		hits[i].Evidence = judge.Settle(hits[i].Evidence)
	}
	q.wanted = cmp.Or(judge.Wanted, q.wanted)
	// If no hit has any evidence, what was found by function words alone is no hit.
	var empty []int64
	for i := range hits {
		if hits[i].Evidence > 0 {
			return hits, nil
		}
		if hits[i].Cosine == nil {
			empty = append(empty, hits[i].n)
		}
	}
	only, err := f.Index.ByFunctionWords(tx, index.Query{Text: q.Text, Expand: !q.Gate}, empty)
	return slices.DeleteFunc(hits, func(h Hit) bool { return only[h.n] }), err
}

// candidates searches a tier, and reads what relevance needs of items that count.
func (f *file) candidates(tx *sqlite.Tx, tier string, q *Query, v embed.Vector, want int,
	res *Result) (found index.Result, light map[int64]*Item, err error) {
	iq := index.Query{Text: q.Text, Expand: !q.Gate, Depth: max(laneDepth, 2*want),
		Filter: q.filter(tier, f.s.opt.Agent)}
	if v != nil {
		iq.Vector, iq.Model = v, f.s.opt.Embedder.Model().Name
	}
	found, err = f.Index.Search(tx, iq)
	if errors.Is(err, index.ErrOtherModel) {
		res.Degraded = append(res.Degraded,
			f.OtherModel(tx, iq.Model)+": searched by words only; reembedding switches the model")
		iq.Vector = nil
		found, err = f.Index.Search(tx, iq)
	}
	if err != nil {
		return found, nil, err
	}
	// Only rows tell which are important enough: ask for more until there are no more.
	for {
		ns := make([]int64, len(found.Candidates))
		for i := range found.Candidates {
			ns[i] = found.Candidates[i].ID
		}
		if light, err = lightItems(tx, ns, q.MinImportance); err != nil {
			return found, nil, err
		}
		if len(light) >= want || len(light) == len(ns) || len(ns) < iq.Depth ||
			int64(iq.Depth) > found.Docs {
			break
		}
		iq.Depth *= 4
		if found, err = f.Index.Search(tx, iq); err != nil {
			return found, nil, err
		}
	}
	if missing := found.Docs - found.Vectors; iq.Vector != nil && missing > 0 {
		if err := tx.QueryRow(`SELECT count(*) FROM items WHERE `+q.state()+
			` AND model = '' AND tier = ? AND agent IN ('', ?)`, tier, f.s.opt.Agent).Scan(
			&missing); err != nil {
			return found, nil, err
		}
		if missing > 0 {
			res.Degraded = append(res.Degraded,
				fmt.Sprintf("%s of the %s tier have no embedding and were searched by words only; reembedding adds it", items(int(missing)), tier))
		}
	}
	return found, light, nil
}
