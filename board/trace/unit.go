package trace

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A measure is how many of its dimension's base a unit is.
type measure struct {
	dim string
	of  float64
}

// coins are words of money, and the metre, as minutes are written m in "5m" alone.
var coins = sync.OnceValue(func() map[string]measure {
	m := map[string]measure{
		"dollar": {"$", 1}, "euro": {"€", 1}, "pound": {"£", 1},
		"yen": {"¥", 1}, "cent": {"$", .01},
		"penny": {"£", .01}, "pence": {"£", .01},
		"m": {"length", 1},
	}
	for code, dim := range currencies() {
		m[code] = measure{dim, 1}
	}
	return m
})

// coin returns the dimension and value of a word for money, false for another word.
func coin(w string) (measure, bool) {
	m, ok := coins()[w]
	if !ok {
		m, ok = coins()[strings.TrimSuffix(w, "s")]
	}
	return m, ok
}

// otherCoins are the currencies besides its own that a figure in cents may be of.
func (a *amount) otherCoins() []string {
	if !a.coins || a.dim != "$" {
		return nil
	}
	return []string{"€", "£"}
}

// inCurrency is a figure, where one of two is in cents, in the currency of the other.
func (g *amount) inCurrency(a *amount) *amount {
	if g.dim == a.dim || !slices.Contains(g.otherCoins(), a.dim) &&
		!slices.Contains(a.otherCoins(), g.dim) {
		return g
	}
	b := *g
	b.dim = a.dim
	return &b
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
