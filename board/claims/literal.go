package claims

import (
	"slices"
	"sort"
	"strings"
)

// Says returns the claim where a text stands word for word, nil if it does not. If it is cut out of a
// denial wherever it stands, denied is a word of that.
func (ev *Evidence) Says(text string) (said *Claim, denied string) {
	if ev.starts == nil {
		var b strings.Builder
		for i, c := range ev.Claims {
			if i > 0 && !slices.Equal(c.Heads, ev.Claims[i-1].Heads) {
				b.WriteString("! ") // nothing goes on in the next section
			}
			ev.starts = append(ev.starts, b.Len())
			b.WriteString(c.Text + "\n")
		}
		ev.starts = append(ev.starts, b.Len())
		ev.said = flatten(b.String())
	}
	want := flatten(text)
	for rest := ev.said; want.s != ""; {
		from, to := want.in(rest)
		if from < 0 {
			return said, denied
		}
		i := sort.SearchInts(ev.starts, from+1) - 1
		c, begin := ev.Claims[i], ev.starts[i]
		from -= begin
		word := denier(c.Text, from, min(to-begin, len(c.Text)))
		if !c.English || word == "" {
			return c, ""
		}
		said, denied = c, word
		rest = rest.after(begin + from + 1)
	}
	return said, denied
}

var (
	deniers   = setOf("deniers")
	exceptive = set("except unless excluding")
	joiners   = set("but and because while although")
)

func (t *token) denies() bool {
	low := strings.ReplaceAll(t.low, "’", "'")
	label := t.text == strings.ToUpper(t.text) && !outright.has(low) // FAIL and REJECTED say what came of a line of a log
	return t.kind == wordToken && (deniers.has(low) && !label || strings.HasSuffix(low, "n't"))
}

// denier returns the word beside [from, to) of a statement that takes back what stands
// there, "" if there is none: it was cut out of a denial, or before its condition. Two
// denials take back nothing: there is no doubt that …
func denier(text string, from, to int) (word string) {
	if word = Denier(text[:from]); word != "" {
		return word
	}
	after := lex(text[to:])
	for k := range after[:min(5, len(after))] {
		switch x := &after[k]; {
		case x.kind == markToken && strings.ContainsAny(x.text, ";.:|"):
			return ""
		case exceptive.has(x.low), x.low == "but" && slices.ContainsFunc(after[k:min(k+4, len(after))],
			func(y token) bool { return y.denies() }):
			return x.text
		}
	}
	return ""
}

// Denier returns the word at the end of a text that takes back what follows in its clause, "" if there is none.
func Denier(text string) (word string) {
	before := lex(text)
	for k := len(before) - 1; k >= 0 && k >= len(before)-9; k-- {
		x := &before[k]
		if x.denies() {
			if word == "" {
				word = x.text
			} else {
				word = ""
			}
		}
		parts := strings.ContainsAny(x.text, ";:.!?()|—–") || x.text == "," && k < len(before)-1
		if x.kind == markToken && parts || joiners.has(x.low) {
			break
		}
	}
	return word
}
