package trace

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"blackboard/board/documents"
	"blackboard/testdata/expect"
)

// traced traces a report against records e1, e2, …
func traced(t *testing.T, report string, records ...string) Result {
	t.Helper()
	var all []Record
	for i, text := range records {
		all = append(all, Record{ID: fmt.Sprintf("e%d", i+1), Text: text})
	}
	r := expect.Value(Check(each(all), nil, documents.New("report.md", report)))(t)
	return r
}

// verdicts traces a report against records and returns its facts with their verdicts, in the
// report's order.
func verdicts(t *testing.T, report string, records ...string) (out []string) {
	t.Helper()
	r := traced(t, report, records...)
	for _, p := range r.Passages {
		for _, f := range r.Facts {
			if r.Passages[f.Passage].Line == p.Line && r.Passages[f.Passage].Text == p.Text {
				out = append(
					out,
					strings.TrimSpace(fmt.Sprintf("%s: %s %s", f.Text, f.Verdict, f.Cause)),
				)
			}
		}
	}
	return out
}

// TestForms holds the ways to write one figure together.
func TestForms(t *testing.T) {
	for _, c := range []struct{ record, report string }{
		{"Revenue of Borealis was $4,200,000", "Borealis had a revenue of $4.2 million."},
		{"Revenue of Borealis was EUR 4.2m", "Borealis earned €4,200,000."},
		{"Revenue of Borealis was 4.2 million euros", "Borealis earned €4.2m."},
		{"Budget: SEK 4.2m", "The budget is 4,200,000 SEK."},
		{"Budget: 1.25 million CHF", "The budget is CHF 1'250'000."},
		{"The filing is dated 2026-06-03", "It was filed on June 3, 2026."},
		{"The filing is dated 2026-06-03", "It was filed on 3 June."},
		{"The filing is dated 2026-06-03", "It was filed in June 2026."},
		{"The filing is dated 2026-06-03", "It was filed on the 3rd of June 2026."},
		{"The filing is dated 3.6.2026", "It was filed on 3 June 2026."},
		{"Window 2026-03-09 to 2026-03-20", "Between 9 and 20 March 2026 nothing was sold."},
		{"Window 2026-03-09 to 2026-03-20", "It lasted from 9 March to 20 March."},
		{"Window 2026-03-09 to 2026-03-20", "The window (9–20 March 2026) is closed."},
		{"Latency is 800 ms at the median", "The median latency is 0.8 s."},
		{"Latency is 0.8 s at the median", "The median latency is 800 milliseconds."},
		{"The restore took 3 h 20 min", "The restore took 200 minutes."},
		{"The restore took 200 min", "The restore took 3 hours and 20 minutes."},
		{"The restore took 3:20 h", "The restore took 3 hours and 20 minutes."},
		{"Outage of 97 minutes", "The outage lasted 1 h 37 min."},
		{"The term is 18 months", "The term is one and a half years."},
		{"The term is 18 months", "The term is 1.5 years."},
		{"The term is 24 months", "The term is two years."},
		{"Notice of 14 days", "The notice period is two weeks."},
		{"Notice of 60 days", "The notice period is two months."},
		{"The archive has 1.5 TB", "The archive holds 1,500 GB."},
		{"Uptime ratio 0.9971", "Uptime was 99.71 %."},
		{"Share of women: 37.5 %", "37.5 percent of the staff are women."},
		{"Share of women: three eighths, 37.5 per cent", "The share of women is 37.5%."},
		{"Closed at 17:05 on that day", "It closed at 5:05 pm."},
		{"Closed at 5 pm", "It closed at 17:00."},
		{"Closed at 09:30", "It closed at 9.30 am."},
		{"Closed at 14:05:33", "It closed at 2:05 p.m."},
		{"Closed 2026-01-03T14:05:00Z", "It closed at 14:05 on 3 January."},
		{"Closed in 2026-Q1", "It closed in the first quarter of 2026."},
		{"The archive is kept for 7 y", "The archive is kept for seven years."},
		{"Closed at 17:00", "It closed at 5 p.m. on that day."},
		{"25 sites in Ohio", "There are twenty-five sites in Ohio."},
		{"Twenty-five sites in Ohio", "There are 25 sites in Ohio."},
		{"12 sites in Ohio", "There are a dozen sites in Ohio."},
		{"1,200 customers left", "Twelve hundred customers left."},
		{"1200000 requests failed", "1.2 million requests failed."},
		{"1.2k requests failed", "1,200 requests failed."},
		{"4.5M users are active", "4.5 million users are active."},
		{"The line is 12.4 km long", "The line has a length of 12,400 metres."},
		{"The line is 12,400 m long", "The line has a length of 12.4 km."},
		{"Load of 3.6 MW", "The load reaches 3,600 kW."},
		{"Weight 12 t", "It weighs 12,000 kg."},
		{"Area of 1,200 m²", "An area of 1,200 square metres."},
		{"Area of 35 ha", "An area of 35 hectares."},
		{"Range 10 to 15 ms", "Between 10 and 15 ms."},
		{"Range 10–15 %", "10 to 15 percent."},
		{"Temperature 21.5 °C", "The temperature was 21.5 degrees."},
		{"Rate cut by 25 basis points", "The rate was cut by 0.25 percentage points."},
		{"FY2025 revenue rose", "Revenue rose in 2025."},
		{"Revenue rose in 2025", "In FY2025 revenue rose."},
		{"Version 3.2 of Gripline", "Gripline v3.2 is in use."},
		{"Gripline v3.2.0", "Gripline 3.2.0 is in use."},
		{"See docs/plan.md for the plan", "The plan is in `docs/plan.md`."},
		{"Chief officer Dr. Carla Wennick", "Carla Wennick is the chief officer."},
		{"commit 9f3ac21e77 broke it", "It was broken by `9f3ac21`."},
		{"Latency rose 2.5x", "Latency rose 2.5 times."},
		{"Price: $0.12 per call", "A call costs 12 cents."},
		{"p95 of 1,100 ms", "The 95th percentile is 1.1 seconds."},
		{"Loss of $8.06M", "The loss was about $8 million."},
		{"Notice 30 days", "There is a thirty-day notice period."},
		{"Audit of 9.6 working days", "The audit took 9.6 working days."},
		{"Loss of 11.9 %", "The loss was nearly 12 %."},
		{"11,870 tickets", "Some 12,000 tickets came in."},
		{"9,412 people queued", "More than 9,400 people queued."},
		{"The pause was 69 minutes", "The pause was one hour and nine minutes."},
		{"CI takes 14 min 30 s", "| Job | Before |\n|---|---|\n| CI | 14:30 min |"},
		{"The peak came at 17:00", "The peak came at five o'clock."},
		{"It stopped at 07:42", "At 7.42 in the morning it stopped."},
		{"284 passengers on board", "There were 284 people on board."},
		{"It was hit in 73 places", "We found it 73 times, in all places."},
		{"41,260 events of that kind", "The event was seen over 41,000 times."},
		{"Retention rose by 5.4 %", "Retention rose by 5.4 points."},
		{"The train stands at km 41.3", "The place is at kilometre 41.3."},
		{"Population over 75: 7,700 people", "The over-75 population is 7,700."},
		{"8.12.0 went out in May", "The 8.12 release went out in May."},
		{"312 of 1,260 trucks were late", "One truck in four was late."},
		{"2,230 images have a wrong date", "2,230 photos have a wrong date."},
		{"Rain from May to September: 143 mm", "It rained 14.3 cm from May to September."},
		{"Paid on 12.05.2025", "It was paid on 12 May 2025."},
		{"The sulphate for the vines costs 1,850 EUR/t", "The sulphate for the vines costs €1.85 per kilogram."},
		{"Brake events in frost on 2024-12-19",
			"It failed before Christmas 2024, on 19 December."},
	} {
		for _, v := range verdicts(t, c.report, c.record, "Other words, of another thing",
			"The weather was fine on 7 of 9 days") {
			if strings.Contains(v, Unsupported) {
				t.Errorf("%q on %q: %s", c.report, c.record, v)
			}
		}
	}
}

