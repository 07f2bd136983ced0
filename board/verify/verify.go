package verify

import (
	"fmt"
	"strings"

	"blackboard/board/claims"
	"blackboard/board/claims/parse"
	"blackboard/board/documents"
)

// Verdicts on a finding.
const (
	Found        = "found"         // the quote is at its reference
	Supported    = "supported"     // no quote; the source has all values, or the finding word for word
	Elsewhere    = "elsewhere"     // of older boards: the quote is at another place
	Nearly       = "nearly"        // the source has most of the quote, with a difference
	Joined       = "joined"        // the quote joins two places without an omission mark
	Absent       = "not found"     // the source has nothing like the quote
	Denied       = "denied"        // the quote is cut out of a sentence that denies it
	Refuted      = "refuted"       // the quote is there, and contradicts the finding
	Unsure       = "unsure"        // the quote is there, and may deny the finding: no doubt, read it
	ValueMissing = "value missing" // the source lacks a value of the finding
	Ambiguous    = "ambiguous"     // several files match the source's name
	Unregistered = "unregistered"  // the source is not registered, but others are
	// the source's name has a file extension, but no such file is known
	Unknown    = "unknown source"
	Unreadable = "unreadable"     // the source's file cannot be read
	NoFile     = "no source file" // the source's file is missing
	NoSource   = "no source"      // no source, but a quote, or the entry is an observation
	// no quote, and the finding has no value to look for
	NothingToCheck = "nothing to check"
)

// Verdicts lists them.
var Verdicts = []string{Found, Supported, Elsewhere, Nearly, Joined, Absent, Denied, Refuted, Unsure,
	ValueMissing, Ambiguous, Unregistered, Unknown, Unreadable, NoFile, NoSource, NothingToCheck}

// Sound reports whether a verdict means that the finding is in its source, even if not at its reference.
func Sound(verdict string) bool {
	return verdict == Found || verdict == Supported || verdict == Elsewhere
}

// Doubted reports whether a verdict is a failure. It is not if the finding could not be
// checked, or if its source says too little to tell.
func Doubted(verdict string) bool {
	switch verdict {
	case NoFile, NoSource, NothingToCheck, Unreadable, ValueMissing, Unsure:
		return false
	}
	return !Sound(verdict)
}

// Judged reports whether a verdict says what a source has of a finding, whatever that is.
func Judged(verdict string) bool {
	return Sound(verdict) || Doubted(verdict) || verdict == ValueMissing || verdict == Unsure
}

// Finding is an entry to check.
type Finding struct {
	ID          string
	Type        string
	Worker      string
	Content     string
	Evidence    string // the quote; "" for none
	SourceDoc   string
	SourceRef   string
	Sources     []Cited // all of them; the first is the one above
	MustSurface bool
	Calculated  bool     // its numbers may follow from others
	Concludes   bool     // with a quote it may have values that its source lacks
	Related     []string // contents of the entries that support a conclusion, or that it supports; of a
	// conclusion that is no calculation also those that it contradicts or supersedes
	Addresses []string // the signals that it answers
}

// Difference is a place where a quote and its source differ.
type Difference struct {
	Quote  string `json:"quote"`  // "" if the quote leaves something out
	Source string `json:"source"` // "" if the quote adds something
}

// Value is a number, date, identifier or name that a source lacks.
type Value struct {
	Kind string `json:"kind"` // number, date, identifier, name
	Text string `json:"text"` // as the finding has it
}

// Passage is a place in a source.
type Passage struct {
	Line  int    `json:"line"`  // from 1
	Where string `json:"where"` // "line 12", "page 3", "Totals!B7"
	Text  string `json:"text"`  // at most 300 characters of it, on one line
}

// Outcome is the result of checking a finding against a source.
type Outcome struct {
	Verdict     string       `json:"verdict"`
	Note        string       `json:"note"`        // why, in a few words
	Differences []Difference `json:"differences"` // of the verdict nearly
	// of the verdict value missing; of found, what the entry may have concluded
	Missing []Value `json:"missing"`
	// Passage is the place of the quote, or the nearest place; null if nothing is near.
	Passage *Passage `json:"passage"`
	// OtherLanguage means that the finding or the place of its quote is not in English: denials and conditions were
	// not judged.
	OtherLanguage bool `json:"other_language"`
}

const (
	foundBut = "quote found, but " // begins the note on a finding that says something else than its quote
	// RefSays begins the note on a quote that is at another place.
	RefSays = "the reference says "
	// NotEnglish says what was not judged of findings that are not in English, or whose quotes are not.
	NotEnglish = "not in English: denials and conditions were not judged"
)

// But is what a note says against a finding whose quote was found; "" for nothing.
func But(note string) string {
	_, but, _ := strings.Cut(note, foundBut)
	return strings.Split(but, "; ")[0]
}

// Plain returns an outcome with only a verdict and its reason.
func Plain(verdict, note string) Outcome {
	return Outcome{Verdict: verdict, Note: note, Differences: []Difference{}, Missing: []Value{}}
}

// Source is a document against which findings are checked. It is not safe for
// concurrent use.
type Source struct {
	doc   *documents.Document
	index *index // made at first use

	quantities []quantity // read at first use

	// Raw returns the text of the source's file as it is, with the tags of HTML and the commas
	// of a table; nil if there is no such text. A quote may be of it, too.
	Raw func() string
	raw *Source // made at first use

	claims *claims.Evidence // made at first use; of a large source only its figures
}

// NewSource prepares a document.
func NewSource(d *documents.Document) *Source { return &Source{doc: d} }

