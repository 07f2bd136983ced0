package verify

import (
	"cmp"
	"slices"
	"strings"

	"blackboard/board/text"
)

// Cited is one of the sources that a finding rests on.
type Cited struct {
	SourceDoc string `json:"source_doc"`
	SourceRef string `json:"source_ref"`
	Evidence  string `json:"evidence"` // a verbatim quote
}

// String cites it as a post does.
func (c Cited) String() string { return At(c.SourceDoc, c.SourceRef) }

// At is the one way to cite a place of a document, which SplitSource parts again: "auth.go:42", or
// "call.txt @ 00:17:31" where the place is no line.
func At(doc, place string) string {
	if doc == "" || place == "" {
		return doc + place
	}
	line := strings.TrimPrefix(place, "line ")
	if d, l := SplitSource(doc + ":" + line); d == doc && l == line {
		return doc + ":" + line
	}
	return doc + " @ " + place
}

// SplitSource parts one way to cite, FILE:LINE or "DOC @ PLACE", into the document and
// the place in it. What is neither, such as an address with a port, a capsule or a time
// of a transcript, is a document as it stands.
func SplitSource(source string) (doc, place string) {
	if i := strings.LastIndex(source, " @ "); i > 0 {
		return strings.TrimSpace(source[:i]), strings.TrimSpace(source[i+len(" @ "):])
	}
	m := fileLine.FindStringSubmatch(source)
	if m == nil || bareHost.MatchString(m[1]) || clockPart.MatchString(m[1]) {
		return source, ""
	}
	return m[1], strings.ReplaceAll(m[2], "L", "")
}

var (
	fileLine  = text.NewRegexp(`^(.*[^:\s]):(L?[1-9][0-9]*(?:-L?[1-9][0-9]*)?)$`)
	bareHost  = text.NewRegexp(`^[a-zA-Z][a-zA-Z0-9+.-]*://[^/]*$`)
	clockPart = text.NewRegexp(`(?:^|:)[0-9]+$`) // 00:17 of 00:17:31
)

// Part is a source of a finding, and what it has of it.
type Part struct {
	Cited
	Outcome
	Source string `json:"source"` // its registered name, or its path; "" for none
	File   string `json:"file"`   // that was read; "" if the text on the board was
	SHA256 string `json:"sha256"`
}

// at is the finding as it rests on one of its sources.
func (f *Finding) at(nth int) *Finding {
	own, c := *f, f.Sources[nth]
	own.SourceDoc, own.SourceRef, own.Evidence = c.SourceDoc, c.SourceRef, c.Evidence
	return &own
}

// worst are the verdicts of a source that decide a finding with several, the worst first.
var worst = []string{Refuted, Denied, Absent, Joined, Nearly, Ambiguous, Unregistered, Unknown,
	ValueMissing, Unsure, Elsewhere, Supported, Found}

// Together is what several sources have of a finding: each quote must be in its own, so the worst part decides, and its
// note says what the others have. A figure may be in any. What cannot be judged decides nothing, but the note tells.
// From Missing it takes what another part has.
func Together(parts []Part) (decides int, note string) {
	rank := func(p *Part) int {
		if i := slices.Index(worst, p.Verdict); i >= 0 {
			return i
		}
		return len(worst)
	}
	for i := range parts {
		parts[i].takeFrom(parts)
	}
	for i := range parts {
		if rank(&parts[i]) < rank(&parts[decides]) {
			decides = i
		}
	}
	said := []string{}
	for i := range parts {
		p := &parts[(decides+i)%len(parts)] // what decides first
		if say := p.beside(Sound(parts[decides].Verdict)); say != "" {
			said = append(said, oneLine(p.SourceDoc, 60)+say)
		}
	}
	return decides, strings.Join(said, "; ")
}

// beside is what the note of a finding with several sources says of one; "" for nothing.
func (p *Part) beside(sound bool) string {
	switch {
	case Judged(p.Verdict) && p.Note != "":
		return ": " + p.Note
	case !Judged(p.Verdict):
		return " was not checked: " + cmp.Or(p.Note, p.Verdict)
	case !Sound(p.Verdict):
		return ": " + p.Verdict
	case !sound:
		return " supports it"
	}
	return ""
}

// takeFrom drops from what a source lacks the values that another one has.
func (p *Part) takeFrom(others []Part) {
	if len(p.Missing) == 0 || !tellsMissing(p.Verdict) {
		return
	}
	kept := []Value{}
	for _, v := range p.Missing {
		if !slices.ContainsFunc(others, func(o Part) bool { return o.has(v) }) {
			kept = append(kept, v)
		}
	}
	if len(kept) == len(p.Missing) {
		return
	}
	p.Missing, p.Note = kept, lacks(kept)
	switch {
	case len(kept) > 0 || p.Verdict != ValueMissing:
	case strings.TrimSpace(p.Evidence) != "":
		p.Verdict = Found
	default:
		p.Verdict = Supported
	}
}

// has reports whether the source has a value of the finding. A quote is not held against
// names, so only a source without one can have them.
func (p *Part) has(v Value) bool {
	isName := v.Kind == KindName || v.Kind == KindIdentifier && isBrand(v.Text)
	return tellsMissing(p.Verdict) && !slices.Contains(p.Missing, v) &&
		(!isName || strings.TrimSpace(p.Evidence) == "")
}

// tellsMissing reports whether all that a source lacks is known by such a verdict.
func tellsMissing(verdict string) bool {
	return verdict == Found || verdict == Supported || verdict == ValueMissing
}
