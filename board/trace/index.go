package trace

import (
	"math"
	"path"
	"slices"
	"strings"
	"sync"

	"blackboard/board/text"
)

// tracer holds the facts of the reports and their best records. Its memory grows with
// the reports, not with the board: it keeps the id of each record, and some records for
// each word of a report.
type tracer struct {
	units   []unit
	context [][]contextWord // of each unit
	facts   []fact
	defined map[string]bool // acronyms that a report explains
	lower   map[string]bool // words of the reports in lower case

	near, far []contextWord // of the fact that is read, to use their memory again

	vocabulary map[string]int32 // the words of the reports, by their keys
	isName     map[int32]bool
	df         []int32 // how many records have a word
	lowerSeen  []bool  // a record has it in lower case
	post       [][]int32

	byKey     map[string][]int32   // facts by what a date or a time answers to
	byToken   map[string][]int32   // facts by their first token, and names by their last
	byValue   map[valueKey][]int32 // groups
	groups    []group
	citations map[string][]int32 // citations by the name of their document's file
	cited     []int32            // figures that are said to be the confidence of an entry

	records []string // their ids
	sources int      // that were read
}

// group has the facts with the same figure.
type group struct {
	amount *amount
	lo, hi float64 // its reach
	facts  []int32
}

type groupKey struct {
	dim         string
	value, step float64
	nouns       [2]string
	bound       byte
}

type valueKey struct {
	dim    string
	bucket int
}

// anyUnit is the dimension under which a number is looked for as it is written.
const anyUnit = "*"

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
		defined:    map[string]bool{},
		lower:      map[string]bool{},
		vocabulary: map[string]int32{},
		isName:     map[int32]bool{},
		byKey:      map[string][]int32{},
		byToken:    map[string][]int32{},
		byValue:    map[valueKey][]int32{},
		citations:  map[string][]int32{},
	}
}

// word returns the number of a word of the reports, a new one if it has none.
func (t *tracer) word(key string) int32 {
	id, ok := t.vocabulary[key]
	if !ok {
		id = int32(len(t.vocabulary))
		t.vocabulary[strings.Clone(key)] = id
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
	clear(t.byKey)
	clear(t.byToken)
	clear(t.byValue)
	clear(t.citations)
	t.groups = nil
	groups := map[groupKey]int32{}
	for i := range t.facts {
		f, n := &t.facts[i], int32(i)
		if !only(f) {
			continue
		}
		if f.cites != nil {
			name := path.Base(f.cites.doc)
			t.citations[name] = append(t.citations[name], n)
		}
		for _, k := range f.keys {
			t.byKey[k] = append(t.byKey[k], n)
		}
		if len(f.tokens) > 0 && (f.cites == nil || !f.cites.apart) {
			t.byToken[f.tokens[0]] = append(t.byToken[f.tokens[0]], n)
			if last := f.tokens[len(f.tokens)-1]; f.kind == KindName && last != f.tokens[0] {
				t.byToken[last] = append(t.byToken[last], n)
			}
		}
		if f.isAmount() {
			t.indexAmount(&f.amount, n, groups)
		}
	}
}

// indexAmount adds a figure to its group, and the group to where it is looked for.
func (t *tracer) indexAmount(a *amount, n int32, groups map[groupKey]int32) {
	key := groupKey{a.dim, a.value, a.step, a.nouns, a.bound}
	g, ok := groups[key]
	if !ok {
		g = int32(len(t.groups))
		groups[key] = g
		lo, hi := a.reach()
		t.groups = append(t.groups, group{amount: a, lo: lo * (1 - sameShare),
			hi: hi * (1 + sameShare)})
		for _, dim := range append(a.otherCoins(), a.dim) {
			for b := bucket(lo); b <= bucket(hi); b++ {
				k := valueKey{dim, b}
				t.byValue[k] = append(t.byValue[k], g)
			}
		}
		k := valueKey{anyUnit, bucket(a.raw)}
		t.byValue[k] = append(t.byValue[k], g)
	}
	t.groups[g].facts = append(t.groups[g].facts, n)
}

func (f *fact) isAmount() bool {
	return f.kind != KindStatement && len(f.keys) == 0 && len(f.tokens) == 0
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
		before, after := u.text()[:f.start-u.start], u.text()[f.end-u.start:]
		if u.header >= 0 {
			column = t.units[u.header].cell(max(0, t.columnOf(f)-1))
		}
		if confidentBefore.MatchString(before) || confidentAfter.MatchString(after) || confidentAfter.MatchString(column) {
			t.cited = append(t.cited, int32(i))
		}
	}
}

// confidence notes a hit for each of some figures, said to be a confidence, that is the record's.
func (s *scanner) confidence(c float64, figures []int32) {
	for _, n := range figures {
		a := &s.facts[n].amount
		value := a.value
		if a.dim == "%" {
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
