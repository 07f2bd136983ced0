package claims

import (
	"strings"
	"testing"

	"blackboard/board/claims/parse"
)

// readReport reads a text as a report.
func readReport(text string) *Evidence {
	var all []*parse.Claim
	for _, s := range parse.Read(text) {
		all = append(all, parse.Extract(s, "report.md"))
	}
	return NewEvidence(all).Even()
}

// TestSurviveKinds holds kinds of statements that refute a finding, and their true twins.
func TestSurviveKinds(t *testing.T) {
	for _, c := range []struct{ finding, report, reason string }{
		{"Ada Brandt sets up the pumps and Otto Lind does the readings.",
			"Otto Lind prepares the pumps; Ada Brandt takes the readings.", "the other way round"},
		{"Ada Brandt sets up the pumps and Otto Lind does the readings.",
			"Ada Brandt prepares the pumps; Otto Lind takes the readings.", ""},
		{"Guests rated comfort at 84 points for Nord and 71 for Sud.",
			"Guests rated the comfort of Sud at 84 points and that of Nord at 71 points.",
			"the other way round"},
		{"The mesh has openings of no more than 3 mm.", "The mesh has openings of 3 mm at least.",
			"another bound"},
		{"The hotel billed 12 nights at EUR 110 each.", "The hotel billed 12 weeks at EUR 110 each.",
			"another unit"},
		{"The heat was off from 06:20 on 9 December until 16:45 on 12 December.",
			"The heat was off from 16:45 on 9 December until 06:20 on 12 December.",
			"the other way round"},
		{"The pressure must stay within 24.5 to 25.5 bar.",
			"The pressure was to stay within 0.5 bar of 25.0 bar.", ""},
		{"Service costs €348 per device and year (€29 a month).",
			"Service is offered at €29 per device per month, so €348 in a year.", ""},
		{"The log keeps pump 7, since it ran well.", "Without pump 7 the mean would rise to 352 bar.",
			""},
		{"The script waits 2, 4, 8 and 16 seconds, then it gives up.",
			"The script pauses for 2, 4, 8 and 16 seconds; then it gives up.", ""},
		{"61 of 1,840 rows were not written to Nordbase, about 3 %.",
			"Of the 1,840 rows 61 never made it into Sudbase, about 3 %.", "Sudbase"},
		{"The season's table closes with 143 callouts, among them ten avalanches, 42 helicopter flights and 51 callouts at night.",
			"In ten of the cases an avalanche was involved. The helicopter was in the air 42 times, which is close to three flights for every ten callouts. Some 36 per cent of the callouts, 51 of them, fell into the night.", ""},
		{"There were 1.31 falls per 100 visits: 3.4 per 100 among first-time guests against 0.9 per 100 among regular guests.",
			"Falls came to 1.31 per 100 visits; guests who came for the first time had 3.4 per 100, those who had visited before 0.9 per 100.", ""},
		{"There were 1.31 falls per 100 visits.", "Falls came to 1.31 per 1,000 visits.", "another rate"},
		{"Four out of nine falls were told to the office after the 15 days allowed.",
			"All of the nine falls were told to the office later than the 15 days that are allowed.", "“all” against “Four out of nine”"},
		{"Four out of nine falls were told to the office after the 15 days allowed.",
			"Four of the nine falls were told to the office later than the 15 days that are allowed.", ""},
		{"The boat left with 233 people, 212 of them passengers and 21 crew.", "The boat left with 212 passengers and 21 crew, 233 people in all.", ""},
		{"More than a tenth of a budget needs consent; up to that the school is free.",
			"Up to 10 % of a budget may be moved freely; more than that needs consent.", ""},
		{"Nothing is known of the floor, as nobody goes down in a current of more than 1.5 m/s.",
			"Nothing is known of the floor, as the dive was called off in a current above 1.5 m/s.", ""},
		{"The floor costs EUR 38,000 and the painting EUR 9,000.", "The painting costs EUR 38,000 and the floor EUR 9,000.", "the other way round"},
		{"The ferry may have to stop in March for want of staff.", "The ferry will be stopped in March for want of staff.", "against “may”"},
		{"Orla & Lind plan to hand the shed over on 14 February 2025.", "By the minutes Norrtram plans the handover of the shed for 14 February 2025.", "Norrtram"},
		{"At 10:41 local time (UTC+3) the boat called.", "At 07:41 UTC the boat called.", ""},
	} {
		s := readReport(c.report).Survive(parse.ExtractText(c.finding, ""), c.finding)
		why := strings.Join(s.Reasons, "; ")
		if c.reason == "" && s.Verdict == Refuted || !strings.Contains(why, c.reason) {
			t.Errorf("%q in %q is %d: %s", c.finding, c.report, s.Verdict, why)
		}
	}
}

