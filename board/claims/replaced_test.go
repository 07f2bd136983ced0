package claims

import (
	"strings"
	"testing"

	"blackboard/board/claims/parse"
)

// TestReplaced: a figure or name in the place of one of the quote contradicts it, wherever the source has it; what
// follows from the quote does not, nor what another line says as well.
func TestReplaced(t *testing.T) {
	const ferry = `Ferry rules of Lake Ness
Present: Ruth Adair, Colin Boyd, Greta Muir (harbour master).
The day ticket costs 14.50 euros, the bicycle 6.20 euros.
Lost luggage is kept for 30 days.
Complaints are answered within 10 days.
Ruth Adair signs the timetable.
The pier was inspected by Colin Boyd on 4 May 2025.
Of the 46 moorings, 31 are let.
The ferry makes 9 trips on Saturdays and 7 on Sundays.
A dog needs a ticket of 3 euros.
Claims must be made within 60 days of the trip.
Claims that are not made in time are forfeited.
After the change the keys lived for 24 minutes instead of 24 hours.
2025-03-02  11:20  the pump stops, Greta says wait until noon
2025-03-02  12:10  the pump runs again; own sensor -4.1`
	for _, c := range []struct{ finding, quote, reason string }{
		{"Lost luggage is kept for 10 days.", "Lost luggage is kept for 30 days.", "says 10 days, the source 30 days"},
		{"Lost luggage is kept for 30 days.", "Lost luggage is kept for 30 days.", ""},
		{"Complaints get an answer within 30 days.", "Complaints are answered within 10 days.", "says 30 days"},
		{"29 of the 46 moorings are let.", "Of the 46 moorings, 31 are let.", "says 29, the source 31"},
		{"31 of the 46 moorings are let.", "Of the 46 moorings, 31 are let.", ""},
		{"Two thirds of the moorings are let.", "Of the 46 moorings, 31 are let.", ""},
		{"The ferry makes 16 trips on Saturdays and Sundays.",
			"The ferry makes 9 trips on Saturdays and 7 on Sundays.", ""},
		{"The ferry makes 2 trips more on Saturdays than on Sundays.",
			"The ferry makes 9 trips on Saturdays and 7 on Sundays.", ""},
		{"A bicycle costs 6.20 euros and a dog 3 euros.", "The day ticket costs 14.50 euros, the bicycle 6.20 euros.", ""},
		{"Ruth Adair inspected the pier on 4 May 2025.", "The pier was inspected by Colin Boyd on 4 May 2025.",
			"says Ruth Adair, the source Colin Boyd"},
		{"Ian Frew inspected the pier on 4 May 2025.", "The pier was inspected by Colin Boyd on 4 May 2025.", "says Ian Frew"},
		{"Mr Boyd inspected the pier on 4 May 2025.", "The pier was inspected by Colin Boyd on 4 May 2025.", ""},
		{"Claims that are not made within 60 days are forfeited.", "Claims must be made within 60 days of the trip.\n" +
			"Claims that are not made in time are forfeited.", ""},
		{"The keys lived for 24 minutes and not for 24 hours after the change.",
			"After the change the keys lived for 24 minutes instead of 24 hours.", ""},
		{"The keys lived for 24 hours after the change.", "After the change the keys lived for 24 minutes.", "another unit"},
		{"The pump ran again at 12:10.", "2025-03-02  11:20  the pump stops, Greta says wait until noon\n" +
			"2025-03-02  12:10  the pump runs again; own sensor -4.1", ""},
		{"The pump stood for 50 minutes, and for 17.", "2025-03-02  12:10  the pump runs again; own sensor -4.1", ""},
		{"CB inspected the pier on 4 May 2025.", "The pier was inspected by Colin Boyd on 4 May 2025.", ""},
	} {
		ev := readReport(ferry)
		var at []*parse.Claim
		for _, e := range ev.Claims {
			quote := strings.Join(strings.Fields(c.quote), " ")
			said := strings.Join(strings.Fields(e.Text), " ")
			if strings.Contains(quote, said) || strings.Contains(said, strings.TrimSuffix(quote, ".")) {
				at = append(at, e)
			}
		}
		v := ev.Verify(parse.ExtractText(c.finding, ""), c.quote, at)
		why := strings.Join(v.Refuted, "; ")
		if len(at) == 0 || c.reason == "" && why != "" || !strings.Contains(why, c.reason) {
			t.Errorf("%q of %q (%d): %q", c.finding, c.quote, len(at), why)
		}
	}
}

// TestFactor: what a program multiplies with is not what a finding counts.
func TestFactor(t *testing.T) {
	const quote = "return Math.floor(amount * 100);"
	ev := NewEvidence([]*parse.Claim{parse.ExtractText(quote, "money.js")})
	v := ev.Verify(parse.ExtractText("An amount of 19.99 becomes 1998 cents.", ""), quote, ev.Claims)
	if v.Refuted != nil || v.Misquotes(func(string) bool { return true }) != nil {
		t.Errorf("%q", v.Refuted)
	}
}