// ownTexts are texts that a record and a report must read alike, or the report's facts
// are not found in the record.
var ownTexts = []string{
	"# 2 242 sites of Ohio", "## Part 3: 2 242 sites\n\nText.", // the number of a heading
	"2) 242 sites of Ohio", "1. 5:30 h\n2. 7:30 h", // the marks of a list
	"He counted 5. 300 people came.", "Sold in 2024. 12 of them in Ohio.",
	"%me Price | |--4", "| Cost, EUR m | Sites |\n|---|---|\n| 40 | 7 |",
	"Sold 4<!-- no. -->200 units, ~~12~~ 13 in Ohio.",
	"| Ohio | " + strings.Repeat("Site | ", 400) + "\n| 7 km | " + strings.Repeat("9 | ", 400),
	strings.Repeat("It is as it was.\n\n", 100) + "| Sites |\n|---|\n" + // longer than a window
		strings.Repeat("| 4 |\n", 600) + "| 9 |",
	strings.Repeat("It is as it was.\n\n", 100) + "# Sites\n" +
		strings.Repeat("\n4\n", 1000) + "\n9",
	"The id is o" + strings.Repeat("2", 2300) + " of Ohio.",
	strings.Repeat("so and ", 213) + "and 12 km per day " + strings.Repeat("on and ", 200),
}

