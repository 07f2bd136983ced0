package kb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/board/words"
	"blackboard/embed"
	"blackboard/kb/evidence"
	"blackboard/kb/index"
	"blackboard/kb/rank"
	"blackboard/kb/store"
)

// Modes of a search.
const (
	ModeAuto   = "auto"   // hybrid if there is a model, else bm25, and the result says so
	ModeHybrid = "hybrid" // by words and by meaning; fails without a model
	ModeBM25   = "bm25"   // by words
	ModeVector = "vector" // by meaning; fails without a model
)

// Modes lists them.
var Modes = []string{ModeAuto, ModeHybrid, ModeBM25, ModeVector}

// Ways to make one list of two lanes.
const (
	FusionConvex = "convex" // scores: BM25 by its best, cosine as it is
	FusionRRF    = "rrf"    // ranks alone
)

// Fusions lists them.
var Fusions = []string{FusionConvex, FusionRRF}

// What a search does unless told otherwise.
const (
	DefaultLimit = 10
	MaxLimit     = 1000
	// laneDepth is how many candidates each lane gives at least.
	laneDepth = 100
	// mmrLambda weighs relevance against being unlike what is listed already.
	mmrLambda = 0.7
	// alike is the cosine from which two capsules begin to say the same thing. Below it, being alike is no fault: what answers one question is
	// alike in other ways too, and pushing that apart costs relevance (README: figures).
	alike = 0.95
	// workspaceBoost is by how many places a capsule of the caller's workspace rises. Sections of documents do not rise: they are many, nobody has judged each of use, and with a README ingested
	// they would stand before what is known everywhere.
	workspaceBoost = 2
	// boostFrom is the share of the best score from which a capsule rises: what hardly matches is not made a good answer by where it is from.
	boostFrom = 0.5
)

// Query is a question to the knowledge base. The lists are filters, applied before ranking: a capsule must match one value of each list that is not
// empty.
type Query struct {
	Text  string
	Mode  string // "" is auto
	Limit int    // 0 is DefaultLimit

	Kinds      []string
	Scopes     []string
	Tags       []string // all of them
	DomainTags []string
	Workspaces []string
	Projects   []string
	Superseded bool // superseded capsules too
	Retired    bool // retired capsules too

	// Workspace is the caller's: its capsules rise by some places.
	Workspace string
	Fusion    string // "" is convex
	// Floor drops hits whose score is below this share of the best one's; 0: none. Of a gated search it is their evidence that counts.
	Floor float64
	// Gate gives only hits that are surely about the question (not Weak), the surest first: for answers that nobody asked for.
	Gate    bool
	NoDocs  bool // no sections of documents
	NoMMR   bool // do not spread the results over what is unlike
	Explain bool
	// Peek leaves no trace on the hits: nobody has retrieved them yet, as while a question is still being typed.
	Peek bool
	// Measuring leaves no trace either, and gives no snippets. It is not asked of other processes.
	Measuring bool `json:"-"`
	// calibrating takes whatever there is for enough, to measure what would be.
	calibrating bool
}

// Hit is one capsule found. The ranks begin with 1; 0 means that the lane did not have it among its candidates.
type Hit struct {
	Capsule
	Score       float64           `json:"score"` // 0 to 1, the best of a result has 1; comparable within a result only
	BM25Rank    int               `json:"bm25_rank"`
	VectorRank  int               `json:"vector_rank"`
	BM25Score   float64           `json:"bm25_score"`
	CosineScore *float64          `json:"cosine_score"` // null: not known
	RRFScore    float64           `json:"rrf_score"`
	Evidence    float64           `json:"evidence"` // how sure it is to be about the question, comparable between questions and knowledge bases (see evidence.go)
	Weak        bool              `json:"weak"`     // the evidence is below the threshold
	Snippet     string            `json:"snippet"`
	Boosts      []string          `json:"boosts"`
	Terms       []index.TermScore `json:"terms,omitempty"` // with Explain
}

