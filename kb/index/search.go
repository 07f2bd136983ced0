package index

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"blackboard/board/sqlite"
	"blackboard/board/words"
	"blackboard/embed"
)

const (
	// maxTerms of a query are looked at, and the maxScored rarest are scored: whole pages are given
	// as questions too, and must not take seconds.
	maxTerms  = 512
	maxScored = 64
)

// Filter says which documents count. It is applied before ranking, in both lanes.
type Filter struct {
	// All: of each group a document has a keyword. An empty group lets nothing through.
	All [][]string
	// None: a document must have none of these.
	None []string
}

// Query is a question to the index.
type Query struct {
	Text   string       // any text; "" leaves the text lane out
	Vector embed.Vector // nil leaves the vector lane out; of several only the first is used
	Model  string       // of the vector
	Filter Filter
	Depth  int // how many candidates each lane gives, at least 1
	// Near is the least cosine of the vector lane. If it is high, there is little to look at.
	Near        float64
	Expand      bool
	Aside       string
	KeepVectors bool
	// Until leaves out segments whose lowest id is above it (0: none), for who knows the newer.
	Until int64
}

// Candidate is a document that a lane found, with its scores in both.
type Candidate struct {
	ID         int64
	BM25       float64 // 0 if it has none of the words
	Cosine     float64 // 0 if it has no vector, or the query none
	HasVector  bool
	TextRank   int          // 1 is the best; 0: not among the text lane's candidates
	VectorRank int          // the same of the vector lane
	Vector     embed.Vector // the first, if asked for
}

type Result struct {
	Candidates []Candidate
	Terms      []Term
	Missing    []string
	// Languages are those beside English whose stems were looked for.
	Languages words.Languages
	// Stems are the stems in these, each with the query's term that it stands for.
	Stems map[string]string
	// Expanded is what was looked for in place of missing terms, if that was asked for.
	Expanded []Expansion
	// Docs counts documents, Vectors those with one, Aside those with that keyword.
	Docs, Vectors, Aside int64
	// Chance is the score of an arbitrary document: each idf times its share of documents.
	Chance float64
}

// Term is a term of a query, and how many documents have it.
type Term struct {
	Text string
	DF   int
}

type docRef struct{ seg, ord int }

// scored is a document with a score of one lane.
type scored struct {
	docRef
	id    int64
	score float64
}

// better orders best first; among equals the newer.
func better(a, b scored) int {
	if a.score != b.score {
		return cmp.Compare(b.score, a.score)
	}
	return cmp.Compare(b.id, a.id)
}

type search struct {
	x     *Index
	tx    *sqlite.Tx
	v     *view
	q     *Query
	ok    []bitset  // per segment: the documents that count
	terms []*qterm  // what is scored
	ids   [][]int64 // per segment, when needed

	// per segment: the documents whose stems are of the search's languages; nil if it has none
	foreign []bitset
}

type qterm struct {
	term string
	// of its word in other languages: documents that have one of them have the term
	stems   []string
	missing string // the query's own term that this one stands for, "" for itself
	count   int
	df      int
	itself  bool // some document has the term, not a stem alone
	weight  float32
	lists   []*plist   // per segment; nil where it does not occur
	stemmed [][]*plist // per segment, of the stems
}

// tf counts by the document's language's stems if the search has any.
func (s *search) tf(t *qterm, seg, ord int) (tf uint8) {
	if t.stems != nil && s.foreign[seg].has(ord) {
		for _, p := range t.stemmed[seg] {
			tf = max(tf, p.find(ord))
		}
		return tf
	}
	if p := t.lists[seg]; p != nil {
		tf = p.find(ord)
	}
	return tf
}

// Search finds the best documents of both lanes. It sees what the transaction sees.
func (x *Index) Search(tx *sqlite.Tx, q Query) (Result, error) {
	v, done, err := x.viewOf(tx)
	if err != nil {
		return Result{}, err
	}
	defer done()
	return x.searchAt(tx, v, q)
}

