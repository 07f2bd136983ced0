package parse

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
)

// Bound says how a quantity limits: at least (1), at most (-1), or not at all.
type Bound int8

// A Quantity is a number with all that belongs to it.
type Quantity struct {
	Number float64  // as written: 57.6 of "EUR 57.6 million"
	Value  float64  // in the base unit of its dimension: 57,600,000
	Half   float64  // half of the last digit that is written, in the base unit
	Other  float64  // the other way to read it, 0 if none
	Dim    string   // money, time, months, percent, bytes, …; "" for a bare number
	Unit   string   // EUR, day, %, GiB
	Per    string   // of a rate: month, year, user
	Period string   // of a rate per something else: per user a month
	Noun   []string // what is counted: the stems after a number without a unit
	Bound  Bound
	About  bool // about, almost
	Soft   bool // its unit does not stand beside it
	Word   bool // written as a word
	Whole  bool // an integer that is written to its last digit
	Down   bool // its sign is in words: down 6 %
	Ref    bool // a name of something: port 5432, row 7
	// Minutes is set if its name ends in _min, which may be minutes or the least number.
	Minutes bool
	Label   string // the stem of the noun right before it, if nothing follows: block 6
}

func (q *Quantity) scale(f float64) { q.Value, q.Half, q.Other = q.Value*f, q.Half*f, q.Other*f }

// take gives a quantity a unit that does not stand beside it.
func (q *Quantity) take(u unit, soft bool) {
	if u.dim != "" {
		q.Dim, q.Unit, q.Per, q.Soft = u.dim, u.name, cmp.Or(q.Per, u.per), soft
		q.Whole = q.Whole && (u.dim != "money" || u.factor == 1)
		q.scale(u.factor)
	}
}

// quantity reads a quantity whose number is token i, and returns the token after it.
func (t Tokens) quantity(i int) (q Quantity, next int, ok bool) {
	if q, next, ok = t.BareNumber(i); !ok {
		return q, next, false
	}
	for t.word(next) == "*" && t.At(next+1).Kind == NumberToken { // 14 * 24 * time.Hour
		f, _ := parseNumber(t[next+1].Text)
		q.Number, next = q.Number*f.value, next+2
	}
	currency := t.currencyBefore(i)
	q.Down = t.word(i-1) == "down" || t.word(i-2) == "down" || t.word(i-1) == "by"
	if t[i].minus || t.word(i-1) == "minus" || currency != "" && t.word(i-2) == "minus" {
		q.Number = -q.Number
	}
	q.Value = q.Number
	if w := t.word(next); scales()[w] != 0 && (currency != "" || len(w) > 2 || w == "bn" || w == "mn" ||
		(w != "m" || t[next].Text == "M") && t[next].Glued ||
		w == "m" && t[next].Glued && currencies()[t.word(next+1)] != "") {
		q.scale(scales()[w])
		q.Whole, next = false, next+1
	}
	for q.Word && next < len(t) && scales()[t.word(next-1)] != 0 { // four million five hundred thousand
		r, end := t.numberInWords(next)
		f := max(1, scales()[t.word(next+end)])
		if end == 0 || r*f >= scales()[t.word(next-1)] {
			break
		}
		if q.Value += r * f; f > 1 {
			end++
		}
		q.Number, next = q.Value, next+end
	}
	if c := currencies()[t.word(next)]; currency == "" && c != "" &&
		(t[next].Kind == SignToken || len(t[next].Low) >= 3) {
		currency, next = c, next+1
	}
	next = q.measured(t, next, currency)
	if w := t.word(next + 1); (t.word(next) == "below" || t.word(next) == "under") &&
		(w == "zero" || w == "freezing") {
		q.Number, q.Value, next = -q.Number, -q.Value, next+2
	}
	if per, n := t.Rate(next); n > 0 && !(q.Dim == "" && AdverbRates()[t.word(next)] != "") {
		q.Per, next = per, next+n
		if per, n = t.Rate(next); RatePeriods.Has(per) ||
			n > 0 && t.word(next) == "per" { // EUR 46 per square metre a year
			q.Period, next = per, next+n
		} else if t.word(next) == "and" && RatePeriods.Has(t.word(next+1)) { // per driver and month
			q.Period, next = t.word(next+1), next+2
		}
	} else if per, n = t.Rate(next + len(q.Noun)); n > 0 && len(q.Noun) > 0 { // 40 connections per host
		q.Per = per
	} else if per, n = t.Rate(next + 2); RatePeriods.Has(per) && n > 0 && q.Dim == "time" &&
		t.word(next) == "of" { // 13 hours of overtime per week
		q.Per = per
	}
	if q.Bound, q.About = t.bound(i, next, q.About); q.Bound == 0 && t.word(next+len(q.Noun)) == "or" {
		q.Bound = Bound(OrderSign(t.word(next + len(q.Noun) + 1))) // three visits or more
	}
	return q, min(next, len(t)), true
}

