package trace

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"

	"blackboard/board/documents"
	"blackboard/board/words"
)

// answers are the best of the records that answer to a fact.
type answers struct {
	hits    []hit
	tries   int
	settled bool
}

// scanner reads records. It does not change the tracer, so several can run at once.
type scanner struct {
	*tracer
	scan      words.Scanner
	answers   []answers // to each fact
	df        []int32
	lowerSeen []bool
	post      [][]int32

	record  int32
	named   bool               // what is read is the record's name or reference
	place   func(at int) Place // of a source
	window  int32
	first   int32   // the record's first window, which says what all are about
	mark    []int32 // of each word of the reports, the last window that has it
	layout  layout
	amounts []amount // of the part that is read

	recalled []int32 // of each unit, the last window that it was recalled in

	names   []int32
	subject int32 // the name that stands right before the figure; -1
	single  bool  // the window has no other figure of its unit
	alien   bool  // the window has a name that no report has

	// of the window, with their places in the record's text
	found  []figureFound
	keys   []keyFound
	tokens []string
	places []int
}

// figureFound is a figure of a record.
type figureFound struct {
	amount
	subject int32 // the name that stands right before it; -1
}

// keyFound is a date or a time of a record that a fact may be.
type keyFound struct {
	fact int32
	how  match
	at   int
}

func (t *tracer) newScanner() *scanner {
	n := len(t.vocabulary)
	return &scanner{
		tracer:    t,
		answers:   make([]answers, len(t.facts)),
		mark:      make([]int32, n),
		df:        make([]int32, n),
		lowerSeen: make([]bool, n),
		post:      make([][]int32, n),
		window:    1,
		subject:   -1,
	}
}

// windowSize is the part of a record that counts as being about one thing.
const windowSize = 1500

// readRecord reads a record of a board: as it is shown, as reports are read, and as it
// stands too if comments or the like are not shown.
func (s *scanner) readRecord(n int32, r Record) {
	d := documents.New(r.ID, r.Text)
	s.read(n, r.Ref, d)
	if len(d.Text()) != len(r.Text) {
		s.layout.units = s.layout.units[:0]
		s.readText(r.Text)
	}
	s.notePlaces(r.Cites)
	if r.Confidence != nil {
		s.confidence(*r.Confidence, s.cited)
	}
}

// read reads a text by its units, as those of a report are read. Its first window, and
// its name or reference if it has one, say what all of it is about; the numbers of these
// are of pages, lines, versions.
func (s *scanner) read(n int32, name string, d *documents.Document) {
	s.record = n
	s.window++
	s.first = s.window
	if name != "" {
		s.named = true
		s.readPart(name, 0, nil)
		s.answerFacts()
		s.named = false
	}
	s.layout = layout{report: d, units: s.layout.units[:0], lines: s.layout.lines[:0]}
	s.layout.read()
	s.recalled = append(s.recalled[:0], make([]int32, len(s.layout.units))...)
	s.readText(d.Text())
}

// readText reads a text in windows: its units, and what stands around them. What may be
// the mark of a list, or the number of a heading, is read together with its unit too.
func (s *scanner) readText(text string) {
	end, at := windowEnd(text, 0), 0
	readTo := func(to int, u *unit) {
		for at < to && hasAlnum(text[at:to]) {
			if at >= end {
				s.answerFacts()
				s.window++
				end = windowEnd(text, at)
			}
			next := to
			if u == nil {
				next = min(to, windowEnd(text, at))
			}
			s.readPart(text[at:next], at, u)
			at = next
		}
		at = to
	}
	for i := range s.layout.units {
		u := &s.layout.units[i]
		readTo(at+strings.LastIndexByte(text[at:u.start], '\n')+1, nil)
		if hasAlnum(text[at:u.start]) {
			readTo(u.end, nil)
		}
		if at = u.start; at >= end && u.before >= 0 {
			s.recall(i) // as what comes after the unit before
		}
		readTo(u.end, u)
		if s.window > s.first {
			for _, heading := range u.headings {
				s.recall(heading)
			}
			s.recall(u.header)
			s.recall(u.before)
		}
	}
	readTo(len(text), nil)
	s.answerFacts()
}

// recall marks the words of a unit that another window may have as words of this one,
// as the facts of a report have the words around their unit. There is no unit -1.
func (s *scanner) recall(i int) {
	if i < 0 || s.recalled[i] == s.window {
		return
	}
	s.recalled[i] = s.window
	s.scan.Scan(s.layout.units[i].text())
	for k := range s.scan.Lexemes {
		id, ok := s.vocabulary[contextKey(&s.scan.Lexemes[k])]
		if ok && s.mark[id] != s.first {
			s.mark[id] = s.window
		}
	}
}

func hasAlnum(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	})
}

