package claims

import (
	"testing"

	"blackboard/board/claims/parse"
)

// TestExchanged: figures that a finding gives each to the other one's owner, and who does what the other way round.
func TestExchanged(t *testing.T) {
	for _, c := range []struct {
		finding, quote string
		exchanged      bool
	}{
		{"37 doors are made of steel and 18 of oak.", "Doors: oak 37, steel 18.", true},
		{"18 doors are made of steel and 37 of oak.", "Doors: oak 37, steel 18.", false},
		{"Berta sold 1,612 tickets and Carlo 1,388.", "A. Carlo;booth;1612;96\nM. Berta;gate;1388;12", true},
		{"Berta sold 1,388 tickets and Carlo 1,612.", "A. Carlo;booth;1612;96\nM. Berta;gate;1388;12", false},
		{"An urgent call is answered within 24 hours of being known, any other within 72.",
			"A call is answered within 72 hours. An urgent call is answered within 24 hours of being known.", false},
		{"Hall A costs 61,500: floor 38,000, painting 9,000.", "floor 38,000\npainting 9,000\nHall A 61,500", false},
		{"168 flats are sold for EUR 21 million.", "| Price | EUR 21 million |\n| Flats | 168 |", false},
		{"Okoro proposed to stop, but Lund decided against it.", "Lund proposes to stop. Okoro decides against it.", true},
		{"Lund proposed to stop, but Okoro decided against it.", "Lund proposes to stop. Okoro decides against it.", false},
		{"Okoro asked Lund for a letter.", "On Monday I asked Okoro for a letter.", true},
		{"Lund was asked for a letter.", "On Monday I asked Lund for a letter.", false},
	} {
		finding, said := parse.ExtractText(c.finding, ""), parse.Tokenize(c.quote)
		if why := exchangedFigures(finding, said, isCells(c.quote)) + otherDeed(finding.Tokens(), said); (why != "") != c.exchanged {
			t.Errorf("%q of %q: %q, want one: %t", c.finding, c.quote, why, c.exchanged)
		}
	}
}
