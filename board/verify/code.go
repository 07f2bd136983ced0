package verify

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"blackboard/board/claims/parse"
	"blackboard/board/text"
)

// This file reads the quantities of programs and their settings, whose units are in names
// and expressions: TIMEOUT_MS = 120000, 15 * time.Minute, 10 << 20, "1h30m", 0x1F.

// A quantity is a number of a program.
type quantity struct {
	dim string // of claims.UnitOf; "" without a unit
	of  float64
	// unclear is whether neither a name nor an expression says its unit.
	unclear bool
}

var (
	codeToken = text.NewRegexp(`0[xX][0-9a-fA-F_]+|0[bB][01_]+|0o[0-7_]+` + // a number
		`|[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][0-9]+)?` +
		`|[\pL_$][\pL\pN_$]*(?:(?:\.|::|-)[\pL_$][\pL\pN_$]*)*` + // a name
		`|<<<?|\*\*?|[^\s]`) // a sign
	typed    = text.NewRegexp(`^(?i:[ul]{1,3}|f|n|d|[iuf](?:8|16|32|64|128|size))$`) // 10UL, 5u64
	compound = text.NewRegexp(`^(?i:pt?)?(?:[0-9]+(?:\.[0-9]+)?(?:ns|us|µs|ms|[smhdwSMHDW]))+$`)
	oneOf    = text.NewRegexp(`([0-9.]+)([a-zµ]+)`)
)

// quantities returns the quantities of a text, line by line.
func quantities(text string) (all []quantity) {
	for line := range strings.Lines(text) {
		if strings.ContainsFunc(line, unicode.IsDigit) {
			all = append(all, quantitiesOf(line)...)
		}
	}
	return all
}

// codeLine is a line that is being read.
type codeLine struct {
	text string
	at   [][]int // where its tokens are
}

func (l *codeLine) token(i int) string {
	if i < 0 || i >= len(l.at) {
		return ""
	}
	return l.text[l.at[i][0]:l.at[i][1]]
}

// isGlued reports whether a token follows the one before it without a blank.
func (l *codeLine) isGlued(i int) bool {
	return i > 0 && i < len(l.at) && l.at[i][0] == l.at[i-1][1]
}

func quantitiesOf(line string) (all []quantity) {
	l := &codeLine{text: line, at: codeToken.FindAllStringIndex(line, -1)}
	name := "" // the last name with a unit, and no number after it
	named := 0
	for i := 0; i < len(l.at); i++ {
		t := l.token(i)
		v, isNumber := codeNumber(t)
		if !isNumber {
			if compound.MatchString(t) { // PT2H15M
				all = append(all, suffixed(0, t, "")...)
				continue
			}
			if unit := unitOfName(t); unit != "" && l.isCode(i) {
				name, named = unit, i
			}
			continue
		}
		q := quantity{of: v}
		from := i
		if l.isGlued(i+1) && unicode.IsLetter(rune(l.token(i + 1)[0])) { // 30s, 512Mi, 1h30m
			suffix := l.token(i + 1)
			i++
			if !typed.MatchString(suffix) {
				all = append(all, suffixed(v, t+suffix, suffix)...)
				continue
			}
		}
		factors := []float64{v}
		unit := ""
		if l.token(i-1) == "*" && i >= 2 { // time.Second * 30
			unit = unitOfName(l.token(i - 2))
		}
	chain:
		for {
			w, number := codeNumber(l.token(i + 2))
			switch op := l.token(i + 1); {
			case (op == "<<" || op == "<<<") && number:
				q.of *= math.Pow(2, w)
				factors = append(factors, 1024)
			case op == "**" && number:
				q.of = math.Pow(q.of, w)
				factors = append(factors, q.of)
			case op == "*" && number:
				q.of *= w
				factors = append(factors, w)
			case (op == "*" || op == "." && l.isGlued(i+1)) && unitOfName(l.token(i+2)) != "":
				unit = unitOfName(l.token(i + 2))
			default:
				break chain
			}
			i += 2
		}
		switch {
		case unit != "":
		case name != "" && (named < from-1 || l.token(named) != "*"):
			unit = name
		default:
			unit = unitAfter(l, i)
		}
		if unit == "" {
			unit = unitOfFactors(factors)
		}
		plain := q
		if unit != "" {
			dim, of := parse.UnitOf(unit)
			q.dim, q.of = dim, q.of*of
		} else if q.unclear = l.isSet(from, i); !q.unclear && len(factors) == 1 &&
			strings.IndexFunc(t, unicode.IsLetter) < 0 {
			continue // a number of prose, which is read elsewhere
		}
		all = append(all, q)
		if unit != "" && len(factors) > 1 {
			all = append(all, plain)
		}
		name = ""
	}
	return all
}

