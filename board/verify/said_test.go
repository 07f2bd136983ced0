package verify

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board/documents"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/shared"
)

// TestSaid holds what is checked of a finding whose quote was found.
func TestSaid(t *testing.T) {
	const quote = "The limit is 1,200 requests per minute"
	for _, c := range []struct{ content, verdict, missing string }{
		{"The limit is 1200 a minute", Found, ""},
		{"20 requests per second are allowed", Found, ""},                      // it follows
		{"Sessions end after half an hour, or 30 minutes", Found, ""},          // the source has it
		{"More than 1,100 requests are allowed", Found, ""},                    // rounded
		{"The Gateway of GitHub allows it", Found, ""},                         // names are left out
		{"As e12 says in doc.md, line 10, it is 1,200", Found, ""},             // references
		{"The limit is 1,500 requests", Refuted, "1,500"},                      // another number
		{"It holds since 3 May 2026", ValueMissing, "3 May 2026"},              // a date
		{"It is set in `limits.yaml`", ValueMissing, "limits.yaml"},            // an identifier
		{"Only 41 of 73 clients keep it", ValueMissing, "41 73"},               // two
		{"Revenue was $8.60M, the limit 1,200", ValueMissing, "$8.60M"},        // beside a right one
		{"The limit holds for 15 % of clients, says p. 3", Found, ""},          // of another paragraph
		{"The limit holds for 9 % of clients", ValueMissing, "9 %"},            // shown with its sign
		{"70 kW are used at a limit of 1,200 requests", ValueMissing, "70 kW"}, // kW is a unit
	} {
		for _, kind := range []string{"observation", "analysis"} {
			f := Finding{Type: kind, Content: c.content, Evidence: quote, SourceDoc: "doc.md",
				SourceRef: "line 10, p. 3", Concludes: kind == "analysis"}
			got := check(t, f)
			var missing []string
			for _, v := range got.Missing {
				missing = append(missing, v.Text)
			}
			want := c.verdict
			if f.Concludes {
				want = Found
			}
			if got.Verdict != want || strings.Join(missing, " ") != c.missing ||
				got.Passage == nil {
				t.Errorf("%s %q: %s, %q, %q", kind, c.content, got.Verdict, missing, got.Note)
			}
		}
	}
	got := check(t, Finding{Content: "41 orders…", Evidence: quote, SourceDoc: "doc.md"})
	if want := "quote found, but the finding says 41, which neither the quote nor doc.md has"; got.
		Note != want {
		t.Error(got.Note)
	}
}

// TestLargeSource: a source above maxClaimed is read around the quote; it costs little, and what the
// lines there deny is seen.
func TestLargeSource(t *testing.T) {
	var b strings.Builder
	for i := range 150_000 {
		fmt.Fprintf(&b, "worker %d of the night shift wrote its line\n", i)
		if i == 75_000 {
			b.WriteString("\nThe pump of hall four was not replaced in April.\n\nIts filter is new.\n\n")
		}
	}
	if b.Len() < maxClaimed {
		t.Fatal("the source is too small")
	}
	s := NewSource(documents.New("night.txt", b.String()))
	for content, want := range map[string]string{
		"The filter of hall four is new":              Found,
		"The pump of hall four was replaced in April": Refuted,
		"The new filter is for 14,999 hours":          Found,
		"The new filter is for 159,999 hours":         ValueMissing,
	} {
		quote := "Its filter is new."
		if want == Refuted {
			quote = "The pump of hall four was not replaced in April."
		}
		f := Finding{Type: "observation", Content: content, Evidence: quote, SourceDoc: "night.txt"}
		var got Outcome
		most := uint64(200 << 20)
		if strings.HasSuffix(content, "hours") { // its figures are looked for in all of the source
			most = 1500 << 20
		}
		if n := cost.Allocated(func() { got = s.Check(&f) }); uint64(n) > most && !cost.Race {
			t.Errorf("%q: %d MB were allocated", content, n>>20)
		}
		if got.Verdict != want {
			t.Errorf("%q: %s, %q", content, got.Verdict, got.Note)
		}
	}
}

