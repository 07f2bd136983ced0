package trace

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"blackboard/board/words"
)

// amount is a number with its unit, in a report or a record.
type amount struct {
	value       float64 // in the base of its dimension
	raw         float64 // as it is written
	step        float64 // of its last digit that counts: 100 for 4,500, 0.1 for 11.9
	digits      int     // that count
	dim         string  // %, $, time, …; "" for what is counted, or nothing
	nouns       [2]string
	per         string  // of what it is a rate: a dimension, or the key of a noun
	perOf       float64 // how many of that dimension's base one is
	perToo      string  // the key of another noun that says of what
	bound       byte    // '~' about, '>' at least, '<' at most; 0
	as          *operand
	coins       bool // it is said in cents, of whatever currency
	first, last int  // its lexemes
	start, end  int  // in the text
}

// operand is what calculations need of an amount beyond its value and unit: its text, and what its sentence says.
type operand struct {
	text       string // as it is written
	ofMany     string // the key of a noun, or perEach, if each of some has it
	rate, mean bool   // its sentence speaks of a period, of an average
	said, adds bool   // its sentence calculates, adds or subtracts
	points     bool   // it is in points: a difference of two shares, and no share
}

// operand returns what calculations need of a figure beyond its value and unit: nothing while records are scanned,
// where there are many.
func (a *amount) operand() operand {
	if a.as == nil {
		return operand{}
	}
	return *a.as
}

// amounts adds the amounts of a scanned text to into.
func amounts(s *words.Scanner, into []amount) []amount {
	for i := range s.Lexemes {
		if a, ok := readAmount(s, i); ok {
			into = append(into, a)
		} else if a, ok := readDuration(s, i); ok {
			into = append(into, a)
		}
	}
	for i := len(into) - 2; i >= 0; i-- { // 10 to 15 dollars, 8 to 10 times
		a, b := &into[i], &into[i+1]
		if a.dim == "" && a.nouns[0] == "" && b.dim != "" && b.start >= a.end &&
			b.start-a.end <= 8 {
			switch strings.Trim(s.Text[a.end:b.start], " $€£") {
			case "-", "–", "—", "to", "and", "or", ",", ", and", ", or":
				a.like(b)
			}
		}
	}
	return into
}

// like takes over the unit of another amount.
func (a *amount) like(b *amount) {
	if b.raw > 0 {
		a.value, a.step = a.value*b.value/b.raw, a.step*b.value/b.raw
	}
	a.dim = b.dim
}

// numberOf reads the number that a lexeme is, with the unit that it is measured in; key
// is the number as it is written.
func numberOf(l *words.Lexeme) (a amount, key string, ok bool) {
	if l.Kind == words.Part || l.Kind == words.Pair ||
		l.Kind == words.Number && strings.IndexByte("npu", l.Want[0][0]) < 0 { // a date
		return a, "", false
	}
	for _, k := range l.Keys {
		kind, rest, _ := strings.Cut(k, ":")
		switch {
		case l.Kind == words.Number && l.Want[0][0] == 'n' &&
			(kind == "p" || kind == "u" && strings.HasPrefix(rest, "length:") && len(l.Want) > 1):
			// a reading beside that of the number as it stands: 14 out of 37, 41m
		case kind == "n" && a.dim == "", kind == "p" && l.Kind == words.Number:
			v, err := strconv.ParseFloat(rest, 64)
			if key, ok = rest, err == nil; kind == "p" {
				a.dim = "%"
			}
			a.raw, a.value = v, v
		case kind == "u" && !strings.HasPrefix(rest, "bin:"):
			dim, value, _ := strings.Cut(rest, ":")
			v, isRat := new(big.Rat).SetString(value)
			if !isRat {
				continue
			}
			a.dim, ok = dim, true
			switch a.value, _ = v.Float64(); dim {
			case "month": // the twelfth part of a year of days
				a.dim, a.value = "time", a.value*365*86400/12
			case "point":
				a.dim = "%"
			}
		}
	}
	if key == "" {
		a.raw = a.value
	}
	return a, key, ok
}