func (x *Index) searchAt(tx *sqlite.Tx, v *view, q Query) (res Result, err error) {
	s := &search{x: x, tx: tx, v: v, q: &q, ids: make([][]int64, len(v.segs))}
	if q.Until > 0 {
		s.v = v.until(q.Until)
		s.ids = s.ids[:len(s.v.segs)]
		v = s.v
	}
	q.Depth = max(q.Depth, 1)
	if v.dim > 0 && len(q.Vector)%v.dim == 0 {
		q.Vector = q.Vector[:min(len(q.Vector), v.dim)]
	}
	if len(q.Vector) > 0 && (q.Model != v.model || len(q.Vector) != v.dim) {
		if v.vectors > 0 {
			return Result{}, fmt.Errorf("%w: the question's is of %q with %d numbers, the index holds those of %q with %d",
				ErrOtherModel, q.Model, len(q.Vector), v.model, v.dim)
		}
		q.Vector = nil
	}
	res = Result{Docs: v.docs, Vectors: v.vectors}
	qv, hasVector := unit(q.Vector)
	hasVector = hasVector && v.vectors > 0
	if err := s.fetchFirst(hasVector); err != nil {
		return Result{}, err
	}
	if err := s.filter(); err != nil {
		return Result{}, err
	}
	if q.Aside != "" {
		if res.Aside, err = s.countAside(); err != nil {
			return Result{}, err
		}
	}
	if err := s.plan(&res); err != nil {
		return Result{}, err
	}
	if err := s.fetchIDs(); err != nil {
		return Result{}, err
	}
	var near []docRef
	if hasVector {
		if near, err = s.byCodes(qv); err != nil {
			return Result{}, err
		}
	}
	byText, bm25, err := s.bestByText(near)
	if err != nil {
		return Result{}, err
	}
	// The text lane's candidates are compared too, and all vectors are read at once.
	all, at := near, map[docRef]int{}
	if hasVector {
		all, at = s.mergeCandidates(near, byText)
	}
	compared, err := s.compare(qv, all)
	if err != nil {
		return Result{}, err
	}
	byVector, err := s.nearest(near, compared, bm25)
	if err != nil {
		return Result{}, err
	}
	cands := make(map[int64]*Candidate, len(byVector)+len(byText))
	for i := range byVector {
		byVector[i].VectorRank = i + 1
		cands[byVector[i].ID] = &byVector[i]
	}
	for i, h := range byText {
		c := cands[h.id]
		if c == nil {
			c = &Candidate{ID: h.id}
			cands[h.id] = c
			if hasVector {
				with := &compared[at[h.docRef]]
				c.Cosine, c.HasVector, c.Vector = with.cosine, with.known, with.vector
			}
		}
		c.BM25, c.TextRank = h.score, i+1
	}
	res.Candidates = make([]Candidate, 0, len(cands))
	for _, c := range cands {
		res.Candidates = append(res.Candidates, *c)
	}
	slices.SortFunc(res.Candidates, func(a, b Candidate) int { return cmp.Compare(b.ID, a.ID) })
	return res, nil
}

func (s *search) id(p docRef) (int64, error) {
	if s.ids[p.seg] == nil {
		ids, err := s.v.segs[p.seg].allIDs(s.tx)
		if err != nil {
			return 0, err
		}
		s.ids[p.seg] = ids
	}
	return s.ids[p.seg][p.ord], nil
}

func (s *search) filter() error {
	s.ok = make([]bitset, len(s.v.segs))
	for i, seg := range s.v.segs {
		ok := newBitset(seg.n)
		ok.fill(seg.n)
		for w := range seg.dead {
			ok[w] &^= seg.dead[w]
		}
		for _, group := range s.q.Filter.All {
			any := newBitset(seg.n)
			if err := s.addKeywords(seg, group, any); err != nil {
				return err
			}
			for w := range ok {
				ok[w] &= any[w]
			}
		}
		if len(s.q.Filter.None) > 0 {
			none := newBitset(seg.n)
			if err := s.addKeywords(seg, s.q.Filter.None, none); err != nil {
				return err
			}
			for w := range ok {
				ok[w] &^= none[w]
			}
		}
		s.ok[i] = ok
	}
	return nil
}

func (s *search) countAside() (n int64, err error) {
	for _, seg := range s.v.segs {
		have := newBitset(seg.n)
		if err := s.addKeywords(seg, []string{s.q.Aside}, have); err != nil {
			return 0, err
		}
		for w := range seg.dead {
			have[w] &^= seg.dead[w]
		}
		n += int64(have.count())
	}
	return n, nil
}

func (s *search) addKeywords(seg *segment, words []string, to bitset) error {
	for _, k := range words {
		p, err := seg.plist(s.tx, keywordTerm(k))
		if err != nil {
			return err
		}
		if p != nil {
			p.addTo(to, seg.n)
		}
	}
	return nil
}

// functionWeight is the default of Config.FunctionWeight. Over a few dozen documents it
// is chance which ones have "do" or "i", and a question in whole words would find those.
// The value is measured on the three sets of package kb's tests: from a sixth to a
// sixteenth all are much the same, better than without on two and within .002 of it on
// the third; 0, as if there were stop words, is worse than without on two.
const functionWeight = 0.1

// functionTerms takes 50 µs, which a process that searches nothing does not spend.
var functionTerms = sync.OnceValue(func() map[string]bool {
	terms := map[string]bool{}
	new(words.Analyzer).Terms(words.FunctionWords, func(term string, _ bool) { terms[term] = true })
	return terms
})

