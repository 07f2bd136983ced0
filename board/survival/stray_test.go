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
