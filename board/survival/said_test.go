package survival

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/board/documents"
	"blackboard/testdata/expect"
)

func TestSaid(t *testing.T) {
	for _, c := range []struct{ item, report, cause, lacks, reason string }{
		{"The pump was restarted at 10:02 CEST.", "The crew restarted the pump at 08:02 UTC.",
			"", "", ""},
		{"The idle limit of 30 minutes is declared but never enforced (issue 318).",
			"An idle limit exists in the code (30 minutes), but nothing enforces it.",
			"", "318", ""},
		{"The credit never exceeds 20 % of the fee.", "The credit never exceeds $20 of the fee.",
			MissNumber, "", "another unit"},
		{"Replies take at most 5 working days.", "Replies take at least 5 working days.",
			MissContradicted, "", "another bound"},
		{"The deposit of the tenant is £40,000.", "The deposit of the tenant is €40,000.",
			MissContradicted, "", "another currency"},
		{"Own-brand lamps make up 17 % of sales at a 46 % gross margin.",
			"Own-brand lamps earn a gross margin of 17 % and stand for 46 % of sales.",
			MissContradicted, "", "the other way round"},
		{"The rent is paid in twelve monthly instalments of £12,400.",
			"The rent is due in quarterly instalments of £12,400.", MissContradicted, "",
			"“monthly” against “quarterly”"},
		{"The share of crossings rose by 6 percent in two years.",
			"The share of crossings rose by 6 percentage points in two years.", MissNumber, "",
			""},
		{"According to the agent churn is about 11 % if inactive sites are counted.",
			"The agent reports a churn of 6.8 %, whereas the memo speaks of about 11 % once inactive sites count.",
			MissContradicted, "", "somebody else"},
		{"By the register the labels were put on at 14:20.",
			"The labels were put on at 14:20 according to Norland, by 9:30 according to the register.",
			MissContradicted, "", "somebody else"},
		{"By the register the labels were put on at 14:20.",
			"The labels were put on at 14:20 according to the register, by 9:30 according to Norland.", "", "", ""},
		{"16.6 % of patients on tarolin and 20.5 % on placebo died.",
			"16.6 % of patients taking placebo compared with 20.5 % of those taking tarolin died.",
			MissContradicted, "", "the other way round"},
		{"The bridge is passable in winter.", "The bridge is impassable in winter.",
			MissContradicted, "", ""},
		{"Sensor B drifts more than sensor A.", "Sensor A drifts less than sensor B.", "", "", ""},
		// A figure of the finding stands in a sentence of its own.
		{"From May 2025 the flat rent was raised to EUR 1,640, which is 4 % more.",
			"The flat rent is EUR 1,577 per month. It may rise by at most 2 % a year. Since May 2025 EUR 1,640 a month are billed, 4 % more.",
			"", "", ""},
		{"From May 2025 the flat rent was raised to EUR 1,640, which is 4 % more.",
			"The flat rent is EUR 1,577 per month. From May 2025 the flat rent was raised to EUR 1,460, which is 4 % more.",
			MissNumber, "", "the finding says EUR 1,640, the report EUR 1,460"},
		{"The diver was at the lock 7 hours and 12 minutes after the call.",
			"The diver was at the lock more than seven hours after the call.", "", "", ""},
		{"The diver was at the lock 7 hours and 12 minutes after the call.",
			"The diver was at the lock less than seven hours after the call.", MissNumber, "", "the report seven hours"},
		{"The gear oil contained 112 ppm of iron, well under the stop value of 200 ppm.",
			"A sample of the gear oil held 112 ppm of iron; 88 ppm are still missing to the stop value.",
			"", "200", ""},
		{"Race director Owen Tasker put the starters at 8,240.",
			"The man in charge of the race, Owen Tasker, claimed a record field of 8,240 starters.", "", "", ""},
		{"The list of objects adds up to EUR 1,795,000 for 26 objects.", "The list of objects adds up to " +
			"EUR 1,795,000 for 36 objects.\n\n| Source | Value |\n|---|---|\n| List of objects | 1,795,000 |",
			MissNumber, "", "the finding says 26, the report 36"},
		{"The sheet counts 214 cases in 22 groups.",
			"The sheet has two hundred and fourteen cases, spread over 22 groups.", "", "", ""},
		{"No class is to have one subject for more than two hours on the same day.",
			"There is a limit, too: on any one day a class may spend two hours on a subject and no more.",
			"", "", ""},
		{"No class is to have one subject for more than two hours on the same day.",
			"There is a minimum, too: on any one day a class has to spend at least two hours on a subject.",
			MissContradicted, "", "another bound"},
		{"Resetting an axle counter takes two persons according to the settings.",
			"By the settings an axle counter is no task for a single person: its resetting asks for two.",
			"", "", ""},
		{"While the clover flowers, block B may be sprayed only after 20:00.",
			"While clover is flowering, nothing may be sprayed in block B before 20:00.", "", "", ""},
		{"While the clover flowers, block B may be sprayed only after 20:00.",
			"While clover is flowering, nothing may be sprayed in block B after 20:00.",
			MissContradicted, "", "against"},
		{"The station is set so that spraying stops when the wind is above 4 metres per second.",
			"Spraying is allowed only when the wind is above 4 metres per second; so the station is set.",
			MissContradicted, "", "against"},
	} {
		r := check(t, Item{ID: "e1", Why: WhyMustSurface, Content: c.item}, c.report)
		if r.Cause != c.cause || strings.Join(r.Lacks, " ") != c.lacks ||
			!strings.Contains(strings.Join(r.Reasons, "; "), c.reason) {
			t.Errorf("%q in %q is %q, lacks %q: %q", c.item, c.report, r.Cause, r.Lacks, r.Reasons)
		}
	}
}