// codeNumber reads a number of a program.
func codeNumber(t string) (float64, bool) {
	if t == "" || t[0] < '0' || t[0] > '9' {
		return 0, false
	}
	t = strings.ReplaceAll(t, "_", "")
	if len(t) > 1 && t[0] == '0' && strings.ContainsAny(t[1:2], "xXbBo") {
		n, err := strconv.ParseUint(t, 0, 64)
		return float64(n), err == nil
	}
	v, err := strconv.ParseFloat(t, 64)
	return v, err == nil
}

// codeUnits are the parts of names that are units: as in programs, where a word such as
// min is more often a minimum than a minute.
var codeUnits = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"ns": "ns", "nanos": "ns", "nanosecond": "ns", "us": "us", "micros": "us", "microsecond": "us",
		"ms": "ms", "msec": "ms", "milli": "ms", "millis": "ms", "millisecond": "ms",
		"s": "s", "sec": "s", "second": "s", "mins": "minute", "minute": "minute",
		"hr": "hour", "hour": "hour", "day": "day", "week": "week", "month": "month", "year": "year",
		"byte": "byte", "kb": "kib", "mb": "mib", "gb": "gib", "kib": "kib", "mib": "mib",
		"gib": "gib", "kilobyte": "kib", "megabyte": "mib", "gigabyte": "gib",
		"hz": "hz", "khz": "khz", "mhz": "mhz",
		"percent": "percent", "pct": "percent", "percentage": "percent",
	}
})

// unitOfName returns the unit that a name ends with, or has in it: TIMEOUT_MS,
// cacheTTLSeconds, time.Minute, ofMinutes, from_secs. "": none.
func unitOfName(name string) string {
	parts := nameParts(name)
	for i := len(parts) - 1; i >= 0; i-- {
		p := parts[i]
		if len(p) < 2 && (i < len(parts)-1 || len(parts) < 2) {
			continue
		}
		if u := codeUnits()[p]; u != "" {
			return u
		}
		if u := codeUnits()[strings.TrimSuffix(p, "s")]; u != "" && len(p) > 2 {
			return u
		}
	}
	return ""
}

// nameParts splits a name at its signs and its humps, in lower case.
func nameParts(name string) (parts []string) {
	for _, word := range strings.FieldsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		runes, from := []rune(word), 0
		for i := 1; i < len(runes); i++ {
			up := unicode.IsUpper(runes[i])
			begins := up && !unicode.IsUpper(runes[i-1]) ||
				up && i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if begins {
				parts = append(parts, strings.ToLower(string(runes[from:i])))
				from = i
			}
		}
		parts = append(parts, strings.ToLower(string(runes[from:])))
	}
	return parts
}

// isCode reports whether a name is one of a program: it has a sign or a hump, or a sign of
// programs behind it, which a word of prose has not.
func (l *codeLine) isCode(i int) bool {
	t := l.token(i)
	if strings.ContainsAny(t, "_.:$") ||
		strings.ContainsFunc(t, unicode.IsUpper) && len(nameParts(t)) > 1 {
		return true
	}
	next := l.token(i + 1)
	if next == "'" || next == `"` {
		next = l.token(i + 2)
	}
	return next == "=" || next == ":" || next == "("
}

// isSet reports whether the tokens from a number on are the value of a setting or an
// argument: signs of programs stand before and behind them, or the end of the line.
func (l *codeLine) isSet(from, to int) bool {
	before, after := l.token(from-1), l.token(to+1)
	if strings.IndexFunc(before, unicode.IsLetter) == 0 { // keepalive_timeout 65;
		return l.isCode(from - 1)
	}
	return before != "" && strings.Contains("=:([{,>-\"'", before) &&
		(after == "" || strings.Contains(",;)]}\"'#/", after))
}

// unitAfter returns the unit that a comment or the next argument gives to a number:
// 30 // seconds, (45, TimeUnit.SECONDS).
func unitAfter(l *codeLine, i int) string {
	comment := i + 1
	if strings.Contains(",;", l.token(comment)) {
		comment++
	}
	if l.isCode(comment) && l.token(i+1) == "," {
		return unitOfName(l.token(comment))
	}
	if t := l.token(comment); t == "" || !strings.Contains("/#-", t) {
		return ""
	}
	for j := i + 1; j < len(l.at) && j < i+8; j++ {
		t := l.token(j)
		if _, number := codeNumber(t); number {
			return ""
		}
		if unit := unitOfName(t); unit != "" {
			return unit
		}
	}
	return ""
}

