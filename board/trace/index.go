package trace

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"

	"blackboard/board/claims/parse"
	"blackboard/board/text"
)

// tracer holds the facts of the reports and their best records. Its memory grows with
// the reports, not with the board: it keeps the id of each record, some records for
// each word of a report, and those that are nearest to its facts.
type tracer struct {
	units     []unit
	facts     []fact
	lower     map[string]bool // words of the reports in lower case
	explained map[string]bool // the abbreviations that a report explains

	vocabulary map[string]int32 // the stems of the reports' words
	isName     map[int32]bool
	df         []int32 // how many records have a word
	lowerSeen  []bool  // a record has it in lower case
	post       [][]int32

	byDate    map[parse.FigureKey][]int32 // groups
	byValue   map[valueKey]alikeValues
	byNumber  map[float64][]int32 // by the number as it is written, as it is meant, or as it may be meant
	byRun     map[string][]int32  // phrases by one of their runs
	groups    []group
	phrases   []phrase
	sought    []sought           // of each fact
	citations map[string][]int32 // citations by the name of their document's file
	cited     []int32            // figures that are said to be the confidence of an entry

	records []string                 // their ids
	kept    map[int32][]*parse.Claim // of the nearest
	weighed []*parse.Claim           // of those by which statements are judged
	sources int                      // that were read
	scores  []float64                // of the records, while the nearest are looked for; else 0
	scored  []int32                  // those that have one
}

// group has the facts with the same figure.
type group struct {
	detail *parse.Detail
	facts  []int32
	reach  float64 // how far a plain figure of its kind may be from its value; below 0: it is none itself

	value, number, other float64 // of its figure, without a sign
}

// isPlain reports whether a number says neither about nor a bound.
func isPlain(q *parse.Quantity) bool {
	return q.Bound == 0 && !q.About && !q.Word && !q.Minutes
}

// alikeValues are groups of numbers that may be equal.
type alikeValues struct {
	simple []int32 // that a simple number must be near, or have the digits of; by their values
	reach  float64 // how near at most
	other  []int32
}

// mostReach is how far a number may be from one of alikeValues.simple, as a share of it.
const mostReach = 1e-3

// isSimple reports whether a number is so much of a dimension, and for nothing, and is read in one way, or with a comma
// for its point: two of which one is a thousandth are not alike.
func isSimple(q *parse.Quantity, dim string) bool {
	v := math.Abs(q.Value)
	return isPlain(q) && (q.Other == 0 || math.Abs(1000*math.Abs(q.Other)-v) <= 1e-9*v) && q.Dim == dim && q.Per == ""
}

// near returns the groups that a number may be equal to, but for those with its digits, in two parts.
func (a *alikeValues) near(groups []group, q *parse.Quantity, dim string) (simple, other []int32) {
	if q.Number == 0 || !isSimple(q, dim) {
		return a.simple, a.other
	}
	v := math.Abs(q.Value)
	at := func(v float64) int {
		return sort.Search(len(a.simple), func(i int) bool { return groups[a.simple[i]].value >= v })
	}
	return a.simple[at(v-1.01*a.reach):at(v+1.01*a.reach)], a.other
}

// A phrase is what follows one another in names, identifiers or quotes.
type phrase struct {
	runs  []string
	key   int  // which of them it is found by
	name  bool // whose words may stand apart
	facts []int32
}

// sought is what a hit of a fact is weighed by, without the rest of it.
type sought struct {
	near, far []int32
	names     uint64
	titled    int
	runs      bool
}

func newGroup(d *parse.Detail) group {
	g := group{detail: d, reach: -1}
	if q := d.Q; q != nil && isPlain(q) {
		g.value, g.number, g.other = math.Abs(q.Value), math.Abs(q.Number), math.Abs(q.Other)
		g.reach = .51*max(q.Step(), 2*q.Half) + 1e-8*math.Abs(q.Value)
	}
	return g
}

// excludes reports whether a number is so far from that of the group that there is no need to compare them.
func (g *group) excludes(q *parse.Quantity) bool {
	if g.reach < 0 || q == nil || math.Abs(g.value-math.Abs(q.Value)) <= g.reach || g.number == math.Abs(q.Number) ||
		!isPlain(q) {
		return false
	}
	apart := func(a, b, of float64) bool { return math.Abs(a-math.Abs(b)) > 1e-8*math.Abs(of) }
	d := g.detail.Q
	return (g.other == 0 || apart(g.other, q.Value, g.other) && apart(g.other, q.Other, g.other)) &&
		(q.Other == 0 || apart(g.value, q.Other, q.Other)) && d.Dim == q.Dim && d.Per == q.Per
}