// Result is what a search found, best first.
type Result struct {
	Hits     []Hit    `json:"hits"`
	Mode     string   `json:"mode"`     // what was done
	Degraded []string `json:"degraded"` // what could not be done, and why
	Missing  []string `json:"missing"`  // words of the question that no capsule has, as the index stems them
	// Expanded is what was searched for in place of missing words, as the question and the hits have them. A gated search does without.
	Expanded []index.Expansion `json:"expanded"`
	Total    int64             `json:"total"` // capsules in the knowledge base

	// Evidence is the highest of a hit; Threshold is from where on a hit is not weak.
	Evidence  float64 `json:"evidence"`
	Threshold float64 `json:"threshold"`
	Gated     bool    `json:"gated"` // there were hits, but the gate kept them back
}

// Searcher answers questions to a knowledge base: a KB, or a process that has one open. Wherever it is, a question has the same hits, scores, order and errors, and what was acknowledged to
// whoever wrote it is found by the next search. It is safe for concurrent use, and leaves the question alone. The errors are those of KB.Search: fault.Invalid of a question that is none, whatever
// match fault.NoModel for what needs a model where there is none, those of the context. kbtest.TestSearcher checks all that.
type Searcher interface {
	Search(ctx context.Context, q Query) (Result, error)
}

var everything = fault.Do("kb.list", "{} lists everything")

// Check refuses a question that is none. Its errors match fault.Invalid.
func (q Query) Check() error { return q.normalise() }

func (q *Query) normalise() error {
	if q.Mode == "" {
		q.Mode = ModeAuto
	}
	if q.Fusion == "" {
		q.Fusion = FusionConvex
	}
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	switch {
	case !slices.Contains(Modes, q.Mode):
		return unknown("mode", q.Mode, Modes)
	case !slices.Contains(Fusions, q.Fusion):
		return unknown("fusion", q.Fusion, Fusions)
	case q.Limit < 1 || q.Limit > MaxLimit:
		return invalid(fmt.Sprintf("a limit of %d is not between 1 and %d", q.Limit, MaxLimit), "", everything)
	case !(q.Floor >= 0 && q.Floor <= 1): // nor NaN
		return invalid(fmt.Sprintf("the floor %g is not between 0 and 1", q.Floor), "it is a share of the best hit's score; 0.85 leaves what is about as good")
	case q.Gate && q.Mode == ModeVector:
		return invalid("a search by meaning alone has no gate: its threshold is measured for words and meaning together, and for words alone", "leave out the mode")
	case strings.TrimSpace(q.Text) == "":
		return invalid("there is nothing to search for", "say what you want to know", everything)
	}
	if err := q.CheckFilter(); err != nil {
		return err
	}
	q.Text = strings.ToValidUTF8(q.Text, " ")
	return nil
}

// CheckFilter refuses kinds and scopes that there are not.
func (q *Query) CheckFilter() error {
	for _, k := range q.Kinds {
		if !slices.Contains(Kinds, k) {
			return unknown("kind", k, Kinds)
		}
	}
	for _, s := range q.Scopes {
		if !slices.Contains(Scopes, s) {
			return unknown("scope", s, Scopes)
		}
	}
	return nil
}

func (q *Query) filter() index.Filter {
	var f index.Filter
	for _, l := range []struct {
		prefix string
		values []string
	}{{kwKind, q.Kinds}, {kwScope, q.Scopes}, {kwDomain, q.DomainTags}, {kwWorkspace, q.Workspaces}, {kwProject, q.Projects}} {
		store.Require(&f, keyword, l.prefix, l.values...)
	}
	for _, t := range q.Tags {
		store.Require(&f, keyword, kwTag, t)
	}
	if q.NoDocs {
		f.None = append(f.None, kwKind+KindDoc)
	}
	if !q.Superseded {
		f.None = append(f.None, kwSuperseded)
	}
	if !q.Retired {
		f.None = append(f.None, kwRetired)
	}
	return f
}

