package claims

import (
	"testing"

	"blackboard/board/claims/parse"
)

// TestContrasts has findings that their own quote contradicts by small words, and beside each some with the same words
// that it bears out.
func TestContrasts(t *testing.T) {
	for _, c := range []struct {
		quote, content string
		wrong          bool
	}{
		{"Drivers may claim the night allowance.", "Drivers must claim the night allowance.", true},
		{"Drivers may claim the night allowance.", "Drivers are allowed to claim the night allowance.", false},
		{"Drivers must claim the night allowance before Friday.",
			"Drivers must claim the night allowance by the end of Thursday.", false},
		{"Never open the valve while the pump runs.", "The valve may be opened at any time the pump runs.", true},
		{"In fog the ferry must wait outside.", "In fog the ferry has to wait outside.", false},
		{"The rule allows no load above one third of the limit.", "Loads may reach a third of the limit.", false},
		{"The rule allows no load in the lift.", "Loads may be put in the lift.", true},
		{"Helmets are optional for visitors.", "Visitors must wear helmets.", true},
		{"Nobody may enter the pit.", "No one is allowed to enter the pit.", false},

		{"The new boiler has been ordered; it has not come yet.", "The new boiler has been installed.", true},
		{"Of 284 planned trips 23 fell away.", "23 trips were cancelled out of 284.", false},
		{"The new boiler has been ordered; it has not come yet.", "A new boiler has been ordered.", false},
		{"The east track may be closed in June.", "The east track will be closed in June.", true},
		{"The east track may be closed in June.", "The east track might be closed in June.", false},
		{"Kerr suspects a worn seal.", "Kerr established that the seal was worn.", true},
		{"The board reached no decision on the crane.", "The board decided on the crane.", true},
		{"The board decided to buy the crane.", "The board agreed on buying the crane.", false},

		{"Apologies: Ines Roth, Paul Ek", "Ines Roth attended.", true},
		{"Present: Ines Roth, Paul Ek", "Ines Roth attended.", false},
		{"Both keys are needed to open the safe.", "Either key opens the safe.", true},
		{"Both keys are needed to open the safe.", "The safe needs both keys.", false},
		{"The kiosk sells tickets and maps.", "The kiosk sells only tickets.", true},
		{"The kiosk sells nothing but tickets.", "The kiosk sells only tickets.", false},
		{"The rule holds for the yard only.", "The rule holds for the yard as well as for the hall.", true},
		{"Every lorry is weighed, except those of the council.", "All lorries are weighed.", true},
		{"Every lorry is weighed, except those of the council.", "All lorries but the council's are weighed.", false},
		{"Bikes may be left in all yards other than the north yard.", "Bikes may be left in the north yard.", true},
		{"Three of the five lamps failed.", "All five lamps failed.", true},
		{"Three of the five lamps failed.", "Most of the five lamps failed.", false},
		{"11 of the 14 pupils swim.", "Pupils swim every week.", false},
		{"A fine is due for each trip lost for reasons other than fog.", "A fine is due for each trip lost for another reason than fog.", false},
		{"Most of the leaks were on the roof.", "Few of the leaks were on the roof.", true},

		{"Output fell by a third in spring.", "Output went up in spring.", true},
		{"Output fell by a third in spring.", "Output came down in spring.", false},
		{"limiter:\n  enabled: false", "The limiter is on.", true},
		{"limiter:\n  enabled: false", "The limiter is off.", false},
		{"Old badges are valid until 30 June.", "Old badges are valid from 30 June.", true},
		{"Old badges are valid until 30 June.", "Old badges stop being valid after 30 June.", false},

		{"The siren sounded after the gate closed.", "The siren sounded before the gate closed.", true},
		{"The siren sounded after the gate closed.", "The gate closed before the siren sounded.", false},
		{"Parts are dried, then painted.", "Parts are painted before they are dried.", true},
		{"Pump A used less power than pump B.", "Pump A used more power than pump B.", true},
		{"Pump A used less power than pump B.", "Pump B used more power than pump A.", false},
		{"Larsen repaired the winch that Moss had damaged.", "Moss repaired the winch that Larsen had damaged.", true},
		{"The filing for Tristate lapsed in May.", "The Tristate filing lapsed in May.", false},
		{"The winch was repaired by Larsen.", "Larsen repaired the winch.", false},
		{"The alarm does not wake the crew at night.", "The alarm does wake the crew at night.", true},
		{"No load was held for less than four minutes.", "Every load was held for four minutes or longer.", false},
	} {
		ev := NewEvidence([]*parse.Claim{parse.ExtractText(c.quote, "s")})
		why := ev.otherwise(c.content, c.quote, nil, shareOfQuote, ofQuotes...)
		if (len(why) > 0) != c.wrong {
			t.Errorf("%q of %q: %q, want it wrong: %v", c.content, c.quote, why, c.wrong)
		}
	}
}
