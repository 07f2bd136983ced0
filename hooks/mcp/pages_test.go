package mcp

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestQueryPages reads a run in pages as an agent does: by the entry that the end of a
// page names.
func TestQueryPages(t *testing.T) {
	c := connect(t, everything(t, nil), nil)
	for n := range 7 {
		must(t, c, "board_post", fmt.Sprintf(`{"content":"finding %d"}`, n))
	}
	heads, more := regexp.MustCompile(`(?m)^(e\d+) +observation `),
		regexp.MustCompile(`before: (e\d+) shows the next`)
	var got []string
	for args := `{"limit":3}`; ; {
		page := must(t, c, "board_query", args)
		for _, m := range heads.FindAllStringSubmatch(page, -1) {
			got = append(got, m[1])
		}
		next := more.FindStringSubmatch(page)
		if next == nil {
			break
		}
		args = fmt.Sprintf(`{"limit":3,"before":%q}`, next[1])
	}
	if want := []string{"e7", "e6", "e5", "e4", "e3", "e2", "e1"}; !slices.Equal(got, want) {
		t.Errorf("the pages have %v, want %v", got, want)
	}
	if text := must(t, c, "board_query",
		`{"limit":3,"order":"oldest","before":"e6"}`); !strings.HasPrefix(text, "e1 ") ||
		!strings.HasSuffix(text, "since: 4 shows the next") {
		t.Error(text)
	}
	refused(t, c, "board_query", `{"before":"e8"}`, "there is no entry e8")
	refused(t, c, "board_query", `{"before":"s1"}`, "s1 is a question")
	refused(t, c, "board_query", `{"before":"e2","match":"finding","order":"best"}`,
		"the order best has no page before e2")
}
