package trace

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode"

	"blackboard/board/claims/parse"
	"blackboard/board/documents"
	"blackboard/board/words"
)

// answers are the best of the records that answer to a fact.
type answers struct {
	hits    []hit
	tries   int
	settled bool
	same    bool // no hit has changed since it was asked if it is settled
	worst   int  // the least score of the hits, if they are as many as are kept
}

// An answering is a group to which a figure answers.
type answering struct {
	group int32
	how   match
}

// maxAnswered is how many figures are kept with what they answer to.
const maxAnswered = 1 << 15

// scanner reads records. It does not change the tracer, so several can run at once.
type scanner struct {
	*tracer
	answers   []answers // to each fact
	settled   []bool    // of each phrase: all facts that have it are
	df        []int32
	lowerSeen []bool
	post      [][]int32

	record int32
	place  func(line int) Place // of a source
	window int32
	first  int32   // the record's first window, which says what all are about
	mark   []int32 // of each word of the reports, the last window that has it

	names   []int32
	subject int32 // the name that stands right before the figure; -1
	single  bool  // the window has no other figure of its unit
	alien   bool  // the window has a name that no report has
	keys    []parse.FigureKey

	known    map[any][]answering // what figures answer to, see claims.Detail.Figure
	stemmed  map[string][]string // the stems of names and identifiers
	answered []int32             // of each group, the last figure that was compared with it
	figures  int32               // that were

	room    [mostSkimmed]parse.Claim // for those of a record
	skimmed int                      // that were read

	runs   []string // of the record
	places []int    // where they stand in its text
}

func (t *tracer) newScanner() *scanner {
	n := len(t.vocabulary)
	return &scanner{tracer: t, answers: make([]answers, len(t.facts)), settled: make([]bool, len(t.phrases)),
		mark: make([]int32, n), df: make([]int32, n), answered: make([]int32, len(t.groups)), known: map[any][]answering{},
		stemmed:   map[string][]string{},
		lowerSeen: make([]bool, n), post: make([][]int32, n), window: 1, subject: -1}
}

// windowSize is the part of a record that counts as being about one thing.
const windowSize = 1500

// claimsOf reads what a record says, as a reader sees it, and what it quotes, by paragraphs.
func claimsOf(id, text string, extract func(*parse.Statement, string) *parse.Claim) (all []*parse.Claim) {
	parts := strings.Split(text, "\n\n")
	if strings.HasPrefix(parts[0], id+" ") && len(parts) > 1 {
		parts = parts[1:] // its head
	}
	for k, part := range parts {
		name := id
		if k > 0 {
			name += parse.Quoted
		}
		for _, s := range parse.ReadTitled(part) {
			s.Block += k << 16
			all = append(all, extract(s, name))
		}
	}
	return all
}

// readRecord reads a record of a board.
func (s *scanner) readRecord(n int32, r Record) {
	s.begin(n, r.Ref)
	text := documents.New(r.ID, r.Text).Text()
	s.skimmed = 0
	s.readClaims(claimsOf(r.ID, text, s.skim))
	s.readRuns(r.Ref, nil)
	s.readRuns(text, nil)
	s.notePlaces(r.Cites)
	if r.Confidence != nil {
		s.confidence(*r.Confidence, s.cited)
	}
}

// mostSkimmed is how many claims of a record are read into the room of those of the one before.
const mostSkimmed = 64

// skim reads a statement of a record. Nobody keeps it when the record has been read.
func (s *scanner) skim(st *parse.Statement, source string) *parse.Claim {
	if s.skimmed++; s.skimmed > mostSkimmed {
		return parse.Skim(st, source)
	}
	return s.room[s.skimmed-1].Skim(st, source)
}

// readSource reads a document.
func (s *scanner) readSource(n int32, d *documents.Document) {
	s.place = func(line int) Place {
		text := ""
		for at, l := range d.Lines() {
			if d.Line(at) == line {
				text = l
				break
			}
		}
		return Place{File: d.Name, Line: line, Text: oneLine(text, 200)}
	}
	var all []*parse.Claim
	for _, st := range parse.ReadReport(d) {
		all = append(all, parse.Skim(st, d.Name))
	}
	s.begin(n, d.Name)
	s.readClaims(all)
	s.readRuns(d.Text(), d.Line)
}

// begin begins a record. Its name or reference says what all of it is about, and the dates of
// these count; their numbers are of pages, lines, versions.
func (s *scanner) begin(n int32, name string) {
	s.record = n
	s.window++
	s.first = s.window
	for _, stem := range parse.Stems(name) {
		s.note(stem)
	}
	for _, d := range parse.Dates(name) {
		s.answer(&d, 0)
	}
}