// unitOfFactors returns the unit that a product shows: 60 * 60 is of seconds, 10 * 1024
// of bytes.
func unitOfFactors(factors []float64) string {
	if len(factors) < 2 {
		return ""
	}
	switch {
	case slices.Contains(factors, 1024):
		return "byte"
	case slices.Contains(factors, 1000) && slices.Contains(factors, 60):
		return "ms"
	case slices.Contains(factors, 60), slices.Contains(factors, 3600),
		slices.Contains(factors, 86400):
		return "s"
	}
	return ""
}

// shortUnits are the units of durations such as 1h30m, in seconds.
var shortUnits = sync.OnceValue(func() map[string]float64 {
	return map[string]float64{"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1,
		"m": 60, "h": 3600, "d": 86400, "w": 604800}
})

// suffixed returns what a number with letters behind it may be: 8m is 8 minutes or
// megabytes.
func suffixed(v float64, whole, suffix string) (all []quantity) {
	if compound.MatchString(whole) {
		sum := 0.0
		for _, m := range oneOf.FindAllStringSubmatch(strings.ToLower(whole), -1) {
			n, _ := strconv.ParseFloat(m[1], 64)
			sum += n * shortUnits()[m[2]]
		}
		all = append(all, quantity{dim: "time", of: sum})
	}
	size := map[string]float64{"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
	lower := strings.ToLower(suffix)
	if of := size[strings.TrimSuffix(strings.TrimSuffix(lower, "b"), "i")]; of != 0 {
		all = append(all, quantity{dim: "bytes", of: v * of})
	}
	if suffix == "m" { // of a core
		all = append(all, quantity{of: v / 1000})
	}
	if len(all) == 0 { // 5L, 0.5f, 100u64
		all = append(all, quantity{of: v, unclear: true})
	}
	return all
}

// roughly is how far, as a share, a figure may be from the quantity that it rounds.
const roughly = .05

// means reports whether a figure of a finding says what a quantity is.
func (q quantity) means(a asked) bool {
	if a.Kind == KindIdentifier { // 0x1F
		v, is := codeNumber(a.Text)
		return is && q.dim == "" && q.of == v
	}
	if a.Kind != KindNumber {
		return false
	}
	near := func(v float64) bool {
		return slices.ContainsFunc(a.sizes(), func(n float64) bool {
			off := math.Abs(v - n)
			return off <= 1e-9*math.Abs(v) ||
				off <= a.last(n)/2*1.0001 && off <= roughly*math.Abs(v)
		})
	}
	switch a.d.Q.Dim {
	case "", "money":
		return q.dim == "" && near(q.of)
	case "percent":
		return q.dim == "percent" && near(q.of) || q.dim == "" && (near(100*q.of) || q.of == a.d.Q.Value)
	}
	return a.d.Q.Dim == q.dim && near(q.of) || q.unclear && q.converts(a)
}

// sizes are what a figure may be worth: a KB has 1000 bytes or 1024.
func (a asked) sizes() []float64 {
	all := []float64{a.d.Q.Value}
	for n, of := 1.0, 1000.0; a.d.Q.Dim == "bytes" && n < 6; n, of = n+1, of*1000 {
		if a.d.Q.Value == a.d.Q.Number*of {
			all = append(all, a.d.Q.Number*math.Pow(1024, n))
		}
	}
	return all
}

// converts reports whether a quantity, whatever its unit is, can be exactly what a figure
// says: as it is written, or in the units that programs leave out most.
func (q quantity) converts(a asked) bool {
	units := map[string][]float64{"time": {1, .001}, "bytes": {1, 1 << 10, 1 << 20}}[a.d.Q.Dim]
	return q.of == a.d.Q.Number || slices.ContainsFunc(units, func(unit float64) bool {
		return slices.Contains(a.sizes(), q.of*unit)
	})
}

// maxCode is how long a source is whose quantities are read without a quote, in bytes: no
// program is as long, and a log is not one.
const maxCode = 4 << 20

// hasQuantity reports whether a quantity of the source, one whose unit is known, means a value.
func (s *Source) hasQuantity(a asked) bool {
	if a.Kind != KindNumber || len(s.doc.Text()) > maxCode {
		return false
	}
	if s.quantities == nil {
		s.quantities = append([]quantity{}, quantities(s.doc.Text())...)
	}
	return slices.ContainsFunc(s.quantities, func(q quantity) bool { return q.means(a) && !q.unclear })
}
