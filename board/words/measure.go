package words

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// This file reads quantities (numbers with units, in all spellings) and ranges.

// A unit can be converted into another of its dimension.
type unit struct {
	dim    string
	of     float64  // how many of its dimension's base it is; KB counts as KiB
	exact  *big.Rat // the same exactly; KB is 1000 bytes
	binary *big.Rat // of sizes, with KB as 1024 bytes
}

// unitTable has for each dimension its units: their factor and their names in the
// singular. Months are a dimension of their own: no number of days is a month.
const unitTable = `
	time 1/1000000000 ns nanosecond
	time 1/1000000 us microsecond
	time 1/1000 ms msec millisecond
	time 1 s sec second
	time 60 m min minute
	time 3600 h hr hour
	time 86400 d day
	time 604800 week wk
	time 1209600 fortnight
	month 1 month
	month 12 year yr y
	month 120 decade
	month 1200 century centurie
	size 1 byte b
	size 1000 kb kilobyte
	size 1000000 mb megabyte
	size 1000000000 gb gigabyte
	size 1000000000000 tb terabyte
	size 1000000000000000 pb petabyte
	size 1024 kib kibibyte
	size 1048576 mib mebibyte
	size 1073741824 gib gibibyte
	size 1099511627776 tib tebibyte
	rate 1000 kbps kbit/s
	rate 1000000 mbps mbit/s
	rate 1000000000 gbps gbit/s
	mass 1/1000000000 ng nanogram
	mass 1/1000000 ug mcg microgram
	mass 1/1000 mg milligram
	mass 1 g gram gramme
	mass 1000 kg kilo kilogram kilogramme
	mass 1000000 tonne t ton
	length 1/1000000000 nm nanometre nanometer
	length 1/1000000 um micrometre micrometer micron
	length 1/1000 mm millimetre millimeter
	length 1/100 cm centimetre centimeter
	length 1 metre meter
	length 1000 km kilometre kilometer
	length 0.0254 inch inche
	length 0.3048 foot feet
	length 1609.344 mile
	volume 1/1000 ml millilitre milliliter
	volume 1/100 cl centilitre centiliter
	volume 1 l litre liter
	volume 100 hl hectolitre hectoliter
	volume 1000 m3
	area 1 m2 sqm
	area 10000 ha hectare
	area 1000000 km2
	frequency 1 hz hertz
	frequency 1000 khz kilohertz
	frequency 1000000 mhz megahertz
	frequency 1000000000 ghz gigahertz
	power 1 w watt
	power 1000 kw kilowatt
	power 1000000 mw megawatt
	power 1000000000 gw gigawatt
	energy 1 kwh
	energy 1000 mwh
	energy 1000000 gwh
	point 1 pp
	point 1/100 bp bps
	% 1 % percent pct
	$ 1 $ usd dollar
	€ 1 € eur euro
	£ 1 £ gbp
`

var units = sync.OnceValue(func() map[string]unit {
	m := map[string]unit{}
	for line := range strings.Lines(unitTable) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		u := unit{dim: f[0]}
		u.exact, _ = new(big.Rat).SetString(f[1])
		u.of, _ = u.exact.Float64()
		if u.dim == "size" {
			u.binary = u.exact
			if n := (len(strconv.Itoa(int(u.of))) - 1) / 3; u.of == float64(pow(1000, n)) {
				u.binary = new(big.Rat).SetInt64(pow(1024, n))
			}
			u.of, _ = u.binary.Float64()
		}
		for _, name := range f[2:] {
			m[name] = u
		}
	}
	return m
})

func pow(base int64, n int) int64 {
	v := int64(1)
	for range n {
		v *= base
	}
	return v
}

// unitOf returns the unit that a folded word names.
func unitOf(w string) (unit, bool) {
	if len(w) > 12 {
		return unit{}, false
	}
	w = strings.ReplaceAll(strings.ReplaceAll(w, "µ", "u"), "μ", "u")
	u, ok := units()[w]    // "ms" before "m"
	if !ok && w != "has" { // which is no hectares
		u, ok = units()[strings.TrimSuffix(w, "s")]
	}
	return u, ok
}

// Unit returns the dimension that a word in lower case is a unit of ("time", "size"),
// and how many of the dimension's base it is: 0.001 for "ms".
func Unit(word string) (dim string, of float64, ok bool) {
	u, ok := counted(word)
	return u.dim, u.of, ok
}

