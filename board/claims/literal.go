package claims

import (
	"slices"
	"sort"
	"strings"

	"blackboard/board/claims/parse"
)

// Says returns the claim where a text stands word for word, nil if it does not. If it is cut out of a
// denial wherever it stands, denied is a word of that.
func (ev *Evidence) Says(text string) (said *parse.Claim, denied string) {
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
		ev.said = parse.Flatten(b.String())
	}
	want := parse.Flatten(text)
	for rest := ev.said; want.Text != ""; {
		from, to := want.FindIn(rest)
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
		rest = rest.After(begin + from + 1)
	}
	return said, denied
}

var (
	deniers   = parse.TableSet("deniers")
	exceptive = parse.NewSet("except unless excluding")
	joiners   = parse.NewSet("but and because while although")
)

func denies(t *parse.Token) bool {
	low := strings.ReplaceAll(t.Low, "’", "'")
	label := t.Text == strings.ToUpper(t.Text) &&
		!outright.Has(low) // FAIL and REJECTED say what came of a line of a log
	return t.Kind == parse.WordToken && (deniers.Has(low) && !label || strings.HasSuffix(low, "n't"))
}

// denier returns the word beside [from, to) of a statement that takes back what stands
// there, "" if there is none: it was cut out of a denial, or before its condition. Two
// denials take back nothing: there is no doubt that …
func denier(text string, from, to int) (word string) {
	if word = Denier(text[:from]); word != "" {
		return word
	}
	after := parse.Tokenize(text[to:])
	for k := range after[:min(5, len(after))] {
		switch x := &after[k]; {
		case x.Kind == parse.MarkToken && strings.ContainsAny(x.Text, ";.:|"):
			return ""
		case exceptive.Has(x.Low), x.Low == "but" && slices.ContainsFunc(after[k:min(k+4, len(after))],
			func(y parse.Token) bool { return denies(&y) }):
			return x.Text
		}
	}
	return ""
}

// Denier returns the word at the end of a text that takes back what follows in its clause, "" if there is none.
func Denier(text string) (word string) {
	before := parse.Tokenize(text)
	for k := len(before) - 1; k >= 0 && k >= len(before)-9; k-- {
		x := &before[k]
		if denies(x) {
			if word == "" {
				word = x.Text
			} else {
				word = ""
			}
		}
		parts := strings.ContainsAny(x.Text, ";:.!?()|—–") || x.Text == "," && k < len(before)-1
		if x.Kind == parse.MarkToken && parts || joiners.Has(x.Low) {
			break
		}
	}
	return word
}
