package memory

import (
	"fmt"
	"strings"
	"time"

	"blackboard/board/fault"
)

// The document that a turn begins with is laid out here within a budget, as orient.go chose.

type docSection struct {
	Heading string
	Lines   []string
	IDs     []string // id of each line; nil: they have none
	Own     bool     // it belongs to the agent, and follows the items
	Kept    int      // how many lines fitSections has kept
	More    string   // where the lines are that it has not kept; "": it does not say
	// Shorten formats a line with at most n characters of text; nil: long lines are skipped.
	Shorten func(i, n int) string
}

// leastContent is the fewest characters of an item that Shorten is asked for.
const leastContent = 60

// intro precedes the items, ownIntro an agent's own notes.
const (
	intro    = "# From memory: candidates, not facts\n"
	ownIntro = "# Your own notes\n"
)

func tokensOfAll(sections []*docSection) (n int) {
	for _, sec := range sections {
		if len(sec.Lines) > 0 {
			n += sec.cost(0)
			for _, l := range sec.Lines[1:] {
				n += tokensOf(l)
			}
		}
	}
	return n + 2*tokensOf(intro)
}

// cost returns the tokens of a line, and of the heading for the first line.
func (sec *docSection) cost(i int) int {
	n := tokensOf(sec.Lines[i])
	if i == 0 {
		n += tokensOf(sec.Heading) + 1
	}
	return n
}

// fitSections decides how many lines of each section to keep. The first round takes
// lines in order of sections, and leaves the later sections a share. The second round,
// in the same order, fills the room that is left.
//
// A line that is too long makes way for the next section, but not for later lines of its
// own section. Critical items make way only for the first of the agent's own notes, and
// are shortened before that.
func fitSections(sections []*docSection, room int) {
	began := map[bool]bool{}
	take := func(sec *docSection, most int) bool {
		if sec.Kept == len(sec.Lines) {
			return false
		}
		cost := sec.cost(sec.Kept)
		if !began[sec.Own] {
			cost += tokensOf(intro) + 2
		}
		if cost > most {
			return false
		}
		began[sec.Own] = true
		room -= cost
		sec.Kept++
		return true
	}
	for _, sec := range sections { // it may have to say how many more there are
		if sec.More != "" && len(sec.Lines) > 0 {
			room -= tokensOf(sec.rest())
		}
	}
	for i, sec := range sections {
		// number of later sections with lines, and tokens of the first own notes
		after, own := 0, 0
		for _, o := range sections[i+1:] {
			if len(o.Lines) > 0 {
				after++
				if o.Own {
					own += o.cost(0)
				}
			}
		}
		keep := room * min(after, 4) / 10
		if sec.Shorten != nil {
			if keep = 0; own > 0 {
				keep = min(own+tokensOf(intro)+2, room/4)
			}
		}
		for take(sec, room-keep) {
		}
		for n := maxContent * 3 / 4; sec.Shorten != nil && sec.Kept < len(sec.Lines) &&
			n >= leastContent; n -= 20 {
			whole := sec.Lines[sec.Kept]
			if sec.Lines[sec.Kept] = sec.Shorten(sec.Kept, n); take(sec, room-keep) {
				break
			}
			sec.Lines[sec.Kept] = whole
		}
	}
	for _, sec := range sections {
		for take(sec, room) {
		}
	}
}

// writeSections writes kept lines below headings, and returns ids and how many are left out.
func writeSections(sections []*docSection, items, own *strings.Builder) (ids []string, leftOut int) {
	began := map[bool]bool{}
	for _, sec := range sections {
		leftOut += len(sec.Lines) - sec.Kept
		if sec.Kept == 0 {
			continue
		}
		b, head := items, intro
		if sec.Own {
			b, head = own, ownIntro
		}
		if !began[sec.Own] {
			began[sec.Own] = true
			b.WriteString(sep(b) + head)
		}
		ids = append(ids, sec.IDs[:min(sec.Kept, len(sec.IDs))]...)
		b.WriteString("\n" + sec.Heading + "\n")
		for _, l := range sec.Lines[:sec.Kept] {
			b.WriteString(l)
		}
		if sec.More != "" && sec.Kept < len(sec.Lines) {
			b.WriteString(sec.rest())
		}
	}
	return ids, leftOut
}

func (sec *docSection) rest() string {
	return fmt.Sprintf("- and %d more (%s)\n", len(sec.Lines)-sec.Kept, sec.More)
}

func sep(b *strings.Builder) string {
	if b.Len() == 0 {
		return ""
	}
	return "\n"
}

const maxContent = 400

// tokensOf estimates the tokens of a text: 4 bytes each, as in English text.
func tokensOf(s string) int { return (len(s) + 3) / 4 }

// inline puts a text on one line of at most n characters that cannot end its quotes.
func inline(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '“' || r == '”':
			return '"'
		// invisible characters
		case r == 0x200b || r == 0x2060 || r == 0xfeff || r >= 0xe0000 && r <= 0xe0fff:
			return -1
		case r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 || r >= 0x202a && r <= 0x202e ||
			r >= 0x2066 && r <= 0x2069 || r >= 0x80 && r < 0xa0:
			return ' '
		}
		return r
	}, s)
	return fault.Clip(strings.Join(strings.Fields(s), " "), n)
}

func ageInWords(d time.Duration) string {
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

type docEntry struct {
	Name string
	Body string
	More string // what follows a cut body: where the rest is
}

func (e *docEntry) tokens() int { return tokensOf("# " + e.Name + "\n\n" + e.Body + "\n") }

// writeDocEntries writes entries, whole while there is room, and returns which, and what it cut.
func writeDocEntries(b *strings.Builder, entries []docEntry, limit int) (
	written []int, degraded []string) {
	for i, e := range entries {
		head := fmt.Sprintf("%s# %s\n\n", sep(b), e.Name)
		more := "\n… " + e.More + "\n"
		after := 0 // what the following entries need, or a fair share for each
		for _, o := range entries[i+1:] {
			after += min(tokensOf("\n# "+o.Name+"\n\n"+o.Body+"\n"), limit/len(entries))
		}
		room := 4*(limit-tokensOf(b.String())-1-after) - len(head)
		body := e.Body + "\n"
		if len(body) > room {
			if room -= len(more); room < 0 {
				b.WriteString(sep(b) + "# " + e.Name + ": no room; " + e.More + "\n")
				degraded = append(degraded,
					"the budget has no room for the named entry "+e.Name)
				continue
			}
			cut := strings.ToValidUTF8(body[:room], "")
			if at := strings.LastIndexByte(cut, '\n'); at > len(cut)/2 {
				cut = cut[:at]
			}
			body = strings.TrimRight(cut, "\n") + more
			degraded = append(degraded,
				fmt.Sprintf("the named entry %s is cut to fit the budget", e.Name))
		}
		b.WriteString(head + body)
		written = append(written, i)
	}
	return written, degraded
}