// readClaims reads statements in windows. The first one says what all are about.
func (s *scanner) readClaims(all []*parse.Claim) {
	for from := 0; from < len(all); {
		to, size := from, 0
		for to < len(all) && (size == 0 || size+len(all[to].Text) <= windowSize) {
			size += len(all[to].Text)
			to++
		}
		s.alien, s.names = false, s.names[:0]
		for _, c := range all[max(0, from-1):min(len(all), to+1)] {
			s.readWords(c)
		}
		for _, c := range all[from:to] {
			s.readFigures(c, all[from:to])
		}
		from = to
		s.window++
	}
}

// readWords notes the words and names of a statement.
func (s *scanner) readWords(c *parse.Claim) {
	for stem := range c.Stems {
		s.note(stem)
	}
	for stem := range c.Context {
		s.note(stem)
	}
	for k := range c.Words {
		if stem := c.Words[k].Stem; !c.Words[k].Capital {
			if id, ok := s.vocabulary[stem]; ok {
				s.lowerSeen[id] = true
			}
		}
	}
	for k := range c.Details {
		d := &c.Details[k]
		if d.Q != nil || d.T != nil {
			continue
		}
		if d.Kind == parse.Identifier { // a heading has it as a word
			for _, stem := range s.stemsIn(d.Text) {
				s.note(stem)
			}
		}
		stems := []string{"#" + d.Words[0]}
		if d.Kind != parse.Identifier {
			stems = s.stemsIn(d.Text)
		}
		for _, stem := range stems {
			id, ok := s.vocabulary[stem]
			if ok && stem[0] == '#' {
				s.note(stem)
			}
			switch {
			case !ok:
				s.alien = s.alien || d.Kind == parse.Name && !d.Begins && !d.Weak
			case s.isName[id] && !slices.Contains(s.names, id):
				s.names = append(s.names, id)
			}
		}
	}
}

// stemsIn returns the stems of a name or an identifier, which few records alone have.
func (s *scanner) stemsIn(text string) []string {
	stems, known := s.stemmed[text]
	if !known {
		if stems = parse.Stems(text); len(s.stemmed) < maxAnswered {
			s.stemmed[strings.Clone(text)] = stems
		}
	}
	return stems
}

// note marks a word of the window.
func (s *scanner) note(stem string) {
	id, ok := s.vocabulary[stem]
	if !ok {
		return
	}
	switch mark := s.mark[id]; {
	case mark < s.first: // the record's first
		s.mark[id] = s.window
		s.df[id]++
		if p := s.post[id]; len(p) < maxPostings {
			s.post[id] = append(p, s.record)
		}
	case mark > s.first: // what the first window has, all have
		s.mark[id] = s.window
	}
}

// readFigures notes what the figures of a statement answer to the facts.
func (s *scanner) readFigures(c *parse.Claim, window []*parse.Claim) {
	for k := range c.Details {
		d := &c.Details[k]
		if d.Q == nil && d.T == nil {
			continue
		}
		if s.subject = s.subjectOf(c, k); s.subject >= 0 {
			s.single = isSingle(d, window)
		}
		s.answer(d, c.Line)
		if q := d.Q; q != nil && q.Dim == "" && q.Number > 0 && q.Number < 1 { // 0.65 is 65 %
			p, as := *q, *d
			p.Dim, p.Unit, p.Number, p.Value, p.Half, p.Noun = "percent", "%", 100*q.Number, 100*q.Value, 100*q.Half, nil
			as.Q = &p
			s.answer(&as, c.Line)
		}
	}
	s.subject = -1
}

// answer notes hits of all facts to which a figure answers.
func (s *scanner) answer(d *parse.Detail, line int) {
	figure := d.Figure()
	all, known := s.known[figure]
	if !known {
		if all = s.answering(d); len(s.known) < maxAnswered {
			s.known[figure] = all
		}
	}
	for _, a := range all {
		for _, n := range s.groups[a.group].facts {
			s.hit(n, a.how, line)
		}
	}
}

// answering returns the groups to which a figure answers.
func (s *scanner) answering(d *parse.Detail) (all []answering) {
	s.figures++
	if d.Q == nil {
		s.keys = d.Keys(s.keys[:0])
		for _, k := range s.keys {
			all = s.compare(s.byDate[k], d, all)
		}
		return all
	}
	dim, v := based(d.Q)
	alike := s.byValue[valueKey{dim, bucket(v)}]
	simple, other := alike.near(s.groups, d.Q, dim)
	all = s.compare(other, d, s.compare(simple, d, all))
	for _, n := range []float64{math.Abs(d.Q.Number), v, d.Q.Other} {
		all = s.compare(s.byNumber[n], d, all)
	}
	return all
}

