package claims

import (
	"testing"

	"blackboard/board/claims/parse"
)

// TestSurely holds what a statement says otherwise that surely speaks of a finding, beside what it says in other words.
func TestSurely(t *testing.T) {
	for _, c := range []struct {
		finding, report string
		refuted         bool
	}{
		// A figure with another day or year, a trend.
		{"Sales fell from 310 boxes in 2021 to 240 boxes in 2022.", "In 2021 some 240 boxes were sold, in 2022 it was 310 boxes.", true},
		{"Sales fell from 310 boxes in 2021 to 240 boxes in 2022.", "310 boxes were sold in 2021; in 2022 it was 240 boxes.", false},
		// How often.
		{"The filters are changed every 8 hours.", "A change of the filters takes place twice a day.", true},
		{"The filters are changed every 8 hours.", "A change of the filters takes place three times a day.", false},
		{"Reports of the ferry are due every 7 days.", "Weekly reports of the ferry are due.", false},
		{"On every working day the clerk must read the report by 09:30.", "The clerk has to go through the report once a month, by 09:30.", true},
		{"On every working day the clerk must read the report by 09:30.", "The clerk has to go through the report daily, by 09:30.", false},
		{"On every working day the clerk must read the report by 09:30.", "Five times a week, by 09:30, the clerk has to go through the report.", false},
		{"The boiler of the hall is checked every Monday.", "A check of the boiler of the hall is made once a week.", false},
		{"The boiler of the hall is checked every Monday.", "A check of the boiler of the hall is made twice a week.", true},
		{"The boiler of the hall is checked every week.", "A check of the boiler of the hall is made each day.", true},
		{"The boiler of the hall is checked every week.", "A check of the boiler of the hall is made every 7 days.", false},
		// A rate of two units.
		{"The fee must not exceed EUR 46 per square metre a year.", "The fee is capped at EUR 46 per square metre a month.", true},
		{"The fee must not exceed EUR 46 per square metre a year.", "The fee is capped at EUR 46 per square metre a year.", false},
		{"The council pays the college GBP 5,400 per pupil per year.", "The council pays GBP 5,400 per pupil per term.", true},
		{"The council pays the college GBP 5,400 per pupil per year.", "GBP 5,400 per pupil per year is what the council pays.", false},
		// The figure that is left where all others agree.
		{"Of the grant of EUR 1,240,000 for 2025/26, EUR 744,000 had been paid by 28 February 2026.",
			"By the end of February 2026 EUR 774,000 of this year's grant of EUR 1,240,000 had been paid.", true},
		{"Of the grant of EUR 1,240,000 for 2025/26, EUR 744,000 had been paid by 28 February 2026.",
			"By the end of February 2026 EUR 744,000 of this year's grant of EUR 1,240,000 had been paid.", false},
		// Denials in one of several clauses, and without a word that denies.
		{"The parcels were stored by the carrier and never by the shop.", "The shop never stored the parcels; the carrier did.", false},
		{"No key was found in the 14 crates.", "The 14 crates were searched for a key, and not one was found.", false},
		{"The vote of 3 June on the new rules has not been taken.", "A vote on the new rules of 3 June is still to come.", false},
		// Only, and all.
		{"The office checks the ballast records only for tankers.", "The ballast records of all ships are checked by the office.", true},
		{"The option can be used in writing between 1 October and 31 December 2026.", "The option can be used only until 31 December 2026.", false},
		{"Diesel fell from 1.34 litres a kilometre in 2022 to 1.21 litres in 2023.", "Diesel dropped from 1.34 to 1.21 litres a kilometre between 2022 and 2023.", false},
		{"Loans of books fell by 6.1 % in 2023, whereas loans of films rose by 18.4 %.",
			"In 2023 loans of films went up by 18.4 %, while loans of books went down by 6.1 %.", false},
		{"All class 71 units except 7108 have the new sensors.", "All class 71 units have the new sensors, with the exception of 7108.", false},
		{"The run of 10 July had 109 errors among 4,180 staff.", "The second run had 63 errors fewer than the run of 10 July.", false},
		// A limit, and what was measured.
		{"The mean error was 1.6 points in the north and 2.1 in the south.", "In no place may the mean error be above 2.5 points.", false},
		// What is waited for.
		{"The script drops a sensor only if its gap is longer than 12 hours.", "The script waits for a gap of more than 12 hours.", false},
		// A month, and what may be.
		{"The master told the auditors that the outage of 9 May lasted 47 minutes.",
			"According to the master, who was interviewed by the auditors, the outage of 9 May lasted 47 minutes.", false},
		{"The lease of the annexe ends in 2026 and requires 12 months' notice.", "The lease of the annexe runs out in 2026, and a year's notice has to be given.", false},
		{"The school has had no second cook since January.", "The school has been short of a second cook since January.", false},
		{"Shops must close on one day a week, except in June.", "Shops have to close one day in each week; June is exempt.", false},
		{"The firm owes EUR 180 for each full hour of delay, but not more than EUR 1,440 for a call.",
			"Delay costs the firm EUR 180 for every full hour, with a ceiling of EUR 1,440 per call.", false},
		{"The offer of the shop is valid until 31 August 2026.", "The shop keeps the offer open until the end of August 2026.", false},
		{"Phase 1 cost GBP 212,400 instead of the planned GBP 187,000.",
			"Phase 1 was dearer than planned. GBP 187,000 had been foreseen, and GBP 212,400 was spent.", false},
		{"17 of the 21 growers who were asked answered the survey.", "21 growers were asked for the survey, and 17 answered.", false},
	} {
		s := readReport(c.report).Survive(parse.ExtractText(c.finding, ""), c.finding)
		if got := s.Verdict == Refuted; got != c.refuted {
			t.Errorf("%q in %q: %v %q, want it refuted: %v", c.finding, c.report, s.Verdict, s.Reasons, c.refuted)
		}
	}
}
