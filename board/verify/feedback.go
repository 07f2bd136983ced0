package verify

import (
	"cmp"
	"fmt"
)

// Feedback is what is said of a finding when it is posted, in one line, or two where the
// quote is not as its source has it. Lines of others are quoted in it.
func (i *ItemResult) Feedback() string {
	what, place := "quote", i.SourceDoc
	if i.Evidence == "" {
		what = "figures"
	}
	if i.Passage != nil {
		place += ", " + i.Passage.Where
	}
	note := ""
	if i.Note != "" {
		note = ": " + i.Note
	}
	switch {
	case Sound(i.Verdict):
		return what + " ✓ " + place + note
	case i.Verdict == NothingToCheck:
		return "no quote: nothing was compared"
	case !i.Doubted && i.Verdict != ValueMissing, i.Verdict == Unreadable:
		return "not checked: " + cmp.Or(i.Note, i.Verdict)
	case i.Verdict == Unknown, i.Verdict == Unregistered, i.Verdict == Ambiguous:
		return "source ✗ " + cmp.Or(i.Note, i.Verdict)
	case i.Passage == nil:
		return what + " ✗ " + i.SourceDoc + cmp.Or(note, ": "+i.Verdict)
	}
	return fmt.Sprintf("%s ✗ %s%s\nnearest, %s: “%s”", what, i.SourceDoc, note, i.Passage.Where,
		i.Passage.Text)
}