func (s *scanner) compare(groups []int32, d *parse.Detail, all []answering) []answering {
	for _, g := range groups {
		if s.answered[g] == s.figures {
			continue
		}
		if s.answered[g] = s.figures; s.groups[g].excludes(d.Q) {
			continue
		}
		if how := matches(s.groups[g].detail, d); how > 0 {
			all = append(all, answering{g, how})
		}
	}
	return all
}

// isSingle reports whether a window has no other figure in the unit of the one found.
func isSingle(d *parse.Detail, window []*parse.Claim) bool {
	for _, c := range window {
		for k := range c.Details {
			if x := &c.Details[k]; x != d && x.Kind == d.Kind && (d.Q == nil || x.Q.Dim == d.Q.Dim) {
				return false
			}
		}
	}
	return true
}

// subjectOf is the name that stands right before a figure, -1 if there is none:
// "Quillpath 26 h".
func (s *scanner) subjectOf(c *parse.Claim, k int) int32 {
	d := &c.Details[k]
	if k == 0 || c.Details[k-1].Kind != parse.Name || c.Details[k-1].Weak || c.Details[k-1].Cell != d.Cell {
		return -1
	}
	name := &c.Details[k-1]
	text := c.Text
	if d.Cell != nil {
		text = d.Cell.Text
	}
	end := name.At + len(name.Text)
	if end > d.At || d.At > len(text) || strings.ContainsAny(text[end:d.At], ",;:.!?()|") {
		return -1
	}
	between := strings.Fields(text[end:d.At])
	if len(between) > 2 {
		return -1
	}
	for _, w := range between {
		if low := strings.ToLower(w); !verbs()[low] && !functionWords()[low] &&
			!strings.HasSuffix(low, "ed") && !strings.HasSuffix(low, "s") {
			return -1 // Potassium sulphate 180 kg
		}
	}
	if id, ok := s.vocabulary[parse.Stem(name.Words[len(name.Words)-1])]; ok && s.isName[id] {
		return id
	}
	return -1
}

// appendRuns adds the runs of letters and digits of a text in lower case, as claims reads its lines, and where these
// begin. Lines that claims reads otherwise than they are written follow as they are: the targets of links, code.
func appendRuns(runs []string, places []int, text string) ([]string, []int) {
	var others []int
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		p := parse.Plain(line)
		if p != line {
			others = append(others, at)
		}
		runs, places = lineRuns(runs, places, p, at)
		at += len(line) + 1
	}
	for _, at := range others {
		line, _, _ := strings.Cut(text[at:], "\n")
		runs, places = lineRuns(runs, places, line, at)
	}
	return runs, places
}

func lineRuns(runs []string, places []int, line string, at int) ([]string, []int) {
	low, start := strings.ToLower(line), -1
	add := func(end int) {
		if start >= 0 {
			runs, places = append(runs, unmarked(low[start:end])), append(places, at)
		}
		start = -1
	}
	for i, r := range low {
		if in := ofRun(r); !in {
			add(i)
		} else if start < 0 {
			start = i
		}
	}
	add(len(low))
	return runs, places
}