// BareNumber reads digits or words.
func (t Tokens) BareNumber(i int) (q Quantity, next int, ok bool) {
	if t[i].Kind == NumberToken {
		n, ok := parseNumber(t[i].Text)
		q.Number, q.Other = n.value, n.other
		q.Half, q.Whole = .5*math.Pow10(-n.decimals), n.decimals == 0
		if part := vulgar[t.At(i+1).Text]; part > 0 && t[i+1].Glued {
			q.Number, q.Half, q.Whole = q.Number+part, .005, false
			return q, i + 2, ok
		}
		return q, i + 1, ok
	}
	v, n := t.numberInWords(i)
	if said := t.At(i + n + 1); n > 0 && t.At(i+n).Text == "(" && t.At(i+n+2).Text == ")" && float(said.Text) == v {
		n += 3 // fifteen (15) minutes
	}
	q.Number, q.Word, q.Half, q.Whole = v, true, .5, v >= 1
	if v < 1 && n > 0 { // two thirds of the list
		q.Half, q.About = .01, true
	}
	return q, i + n, n > 0
}

var vulgar = map[string]float64{"½": .5, "¼": .25, "¾": .75}

var keyBounds = map[string]Bound{"min": 1, "minimum": 1, "max": -1, "maximum": -1}

// key returns the parts of the name that has a number for its value: swabs_min: 6, "total_gbp": 4.
func (t Tokens) key(i int) []string {
	if w := t.At(i - 1).Text; w != ":" && w != "=" {
		return nil
	}
	k := i - 2
	if strings.Trim(t.At(k).Text, "\"'`") == "" {
		k--
	}
	if x := t.At(k); x.Kind == NameToken {
		return SplitName(x.Text)
	}
	return nil
}

// currencyBefore returns the currency that stands before a number: $, EUR, US$.
func (t Tokens) currencyBefore(i int) string {
	if key := t.key(i); len(key) > 1 && len(key[len(key)-1]) == 3 {
		return currencies()[key[len(key)-1]]
	}
	for k := i - 1; k >= i-2; k-- {
		x := t.At(k)
		if c := currencies()[x.Low]; c != "" && (x.Kind == SignToken || x.Text == strings.ToUpper(x.Text)) {
			return c
		}
		if x.Low != "us" && x.Low != "a" {
			break
		}
	}
	return ""
}

// beforeUnit are words that may stand between a number and its unit: ten business days.
var beforeUnit = NewSet(`business working full consecutive calendar whole more further additional another
	other long short entire extra`)

// measured reads the unit, or what is counted, and returns the token after it.
func (q *Quantity) measured(t Tokens, next int, currency string) int {
	at := next
	if t.word(at) == "*" && t.At(at+1).Kind == NameToken { // 30 * time.Minute
		at++
	}
	small := q.Number > 0 && q.Number < 1
	for at < next+3 && (beforeUnit.Has(t.word(at)) ||
		small && (t.word(at) == "of" || t.word(at) == "an" || t.word(at) == "a")) {
		at++
	}
	switch u, n := t.unit(at); {
	case currency != "":
		q.Dim, q.Unit = "money", currency
	case n > 0:
		q.Dim, q.Unit, q.Per, next = u.dim, u.name, u.per, at+n
		q.scale(u.factor)
		if u.dim == "time" || u.dim == "months" {
			for end := next; ; next = end {
				if end = q.compound(t, next); end == next {
					break
				}
			}
		}
	case small && q.Word:
		q.Dim, q.Unit = "percent", "%"
		q.scale(100)
	default:
		for k := next; len(q.Noun) < 2 && t.At(k).Kind == WordToken && !t[k].has(isEmpty); k++ {
			q.Noun = append(q.Noun, Stem(t.word(k)))
		}
	}
	return next
}