// valueKey is shared by numbers that may be equal within what is written: one dimension, and
// a place on a scale of equal ratios.
type valueKey struct {
	dim    string
	bucket int
}

func bucket(v float64) int {
	if v <= 0 {
		return math.MinInt32
	}
	return int(math.Floor(math.Log(v) / math.Log(1.02)))
}

// based returns the value of a quantity in the base of all that it is compared with.
func based(q *parse.Quantity) (dim string, v float64) {
	switch dim, v = q.Dim, math.Abs(q.Value); dim {
	case "months":
		return "time", v * parse.Month
	case "points":
		return "percent", v
	case "ratio":
		return "percent", 100 * v
	case "bits":
		return "bytes", v / 8
	case "cents", "pence":
		return "money", v
	}
	return dim, v
}

// indexNumber adds a group to where its number is looked for.
func (t *tracer) indexNumber(q *parse.Quantity, g int32) {
	dim, v := based(q)
	half := .2 * v
	if q.Bound == 0 && !q.About && q.Dim != "months" {
		half = min(half, q.Step()*v/max(math.Abs(q.Value), 1e-300))
	}
	for b := bucket(max(v-half, v/4)); b <= bucket(v+half); b++ { // 0 has one of its own
		alike, x := t.byValue[valueKey{dim, b}], &t.groups[g]
		if x.reach >= 0 && x.reach <= mostReach*x.value && isSimple(q, dim) {
			alike.simple, alike.reach = append(alike.simple, g), max(alike.reach, x.reach)
		} else {
			alike.other = append(alike.other, g)
		}
		t.byValue[valueKey{dim, b}] = alike
	}
	for _, n := range []float64{math.Abs(q.Number), v, q.Other} {
		if all := t.byNumber[n]; n > 0 && !slices.Contains(all, g) {
			t.byNumber[n] = append(all, g)
		}
	}
}

// hit is a record that may support a fact.
type hit struct {
	record  int32
	how     match
	foreign bool   // the record names something that the fact's sentence does not
	mask    uint64 // the words that both have
	swapped bool   // it says the figure of another name
	place   *Place // in a source
}

func newTracer() *tracer {
	return &tracer{
		lower:      map[string]bool{},
		explained:  map[string]bool{},
		vocabulary: map[string]int32{},
		isName:     map[int32]bool{},
		byDate:     map[parse.FigureKey][]int32{},
		byValue:    map[valueKey]alikeValues{},
		byNumber:   map[float64][]int32{},
		byRun:      map[string][]int32{},
		citations:  map[string][]int32{},
	}
}

// word returns the number of a word of the reports by its stem, a new one if it has none.
func (t *tracer) word(stem string) int32 {
	id, ok := t.vocabulary[stem]
	if !ok {
		id = int32(len(t.vocabulary))
		t.vocabulary[strings.Clone(stem)] = id
	}
	return id
}

// Limits of what is kept.
const (
	maxHits     = 6   // records of a fact
	maxPostings = 256 // records of a word
)

// index fills the tables by which facts are looked for with those for which only returns true.
func (t *tracer) index(only func(*fact) bool) {
	clear(t.byDate)
	clear(t.byValue)
	clear(t.byNumber)
	clear(t.byRun)
	clear(t.citations)
	t.groups, t.phrases, t.sought = nil, nil, make([]sought, len(t.facts))
	groups, phrases := map[any]int32{}, map[string]int{}
	for i := range t.facts {
		f, n := &t.facts[i], int32(i)
		if !only(f) {
			continue
		}
		t.sought[i] = sought{f.near, f.far, f.names, f.titled, len(f.runs) > 0}
		if f.cites != nil {
			name := path.Base(f.cites.doc)
			t.citations[name] = append(t.citations[name], n)
		}
		if len(f.runs) > 0 && (f.cites == nil || !f.cites.apart) {
			id := fmt.Sprint(f.kind == KindName, f.runs)
			k, ok := phrases[id]
			if !ok {
				k = len(t.phrases)
				phrases[id] = k
				t.phrases = append(t.phrases, phrase{runs: f.runs, name: f.kind == KindName})
			}
			t.phrases[k].facts = append(t.phrases[k].facts, n)
		}
		if !f.isFigure() {
			continue
		}
		figure := f.detail.Figure()
		g, ok := groups[figure]
		if !ok {
			g = int32(len(t.groups))
			groups[figure] = g
			t.groups = append(t.groups, newGroup(f.detail))
			if f.detail.Q != nil {
				t.indexNumber(f.detail.Q, g)
			} else {
				for _, k := range f.detail.Asks() {
					t.byDate[k] = append(t.byDate[k], g)
				}
			}
		}
		t.groups[g].facts = append(t.groups[g].facts, n)
	}
	for _, a := range t.byValue {
		slices.SortFunc(a.simple, func(x, y int32) int { return cmp.Compare(t.groups[x].value, t.groups[y].value) })
	}
	t.keyPhrases()
}

