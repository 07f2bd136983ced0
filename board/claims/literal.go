package claims

import (
	"slices"
	"sort"
	"strings"
)

// A flat is a text without blanks, markup and punctuation: its words in lower case and its
// numbers. For each byte it has where its token begins and ends.
type flat struct {
	s       string
	at, end []int
}

var inWord = strings.NewReplacer("’", "", "'", "", "_", "", "-", "")

// flatten makes two ways to write one text equal: line breaks, hyphens, quotation marks,
// emphasis and what parts cells. Numbers stay, and signs that change the meaning.
func flatten(text string) (f flat) {
	var b strings.Builder
	for _, t := range lex(reNote.ReplaceAllString(text, "")) {
		s := inWord.Replace(t.low)
		switch {
		case t.kind == numberToken:
			s = t.text
			if n, ok := parseNumber(s); ok && n.other == 0 {
				s = thinSeparators.Replace(strings.ReplaceAll(s, ",", ""))
			}
			if t.minus {
				s = "-" + s
			}
			s = "\x01" + s + "\x01"
		case t.kind == signToken && (s == "*" || s == "/"), t.kind == markToken && s != "!":
			continue
		}
		b.WriteString(s)
		for range len(s) {
			f.at, f.end = append(f.at, t.at), append(f.end, t.end())
		}
	}
	f.s = b.String()
	return f
}

// after returns what stands from a place of the text on.
func (f flat) after(at int) flat {
	i := sort.SearchInts(f.at, at)
	return flat{f.s[i:], f.at[i:], f.end[i:]}
}

// in returns where a text stands in another one, by whole words; -1 if it does not.
func (f flat) in(text flat) (from, to int) {
	want := strings.TrimRight(f.s, "!")
	for at := 0; want != ""; {
		i := strings.Index(text.s[at:], want)
		if i < 0 {
			break
		}
		i += at
		j := i + len(want)
		if (i == 0 || text.at[i-1] != text.at[i]) && (j == len(text.s) || text.at[j] != text.at[j-1]) {
			return text.at[i], text.end[j-1]
		}
		at = i + 1
	}
	return -1, -1
}

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