// TestVerifyKinds holds kinds of findings that say something else than what they quote.
func TestVerifyKinds(t *testing.T) {
	for _, c := range []struct{ finding, quote, reason string }{
		{"The mail left on 19 February at 10:26 UTC.", "Mon, 19 Feb 2024 10:26:00 +0900",
			"another zone"},
		{"The replica lagged at 23:05:18 local time.", "2025-09-13T23:05:18Z lag 34 s",
			"another zone"},
		{"The replica lagged at 23:05:18 UTC.", "2025-09-13T23:05:18Z lag 34 s", ""},
		{"A statement ends after 1,500 seconds.", "statement_timeout_ms: 1500", "another unit"},
		{"The builder estimates repairs of Hall 2 at EUR 61,500 excluding VAT: floor EUR 38,000, dock doors EUR 14,500, painting EUR 9,000; the stage is not included",
			"Estimate for Hall 2, excluding VAT:\n  floor repair  EUR 38,000\n  dock doors    EUR 14,500\n  painting      EUR 9,000\n  total         EUR 61,500\nStage is not in the estimate.", ""},
		{"The charge is 38p per week.", "The charge is 38p per day.", "another rate"},
		{"The ops team rotates the keys.", "Keys rotate every 90 days by the ops team.", ""},
		{"Refunds need three managers.", "Two managers must approve any refund.", "says three, the source Two"},
		{"Refunds need two of the managers.", "2 managers must approve any refund.", ""},
		{"The ops team audits the bank.", "The bank audits the ops team.", "the other way round"},
		{"The bank was sued by the port.", "The port was sued by the bank.", "the other way round"},
		{"All smoke alarms passed the test.", "Smoke alarms: 10 of 12 passed.", "10 of 12"},
		{"All 12 smoke alarms were tested.", "Smoke alarms: 12 of 12 tested.", ""},
		{"At noon the wind blew with 72 metres per second.",
			"| time | wind_kmh |\n| --- | --- |\n| noon | 72 |", "another unit"},
		{"At noon the wind blew with 20 metres per second.",
			"| time | wind_kmh |\n| --- | --- |\n| noon | 72 |", ""},
		{"The strings cost EUR 48.", "| what | sum | currency |\n| --- | --- | --- |\n| strings | -48.00 | GBP |",
			"another currency"},
		{"The strings cost £48.", "| what | sum | currency |\n| --- | --- | --- |\n| strings | -48.00 | GBP |", ""},
		{"At a low load Elk takes 11 ms and Yak 14 ms.",
			"| load | Elk (ms) | Yak (ms) |\n| --- | --- | --- |\n| low | 14 | 11 |", "the other way round"},
		{"No water got into the living room.", "The living room stayed dry.", ""},
		{"37 of 148 say that they have no named mentor.", "Q2,has a named mentor,all,148,104,37,7", ""},
		{"The buyer may waive the conditions on key customers, but it cannot waive the consent of the landlord.",
			"The buyer may waive condition (b) or (c), but not condition (a).", ""},
		{"The worst five minutes were those of 14:35, when 1,815 of 2,420 requests failed.",
			"| time | requests | failed | p95 (ms) |\n| --- | --- | --- | --- |\n| 14:35 | 2420 | 1815 | 3120 |", ""},
		{"Venn will sign for his unpaid £7,600 plus another £25,000, together £32,600.",
			"His invoices, together £7,600, were not paid. He is willing to sign against payment of those and a further £25,000.", ""},
		{"Of 120 participants two thirds (80) get the pump.",
			"120 participants are randomised in the ratio 2:1, 80 to the pump.", ""},
		{"Only the officer may sign an acceptance, and it ends after a year at the latest.",
			"The acceptance is signed by the officer and ends after a year at the latest.", ""},
		{"The boil notice was in force from 10:00 on 14 April to 14:00 on 17 April.",
			"From 10:00 on we asked people to boil their water. The notice was lifted on 17 April at 14:00.", ""},
		{"Claims for tax and fraud are outside that cap.", "The cap does not apply to tax or to fraud.", ""},
		{"The dissent was R. Fenn's, who wanted the cash for the repairs.",
			"G. Oduya asked that her dissent be recorded; she thought that the cash was needed for the repairs.", "who did it"},
		{"Sam Whitlock says that no restore test of the store was done.",
			"no restore test of the store was done", ""},
		{"7,339 of the rows read were not written.", "read=18409950 written=18402611", ""},
	} {
		ev := readReport(c.quote)
		v := ev.Verify(parse.ExtractText(c.finding, ""), c.quote, ev.Claims)
		if why := strings.Join(v.Refuted, "; "); c.reason == "" && why != "" ||
			!strings.Contains(why, c.reason) {
			t.Errorf("%q of %q: %q", c.finding, c.quote, why)
		}
	}
}

