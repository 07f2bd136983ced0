package survival

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"blackboard/board/claims"
	"blackboard/board/documents"
	"blackboard/testdata/cost"
)

func check(t *testing.T, item Item, texts ...string) ItemResult {
	t.Helper()
	var reports []*documents.Document
	for i, text := range texts {
		reports = append(reports, documents.New(fmt.Sprintf("report%d.md", i+1), text))
	}
	r := Check([]Item{item}, reports...).Items[0]
	if !r.Unsure && r.Present != (r.Cause == "") || r.MissingTokens == nil || r.MissingNumbers == nil {
		t.Errorf("inconsistent result %+v", r)
	}
	return r
}

const filler = "The weather over the lake was calm and the ferries ran on time for the whole of that week, as everybody had expected. "

func TestSurvivalCauses(t *testing.T) {
	far := "\n\n" + strings.Repeat(filler, 12) + "\n\n"
	for _, c := range []struct{ name, item, text, cause string }{
		{"same words", "The Tristate filing has lapsed",
			"We found that the Tristate filing lapsed.", ""},
		{"other forms", "Subordination agreements were terminated",
			"The agreement to subordinate terminates at closing.", ""},
		{"enough of the words", "The Crestline payoff letter has not been received",
			"No payoff letter was received from Crestline so far.", ""},
		{"case and accents", "Café Zürich owes the RÉSUMÉ fee",
			"the resume fee that CAFE ZURICH owes", ""},
		{"emphasis", "The valuation cap is $6,000,000",
			"The **valuation** _cap_ is `$6,000,000`.", ""},
		{"number in the next sentence", "The Crestline loan has a principal of $25,000,000",
			"Crestline has a loan. Its principal is known.\nAmount: 25 million dollars.", ""},
		{"words under their heading",
			"Judgment lien of Vantage Chemical must be satisfied at closing",
			"# Vantage Chemical: judgment lien\n\n" + filler +
				"\n\nIt must be satisfied at closing.", ""},
		{"nothing", "The Tristate filing has lapsed", filler, MissAbsent},
		{"some words", "The Tristate filing has lapsed", "A filing was made.", MissAbsent},
		{"other number", "The cap of the note is $4.5 million",
			"The cap of the note is $4.8 million.", MissNumber},
		{"number far off", "The cap of the promissory note is $4.5 million",
			"The cap of the promissory note is high." + far + "$4.5 million", MissNumber},
		{"words far apart", "Ironworks refuses subordination entirely", "Ironworks is a lender." +
			far + "It refuses." + far + "Subordination, entirely.", MissScattered},
		{"another section", "Ironworks refuses subordination entirely",
			"# A\nIronworks refuses.\n# B\nSubordination, entirely.", MissScattered},
		{"wrong identifier", "Filing OH-2021-0109455 lapses soon",
			"Filing OH-2021-0109456 lapses soon.", MissNumber},
		{"question answered", "When does the Crestline continuation lapse?",
			"The continuation by Crestline lapses in 2030.", ""},
		{"short item", "OK?", "It is ok.", ""},
		{"short item missing", "OK?", "It is not.", MissAbsent},
		{"signs only", "???", "What???", ""},
		{"signs only missing", "???", "What?", MissAbsent},
		{"empty", "", "anything", MissAbsent},
		{"only a reference", "s83", "see s83", ""},
		{"only a reference, missing", "s83", "see s84", MissAbsent},
		{"reference beside words", "As entry e86 says, the lien lapsed yesterday",
			"The lien lapsed yesterday.", ""},
		{"only a number", "2,156,250", "each founder vested 2156250 shares", ""},
		{"Chinese", "抵押权于2026年3月23日失效", "我们确认该抵押权将于2026年3月23日失效。", ""},
		{"Chinese, date in English form", "抵押权于2026年3月23日失效", "我们确认该抵押权失效(2026-03-23)。", ""},
		{"Chinese, other date", "抵押权于2026年3月23日失效", "我们确认该抵押权将于2026年3月24日失效。", MissNumber},
		{"Chinese missing", "借款人尚未联系银行", "抵押权已经登记。", MissAbsent},
		{"Japanese", "契約書は未署名です", "この契約書は未署名です。", ""},
		{"Korean", "계약은 아직 서명되지 않았다", "그 계약은 아직 서명되지 않았다고 한다.", ""},
		{"Greek", "Η σύμβαση έληξε χθες", "Η σύμβαση έληξε χθες.", ""},
		{"Cyrillic", "Договор истекает завтра утром", "ДОГОВОР ИСТЕКАЕТ ЗАВТРА УТРОМ", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := check(t, Item{ID: "e1", Why: WhyMustSurface, Content: c.item}, c.text)
			if r.Cause != c.cause {
				t.Errorf("cause is %q, want %q: %+v %+v", r.Cause, c.cause, r, r.Passage)
			}
		})
	}
}

