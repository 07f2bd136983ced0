package board

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
		}
	}
}
