package claims

import (
	"math/rand"
	"strings"
	"testing"

	"blackboard/board/claims/parse"
)

// first reads the first detail of a text.
func first(t *testing.T, text string) *parse.Detail {
	t.Helper()
	c := parse.ExtractText(text, "")
	for k := range c.Details {
		if c.Details[k].IsFigure() {
			return &c.Details[k]
		}
	}
	t.Fatalf("%q has no figure", text)
	return nil
}

// TestRelations: figures of a claim against those of its evidence.
func TestRelations(t *testing.T) {
	for _, c := range []struct {
		claim, evidence string
		want            parse.Relation
	}{
		{"it cost EUR 57.6 million", "it cost EUR 57,615,000", parse.Rounded},
		{"it took 90 minutes", "it took an hour and a half, or 1.5 hours", parse.Same},
		{"it lost -3.2 %", "it lost 3.2 %", parse.OtherSign},
		{"it cost £6,500", "it cost €6,500", parse.OtherCurrency},
		{"€64 a month", "€64 a year", parse.OtherRate},
		{"at least 20 tickets", "at most 20 tickets", parse.OtherBound},
		{"no guest pays more than 20 euros", "at most 20 euros", parse.Same},
		{"nobody pays more than 20 euros", "a guest never pays above 20 euros", parse.Same},
		{"a guest pays more than 20 euros", "no guest pays more than 20 euros", parse.OtherBound},
		{"345 TB", "345 GB", parse.OtherUnit},
		{"30 km/h", "30 km per minute", parse.OtherRate},
		{"20 metres per second", "72 km/h", parse.Rounded},
		{"72 metres per second", "72 km/h", parse.OtherUnit},
		{"row 7 of it", "7 rows of it", parse.Bare},
		{"on 3 March 2026", "on 2026-03-03", parse.Same},
		{"on 3 March 2026", "on 3 April 2026", parse.OtherValue},
		{"at 07:51 UTC", "[2026-06-18 00:51:22 -0700] live", parse.Rounded},
		{"at 09:00 UTC", "at 09:00 CET", parse.OtherValue},
		{"2026年3月23日", "March 23, 2026", parse.Same},
	} {
		if got := first(t, c.claim).Relate(first(t, c.evidence)); got != c.want {
			t.Errorf("%q of %q: %v, want %v", c.claim, c.evidence, got, c.want)
		}
	}
}

// TestVerifyUnsure: an opposite in a quote that says more is to be read. A number that names one of its
// kind is none of a measure, and who denies a bound turns it.
func TestVerifyUnsure(t *testing.T) {
	for _, c := range []struct {
		finding, quote string
		unsure         int
	}{
		{"Complaint 88 is closed.", "The complaint 88 stays open until the fan is replaced.", 1},
		{"She advises against taking scores in while the humidity exceeds 45 percent.",
			"Scores should not be taken in above 45 percent.", 0},
		{"He said that every load of 18 April was held for four minutes or longer.",
			"no load on 18 April was held for less than four minutes", 0},
		{"Pump 5 at Elm Lane stopped again at 05:20.", "2024-01-09 05:20 P5 stop 380 l/s", 0},
	} {
		all := []*parse.Claim{parse.ExtractText(c.quote, "")}
		v := NewEvidence(all).Verify(parse.ExtractText(c.finding, ""), c.quote, all)
		if len(v.Refuted) > 0 || len(v.Unsure) != c.unsure {
			t.Errorf("%q of %q: refuted %q, unsure %q", c.finding, c.quote, v.Refuted, v.Unsure)
		}
	}
}

