package survival

import (
	"fmt"
	"testing"

	"blackboard/board/claims"
	"blackboard/board/claims/parse"
	"blackboard/board/documents"
)

// answered reports whether a report with a text has every number that an item insists
// on, and how many it insists on.
func answered(item, text string) (numbers int, ok bool) {
	ev, p := claims.NewEvidence([]*parse.Claim{parse.ExtractText(text, "")}), newPattern(item)
	return p.Numbers, ev.HasNumbers(p.Pattern, claims.Span{})
}

// numberKeys returns what an item with that text insists on.
func numberKeys(text string) []string {
	keys := []string{}
	for _, w := range newPattern(text).Wants {
		if w.Number {
			keys = append(keys, w.Text)
		}
	}
	return keys
}

func TestSurvivalNumbersEqual(t *testing.T) {
	for _, same := range [][]string{
		{"4,500,000", "$4.5M", "4.5 million", "USD 4.5m", "4500000", "$4,500,000.00",
			"€4.5 million", "4'500'000", "4.500.000", "45,00,000", "4.5-million",
			"**4.5** million", "$4.5 M", "USD 4.5 m", "four million five hundred thousand",
			"450万", "4.5mn", "US$4.5m"},
		{"1,500,000", "One Million Five Hundred Thousand", "$1.5M", "1.5\nmillion"},
		{"$250,000", "Two Hundred Fifty Thousand Dollars", "250k", "250 thousand",
			"two hundred and fifty thousand"},
		{"15%", "15.00%", "15 percent", "15 per cent", "fifteen percent", "**15**%", "15 %",
			`15.0\%`, "15％", "15-percent", "15 pct"},
		{"March 23, 2026", "2026-03-23", "03/23/2026", "23 March 2026", "Mar. 23, 2026",
			"23rd of March 2026", "March 23rd, 2026", "2026/3/23",
			"23.03.2026", "2026-03-23T10:00:00Z", "3/23/26", "2026年3月23日",
			"March **23**, 2026", "March 23,\n2026"},
		{"March 2026", "Mar 2026", "March, 2026"},
		{"2:17 PM", "14:17", "2:17 p.m.", "2:17pm"},
		{"3rd", "third"},
		{"OH-2021-0109455", "OH–2021–0109455", "oh-2021-0109455",
			"**OH-2021-0109455**", "OH‑2021‑0109455"},
		{"UCC-1", "UCC1", "UCC‑1", "UCC-1s"},
		{"34-2187650", "34–2187650"},
		{"10-month", "10 months", "ten months", "ten (10) months"},
		{"v1.2.3", "V1.2.3"},
		{"7.01(g)", "Section 7.01(g)"},
		{"10-15 people", "10 to 15 people", "10–15 people"},
		{"300ms", "300 ms"},
		{"١٢٣", "123", "１２３"},
	} {
		for _, item := range same {
			for _, text := range same {
				if n, ok := answered(item, text); n == 0 && item != "third" || !ok {
					t.Errorf("%q in an item wants %q; %q in a report has not", item,
						numberKeys(item), text)
				}
			}
		}
	}
}

func TestSurvivalNumbersDiffer(t *testing.T) {
	for _, pair := range [][2]string{
		{"$4.5M", "4.6 million"},
		{"4.5", "4.5 million"},
		{"15%", "15"},
		{"15%", "1.5%"},
		{"4.17%", "4.1667%"},
		{"March 23, 2026", "March 24, 2026"},
		{"March 23, 2026", "March 23, 2025"},
		{"OH-2021-0109455", "OH-2021-0109456"},
		{"OH-2021-0109455", "2021"},
		{"2021", "OH-2021-0109455"},
		{"00198", "198"},
		{"2:17 PM", "2:17 AM"},
		{"UCC-1", "UCC-3"},
		{"4th", "4"},
	} {
		if n, ok := answered(pair[0], pair[1]); n == 0 || ok {
			t.Errorf("%q in an item wants %q, and must not find it in %q", pair[0],
				numberKeys(pair[0]), pair[1])
		}
	}
}

// A text answers to more than an item insists on.
func TestSurvivalNumbersInclude(t *testing.T) {
	for _, pair := range [][2]string{
		{"in 2026", "on March 23, 2026"},
		{"March 2026", "on March 23, 2026"},
		{"on March 23", "on March 23, 2026"},
		{"5/6/2026", "June 5, 2026"},
		{"5/6/2026", "May 6, 2026"},
		{"10%", "ten percent (10%)"},
		{"2 employees", "two (2) employees"},
	} {
		if _, ok := answered(pair[0], pair[1]); !ok {
			t.Errorf("%q in an item wants one of %q; %q has none", pair[0], numberKeys(pair[0]),
				pair[1])
		}
	}
}

func TestSurvivalNumbersIgnored(t *testing.T) {
	for _, text := range []string{
		"Entries [e86] and [e2300] disagree",
		"the finding (e90, e92) stands",
		"criterion c5 is met",
		"question q2 is open",
		"entries e1008-e1014 and e1008–e1014",
		"as signal s3 asks",
		"obtain (1) a payoff letter; (2) a release; and (3) a certificate",
		"two employees and one founder",
	} {
		if keys := numberKeys(text); len(keys) > 0 {
			t.Errorf("%q insists on %q", text, keys)
		}
	}
}

func ExampleCheck() {
	report := documents.New("memo.md",
		"## Findings\n\nThe Ironworks lien of $4.5 million lapses on 23 March 2026.\n")
	for _, r := range Check([]Item{
		{ID: "e1", Content: "Ironworks' lien ($4,500,000) lapses 2026-03-23."},
		{ID: "e2", Content: "Ironworks' lien ($4,800,000) lapses 2026-03-23."},
		{ID: "s1", Content: "Has the borrower contacted Crestline?"},
	}, report).Items {
		fmt.Println(r.ID, r.Present, r.Cause, r.MissingNumbers)
	}
	// Output:
	// e1 true  []
	// e2 false number differs [$4,800,000]
	// s1 false absent []
}