func TestSurvivalResult(t *testing.T) {
	text := "# Liens\n\nNothing here.\n\nThe Ironworks lien on all equipment of **Pinnacle** lapses soon.\n"
	r := check(t, Item{ID: "e1",
		Content: "The Ironworks lien on equipment lapses March 23, 2026 unless continued"}, text)
	if r.Present || r.Cause != MissNumber ||
		!slices.Equal(r.MissingNumbers, []string{"March 23, 2026"}) ||
		!slices.Equal(r.MissingTokens, []string{"continued"}) {
		t.Errorf("got %+v", r)
	}
	if r.Coverage != 0.8 {
		t.Errorf("coverage is %v", r.Coverage)
	}
	want := Passage{Report: "report1.md", Line: 5, Where: "line 5",
		Text: "The Ironworks lien on all equipment of Pinnacle lapses soon."}
	want.whole = want.Text
	if r.Passage == nil || *r.Passage != want {
		t.Errorf("passage is %+v, want %+v", r.Passage, want)
	}
	if r := check(t, Item{Content: "kestrels soar"}, text); r.Passage != nil || r.Coverage != 0 ||
		len(r.MissingTokens) != 2 {
		t.Errorf("got %+v", r)
	}
	long := check(t, Item{Content: "A passage about kestrels"}, "A passage about kestrels "+
		strings.Repeat("that soar high ", 300))
	if n := len([]rune(long.Passage.Text)); n > passageRunes {
		t.Errorf("the passage has %d runes", n)
	}
}

func TestSurvivalReports(t *testing.T) {
	item := Item{Content: "The Ironworks lien lapses in 2026"}
	r := check(t, item, "nothing", "The Ironworks lien lapses at some time.",
		"The Ironworks lien lapses in 2026.")
	if !r.Present || r.Passage.Report != "report3.md" {
		t.Errorf("got %+v", r)
	}
	// What one says word for word does not hide what another one says otherwise.
	r = check(t, item, "The Ironworks lien lapses in 2025.", "The Ironworks lien lapses in 2026.")
	if r.Present || r.Passage.Report != "report1.md" || !slices.Contains(r.Reasons, claims.WordForWord) {
		t.Errorf("got %+v", r)
	}
	// The halves in two reports are not the whole in one.
	if r := check(t, item, "The Ironworks lien.", "It lapses in 2026."); r.Present {
		t.Errorf("got %+v", r)
	}
	if r := check(t, item); r.Present || r.Cause != MissAbsent {
		t.Errorf("without a report: %+v", r)
	}
	if got := Check(nil).Items; got == nil || len(got) != 0 {
		t.Errorf("without items: %#v", got)
	}
}

func TestSurvivalWaived(t *testing.T) {
	item := Item{ID: "s1", Why: WhyWaived, Content: "Who insures the warehouse in Akron?",
		Reason: "the client will obtain coverage separately"}
	for text, want := range map[string]bool{
		"We do not know who insures the warehouse in Akron.": true,
		// The reason alone could be about anything: "expired", "out of scope".
		"The client will obtain coverage separately.": false,
		"All is well.": false,
	} {
		if r := check(t, item, text); r.Present != want {
			t.Errorf("%q: %+v", text, r)
		}
	}
}

// Whatever was present stays so when paragraphs, or reports, are added, if they do not
// contradict it.
func TestSurvivalMonotone(t *testing.T) {
	cost.SkipUnlessLong(t)
	run := loadIrys(t, "draft-safe-agreement")
	list := append(run.Entries, run.Signals...)
	text := run.Reports[0].Text()
	var present map[int]bool
	for _, part := range []int{4, 3, 2, 1} {
		cut := len(text) / part
		for cut < len(text) && text[cut] != '\n' {
			cut++
		}
		now := map[int]bool{}
		for i, r := range Check(list,
			documents.New("r", strings.ReplaceAll(text[:cut], "\n", "\n\n"))).Items {
			if r.Cause == "" { // not unsure, as nothing is in a long report
				now[i] = true
			} else if present[i] && r.Cause != MissContradicted {
				t.Errorf("with 1/%d of the report %q is missing again", part, list[i].Content)
			}
		}
		present = now
	}
}

