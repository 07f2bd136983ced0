package kb

import (
	"cmp"
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
	"blackboard/kb/index"
	"blackboard/kb/rank"
	"blackboard/kb/store"
)

// Modes of a search.
const (
	ModeAuto   = "auto"   // hybrid if there is a model, otherwise bm25
	ModeHybrid = "hybrid" // by words and meaning; an error without a model
	ModeBM25   = "bm25"   // by words only
	ModeVector = "vector" // by meaning only; an error without a model
)

var Modes = []string{ModeAuto, ModeHybrid, ModeBM25, ModeVector}

// Defaults of a search.
const (
	DefaultLimit = 10
	MaxLimit     = 1000
	laneDepth    = 100
	mmrLambda    = 0.7
	// alike is the cosine from which two capsules count as repetition. Below it they are
	// only similar, as all answers to a question are, and separating those costs
	// relevance (testdata/score/FIGURES.md).
	alike = 0.95
	// workspaceBoost is how many places a capsule of the caller's workspace rises.
	// Sections of documents do not rise: they are many and nobody has judged them, and
	// an ingested README would come before universal knowledge.
	workspaceBoost = 2
	// boostFrom is the share of the best score that a capsule needs to rise.
	boostFrom = 0.5
)

// Query is a question to the knowledge base. The lists are filters, applied before
// ranking: a capsule must match one value of each list that is not empty.
type Query struct {
	Text  string
	Mode  string // "" is auto
	Limit int    // 0 is DefaultLimit

	Kinds      []string
	Scopes     []string
	Tags       []string // the capsule must have all of them
	DomainTags []string
	Workspaces []string
	Projects   []string
	Superseded bool // include superseded capsules
	Retired    bool // include retired capsules

	Workspace string
	// Floor drops hits below this share of the best score (gated: evidence); 0: none.
	Floor float64
	// Gate returns only hits that are not Weak, the surest first.
	Gate    bool
	NoDocs  bool // no sections of documents
	NoMMR   bool // do not diversify the results
	Explain bool
	// Peek does not count as a retrieval, as while a question is still being typed.
	Peek bool
	// Measuring does not count as a retrieval and returns no snippets.
	Measuring bool `json:"-"`
	// calibrating sets the threshold to 0, to measure evidence.
	calibrating bool
}

// Hit is a capsule found. Ranks start at 1; 0 means that it was not among the lane's candidates.
type Hit struct {
	Capsule
	// 0 to 1; the best hit has 1; comparable within one result only
	Score       float64  `json:"score"`
	BM25Rank    int      `json:"bm25_rank"`
	VectorRank  int      `json:"vector_rank"`
	BM25Score   float64  `json:"bm25_score"`
	CosineScore *float64 `json:"cosine_score"` // null: unknown
	RRFScore    float64  `json:"rrf_score"`
	// how sure it is to answer the question, comparable between questions and knowledge bases
	// (rank.Question.Of)
	Evidence float64 `json:"evidence"`
	Weak     bool    `json:"weak"`          // the evidence is below the threshold
	Why      string  `json:"why,omitempty"` // why it is weak, if Explain is set
	Snippet  string  `json:"snippet"`
	// of a section of a document: "changed" or "gone", if its file is that since
	Stale  string            `json:"stale,omitempty"`
	Boosts []string          `json:"boosts"`
	Terms  []index.TermScore `json:"terms,omitempty"` // if Explain is set
}

// Result is what a search found, best first.
type Result struct {
	Hits     []Hit    `json:"hits"`
	Mode     string   `json:"mode"`     // the mode used
	Degraded []string `json:"degraded"` // what could not be done, and why
	// words of the question that no capsule has, as stems
	Missing []string `json:"missing"`
	Total   int64    `json:"total"` // capsules in the knowledge base

	// Evidence is the highest among the hits. A hit with less than Threshold is weak.
	Evidence  float64 `json:"evidence"`
	Threshold float64 `json:"threshold"`
	Gated     bool    `json:"gated"` // the gate dropped all hits
	// Expanded lists what was searched instead of missing words; not gated.
	Expanded []index.Expansion `json:"expanded"`
	// LeftOut are the hits that the gate dropped, each with why, if Explain is set.
	LeftOut []Hit `json:"left_out,omitempty"`

	amongOne float64 // Evidence as it would be in a knowledge base of one capsule
}

// Searcher answers questions: a KB, or a client of a process that has one open. Every
// implementation returns the same hits, scores, order and errors, and finds every write that was
// acknowledged before. It is safe for concurrent use and does not change the query.
//
// The errors are those of KB.Search: fault.Invalid for an invalid query, fault.NoModel where a
// model is needed, and those of the context. kbtest.TestSearcher is its conformance test.
type Searcher interface {
	Search(ctx context.Context, q Query) (Result, error)
}

var everything = fault.Do("kb.list", "{} lists everything")

// Check validates a query. Its errors match fault.Invalid.
func (q Query) Check() error { return q.normalise() }

