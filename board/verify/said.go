package verify

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"blackboard/board/claims"
	"blackboard/board/claims/parse"
	"blackboard/board/documents"
	"blackboard/board/trace"
)

// said checks what a finding says beside its quote, which stands at a match, or whose lines stand apart: its
// numbers, dates and identifiers must be in the source, too, or follow from the quote and its paragraph. What an observation says otherwise is a doubt. Other entries may conclude
// it, so it is only noted.
//
// A name that is in no source is no doubt, because a finding may name things otherwise; one in the place of
// another one is.
func (s *Source) said(f *Finding, o Outcome, at match, apart []match) Outcome {
	finding := parse.ExtractText(f.Content, "")
	evidence := s.evidence(at)
	quoted := evidence.OnLines(s.lines(at))
	for _, m := range apart {
		if m != at {
			quoted = append(quoted, evidence.OnLines(s.lines(m))...)
		}
	}
	v := evidence.Verify(finding, f.Evidence, quoted)
	lacking := s.lacking(f, finding, at, v.Has)
	if len(lacking) > 0 {
		lacking = s.underived(f, lacking, at)
	}
	if !f.Concludes {
		v.Refuted = append(v.Refuted, v.Misquotes(func(text string) bool {
			return slices.ContainsFunc(lacking, func(a asked) bool {
				return strings.Contains(text, a.Text) || strings.Contains(a.Text, text)
			})
		})...)
	}
	if len(v.Refuted) > 0 {
		o.Verdict, o.Note = Refuted, foundBut+"it contradicts the finding: "+strings.Join(v.Refuted, "; ")
		for _, a := range lacking {
			o.Missing = append(o.Missing, a.Value)
		}
		return o
	}
	if len(v.Unsure) > 0 {
		o.Verdict, o.Note = Unsure, foundBut+"it may deny the finding: "+strings.Join(v.Unsure, "; ")
	}
	if len(lacking) == 0 || o.Verdict == Unsure {
		return o
	}
	texts := make([]string, len(lacking))
	for i, a := range lacking {
		o.Missing = append(o.Missing, a.Value)
		texts[i] = oneLine(a.Text, 60)
	}
	o.Note = fmt.Sprintf(foundBut+"the finding says %s, which neither the quote nor %s has",
		strings.Join(texts, ", "), cmp.Or(oneLine(f.SourceDoc, 80), "the source"))
	if f.Concludes {
		o.Note += "; type " + f.Type + " may conclude it"
	} else {
		o.Verdict = ValueMissing
	}
	return o
}

// Of a source above maxClaimed bytes, claimedAround bytes on both sides of a quote are read as claims:
// these take some sixty times the memory of their text.
const (
	maxClaimed    = 4 << 20
	claimedAround = 32 << 10
)

// evidence returns the source as claims, or what is around a match, if the source is large.
func (s *Source) evidence(at match) *claims.Evidence {
	if len(s.doc.Text()) > maxClaimed {
		x := s.words()
		from, to := int(x.words[at.from].start), int(x.words[at.to-1].end)
		return claims.NewEvidence(parse.ExtractPart(s.doc, from-claimedAround, to+claimedAround))
	}
	return s.figures()
}

// lines returns the first and the last line of a match, from 1.
func (s *Source) lines(at match) (from, to int) {
	x := s.words()
	return s.doc.Line(int(x.words[at.from].start)), s.doc.Line(int(x.words[at.to-1].end) - 1)
}

// figures returns the source as claims; of a large one these have its figures alone.
func (s *Source) figures() *claims.Evidence {
	if s.claims == nil && len(s.doc.Text()) > maxClaimed {
		s.claims = claims.NewEvidence(claims.ExtractFigures(s.doc))
	} else if s.claims == nil {
		s.claims = claims.EvidenceOf(s.doc)
	}
	return s.claims
}