// duration reads 3:20 h.
func (t Tokens) duration(i int) (q Quantity, ok bool) {
	long, short, two := strings.Cut(t[i].Text, ":")
	u := units()[t.word(i+1)]
	if t[i].Kind != StampToken || !two || !digits(long) || !digits(short) || u.dim != "time" || u.factor < 60 {
		return q, false
	}
	q = Quantity{Number: 60*float(long) + float(short), Half: .5, Whole: true}
	q.take(unit{"time", units()[t.word(i+1)].name, u.factor / 60, ""}, false)
	q.Value = q.Number * u.factor / 60
	return q, true
}

// compound reads what is added to a duration: 24 minutes and 40 seconds, 1 h 30 min.
func (q *Quantity) compound(t Tokens, next int) int {
	k := next
	if t.word(k) == "and" {
		k++
	}
	if k > next && t.aHalf(k) && q.Number != 0 && q.Whole { // two hours and a half
		q.Value, q.Number, q.Whole = q.Value*(1+.5/q.Number), q.Number+.5, false
		return k + 2
	}
	x := t.At(k)
	if x.Kind != NumberToken && tens[x.Low] == 0 && SmallNumbers[x.Low] == 0 || q.Number == 0 {
		return next
	}
	r, end, ok := t.quantity(k)
	if ok && q.Unit == "hour" && t.word(k+1) == "m" && t[k+1].Glued { // 1h 30m
		r.Dim, r.Unit, r.Value, end = "time", "minute", 60*r.Number, k+2
	}
	if ok && r.Dim == q.Dim && r.Number == 0 && t[k].Glued { // 6h20m0s
		return end
	}
	if !ok || r.Dim != q.Dim || r.Value >= q.Value/q.Number || r.Number == 0 {
		return next
	}
	one := r.Value / r.Number
	q.Value, q.Half, q.Whole, q.Unit = q.Value+r.Value, r.Half, r.Whole, r.Unit
	q.Number = q.Value / one
	return end
}

// bounds are the words right before a quantity that limit it.
var bounds = sync.OnceValue(func() map[string]Bound {
	return map[string]Bound{">": 1, ">=": 1, "≥": 1, "over": 1, "above": 1, "exceeding": 1,
		"exceeds": 1, "exceed": 1, "exceeded": 1, "minimum": 1, "at least": 1, "the least": 1,
		"more than": 1, "greater than": 1, "higher than": 1, "longer than": 1, "older than": 1,
		"larger than": 1, "minimum of": 1, "upwards of": 1,
		"wait": 1, "short of": -1, "shy of": -1, "limited to": -1, "capped at": -1, "restricted to": -1, "<": -1, "<=": -1, "≤": -1, "under": -1, "below": -1, "within": -1, "maximum": -1,
		"at most": -1, "up to": -1, "maximum of": -1, "fewer than": -1, "less than": -1,
		"lower than": -1, "shorter than": -1, "younger than": -1, "smaller than": -1}
})

var abouts = NewSet(`about around roughly approximately approx almost nearly circa ca ~ ≈ some closer
	close estimated near ± just`)

// sumsUp are the words after which "up to" is no limit: the fees add up to 9,000 euros.
var sumsUp = NewSet("add adds added sum sums summed")

// bound reads how the quantity of tokens i to next is limited, and whether it is not exact: about, almost.
func (t Tokens) bound(i, next int, about bool) (Bound, bool) {
	k, known := i-1, false
	for currencies()[t.At(k).Low] != "" || fillsBound.Has(t.At(k).Low) {
		known = known || t.At(k).Low == "the" && t.At(k-1).Low != "at"
		k--
	}
	for ; abouts.Has(t.At(k).Low); k-- {
		about = true
		if w := t.At(k - 1).Low; w == "closer" || w == "close" {
			k--
		}
	}
	phrase := t.At(k-1).Low + " " + t.At(k).Low
	b := bounds()[phrase]
	if b != 0 {
		if k--; phrase == "up to" && sumsUp.Has(t.At(k-1).Low) {
			b = 0
		}
	} else {
		phrase, b = t.At(k).Low, bounds()[t.At(k).Low]
	}
	if b != 0 && (known && phrase != "within" || t.goesOnBeyond(-b)) { // above the 800 ms allowed
		return 0, about
	}
	if b != 0 && phrase != "at least" && phrase != "at most" && phrase != "up to" && phrase != "within" &&
		t.neverBefore(k) { // not more than, may not exceed
		if t.At(k-1).Low == "of" { // not in a current of more than
			return 0, about
		}
		return -b, about
	}
	if k == 0 && (phrase == "above" || phrase == "below") { // above 600, the answer is 429
		b = 0
	}
	if w := t.At(next + 1).Low; b == 0 && t.At(next).Low == "at" && (w == "least" || w == "most") {
		b = bounds()["at "+w]
	}
	for _, w := range t.key(i) {
		b = cmp.Or(b, keyBounds[w])
	}
	if b == 0 && t.At(next).Low == "or" {
		b = Bound(OrderSign(t.At(next + 1).Low))
	}
	return b, about
}

