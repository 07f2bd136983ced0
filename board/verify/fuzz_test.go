package verify

import (
	"strings"
	"testing"

	"blackboard/board/documents"
	"blackboard/testdata/cost"
)

// FuzzQuote holds the matcher to what a quote is: whatever is cut out of a document is
// found there, also with its lines broken elsewhere, and nothing panics.
func FuzzQuote(f *testing.F) {
	for _, text := range []string{source, "a.5 -5 +5 −5 1,200 (.5) 5-10 x->y",
		"<b class=x>bold</b> [a](b c) [d](e) &amp; &lt;T&gt; &foo;",
		"0]( 0", "exam-\nple re-\n> issue\n// comment\n// goes on",
		"漢字かな交じり文。 ทดสอบ ﬁne ½ 10² Ⅳ e\u0301", "!!! ?? ~~x~~ a ~ b C# C++ don't 'quoted'",
		"$5 €6 % 7% 8 % §4.2 @a ^b", "<o\x9f\x9f</b>",
		"const TIMEOUT_MS = 120_000UL // ms\nd = time.Second * 30 << 2 ** 8; 1h30mPT2H 0x1F 5*"} {
		f.Add(text, uint16(0), uint16(60), "must … be [...] stored")
		f.Add(text, uint16(3), uint16(4), text)
	}
	f.Fuzz(func(t *testing.T, text string, from, length uint16, other string) {
		d := documents.New("d", text)
		s := NewSource(d)
		x := s.words()
		s.Check(&Finding{Evidence: other, SourceRef: other})
		s.Check(&Finding{Content: other, Calculated: true, Related: []string{text}})
		if len(x.words) == 0 {
			return
		}
		a := int(from) % len(x.words)
		b := min(len(x.words), a+1+int(length)%200)
		cut := x.text[x.words[a].start:x.words[b-1].end]
		s.Check(&Finding{Evidence: cut, Content: other + " 2 minutes 10 MB 31 5 %"})
		for _, quote := range []string{cut, strings.ReplaceAll(cut, " ", "\n"),
			strings.ReplaceAll(cut, "\n", " "),
			"\n  " + strings.ReplaceAll(cut, " ", "  ") + "\n"} {
			switch o := s.Check(&Finding{Evidence: quote}); o.Verdict {
			case Found, Denied: // what is cut out of a denial is there, too
			default:
				t.Fatalf("%q is cut out of %q, but %s (%s)", quote, d.Text(), o.Verdict, o.Note)
			}
		}
	})
}

func TestCost(t *testing.T) {
	cost.SkipUnlessLong(t)
	for what, unit := range map[string]string{"words": "every word of it differs from number ",
		"repetitions": "a a a ", "tags": "<b ", "links": "](", "signs": "!?", "hyphens": "a-\n",
		"digits": "1.", "omissions": "a b … "} {
		cost.Growth(t, "a source of "+what, 20_000, func(n int) {
			text := strings.Repeat(unit, n)
			s := NewSource(documents.New("d", text))
			for _, quote := range []string{text[:min(len(text), 2000)] + " x", "a a b",
				"number differs … every word", "0.5 a-a <b>"} {
				s.Check(&Finding{Evidence: quote})
			}
		})
	}
}
