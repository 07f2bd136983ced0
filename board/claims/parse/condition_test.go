package parse

import "testing"

// Statements in pairs: each of the first list says the same as the others of it, and the
// opposite of each of the second.
var boundStatements = []struct{ same, opposite []string }{
	{[]string{"Block 6 may be sprayed only after 20:00.", "Nothing may be sprayed there before 20:00.",
		"Spraying is not allowed until 20:00.", "Before 20:00 spraying is forbidden.",
		"Spraying before 20:00 is prohibited.", "It may be sprayed from 20:00 on.",
		"It must not be sprayed earlier than 20:00.", "It is sprayed at 20:00 at the earliest."},
		[]string{"It may be sprayed only before 20:00.", "Nothing may be sprayed there after 20:00.",
			"After 20:00 spraying is forbidden.", "It may be sprayed until 20:00.",
			"It may be sprayed at 20:00 at the latest.", "It may be sprayed no later than 20:00."}},
	{[]string{"No class has one subject for more than two hours a day.",
		"A class may spend two hours on a subject and no more.", "A class has at most two hours of it.",
		"A class never exceeds two hours.", "No more than two hours are spent on it.",
		"Classes have up to two hours of it.", "They have two hours or less.", "More than two hours cannot be claimed."},
		[]string{"A class has at least two hours of it.", "Each class spends more than two hours on it.",
			"No class has less than two hours.", "Less than two hours cannot be claimed.", "A class may spend two hours or more on it."}},
	{[]string{"Winding is forbidden unless the conservator of the lender is there.",
		"Winding is possible only with the conservator of the lender.",
		"Nobody may wind it without the lender's conservator.",
		"Without the lender's conservator nothing may be wound.",
		"Winding is not allowed, except by the conservator of the lender.",
		"Only the lender's conservator may wind it.", "None but the lender's conservator may wind it.", "No one but the lender's conservator may wind it."},
		[]string{"Staff may wind it without the lender's conservator.",
			"Winding is allowed unless the conservator of the lender is there."}},
	{[]string{"Spraying stops when the wind is above 4 m/s.", "Spraying is allowed only below 4 m/s.",
		"No spraying above 4 m/s.", "Spraying is allowed unless the wind exceeds 4 m/s."},
		[]string{"Spraying is allowed only when the wind is above 4 m/s.", "Spraying stops below 4 m/s.",
			"No spraying unless the wind is above 4 m/s."}},
	{[]string{"The office answered only on the third call.", "It answered not before the third call."}, nil},
	{[]string{"The letter was answered only on 29 May.", "The letter had to wait until 29 May.",
		"The letter waited until 29 May for an answer."}, nil},
	{[]string{"Treat only if a trap has taken more than fifty moths.",
		"Do not treat unless more than 50 moths were taken."},
		[]string{"Treat only if no trap has taken more than 50 moths."}},
}

func TestConditions(t *testing.T) {
	compare := func(a, b string) (bool, string) {
		return ExtractText(a, "").CompareConditions(ExtractText(b, ""))
	}
	for _, c := range boundStatements {
		for i, a := range c.same {
			for _, b := range c.same[i+1:] {
				if _, why := compare(a, b); why != "" || !holds(a, b) {
					t.Errorf("%q and %q are not the same: %q", a, b, why)
				}
			}
			for _, b := range c.opposite {
				if same, why := compare(a, b); same || why == "" {
					t.Errorf("%q is not the opposite of %q", a, b)
				}
			}
		}
	}
}

// holds reports whether two statements have a condition in common.
func holds(a, b string) bool {
	for _, x := range readConditions(a) {
		for _, y := range readConditions(b) {
			if x.sameAs(&y) && x.sign == y.sign {
				return true
			}
		}
	}
	return false
}

func TestConditionsApart(t *testing.T) {
	for _, c := range [][2]string{
		{"The hall opens after 08:00.", "The hall closes before 18:00."},
		{"No class is taught before noon, and the hall is open only after 20:00.", "The hall opens at 20:00."},
		{"The mat had no power from 11:02 to 11:19.", "The mat was dead from 11:02 to 11:19."},
		{"The water had run out before 13:00.", "They had no water left before 13:00."},
		{"The lock releases after 180 seconds.", "The lock releases after 180 seconds without a key."},
	} {
		if _, why := ExtractText(c[0], "").CompareConditions(ExtractText(c[1], "")); why != "" {
			t.Errorf("%q and %q differ: %s", c[0], c[1], why)
		}
	}
}