// saidFinding is a finding of testdata/verify/figures.json.
type saidFinding struct {
	ID, Group, Source, Type, Label, Form, Content, Quote string
}

// Least figures on findings whose quote is found, as shares: of invented figures that are
// named, of true observations that are doubted, and of those of real runs.
const (
	leastNamed      = .9
	mostSaidDoubted = .05
	mostRunDoubted  = .03
)

// TestFigures holds the rule to labelled findings. The second group was written after the
// rule.
func TestFigures(t *testing.T) {
	var set struct {
		Sources  map[string]string
		Findings []saidFinding
	}
	readJSON(t, filepath.Join("..", "..", "testdata", "verify", "figures.json"), &set)
	type tally struct{ invented, named, observed, doubted, concluded, noted int }
	groups := map[string]*tally{"first": {}, "second": {}}
	var all tally
	for _, f := range set.Findings {
		o := NewSource(documents.New(f.Source, set.Sources[f.Source])).Check(&Finding{
			Type: f.Type, Content: f.Content, Evidence: f.Quote, SourceDoc: f.Source,
			Calculated: f.Type == "calculation", Concludes: f.Type != "observation"})
		lacks, right := len(o.Missing) > 0, true
		for _, c := range []*tally{groups[f.Group], &all} {
			switch {
			case f.Label == "invented":
				c.invented++
				c.named += one(lacks)
				right = lacks
			case f.Type == "observation":
				c.observed++
				c.doubted += one(o.Verdict != Found)
				right = o.Verdict == Found
			default:
				c.concluded++
				c.noted += one(lacks)
				right = o.Verdict == Found
			}
		}
		if !right {
			t.Logf("%s %s %s: %q: %s", f.ID, f.Label, f.Form, f.Content, o.Note)
		}
	}
	for name, c := range map[string]*tally{"first": groups["first"], "second": groups["second"],
		"all": &all} {
		t.Logf("%s: of %d invented figures %d are named; of %d true observations %d are doubted; "+
			"of %d true conclusions %d are noted", name, c.invented, c.named, c.observed,
			c.doubted, c.concluded, c.noted)
	}
	if share(all.named, all.invented) < leastNamed ||
		share(all.doubted, all.observed) > mostSaidDoubted {
		t.Errorf("%+v", all)
	}
}

