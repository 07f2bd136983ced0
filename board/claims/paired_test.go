package claims

import (
	"testing"

	"blackboard/board/claims/parse"
)

// TestExchanged: figures that a finding gives each to the other one's owner, and who does what the other way round.
func TestExchanged(t *testing.T) {
	for _, c := range []struct {
		finding, quote string
		figures, deeds bool
	}{
		{"37 doors are made of steel and 18 of oak.", "Doors: oak 37, steel 18.", true, false},
		{"18 doors are made of steel and 37 of oak.", "Doors: oak 37, steel 18.", false, false},
		{"Berta sold 1,612 tickets and Carlo 1,388.", "A. Carlo;booth;1612;96\nM. Berta;gate;1388;12", true, false},
		{"Berta sold 1,388 tickets and Carlo 1,612.", "A. Carlo;booth;1612;96\nM. Berta;gate;1388;12", false, false},
		{"An urgent call is answered within 24 hours of being known, any other within 72.",
			"A call is answered within 72 hours. An urgent call is answered within 24 hours of being known.", false, false},
		{"Hall A costs 61,500: floor 38,000, painting 9,000.", "floor 38,000\npainting 9,000\nHall A 61,500", false, false},
		{"168 flats are sold for EUR 21 million.", "| Price | EUR 21 million |\n| Flats | 168 |", false, false},

		{"Okoro proposed to stop, but Lund decided against it.", "Lund proposes to stop. Okoro decides against it.", false, true},
		{"Lund proposed to stop, but Okoro decided against it.", "Lund proposes to stop. Okoro decides against it.", false, false},
		{"Okoro asked Lund for a letter.", "On Monday I asked Okoro for a letter.", false, true},
		{"The hours were entered by Lund, not Okoro.", "They were entered by Okoro himself, not by Lund.", false, true},
		{"The hours were entered by Okoro, not Lund.", "They were entered by Okoro himself, not by Lund.", false, false},
	} {
		finding, said := parse.ExtractText(c.finding, ""), parse.Tokenize(c.quote)
		if why := exchangedFigures(finding, said, isCells(c.quote)); (why != "") != c.figures {
			t.Errorf("%q of %q: figures %q, want one: %t", c.finding, c.quote, why, c.figures)
		}
		if why := otherDeed(finding.Tokens(), said); (why != "") != c.deeds {
			t.Errorf("%q of %q: deeds %q, want one: %t", c.finding, c.quote, why, c.deeds)
		}
	}
	for _, c := range []struct{ finding, quote, word string }{
		{"The council has accepted the extra cost.", "You have not accepted this yet.", "accepted"},
		{"The council has accepted one of the posts.", "She has accepted one. The second she has not accepted.", ""},
		{"The council has refused the extra cost.", "You have not accepted this.", ""},
	} {
		if got := onlyDenied(parse.Tokenize(c.finding), parse.Tokenize(c.quote)); got != c.word {
			t.Errorf("%q of %q: %q, want %q", c.finding, c.quote, got, c.word)
		}
	}
}