func (q *Query) normalise() error {
	q.Mode = cmp.Or(q.Mode, ModeAuto)
	q.Limit = cmp.Or(q.Limit, DefaultLimit)
	switch {
	case !slices.Contains(Modes, q.Mode):
		return fault.Unknown("mode", q.Mode, Modes)
	case q.Limit < 1 || q.Limit > MaxLimit:
		return invalid(fmt.Sprintf("a limit of %d is not between 1 and %d", q.Limit, MaxLimit), "",
			everything)
	case !(q.Floor >= 0 && q.Floor <= 1): // nor NaN
		return invalid(fmt.Sprintf("the floor %g is not between 0 and 1", q.Floor),
			"it is a share of the best hit's score; 0.85 leaves what is about as good")
	case q.Gate && q.Mode == ModeVector:
		return invalid("a search by meaning only has no gate: thresholds exist for hybrid "+
			"searches and for words", "leave out the mode")
	case strings.TrimSpace(q.Text) == "":
		return invalid("there is nothing to search for", "say what you want to know", everything)
	}
	if err := q.CheckFilter(); err != nil {
		return err
	}
	q.Text = strings.ToValidUTF8(q.Text, " ")
	return nil
}

func (q *Query) CheckFilter() error {
	return cmp.Or(oneOf("kind", Kinds, q.Kinds...), oneOf("scope", Scopes, q.Scopes...))
}

func (q *Query) filter() index.Filter {
	var f index.Filter
	for _, l := range []struct {
		prefix string
		values []string
	}{{kwKind, q.Kinds}, {kwScope, q.Scopes}, {kwDomain, q.DomainTags},
		{kwWorkspace, q.Workspaces}, {kwProject, q.Projects}} {
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

// Search answers a question that is not blank, and marks hits as retrieved unless q forbids.
func (k *KB) Search(ctx context.Context, q Query) (Result, error) {
	if err := q.normalise(); err != nil {
		return Result{}, err
	}
	res := Result{Hits: []Hit{}, Degraded: []string{}, Missing: []string{},
		Expanded: []index.Expansion{}}
	iq := index.Query{Text: q.Text, Filter: q.filter(), Depth: max(laneDepth, 2*q.Limit),
		KeepVectors: !q.NoMMR, Expand: !q.Gate, Aside: kwKind + KindDoc}
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
		res.Hits, res.Degraded = []Hit{}, append(res.Degraded, reindexedNote)
		err = k.db.Read(ctx, search)
	}
	if res.Total == 0 {
		res.Degraded = []string{} // a model would have found nothing either
	}
	if !q.Measuring {
		res.markStale()
	}
	if err == nil && !q.Measuring && !q.Peek {
		var hits []*Capsule // the others are only shown beside
		share := words.ShareOf(q.Text)
		for i := range res.Hits {
			h := &res.Hits[i]
			if !h.Weak || (h.BM25Rank == 1 || h.VectorRank == 1) && share(h.heading()+"\n"+h.Body) >= words.AnswerShare {
				hits = append(hits, &h.Capsule)
			}
		}
		k.MarkRetrieved(ctx, hits...)
	}
	return res, err
}

// embedQuery decides the mode and returns the question's embedding if it is needed.
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
		return degrade(embed.NoModelInstalled,
			embed.NoModel(fault.Give("mode", ModeBM25, "{} needs none")))
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
			return fault.Conflict.New(why, "",
				fault.Do("kb.reembed", "{} switches to the current model"))
		}
		res.Degraded = append(res.Degraded,
			why+": searched by words only; reembedding switches the model")
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
	ranking := k.fuse(q, &found)
	if err := tx.Ahead(k.prefetchQueries(q, &found, &ranking)...); err != nil {
		return err
	}
	missing := found.Docs - found.Vectors
	if missing > 0 && q.Mode != ModeBM25 {
		// The index has no vector for a text without known words: count the rows.
		if err := tx.QueryRow(askUnembedded.Query).Scan(&missing); err != nil {
			return err
		}
	}
	if q.Mode != ModeBM25 && missing > 0 {
		res.Degraded = append(res.Degraded,
			fmt.Sprintf("%d of %d capsules have no embedding and are found by words only; "+
				"reembedding adds it", missing, found.Docs))
	}
	if err := k.boost(tx, q, &ranking); err != nil {
		return err
	}
	if q.Floor > 0 && !q.Gate {
		ranking.list = above(ranking.list, q.Floor)
	}
	ranking.cut(q)
	if err := k.readHits(tx, q, &ranking, found.Languages, res); err != nil {
		return err
	}
	k.spellExpanded(q, res)
	c, known, err := threshold(tx, k.modelOf(q))
	if err != nil {
		return err
	}
	if !known {
		c.one = 0
	}
	if q.calibrating { // before there is a threshold
		c.one = math.SmallestNonzeroFloat64
	}
	q.judge(store.NewJudge(k.index, q.Text, &found, k.modelOf(q), c.one, q.Gate), &ranking, res)
	return k.dropEmpty(tx, q, res)
}

