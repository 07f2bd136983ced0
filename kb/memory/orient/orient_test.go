package orient

import (
	"strings"
	"testing"
	"time"
)

// TestInline: a text stays within its line and its quotes, whatever it contains.
func TestInline(t *testing.T) {
	for in, want := range map[string]string{
		"two\nlines\u2028three": "two lines three", "a “quote” ends": `a "quote" ends`,
		"un\u200bseen \u202eturned": "unseen turned", strings.Repeat("x", 50): "xxxxxxxxx…",
	} {
		n := 100
		if strings.HasSuffix(want, "…") {
			n = 10
		}
		if got := Inline(in, n); got != want {
			t.Errorf("%q: %q instead of %q", in, got, want)
		}
	}
	if Age(90*time.Minute) != "1 hour ago" || ShortAge(90*time.Minute) != "1h" {
		t.Error(Age(90*time.Minute), ShortAge(90*time.Minute))
	}
}

// TestFit: the first section does not take what the others need, and a line that is too
// long makes way for the next section.
func TestFit(t *testing.T) {
	section := func(heading string, n, bytes int) *Section {
		s := &Section{Heading: heading}
		for range n {
			s.IDs = append(s.IDs, heading)
			s.Lines = append(s.Lines, strings.Repeat("x", bytes-1)+"\n")
		}
		return s
	}
	first, long, last := section("first", 20, 100), section("long", 2, 4000), section("last", 2, 40)
	all := []*Section{first, long, last}
	const room = 400
	Fit(all, room)
	if first.Kept == 0 || first.Kept == 20 || long.Kept != 0 || last.Kept != 2 {
		t.Error(first.Kept, long.Kept, last.Kept)
	}
	var items, own strings.Builder
	ids, left := Write(all, &items, &own)
	if len(ids) != first.Kept+2 || left != 24-len(ids) || own.Len() > 0 ||
		!strings.HasPrefix(items.String(), "# From memory: candidates") {
		t.Errorf("%q, %d left out:\n%s", ids, left, items.String())
	}
	bare := &Section{Heading: "bare", Lines: []string{"a line\n"}, Kept: 1}
	if ids, left := Write([]*Section{bare}, &own, &own); len(ids)+left > 0 || !strings.HasSuffix(own.String(), "bare\na line\n") {
		t.Errorf("lines without ids: %q, %d left out: %q", ids, left, own.String())
	}
	if got := Tokens(items.String()); got > room || Demand(all) <= room {
		t.Errorf("%d tokens of %d; all would need %d", got, room, Demand(all))
	}
}

// TestWriteEntries: an entry that is too long is cut, and says where the rest is.
func TestWriteEntries(t *testing.T) {
	entries := []Entry{{Name: "SOUL", Body: strings.Repeat("a line of it\n", 60), More: "the rest"},
		{Name: "RULES", Body: "be brief", More: "the rest"}}
	var b strings.Builder
	written, degraded := WriteEntries(&b, entries, 120)
	if got := b.String(); len(written) != 2 || len(degraded) != 1 || Tokens(got) > 120 ||
		!strings.Contains(got, "… the rest\n") || !strings.Contains(got, "# RULES\n\nbe brief\n") {
		t.Errorf("%v %q:\n%s", written, degraded, got)
	}
}