// ofRun reports whether a character belongs to a run.
func ofRun(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

func runsOf(text string) []string {
	runs, _ := lineRuns(nil, nil, parse.Plain(text), 0)
	return runs
}

// unmarked takes the v of a version off: v2.
func unmarked(run string) string {
	if len(run) > 1 && run[0] == 'v' && strings.Trim(run[1:], "0123456789") == "" {
		return run[1:]
	}
	return run
}

// From how many to how many digits a hash is written when it is cut short.
const shortHash, maxShortHash = 7, 16

// readRuns looks for the names, identifiers and quotes of the reports in a text of the record.
func (s *scanner) readRuns(text string, line func(at int) int) {
	if len(s.byRun) == 0 {
		return
	}
	s.runs, s.places = appendRuns(s.runs[:0], s.places[:0], text)
	for i, run := range s.runs {
		at := 0
		if line != nil && len(s.byRun[run]) > 0 {
			at = line(s.places[i])
		}
		for _, p := range s.byRun[run] {
			s.phrase(p, i, at)
		}
		if len(run) > shortHash && strings.Trim(run, "0123456789abcdef") == "" {
			for end := shortHash; end < min(len(run), maxShortHash); end++ {
				for _, p := range s.byRun[run[:end]] {
					if len(s.phrases[p].runs) == 1 {
						s.hitAll(p, same, at)
					}
				}
			}
		}
	}
}

// apart is how many runs the words of a name may be apart.
const apart = 120

// phrase notes hits of the facts with a phrase if its runs stand around run i. The words of a
// name may also stand apart.
func (s *scanner) phrase(n int32, i, line int) {
	p := &s.phrases[n]
	if s.settled[n] {
		return
	}
	if from := i - p.key; from >= 0 && from+len(p.runs) <= len(s.runs) &&
		slices.Equal(s.runs[from:from+len(p.runs)], p.runs) {
		s.hitAll(n, same, line)
		return
	}
	if !p.name || len(p.runs) < 2 {
		return
	}
	around := s.runs[max(0, i-apart):min(len(s.runs), i+apart)]
	for _, r := range p.runs {
		if !functionWords()[r] && !slices.Contains(around, r) {
			return
		}
	}
	s.hitAll(n, rounded, line)
}

// hitAll notes a hit of all facts with a phrase.
func (s *scanner) hitAll(p int32, how match, line int) {
	settled := true
	for _, n := range s.phrases[p].facts {
		s.hit(n, how, line)
		settled = settled && s.answers[n].settled
	}
	s.settled[p] = settled
}

var functionWords = lazySet(words.FunctionWords)

// hit notes that the record answers to a fact, if it is one of the best that do.
func (s *scanner) hit(n int32, how match, line int) {
	a := &s.answers[n]
	if a.settled {
		return
	}
	f := &s.sought[n]
	h := hit{record: s.record, how: how, foreign: s.alien}
	if len(a.hits) == maxHits && h.score()+3*len(f.near)+len(f.far) < a.worst { // whatever words both have
		a.settle(f)
		return
	}
	h.mask = s.shared(f.near)
	if len(a.hits) == maxHits && h.score()+len(f.far) < a.worst { // whatever the far ones are
		a.settle(f)
		return
	}
	h.mask |= s.shared(f.far) << nearBits
	if len(a.hits) == maxHits && h.score() < a.worst {
		a.settle(f)
		return
	}
	for _, id := range s.names {
		h.foreign = h.foreign || !f.speaksOf(id)
	}
	h.swapped = s.subject >= 0 && f.names&nearMask != 0 && !slices.Contains(f.near, s.subject) &&
		!slices.Contains(f.far[:f.titled], s.subject) &&
		(!s.single || h.mask&f.names&nearMask == 0)
	if into := a.place(&h); into != nil {
		if s.place != nil {
			place := s.place(line)
			h.place = &place
		}
		*into, a.same, a.worst = h, false, math.MaxInt
		for i := range a.hits {
			a.worst = min(a.worst, a.hits[i].score())
		}
	}
	a.settle(f)
}

func (f *sought) speaksOf(id int32) bool {
	return slices.Contains(f.near, id) || slices.Contains(f.far, id)
}

// place returns where a hit belongs: in the place of a worse one, of the same record if
// there is one; nil if it is none of the best.
func (a *answers) place(h *hit) *hit {
	into := slices.IndexFunc(a.hits, func(o hit) bool { return o.record == h.record })
	switch {
	case into < 0 && len(a.hits) < maxHits:
		a.hits = append(a.hits, hit{})
		return &a.hits[len(a.hits)-1]
	case into < 0:
		into = 0
		for i := range a.hits {
			if better(&a.hits[i], &a.hits[into]) > 0 {
				into = i
			}
		}
	}
	if better(h, &a.hits[into]) < 0 {
		return &a.hits[into]
	}
	return nil
}

// enoughTries is the number of records after which no better one is looked for.
const enoughTries = 64

// settle notes that no further record can change the verdict on a fact: as many as are
// kept support it, and share several words with it, and all names, or it is a name,
// which needs none.
func (a *answers) settle(f *sought) {
	if a.tries++; a.tries < enoughTries || len(a.hits) < maxHits || a.same {
		return
	}
	a.same = true
	for i := range a.hits {
		h := &a.hits[i]
		if h.how < rounded ||
			!f.runs &&
				(h.swapped || f.names&nearMask&^h.mask != 0 ||
					bits.OnesCount64(h.mask&nearMask) < 3) {
			return
		}
	}
	a.settled = true
}

// shared returns which of some words the window has, or the record's first one, as a mask.
func (s *scanner) shared(ids []int32) (mask uint64) {
	mark, window, first := s.mark, s.window, s.first
	for i, id := range ids {
		if m := mark[id]; m == window || m == first {
			mask |= 1 << i
		}
	}
	return mask
}
