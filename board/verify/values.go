package verify

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"blackboard/board/claims"
	"blackboard/board/claims/parse"
	"blackboard/board/words"
)

// Kinds of a Value.
const (
	KindNumber     = "number"
	KindDate       = "date"
	KindIdentifier = "identifier"
	KindName       = "name"
)

// asked is a value that a finding has.
type asked struct {
	Value
	d *parse.Detail
}

// valuesOf returns the numbers, dates, identifiers and names of a finding, each once.
func valuesOf(finding *parse.Claim, content string) (all []asked) {
	seen := map[Value]bool{}
	listed := 0
	for k := range finding.Details {
		d := &finding.Details[k]
		v := Value{Kind: [...]string{KindNumber, KindDate, KindName, KindIdentifier}[d.Kind], Text: d.Text}
		switch {
		case d.Weak || claims.IsHandle(d.Text), d.Kind == parse.Identifier && oneSlash(d.Text),
			v.Kind == KindNumber && d.Q.Word && (d.Q.Number == 1 || d.Q.Number < 1 && d.Q.Dim == "percent"): // half of them
			continue
		case v.Kind == KindNumber && d.Text == strconv.Itoa(listed+1) && strings.Contains(content, "("+d.Text+")"):
			listed++ // it counts the items of a list: (1) … (2) …
			continue
		case v.Kind == KindName && (d.Begins && len(d.Words) == 1 || words.IsCommon(d.Words[0])):
			continue
		}
		if id := (Value{v.Kind, strings.ToLower(v.Text)}); !seen[id] {
			seen[id] = true
			all = append(all, asked{v, d})
		}
	}
	return all
}

// oneSlash reports whether two words or numbers have a slash between them, and nothing says that they are a name:
// and/or, 12/1, push/1.
func oneSlash(s string) bool {
	return strings.Count(s, "/") == 1 && !strings.ContainsAny(strings.Trim(s, "/"), "._") && s[0] != '/'
}

// in reports whether a text has a figure. Without bare, a number without a unit is none of one with a unit.
func (a asked) in(c *parse.Claim, bare bool) bool {
	return slices.ContainsFunc(c.Details, func(x parse.Detail) bool { return a.d.Is(&x, bare) })
}

// content checks a finding without a quote by its values.
func (s *Source) content(f *Finding) Outcome {
	var related []*parse.Claim
	if f.Calculated {
		for _, text := range f.Related {
			related = append(related, parse.ExtractText(text, ""))
		}
	}
	var missing []asked
	var operands [][2]float64
	wanted := valuesOf(parse.ExtractText(f.Content, ""), f.Content)
	if len(wanted) == 0 {
		return s.verbatim(f)
	}
	for _, a := range wanted {
		switch {
		case !s.has(a, true) && !s.hasQuantity(a) &&
			!slices.ContainsFunc(related, func(c *parse.Claim) bool { return a.in(c, true) }):
			missing = append(missing, a)
		case a.Kind == KindNumber:
			operands = append(operands, [2]float64{a.d.Q.Value, a.d.Q.Number})
		}
	}
	o := Outcome{Verdict: Supported}
	for _, a := range missing {
		if f.Calculated && a.Kind == KindNumber && follows(a, operands) {
			continue
		}
		o.Verdict = ValueMissing
		o.Missing = append(o.Missing, a.Value)
	}
	o.Note = lacks(o.Missing)
	return o
}

// minVerbatim is the least number of words that a source says in the same order by more
// than chance.
const minVerbatim = 3

// verbatim checks a finding without values: nothing of it can be looked for but its own
// words.
func (s *Source) verbatim(f *Finding) Outcome {
	own := *f
	own.Evidence = f.Content
	if o, quoted := s.quote(&own); quoted && o.Verdict == Found &&
		len(newStream(f.Content).words) >= minVerbatim {
		return Outcome{Verdict: Supported, Passage: o.Passage}
	}
	return Plain(NothingToCheck, "no quote, and no number, date, identifier or name")
}

// lacks writes what a source lacks.
func lacks(missing []Value) string {
	var b strings.Builder
	for _, kind := range []string{KindNumber, KindDate, KindIdentifier, KindName} {
		var texts []string
		for _, v := range missing {
			if v.Kind == kind {
				texts = append(texts, oneLine(v.Text, 60))
			}
		}
		if len(texts) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(kind + " not in source: " + strings.Join(texts, ", "))
	}
	return b.String()
}

// has looks for a value: for a figure of the same worth, or as it is written: a number within an
// identifier, an identifier with its signs. Without bare, a number without a unit is none of one with a unit.
func (s *Source) has(a asked, bare bool) bool {
	figure := a.Kind == KindNumber || a.Kind == KindDate
	if figure && s.figures().HasFigure(a.d, bare) {
		return true
	}
	text := strings.TrimSuffix(a.Text, "()")
	if figure {
		text = strings.TrimLeftFunc(text, func(r rune) bool { return unicode.Is(unicode.Sc, r) })
		if a.Kind == KindDate || a.d.Q.Dim == "percent" || strings.IndexFunc(text, unicode.IsDigit) < 0 {
			return false
		}
	}
	q := newStream(text)
	return len(q.words) > 0 && len(s.words().find(q, 0, len(q.words))) > 0
}

// maxOperands limits the numbers that a calculation may follow from, because among many
// numbers some pair gives any result.
const maxOperands = 12

// follows reports whether a number is what one step of arithmetic makes of others, as
// precisely as it is written.
func follows(a asked, from [][2]float64) bool {
	if len(from) > maxOperands {
		return false
	}
	for k, number := range [2]float64{a.d.Q.Value, a.d.Q.Number} { // with units converted, and as they are written
		var operands []float64
		for _, v := range from {
			operands = append(operands, v[k])
		}
		if makes(number, a.last(number), operands) {
			return true
		}
	}
	return false
}

// makes reports whether one step of arithmetic makes a number of others, as precisely as
// its last digit.
func makes(number, last float64, from []float64) bool {
	near := func(v float64) bool { return math.Abs(v-number) <= last/2*1.0001 }
	sum, product := 0.0, 1.0
	for _, v := range from {
		sum, product = sum+v, product*v
	}
	if len(from) > 1 && (near(sum) || near(product) || near(sum/float64(len(from)))) {
		return true
	}
	for i, v := range from {
		for j, w := range from {
			if i == j {
				continue
			}
			if near(v-w) || i < j && (near(v+w) || near(v*w) || near((v+w)/2)) {
				return true
			}
			if w != 0 && (near(v/w) || near(100*v/w) || near(100*(v-w)/w) || near(100*(w-v)/w)) {
				return true
			}
		}
	}
	return false
}

// last is the worth of the last digit of a number as it is written: of its value, or in another unit.
func (a asked) last(number float64) float64 {
	if a.d.Q.Value == 0 {
		return 2 * a.d.Q.Half
	}
	return 2 * a.d.Q.Half * math.Abs(number/a.d.Q.Value)
}