// unitBefore reads the unit of a number that names a place: km 41.3, mile 7, day 42.
func (a *amount) unitBefore(s *words.Scanner, i int) {
	if i == 0 || a.dim != "" || a.nouns[0] != "" || !s.Near(s.Lexemes[i-1], s.Lexemes[i], "") {
		return
	}
	dim, of, ok := words.Unit(s.Lexemes[i-1].Plain)
	if dim == "month" {
		dim, of = "time", 365*day/12.0
	}
	numbers := dim == "length" || dim == "time" && of >= 3600 && len(s.Lexemes[i-1].Plain) > 2
	if ok && numbers && i > 1 && s.Lexemes[i-1].Kind == words.Word &&
		s.Lexemes[i-2].Kind != words.Number {
		a.dim, a.value, a.step = dim, a.value*of, a.step*of
	}
}

func readAmount(s *words.Scanner, i int) (amount, bool) {
	l := &s.Lexemes[i]
	a, key, ok := numberOf(l)
	if !ok {
		return amount{}, false
	}
	a.first, a.last, a.start, a.end = i, i, l.Start, l.End
	a.precision(s.Surface(*l), key)
	if a.dim == "%" {
		if rest := s.Text[a.end:]; strings.HasPrefix(rest, "%") {
			a.end++
		} else if strings.HasPrefix(rest, " %") {
			a.end += 2
		}
	} else if currency, from := currencyBefore(s.Text, l.Start); currency != "" && a.dim == "" {
		a.dim, a.start = currency, from
	}
	next := i + 1
	for next < len(s.Lexemes) && s.Lexemes[next].Kind == words.Part &&
		s.Lexemes[next].End <= a.end {
		next++ // million, hours
	}
	a.last = next - 1
	if next >= len(s.Lexemes) || s.Lexemes[next].Start != l.Start ||
		!strings.Contains(s.Surface(*l), "/") { // not 84.30/MWh
		a.measure(s, next)
	}
	a.unitBefore(s, i)
	a.readPer(s)
	a.bound = boundBefore(s, i)
	return a, true
}

// readDuration reads 3:20 h.
func readDuration(s *words.Scanner, i int) (amount, bool) {
	l := &s.Lexemes[i]
	if l.Kind != words.Number || l.Want[0][0] != 't' || i+1 >= len(s.Lexemes) {
		return amount{}, false
	}
	next := &s.Lexemes[i+1]
	dim, of, ok := words.Unit(next.Plain)
	at, isMoment := moment(l.Want[0])
	if !ok || dim != "time" || of < 60 || !isMoment || !s.Near(*l, *next, "") {
		return amount{}, false
	}
	at -= midnight
	a := amount{
		value: at,
		raw:   at,
		dim:   dim,
		first: i,
		last:  i + 1,
		start: l.Start,
		end:   next.End,
	}
	if a.digits, a.step = 3, 60; of < 3600 {
		a.value, a.step = at/60, 1
	}
	return a, true
}

