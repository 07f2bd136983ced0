package parse

import (
	"slices"
	"strings"
	"testing"
)

// answers reports whether a text has every figure that another asks for. A number word that counts something is none.
func answers(asks, text string) (asked int, ok bool) {
	have := ExtractText(text, "").Details
	ok = true
	for _, d := range ExtractText(asks, "").Details {
		if d.IsFigure() && !(d.Q != nil && d.Q.Word && d.Q.Dim == "") {
			asked++
			ok = ok && slices.ContainsFunc(have, func(x Detail) bool { return d.Is(&x, true) })
		}
	}
	return asked, ok
}

func TestQuantitiesEqual(t *testing.T) {
	for _, same := range [][]string{
		{"0.8 s", "800 ms", "800ms", "0.8 seconds", "0.8s", "800 milliseconds",
			"800,000 µs", "800-ms"},
		{"1.5 MB", "1,500 KB", "1500kB", "1.5 megabytes", "1.5MB", "1.5-MB"},
		{"2 KiB", "2048 bytes"},
		{"0.5 mg", "500 µg", "500 μg", "500 mcg"},
		{"90 minutes", "1.5 hours", "1.5 h", "ninety minutes", "90-minute", "1 h 30 min", "1h 30m",
			"90 min", "1 hour and 30 minutes", "one and a half hours", "1½ hours"},
		{"30 minutes", "half an hour", "thirty minutes", "0.5 h"},
		{"15 minutes", "900 seconds", "a quarter of an hour", "15-minute", "fifteen (15) minutes"},
		{"2 weeks", "14 days", "fourteen days", "two weeks", "one fortnight"},
		{"24 months", "2 years", "two years"},
		{"6 h 20 min", "380 minutes", "6h 20min", "six hours and 20 minutes", "6h20m", "6h20m0s"},
		{"3 min 10 s", "3m10s", "190 seconds"},
		{"10-15 %", "10 to 15 percent", "between 10 and 15 percent", "10–15%", "10% to 15%",
			"from 10 % to 15 %", "ten to fifteen percent"},
		{"5-7 hours", "5 to 7 hours", "between 5 and 7 hours", "5–7h", "five to seven hours"},
		{"3 to 5 million dollars", "$3M to $5M", "3,000,000 to 5,000,000"},
		{"17:00", "5 pm", "5pm", "5:00 PM", "5 p.m.", "17:00:00", "five pm", "five p.m."},
		{"9:30", "9.30 am", "9:30am", "9.30 a.m."},
		{"5 miles", "five miles"},
		{"12:00", "noon", "12 pm", "midday"},
		{"1,000,000", "1 000 000", "1\u00a0000\u00a0000", "1\u202f000\u202f000", "1_000_000",
			"one million", "1 million", "1M", "1\u2009000\u2009000"},
		{"12 500 000.50", "12,500,000.5"},
		{"12 patients", "a dozen patients", "twelve patients"},
		{"24 patients", "two dozen patients"},
		{"6 patients", "half a dozen patients"},
		{"75%", "three quarters of them", "three-quarters of them", "75 percent", "three fourths of them"},
		{"25%", "a quarter of them", "one quarter of them"},
		{"50%", "half of them", "one half of them", "50 percent"},
		{"40%", "two fifths of them"},
		{"3 percentage points", "3 pp", "300 basis points", "three percentage points"},
		{"12 June 2025", "2025-06-12", "June 12, 2025", "12-Jun-2025", "12th of June 2025",
			"the 12th June, 2025", "12 Jun 2025", "2025/06/12",
			"Thursday, June 12, 2025", "12.06.2025"},
		{"17 March 2026 at 05:36", "05:36 on 17 March 2026", "5:36 am on Tuesday, 17 March 2026"},
		{"12-14 June 2025", "12 to 14 June 2025"},
		{"Q3 2025", "third quarter of 2025", "2025 Q3"},
		{"5 GB", "5000 MB", "five gigabytes"},
		{"3 days", "72 hours", "three days"},
		{"2 weeks", "14 days"},
		{"10 years", "120 months", "one decade"},
		{"200 years", "two centuries"},
		{"17:30", "half past five in the afternoon", "half past five pm", "5:30 pm"},
		{"16:45", "a quarter to five in the afternoon", "quarter to five pm"},
		{"12,500 euros", "12 500 euros", "EUR 12 500", "12 500 €", "€12,500"},
		{"500,000", "half a million"},
		{"1,000", "a thousand", "one thousand"},
		{"1,500,000", "one and a half million", "1.5 million"},
		{"5 June", "June 5th", "the fifth of June"},
		{"an hour and 35 minutes", "95 minutes", "one hour and 35 minutes", "1 h 35 min",
			"an hour and thirty-five minutes"},
		{"69 minutes", "one hour and nine minutes", "1 hour and nine minutes"},
		{"30 hours", "a day and six hours"},
		{"90 minutes", "one hour and a half", "1.5 hours"},
		{"150 minutes", "two hours and a half"},
		{"12 May 2025", "12.05.2025", "12.5.2025", "2025-05-12"},
		{"231 cm", "2310 mm", "2.31 metres", "2.31m"},
		{"$0.60", "60 cents", "sixty cents"},
		{"41 m3", "41 m³", "41 cubic metres", "41,000 litres"},
		{"12 m2", "12 m²", "12 square metres", "12 sq m", "12 sqm"},
		{"5 ha", "50,000 m2", "five hectares"},
		{"25%", "one in four"},
		{"17:00", "five o'clock in the afternoon", "5 o'clock in the afternoon",
			"5 in the afternoon", "5 pm"},
		{"7:42", "7.42 in the morning", "7:42 in the morning", "7.42 am"},
		{"19:30", "7:30 in the evening", "7.30 pm", "7.30 in the evening"},
	} {
		for _, asks := range same {
			for _, text := range same {
				if n, ok := answers(asks, text); !ok {
					t.Errorf("%q asks for %d numbers that %q does not have", asks, n, text)
				}
			}
		}
		if n, _ := answers(same[0], ""); n == 0 {
			t.Errorf("%q asks for no number", same[0])
		}
	}
}