// Search answers a question. Any text is one.
func (k *KB) Search(ctx context.Context, q Query) (Result, error) {
	if err := q.normalise(); err != nil {
		return Result{}, err
	}
	res := Result{Hits: []Hit{}, Degraded: []string{}, Missing: []string{}, Expanded: []index.Expansion{}}
	iq := index.Query{Text: q.Text, Filter: q.filter(), Depth: max(laneDepth, 2*q.Limit), KeepVectors: !q.NoMMR, Expand: !q.Gate}
	v, err := k.embedQuery(ctx, &q, &res)
	if err != nil {
		return Result{}, err
	}
	if v != nil {
		iq.Vector, iq.Model = v, k.emb.Model().Name
	}
	if q.Mode == ModeVector {
		iq.Text = ""
	}
	search := func(tx *sqlite.Tx) error { return k.searchIn(tx, &q, iq, &res) }
	if err = k.db.Read(ctx, search); k.db.ReindexIfCorrupt(ctx, err) {
		res.Hits, res.Degraded = []Hit{}, append(res.Degraded, mendedNote)
		err = k.db.Read(ctx, search)
	}
	if res.Total == 0 {
		res.Degraded = []string{} // a model would have found nothing more
	}
	if err == nil && !q.Measuring && !q.Peek {
		hits := make([]*Capsule, len(res.Hits))
		for i := range res.Hits {
			hits[i] = &res.Hits[i].Capsule
		}
		k.touch(ctx, hits...)
	}
	return res, err
}

// embedQuery decides on the mode, and gives the question's vector if it needs one.
func (k *KB) embedQuery(ctx context.Context, q *Query, res *Result) (embed.Vector, error) {
	if q.Mode == ModeBM25 {
		return nil, nil
	}
	degrade := func(why string, err error) (embed.Vector, error) {
		if q.Mode != ModeAuto {
			return nil, err
		}
		q.Mode = ModeBM25
		res.Degraded = append(res.Degraded, why+": searched by words only")
		return nil, nil
	}
	if k.emb == nil {
		return degrade("no embedding model is installed", embed.NoModel(fault.Give("mode", ModeBM25, "{} needs none")))
	}
	v, why, err := store.Question(ctx, k.emb, q.Text)
	if why != "" {
		return degrade(why, err)
	}
	if q.Mode == ModeAuto {
		q.Mode = ModeHybrid
	}
	return v, err
}

func (k *KB) searchIn(tx *sqlite.Tx, q *Query, iq index.Query, res *Result) error {
	found, err := k.index.Search(tx, iq)
	if errors.Is(err, index.ErrOtherModel) {
		why := k.db.OtherModel(tx, iq.Model)
		if q.Mode == ModeVector {
			return fault.Conflict.New(why, "", fault.Do("kb.reembed", "{} changes over to the model here"))
		}
		res.Degraded = append(res.Degraded, why+": searched by words only; reembedding changes over")
		q.Mode, iq.Vector = ModeBM25, nil
		found, err = k.index.Search(tx, iq)
	}
	if err != nil {
		return err
	}
	res.Mode, res.Total = q.Mode, found.Docs
	if found.Missing != nil {
		res.Missing = found.Missing
	}
	res.Expanded = found.Expanded
	missing := found.Docs - found.Vectors
	if missing > 0 && q.Mode != ModeBM25 {
		// Where the model finds nothing that it knows, the embedding is one of zeros, which the index does not keep.
		if err := tx.QueryRow(`SELECT count(*) FROM capsules WHERE model = ''`).Scan(&missing); err != nil {
			return err
		}
	}
	if q.Mode != ModeBM25 && missing > 0 {
		res.Degraded = append(res.Degraded, fmt.Sprintf("%d of %d capsules have no embedding and are found by their words only; reembedding gives them one", missing, found.Docs))
	}
	ranking := fuse(q, found.Candidates)
	if err := k.boost(tx, q, &ranking); err != nil {
		return err
	}
	if q.Floor > 0 && !q.Gate {
		ranking.list = rank.Floor(ranking.list, q.Floor)
	}
	ranking.cut(q)
	if err := k.hits(tx, q, &ranking, found.Languages, res); err != nil {
		return err
	}
	k.spellExpanded(q, res)
	model := ""
	if q.Mode != ModeBM25 {
		model = k.emb.Model().Name
	}
	c, known, err := threshold(tx, model)
	if err != nil {
		return err
	}
	q.judge(res, &found, k.index.TermsIn, c, known)
	return nil
}