// TestOwnText holds that each fact of a record's own text is supported.
func TestOwnText(t *testing.T) {
	for _, text := range ownTexts {
		all := verdicts(t, text, text, "Other words of 3 things")
		if len(all) == 0 {
			t.Errorf("%.40q states nothing", text)
		}
		for _, v := range all {
			if strings.Contains(v, Unsupported) {
				t.Errorf("%.40q: %.80s", text, v)
			}
		}
	}
}

// TestDerived holds what follows from figures of entries by simple arithmetic, and what
// does not.
func TestDerived(t *testing.T) {
	records := []string{
		"Revenue of Borealis: FY2024 $31.9 million, FY2025 $38.4 million",
		"Borealis spent $24.6 million on staff in FY2025",
		"The first alarm of the outage came at 17:54",
		"The service was back at 19:31", "Of 96 accounts 8 lack a second factor",
		"Licence of Quillpath: $62 per agent and month", "140 agents answer tickets",
		"Gas at Marlow: EUR 36.50/MWh, against EUR 35.90/MWh a year before",
		"Bochum used 128 GWh of gas",
		"Hand picking takes 41 hours per hectare at 16.40 EUR per hour",
		"Yield of 9.1 t/ha", "The estate has 19.5 ha", "A wind machine costs 38,000 EUR each",
		"The sulphate for the vines costs 1,850 EUR/t", "Three wind machines are proposed",
		"The script rewrites 2.3 million rows in 19 minutes",
		"Wind explains 63 % of the variance, gas 14 %", "The set has 184,500 images",
		"5,904 images are duplicates",
		"57 customers have a contract", "21 customers have a copy of the code",
		"Sixty wells are planned", "43 wells are drilled",
		"Uptime was 99.71 % last year", "5 alarms per hour", "Alarms of 24 hours were read",
		"The contract began on 2026-03-02 and ends on 2026-03-30",
		"Ohio has 40 sites, Utah 12, Iowa 9",
		"Adverse events: 57.3 % on the drug, 50.0 % on placebo",
		"The letter of 2 May was answered only on 29 May. Answered: 29 May 2025",
		"The ram was looked at on 4 July", "The operator's letter is of 9 August",
	}
	for report, want := range map[string]string{
		"Revenue of Borealis grew by 20.4 % in FY2025.":                                            Derived,
		"Revenue of Borealis grew by $6.5 million.":                                                Derived,
		"Revenue of Borealis grew by 31.7 % in FY2025.":                                            Unsupported,
		"Borealis took $38.4 million; after staff ($24.6 million) $13.8 million remain.":           Derived,
		"The outage lasted from 17:54 to 19:31, that is 97 minutes.":                               Derived,
		"The outage lasted from 17:54 to 19:31, that is 83 minutes.":                               Unsupported,
		"Of the accounts 8.3 % lack a second factor.":                                              Derived,
		"At $62 per month the 140 agents cost $8,680.":                                             Derived,
		"At 5 alarms per hour 120 alarms came in 24 hours.":                                        Derived,
		"Gas at Marlow rose by 60 cents per megawatt hour.":                                        Derived,
		"Gas at Marlow rose by 80 cents per megawatt hour.":                                        Unsupported,
		"At €36.50/MWh the 128 GWh of Bochum cost €4.67 million.":                                  Derived,
		"At €36.50/MWh the 128 GWh of Bochum cost €5.67 million.":                                  Unsupported,
		"A hectare takes 41 hours by hand at 16.40 EUR, or about €672 in wages.":                   Derived,
		"A hectare takes 41 hours by hand at 16.40 EUR, or about €812 in wages.":                   Unsupported,
		"A yield of 9.1 t/ha on the estate of 19.5 ha makes 177 t.":                                Derived,
		"A yield of 9.1 t/ha on the estate of 19.5 ha makes 197 t.":                                Unsupported,
		"Three wind machines cost €114,000 for the lot.":                                           Derived,
		"The sulphate for the vines costs €1.95 per kilogram.":                                     Unsupported,
		"The script rewrites some 2,000 rows a second, for 19 minutes.":                            Derived,
		"Wind explains 63 % of the variance and gas 14 %; 23 % stay unexplained.":                  Derived,
		"Without the duplicates 178,596 images are left.":                                          Derived,
		"Of the 57 customers 21 have a copy; the other 36 use the service.":                        Derived,
		"Sixty wells are planned, 43 wells are drilled. Seventeen wells remain.":                   Derived,
		"With 99.71 % uptime, 25 hours a year are lost.":                                           Derived,
		"With 99.71 % uptime, 45 hours a year are lost.":                                           Unsupported,
		"At $62 per month the 140 agents cost $9,680.":                                             Unsupported,
		"The contract runs from 2 March 2026 to 30 March 2026, four weeks.":                        Derived,
		"The letter of 2 May had to wait until 29 May, which is 27 days.":                          Derived,
		"The letter of 2 May had to wait until 29 May, which is 24 days.":                          Unsupported,
		"The ram was looked at on 4 July. The letter is of 9 August, 36 days later.":               Derived,
		"The ram was looked at on 4 July. The letter is of 9 August, 31 days later.":               Unsupported,
		"Ohio, Utah and Iowa have 61 sites together.":                                              Derived,
		"Ohio, Utah and Iowa have 67 sites together.":                                              Unsupported,
		"Adverse events differ by 7.3 percentage points between drug and placebo.":                 Derived,
		"| State | Sites |\n|---|---|\n| Ohio | 40 |\n| Utah | 12 |\n| Iowa | 9 |\n| Total | 61 |": Derived,
	} {
		got := verdicts(t, report, records...)
		n := 0
		for _, v := range got {
			if strings.Contains(v, Unsupported) || strings.Contains(v, Derived) {
				n++
				if !strings.Contains(v, want) {
					t.Errorf("%q: %s, want %s", report, v, want)
				}
			}
		}
		if n == 0 {
			t.Errorf("%q: nothing is %s: %q", report, want, got)
		}
	}
}

