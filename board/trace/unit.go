package trace

import (
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"blackboard/board/words"
)

// A measure is how many of its dimension's base a unit is.
type measure struct {
	dim string
	of  float64
}

// moreUnits are units that package words does not convert. An m is a metre, as minutes
// are written so in "5m" alone; a basis point is read by its first word.
var moreUnits = sync.OnceValue(func() map[string]measure {
	m := map[string]measure{}
	for dim, list := range map[string]string{
		"length":    "km 1000 m 1 cm .01 mm .001 metre 1 meter 1 mile 1609.344 foot .3048 feet .3048 inch .0254",
		"mass":      "t 1e6 kg 1000 g 1 mg .001 tonne 1e6 ton 1e6 gram 1",
		"power":     "w 1 kw 1e3 mw 1e6 gw 1e9",
		"energy":    "kwh 1e3 mwh 1e6 gwh 1e9",
		"frequency": "hz 1 khz 1e3 mhz 1e6 ghz 1e9",
		"volume":    "litre 1 liter 1 ml .001",
		"rate":      "rps 1 qps 1",
		"bits":      "bps 1 kbps 1e3 mbps 1e6 gbps 1e9",
		"%":         "basis .01",
		"$":         "cent .01",
		"£":         "pound 1",
		"¥":         "yen 1",
	} {
		f := strings.Fields(list)
		for i := 0; i < len(f); i += 2 {
			of, _ := strconv.ParseFloat(f[i+1], 64)
			m[f[i]] = measure{dim, of}
		}
	}
	for code, dim := range currencies() {
		m[code] = measure{dim, 1}
	}
	return m
})

// unitWord returns the dimension of a word that is a unit, and how many of its base it
// is.
func unitWord(w string) (dim string, of float64, ok bool) {
	if dim, of, ok = words.Unit(w); ok && w != "m" {
		return dim, of, true
	}
	u, ok := moreUnits()[w]
	if !ok {
		u, ok = moreUnits()[strings.TrimSuffix(w, "s")]
	}
	return u.dim, u.of, ok
}

// currencies are codes of currencies: those with a symbol of their own by it.
var currencies = sync.OnceValue(func() map[string]string {
	m := map[string]string{"usd": "$", "eur": "€", "gbp": "£", "jpy": "¥"}
	for _, code := range strings.Fields("chf cad aud cny inr sek nok dkk pln czk krw brl sgd") {
		m[code] = strings.ToUpper(code)
	}
	return m
})

// currencyBefore returns the currency that stands before a place, and where it begins.
func currencyBefore(text string, at int) (string, int) {
	before := strings.TrimRight(text[max(0, at-6):at], " *_`\u00a0")
	from := at - len(text[max(0, at-6):at]) + len(before)
	r, size := utf8.DecodeLastRuneInString(before)
	if strings.ContainsRune("$€£¥", r) {
		from -= size
		if strings.HasSuffix(text[:from], "US") {
			from -= 2
		}
		return string(r), from
	}
	if len(before) >= 3 {
		if c := currencies()[strings.ToLower(before[len(before)-3:])]; c != "" {
			return c, from - 3
		}
	}
	return "", at
}

func currencyAfter(rest string) string {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest[:min(len(rest), 6)], " \u00a0"))
	if strings.ContainsRune("$€£¥", r) && r != utf8.RuneError {
		after := strings.TrimLeft(rest, " \u00a0")[utf8.RuneLen(r):]
		if after == "" || after[0] < '0' || after[0] > '9' { // not "in 2024 $5"
			return string(r)
		}
	}
	return ""
}