// lacking returns the numbers, dates and identifiers of a finding that neither its quote
// nor its source has, nor the reference that it gives, and that no quantity in the lines of
// its quote means.
func (s *Source) lacking(f *Finding, finding *parse.Claim, at match, has func(string) bool) (lacking []asked) {
	var known []*parse.Claim
	var code []quantity
	translated := false
	for _, a := range valuesOf(finding, f.Content) {
		if a.Kind == KindName || a.Kind == KindIdentifier && isBrand(a.Text) || has(a.Text) ||
			strings.Contains(f.SourceDoc, a.Text) {
			continue
		}
		if known == nil { // most findings have no value, or few
			lines := s.linesOf(at)
			translated = !parse.IsEnglish(lines)
			code = quantities(lines + "\n" + f.Evidence)
			for _, text := range append([]string{f.Evidence, f.SourceRef}, f.Related...) {
				known = append(known, parse.ExtractText(text, ""))
			}
		}
		// 500 s are not what a name in ms has as 500.
		bare := !slices.ContainsFunc(code, func(q quantity) bool { return a.d.Q != nil && q.dim != "" && q.dim == a.d.Q.Dim })
		if slices.ContainsFunc(known, func(c *parse.Claim) bool { return a.in(c, bare) }) || s.has(a, bare) ||
			translated && a.isCounted(known[0]) ||
			slices.ContainsFunc(code, func(q quantity) bool { return q.means(a) }) {
			continue
		}
		lacking = append(lacking, a)
	}
	return lacking
}

// isCounted reports whether a text has the number before a unit that is written as a word and may be a noun, which
// another language calls otherwise than the unit: 1240 meters that are read.
func (a asked) isCounted(c *parse.Claim) bool {
	word := a.Text[strings.LastIndexFunc(a.Text, func(r rune) bool { return !unicode.IsLetter(r) })+1:]
	return a.d.Q != nil && len(word) >= 4 && slices.ContainsFunc(c.Details, func(d parse.Detail) bool {
		return d.Q != nil && (d.Q.Number == a.d.Q.Number || d.Q.Other == a.d.Q.Number)
	})
}

// isBrand reports whether an identifier may be the name of a product: GitHub.
func isBrand(s string) bool {
	return s[0] >= 'A' && s[0] <= 'Z' &&
		strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
}

// linesOf returns the lines of a match, but at most `around` bytes before and behind it.
func (s *Source) linesOf(at match) string {
	x := s.words()
	from, to := int(x.words[at.from].start), int(x.words[at.to-1].end)
	from = max(strings.LastIndex(x.text[:from], "\n")+1, from-around)
	if end := strings.Index(x.text[to:min(len(x.text), to+around)], "\n"); end >= 0 {
		to += end
	}
	return x.text[from:to]
}

// around is how many bytes before and after a quote are taken for its paragraph at most.
const around = 1000

// underived returns the values that do not follow from the quote and its paragraph: no
// figure there rounds to them, and no calculation makes them.
func (s *Source) underived(f *Finding, lacking []asked, at match) []asked {
	x := s.words()
	from, to := int(x.words[at.from].start), int(x.words[at.to-1].end)
	before, after := x.text[max(0, from-around):from], x.text[to:min(len(x.text), to+around)]
	before = before[strings.LastIndex(before, "\n\n")+1:]
	if end := strings.Index(after, "\n\n"); end >= 0 {
		after = after[:end]
	}
	r, err := trace.Check(func(read func(trace.Record) error) error {
		err := read(trace.Record{ID: "quote", Text: f.Evidence})
		if err == nil {
			err = read(trace.Record{ID: "paragraph",
				Text: strings.ToValidUTF8(before+x.text[from:to]+after, "")})
		}
		return err
	}, nil, documents.New("", f.Content))
	if err != nil { // it comes from the records alone, which have none
		return lacking
	}
	var row []float64
	for _, v := range valuesOf(parse.ExtractText(f.Evidence, ""), f.Evidence) {
		if v.Kind == KindNumber {
			row = append(row, v.d.Q.Value)
		}
	}
	return slices.DeleteFunc(lacking, func(a asked) bool {
		if a.totals(row) {
			return true
		}
		follows := false
		for _, fact := range r.Facts {
			if strings.Contains(fact.Text, a.Text) {
				if fact.Verdict == trace.Unsupported {
					return false
				}
				follows = true
			}
		}
		return follows
	})
}

// totals reports whether a number is the sum of a row of numbers, or the share of one of
// them in it.
func (a asked) totals(row []float64) bool {
	if a.Kind != KindNumber || len(row) < 3 || len(row) > maxOperands {
		return false
	}
	sum := 0.0
	for _, v := range row {
		sum += v
	}
	near := func(v float64) bool { return math.Abs(v-a.d.Q.Value) <= a.d.Q.Half*1.0001 }
	return near(sum) || a.d.Q.Dim == "percent" &&
		slices.ContainsFunc(row, func(v float64) bool { return near(100 * v / sum) })
}