// TestFiguresOfRuns doubts few findings with quotes of two runs of agents, which are not
// part of the project. Their sources are not there. What other observations and quotes
// say of a source stands for it, so more seems to be missing than is.
func TestFiguresOfRuns(t *testing.T) {
	cost.SkipUnlessLong(t)
	dir := shared.File("data", "irys")
	if dir == "" {
		t.Skip("the real runs are absent: set BOARD_SHARED to their folder")
	}
	checked, doubted, noted := 0, 0, 0
	for _, run := range []string{"draft-safe-agreement", "extract-lien-and-debt-information"} {
		var in struct {
			Entries []struct {
				ID, Type, Content string
				Source            struct{ Document, Section, Evidence string }
			}
		}
		readJSON(t, filepath.Join(dir, run, "iter_12_final.json"), &in)
		for _, e := range in.Entries {
			if strings.TrimSpace(e.Source.Evidence) == "" {
				continue
			}
			text := e.Source.Evidence
			for _, o := range in.Entries {
				if o.Source.Document == "" ||
					!strings.Contains(e.Source.Document, o.Source.Document) {
					continue
				}
				text += "\n\n" + o.Source.Evidence
				if o.ID != e.ID && o.Type == "observation" {
					text += "\n\n" + o.Content
				}
			}
			o := NewSource(documents.New("", text)).Check(&Finding{Type: e.Type,
				Content: e.Content, Evidence: e.Source.Evidence, SourceDoc: e.Source.Document,
				Concludes: e.Type != "observation"})
			checked++
			doubted += one(o.Verdict != Found)
			noted += one(o.Verdict == Found && len(o.Missing) > 0)
			if o.Note != "" {
				t.Logf("%s %s: %q: %s", e.ID, e.Type, e.Content, o.Note)
			}
		}
	}
	t.Logf("of %d findings with quotes %d are doubted, %d noted", checked, doubted, noted)
	if checked == 0 || share(doubted, checked) > mostRunDoubted {
		t.Errorf("%d of %d doubted", doubted, checked)
	}
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Least figures on findings about programs and their settings, as for [leastNamed].
const (
	leastCodeNamed  = .7
	mostCodeDoubted = .1
)

// TestFiguresOfCode holds the rule to findings about programs, which say in words what
// names and expressions say there. Who wrote and labelled them did not know the rule. The
// second group was written after it.
func TestFiguresOfCode(t *testing.T) {
	var set struct {
		Sources  map[string]string
		Findings []saidFinding
	}
	readJSON(t, filepath.Join("..", "..", "testdata", "verify", "code.json"), &set)
	var invented, named, observed, doubted int
	for _, f := range set.Findings {
		o := NewSource(documents.New(f.Source, set.Sources[f.Source])).Check(&Finding{
			Type: f.Type, Content: f.Content, Evidence: f.Quote, SourceDoc: f.Source})
		right := o.Verdict == Found
		if f.Label == "invented" {
			invented++
			named += one(!right)
			right = !right
		} else {
			observed++
			doubted += one(!right)
		}
		if !right {
			t.Logf("%s %s %s: %q in %q: %s", f.ID, f.Label, f.Form, f.Content, f.Quote, o.Note)
		}
	}
	t.Logf("of %d invented figures %d are named; of %d true observations %d are doubted",
		invented, named, observed, doubted)
	if share(named, invented) < leastCodeNamed || share(doubted, observed) > mostCodeDoubted {
		t.Error("fewer named, or more doubted, than before")
	}
}

// TestFiguresOfProse: numbers of prose have no unit of another word, so a figure with the
// right number and the wrong unit is named. Two are not, as package trace takes the unit of
// the words nearby.
func TestFiguresOfProse(t *testing.T) {
	stand := 0
	for _, c := range []struct{ quote, content string }{
		{"46 orders were refunded", "The refunds took 46 days."},
		{"The hall had 3600 visitors on Sunday.", "The visitors stayed for 60 minutes."},
		{"23 orders were refunded within a day", "The refunds took 23 days."},
		{"Two days later, 23 orders were refunded.", "It took 23 days to refund them."},
		{"In those seconds, 900 requests failed.", "Requests failed for 15 minutes."},
		{"The team has 12 engineers, for a week at most.", "The team needs 12 weeks."},
		{"A total of 120 reports came in on Monday, hours after the outage.", "The outage lasted 120 hours."},
		{"The archive has 1024 folders of a few bytes.", "The archive is 1 KB large."},
		{"Of 40 people, 30 percent agreed.", "The vote took 40 seconds."},
		{"Room 500 was closed for minutes.", "The room was closed for 500 minutes."},
	} {
		o := NewSource(documents.New("a.txt", c.quote+"\n")).Check(&Finding{Type: "observation",
			Content: c.content, Evidence: c.quote, SourceDoc: "a.txt"})
		if o.Verdict == Found {
			stand++
			t.Logf("%q stands with the quote %q", c.content, c.quote)
		}
	}
	if stand > 2 {
		t.Errorf("%d wrong units are not named", stand)
	}
}

// TestPartOfARow: a quote may end within a row of a table with commas, whose numbers they do not
// join.
func TestPartOfARow(t *testing.T) {
	const csv = "point,km,course,bib,first,last,note\n10 km,10.0,main,2104,09:31:02,10:44:51,ok\n40 km,40.0,main,7602,11:12:20,15:40:08,23 stopped\n"
	name := filepath.Join(t.TempDir(), "timing.csv")
	expect.OK(t, os.WriteFile(name, []byte(csv), 0o600))
	d := expect.Value(documents.Open(name))(t)
	for quote, want := range map[string]string{
		"40 km,40.0,main,7602,11:12:20,15:40:08": Found,
		"main,7602,11:12:20":                     Found,
		"7602,11":                                Absent,
		"40 km,40.0,main,7602,11:12:20,15:40:08,23 stopped": Found,
		"40 km,40.0,main,7603,11:12:20,15:40:08":            Nearly,
	} {
		s := NewSource(d)
		s.Raw = rawText(name)
		o := s.Check(&Finding{Content: "Something is in the row", Evidence: quote, SourceDoc: "timing.csv"})
		if o.Verdict != want {
			t.Errorf("%s: %s, want %s: %s", quote, o.Verdict, want, o.Note)
		}
	}
}

// TestOtherNotation: a source in another language writes its numbers in its own way, and denials are not judged there.
func TestOtherNotation(t *testing.T) {
	doc := NewSource(documents.New("minutes.txt", "Von 1.240 Zählern sind 37 seit Juli ohne Verbindung.\n\n"+
		"Die Temperatur im Keller beträgt 21,5 Grad.\n\nEin Löschkonzept gibt es nicht.\n\nThe fee is 1.240 points.\n"))
	for _, c := range []struct {
		says, quote, verdict string
		other                bool
	}{
		{"37 of 1,240 meters have no link", "Von 1.240 Zählern sind 37 seit Juli ohne Verbindung", Found, true},
		{"There are 1,241 meters", "Von 1.240 Zählern sind 37", ValueMissing, true},
		{"It is 21.5 degrees in the cellar", "Die Temperatur im Keller beträgt 21,5 Grad", Found, true},
		{"It is 25.1 degrees in the cellar", "Die Temperatur im Keller beträgt 21,5 Grad", ValueMissing, true},
		{"There is a deletion concept", "Ein Löschkonzept gibt es", Found, true},
		{"The fee is 1.240 points", "The fee is 1.240 points", Found, false},
		{"It is 37.5 degrees in the cellar", "Die Temperatur im Keller beträgt 21,5 Grad", ValueMissing, true},
	} {
		got := doc.Check(&Finding{Type: "observation", Content: c.says, Evidence: c.quote, SourceDoc: "minutes.txt"})
		if got.Verdict != c.verdict || got.OtherLanguage != c.other {
			t.Errorf("%s of %s: %s (%s), in another language %v", c.says, c.quote, got.Verdict, got.Note, got.OtherLanguage)
		}
	}
}

// TestOtherColumns: what is worked out from a row is not contradicted by a column of which the finding says nothing.
func TestOtherColumns(t *testing.T) {
	const csv = "row,invoice,received,lot,subject,net_eur,retained_eur,paid_on,paid_eur\n" +
		"7,R-1007,2024-12-16,1,shell interim 7,390000,19500,2025-01-24,370500\n" +
		"8,R-1008,2025-01-15,1,shell interim 8,160000,0,2025-02-12,160000\n"
	name := filepath.Join(t.TempDir(), "invoices.csv")
	expect.OK(t, os.WriteFile(name, []byte(csv), 0o600))
	s := NewSource(expect.Value(documents.Open(name))(t))
	s.Raw = rawText(name)
	for content, verdict := range map[string]string{
		"From R-1008, the last invoice of lot 1, nothing was retained; at 5 % it should have been 8,000 EUR.": ValueMissing,
		"R-1008 was a net invoice of 190,000 EUR.":                                                            Refuted,
	} {
		o := s.Check(&Finding{Content: content, Evidence: "R-1008,2025-01-15,1,shell interim 8,160000,0,2025-02-12,160000",
			SourceDoc: "invoices.csv"})
		if o.Verdict != verdict {
			t.Errorf("%q: %s %s", content, o.Verdict, o.Note)
		}
	}
}