// TestNotDerived holds that no figure is calculated with itself, nor with a number of
// periods that nothing says.
func TestNotDerived(t *testing.T) {
	records := []string{
		"The press stood still for 95 minutes\n\nthe press stood still for 95 minutes",
		"The audit found 340 open invoices\n\nopen invoices: 340\n\naudit.md",
		"Turnover of Borealis staff was 18.4 %", "The lease costs $38,000 a year",
		"The guard costs $7,100 a month and is hired for five months",
		"In March 40 parcels were lost, in April 40 parcels were lost",
		"The fleet has 38 trucks", "The depot holds 38 trucks of the fleet",
		"The survey cost EUR 9,800",
	}
	for report, want := range map[string]string{
		"The press stood still for 95 minutes, that is 190 minutes in total.":              Unsupported,
		"The press stood still for 190 minutes in total.":                                  Unsupported,
		"The audit found 340 open invoices. The press stood. In total 680 invoices.":       Unsupported,
		"Turnover of Borealis staff was 18.4 %. Overall turnover of the staff was 36.8 %.": Unsupported,
		"The lease costs $38,000 a year. The year cost $152 thousand.":                     Unsupported,
		"The lease costs $38,000 a year, so in a year $266,000.":                           Unsupported,
		"The guard costs $7,100 a month, or $85,200 a year.":                               Derived,
		"The guard costs $7,100 a month. For five months that makes $35,500.":              Derived,
		"The guard costs $7,100 a month. For months that made $49,700.":                    Unsupported,
		"In March and April 80 parcels were lost together.":                                Derived,
		"The fees will add up to EUR 11,300.":                                              Unsupported,
		"The fleet has 38 trucks. The fleet was built up in a decade. In total 76 trucks.": Unsupported,
	} {
		n := 0
		for _, v := range verdicts(t, report, records...) {
			if strings.Contains(v, Unsupported) || strings.Contains(v, Derived) {
				n++
				if !strings.Contains(v, want) {
					t.Errorf("%q: %s, want %s", report, v, want)
				}
			}
		}
		if n == 0 {
			t.Errorf("%q: nothing is %s", report, want)
		}
	}
}