func TestCondition(t *testing.T) {
	for _, c := range []struct{ finding, quote, rest, want string }{
		{"The warranty runs for 36 months.", "", " if the buyer signs the contract first.", "if"},
		{"The warranty runs for 36 months.", "", ". If the buyer signs, more is free.", ""},
		{"The warranty runs for 36 months if a contract is signed.", "",
			" if the buyer signs the contract first.", ""},
		{"Two groups are taught together, 27 in all.", "two groups are taught together, 27 in all",
			", which is more than the agreement allows.", ""},
		{"A filter is washed after 72 hours at the latest.", "A filter is washed after 72 hours at the latest",
			", earlier if its loss of head is above 2 m.", ""},
		{"A dredge may be used.", "", " only where all spoil passes a sieve.", "only"},
		{"Dual writes may end once the check has passed.", "", " twice in a row.", "twice"},
		{"Members may sublet for six months.", "", ", provided that the committee agreed.", "provided"},
		{"The licence runs until the end of May.", "The licence runs until 31 May",
			" provided that two points are settled.", "provided"},
		{"Any delay ends the contract.", "The contract ends if a delay is reported",
			" and the loss is not made good within ten days.", "and"},
		{"Refunds are due for every week without hot water.", "Refunds are due if the water is cold",
			" for three weeks in a row.", "for"},
		{"Anybody may borrow a boat.", "You may borrow a boat", " as long as it has no mast.", "long"},
		{"Boats are lent as long as they have no mast.", "Boats are lent", " as long as they have no mast.", ""},
		{"Chairs of the Oak Room may be lent without limits.", "Chairs can be lent",
			" only if no oak table stands beside them.", "only"},
		{"Any delay ends the contract.", "The contract ends on a delay", " and the deposit is kept.", ""},
		{"A delay ends the contract if the loss is not made good within ten days.",
			"The contract ends if a delay is reported",
			" and the loss is not made good within ten days.", ""},
	} {
		if got := Condition(c.finding, c.quote, c.rest); got != c.want {
			t.Errorf("%q, then %q: %q", c.finding, c.rest, got)
		}
	}
}
