package verify

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"blackboard/board/text"
	"blackboard/board/words"
)

// Kinds of a Value.
const (
	KindNumber     = "number"
	KindDate       = "date"
	KindIdentifier = "identifier"
	KindName       = "name"
)

// values are what a text answers to: the keys of its words and numbers.
type values map[string]bool

func (v values) add(text string) {
	var s words.Scanner
	for at := 0; at < len(text); {
		end := at + words.ScanEnd(text[at:])
		for _, l := range s.Scan(text[at:end]) {
			for _, k := range l.Keys {
				if !v[k] {
					v[strings.Clone(k)] = true
				}
			}
		}
		at = end
	}
}

func (v values) hasAny(keys []string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return v[k] })
}

// asked is a value that a finding has.
type asked struct {
	Value
	keys   []string
	number [2]float64 // of the kind number: in the base of its unit, and as it is written
}

var identifier = text.NewRegexp("`[^`\n]{2,80}`" + `|--?[a-z][a-z0-9-]+\b|\b\w+(?:[._/:-]+\w+)*\b`)

// boardID reports whether a word is the id of an entry or a signal, or a range of them:
// e12, s3, e4-e9.
func boardID(s string) bool {
	for part := range strings.SplitSeq(strings.ReplaceAll(s, "–", "-"), "-") {
		if len(part) < 2 || len(part) > 8 || strings.IndexByte("eEsS", part[0]) < 0 ||
			!words.Digits(part[1:]) {
			return false
		}
	}
	return true
}

// valuesOf returns the numbers, dates, identifiers and names of a finding, each once.
func valuesOf(content string) (all []asked) {
	var s words.Scanner
	s.Scan(content)
	seen := map[string]bool{}
	add := func(kind, text string, keys []string, number [2]float64) {
		if id := kind + " " + strings.ToLower(text); !seen[id] {
			seen[id] = true
			all = append(all, asked{Value{kind, text}, keys, number})
		}
	}
	listed := 0
	names := capitalised(&s)
	for i, l := range s.Lexemes {
		switch {
		case names[i]:
			add(KindName, s.Surface(l), l.Keys, [2]float64{})
		case l.Kind != words.Number || boardID(s.Surface(l)):
		case l.Want[0] == "n:"+strconv.Itoa(listed+1) && enumerates(s.Text, l):
			listed++
		default:
			add(kindOf(l.Want[0]), s.Shown(l), l.Want, [2]float64{numberOf(l.Want[0]),
				numberOf(l.Want[len(l.Want)-1])})
		}
	}
	for _, m := range identifier.FindAllStringSubmatch(content, -1) {
		if isIdentifier(m[0]) && !boardID(m[0]) {
			add(KindIdentifier, strings.Trim(m[0], "`"), nil, [2]float64{})
		}
	}
	return all
}

// isIdentifier reports whether a word is the name of something in a program or a file
// system.
func isIdentifier(s string) bool {
	if s[0] == '`' || strings.HasPrefix(s, "--") {
		return true
	}
	if strings.ContainsAny(s, "_") {
		return true
	}
	low, humps := false, false
	for _, r := range s {
		humps = humps || low && unicode.IsUpper(r)
		low = unicode.IsLower(r)
	}
	if humps && !strings.Contains(s, "-") {
		_, _, unit := words.Unit(strings.ToLower(s)) // kW
		return !unit
	}
	path, base := strings.Contains(s, "/"), s[strings.LastIndexByte(s, '.')+1:]
	if path {
		return strings.Count(s, "/") > 1 || len(base) < len(s)
	}
	// name.ext, and no number, abbreviation or missing blank
	return len(base) >= 1 && len(base) <= 4 && len(base)+3 < len(s) &&
		!strings.Contains(s, "..") &&
		base == strings.ToLower(base) && strings.IndexFunc(base, unicode.IsLetter) == 0 &&
		strings.IndexFunc(s, unicode.IsDigit) != 0
}

