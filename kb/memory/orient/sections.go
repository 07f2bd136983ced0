package orient

import (
	"fmt"
	"strings"
)

// Section is a part of a document: lines below a heading.
type Section struct {
	Heading string
	Lines   []string
	IDs     []string // id of each line; nil if nobody asks for them
	Own     bool     // it belongs to the agent, and follows the items
	Kept    int      // how many lines Fit has kept
	More    string   // where those are that it has not kept; "": nobody says so
	// Shorten formats a line again with at most n characters of its text; nil: long
	// lines are skipped instead.
	Shorten func(i, n int) string
}

// leastContent is the fewest characters of an item that Shorten is asked for.
const leastContent = 60

// intro precedes the items, ownIntro an agent's own notes.
const (
	intro    = "# From memory: candidates, not facts\n"
	ownIntro = "# Your own notes\n"
)

// Demand returns the tokens of all lines of all sections.
func Demand(sections []*Section) (n int) {
	for _, sec := range sections {
		if len(sec.Lines) > 0 {
			n += sec.cost(0)
			for _, l := range sec.Lines[1:] {
				n += Tokens(l)
			}
		}
	}
	return n + 2*Tokens(intro)
}

// cost returns the tokens of a line, and of the heading for the first line.
func (sec *Section) cost(i int) int {
	n := Tokens(sec.Lines[i])
	if i == 0 {
		n += Tokens(sec.Heading) + 1
	}
	return n
}

// Fit decides how many lines of each section to keep. The first round takes
// lines in order of sections, and leaves the later sections a share. The second round,
// in the same order, fills the room that is left.
//
// A line that is too long makes way for the next section, but not for later lines of its
// own section. Critical items make way only for the first of the agent's own notes, and
// are shortened before that.
func Fit(sections []*Section, room int) {
	began := map[bool]bool{}
	take := func(sec *Section, most int) bool {
		if sec.Kept == len(sec.Lines) {
			return false
		}
		cost := sec.cost(sec.Kept)
		if !began[sec.Own] {
			cost += Tokens(intro) + 2
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
			room -= Tokens(sec.rest())
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
				keep = min(own+Tokens(intro)+2, room/4)
			}
		}
		for take(sec, room-keep) {
		}
		for n := Content * 3 / 4; sec.Shorten != nil && sec.Kept < len(sec.Lines) &&
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

// Write writes the kept lines below their headings, those of the agent's own sections to
// own. It returns the ids of these lines, and how many lines were left out.
func Write(sections []*Section, items, own *strings.Builder) (ids []string, leftOut int) {
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
		ids = append(ids, sec.IDs[:sec.Kept]...)
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

// rest says how many lines were not kept, and where they are.
func (sec *Section) rest() string {
	return fmt.Sprintf("- and %d more (%s)\n", len(sec.Lines)-sec.Kept, sec.More)
}

func sep(b *strings.Builder) string {
	if b.Len() == 0 {
		return ""
	}
	return "\n"
}
