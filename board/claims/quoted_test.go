package claims

import (
	"testing"

	"blackboard/board/claims/parse"
	"blackboard/board/documents"
)

// TestVerifyOtherwise has findings whose quote is there, and says otherwise by a word.
func TestVerifyOtherwise(t *testing.T) {
	for _, c := range []struct {
		name, source, quote, content string
		wrong                        bool
	}{
		{"all of most", "Most of the bill is paid.", "Most of the bill is paid.", "The bill has been paid in full.", true},
		{"all of all", "All lamps are lit, some twice.", "All lamps are lit", "All of the lamps are lit.", false},
		{"every ten minutes", "Some doors open at times.", "Some doors open", "Some doors open every ten minutes.", false},
		{"10 of 12", "Alarms: 10 of 12 passed", "10 of 12 passed", "All alarms passed.", true},
		{"some of the", "38 of the 40 sets passed their test.", "38 of the 40 sets passed", "All the sets passed their test.", true},
		{"some of them", "62 units were kept. 11 of them were thrown away.", "62 units were kept. 11 of them were thrown away.", "All units that were kept had to be thrown away.", true},
		{"both of them", "Of two sheds both of them stood open.", "both of them stood open", "All sheds stood open.", false},
		{"will for may", "The ferry may have to stop in March.", "The ferry may have to stop in March.", "The ferry will be stopped in March.", true},
		{"may for may", "The ferry may have to stop in March.", "The ferry may have to stop in March.", "The ferry might stop in March.", false},
		{"will of another", "The ferry may stop in March and the bus will run.", "the bus will run", "The bus will run.", false},
		{"phrases in another order", "Morning fog on the river keeps below the bridge.", "Morning fog on the river keeps below the bridge.", "On the river the fog in the morning keeps below the bridge.", false},
		{"either", "The charge is 20 for any loss and 70 where the loss is caused by rain or snow from a roof.", "The charge is 20 for any loss and 70 where the loss is caused by rain or snow from a roof.", "The charge is 20 for an ordinary loss, but 70 if a roof's rain or snow did cause the loss.", false},
		{"week for month", "Readings are sent to the office monthly.", "sent to the office monthly", "The office gets the readings every week.", true},
		{"month for month", "Readings are sent to the office monthly.", "sent to the office monthly", "The office gets the readings every month.", false},
		{"converted", "The rent is 1,200 a year.", "The rent is 1,200 a year", "The rent is 100 a month.", false},
		{"a year ago", "It is checked once a month.", "checked once a month", "It was checked a year ago.", false},
		{"once, not per year", "The fee is paid once, not per year.", "paid once, not per year", "The fee is paid every year.", true},
		{"who keeps it", "Kept by Ana Reis, signed by Tom Hay.", "Kept by Ana Reis, signed by Tom Hay.", "Tom Hay keeps the book and Ana Reis signs it.", true},
		{"who keeps it, right", "Kept by Ana Reis, signed by Tom Hay.", "Kept by Ana Reis, signed by Tom Hay.", "Ana Reis keeps the book.", false},
		{"exchanged digits", "The peak was 61.8 %.", "The peak was 61.8 %", "The peak was 68.1 %.", true},
		{"bound in words", "A team has at most five games on a day.", "A team has at most five games on a day.", "A team has at least five games on a day.", true},
		{"wait", "Wait six to eight days after the peak.", "Wait six to eight days after the peak", "It is done within six days of the peak.", true},
		{"above the limit", "Calls are limited to 600 per minute.", "limited to 600 per minute", "Above 600 per minute the answer is 429.", false},
		{"denied on one side", "Lost keys are not replaced in the first week.", "Lost keys are not replaced in the first week.", "Lost locker keys are replaced in the first week.", true},
		{"other currency", "The bill comes to 11,460 euros.", "The bill comes to 11,460 euros", "The bill is 11,460 pounds.", true},
		{"day in words", "She comes on the 22nd not 21st", "She comes on the 22nd", "She comes on 22 June.", false},
	} {
		ev := NewEvidence(parse.ExtractDocument(documents.New("s.md", c.source)))
		v := ev.Verify(parse.ExtractText(c.content, ""), c.quote, ev.OnLines(1, 9))
		got := append(v.Refuted, v.Misquotes(func(string) bool { return c.wrong })...)
		if (len(got) > 0) != c.wrong {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

func TestSpokenTimes(t *testing.T) {
	for spoken, digits := range map[string]string{
		"twelve minutes past one": "01:12", "eight minutes to five": "16:52", "half past four": "16:30",
		"a quarter to one": "12:45", "five past eight": "20:05", "eight in the evening": "20:00",
		"two in the afternoon": "14:00", "nine o'clock": "09:00", "noon": "12:00", "midnight": "00:00",
		"ten past three in the morning": "03:10",
	} {
		ev := NewEvidence([]*parse.Claim{parse.ExtractText("The gate opens at "+digits+".", "s")})
		d := figuresOf(parse.ExtractText("The gate opens at "+spoken+".", ""))
		if len(d) != 1 || !ev.hasFigure(nil, d[0]) {
			t.Errorf("%s is not %s: %v", spoken, digits, d)
		}
	}
	exact := figuresOf(parse.ExtractText("It came back at 03:12:18.", ""))[0]
	near := func(s string) bool {
		return figuresOf(parse.ExtractText("It came back "+s+".", ""))[0].Relate(exact).Agrees()
	}
	for s, agrees := range map[string]bool{"shortly after three in the morning": true,
		"at three in the morning": false, "about five in the morning": false} {
		if near(s) != agrees {
			t.Errorf("%s is 03:12:18: %v", s, !agrees)
		}
	}
	for _, s := range []string{"from five to eight days", "ten to twelve people", "one in the team", "he had eight"} {
		for _, d := range figuresOf(parse.ExtractText(s, "")) {
			if d.T != nil {
				t.Errorf("%q is a time: %s", s, d.Text)
			}
		}
	}
}
