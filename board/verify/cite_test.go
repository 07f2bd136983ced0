package verify

import "testing"

func TestSplitSource(t *testing.T) {
	for source, want := range map[string][2]string{
		"auth.go:42":                  {"auth.go", "42"},
		"auth.go:42-50":               {"auth.go", "42-50"},
		"src/auth.go:L42":             {"src/auth.go", "42"},
		`C:\src\auth.go:7`:            {`C:\src\auth.go`, "7"},
		"call.txt @ 00:17:31":         {"call.txt", "00:17:31"},
		"MSA.pdf @ page 3, para. 2":   {"MSA.pdf", "page 3, para. 2"},
		"call.txt:00:17:31":           {"call.txt:00:17:31", ""},
		"00:17:31":                    {"00:17:31", ""},
		"http://127.0.0.1:8765":       {"http://127.0.0.1:8765", ""},
		"https://a.example/b.html:12": {"https://a.example/b.html", "12"},
		"kb:k8qgw6deyg":               {"kb:k8qgw6deyg", ""},
		"go test ./... @ exit 0":      {"go test ./...", "exit 0"},
		"report.pdf":                  {"report.pdf", ""},
		"auth.go:":                    {"auth.go:", ""},
		"auth.go:0":                   {"auth.go:0", ""},
		"auth.go:verify":              {"auth.go:verify", ""},
		" @ ":                         {" @ ", ""},
		"":                            {"", ""},
	} {
		if doc, place := SplitSource(source); [2]string{doc, place} != want {
			t.Errorf("%q: %q, %q", source, doc, place)
		} else if d, p := SplitSource(At(doc, place)); d != doc || p != place {
			t.Errorf("%q is cited as %q, which is %q, %q", source, At(doc, place), d, p)
		}
	}
}

func TestAt(t *testing.T) {
	for want, c := range map[string]Cited{
		"auth.go:42":              {SourceDoc: "auth.go", SourceRef: "line 42"},
		"auth.go:42-50":           {SourceDoc: "auth.go", SourceRef: "42-50"},
		"call.txt @ 00:17:31":     {SourceDoc: "call.txt", SourceRef: "00:17:31"},
		"MSA.pdf @ page 3":        {SourceDoc: "MSA.pdf", SourceRef: "page 3"},
		"plan.xlsx @ Totals!B7":   {SourceDoc: "plan.xlsx", SourceRef: "Totals!B7"},
		"http://127.0.0.1:1 @ 42": {SourceDoc: "http://127.0.0.1:1", SourceRef: "42"},
		"http://localhost @ 42":   {SourceDoc: "http://localhost", SourceRef: "42"},
		"go test @ exit 0":        {SourceDoc: "go test", SourceRef: "exit 0"},
		"notes.md":                {SourceDoc: "notes.md"},
		"page 3":                  {SourceRef: "page 3"},
	} {
		if got := c.String(); got != want {
			t.Errorf("%q @ %q is cited as %q, not %q", c.SourceDoc, c.SourceRef, got, want)
		}
	}
}
