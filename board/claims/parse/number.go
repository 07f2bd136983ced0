package parse

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"sync"

	"blackboard/board/text"
)

// A numeral is a number as it is written.
type numeral struct {
	value    float64
	other    float64 // the other way to read a separator: 16.181 may be 16181; 0 if none
	decimals int
}

// thousandsByPoints reports whether points part thousands: 4.500.000.
func thousandsByPoints(s string) bool {
	groups := strings.Split(s, ".")
	for i, g := range groups {
		if i > 0 && len(g) != 3 || i == 0 && (len(g) > 3 || g == "0") {
			return false
		}
	}
	return len(groups) > 2
}

var thinSeparators = strings.NewReplacer("'", "", "’", "", "\u00a0", "", "\u202f", "", "\u2009", "",
	" ", "", "_", "")

// parseNumber reads digits with separators in the notations of several countries.
func parseNumber(s string) (n numeral, ok bool) {
	if len(s) > 0 && len(s) < 16 && digits(s) && (s[0] != '0' || len(s) == 1) {
		v, err := strconv.ParseUint(s, 10, 64)
		n.value = float64(v)
		return n, err == nil
	}
	s = strings.TrimRight(replace(thinSeparators, s), ".,")
	commas, points := strings.Count(s, ","), strings.Count(s, ".")
	pointsLast := strings.LastIndex(s, ".") > strings.LastIndex(s, ",")
	switch {
	case points > 1 && commas <= 1 && thousandsByPoints(before(s, ",")),
		commas == 1 && points == 1 && !pointsLast: // 4.500.000,25 and 1.234,56
		s = strings.Replace(strings.ReplaceAll(s, ".", ""), ",", ".", 1)
	case points > 1:
		return n, false
	case commas > 0:
		if s, n.other, ok = withCommas(s); !ok {
			return n, false
		}
	case points == 1:
		if whole, frac, _ := strings.Cut(s, "."); len(frac) == 3 && whole != "0" && len(whole) <= 3 {
			n.other = float(whole + frac)
		}
	}
	if len(s) > 1 && s[0] == '0' && s[1] != '.' { // 00198 is a code
		return n, false
	}
	v, err := strconv.ParseFloat(s, 64)
	_, frac, _ := strings.Cut(s, ".")
	n.value, n.decimals = v, len(frac)
	return n, err == nil
}

func before(s, sep string) string {
	s, _, _ = strings.Cut(s, sep)
	return s
}

// withCommas reads commas that part groups of digits, or one before decimals. It returns the number without separators,
// and the other way to read it; 0 if there is none.
func withCommas(s string) (plain string, other float64, ok bool) {
	groups := strings.Split(before(s, "."), ",")
	one := len(groups) == 2 && !strings.Contains(s, ".")
	sound := len(groups[0]) <= 3
	for i, g := range groups[1:] { // 12,50,000 too
		sound = sound && (len(g) == 3 || len(g) == 2 && i < len(groups)-2)
	}
	asDecimal := strings.Replace(s, ",", ".", 1)
	switch {
	case sound && one:
		return strings.ReplaceAll(s, ",", ""), float(asDecimal), true
	case sound:
		return strings.ReplaceAll(s, ",", ""), 0, true
	case one: // 4,5
		return asDecimal, 0, true
	}
	return s, 0, false
}

func counting(list string, first, step float64) map[string]float64 {
	m := map[string]float64{}
	for i, w := range strings.Fields(list) {
		m[w] = first + float64(i)*step
	}
	return m
}

