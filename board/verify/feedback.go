package verify

import (
	"cmp"
	"fmt"
)

// Feedback is what is said of a source of a finding that is posted: one line, or two where the
// quote is not as it has it. Lines of others are quoted in it.
func (p *Part) Feedback() string {
	what, place := "quote", p.SourceDoc
	if p.Evidence == "" {
		what = "figures"
	}
	if p.Passage != nil {
		place = At(place, p.Passage.Where)
	}
	note := ""
	if p.Note != "" {
		note = ": " + p.Note
	}
	if p.OtherLanguage {
		note += " (" + NotEnglish + ")"
	}
	switch {
	case Sound(p.Verdict):
		return what + " ✓ " + place + note
	case p.Verdict == NothingToCheck:
		return "no quote: nothing was compared"
	case p.Verdict == ValueMissing, p.Verdict == Unsure:
		return what + " ? " + place + note
	case !Doubted(p.Verdict):
		return "not checked: " + cmp.Or(p.Note, p.Verdict)
	case p.Verdict == Unknown, p.Verdict == Unregistered, p.Verdict == Ambiguous:
		return "source ✗ " + cmp.Or(p.Note, p.Verdict)
	case p.Passage == nil:
		return what + " ✗ " + p.SourceDoc + cmp.Or(note, ": "+p.Verdict)
	}
	return fmt.Sprintf("%s ✗ %s%s\nnearest, %s: “%s”", what, p.SourceDoc, note,
		At(p.SourceDoc, p.Passage.Where), p.Passage.Text)
}
