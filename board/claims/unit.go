package claims

import (
	"strings"
	"sync"
)

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
	for line := range strings.Lines(table("units")) {
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
const loneUnits = "hsgtx"

// unit reads a unit of one or two tokens, and how many it takes.
func (t tokens) unit(i int) (unit, int) {
	x := t.at(i)
	if x.kind == markToken {
		return unit{}, 0
	}
	if u, ok := units()[x.low+" "+t.word(i+1)]; ok {
		return u, 2
	}
	u, ok := units()[strings.TrimPrefix(x.low, "time.")]
	lone := len(x.low) == 1 && x.kind == wordToken && !x.glued
	if !ok || lone && !strings.Contains(loneUnits, x.low) {
		return unit{}, 0
	}
	return u, 1
}

var adverbRates = sync.OnceValue(func() map[string]string {
	return map[string]string{"monthly": "month", "annually": "year", "yearly": "year",
		"weekly": "week", "daily": "day", "hourly": "hour", "quarterly": "quarter"}
})

// rate reads "per month", "a month", "/month" or "monthly", and how many tokens it takes.
func (t tokens) rate(i int) (per string, n int) {
	x, y := t.at(i), t.at(i+1)
	u := units()[y.low]
	slash := x.low == "/" && x.glued
	switch article := x.low == "a" || x.low == "an" || x.low == "each" || x.low == "every"; {
	case adverbRates()[x.low] != "":
		return adverbRates()[x.low], 1
	case x.low == "per" && y.low == "annum":
		return "year", 2
	case (article || x.low == "per" || x.low == "/") && (u.dim == "time" || u.dim == "months") &&
		(len(y.low) > 1 || slash):
		return u.name, 2
	case (x.low == "per" || slash) && y.kind == wordToken:
		return stem(y.low), 2
	case x.low == "per" && y.kind == numberToken && (strings.Trim(y.text, "0,") == "1"): // per 1,000 donations
		return strings.ReplaceAll(y.text, ",", ""), 2
	}
	return "", 0
}

// headerUnit reads a unit in the header of a column: Cost ($), revenue_eur_k, Share %.
func headerUnit(header string) (u unit) {
	if header == "" {
		return u
	}
	t := lex(strings.ReplaceAll(header, "_", " "))
	for i := range t {
		if c := currencies()[t[i].low]; c != "" {
			u = unit{"money", c, 1, ""}
			for k := i - 1; k <= i+1; k++ {
				if f := scales()[t.at(k).low]; f != 0 {
					u.factor = f
				}
			}
			return u
		}
		w, v := t[i].low, units()[t[i].low]
		inParens := t.at(i-1).text == "("
		if !inParens && v.dim == "time" && t[i].text == strings.ToUpper(t[i].text) {
			continue // HR is no hour
		}
		suffix := len(w) > 1 || strings.HasSuffix(header, "_"+w) && strings.Contains(loneUnits, w)
		if v.dim != "" && v.dim != "months" && (w == "%" || inParens || suffix && (i > 0 || len(t) == 1)) {
			before := t.at(i - 1).low
			switch of := before == "/" || before == "per"; {
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