func TestQuantitiesDiffer(t *testing.T) {
	for _, pair := range [][2]string{
		{"0.8 s", "0.8 ms"}, {"0.8 s", "80 ms"}, {"0.5 ng/mL", "0.5 µg/mL"},
		{"1.5 MB", "1.5 GB"}, {"1.5 MB", "1,601 KB"},
		{"90 minutes", "90 seconds"}, {"1.5 hours", "1.5 days"}, {"$0.60", "0.60 euros"},
		{"17:00", "5 am"}, {"5 pm", "5 people"},
		{"10-15 %", "10 to 16 percent"}, {"10-15 %", "11 to 15 percent"},
		{"5-7 hours", "9 to 11 hours"}, {"5 hours", "5 reviewers"},
		{"1 201 530", "1 201 539"},
		{"75%", "three fifths"}, {"a dozen eggs, 12", "11 eggs"},
		{"1 000 000", "1 000"}, {"12 June 2025", "12 July 2025"},
		{"June 12-14, 2025", "June 12-15, 2025"},
		{"17 March 2026 at 05:36", "05:36 on 18 March 2026"}, {"17 March 2026 at 05:36", "05:46 on 17 March 2026"},
		{"12.05.2025", "5 December 2025"}, {"60 cents", "$0.06"}, {"25%", "one in 2004"},
		{"2310 mm", "2,310 million"},
		{"an hour and 35 minutes", "35 minutes"}, {"7.42 in the morning", "19:42"},
		{"14 out of 37", "14 out of 38"}, {"12 m2", "12 m3"},
		{"three days", "five days"}, {"6 h 20 min", "6 h 30 min"},
		{"Q3 2025", "second quarter of 2025"}, {"2 GHz", "2 GB"}, {"5 kg", "5 km"},
	} {
		if n, ok := answers(pair[0], pair[1]); ok {
			t.Errorf("%q asks for %d numbers, which %q has", pair[0], n, pair[1])
		}
	}
}