var (
	// SmallNumbers are the number words below twenty.
	SmallNumbers = counting(`zero one two three four five six seven eight nine ten eleven twelve thirteen
		fourteen fifteen sixteen seventeen eighteen nineteen`, 0, 1)
	ordinals = counting(`first second third fourth fifth sixth seventh eighth ninth tenth eleventh
		twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth`, 1, 1)
	tens      = counting("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10)
	fractions = sync.OnceValue(func() map[string]float64 {
		return map[string]float64{"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6,
			"tenth": 10}
	})
)

// numberInWords reads a number in words, and how many tokens it takes; 0 if there is none.
func (t Tokens) numberInWords(i int) (v float64, n int) {
	low, next := t[i].Low, t.word(i+1)
	if tens[low] > 0 {
		return t.belowHundred(i)
	}
	v, ok := SmallNumbers[low]
	if low == "a" {
		v = 1
	}
	part := fractions()[strings.TrimSuffix(next, "s")]
	switch {
	case part > 0 && v > 0 && v < part && t.word(i+2) == "of": // two thirds of
		if f := scales()[t.word(i+4)]; t.word(i+3) == "a" && f > 0 { // a quarter of a million
			return v / part * f, 5
		}
		return v / part, 2
	case v > 0 && next == "in" && SmallNumbers[t.word(i+2)] > v: // one in four
		return v / SmallNumbers[t.word(i+2)], 3
	case low == "half" && next == "a" && scales()[t.word(i+2)] > 0:
		return scales()[t.word(i+2)] / 2, 3
	case ok && v > 0 && next == "and" && t.aHalf(i+2): // two and a half
		return v + .5, 4
	case (low == "a" || low == "an") && units()[next].dim != "" && t.word(i+2) == "and" &&
		t.aHalf(i+3): // a year and a half
		return 1, 1
	case ok && v > 1 && next == "dozen":
		return 12 * v, 2
	case ok && next == "hundred":
		n = 2
		if t.word(i+n) == "and" {
			n++
		}
		if rest, k := t.belowHundred(i + n); k > 0 { // two hundred and fourteen
			return v*100 + rest, n + k
		}
		return v * 100, 2
	case low == "half" && next == "a" && t.word(i+2) == "dozen":
		return 6, 3
	case ok && (v != 1 || units()[next].dim != "" || scales()[next] != 0), // "one" may be a pronoun
		low == "a" && scales()[next] >= 1e3 && len(next) > 2:
		return v, 1
	case (low == "a" || low == "an") && units()[next].dim == "time" && t.word(i+2) == "and" &&
		(t.At(i+3).Kind == NumberToken || tens[t.word(i+3)]+SmallNumbers[t.word(i+3)] > 0): // an hour and 35 minutes
		return 1, 1
	case (low == "a" || low == "an") && next != ownedUnit(next): // a year's notice
		return 1, 1
	case (low == "a" || low == "an") && next == "dozen":
		return 12, 2
	case (low == "half" || low == "quarter") && (next == "of" || next == "an" && t.word(i+2) == "hour"):
		return 1 / fractions()[low], 1
	}
	return 0, 0
}

func (t Tokens) aHalf(i int) bool { return t.word(i) == "a" && t.word(i+1) == "half" }

// ownedUnit is the unit of time in "year's", or the word itself.
func ownedUnit(low string) string {
	for _, s := range []string{"'s", "’s"} {
		if of, is := strings.CutSuffix(low, s); is && (units()[of].dim == "time" || units()[of].dim == "months") {
			return of
		}
	}
	return low
}

// belowHundred reads a number of one word or two: forty-one, twelve.
func (t Tokens) belowHundred(i int) (v float64, n int) {
	low := t.word(i)
	if v = tens[low]; v == 0 {
		v = SmallNumbers[low]
		return v, int(min(v, 1))
	}
	if u := SmallNumbers[t.word(i+1)]; u > 0 && u < 10 {
		return v + u, 2
	}
	return v, 1
}

// Digits counts the digits of a number that say something, without zeros at its end.
func (q *Quantity) Digits() int {
	var buf [32]byte
	s := q.digits(buf[:0])
	n := len(bytes.TrimLeft(s, "0."))
	if at := bytes.IndexByte(s, '.'); at > 0 && s[0] != '0' {
		n-- // the point
	}
	return n - q.zeros()
}

// digits writes a number without its sign, behind what buf has.
func (q *Quantity) digits(buf []byte) []byte {
	return strconv.AppendFloat(buf, math.Abs(q.Number), 'f', -1, 64)
}

// zeros counts the zeros at the end of a whole number.
func (q *Quantity) zeros() int {
	if v := math.Abs(q.Number); v != math.Trunc(v) {
		return 0
	} else if v > 0 && v < 1e15 {
		n := 0
		for of := int64(v); of%10 == 0; of /= 10 {
			n++
		}
		return n
	}
	var buf [32]byte
	s := q.digits(buf[:0])
	return len(s) - len(bytes.TrimRight(s, "0"))
}

// A unit measures a dimension: its value is the number times the factor. One of a rate has its
// period, too: km/h.
type unit struct {
	dim, name string
	factor    float64
	per       string
}

// units are the spellings of units.
var units = sync.OnceValue(func() map[string]unit {
	m := map[string]unit{}
	for line := range strings.Lines(TableText("units")) {
		dim, rest, _ := strings.Cut(line, ":")
		for one := range strings.SplitSeq(rest, ";") {
			f := strings.Fields(one)
			for _, s := range f[2:] {
				name, per, _ := strings.Cut(f[0], "/")
				m[strings.ReplaceAll(s, "_", " ")] = unit{dim, name, float(f[1]), per}
			}
		}
	}
	return m
})

func isUnit(s string) bool {
	low := strings.ToLower(s)
	return units()[low].dim != "" || scales()[low] != 0
}

// scales multiply a number.
var scales = sync.OnceValue(func() map[string]float64 {
	return map[string]float64{"k": 1e3, "thousand": 1e3, "thousands": 1e3, "tsd": 1e3, "万": 1e4,
		"lakh": 1e5, "m": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6, "millions": 1e6, "millionen": 1e6,
		"millones": 1e6, "crore": 1e7, "亿": 1e8, "b": 1e9, "bn": 1e9, "billion": 1e9, "billions": 1e9,
		"mrd": 1e9, "milliarden": 1e9, "milliards": 1e9, "trillion": 1e12}
})

// currencies are the spellings of currencies. Codes count in capitals alone.
var currencies = sync.OnceValue(func() map[string]string {
	return map[string]string{"$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD",
		"€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "£": "GBP", "gbp": "GBP", "pounds": "GBP",
		"¥":   "JPY",
		"jpy": "JPY", "yen": "JPY", "chf": "CHF", "francs": "CHF", "cad": "CAD", "aud": "AUD",
		"inr": "INR", "rupees": "INR", "cny": "CNY", "yuan": "CNY", "pln": "PLN", "zloty": "PLN",
		"czk": "CZK", "sek": "SEK", "nok": "NOK", "dkk": "DKK", "kronor": "SEK", "kroner": "NOK"}
})

// loneUnits are the letters that are a unit behind a number or at the end of a name: 12 h, ttl_s.
// "12 m" may be anything.
const loneUnits = "hsgtxy"

// unit reads a unit of one or two tokens, and how many it takes.
func (t Tokens) unit(i int) (unit, int) {
	x := t.At(i)
	if x.Kind == MarkToken {
		return unit{}, 0
	}
	if u, ok := units()[x.Low+" "+t.word(i+1)]; ok {
		return u, 2
	}
	if x.Low == "m" && x.Glued && t.At(i+1).Glued && t.At(i+2).Glued && t.word(i+2) == "s" { // 3m10s
		return units()["min"], 1
	}
	u, ok := units()[ownedUnit(strings.TrimPrefix(x.Low, "time."))]
	lone := len(x.Low) == 1 && x.Kind == WordToken && !x.Glued
	if !ok || lone && !strings.Contains(loneUnits, x.Low) ||
		x.Low == "times" && !t.compares(i+1) && !strings.Contains(t.At(i-1).Text, ".") { // it happened so many times
		return unit{}, 0
	}
	return u, 1
}

// compares reports whether what follows "times" says that it is a ratio: 3 times as much, 3 times the price.
func (t Tokens) compares(i int) bool {
	x := t.At(i)
	return x.Kind == WordToken && IsContentWord(x.Low) || x.Low == "as" || x.Low == "the" || x.Low == "that" ||
		x.Low == "what" || OrderSign(x.Low) != 0
}

// AdverbRates are, of adverbs, the time to which they relate an amount.
var AdverbRates = sync.OnceValue(func() map[string]string {
	return map[string]string{"monthly": "month", "annually": "year", "yearly": "year",
		"weekly": "week", "daily": "day", "hourly": "hour", "quarterly": "quarter"}
})

// Rate reads "per month", "a month", "/month" or "monthly", and how many tokens it takes.
func (t Tokens) Rate(i int) (per string, n int) {
	x, y := t.At(i), t.At(i+1)
	article := x.Low == "a" || x.Low == "an" || x.Low == "each" || x.Low == "every"
	if per := AdverbRates()[x.Low]; per != "" {
		return per, 1
	} else if !article && x.Low != "per" && x.Low != "/" {
		return "", 0
	}
	u := units()[y.Low]
	switch slash := x.Low == "/" && x.Glued; {
	case x.Low == "per" && y.Low == "annum":
		return "year", 2
	case (article || x.Low == "per" || x.Low == "/") && (u.dim == "time" || u.dim == "months") &&
		(len(y.Low) > 1 || slash):
		return u.name, 2
	case (x.Low == "per" || slash) && y.Kind == WordToken && u.dim != "" && len(y.Low) > 1:
		return u.name, 2
	case (x.Low == "per" || slash) && y.Kind == WordToken:
		if u, n := t.unit(i + 1); n > 1 { // per square metre
			return u.name, 1 + n
		}
		return Stem(y.Low), 2
	case x.Low == "per" && y.Kind == NumberToken && (strings.Trim(y.Text, "0,") == "1"): // per 1,000 donations
		return strings.ReplaceAll(y.Text, ",", ""), 2
	}
	return "", 0
}

// headerUnit reads a unit in the header of a column: Cost ($), revenue_eur_k, Share %.
func headerUnit(header string) (u unit) {
	if header == "" {
		return u
	}
	t := Tokenize(strings.ReplaceAll(header, "_", " "))
	for i := range t {
		if c := currencies()[t[i].Low]; c != "" {
			u = unit{"money", c, 1, ""}
			for k := i - 1; k <= i+1; k++ {
				if f := scales()[t.At(k).Low]; f != 0 {
					u.factor = f
				}
			}
			return u
		}
		w, v := t[i].Low, units()[t[i].Low]
		inParens := t.At(i-1).Text == "("
		if !inParens && v.dim == "time" && t[i].Text == strings.ToUpper(t[i].Text) {
			continue // HR is no hour
		}
		suffix := len(w) > 1 || strings.HasSuffix(header, "_"+w) && strings.Contains(loneUnits, w)
		if v.dim != "" && v.dim != "months" && (w == "%" || inParens || suffix && (i > 0 || len(t) == 1)) {
			before := t.At(i - 1).Low
			switch of := before == "/" || before == "per" || before == "a"; {
			case of && u.dim == "": // parcels a day
			case u.dim == "":
				u = v
			case of && v.dim == "time":
				u.per = v.name // km per hour
			case of || units()[before].dim != "":
				return unit{} // mg_kg is neither
			default:
				u = v
			}
		}
	}
	return u
}

// unit returns the unit that a table gives to a bare number of the cell: that of its
// column or of the currency in the cell behind it, of its row, or of the corner (EUR million)
// where columns are periods.
func (c *Cell) unit() unit {
	if c == nil {
		return unit{}
	}
	if u := headerUnit(c.Header); u.dim != "" {
		return u
	}
	if code := currencies()[strings.ToLower(c.Next)]; code != "" && len(c.Next) == len(code) {
		return unit{"money", code, 1, ""}
	}
	if u := headerUnit(c.Label); u.dim != "" && (u.dim != "money" || strings.Contains(c.Label, "(")) {
		return u
	}
	if c.Label != "" && (c.Header == "" || len(datesOf(c.Header)) > 0) {
		return headerUnit(c.Corner)
	}
	return unit{}
}

// IsNumeral reports whether a token is a number, or the end of one in words.
func (x Token) IsNumeral() bool {
	return x.Kind == NumberToken || SmallNumbers[x.Low] > 0 || tens[x.Low] > 0 || scales()[x.Low] > 1e2
}

// NumberedThings are what has a number for its name, in small letters too: site 4, room 12.
var NumberedThings = rootsOf("numbered")

var reBare = text.NewRegexp(`^#?\d[\d-]*$`)

// NumberedThing returns the stem of a thing whose number is the next token, "" if none is. With
// a capital that no sentence gave it, any word is a name: Borealis 7.
func (t Tokens) NumberedThing(i int) string {
	x, n, after := t.At(i), t.At(i+1), i+2
	if n.Text == "#" {
		n, after = t.At(i+2), i+3
	} else if n.Glued {
		return ""
	}
	if x.Kind != WordToken || x.has(isEmpty) || !reBare.MatchString(n.Text) {
		return ""
	}
	if u, _ := t.unit(after); u.dim != "" || t.At(after).Text == "%" ||
		months()[x.Low] != 0 || scales()[t.word(after)] != 0 {
		return ""
	}
	if r := Root(x.Low); NumberedThings.Has(r) || x.HasCapital() && i > 0 {
		return r
	}
	return ""
}