// measure reads the unit or the nouns that follow.
func (a *amount) measure(s *words.Scanner, next int) {
	if a.dim == "" {
		if symbol := currencyAfter(s.Text[a.end:]); symbol != "" {
			a.dim = symbol
			return
		}
		rest := strings.TrimLeft(s.Text[a.end:min(len(s.Text), a.end+8)], " \u00a0")
		if strings.HasPrefix(rest, "°C") || strings.HasPrefix(rest, "°F") {
			a.dim = rest[:len("°C")]
			return
		}
	}
	for n := 0; n < len(a.nouns) && next < len(s.Lexemes); next++ {
		l := &s.Lexemes[next]
		before := words.Lexeme{Start: a.start, End: a.end}
		if a.last > a.first {
			before.End = max(a.end, s.Lexemes[a.last].End)
		}
		if l.Kind != words.Word && l.Kind != words.Part || !s.Near(before, *l, "-") {
			return
		}
		if l.Start < a.end && n == 0 && l.Plain == "m" && a.dim == "" && a.value < 100 {
			a.dim, a.value, a.step, a.last = "time", a.value*60, a.step*60, next
			continue
		}
		if a.dim == "" && n == 0 {
			if m, ok := coin(l.Plain); ok {
				a.dim, a.value, a.step = m.dim, a.value*m.of, a.step*m.of
				a.last, a.end, a.coins = next, max(a.end, l.End), m.of < 1
				continue
			}
		}
		if a.dim == "" && n == 0 && (l.Plain == "degrees" || l.Plain == "degree") {
			if a.dim = "°C"; next+1 < len(s.Lexemes) && s.Lexemes[next+1].Plain == "fahrenheit" {
				a.dim = "°F"
			}
			a.last, a.end = next, max(a.end, l.End)
			continue
		}
		if a.dim == "%" && n == 0 &&
			(l.Plain == "percent" || l.Plain == "per" || l.Plain == "cent" || l.Plain == "pct") {
			a.last, a.end = next, max(a.end, l.End)
			continue
		}
		if l.Plain == "per" {
			return
		}
		if a.dim == "" && n == 0 && l.Plain == "times" && !compared(s, next) {
			continue // it happened so many times
		}
		if ratioWords()[l.Plain] && a.dim == "" && n == 0 {
			a.dim, a.last, a.end = "×", next, max(a.end, l.End)
			return
		}
		if !isContentWord(l) || noNouns()[l.Plain] {
			return
		}
		if n == 0 && a.dim == "" && (l.Plain == "points" || l.Plain == "point") && a.step < 1 {
			a.dim, a.last, a.end = "%", next, max(a.end, l.End) // 2.5 points
			return
		}
		if dim, of, ok := words.Unit(l.Plain); ok && a.dim == "" && len(l.Plain) > 2 {
			a.dim, a.value, a.step = dim, a.value*of, a.step*of // 9.6 working days
		}
		a.nouns[n] = l.Keys[0]
		a.last = next
		n++
	}
}

// compared reports whether what follows "times" says that it is a ratio: 3 times as
// much, 3 times the price.
func compared(s *words.Scanner, i int) bool {
	if i+1 >= len(s.Lexemes) || !s.Near(s.Lexemes[i], s.Lexemes[i+1], "") {
		return false
	}
	next := &s.Lexemes[i+1]
	return isContentWord(next) || next.Plain == "as" || next.Plain == "the" || next.Plain == "that" ||
		next.Plain == "what" || comparatives()[next.Plain]
}

// ratioWords follow a number that says how many times as much something is.
var ratioWords = lazySet("times x × fold")

// precision sets step and digits, how exact a number is, by the digits that it is written with.
func (a *amount) precision(surface, key string) {
	digits, decimals := strings.Trim(key, "0"), false
	if i := strings.IndexAny(surface, "0123456789"); i >= 0 {
		end := i
		for end < len(surface) && strings.IndexByte("0123456789.,'", surface[end]) >= 0 {
			end++
		}
		written := strings.TrimRight(surface[i:end], ".,'")
		digits = strings.TrimLeft(strings.Map(onlyDigits, written), "0")
		if p := strings.LastIndexAny(written, ".,"); p >= 0 &&
			(written[p] == '.' || len(written)-p != 4) {
			decimals = true
		}
		if !decimals {
			digits = strings.TrimRight(digits, "0")
		}
	}
	digits = strings.Map(onlyDigits, digits)
	a.digits = max(1, len(digits))
	a.step = 1
	if a.raw > 0 {
		a.step = math.Pow(10, math.Floor(math.Log10(a.raw))-float64(a.digits)+1) * a.value / a.raw
	}
}

func onlyDigits(r rune) rune {
	if r >= '0' && r <= '9' {
		return r
	}
	return -1
}