// counted returns the unit that a word names, and whether lexemes are measured in it: money and percentages have
// spellings of their own, and a bare b or m is a scale as often as a unit.
func counted(w string) (unit, bool) {
	u, ok := unitOf(w)
	if !ok || w == "b" || w == "m" || strings.ContainsAny(u.dim, "%$€£") {
		return unit{}, false
	}
	return u, true
}

// keys are those of a number of the unit: one for each reading of it.
func (u *unit) keys(value string) []string {
	v, ok := new(big.Rat).SetString(value)
	if !ok {
		return nil
	}
	keys := []string{"u:" + u.dim + ":" + new(big.Rat).Mul(v, u.exact).RatString()}
	if u.binary != nil {
		keys = append(keys, "u:bin:"+new(big.Rat).Mul(v, u.binary).RatString())
	}
	return keys
}

// measure makes the fourth pass: the unit after a number, "0.8 s". A text that has it
// answers to the measured number and to the bare one; what asks for it is content with
// the same measure in any unit, or with the bare number of a table whose head has the
// unit.
func (s *Scanner) measure() {
	for i := range s.Lexemes {
		l := &s.Lexemes[i]
		if l.Kind == Number && len(l.Plain) < 4 && l.Keys[0][0] == 'i' {
			if _, _, ok := s.powered(i); ok { // per m²
				l.Kind = Part
				continue
			}
		}
		value, ok := l.value()
		if !ok {
			s.inHalf(l, i+1)
			continue
		}
		j := i + 1
		for j < len(s.Lexemes) && s.within(l, j) && !isUnit(s.Lexemes[j].Plain) {
			j++ // the words of the number
		}
		if j < len(s.Lexemes) &&
			(s.readHalfDay(l, value, j) || s.readMinutesPast(l, value, j) || s.unitAt(l, value, j) || s.readMetres(l, value, j)) {
			continue
		}
		if j < len(s.Lexemes) {
			s.cents(l, value, j)
		}
		if l.Kind == Number && s.isBare(l, j) {
			l.addKeys("b:" + value)
			if v, ok := strings.CutPrefix(value, "0."); ok && len(v) <= 4 { // 0.75 is 75 %
				l.addKeys("p:" + decimal("0."+v, 2))
			}
		} else if l.Kind == Number {
			s.apart(l, value, j)
		}
	}
}

// within reports whether lexeme j is a part of a number.
func (s *Scanner) within(l *Lexeme, j int) bool {
	return s.Lexemes[j].Kind == Part && s.Lexemes[j].End <= l.End
}

// value returns the value of a number without unit, spelled out or not.
func (l *Lexeme) value() (string, bool) {
	if l.Kind != Number && (l.Kind != Word || len(l.Keys) < 2) {
		return "", false
	}
	last := l.Keys[len(l.Keys)-1]
	if len(last) > 2 && strings.HasPrefix(last, "n:") && (l.Kind == Word ||
		len(l.Want) == 1 && l.Want[0] == last) {
		return last[2:], true
	}
	return "", false
}

// unitAt gives a number the unit that the lexeme j is, if it is one.
func (s *Scanner) unitAt(l *Lexeme, value string, j int) bool {
	next := &s.Lexemes[j]
	if !s.Near(*l, *next, "-()‑") ||
		next.Start == l.Start &&
			strings.HasPrefix(strings.TrimLeft(s.Surface(*next), "0123456789.,"), "/") {
		return false // 36.50/MWh
	}
	u, last, ok := s.powered(j)
	if next.Kind != Word && next.Kind != Part && !ok {
		return false
	}
	if !ok {
		u, ok = counted(next.Plain)
	}
	if next.Plain == "percentage" || next.Plain == "basis" {
		if j+1 < len(s.Lexemes) && strings.HasPrefix(s.Lexemes[j+1].Plain, "point") &&
			s.Near(*next, s.Lexemes[j+1], "") {
			u, ok = units()[map[string]string{"percentage": "pp", "basis": "bp"}[next.Plain]], true
			last++
		}
	}
	if !ok || len(next.Plain) == 1 && l.Kind == Word {
		return false
	}
	if l.Kind == Word && value == "1" { // one day, one second: often no number
		l.addKeys(u.keys(value)...)
		return true
	}
	l.setUnit(&u, value)
	for k := j; k <= last; k++ {
		s.Lexemes[k].Kind = Part
	}
	l.until = s.Lexemes[last].End
	l.End = max(l.End, l.until)
	return true
}

