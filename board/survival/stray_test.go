package survival

import (
	"testing"

	"blackboard/board/documents"
)

// TestStray: a report that has another figure, or somebody else, in the place of an item's own contradicts it, if neither the
// item's is near nor the other one is what another finding says.
func TestStray(t *testing.T) {
	const visited = "The museum has 41,300 catalogued objects, of which 2,870 are on display."
	const objection = "Ruth Hale objects that no restore test of the archive was done in the first quarter."
	for _, c := range []struct {
		what, item, report string
		others             []string
		cause              string
	}{
		{"another figure in the next sentence", visited,
			"Altogether 41,300 objects have been catalogued. Visitors can see 8,270 of those in the galleries.", nil, MissContradicted},
		{"it is what another finding says", visited,
			"Altogether 41,300 objects have been catalogued. The store holds 8,270 of those that wait for repair.",
			[]string{"8,270 objects wait in the store for repair."}, ""},
		{"it follows from both", visited,
			"Altogether 41,300 objects have been catalogued. Visitors cannot see 38,430 of those.", nil, ""},
		{"the item's stands elsewhere", visited,
			"Altogether 41,300 objects have been catalogued. Of the 9,500 on loan few come back.\n\nOn display are 2,870.", nil, ""},
		{"somebody else", objection, "Sam Whitlock objects that no restore test of the archive was done in the first quarter.", nil,
			MissContradicted},
		{"who did it", "Brandauer herself signed the acceptance of the weak rule for passwords on 2 September.",
			"# Notes\n\nIda Brandauer leads the office, Jon Osei the operations.\n\n# Rules\n\n" +
				"The acceptance of the weak rule for passwords was signed by Jon Osei on 2 September.", nil, MissContradicted},
		{"who did it stands beside it", "Ruth Hale signed the acceptance of the weak rule for passwords.",
			"The acceptance of the weak rule for passwords was signed by Jon Osei. So did Ruth Hale.", nil, ""},
		{"another source says otherwise", "The sellers warrant in the draft that the company has no borrowings.",
			"The sellers warrant in the draft that the company has no borrowings. The bank's letter contradicts this.", nil, ""},
		{"a surname is enough", "Mara Fuchs approved the release on Monday.",
			"Fuchs approved the release on Monday, as Olaf Brandt had asked.", nil, ""},
		{"it could have been", "The change was undone at 14:48, since a column was gone; it could only have been made again.",
			"The change was undone at 14:48, since a column was gone.", nil, ""},
		{"another day beside a year", "In the list of 2024 the open folder is marked as closed on 18 November 2024.",
			"The list of 2024 has the open folder as closed on 8 November 2024. Months later a scan found it.", nil, MissNumber},
		{"under another name", objection,
			"Ruth Hale is the auditor. She objects, as Sam Whitlock says, that no restore test of the archive was done in the first quarter.",
			nil, ""},
	} {
		others := func() []string { return c.others }
		r := CheckAmong(others, []Item{{ID: "e1", Why: WhyMustSurface, Content: c.item}}, documents.New("r.md", c.report)).Items[0]
		if r.Cause != c.cause {
			t.Errorf("%s: %q %v %q", c.what, r.Cause, r.Unsure, r.Reasons)
		}
	}
}

// TestSiblings: the passage of one item is not that of its sibling, which shares most of its words, and
// a key is nothing critical.
func TestSiblings(t *testing.T) {
	export, load := "The export runs for 40 minutes on the Leeds server", "The import runs for 40 minutes on the York server"
	report := documents.New("r.md", "# Report\n\n"+export+".\n\nThe outage of the gateway was a matter of a key.\n")
	for i, want := range []string{"present", "missing", "unsure"} {
		r := Check([]Item{{ID: "e1", Why: WhyMustSurface, Content: export}, {ID: "e2", Why: WhyMustSurface, Content: load},
			{ID: "e3", Why: WhyMustSurface, Content: "The outage of the gateway was critical"}}, report).Items[i]
		got := "missing"
		switch {
		case r.Unsure:
			got = "unsure"
		case r.Present:
			got = "present"
		}
		if got != want {
			t.Errorf("%s is %s, want %s: %+v", r.ID, got, want, r)
		}
	}
}