// A bare number of a table answers to one with a unit, which stands in the head.
func TestQuantitiesInclude(t *testing.T) {
	for _, pair := range [][2]string{
		{"800 ms", "| p99, ms | 800 |"}, {"18.4 minutes", "| onset, min |\n| --- |\n| 18.4 |"}, {"5", "5 ms"},
		{"6 hours", "6 h 20 min"}, {"12", "12 000"},
		{"on 12 June", "12–14 June 2025"}, {"1 MB", "1024 KB"}, {"1 MB", "1000 KB"},
		{"25%", "a quarter of them"}, {"30 minutes", "half an hour"},
		{"8 pm", "from 8 am to 8 pm"},
		{"17:00", "five o'clock"}, {"5 o'clock", "05:00"},
		{"14 out of 37", "14 of the 37"}, {"$2.31 m", "2.31 million"},
		{"14", "In January. 14 of them"},
		{"14:05", "14:05:33"}, {"14:05", "2026-01-03T14:05:33Z"},
		{"2:05 pm", "2026-01-03T14:05:00"}, {"Q3 2025", "2025-Q3"}, {"in 2025", "FY2025"},
	} {
		if n, ok := answers(pair[0], pair[1]); !ok || n == 0 {
			t.Errorf("%q asks for %d numbers that %q does not have", pair[0], n, pair[1])
		}
	}
}

// TestParseNumber holds what is a number with separators, and what is none.
func TestParseNumber(t *testing.T) {
	for in, want := range map[string]float64{
		"1,234,567.50": 1234567.5, "1.234.567,50": 1234567.5, "1_234_567": 1234567, "1.2.3": -1,
		"12,34,567": 1234567, "1,2345": 1.2345, "": -1, "0.5": .5, "4'500'000": 4500000, "00198": -1,
	} {
		if n, ok := parseNumber(in); ok != (want >= 0) || ok && n.value != want {
			t.Errorf("%q: %v, %v, want %v", in, n.value, ok, want)
		}
	}
}

// FuzzExtract: any text can be read, and what is read stands there.
func FuzzExtract(f *testing.F) {
	for _, s := range []string{
		"The lien lapses March 23, 2026 at 2:17 p.m., $4.5 million (15%), OH-2021-0109455",
		"抵押权于2026年3月23日失效 450万", "one million five hundred thousand", "0D 0 0h",
		"\xff 1.2.3.4 v 1e999 2026-99-99 March 99, 2026",
		"99999999999999999999999999999999 kb -1 $ € v1..2",
		"1 h 30 min, 10-15 %, half an hour, one and a half days, two dozen, 1 000 000, 5 pm 1h30m 1½ 12-14 June 2025",
		"3-5 3–5 1,000,00 4'500'000 4.500.000,00 ١٢٣", "fifteen (15) minutes, 1h 30m, an hour and a half, 12-Jun-2025",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range Read(text) {
			for _, d := range Extract(s, "").Details {
				in := s.Text
				if d.Cell != nil {
					in = d.Cell.Text
				}
				if d.At < 0 || d.At > len(in) || !strings.HasPrefix(in[d.At:], strings.TrimPrefix(d.Text, "-")) &&
					!strings.HasPrefix(in[d.At:], d.Text) || d.Text == "" {
					t.Fatalf("%q is not at %d of %q", d.Text, d.At, in)
				}
			}
		}
	})
}

// TestHeaderUnit: a unit of a header is compared, but for one that is made of two.
func TestHeaderUnit(t *testing.T) {
	for header, want := range map[string]string{"lead_time_weeks": "time", "hmf_mg_kg": "", "conductivity_mS/cm": "", "weight_kg": "mass", "offset_s": "time",
		"gust_kmh": "length", "wind (m/s)": "length", "class_m": ""} {
		if u := headerUnit(header); u.dim != want {
			t.Errorf("%s: %q instead of %q", header, u.dim, want)
		}
	}
}