// windowEnd returns where the window of a text that begins at a place ends: a long text
// is cut at a paragraph's end, a line's, a sentence's or a word's.
func windowEnd(text string, at int) int {
	if len(text)-at <= windowSize+windowSize/2 {
		return len(text)
	}
	head := text[at : at+windowSize]
	for _, mark := range []string{"\n\n", "\n", ". ", " "} {
		if i := strings.LastIndex(head, mark); i > windowSize/3 {
			return at + i + len(mark)
		}
	}
	end := at + windowSize
	for end > at+1 && text[end]&0xC0 == 0x80 {
		end--
	}
	return end
}

// readPart reads a part of a window that begins at a place of the record's text: a unit,
// or what stands around one.
func (s *scanner) readPart(text string, at int, u *unit) {
	s.scan.Scan(text)
	for i := range s.scan.Lexemes {
		l := &s.scan.Lexemes[i]
		if t := token(l); t != "" {
			s.tokens, s.places = append(s.tokens, t), append(s.places, at+l.Start)
		}
		s.note(l, i == 0)
		if l.Kind == words.Number || l.Kind == words.Word && len(l.Keys) > 1 {
			for k, key := range l.Keys {
				if s.named && key[0] == 'n' {
					continue
				}
				for _, n := range s.byKey[key] {
					how := same
					if k > 0 && len(s.facts[n].keys) > 1 {
						how = rounded
					}
					s.keys = append(s.keys, keyFound{n, how, at + l.Start})
				}
			}
		}
	}
	if s.named {
		return
	}
	s.amounts = amounts(&s.scan, s.amounts[:0])
	add := func(a amount) {
		f := figureFound{a, s.subjectOf(&a)}
		f.start, f.end = at+a.start, at+a.end
		s.found = append(s.found, f)
	}
	for i, a := range s.amounts {
		add(a)
		if a.dim == "" && a.value > 0 && a.value < 1 { // 0.65 is 65 %
			b := a
			b.dim, b.value, b.raw, b.step = "%", 100*a.value, 100*a.raw, 100*a.step
			add(b)
		}
		if u != nil {
			if b := inContext(s.layout.units, u, s.amounts, i); b.dim != a.dim ||
				b.value != a.value || b.nouns != a.nouns {
				add(b)
			}
		}
	}
}

// answerFacts notes what the window that was read answers to the facts.
func (s *scanner) answerFacts() {
	for i, t := range s.tokens {
		for _, n := range s.byToken[t] {
			s.phrase(n, i)
		}
		if v, ok := strings.CutPrefix(t, "i:"); ok && isVersion(v) { // 8.12 is 8.12.0
			for _, n := range s.byToken[t[:strings.LastIndexByte(t, '.')]] {
				if len(s.facts[n].tokens) == 1 {
					s.hit(n, same, s.places[i])
				}
			}
		}
		if isHash(t) {
			for end := len("i:") + shortHash; end < min(len(t), len("i:")+maxShortHash); end++ {
				for _, n := range s.byToken[t[:end]] {
					if len(s.facts[n].tokens) == 1 {
						s.hit(n, same, s.places[i])
					}
				}
			}
		}
	}
	for _, k := range s.keys {
		s.hit(k.fact, k.how, k.at)
	}
	for i := range s.found {
		a := &s.found[i].amount
		if s.subject = s.found[i].subject; s.subject >= 0 {
			s.single = s.isSingle(i)
		}
		for _, g := range s.byValue[valueKey{a.dim, bucket(a.value)}] {
			s.answer(g, a)
		}
		for _, dim := range a.otherCoins() {
			for _, g := range s.byValue[valueKey{dim, bucket(a.value)}] {
				s.answer(g, a)
			}
		}
		for _, g := range s.byValue[valueKey{anyUnit, bucket(a.raw)}] {
			if s.groups[g].amount.dim != a.dim {
				s.answer(g, a)
			}
		}
	}
	s.subject, s.names, s.alien = -1, s.names[:0], false
	s.tokens, s.places = s.tokens[:0], s.places[:0]
	s.keys, s.found = s.keys[:0], s.found[:0]
}

// isVersion reports whether a word is a version of three parts or more.
func isVersion(w string) bool {
	return strings.Count(w, ".") > 1 && strings.Trim(w, "0123456789.") == ""
}

// From how many to how many digits a hash is written when it is cut short.
const shortHash, maxShortHash = 7, 16

// isHash reports whether a token is a hash in hexadecimal digits.
func isHash(token string) bool {
	h, ok := strings.CutPrefix(token, "i:")
	return ok && len(h) > shortHash && strings.Trim(h, "0123456789abcdef") == ""
}

