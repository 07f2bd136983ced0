package trace

import (
	"slices"
	"strings"
	"testing"

	"blackboard/board/documents"
	"blackboard/testdata/expect"
)

// FuzzTrace holds trace to two promises: no text makes it panic, and a report that is
// made of the records' own texts states nothing unsupported.
func FuzzTrace(f *testing.F) {
	long := func(s string) bool { return len(s) > windowSize } // slow to change again and again
	for _, s := range append(slices.DeleteFunc(slices.Clone(ownTexts), long),
		"", "Revenue was $4.2 million, up 11.9 % from 3,750,000.",
		"| Name | Price |\n|---|---|\n| Borealis | €40 |",
		"## 2. Head of 2024\n\n1. one\n2. two",
		"He said: \"we were afraid to touch it\" at 17:05 on June 3, 2026 (see [4] and page 7).",
		"kb/search.go:42 `--dry-run` v1.2.3 https://a.b/c?d=1 X-9 e12",
		"10-15 % in 3 h 20 min; 9 to 10.5 times; about 0; 450万 2026年3月23日",
		"Dr. Ä. Ö'Brien & Sons of York's \"x\ny\"", "\xff1\x00$%—–-",
		"5 5 5 5 days days per per cent percent", "A0! 000 0",
		"y-run` v1.2.3  \x00tps://a.b/c?d=1 X-\x1b e1",
		"Sold<!-- o. -->200 units, ~~12~~ 13 in Ohio.",
		"Co", "# ea4\n\n1 202d of. one\n2", "# d \n\n1. one\n2", "the call of a.go:1é. foo__bar (1i~~1", "1.([;oneTwodays", "4-no. ?00ב?YO",
		"# Z\t6l\n6H", "߂o ٣2May １X-92 1i[^1]of no_**_e1 ```a__b",
	) {
		f.Add(s, "Other words of Crestline, 12 of them.")
	}
	f.Fuzz(func(t *testing.T, text, other string) {
		text, other = strings.ToValidUTF8(text, "?"), strings.ToValidUTF8(other, "?")
		records := each([]Record{{ID: "e1", Text: text}, {ID: "e2", Text: other, Ref: text}})
		doc := documents.New("source.md", other)
		sources := func(read func(*documents.Document) error) error { return read(doc) }
		r := expect.Value(Check(
			records,
			sources,
			documents.New("report.md", text),
			documents.New("other.md", other),
		))(t)
		if r.Checked != len(r.Facts) ||
			r.Checked != r.Supported+r.Derived+r.SourceOnly+r.Unsupported {
			t.Errorf("the counts do not add up: %+v", r)
		}
		for _, fact := range r.Facts {
			if fact.Verdict == Unsupported {
				t.Errorf(
					"%q (%s) of the record's own text is unsupported: %s",
					fact.Text,
					fact.Kind,
					fact.Cause,
				)
			}
		}
	})
}