// TestVerify: what contradicts a finding in the statement that it quotes.
func TestVerify(t *testing.T) {
	for _, c := range []struct {
		finding, quote string
		refuted        bool
	}{
		{"Tokens never expire", "As we saw, tokens never expire.", false},
		{"The desk paid back 644.70 euros.", `"total_gbp": 644.70`, true},
		{"The desk paid back 644.70 pounds.", `"total_gbp": 644.70`, false},
		{"No more than six swabs may be taken.", "swab_count_min: 6", true},
		{"At least six swabs have to be taken.", "swab_count_min: 6", false},
		{"The probe reads every 20 seconds.", "read_interval_min=20", true},
		{"The probe reads every 20 minutes.", "read_interval_min=20", false},
		{"The buffer holds 2,048 kibibytes.", "buffer_mib = 2048", true},
		{"The buffer holds 2,048 MiB.", "buffer_mib = 2048", false},
		{"Six blocks of 16.4 t stand on it.", "Weights: 6 blocks of 14.4 t in all.", false}, // in no source
		{"The cook orders the fish and the porter carries the crates.",
			"(1) The porter orders the fish and the cook carries the crates.", true},
		{"The cook carries the crates while the porter orders the fish.",
			"(1) The porter orders the fish and the cook carries the crates.", false},
		{"The parish asks the farm for a second pump.", "The farm asks the parish for a second pump.", true},
		{"The bar's least width is 18.6 mm against a nominal 20.0 mm at the joint, 1.4 mm less.",
			"Bar: nominal 20.0 mm, least measured 18.6 mm, at the joint.", false},
		{"A guest has to make three visits or more.", "At most three visits may be made by a guest.", true},
		{"A guest may make three visits or fewer.", "At most three visits may be made by a guest.", false},
		{"Bread is at the gate at 06:30 at the latest.", "Bread reaches the gate by 06:30.", false},
		{"The kiln has to be swept in full once a month.", "The kiln is swept in full every week.", true},
		{"The mill hands out one full sack a month.", "The mill hands out one full sack every week.", true},
		{"Until 3 May rows 2 and 4 had taken 1.5 kg of seed.",
			"Seed in rows 2 and 4 until 3 May: 1.5 kg.", false},
		{"The choir wants 25 chairs while the band had asked for 35.",
			"The band wants 25 chairs. The choir asked for 35 chairs.", true},
		{"The plan covers the pit with planks, so that the pit disappears.",
			"As drawn we put planks over the pit, so there is no pit any more.", false}, // unsure
		{"Dose adjustment is needed with apixaban", "No dose adjustment is needed with apixaban.", true},
		{"The own brand makes up 17 % of sales at a 46 % gross margin",
			"The own brand makes up 46 % of sales at a gross margin of 17 %.", true},
		{"Churn rose from 74 to 91 weeks", "Churn rose from 74 weeks to 91 weeks.", false},
		{"The bridge costs €1,840,000 with tax", "The bridge costs €1.84 million with tax.", false},
		{"A valve is not taken as mended until two or more fitters have looked at it",
			"A valve counts as mended only after at least two fitters have looked at it.", false},
		{"Ticket 17 on the frozen screen is open since 9 May 2025, nobody assigned, with 12 votes",
			`"id": 17, "title": "The screen freezes", "created": "2025-05-09", "assignee": null, "votes": 12`, false},
		{"Deposit of £12,000 held by the Council", "The Council holds a deposit of £12,000.", false},
		{"The Council holds a deposit of the Club", "The Club holds a deposit of the Council.", true},
		{"The crate stayed at 25 °C or below", "At no point on the way did the crate go above 25 degrees Celsius.", false},
		{"The crate stayed at 25 °C or above", "At no point on the way did the crate go above 25 degrees Celsius.", true},
		{"A tender stays open for ten working days", "A tender stays open for five working days.", true},
		{"A tender stays open for five working days", "A tender stays open for five working days.", false},
	} {
		var all []*parse.Claim
		for _, s := range parse.Read(c.quote) {
			all = append(all, parse.Extract(s, "report.md"))
		}
		v := NewEvidence(all).Verify(parse.ExtractText(c.finding, ""), c.quote, all)
		if (len(v.Refuted) > 0) != c.refuted {
			t.Errorf("%q of %q: %q, want it refuted: %v", c.finding, c.quote, v.Refuted, c.refuted)
		}
	}
}

// TestBroken reads broken texts.
func TestBroken(t *testing.T) {
	pieces := strings.Fields("The fund has 1,234.5 million € EUR -3.2% 12:30 2026-12-31 31 December 2026 at least " +
		"`code` /v2 a.go:42 | --- ## * [x](y) … not no , . ; : ( ) \" ' — – - 10-15 3.25:1 v1.2.3 CVE-2021-1 <b> " +
		"\xff é 万 年 and FY2025 Q1 of to from per month % ‰ UTC+2 (UTC) half quarter dozen twenty one")
	r := rand.New(rand.NewSource(1))
	text := func() string {
		var b strings.Builder
		for range 3 + r.Intn(25) {
			w := pieces[r.Intn(len(pieces))]
			if r.Intn(5) == 0 && len(w) > 1 {
				w = w[:1+r.Intn(len(w)-1)]
			}
			b.WriteString(w + []string{" ", "\n", "", " "}[r.Intn(4)])
		}
		return b.String()
	}
	for range 1000 {
		var all []*parse.Claim
		for _, s := range parse.Read(text()) {
			all = append(all, parse.Extract(s, "a.md"))
		}
		ev, claim := NewEvidence(all), text()
		ev.Verify(parse.ExtractText(claim, ""), text(), all)
	}
}

// TestTraceStatements has sentences of a report that entries say otherwise, or that none says.
func TestTraceStatements(t *testing.T) {
	entries := map[string]string{
		"e1": "The deputy head, Colin Fenn, told the paper that lunch will be 35 minutes.",
		"e2": "The bus company writes that line 14 arrives at 08:22.",
		"e3": "The supplier promises version 4.3 by 2 October at the latest.",
		"e4": "Year 10 joins only after a second vote of the staff.",
		"e5": "Overheads come to at most 12 % of direct costs.",
		"e6": "In block 6 the trap caught 64 moths.",
	}
	var all []*parse.Claim
	for id, text := range entries {
		all = append(all, parse.ExtractText(text, id))
	}
	ev := NewEvidence(all)
	for _, c := range []struct {
		text            string
		against, unsaid bool
	}{
		{"The deputy head spoke of thirty-five minutes.", false, false},
		{"Fenn spoke of thirty-five minutes.", false, false},
		{"Version 4.3 will arrive by 2 October.", false, false},
		{"Overheads come to at least 12 % of direct costs.", true, false},
		{"The tractor had been fitted with new nozzles for it.", false, true},
		{"The bus is late because the bridge at the mill is closed.", false, true},
		{"Every trap in the valley has caught moths.", false, true},
		{"All years have the same break.", false, false}, // nothing speaks of years
		{"The report was compared with the papers.", false, false},
		{"The tractor should be fitted with new nozzles.", false, false},
		{"The supplier was asked for the version.", false, false},
	} {
		got := ev.Trace([]*parse.Claim{parse.ExtractText(c.text, "")})[0]
		if (got.Against != "") != c.against || (got.Unsaid != "") != c.unsaid {
			t.Errorf("%s: against %q, unsaid %q", c.text, got.Against, got.Unsaid)
		}
	}
	got := ev.Trace([]*parse.Claim{parse.ExtractText("How large is block 6?", "")})[0]
	if d := got.Details[len(got.Details)-1]; !d.Label || d.Verdict != Supported {
		t.Errorf("block 6: %+v", d)
	}
}