func FuzzSurvival(f *testing.F) {
	for _, s := range [][4]string{
		{"The lien lapses March 23, 2026", "", "The lien lapses on March", "23, 2026."},
		{"cap of $4.5M (15%)", "no time", "# Caps\ncap 4.5", "million, 15 percent"},
		{"抵押权于2026年3月23日失效", "原因", "抵押权于2026年", "3月23日失效"},
		{"OK?", "", "ok", "OK"}, {"\u0749", "", "a", "b"}, {"???", "", "??", "???"}, {"one million five hundred", "",
			"One Million", "Five Hundred"},
		{"OH-2021-0109455 at 2:17 PM, (1) a (2) b", "e12", "OH–2021–0109455 2:17\r", "p.m."},
		{"Data is not encrypted at rest", "", "Data at rest is not",
			"encrypted. This is false: data is encrypted at rest."},
		{"The index calls the cache before 5 pm", "", "before 17:00 the index calls",
			"the cache calls the index, it was said; wrongly"},
	} {
		f.Add(s[0], s[1], s[2], s[3])
	}
	f.Fuzz(func(t *testing.T, content, reason, text, more string) {
		item := Item{ID: "s1", Why: WhyWaived, Content: content, Reason: reason}
		before := Check([]Item{item}, documents.New("r", text)).Items[0]
		after := Check([]Item{item}, documents.New("r", text+"\n\n"+more)).Items[0]
		both := Check([]Item{item}, documents.New("r", text), documents.New("s", more)).Items[0]
		for _, r := range []ItemResult{before, after, both} {
			if r.Coverage < 0 || r.Coverage > 1 || math.IsNaN(r.Coverage) {
				t.Errorf("coverage %v", r.Coverage)
			}
			if !r.Unsure && r.Present != (r.Cause == "") || r.Cause == "" && len(r.MissingNumbers) > 0 ||
				r.Cause == "" && r.Coverage < 0.299 {
				t.Errorf("inconsistent: %+v", r)
			}
			if r.Passage != nil && (r.Passage.Line < 1 ||
				len([]rune(r.Passage.Text)) > passageRunes) {
				t.Errorf("passage %+v", r.Passage)
			}
		}
		for _, p := range Carried(content, text) {
			if p.From < 0 || p.To <= p.From || p.To > len(text) {
				t.Errorf("%+v of %d bytes", p, len(text))
			}
		}
		if before.Cause == "" && (after.Cause != "" && after.Cause != MissContradicted || both.Cause != "") {
			t.Errorf("more text took it away:\n%+v\n%+v\n%+v", before, after, both)
		}
	})
}

// BenchmarkSurvival checks a thousand items against a megabyte.
func BenchmarkSurvival(b *testing.B) {
	reports, items := syntheticRun(1000, 1<<20)
	b.ResetTimer()
	for b.Loop() {
		Check(items, reports...)
	}
	b.ReportMetric(float64(len(items)), "items/op")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(len(items)), "µs/item")
}

// syntheticRun makes up a report of so many bytes, with words as frequent as in real
// text (a few very much), and items of its words.
func syntheticRun(n, size int) ([]*documents.Document, []Item) {
	seed := uint32(1)
	next := func(n int) int {
		seed = seed*1664525 + 1013904223
		return int(seed>>8) % n
	}
	word := func() string {
		k := 1 + next(20_000)
		return fmt.Sprintf("word%c%c%c", 'a'+20_000/k%26, 'a'+20_000/k/26%26, 'a'+20_000/k/676%26)
	}
	sentence := func(words int) string {
		var b strings.Builder
		for range words {
			b.WriteString(word() + " ")
		}
		fmt.Fprintf(&b, "$%d,%03d", 1+next(999), next(1000))
		return b.String() + "."
	}
	var text strings.Builder
	for text.Len() < size {
		text.WriteString(sentence(18) + "\n\n")
	}
	var items []Item
	for range n {
		items = append(items, Item{ID: "e1", Content: sentence(15)})
	}
	return []*documents.Document{documents.New("big.md", text.String())}, items
}