// ranking is a fused list on its way to the hits.
type ranking struct {
	list   []rank.Scored
	of     map[int64]*index.Candidate
	rrf    map[int64]float64
	boosts map[int64][]string
}

// fuse makes one list of the lanes'.
//
// Reciprocal ranks throw away how much better the best is than the rest, and trust both lanes alike. The default adds scores: BM25 as a share of the best one's, and
// the cosine. Candidates of one lane were scored in the other too, or what a lane did not happen to list would count as far away.
func fuse(q *Query, cands []index.Candidate) ranking {
	r := ranking{of: map[int64]*index.Candidate{}, rrf: map[int64]float64{}, boosts: map[int64][]string{}}
	var text, vector []rank.Scored
	for i := range cands {
		c := &cands[i]
		r.of[c.ID] = c
		if c.BM25 > 0 {
			text = append(text, rank.Scored{ID: c.ID, Score: c.BM25})
		}
		if c.HasVector {
			vector = append(vector, rank.Scored{ID: c.ID, Score: c.Cosine})
		}
	}
	byText, byVector := store.Lanes(cands)
	byRank := rank.RRF(rank.K, nil, byText, byVector)
	for _, s := range byRank {
		r.rrf[s.ID] = s.Score
	}
	switch {
	case q.Mode == ModeBM25:
		r.list = rank.Convex(rank.Lane{Scores: text, Weight: 1, Norm: rank.NormMax})
	case q.Mode == ModeVector:
		r.list = rank.Convex(rank.Lane{Scores: vector, Weight: 1, Norm: rank.NormNone})
	case q.Fusion == FusionRRF:
		r.list = byRank
	default:
		r.list = convex(text, vector)
	}
	r.list = rank.Normalize(r.list)
	return r
}

// cosineWeight is what a cosine counts beside a BM25 score that is a share of the best.
const cosineWeight = 1.0

func convex(text, vector []rank.Scored) []rank.Scored {
	return rank.Convex(rank.Lane{Scores: text, Weight: 1, Norm: rank.NormMax}, rank.Lane{Scores: vector, Weight: cosineWeight, Norm: rank.NormNone})
}