// answer notes hits of all facts of a group if a figure answers to theirs.
func (s *scanner) answer(g int32, a *amount) {
	to := &s.groups[g]
	if to.amount.dim == a.dim && (a.value < to.lo || a.value > to.hi) {
		return
	}
	if how := to.amount.matches(a); how > 0 {
		for _, n := range to.facts {
			s.hit(n, how, a.start)
		}
	}
}

// isSingle reports whether a window has no other figure in the unit of the one found.
func (s *scanner) isSingle(i int) bool {
	for k := range s.found {
		if s.found[k].start != s.found[i].start && s.found[k].dim == s.found[i].dim {
			return false
		}
	}
	return true
}

// subjectOf is the name that stands right before a figure, -1 if there is none:
// "Quillpath 26 h".
func (s *scanner) subjectOf(a *amount) int32 {
	for k := a.first - 1; k >= max(0, a.first-3); k-- {
		l := &s.scan.Lexemes[k]
		if strings.ContainsAny(s.scan.Text[l.End:max(l.End, a.start)], ",;:.!?()|\n") {
			break
		}
		if id, ok := s.vocabulary[contextKey(l)]; ok && s.isName[id] && s.scan.Capital(*l) {
			return id
		}
		if w := l.Plain; isContentWord(l) && l.Kind == words.Word && !verbs()[w] &&
			!strings.HasSuffix(w, "ed") && !strings.HasSuffix(w, "s") {
			break // Potassium sulphate 180 kg
		}
	}
	return -1
}

// note marks a word of the window.
func (s *scanner) note(l *words.Lexeme, first bool) {
	key := contextKey(l)
	if key == "" {
		return
	}
	capital := l.Kind == words.Word && s.scan.Capital(*l)
	id, ok := s.vocabulary[key]
	if !ok {
		if capital && !first && !noNames()[l.Plain] && l.Start > 1 &&
			!strings.ContainsAny(s.scan.Text[l.Start-2:l.Start], ".!?:\n\"“") {
			s.alien = true
		}
		return
	}
	if !capital && l.Kind != words.Number {
		s.lowerSeen[id] = true
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
	if s.isName[id] && (capital || l.Kind == words.Number) && !slices.Contains(s.names, id) {
		s.names = append(s.names, id)
	}
}

// phrase notes a hit if the tokens of a fact begin, or end, at token i. The words of a
// name may also stand apart.
func (s *scanner) phrase(n int32, i int) {
	f := &s.facts[n]
	if s.answers[n].settled {
		return
	}
	if s.stands(f.tokens, i) || f.kind == KindName && s.stands(f.tokens, i-len(f.tokens)+1) {
		s.hit(n, same, s.places[i])
		return
	}
	if f.kind != KindName || len(f.tokens) < 2 {
		return
	}
	for _, t := range f.tokens {
		if !functionWords()[t] && !slices.Contains(s.tokens, t) {
			return
		}
	}
	s.hit(n, rounded, s.places[i])
}

func (s *scanner) stands(tokens []string, i int) bool {
	return i >= 0 && i+len(tokens) <= len(s.tokens) &&
		slices.Equal(s.tokens[i:i+len(tokens)], tokens)
}

// hit notes that the record answers to a fact, if it is one of the best that do.
func (s *scanner) hit(n int32, how match, at int) {
	f, a := &s.facts[n], &s.answers[n]
	if a.settled {
		return
	}
	h := hit{record: s.record, how: how, foreign: s.alien}
	for i, id := range f.near {
		if s.has(id) {
			h.mask |= 1 << i
		}
	}
	for i, id := range f.far {
		if s.has(id) {
			h.mask |= 1 << (i + nearBits)
		}
	}
	for _, id := range s.names {
		h.foreign = h.foreign || !f.speaksOf(id)
	}
	h.swapped = s.subject >= 0 && f.names&nearMask != 0 && !slices.Contains(f.near, s.subject) &&
		!slices.Contains(f.far[:f.titled], s.subject) &&
		(!s.single || h.mask&f.names&nearMask == 0)
	if into := a.place(&h); into != nil {
		if s.place != nil {
			place := s.place(at)
			h.place = &place
		}
		*into = h
	}
	a.settle(f)
}

func (f *fact) speaksOf(id int32) bool {
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
func (a *answers) settle(f *fact) {
	if a.tries++; a.tries < enoughTries || len(a.hits) < maxHits {
		return
	}
	for i := range a.hits {
		h := &a.hits[i]
		if h.how < rounded ||
			len(f.tokens) == 0 &&
				(h.swapped || f.names&nearMask&^h.mask != 0 ||
					bits.OnesCount64(h.mask&nearMask) < 3) {
			return
		}
	}
	a.settled = true
}

// has reports whether the window, or the record's first one, has a word.
func (s *scanner) has(id int32) bool { return s.mark[id] == s.window || s.mark[id] == s.first }