// keyPhrases says by which of its runs each phrase is found: the rarest in the reports; of a name the longest.
func (t *tracer) keyPhrases() {
	often := map[string]int{}
	for i := range t.phrases {
		for _, r := range t.phrases[i].runs {
			often[r]++
		}
	}
	for i := range t.phrases {
		p := &t.phrases[i]
		for k, r := range p.runs {
			key := p.runs[p.key]
			if fewer := often[key] - often[r]; !p.name && fewer > 0 || (p.name || fewer == 0) && len(r) > len(key) {
				p.key = k
			}
		}
		t.byRun[p.runs[p.key]] = append(t.byRun[p.runs[p.key]], int32(i))
	}
}

// merge takes over what scanners found.
func (t *tracer) merge(all ...*scanner) {
	n := len(t.vocabulary)
	t.df, t.lowerSeen, t.post = make([]int32, n), make([]bool, n), make([][]int32, n)
	for _, s := range all {
		for i := range s.df {
			t.df[i] += s.df[i]
			t.lowerSeen[i] = t.lowerSeen[i] || s.lowerSeen[i]
			t.post[i] = append(t.post[i], s.post[i]...)
		}
	}
	for i := range t.facts {
		f := &t.facts[i]
		f.hits = nil
		for _, s := range all {
			f.hits = append(f.hits, s.answers[i].hits...)
		}
		slices.SortFunc(f.hits, func(a, b hit) int { return better(&a, &b) })
		f.hits = f.hits[:min(len(f.hits), maxHits)]
	}
}

// cite notes which figures are said to be the confidence of an entry.
func (t *tracer) cite() {
	for i := range t.facts {
		f := &t.facts[i]
		if f.kind != KindNumber && f.kind != KindPercent {
			continue
		}
		u, column := &t.units[f.unit], ""
		before, after := u.Text[:f.start], u.Text[f.end:]
		if f.detail.Cell != nil {
			column = f.detail.Cell.Header
		}
		if confidentBefore.MatchString(before) || confidentAfter.MatchString(after) || confidentAfter.MatchString(column) {
			t.cited = append(t.cited, int32(i))
		}
	}
}

// confidence notes a hit for each of some figures, said to be a confidence, that is the record's.
func (s *scanner) confidence(c float64, figures []int32) {
	for _, n := range figures {
		q := s.facts[n].detail.Q
		value := q.Value
		if q.Dim == "percent" {
			value /= 100
		}
		if math.Abs(value-c) < .005 { // it is shown with two digits
			s.hit(n, same, 0)
		}
	}
}

// How a confidence is said.
var (
	confidentBefore = text.NewRegexp(`(?i)\bconfidence(?: level)?(?: of| is| was| at)?(?: about)?[\s:=("*]{0,4}$`)
	confidentAfter  = text.NewRegexp(`(?i)^[\s%)"*]{0,4}(?:percent )?confiden(?:ce|t)\b`)
)

// Records are read by several scanners, each in turn, some at a time.
const (
	scanners  = 2
	batchSize = 512
)

// readBoard reads all records once.
func (t *tracer) readBoard(board Records) error {
	t.index(func(*fact) bool { return true })
	t.cite()
	type batch struct {
		first   int
		records []Record
	}
	var all [scanners]*scanner
	var queues [scanners]chan batch
	var running sync.WaitGroup
	for i := range all {
		all[i], queues[i] = t.newScanner(), make(chan batch, 1)
		running.Go(func() {
			for b := range queues[i] {
				for k, r := range b.records {
					all[i].readRecord(int32(b.first+k), r)
				}
			}
		})
	}
	var next batch
	turn := 0
	flush := func() {
		queues[turn%scanners] <- next
		next, turn = batch{first: len(t.records)}, turn+1
	}
	err := board(func(r Record) error {
		next.records = append(next.records, r)
		t.records = append(t.records, r.ID)
		if len(next.records) == batchSize {
			flush()
		}
		return nil
	})
	flush()
	for _, q := range queues {
		close(q)
	}
	running.Wait()
	if err == nil {
		t.merge(all[:]...)
	}
	return err
}

// weight is how much a word that both have says: the rarer on the board, the more.
func (t *tracer) weight(id int32) float64 {
	return math.Log(1 + float64(len(t.records))/float64(max(1, t.df[id])))
}