// enumerates reports whether a number only counts the items of a list: (1) … (2) ….
func enumerates(text string, l words.Lexeme) bool {
	return strings.HasPrefix(text[l.End:], ")") &&
		(l.Start == 0 || text[l.Start-1] == '(' || text[l.Start-1] == ' ')
}

func kindOf(key string) string {
	switch key[0] {
	case 'd', 't':
		return KindDate
	case 'i':
		return KindIdentifier
	}
	return KindNumber
}

// numberOf returns the number of a key, in the base of its unit if it has one.
func numberOf(key string) float64 {
	r, ok := new(big.Rat).SetString(key[strings.LastIndexByte(key, ':')+1:])
	if !ok {
		return math.NaN()
	}
	f, _ := r.Float64()
	return f
}

// capitalised finds the words that are names by their capital, which no beginning of a
// sentence explains. A text that has capitals throughout, as a title may, has no names.
func capitalised(s *words.Scanner) map[int]bool {
	names := map[int]bool{}
	capitals, all := 0, 0
	for i, l := range s.Lexemes {
		if l.Kind != words.Word || len(l.Plain) < 2 {
			continue
		}
		all++
		if !s.Capital(l) {
			continue
		}
		capitals++
		if i == 0 || words.IsCommon(l.Plain) {
			continue
		}
		gap := s.Text[min(s.Lexemes[i-1].End, l.Start):l.Start]
		if strings.Trim(gap, " \t/&-,") == "" && gap != "" {
			names[i] = true
		}
	}
	if 2*capitals > all {
		return nil
	}
	return names
}

// read returns the values of the source.
func (s *Source) read() values {
	if s.values == nil {
		s.values = values{}
		s.values.add(s.doc.Text())
	}
	return s.values
}

// content checks a finding without a quote by its values.
func (s *Source) content(f *Finding) Outcome {
	known := []values{s.read()}
	if f.Calculated {
		related := values{}
		for _, text := range f.Related {
			related.add(text)
		}
		known = append(known, related)
	}
	var missing []asked
	var operands [][2]float64
	wanted := valuesOf(f.Content)
	if len(wanted) == 0 {
		return s.verbatim(f)
	}
	for _, a := range wanted {
		in := s.has(a) || s.hasQuantity(a)
		for _, v := range known {
			in = in || v.hasAny(a.keys)
		}
		switch {
		case !in:
			missing = append(missing, a)
		case a.Kind == KindNumber && !math.IsNaN(a.number[0]):
			operands = append(operands, a.number)
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

// has looks for a value as it is written: a number within an identifier, an identifier
// with its signs.
func (s *Source) has(a asked) bool {
	if s.read().hasAny(a.keys) {
		return true
	}
	if a.Kind == KindDate {
		return false
	}
	text := strings.TrimSuffix(strings.TrimSuffix(a.Text, "()"), "%")
	if a.Kind == KindNumber {
		text = strings.TrimLeftFunc(text, func(r rune) bool { return unicode.Is(unicode.Sc, r) })
		if strings.IndexFunc(text, unicode.IsDigit) < 0 || strings.HasSuffix(a.Text, "%") {
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
	if len(from) > maxOperands || math.IsNaN(a.number[0]) {
		return false
	}
	for k, number := range a.number { // with units converted, and as they are written
		var operands []float64
		for _, v := range from {
			operands = append(operands, v[k])
		}
		if makes(number, unit(a.Text, number), operands) {
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

// unit is the worth of the last digit of a number as it is written.
func unit(text string, number float64) float64 {
	digits, decimals, dot := 0, 0, false
	for _, r := range text {
		switch {
		case r == '.':
			dot = true
		case digit(r):
			digits++
			if dot {
				decimals++
			}
		}
	}
	scale := 1.0
	if written, err := strconv.ParseFloat(strings.Map(func(r rune) rune {
		if r == '.' || digit(r) {
			return r
		}
		return -1
	}, text), 64); err == nil && written != 0 {
		scale = number / written
	}
	return math.Abs(scale) * math.Pow(10, -float64(decimals))
}
