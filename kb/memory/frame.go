package memory

import (
	"fmt"
	"strings"
	"time"
)

// Line puts an item into a document, on one line with its end: what was noted, within quotes,
// after its id, its age, and who noted it if that is not the reader.
func (h *Hit) Line(now time.Time, reader string) string { return h.line(now, reader, frameContent) }

// line is Line with at most n characters of what was noted.
func (h *Hit) line(now time.Time, reader string, n int) string {
	s := "- " + h.ID + " " + shortAge(now.Sub(h.Created))
	switch {
	case h.Curator == CuratorAuthor:
		s += " by the author"
	case h.Source != "" && h.Source != reader:
		s += " by " + inline(h.Source, 30)
	}
	text := h.Content
	if h.Title != "" {
		text = h.Title + ": " + text
	}
	s += " “" + inline(text, n) + "”"
	if h.DerivedFrom != "" { // where to check it
		s += " (from “" + inline(h.DerivedFrom, 120) + "”"
		if h.Derived != "" {
			s += ", " + inline(h.Derived, 120)
		}
		s += ")"
	}
	return s + "\n"
}

// shortAge is an age in few characters.
func shortAge(d time.Duration) string {
	switch day := 24 * time.Hour; {
	case d < time.Hour:
		return fmt.Sprintf("%dmin", max(0, int(d/time.Minute)))
	case d < day:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d < 730*day:
		return fmt.Sprintf("%dd", d/day)
	default:
		return fmt.Sprintf("%dy", d/(365*day))
	}
}

// frame puts an item to a reader as what it is: something that somebody noted once. What was noted stays on its line and within its quotes, whatever is in it.
func (h *Hit) frame(now time.Time) string {
	by := map[string]string{CuratorAgent: "noted by an agent", CuratorAuthor: "noted by the author", CuratorImport: "imported"}[h.Curator]
	if h.Source != "" && h.Source != h.Curator {
		by += " (“" + inline(h.Source, 60) + "”)"
	}
	where := h.Tier
	if h.Tier == Channel {
		where += " " + h.Channel
	}
	if h.Agent != "" {
		where += ", private"
	}
	text := h.Content
	if h.Title != "" {
		text = h.Title + ": " + text
	}
	s := fmt.Sprintf("%s %s, %s, importance %s: “%s”", by, age(now.Sub(h.Created)), where, Level(h.Importance), inline(text, frameContent))
	if h.DerivedFrom != "" {
		s += " — derived from “" + inline(h.DerivedFrom, 120) + "”"
		if h.Derived != "" {
			s += " (" + inline(h.Derived, 120) + ")"
		}
	}
	return s
}

// inline makes one line of a text, of at most n characters, that cannot end the quotes that it stands in.
func inline(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '“' || r == '”':
			return '"'
		case r == 0x200b || r == 0x2060 || r == 0xfeff || r >= 0xe0000 && r <= 0xe0fff: // nobody sees them
			return -1
		case r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r >= 0x80 && r < 0xa0:
			return ' '
		}
		return r
	}, s)
	return clip(strings.Join(strings.Fields(s), " "), n)
}

// age says how long ago something was.
func age(d time.Duration) string {
	ago := func(n int, unit string) string {
		if n == 1 {
			return "1 " + unit + " ago"
		}
		return fmt.Sprintf("%d %ss ago", n, unit)
	}
	switch day := 24 * time.Hour; {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return ago(int(d/time.Minute), "minute")
	case d < day:
		return ago(int(d/time.Hour), "hour")
	case d < 60*day:
		return ago(int(d/day), "day")
	case d < 730*day:
		return ago(int(d/(30*day)), "month")
	default:
		return ago(int(d/(365*day)), "year")
	}
}
