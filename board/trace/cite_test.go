package trace

import (
	"testing"

	"blackboard/board/documents"
	"blackboard/testdata/expect"
)

// A report cites places as posts do. What exists is supported; a line behind the end, another page
// and a file that nobody knows are not.
func TestCitations(t *testing.T) {
	source := documents.New("docs/auth.go", "package auth\n\n// Keys rotate.\nvar Expiry = never\n")
	call := documents.New("call.txt", "[00:17:31] Smith: keys rotate\n00:18:02 --> 00:18:05\nyes\n")
	sources := func(read func(*documents.Document) error) error {
		for _, d := range []*documents.Document{source, call} {
			if err := read(d); err != nil {
				return err
			}
		}
		return nil
	}
	board := func(read func(Record) error) error {
		return read(Record{ID: "e1", Text: "e1 observation, ann\n\nThe vault seals itself\n\n\n\nsrc/vault.go", Ref: "7",
			Cites: [][2]string{{"src/vault.go", "7"}, {"plan.xlsx", "Totals!B7"}}})
	}
	for cited, want := range map[string]string{
		"auth.go:3":             Supported,
		"docs/auth.go:3":        Supported,
		"`auth.go:4`":           Supported,
		"auth.go:2-4":           Supported,
		"auth.go:L2-L4":         Supported,
		"auth.go @ line 3":      Supported,
		"auth.go:44":            Unsupported,
		"auth.go:3-44":          Unsupported,
		"auth.go @ page 1":      Unsupported,
		"lib/auth.go:3":         Unsupported,
		"oauth.go:3":            Unsupported,
		"call.txt @ 00:17:31":   Supported,
		"call.txt @ 00:18:05":   Supported,
		"call.txt @ 00:17:3":    Unsupported,
		"call.txt @ 00:19:00":   Unsupported,
		"vault.go:7":            Supported, // as e1 does
		"src/vault.go:7":        Supported,
		"vault.go:8":            Unsupported,
		"src/vault.go @ page 9": Unsupported, // though e1 names the file
		"plan.xlsx @ Totals!B7": Supported,
		"plan.xlsx @ Totals!B8": Unsupported,
	} {
		r := expect.Value(Check(board, sources, documents.New("report.md", "The vault seals itself ("+cited+").\n")))(t)
		found := false
		for _, f := range r.Facts {
			if f.Text == cited {
				found = true
				if f.Verdict != want {
					t.Errorf("%s is %s (%s), not %s", cited, f.Verdict, f.Describe(), want)
				}
			}
		}
		if !found {
			t.Errorf("%s is no fact: %+v", cited, r.Facts)
		}
	}
}