// boost lifts the capsules of the caller's workspace, and lets those sink that nobody has asked for.
func (k *KB) boost(tx *sqlite.Tx, q *Query, r *ranking) error {
	if len(r.list) == 0 {
		return nil
	}
	var pushes []rank.Push
	// Each by an index that alone has the answer: the rows themselves are behind whole bodies.
	add := func(stmt string, args []any, push func(n int64, decay float64) rank.Push) error {
		var n int64
		var decay float64
		return tx.Each([]any{&n, &decay}, func() error {
			pushes = append(pushes, push(n, decay))
			return nil
		}, stmt, args...)
	}
	ids := sqlite.List(numbersOf(r.list))
	if err := add(`SELECT n, decay_score FROM capsules INDEXED BY capsules_decayed WHERE decay_score > 0 AND n IN (SELECT value FROM json_each(?))`, []any{ids}, func(n int64, decay float64) rank.Push {
		return rank.Push{ID: n, Places: -int(math.Ceil(decay * decaySink)), Why: "decay"}
	}); err != nil {
		return err
	}
	if q.Workspace != "" {
		ids := sqlite.List(numbersOf(rank.Floor(r.list, boostFrom)))
		if err := add(`SELECT n, 0 FROM capsules INDEXED BY capsules_workspace WHERE workspace = ? AND n IN (SELECT value FROM json_each(?))
			AND n NOT IN (SELECT n FROM capsules INDEXED BY capsules_kind WHERE kind = 'doc' AND n IN (SELECT value FROM json_each(?)))`, []any{q.Workspace, ids, ids}, func(n int64, _ float64) rank.Push {
			return rank.Push{ID: n, Places: workspaceBoost, Why: "workspace"}
		}); err != nil {
			return err
		}
	}
	list, moves := rank.Boost(r.list, pushes...)
	for i, m := range moves {
		switch {
		case m.Asked > 0 && m.Moved > 0:
			r.boosts[list[i].ID] = append(r.boosts[list[i].ID], fmt.Sprintf("%s: %d up", strings.Join(m.Why, ", "), m.Moved))
		case m.Asked < 0 && m.Moved < 0:
			r.boosts[list[i].ID] = append(r.boosts[list[i].ID], fmt.Sprintf("%s: %d down", strings.Join(m.Why, ", "), -m.Moved))
		}
	}
	r.list = list
	return nil
}

// cut leaves as many as were asked for.
func (r *ranking) cut(q *Query) {
	most := q.Limit
	if q.Gate {
		most = max(most, evidence.Depth)
	}
	if q.Mode != ModeBM25 && !q.NoMMR {
		r.list = rank.MMR(r.list, mmrLambda, most, func(a, b int64) float64 {
			return max(0, embed.Cosine(r.of[a].Vector, r.of[b].Vector)-alike) / (1 - alike)
		})
	}
	r.list = r.list[:min(len(r.list), most)]
}

// numbersOf are those of a list's capsules.
func numbersOf(list []rank.Scored) []int64 {
	ns := make([]int64, len(list))
	for i, s := range list {
		ns[i] = s.ID
	}
	return ns
}

// hits reads the capsules of the list.
func (k *KB) hits(tx *sqlite.Tx, q *Query, r *ranking, langs words.Languages, res *Result) error {
	caps, err := capsulesWhere(tx, `n IN (SELECT value FROM json_each(?))`, sqlite.List(numbersOf(r.list)))
	if err != nil {
		return err
	}
	byN := make(map[int64]*Capsule, len(caps))
	for i := range caps {
		byN[caps[i].n] = &caps[i]
	}
	var why map[int64][]index.TermScore
	if q.Explain && q.Mode != ModeVector {
		if why, err = k.index.Explain(tx, index.Query{Text: q.Text, Expand: !q.Gate}, numbersOf(r.list)); err != nil {
			return err
		}
	}
	terms := map[string]bool{}
	for _, t := range k.index.TermsIn(langs, q.Text) {
		terms[t] = true
	}
	for _, e := range res.Expanded {
		for _, t := range e.Terms {
			terms[t] = true
		}
	}
	for _, s := range r.list {
		c, cand := byN[s.ID], r.of[s.ID]
		if c == nil {
			return sqlite.Fault(fault.Corrupt, k.db.Path(), fmt.Sprintf("has capsule %d in its index only", s.ID), nil)
		}
		h := Hit{Capsule: *c, Score: s.Score, BM25Rank: cand.TextRank, VectorRank: cand.VectorRank, BM25Score: cand.BM25, RRFScore: r.rrf[s.ID],
			Boosts: r.boosts[s.ID], Terms: why[s.ID]}
		if !q.Measuring {
			h.Snippet = k.snippet(c.Body, terms, langs)
		}
		if cand.HasVector {
			cos := cand.Cosine
			h.CosineScore = &cos
		}
		if h.Boosts == nil {
			h.Boosts = []string{}
		}
		res.Hits = append(res.Hits, h)
	}
	return nil
}
