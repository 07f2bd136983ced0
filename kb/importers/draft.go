package importers

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"blackboard/board/text"
	"blackboard/kb"
	"blackboard/kb/markdown"
)

// importDraft is a capsule in the making. What fits no field ends the body, as a line.
type importDraft struct {
	kb.Capsule
	tail  []string
	kept  []string // keys of the tail
	notes []string
}

func (d *importDraft) note(format string, args ...any) {
	d.notes = append(d.notes, asUTF8(fmt.Sprintf(format, args...)))
}

// keep puts what fits nowhere else at the body's end.
func (d *importDraft) keep(key, value string) {
	if value = strings.TrimSpace(value); value == "" {
		return
	}
	key = inOneLine(key)
	d.tail = append(d.tail, key+": "+strings.ReplaceAll(value, "\n", "\n  "))
	if key = clip(key, 60); !slices.Contains(d.kept, key) {
		d.kept = append(d.kept, key)
	}
}

// setTitle makes a title of any text: a long one is cut at a word, and kept whole in the tail.
func (d *importDraft) setTitle(s string) {
	s = strings.TrimSpace(s)
	if strings.ContainsFunc(s, unicode.IsControl) {
		s = inOneLine(s)
		d.note("line breaks and control characters in the title were replaced by spaces")
	}
	if len(s) <= kb.MaxTitle {
		d.Title = s
		return
	}
	d.keep("title", s)
	d.note("the title has %d bytes and was cut to %d", len(s), kb.MaxTitle)
	d.Title = text.ClipWords(s, kb.MaxTitle)
}

// tag adds tags. One with commas is several.
func (d *importDraft) tag(tags ...string) {
	for _, t := range tags {
		for _, t := range strings.FieldsFunc(t, func(r rune) bool {
			return r == ',' ||
				r == '\n'
		}) {
			if t = strings.TrimSpace(t); t == "" || slices.Contains(d.Tags, t) {
				continue
			}
			if len(t) > kb.MaxTag || len(d.Tags) == kb.MaxTags {
				d.keep("tag", t)
				continue
			}
			d.Tags = append(d.Tags, t)
		}
	}
}

func (d *importDraft) ref(s string) {
	switch s = strings.TrimSpace(s); {
	case s == "" || slices.Contains(d.Refs, s):
	case len(s) > kb.MaxField:
		d.keep("ref", s)
	default:
		d.Refs = append(d.Refs, s)
	}
}

// finish returns the capsule, with the tail at the end of its body, and the notes.
func (d *importDraft) finish() (kb.Capsule, []string) {
	c := d.Capsule
	if len(d.tail) > 0 {
		c.Body = strings.TrimSpace(strings.TrimRightFunc(c.Body, unicode.IsSpace) + "\n\n" +
			strings.Join(d.tail, "\n"))
		d.note("appended to the body: %s", strings.Join(d.kept, ", "))
	}
	return c, d.notes
}

// kindNamed returns a word of another program in the form of our kinds, and whether it is one.
func kindNamed(word string) (string, bool) {
	word = strings.NewReplacer("-", "_", " ",
		"_").Replace(strings.ToLower(strings.TrimSpace(word)))
	if word == "antipattern" {
		word = "anti_pattern"
	}
	return word, slices.Contains(kb.Kinds, word)
}

// parseTime reads a time as kb.Stamp has it, and reports whether it can be stored.
func parseTime(s string) (time.Time, bool) {
	t, ok := markdown.ParseTime(s)
	return kb.Stamp(t), ok && canStoreTime(t)
}

// canStoreTime reports whether a time can be written as JSON and kept as milliseconds.
func canStoreTime(t time.Time) bool {
	year := t.UTC().Year()
	return year >= 1 && year <= 9999
}
