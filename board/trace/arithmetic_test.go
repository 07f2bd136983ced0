package trace

import (
	"strings"
	"testing"
)

// TestArithmetic holds the kinds of arithmetic and of forms by which a report says what
// a record says otherwise, each with a figure that is right and one that is wrong.
func TestArithmetic(t *testing.T) {
	for _, c := range []struct{ kind, records, report, right, wrong string }{
		{
			kind:    "time over midnight",
			records: "The pump at Ashby stopped at 22:40; The pump at Ashby ran again at 03:15",
			report:  "The pump at Ashby stood from 22:40 to 03:15, that is # in all.",
			right:   "4 h 35 min", wrong: "5 h 25 min",
		},
		{
			kind:    "time between moments",
			records: "The feed was dead from 2025-03-01 18:00 to 2025-03-03 06:30",
			report:  "The feed was dead for #.",
			right:   "36.5 hours", wrong: "33.5 hours",
		},
		{
			kind:    "a number behind an abbreviation",
			records: "MERIDIAN found no effect (HR 0.95, 95 % CI 0.73–1.24); AURORA found one (HR 0.80, 95 % CI 0.66–0.91)",
			report: "| Trial | HR | 95 % CI |\n|---|---|---|\n| AURORA | 0.80 | 0.66 to 0.91 |\n\n" +
				"MERIDIAN found no effect: HR 0.95 (# to 1.24).",
			right: "0.73", wrong: "0.78",
		},
		{
			kind:    "a change from a figure",
			records: "Computing at Ashby cost $38,420 in October; In November computing at Ashby fell to $35,910",
			report:  "Computing dropped by # from $38,420.",
			right:   "6.5 %", wrong: "9.5 %",
		},
		{
			kind:    "a share of what is named",
			records: "Ashby had revenue of EUR 57.6 million in 2025; Marlow alone bought for EUR 7.48 million in 2025",
			report:  "Marlow bought for EUR 7.48 million in 2025, which is # of revenue.",
			right:   "13 %", wrong: "17 %",
		},
		{
			kind:    "points over a limit",
			records: "The error may be 2.5 % at most in each field; The error was 1.6 % in North, 2.1 in Mill and 3.4 in Brae",
			report:  "The error may be 2.5 % at most. In Brae it is # over the limit.",
			right:   "0.9 points", wrong: "0.7 points",
		},
		{
			kind: "a sum of three in a list",
			records: "Half of the nodes would do and save $9,300 a month; Eight spare nodes cost $2,150 a month;" +
				"The cold tier costs $18,900 a month less; The mirror costs $4,870 a month",
			report: "- Half of the nodes would do and save $9,300 a month.\n- The eight spare nodes cost $2,150 a month." +
				"\n- The cold tier costs $18,900 a month less.\n- The mirror costs $4,870 a month.\n\n" +
				"Together the first three measures bring # a month.",
			right: "$30,350", wrong: "$31,350",
		},
		{
			kind:    "a surcharge",
			records: "A lorry pays 21.40 pounds a metre on the ferry; There is a bunker surcharge of 8 % on the ferry",
			report:  "A lorry pays 21.40 pounds a metre, and with the bunker surcharge of 8 % this comes to #.",
			right:   "23.11 pounds", wrong: "23.61 pounds",
		},
		{
			kind:    "a tolerance",
			records: "The ferry is to carry 420 tonnes of apples; Either side may deviate by up to 5 %",
			report:  "420 tonnes of apples were agreed. Since 5 % either way is tolerated, # would have been in order.",
			right:   "399 tonnes", wrong: "391 tonnes",
		},
		{
			kind: "months between days, of which an entry has the number",
			records: "The ferry ran from 2025-10-26 to 2026-03-28; The ramp of the ferry is 5 m wide;" +
				"The ferry carried 6 t of post",
			report: "The ferry ran for # from 26 October 2025 to 28 March 2026.",
			right:  "five months", wrong: "six months",
		},
		{
			kind:    "years since",
			records: "The bridge opened on 2025-05-04; Plans for the bridge date from 1987",
			report:  "The bridge opened on 4 May 2025, # after the plans of 1987.",
			right:   "38 years", wrong: "36 years",
		},
		{
			kind:    "a day later",
			records: "The permit of Ashby was issued on 2025-06-02 and holds for 45 days",
			report:  "The permit of Ashby ends on #.",
			right:   "17 July", wrong: "27 July",
		},
		{
			kind:    "months later",
			records: "The lease of the hall began on 2024-09-02 and runs for 18 months",
			report:  "The lease of the hall ends in #.",
			right:   "March 2026", wrong: "May 2026",
		},
		{
			kind:    "a time later",
			records: "The convoy left Ashby at 21:50 and needed 3 h 25 min",
			report:  "The convoy from Ashby arrived at #.",
			right:   "01:15", wrong: "02:15",
		},
		{
			kind:    "count in each",
			records: "Each of the 7 halls has 48 racks of steel",
			report:  "The halls hold # racks.",
			right:   "336", wrong: "386",
		},
		{
			kind:    "count of a range",
			records: "Crates 211 to 258 hold glass",
			report:  "Glass is held in # crates.",
			right:   "48", wrong: "42",
		},
		{
			kind:    "rest of a share",
			records: "The tank of 360 m³ is at 85 % of its volume",
			report:  "Only # remain free in the tank.",
			right:   "54 m³", wrong: "74 m³",
		},
		{
			kind:    "difference without a unit",
			records: "The gauge read 731 m³/s; The model said 688 m³/s",
			report:  "The gauge read 731 m³/s where the model said 688 m³/s, a difference of #.",
			right:   "43", wrong: "93",
		},
		{
			kind:    "percentage of the same two",
			records: "Model Frostline promised 3.80 m; The peak at Ashby was 4.40 m",
			report: "Frostline had promised 3.8 m, 60 cm too little for the peak at Ashby " +
				"of 4.4 m. That is # below it.",
			right: "13.6 %", wrong: "18.6 %",
		},
		{
			kind:    "another passage",
			records: "The toll for vans is 480 ms; The toll for vans was 410 ms",
			report: "| Toll for vans | 410 ms | 480 ms |\n|---|---|---|\n| x | a | b " +
				"|\n\nNothing else grew. Something did. Much is said of it.\n\nThe " +
				"toll rose by #.",
			right: "70 ms", wrong: "20 ms",
		},
		{
			kind: "difference in a column",
			records: "Total cost of the quay is EUR 48.2 million; A grant of EUR 19.7 " +
				"million pays for the quay",
			report: "| Item | Sum |\n|---|---|\n| Total cost of the quay | €48.2 million " +
				"|\n| Grant for the quay | €19.7 million |\n| Own part | # |",
			right: "€28.5 million", wrong: "€26.5 million",
		},
		{
			kind:    "share of a column",
			records: "Wheat 120 ha; Oats 80 ha; Ashby farms 200 ha in all",
			report: "| Crop | Area | Share |\n|---|---|---|\n| Wheat | 120 ha | # |\n| " +
				"Oats | 80 ha | 40 % |",
			right: "60 %", wrong: "70 %",
		},
		{
			kind:    "share of a whole",
			records: "The store of Ashby holds 23,400 glass plates; 1,404 plates have cracks",
			report: "The store of Ashby holds 23,400 plates of glass. It is old. It is " +
				"damp. It is cold.\n\nOf the plates, 1,404 plates have cracks, or #.",
			right: "6 %", wrong: "9 %",
		},
		{
			kind:    "rate by rate",
			records: "The ferry burns 42.5 litres of fuel per km; Fuel costs EUR 1.20 per litre",
			report:  "Fuel costs the ferry # a kilometre.",
			right:   "€51", wrong: "€57",
		},
		{
			kind:    "how many parts",
			records: "The van has a usable battery of 60 kWh; The van uses 0.25 kWh per km",
			report:  "With 60 kWh in the battery the van goes #.",
			right:   "240 km", wrong: "290 km",
		},
		{
			kind: "gain by time",
			records: "Calves of Ashby gained 1.15 kg a day, against 1.06 kg a day; The " +
				"calves were fed for 150 days",
			report: "Calves gained 90 g a day more, which in 150 days makes #.",
			right:  "13.5 kg", wrong: "15.5 kg",
		},
		{
			kind:    "cents of the euro",
			records: "Diesel for the ferry costs EUR 0.52 per km",
			report:  "Diesel for the ferry costs # a kilometre.",
			right:   "52 cents", wrong: "57 cents",
		},
		{
			kind:    "pence of the pound",
			records: "A call to Ashby costs GBP 0.35",
			report:  "A call to Ashby costs #.",
			right:   "35 pence", wrong: "38 pence",
		},
		{
			kind:    "part of a million",
			records: "250,000 parcels were sorted by Ashby",
			report:  "Ashby sorted # parcels.",
			right:   "a quarter of a million", wrong: "half a million",
		},
		{
			kind:    "numbered day",
			records: "Blood of the lambs was drawn at day 42",
			report:  "Blood of the lambs was drawn after #.",
			right:   "six weeks", wrong: "five weeks",
		},
		{
			kind:    "degrees",
			records: "Brine in the tank stood at 11.4 °C; Brine may be 8.0 °C in the tank",
			report:  "Brine in the tank stood at 11.4 °C, # above what is allowed.",
			right:   "3.4 degrees", wrong: "3.9 degrees",
		},
		{
			kind:    "header that is a unit",
			records: "Staff cost GBP 88,700 and storage GBP 20,000",
			report:  "| Item | Pounds |\n|---|---|\n| Staff | 88,700 |\n| Storage | # |",
			right:   "20,000", wrong: "30,000",
		},
		{
			kind:    "just short of",
			records: "The appeal raised GBP 198,400 in Ashby",
			report:  "The appeal raised # in Ashby.",
			right:   "just short of £200,000", wrong: "just short of £300,000",
		},
		{
			kind:    "units of another scale",
			records: "The path at Ashby is 5 miles long",
			report:  "The path at Ashby is # long.",
			right:   "8 km", wrong: "7 km",
		},
		{
			kind:    "so many of so many",
			records: "Ashby has 3 shifts of 8 nurses",
			report:  "Ashby has # nurses in all.",
			right:   "24", wrong: "27",
		},
		{
			kind:    "size on average",
			records: "Ashby read 412 files, 3.6 GB",
			report:  "Ashby read files of some # on average.",
			right:   "9 MB", wrong: "6 MB",
		},
		{
			kind:    "average",
			records: "Ashby lost 14 sheep, Brill 22, Corby 30 sheep",
			report:  "Ashby, Brill and Corby lost # sheep on average.",
			right:   "22", wrong: "27",
		},
		{
			kind:    "weeks between dates",
			records: "The trial ran from 2025-01-06 to 2025-03-31",
			report:  "The trial ran for #.",
			right:   "twelve weeks", wrong: "seventeen weeks",
		},
	} {
		records := append(strings.Split(c.records, "; "), "The weather was fine",
			"Nobody came to the fair", "A cow was sold")
		for want, figure := range map[string]string{"right": c.right, Unsupported: c.wrong} {
			before, _, _ := strings.Cut(c.report, "#")
			got := verdicts(t, strings.Replace(c.report, "#", figure, 1), records...)
			n := 0
			for _, v := range got {
				if strings.Contains(v, Unsupported) {
					n++
				}
			}
			if (n > 0) != (want == Unsupported) {
				t.Errorf("%s: %s%s is to be %s: %q", c.kind, before, figure, want, got)
			}
		}
	}
}