// A review is a folder of ../shared/data/trust: findings, and reports that carry them or do
// not. Authors who did not know the code wrote it.
type review struct {
	items   map[string]Item // those that have to surface
	altered map[string]bool // the finding itself is wrong
	labels  map[string]string
	report  string // with what it should not say
	clean   string // without
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func readReview(t *testing.T, dir string) review {
	r := review{items: map[string]Item{}, altered: map[string]bool{}}
	var labels struct{ Survival map[string]string }
	readJSON(t, filepath.Join(dir, "labels.json"), &labels)
	r.labels = labels.Survival
	quotes := map[string]string{}
	readJSON(t, filepath.Join(dir, "labels_quotes.json"), &quotes)
	for key, label := range quotes {
		r.altered[key] = strings.HasPrefix(label, "altered")
	}
	for name, text := range map[string]*string{"report.md": &r.report, "clean.md": &r.clean} {
		data := expect.Value(os.ReadFile(filepath.Join(dir, name)))(t)
		*text = string(data)
	}
	data := expect.Value(os.ReadFile(filepath.Join(dir, "findings.jsonl")))(t)
	for line := range strings.Lines(string(data)) {
		var f struct {
			Key, Content string
			Must         bool `json:"must_surface"`
		}
		expect.OK(t, json.Unmarshal([]byte(line), &f))
		if f.Must {
			r.items[f.Key] = Item{ID: f.Key, Why: WhyMustSurface, Content: f.Content}
		}
	}
	return r
}

func (r *review) missing(key, report string) bool {
	return !Check([]Item{r.items[key]}, documents.New("report.md", report)).Items[0].Present
}

// carried reports whether a report has an item, or may have it.
func (r *review) carried(key, report string) bool {
	return !Check([]Item{r.items[key]}, documents.New("report.md", report)).Items[0].IsMissing()
}

// TestReviews holds what survival reaches on five reviews: on their reports, on corrected
// ones, which carry all that is true, and on sentences changed to contradict one finding.
func TestReviews(t *testing.T) {
	root := filepath.Join(sharedDir(t), "data", "trust")
	var changes []struct{ Domain, Key, Kind, Old, New string }
	readJSON(t, filepath.Join(root, "contradictions.json"), &changes)
	var c confusion
	named, all := 0, 0
	for _, domain := range []string{"bio", "cost", "dd", "inc", "sec"} {
		r := readReview(t, filepath.Join(root, domain))
		for key, label := range r.labels {
			if _, must := r.items[key]; must {
				gone := slices.Contains([]string{"missing", "contradicted"}, strings.Split(label, "-")[0])
				c.add(gone, r.missing(key, r.report))
			}
		}
		for key := range r.items {
			if !r.altered[key] && !r.carried(key, r.clean) {
				t.Errorf("%s: the corrected report lacks %s", domain, key)
			}
		}
		for _, x := range changes {
			if _, must := r.items[x.Key]; x.Domain == domain && must && !r.altered[x.Key] {
				all++
				if r.missing(x.Key, strings.Replace(r.report, x.Old, x.New, 1)) {
					named++
				} else {
					t.Logf("%s %s passes: %s: %s", domain, x.Key, x.Kind, x.New)
				}
			}
		}
	}
	t.Logf("reports: %v; contradictions named: %d of %d", c, named, all)
	if c.precision() < .97 || c.recall() < .97 || named < 28 {
		t.Error("it has become worse")
	}
}

// TestAppendix holds that a list of all items, word for word, carries all of them.
func TestAppendix(t *testing.T) {
	for _, name := range []string{"extract-lien-and-debt-information", "draft-safe-agreement"} {
		run := loadIrys(t, name)
		items := append(run.Entries, run.Signals...)
		text := "# Appendix\n\n"
		for _, it := range items {
			text += "- " + strings.Join(strings.Fields(it.Content), " ") + "\n"
		}
		for _, r := range Check(items, append(run.Reports, documents.New("a.md", text))...).Items {
			if !r.Present {
				t.Errorf("%s, %s: %s", name, r.Cause, r.Content)
			}
		}
	}
}

// TestUnsure holds what a short report may carry in other words: it does not count as missing,
// but what it has nothing of does.
func TestUnsure(t *testing.T) {
	for _, c := range []struct {
		item, report    string
		unsure, missing bool
	}{
		{"The bill of lading grants a week of free time at the port.",
			"| Point | Bill of lading | Tariff |\n|---|---|---|\n| Free time | 7 days | 5 days |", true, false},
		{"According to the handbook a message is dropped once eight attempts have failed.",
			"| Point | A | B |\n|---|---|---|\n| Attempts per message | 8 (handbook) | 6 (code) |", true,
			false},
		{"The handbook promises that files up to 1 MiB go through and larger ones get a 413.",
			"| Point | Handbook | Code |\n|---|---|---|\n| Largest file | 1 MiB | 512 KiB |", true, false},
		{"The storm of 9 June destroyed 118 nests on the western beach.",
			"A storm tide on 9 June drowned 181 nests on the western beach.", false, true},
		{"The diving supervisor held no valid certificate.",
			"The pump was restarted at 10:02 and the well was sealed.", false, true},
		{"Winding an object or setting it in motion is forbidden unless the conservator of the lender is there.",
			"Some clocks run. That is possible only in the presence of the lender's conservator: without " +
				"that person nothing may be wound.", true, false},
		{"Storage of the main database is not encrypted at rest.",
			"The database can only be reached from the network. Its storage is encrypted at rest, and kept.",
			false, true},
		{"Storage of the main database is not encrypted at rest.",
			"The database can only be reached from the network. Encryption of its storage at rest is still outstanding.",
			true, false},
		{"At 21:37 the vessel announced plaice in 14 boxes to the harbour office by radio.",
			"At 21:37 the vessel told the harbour office by radio, on channel 12, that plaice was coming.",
			true, false},
		{"No return to the old store is possible, since its reader was taken out.",
			"The release removed the reader of the old store, so there is no way back.", true, false},
		// A denial, the order of words, who says it, the same bound in another sentence.
		{"The kiln has been switched off since 3 May.", "The kiln has not been switched off since 3 May.", true, false},
		{"The archive lends 40 maps a year, says the keeper.",
			"The town clerk says that the archive lends 40 maps a year; the keeper agrees.", true, false},
		{"After a wax product, press 2 must be scrubbed for at least 45 minutes before it runs again; wiping is never allowed.",
			"It must be scrubbed after wax for at least 45 minutes, and wiping press 2 is never good enough.", false, false},
		// Days that are told by others.
		{"The second sample of 10 July 2026 was free of coliform bacteria, with 0.18 mg/l of chlorine.",
			"On 6 July 2026 the first sample had coliform bacteria. Four days later the second sample was free of them, with " +
				"0.18 mg/l of chlorine.", true, false},
		{"The second sample of 10 July 2026 was free of coliform bacteria, with 0.18 mg/l of chlorine.",
			"On 12 July 2026 the second sample was free of coliform bacteria, with 0.18 mg/l of chlorine.", false, true},
		// Another figure where all others agree.
		{"Lock 4 gave way by 12 cm under 30 tonnes.", "Lock 4 gave way by 19 cm under 30 tonnes.", false, true},
	} {
		r := check(t, Item{ID: "e1", Why: WhyMustSurface, Content: c.item}, c.report)
		if r.Cause != "" && r.Unsure != c.unsure || r.IsMissing() != c.missing {
			t.Errorf("%q in %q: unsure %v, missing %v: %s %q", c.item, c.report, r.Unsure,
				r.IsMissing(), r.Cause, r.Reasons)
		}
	}
}