// written returns the source as its file has it, nil if that is not known.
func (s *Source) written() *Source {
	if s.raw == nil && s.Raw != nil {
		s.raw = NewSource(documents.New(s.doc.Name, s.Raw()))
		if s.claims == nil && len(s.doc.Text()) <= maxClaimed {
			s.claims = claims.EvidenceOf(s.doc)
		}
		s.raw.claims = s.claims // by its lines
	}
	return s.raw
}

func (s *Source) words() *index {
	if s.index == nil {
		s.index = newIndex(s.doc.Text())
	}
	return s.index
}

// Check checks a finding against the source: by its quote or, if it has none, by its values.
func (s *Source) Check(f *Finding) Outcome {
	o, quoted := s.quote(f)
	if !quoted {
		o = s.content(f)
	}
	o.Differences, o.Missing = append([]Difference{}, o.Differences...), append([]Value{}, o.Missing...)
	o.OtherLanguage = quoted && Judged(o.Verdict) && !Doubted(o.Verdict) && o.Passage != nil &&
		!(parse.IsEnglish(f.Content) && parse.IsEnglish(o.Passage.Text))
	return o
}

// checkAlone checks a calculation without a source against its related entries. For any
// other finding it returns the verdict "no source".
func checkAlone(f *Finding) Outcome {
	if !f.Calculated || len(f.Related) == 0 || strings.TrimSpace(f.Evidence) != "" {
		return Plain(NoSource, "")
	}
	return NewSource(documents.New("", "")).Check(f)
}

const shownPassage = 300 // runes

// passage describes the place of words of the source; nil if there are none.
func (s *Source) passage(m match) *Passage {
	x := s.words()
	if m.from >= m.to || m.to > len(x.words) {
		return nil
	}
	at, end := int(x.words[m.from].start), int(x.words[m.to-1].end)
	start := at
	for start > 0 && x.text[start-1] != '\n' && end-start < shownPassage {
		start--
	}
	if end-start >= shownPassage { // a long line: from the words on
		start = at
	}
	for end < len(x.text) && x.text[end] != '\n' && end-start < shownPassage {
		end++
	}
	text := strings.ToValidUTF8(x.text[start:end], "")
	return &Passage{
		Line:  s.doc.Line(at),
		Where: where(s.doc, at),
		Text:  oneLine(text, shownPassage),
	}
}

// where names a place as a reader of the file finds it.
func where(d *documents.Document, at int) string {
	if named, ok := any(d).(interface{ Where(at int) string }); ok {
		return named.Where(at)
	}
	return fmt.Sprintf("line %d", d.Line(at))
}

func oneLine(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	n := 0
	for i := range s {
		if n++; n > most {
			return s[:i] + "…"
		}
	}
	return s
}

// quote checks the finding's quote; quoted is false if it has none.
func (s *Source) quote(f *Finding) (o Outcome, quoted bool) {
	if strings.TrimSpace(f.Evidence) == "" {
		return o, false
	}
	q := newStream(f.Evidence)
	if len(q.words) == 0 {
		return o, false
	}
	places := s.words().find(q, 0, len(q.words))
	var turned *Difference
	if len(places) == 0 {
		places, turned = s.parts(q)
	}
	if len(places) == 0 {
		if raw := s.written(); raw != nil {
			switch o, _ := raw.quote(f); o.Verdict {
			case Found, ValueMissing, Denied, Refuted:
				return o, true
			}
			if cells := newStream(strings.ReplaceAll(f.Evidence, ",", " | ")); len(cells.words) > len(q.words) {
				// A part of a row, whose commas would join numbers: 7602,11.
				if places = s.words().find(cells, 0, len(cells.words)); len(places) > 0 {
					turned = nil
				}
			}
		}
	}
	var apart []match
	if len(places) == 0 && turned == nil {
		var why string
		if apart, why = s.lineByLine(f); why != "" {
			return Outcome{Verdict: Denied, Note: why, Passage: s.passage(apart[0])}, true
		}
		places = apart
	}
	if len(places) == 0 || turned != nil {
		return s.nearly(q, turned, places), true
	}
	if why := s.cut(f, places); why != "" && apart == nil {
		return Outcome{Verdict: Denied, Note: why, Passage: s.passage(places[0])}, true
	}
	ref := parseReference(f.SourceRef)
	for _, m := range places {
		if s.at(ref, m) != elsewhere {
			return s.said(f, Outcome{Verdict: Found, Passage: s.passage(m)}, m, apart), true
		}
	}
	o = s.said(f, Outcome{Verdict: Found, Passage: s.passage(places[0])}, places[0], apart)
	if o.Note != "" {
		o.Note += "; "
	}
	o.Note += fmt.Sprintf(RefSays+"%s; the quote is at %s", oneLine(f.SourceRef, 60),
		o.Passage.Where)
	return o, true
}

// lineByLine finds a quote each of whose lines stands somewhere word for word: who quotes several places
// gives each a line. why says what one of them leaves out, which is first then.
func (s *Source) lineByLine(f *Finding) (places []match, why string) {
	x := s.words()
	lines := strings.Split(f.Evidence, "\n")
	for from, to := 0, 0; from < len(lines); from = to {
		var found []match
		part := *f
		for to = len(lines); to > from && len(found) == 0; to-- { // a sentence may go on in the next line
			part.Evidence = strings.Join(lines[from:to], "\n")
			q := newStream(part.Evidence)
			if found = x.find(q, 0, len(q.words)); len(found) == 0 {
				q = newStream(strings.ReplaceAll(part.Evidence, ",", " | "))
				found = x.find(q, 0, len(q.words))
			}
			if len(q.words) < minPartWords {
				found = nil
			}
		}
		if to++; len(found) > 0 {
			if why = s.cut(&part, found); why != "" {
				return found, why
			}
			places = append(places, found[0])
		} else if strings.TrimSpace(lines[from]) != "" {
			return nil, ""
		}
	}
	return places, ""
}