// dropEmpty drops hits by function words alone, if none has evidence or was compared.
func (k *KB) dropEmpty(tx *sqlite.Tx, q *Query, res *Result) error {
	if res.Evidence > 0 {
		return nil
	}
	var ns []int64
	for i := range res.Hits {
		if h := &res.Hits[i]; h.CosineScore == nil {
			ns = append(ns, h.n)
		}
	}
	only, err := k.index.ByFunctionWords(tx, index.Query{Text: q.Text, Expand: !q.Gate}, ns)
	res.Hits = slices.DeleteFunc(res.Hits, func(h Hit) bool { return only[h.n] })
	return err
}

func (k *KB) modelOf(q *Query) string {
	if q.Mode == ModeBM25 {
		return ""
	}
	return k.emb.Model().Name
}

type ranking struct {
	prefetched []int64 // the capsules that may be listed, read in one round trip with the rows that decide the order
	list       []rank.Scored
	of         map[int64]*index.Candidate
	boosts     map[int64][]string
	// which of them have decayed, and which are of the caller's workspace
	decay, workspace sqlite.Question
}

// fuse ranks the candidates of both lanes, each scored in both.
func (k *KB) fuse(q *Query, found *index.Result) ranking {
	cands := found.Candidates
	r := ranking{of: map[int64]*index.Candidate{}, boosts: map[int64][]string{}}
	for i := range cands {
		r.of[cands[i].ID] = &cands[i]
	}
	r.list = rank.Normalize(store.Order(k.modelOf(q), len(found.Terms), cands))
	return r
}

// prefetchExtra is how many more capsules are read ahead than are listed: some sink.
const prefetchExtra = 5

// prefetchQueries returns the SQL queries that follow from what the index has found, to be sent in
// one round trip. It sets decay, workspace and likely of r.
func (k *KB) prefetchQueries(q *Query, found *index.Result, r *ranking) (all []sqlite.Question) {
	all = append(all, askThreshold(k.modelOf(q)))
	if q.Mode != ModeBM25 && found.Vectors < found.Docs {
		all = append(all, askUnembedded)
	}
	if len(r.list) == 0 {
		return all
	}
	ids := sqlite.List(numbersOf(r.list))
	// Each is answered by an index alone: reading rows would read whole bodies.
	r.decay = sqlite.Question{Query: `SELECT n, decay_score
		FROM capsules INDEXED BY capsules_decayed WHERE decay_score > 0 AND ` + ofNumbers, Args: []any{ids}}
	all = append(all, r.decay)
	if q.Workspace != "" {
		ids := sqlite.List(numbersOf(above(r.list, boostFrom)))
		r.workspace = sqlite.Question{Query: `SELECT n, 0
			FROM capsules INDEXED BY capsules_workspace WHERE workspace = ? AND ` + ofNumbers + `
			AND n NOT IN (SELECT n FROM capsules INDEXED BY capsules_kind WHERE kind = 'doc' AND ` + ofNumbers + `)`,
			Args: []any{q.Workspace, ids, ids}}
		all = append(all, r.workspace)
	}
	r.prefetched = numbersOf(r.list[:min(len(r.list), q.most()+prefetchExtra)])
	return append(all, sqlite.Question{Query: selectCapsules + `capsules WHERE ` + ofNumbers,
		Args: []any{sqlite.List(r.prefetched)}})
}

var askUnembedded = sqlite.Question{Query: `SELECT count(*) FROM capsules WHERE model = ''`}

const ofNumbers = `n IN (SELECT CAST(value AS BIGINT) FROM json_each(?))`

func (k *KB) boost(tx *sqlite.Tx, q *Query, r *ranking) error {
	if len(r.list) == 0 {
		return nil
	}
	var pushes []rank.Push
	add := func(ask sqlite.Question, boost int, why string) error {
		var n int64
		var decay float64
		return tx.Each([]any{&n, &decay}, func() error {
			pushes = append(pushes, rank.Push{ID: n, Places: boost - int(math.Ceil(decay*decaySink)), Why: why})
			return nil
		}, ask.Query, ask.Args...)
	}
	if err := add(r.decay, 0, "decay"); err != nil {
		return err
	}
	if q.Workspace != "" {
		if err := add(r.workspace, workspaceBoost, "workspace"); err != nil {
			return err
		}
	}
	list, moves := rank.Boost(r.list, pushes...)
	for i, m := range moves {
		why := strings.Join(m.Why, ", ")
		if m.Asked > 0 && m.Moved > 0 {
			r.boosts[list[i].ID] = []string{fmt.Sprintf("%s: %d up", why, m.Moved)}
		} else if m.Asked < 0 && m.Moved < 0 {
			r.boosts[list[i].ID] = []string{fmt.Sprintf("%s: %d down", why, -m.Moved)}
		}
	}
	r.list = list
	return nil
}