// plan looks up the query's terms and weighs them: by BM25 idf, never negative, ln(1 + (N - df +
// 0.5) / (df + 0.5)), times k1 + 1, times how often the query has it. Dead documents do not count.
func (s *search) plan(res *Result) error {
	if s.q.Text == "" {
		return nil
	}
	langs, sure, err := s.languages()
	if err != nil {
		return err
	}
	res.Languages, res.Stems = langs, map[string]string{}
	an := analyzers.Get().(*words.Analyzer)
	defer analyzers.Put(an)
	byTerm := map[string]*qterm{}
	var terms []*qterm
	var t *qterm // the last
	an.TermsIn(langs, s.q.Text, func(term string, _ bool) {
		if strings.HasPrefix(term, words.StemMark) {
			if t != nil && !slices.Contains(t.stems, term) {
				res.Stems[term] = t.term
				t.stems = append(t.stems, term)
			}
			return
		}
		t = byTerm[term]
		if t == nil {
			if len(terms) == maxTerms {
				return
			}
			t = &qterm{term: term}
			byTerm[term] = t
			terms = append(terms, t)
		}
		t.count++
	})
	var asked []string
	for _, t := range terms {
		asked = append(append(asked, t.term), t.stems...)
	}
	if err := s.fetch(asked...); err != nil {
		return err
	}
	var missing []*qterm
	for _, t := range terms {
		if err := s.lookUp(t); err != nil {
			return err
		}
		times := float64(t.count)
		// in another language than it may be meant in: no better than what it may stand for
		if !t.itself && (t.df == 0 || !sure) {
			times *= suffixWeight
			missing = append(missing, t)
		}
		t.weight = s.weight(t.term, t.df, times)
		res.Terms = append(res.Terms, Term{t.term, t.df})
		if t.df == 0 {
			res.Missing = append(res.Missing, t.term)
			continue
		}
		s.terms = append(s.terms, t)
	}
	if s.q.Expand {
		if err := s.expand(res, missing, byTerm); err != nil {
			return err
		}
	}
	if len(s.terms) > maxScored {
		slices.SortStableFunc(s.terms, func(a, b *qterm) int { return cmp.Compare(b.weight, a.weight) })
		s.terms = s.terms[:maxScored]
	}
	for _, t := range s.terms {
		res.Chance += float64(t.weight) / (s.x.cfg.K1 + 1) * float64(t.df) / float64(max(1, res.Docs))
	}
	return nil
}

// languages returns those of the question that documents have, and if it surely is in one.
func (s *search) languages() (asked words.Languages, sure bool, err error) {
	some := false
	for _, seg := range s.v.segs {
		p, err := seg.plist(s.tx, stemmed)
		if err != nil {
			return 0, false, err
		}
		some = some || p != nil
	}
	if !some {
		return 0, false, nil
	}
	in := make([]bitset, len(s.v.segs))
	for i, seg := range s.v.segs {
		in[i] = newBitset(seg.n)
	}
	asked, sure = words.LanguagesOfQuery(s.q.Text)
	var marks []string
	asked.Each(func(_ words.Languages, mark string) { marks = append(marks, keywordMark+mark) })
	if err := s.fetch(marks...); err != nil {
		return 0, false, err
	}
	asked.Each(func(one words.Languages, mark string) {
		found := false
		for i, seg := range s.v.segs {
			p, e := seg.plist(s.tx, keywordMark+mark)
			if err = cmp.Or(err, e); p != nil {
				found = true
				p.addTo(in[i], seg.n)
			}
		}
		if !found {
			asked &^= one
		}
	})
	if asked != 0 {
		s.foreign = in
	}
	return asked, sure, err
}

// lookUp reads a term's posting lists and counts living documents in them.
func (s *search) lookUp(t *qterm) error {
	t.df, t.lists = 0, make([]*plist, len(s.v.segs))
	if t.stems != nil {
		t.stemmed = make([][]*plist, len(s.v.segs))
	}
	stems := 0
	for i, seg := range s.v.segs {
		p, df, err := s.liveList(seg, t.term)
		if err != nil {
			return err
		}
		t.lists[i] = p
		t.df += df
		for _, stem := range t.stems {
			p, df, err := s.liveList(seg, stem)
			if err != nil {
				return err
			}
			if p != nil {
				t.stemmed[i] = append(t.stemmed[i], p)
			}
			stems += df
		}
	}
	t.itself = t.df > 0
	t.df = max(t.df, stems)
	return nil
}

// liveList returns a segment's list of a term, nil if none, and its living documents' count.
func (s *search) liveList(seg *segment, term string) (*plist, int, error) {
	p, err := seg.plist(s.tx, term)
	if err != nil || p == nil || p.kind != kindText {
		return nil, 0, err
	}
	df := p.n
	if seg.dead != nil {
		for ord := range p.all(seg.n) {
			if seg.dead.has(ord) {
				df--
			}
		}
	}
	return p, df, nil
}

// Terms returns a text's terms as searches compare them, whole identifiers too.
func (x *Index) Terms(text string) []string { return x.TermsIn(0, text) }

// TermsIn are Terms, with stems in the languages of a question after each word.
func (x *Index) TermsIn(langs words.Languages, text string) []string {
	an := analyzers.Get().(*words.Analyzer)
	defer analyzers.Put(an)
	var terms []string
	an.TermsIn(langs, text, func(term string, _ bool) { terms = append(terms, term) })
	return terms
}