// How far a figure may be from one that supports it, in parts of it.
const (
	sameShare  = 1e-9
	zerosShare = 0.025 // 12,000 for 11,870: a reader takes zeros at the end for rounding
	roundShare = 0.1   // no rounding changes a figure by more
	aboutShare = 0.1   // as package words reads "about"
	boundShare = 0.15
)

// reach returns from where to where a more exact figure supports this one.
func (a *amount) reach() (lo, hi float64) {
	half := min(a.step/2, a.value*roundShare)
	if a.step > 1 { // zeros at the end
		half = min(half, a.value*zerosShare*float64(min(a.digits, 2)))
	}
	if a.dim == "time" && a.value >= 28*86400 {
		half = max(half, a.value*0.015) // 18 months, 1.5 years
	}
	lo, hi = a.value-half, a.value+half
	if a.dim == "size" { // a kilobyte is 1,000 or 1,024 bytes
		lo, hi = min(lo, a.value/1.074), max(hi, a.value*1.074)
	}
	switch a.bound {
	case '~':
		lo, hi = min(lo, a.value*(1-aboutShare)), max(hi, a.value*(1+aboutShare))
	case '>':
		hi = max(hi, a.value*(1+boundShare))
	case '<':
		lo = min(lo, a.value*(1-boundShare))
	}
	return lo, hi
}

// How a figure answers to another.
type match byte

const (
	noMatch   match = iota
	otherUnit       // the same number, in another unit
	otherNoun       // the same number of other things
	noUnit          // the same number, where one of both has no unit
	rounded         // of a more exact figure
	same
)

// sameScale reports whether the units of two figures are decimal multiples of one
// another: then the one with fewer digits is no more exact form of the other. Miles are
// none of metres.
func (a *amount) sameScale(g *amount) bool {
	if a.raw == 0 || g.raw == 0 || a.dim == "time" || a.dim == "size" {
		return true
	}
	scale := math.Log10(a.value / a.raw * g.raw / g.value)
	return math.Abs(scale-math.Round(scale)) < 1e-6
}

// matches says how a record's figure g answers to the report's a.
func (a *amount) matches(g *amount) match {
	g = g.inCurrency(a)
	exact := math.Abs(a.value-g.value) <= sameShare*max(a.value, g.value)
	if a.dim != g.dim {
		if math.Abs(a.raw-g.raw) > sameShare*max(a.raw, g.raw) {
			return noMatch
		}
		if a.dim == "" && a.nouns[0] == "" || g.dim == "" && g.nouns[0] == "" {
			return noUnit
		}
		return otherUnit
	}
	if a.dim == "size" && !exact && a.value > 0 && g.value > 0 {
		steps := math.Log(a.value/g.value) / math.Log(1.024)
		if exact = math.Abs(steps) < 3.5 && math.Abs(steps-math.Round(steps)) < 1e-3; !exact &&
			math.Abs(a.value-g.value) > min(a.step/2, a.value*roundShare) {
			return noMatch
		}
	}
	if !exact {
		lo, hi := a.reach()
		if g.value < lo*(1-sameShare) || g.value > hi*(1+sameShare) ||
			a.bound == 0 && g.step >= a.step && a.sameScale(g) {
			return noMatch
		}
	}
	if a.dim == "" && a.nouns[0] != "" && g.nouns[0] != "" && !a.counts(g) {
		if !exact && g.digits < 3 {
			return noMatch
		}
		return otherNoun
	}
	if !exact {
		return rounded
	}
	return same
}

// kind is the kind of fact that an amount is.
func (a *amount) kind() string {
	switch {
	case a.dim == "%":
		return KindPercent
	case a.dim != "" && (strings.Contains("$€£¥", a.dim) || a.dim[0] >= 'A' && a.dim[0] <= 'Z'):
		return KindMoney
	}
	return KindNumber
}

// bucket is the place of a value on a scale of equal ratios.
func bucket(v float64) int {
	if v <= 0 {
		return math.MinInt32
	}
	return int(math.Floor(math.Log(v) / math.Log(1.02)))
}