var fillsBound = NewSet("us just the only a")

// goesOnBeyond reports whether a text says what is on the other side of a bound, too: up to 10 %, above this.
func (t Tokens) goesOnBeyond(b Bound) bool {
	for i := range t {
		if low := t[i].Low; (low == "this" || low == "that") &&
			(bounds()[t.At(i-1).Low] == b || bounds()[t.At(i-2).Low+" "+t.At(i-1).Low] == b) {
			return true
		}
	}
	return false
}

// neverBefore reports whether the clause before a token denies something: nobody pays more than.
func (t Tokens) neverBefore(i int) bool {
	for k := i - 1; k >= 0 && (t[k].Kind == WordToken || t[k].Kind == NumberToken); k-- {
		during := t[k].Low == "while" && t.At(k-1).Kind == WordToken
		if t[k].Low == "and" || ContrastWords.Has(t[k].Low) && !during {
			return false
		}
		if t.refuses(k) || nobody.Has(t[k].Low) {
			return true
		}
	}
	return false
}

var nobody = NewSet("nobody none nothing neither nowhere")

func (t Tokens) refuses(i int) bool {
	w := t.At(i).Low
	if w == "against" { // advises against bringing
		return strings.HasSuffix(t.At(i+1).Low, "ing")
	}
	return w == "not" || w == "no" || w == "cannot" || w == "never" || strings.HasSuffix(w, "n't")
}

// span returns the values that a quantity may stand for as it is written.
func (q *Quantity) span() (lo, hi float64) {
	half := q.Half
	switch {
	case q.About: // right within half of its last digit that is not zero
		for f := 10.0; q.Whole && math.Abs(q.Number) >= f && math.Mod(q.Number, f) == 0; f *= 10 {
			half = q.Half * f
		}
		half = min(max(half, .02*math.Abs(q.Value)), max(.06*math.Abs(q.Value), q.Half))
	case q.Whole:
		half = min(half, 1e-9*math.Abs(q.Value)+1e-9)
	}
	return q.Value - half, q.Value + half
}

// number returns the detail of a quantity that takes the tokens from i to next.
func (t Tokens) number(i, next int, q *Quantity) Detail {
	d := Detail{Kind: Number, Q: q}
	if w := t.At(i - 1).Low; refNouns.Has(w) && q.Dim == "" {
		q.Noun, q.Ref, d.Weak = []string{Stem(w)}, true, ownParts.Has(w)
	} else { // "three points": a text may count its own parts
		d.Weak = q.Word && (q.Dim == "" || q.Dim == "points") && q.Value <= 12
	}
	b := t.At(i - 1)
	d.Named = q.Dim == "" && len(q.Noun) == 0 && !q.Word && b.Kind == WordToken && IsContentWord(b.Low) &&
		!t.IsAction(i-1)
	if q.Whole && d.Named && SmallNumbers[b.Low] == 0 {
		q.Label = Stem(b.Low)
	}
	after := t.At(next).Low
	d.Level = q.Dim == "percent" &&
		(after == "ci" || after == "confidence" || after == "credible" || after == "prediction") ||
		q.Dim == "" && (b.Low == "every" || b.Low == "per") // three flights for every ten callouts
	return d
}

// Counts reports whether a word is the unit of a number, or stands behind it in the name of what it counts: 48 new
// loading docks.
func (d *Detail) Counts(word string) bool {
	s := Stem(word)
	return d.Topic.Side(s)&Trailing != 0 && d.Topic.Closeness(s) > .6 || slices.Contains(Stems(d.Text), s)
}