// TestOfOne holds that what stands on one record alone supports what the report says of
// it in other words, and names that the record need not repeat.
func TestOfOne(t *testing.T) {
	records := []string{
		"B3 picked 2025-09-12, B5 picked 2025-09-19", "The vines of B3 are Syrah",
		"Potassium sulphate 180 kg/ha in B3",
		"Grant of USD 850,000 from the Alderway Foundation to Rivers Commons",
		"Wells are drilled in Tamuri", "Option A adds 28 staffed beds",
		"Option B adds 40 virtual beds",
	}
	for report, want := range map[string]string{
		"| Block | Picked |\n|---|---|\n| B3 Syrah | 12 Sep |":              "12 Sep: supported",
		"1. **Potassium.** Spread 180 kg/ha of the sulphate in B3 now.":     "180 kg/ha: supported",
		"With $850,000 from the foundation wells are drilled in Tamuri.":    "$850,000: supported",
		"With $860,000 from the foundation wells are drilled in Tamuri.":    "$860,000: unsupported absent",
		"Option A and option B: together they would add 68 beds of a kind.": "68: derived",
	} {
		if got := verdicts(t, report, records...); !slices.Contains(got, want) {
			t.Errorf("%q: %q, want %q", report, got, want)
		}
	}
}

// TestReference: where an entry stands in its source says nothing of how many there are
// of anything; the names and dates of the reference do count.
func TestReference(t *testing.T) {
	records := []Record{{ID: "e1", Text: "The session tokens never expire\n\nauth.md", Ref: "3-4"},
		{ID: "e2", Text: "The gateway checks the scopes",
			Ref: "Wennick memo of 2026-06-03, lines 41 to 57"}}
	report := documents.New("report.md",
		"There are 3 tokens of the session. The gateway checks 41 scopes.\n\n"+
			"Wennick said so on 3 June 2026.\n")
	r := expect.Value(Check(each(records), nil, report))(t)
	var got []string
	for _, f := range r.Facts {
		got = append(got, fmt.Sprintf("%s: %s", f.Text, f.Describe()))
	}
	slices.Sort(got)
	want := []string{"3 June 2026: supported", "3: absent; nearest is e1",
		"41: absent; nearest is e2", "Wennick: supported"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestCauses holds each verdict on a fact and its cause.
func TestCauses(t *testing.T) {
	records := []string{
		"Churn of Borealis was 14 % in 2025", "Churn of Crestline was 9 %",
		"The audit covers 41 hosts in 3 rooms", "Interview: \"we were afraid to touch it\"",
		"Quillpath took 26 h for the import, Helmdesk 41 h",
		"Config is in config/pool.yaml since v7.18.0",
	}
	for _, c := range []struct{ report, want string }{
		{"Churn of Borealis was 14 %.", "14 %: supported"},
		{"Churn of Crestline was 14 %.", "14 %: unsupported attributed"},
		{"Churn of Borealis was $14.", "$14: unsupported unit differs"},
		{"Churn of Borealis was 17 % in 2025.", "17 %: unsupported number differs"},
		{"The audit covers 43 hosts.", "43: unsupported number differs"},
		{"Quillpath is fast. Helmdesk took 26 h.", "26 h: unsupported attributed"},
		{"| Product | Import |\n|---|---|\n| Helmdesk | 26 h |\n| Quillpath | 41 h |",
			"26 h: unsupported attributed"},
		{"A clerk said: \"we were afraid to change it\".",
			"\"we were afraid to change it\": unsupported absent"},
		{"A clerk said: \"we were afraid to touch it\".",
			"\"we were afraid to touch it\": supported"},
		{"The file is config/pools.yaml.", "config/pools.yaml: unsupported absent"},
		{"It came with 7.18.1 of the service.", "7.18.1: unsupported absent"},
		{"The audit was done by Vexler Partners.", "Vexler Partners: unsupported absent"},
	} {
		if got := verdicts(t, c.report, records...); !slices.Contains(got, c.want) {
			t.Errorf("%q: %q, want %q", c.report, got, c.want)
		}
	}
}

// TestUnsure holds which unsupported facts may well be right.
func TestUnsure(t *testing.T) {
	records := []string{
		"Churn of Borealis was 14 % in 2025", "Churn of Crestline was 9 %",
		"Export takes 41 minutes at the plant of Marlow", "The plant of Marlow has 350 hosts",
		"The clerk at Marlow knew the password",
	}
	for report, want := range map[string]bool{
		"Churn of Crestline was 14 %.":                                  true,
		"Of the 350 hosts of Marlow 118 more are new than last year.":   true,
		"The clerk at Marlow did not know the password.":                true,
		"The plant of Marlow has 350 hosts. Each costs 12 euros a day.": false,
		"The plant of Marlow has 530 hosts.":                            false,
		"The case of Marlow is KX-4471.":                                false,
		"Export takes 41 seconds at the plant of Marlow.":               false,
		"Vexler Partners audited the plant of Marlow.":                  false,
		"The plant of Marlow was closed on 3 March 2025.":               false,
	} {
		r := traced(t, report, records...)
		n, counted := 0, 0
		for _, f := range r.Facts {
			if f.Verdict == Unsupported && !f.IsUnsaid() {
				if n++; f.Unsure != want {
					t.Errorf("%q: %+v", report, f)
				}
				if !want {
					counted++
				}
			} else if f.Unsure {
				t.Errorf("%q: %+v", report, f)
			}
		}
		if n == 0 || r.Unsupported != n || r.Counted() != counted {
			t.Errorf("%q: %d facts, %+v", report, n, r)
		}
	}
}

// TestNoFact holds what needs no support.
func TestNoFact(t *testing.T) {
	for _, report := range []string{
		"# 3. Results\n\n## 3.1 What We Did in 2024\n\nText follows.",
		"1. one\n2. two\n10) ten\n\n(a) more", "It says so (auth.md 3-4, auth.md 9).",
		"See page 14, section 3.2, tables 4 and 5, and [12] or [^3].",
		"This report has five sections and 3 tables.",
		"| # | What |\n|---|---|\n| 1 | one |\n| 2 | two |",
		"However, nothing changed. Procurement waits. Margins fell.",
		"Report of 27 March 2026", "![chart](img/7.png)", "<!-- 42 -->",
		"One of them, or two in three, took three quarters.",
	} {
		got := slices.DeleteFunc(verdicts(t, report, "nothing in auth.md"), func(v string) bool {
			return v == "auth.md: supported"
		})
		if len(got) > 0 {
			t.Errorf("%q: %q", report, got)
		}
	}
}

// TestSources holds what only a source says, with its place.
func TestSources(t *testing.T) {
	report := documents.New(
		"report.md",
		"The lease costs $7,450 a month.\n\nIt was signed by Vexler Partners on 2024-02-29.\n",
	)
	source := documents.New(
		"lease.txt",
		"Lease\n\nThe monthly lease costs are 7,450 dollars.\nSigned: Vexler Partners, 29 February 2024\n",
	)
	r := expect.Value(Check(
		each([]Record{{ID: "e1", Text: "Signed on 2024-02-29"}}),
		func(read func(*documents.Document) error) error { return read(source) },
		report,
	))(t)
	var got []string
	for _, f := range r.Facts {
		s := fmt.Sprintf("%s %s %v", f.Text, f.Verdict, f.Entries)
		if f.Source != nil {
			s += fmt.Sprintf(" %s:%d %s", f.Source.File, f.Source.Line, f.Source.Text)
		}
		got = append(got, s)
	}
	want := []string{"$7,450 a month source [] lease.txt:3 The monthly lease costs are 7,450 dollars.",
		"Vexler Partners source [] lease.txt:4 Signed: Vexler Partners, 29 February 2024",
		"2024-02-29 supported [e1]"}
	if !slices.Equal(got, want) || !r.Passed || r.SourceOnly != 2 || r.Sources != 1 ||
		r.Share != 1 {
		t.Errorf("got %q, want %q; %+v", got, want, r)
	}
}

// TestBoldHeading: the number of a line that is bold as a whole is that of a section.
func TestBoldHeading(t *testing.T) {
	if got := verdicts(t, "**7. Quality**\n\nThe board met twice.\n", "The board met twice"); strings.Contains(strings.Join(got, "\n"), Unsupported) {
		t.Errorf("%q", got)
	}
	if got := verdicts(t, "**7 boxes were lost.**\n", "The board met twice"); !strings.Contains(strings.Join(got, "\n"), Unsupported) {
		t.Errorf("%q", got)
	}
}

// TestDescribeOtherUnit: which unit, rate or sign it is the reason says itself.
func TestDescribeOtherUnit(t *testing.T) {
	f := Fact{Verdict: Unsupported, Cause: OtherUnit, Why: "another rate: e1 has € 5 a month"}
	if got := f.Describe(); got != f.Why {
		t.Errorf("%q", got)
	}
	if f.Unsure = true; f.Describe() != "unsure: "+f.Why {
		t.Errorf("%q", f.Describe())
	}
}

// TestStatementIsNoFigure: a sentence that an entry denies is not looked for among the figures of sources.
func TestStatementIsNoFigure(t *testing.T) {
	source := documents.New("ids.txt", "id 0\n")
	r, err := Check(each([]Record{{ID: "e1", Text: "The service encrypts the backups."}}),
		func(read func(*documents.Document) error) error { return read(source) },
		documents.New("report.md", "The service does not encrypt the backups.\n"))
	if err != nil || len(r.Facts) != 1 || r.Facts[0].Verdict != Unsupported || r.Facts[0].Source != nil {
		t.Errorf("%+v, %v", r.Facts, err)
	}
}