// apart adds the keys of a unit that stands one word off: 15 long minutes. Of working
// days and the like one is another unit.
func (s *Scanner) apart(l *Lexeme, value string, j int) {
	if j+1 >= len(s.Lexemes) || s.Lexemes[j].Kind != Word || s.Lexemes[j+1].Kind != Word ||
		slices.Contains(otherDays, s.Lexemes[j].Plain) ||
		!s.Near(*l, s.Lexemes[j], "-") || !s.Near(s.Lexemes[j], s.Lexemes[j+1], "-") {
		return
	}
	if u, ok := counted(s.Lexemes[j+1].Plain); ok && len(s.Lexemes[j+1].Plain) > 2 &&
		!Empty(s.Lexemes[j].Plain) {
		l.addKeys(u.keys(value)...)
	}
}

var otherDays = []string{"working", "business", "trading", "light", "person", "man"}

// addKeys adds keys. Those of a word are shared with other places that have it, so they
// are copied.
func (l *Lexeme) addKeys(keys ...string) {
	l.Keys = append(l.Keys[:len(l.Keys):len(l.Keys)], keys...)
}

// setUnit makes a lexeme a number of a unit: it answers to the measured number, and to the bare one.
func (l *Lexeme) setUnit(u *unit, value string) {
	keys := u.keys(value)
	l.Kind, l.unit, l.bareValue = Number, u, value
	l.addKeys(keys...)
	l.Want = append(keys, "b:"+value)
}

// isBare reports whether nothing right after a number says what it counts.
func (s *Scanner) isBare(l *Lexeme, j int) bool {
	if j >= len(s.Lexemes) {
		return true
	}
	next := s.Lexemes[j]
	if next.Start == l.Start { // 3x
		return next.Kind == Number
	}
	return next.Kind != Word || !s.Near(*l, next, "-") || Empty(next.Plain)
}

// maxSum is how many lexemes one duration may be written in.
const maxSum = 12

// joinDurations makes one number of a duration in several units, from the longest to the shortest: 6 h 20 min. The
// first lexeme gets the sum, the others become Part.
func (s *Scanner) joinDurations() {
	for i := 0; i < len(s.Lexemes); i++ {
		first := &s.Lexemes[i]
		one := s.single(i)
		if first.unit == nil && one == nil ||
			first.unit != nil && first.unit.dim != "time" && first.unit.dim != "month" {
			continue
		}
		total, end, u, last, from := new(big.Rat), first.until, first.unit, i, i
		if one != nil {
			total, end, u, from = big.NewRat(1, 1), s.Lexemes[i+1].End, one, i+2
			total.Mul(total, one.exact)
		}
		for j := from; j < min(len(s.Lexemes), i+maxSum); j++ {
			l := &s.Lexemes[j]
			if j > i && (l.Kind == Part || l.Plain == "and" && l.Kind == Word) {
				continue
			}
			minutes := strings.TrimSuffix(s.Surface(*l), "m")
			if j > i && l.unit == nil && l.Plain == minutes && Digits(minutes) && u.of == 3600 {
				m := units()["min"] // 1h 30m: not millions
				l.unit, l.bareValue, l.until = &m, minutes, l.End
			}
			// A number that has its unit from the next, as in 2 d, 3 to 5 h, is no part
			// of it.
			if j > i && (l.unit == nil || l.until == 0 || l.unit.dim != u.dim ||
				l.unit.exact.Cmp(u.exact) >= 0 ||
				!s.Near(Lexeme{Start: end, End: end}, Lexeme{Start: l.Start, End: l.Start},
					"and,")) {
				break
			}
			v, ok := new(big.Rat).SetString(l.bareValue)
			if !ok {
				break
			}
			total.Add(total, v.Mul(v, l.unit.exact))
			u, end, last = l.unit, l.until, j
		}
		if last == i {
			continue
		}
		key := "u:" + u.dim + ":" + total.RatString()
		first.Kind, first.Want = Number, []string{key}
		first.addKeys(key)
		for j := i + 1; j <= last; j++ {
			s.Lexemes[j].Kind = Part
		}
		first.End = end
		i = last
	}
}

