package trace

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"blackboard/board/claims"
	"blackboard/board/documents"
)

// This file asks the engine of claims about the statements of a report, and takes over what
// it knows better: units, rates, signs, currencies, zones, what stands word for word, and
// what an entry says the opposite of.

// mostBeside is how many records are read for a statement, beside those with its figures;
// mostRecords are read for all.
const mostBeside, mostRecords = 4, 5000

// judgeByClaims judges the facts again by what package claims reads in the records nearest to them: it supports facts,
// refutes them, and adds statements that are contradicted.
func (t *tracer) judgeByClaims(board Records) error {
	wanted := map[int32]bool{}
	for i := range t.facts {
		for _, h := range t.facts[i].hits {
			if len(wanted) < mostRecords/2 {
				wanted[h.record] = true
			}
		}
	}
	for i := 0; i < len(t.units) && len(wanted) < mostRecords; i++ {
		f := fact{unit: i, start: t.units[i].start, end: t.units[i].start}
		t.surround(&f)
		near := t.nearest(&f)
		for _, r := range near[:min(len(near), mostBeside)] {
			wanted[r] = true
		}
	}
	var all []*claims.Claim
	n := int32(0)
	if err := board(func(r Record) error {
		if wanted[n] {
			all = append(all, claimsOf(&r)...)
		}
		n++
		return nil
	}); err != nil {
		return err
	}
	t.weighAll(claims.NewEvidence(all))
	return nil
}

// claimsOf reads what a record says, as a reader sees it, and what it quotes.
func claimsOf(r *Record) (all []*claims.Claim) {
	parts := strings.Split(documents.New(r.ID, r.Text).Text(), "\n\n")
	if strings.HasPrefix(parts[0], r.ID+" ") && len(parts) > 1 {
		parts = parts[1:] // its head
	}
	for k, part := range parts {
		name := r.ID
		if k > 0 {
			name += claims.Quoted
		}
		for _, s := range claims.Read(strings.Clone(part)) {
			all = append(all, claims.Extract(s, name))
		}
	}
	return all
}

// weighing is the facts of one report beside what evidence says about its statements.
type weighing struct {
	*tracer
	ev          *claims.Evidence
	report      *documents.Document
	first, last int // its units
	all         []claims.Standing
	taken       map[*claims.Detail]bool // details that are a fact already
}

// weighAll judges the facts of all reports by evidence.
func (t *tracer) weighAll(ev *claims.Evidence) {
	facts := len(t.facts)
	for first := 0; first < len(t.units); {
		w := weighing{tracer: t, ev: ev, report: t.units[first].report, first: first,
			taken: map[*claims.Detail]bool{}}
		for w.last = first; w.last < len(t.units) && t.units[w.last].report == w.report; {
			w.last++
		}
		w.all = ev.Trace(claims.ExtractDocument(w.report))
		for i := range facts {
			if f := &t.facts[i]; f.unit >= first && f.unit < w.last {
				w.weigh(f)
			}
		}
		w.contradicted()
		first = w.last
	}
}

// weigh takes over what evidence says about a fact.
func (w *weighing) weigh(f *fact) {
	s, d := w.standing(f)
	v := &f.verdict
	switch {
	case s == nil:
	case s.Verbatim != "":
		if v.Verdict == Unsupported {
			*v = Fact{Verdict: Supported, Entries: []string{s.Verbatim}}
		}
	case d == nil, f.cites != nil && f.cites.apart: // claims read the document's name, without the place
	case d.Verdict == claims.Supported && v.Verdict == Unsupported:
		if v.Cause == OtherUnit && d.Q != nil && d.Q.Dim == "" && !d.Label || // in a word that is not known
			v.Cause == Elsewhere && (d.Q == nil || !d.Q.Ref) && !d.Label {
			break
		}
		*v = Fact{Verdict: Supported, Entries: []string{d.Source}}
	case d.Verdict == claims.Refuted:
		f.refuted = true
		*v = Fact{Verdict: Unsupported, Cause: OtherUnit, Entries: []string{d.Source},
			Why: d.String()}
	}
}

// standing returns the statement that states a fact, and the detail that it is; nil for what is not found.
func (w *weighing) standing(f *fact) (*claims.Standing, *claims.Judged) {
	line, text := w.report.Line(f.start), oneLine(w.report.Text()[f.start:f.end], 300)
	text = strings.Trim(text, "`")
	all := w.all
	if u := &w.units[f.unit]; u.heading { // no statement
		all = w.ev.Trace([]*claims.Claim{w.readHeading(u)})
	} else {
		all = all[sort.Search(len(all), func(k int) bool { return all[k].End >= line }):]
	}
	for k := range all {
		s := &all[k]
		if s.Line > line {
			break
		}
		if s.End < line || !hasWord(s.Text, text) {
			continue
		}
		for n := range s.Details {
			d := &s.Details[n]
			if !w.taken[d.Detail] && (hasWord(d.Text, text) || hasWord(text, d.Text)) {
				w.taken[d.Detail] = true
				return s, d
			}
		}
		return s, nil
	}
	return nil, nil
}

// contradicted adds a fact for each statement of the report that an entry says the opposite of, or that no entry says
// anything like.
func (w *weighing) contradicted() {
	for k := range w.all {
		s := &w.all[k]
		verdict := Fact{Verdict: Unsupported, Cause: Opposite, Entries: []string{s.By},
			Why: s.By + ": " + s.Against}
		if s.Unsaid != "" {
			verdict = Fact{Verdict: Unsupported, Cause: Absent, Why: s.Unsaid}
		} else if s.Against == "" {
			continue
		}
		for i := w.first; i < w.last; i++ {
			u := &w.units[i]
			line := w.report.Line(u.start)
			if text := oneLine(u.text(), 300); line < s.Line || line > s.End || u.heading ||
				!strings.HasPrefix(s.Text, text[:min(len(text), 20)]) {
				continue
			}
			w.facts = append(w.facts, fact{kind: KindStatement, unit: i, start: u.start, end: u.end,
				verdict: verdict, refuted: !claims.TurnsOnDenial(s.Against)})
			break
		}
	}
}

// readHeading reads a heading as a statement.
func (w *weighing) readHeading(u *unit) *claims.Claim {
	line := w.report.Line(u.start)
	return claims.Extract(&claims.Statement{Text: oneLine(u.text(), 300), Line: line, End: line}, "")
}

// hasWord reports whether a text has another one that is no part of a longer number or word.
func hasWord(text, part string) bool {
	for at := 0; part != ""; at++ {
		i := strings.Index(text[at:], part)
		if i < 0 {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(part):])
		if !wordRune(before) && !wordRune(after) {
			return true
		}
	}
	return false
}

func wordRune(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
