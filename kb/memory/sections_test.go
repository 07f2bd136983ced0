package memory

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
		if got := inline(in, n); got != want {
			t.Errorf("%q: %q instead of %q", in, got, want)
		}
	}
	if ageInWords(90*time.Minute) != "1 hour ago" || shortAge(90*time.Minute) != "1h" {
		t.Error(ageInWords(90*time.Minute), shortAge(90*time.Minute))
	}
}

// TestFit: the first section does not take what the others need, and a line that is too
// long makes way for the next section.
func TestFit(t *testing.T) {
	section := func(heading string, n, bytes int) *docSection {
		s := &docSection{Heading: heading}
		for range n {
			s.IDs = append(s.IDs, heading)
			s.Lines = append(s.Lines, strings.Repeat("x", bytes-1)+"\n")
		}
		return s
	}
	first, long, last := section("first", 20, 100), section("long", 2, 4000), section("last", 2, 40)
	all := []*docSection{first, long, last}
	const room = 400
	fitSections(all, room)
	if first.Kept == 0 || first.Kept == 20 || long.Kept != 0 || last.Kept != 2 {
		t.Error(first.Kept, long.Kept, last.Kept)
	}
	var items, own strings.Builder
	ids, left := writeSections(all, &items, &own)
	if len(ids) != first.Kept+2 || left != 24-len(ids) || own.Len() > 0 ||
		!strings.HasPrefix(items.String(), "# From memory: candidates") {
		t.Errorf("%q, %d left out:\n%s", ids, left, items.String())
	}
	bare := &docSection{Heading: "bare", Lines: []string{"a line\n"}, Kept: 1}
	if ids, left := writeSections([]*docSection{bare}, &own, &own); len(ids)+left > 0 || !strings.HasSuffix(own.String(), "bare\na line\n") {
		t.Errorf("lines without ids: %q, %d left out: %q", ids, left, own.String())
	}
	if got := tokensOf(items.String()); got > room || tokensOfAll(all) <= room {
		t.Errorf("%d tokens of %d; all would need %d", got, room, tokensOfAll(all))
	}
}

// TestWriteEntries: an entry that is too long is cut, and says where the rest is.
func TestWriteEntries(t *testing.T) {
	entries := []docEntry{{Name: "SOUL", Body: strings.Repeat("a line of it\n", 60), More: "the rest"},
		{Name: "RULES", Body: "be brief", More: "the rest"}}
	var b strings.Builder
	written, degraded := writeDocEntries(&b, entries, 120)
	if got := b.String(); len(written) != 2 || len(degraded) != 1 || tokensOf(got) > 120 ||
		!strings.Contains(got, "… the rest\n") || !strings.Contains(got, "# RULES\n\nbe brief\n") {
		t.Errorf("%v %q:\n%s", written, degraded, got)
	}
}
