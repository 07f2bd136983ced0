package claims

import "testing"

// TestContradicts: what two texts about one thing cannot both say, either way round. The labelled pairs are in package
// clash.
func TestContradicts(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"The kiln is safe to open at 80 degrees.", "The kiln is unsafe to open at 80 degrees.", true},
		{"The kiln is not safe to open at 80 degrees.", "The kiln is unsafe to open at 80 degrees.", false},
		{"Labels of the press are case-sensitive.", "Labels of the press are case-insensitive.", true},
		{"Seal the crates with wax instead of resin.", "Seal the crates with resin instead of wax.", true},
		{"The pump needs firmware v2.4.", "The pump needs firmware v2.5.", true},
		{"The pump needs firmware v2.4.", "The pump needs firmware v2.4.0.", false},
		{"The loading ramp carries 900 kg.", "The boarding ramp carries 400 kg.", false},
		{"Crates of batch 11 weigh 40 kg.", "Crates of batch 12 weigh 55 kg.", false},
		{"The ferry was planned to cost 3 million euros.", "The ferry cost 5 million euros.", false},
		{"The ferry cost 3 million euros.", "The ferry cost 5 million euros.", true},
		{"The group decided on 11 March 2026 that the travel allowance ends on 31 July 2026.",
			"Ms Hale wrote on 30 March 2026 that the travel allowance runs until 31 December 2026.", true},
		{"124,000 loans were made at Central.", "Kiosk 2 at Central holds records of loans.", false},
		{"The valve does not open until the tank is full.", "The valve opens when the tank is full.", false},
	} {
		a, b := ReadText(c.a), ReadText(c.b)
		if why, back := a.Contradicts(b), b.Contradicts(a); len(why) > 0 != c.want || len(back) > 0 != c.want {
			t.Errorf("%q and %q: %q, %q", c.a, c.b, why, back)
		}
	}
}

// TestOtherFigure: two texts have other figures of one kind, which a number without a unit is not.
func TestOtherFigure(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"The kiln fires at 980 degrees.", "Glazes want 1,040 degrees.", true},
		{"The kiln fires at 980 degrees.", "Glazes want 980 degrees, for 40 minutes.", false},
		{"The kiln fires at 980 degrees.", "Glazes need 40 minutes.", false},
		{"Entries: 980", "Entries: 40", false},
	} {
		if got := ReadText(c.a).HasOtherFigure(ReadText(c.b)); got != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}