// single returns the unit of which lexeme i says that there is one, with the next: an
// hour.
func (s *Scanner) single(i int) *unit {
	if l := &s.Lexemes[i]; l.Kind != Word || l.Plain != "a" &&
		l.Plain != "an" && l.Plain != "one" ||
		i+1 >= len(s.Lexemes) || s.Lexemes[i+1].Kind != Word || !s.Near(*l, s.Lexemes[i+1], "") {
		return nil
	}
	if u, ok := counted(s.Lexemes[i+1].Plain); ok && (u.dim == "time" || u.dim == "month") {
		return &u
	}
	return nil
}

// readRanges gives the first number of a range what the second has: "10 to 15 percent", "5-7
// hours", "3 to 5 million".
func (s *Scanner) readRanges() {
	for i := range s.Lexemes {
		l := &s.Lexemes[i]
		value, ok := l.value()
		if !ok && l.Kind == Number && len(l.Keys) > 1 &&
			strings.HasPrefix(l.Keys[len(l.Keys)-1], "b:") {
			value, ok = l.Keys[len(l.Keys)-1][2:], true
		}
		if !ok {
			continue
		}
		at := i
		for at+1 < len(s.Lexemes) && s.within(l, at+1) {
			at++ // the words of the number
		}
		j := s.rangeEnd(at)
		if j == 0 || j > at+1 && s.Lexemes[at+1].Plain == "and" && !s.hasBetween(i) {
			continue
		}
		switch to := &s.Lexemes[j]; {
		case to.unit != nil && l.Kind == Number:
			l.setUnit(to.unit, value)
		case to.unit != nil:
			l.addKeys(to.unit.keys(value)...)
		case len(to.Want) != 1:
		case strings.HasPrefix(to.Want[0], "p:"):
			key := "p:" + value
			l.addKeys(key)
			l.Kind, l.Want = Number, []string{key}
		case to.scale > 0 && l.scale == 0 && len(value) <= 3 &&
			strings.HasPrefix(to.Want[0], "n:"):
			key := "n:" + decimal(value, to.scale)
			l.addKeys(key)
			l.Kind, l.Want = Number, []string{key}
		}
	}
}

var rangeWords = []string{"to", "and", "or", "through"}

// hasBetween reports whether "between" or "from" stands before a lexeme.
func (s *Scanner) hasBetween(i int) bool {
	for k := i - 1; k >= max(0, i-2); k-- {
		if w := s.Lexemes[k].Plain; w == "between" || w == "from" {
			return true
		}
	}
	return false
}

func isUnit(w string) bool {
	_, ok := counted(w)
	return ok
}

// group joins numbers whose thousands stand apart: 1 000 000, with any kind of blank,
// and 1_000_000.
func (s *Scanner) group() {
	for i := 0; i < len(s.Lexemes); i++ {
		l := &s.Lexemes[i]
		if l.Kind != Number || len(l.Plain) > 3 || !Digits(l.Plain) || l.Plain[0] == '0' {
			continue
		}
		digits, last := l.Plain, i
		for j := i + 1; j < len(s.Lexemes) && len(digits) < maxDigits; j++ {
			n := s.Lexemes[j]
			whole, _, point := strings.Cut(n.Plain, ".")
			if n.Kind != Number || len(whole) != 3 || !Digits(whole) ||
				s.Lexemes[j-1].End >= n.Start ||
				!slices.Contains(thousands, s.Text[s.Lexemes[j-1].End:n.Start]) ||
				point && decimal(n.Plain, 0) == "" {
				break
			}
			digits, last = digits+n.Plain, j
			if point {
				break
			}
		}
		if last == i {
			continue
		}
		key := "n:" + decimal(digits, 0)
		l.Keys, l.Want, l.Plain = []string{key}, []string{key}, digits
		// A text may mean two numbers: it answers to both.
		s.Lexemes[last].Keys = append([]string{"n:" + s.Surface(*l)}, s.Lexemes[last].Keys...)
		l.End = s.Lexemes[last].End
		for j := i + 1; j <= last; j++ {
			s.Lexemes[j].Kind = Part
		}
		i = last
	}
}

var thousands = []string{" ", "\u00a0", "\u202f", "\u2009", "_"}
