package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"blackboard/board/claims"
	"blackboard/board/verify"
)

// MaxSourceText bounds the text of a source that is kept on the board, in bytes.
const MaxSourceText = 4 << 20

type Source struct {
	Name   string    `json:"name"` // by which entries call it: its path, or an end of it
	Path   string    `json:"path"` // where it was read from
	SHA256 string    `json:"sha256"`
	Size   int64     `json:"size"` // in bytes
	Text   bool      `json:"text"` // its text is kept on the board
	Seq    int64     `json:"seq"`
	At     time.Time `json:"at"`
	Worker string    `json:"worker"`
}

// SourcePayload is a source event's payload; the event's id is the source's name.
type SourcePayload struct {
	Path    string  `json:"path,omitempty"`
	SHA256  string  `json:"sha256,omitempty"`
	Size    int64   `json:"size,omitempty"`
	Text    *string `json:"text,omitempty"`
	Removed bool    `json:"removed,omitempty"`
}

func (p *SourcePayload) Check(name string) error {
	switch {
	case p.Removed:
		return CheckText("the name of the source", name, MaxName, true)
	case !isSHA256(p.SHA256):
		return invalid(fmt.Sprintf("the source %s has no SHA-256", clip(name, 60)),
			"register it again")
	case p.Size < 0:
		return invalid(fmt.Sprintf("the source %s has a size of %d bytes", clip(name, 60),
			p.Size), "register it again")
	}
	text := ""
	if p.Text != nil {
		text = *p.Text
	}
	return cmp.Or(CheckText("the name of the source", name, MaxName, true),
		CheckText("the path of the source", p.Path, MaxField, false),
		CheckText("the text of the source "+clip(name, 60), text, MaxSourceText, false))
}

func isSHA256(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

func (e *Event) Source() (s Source, removed bool, err error) {
	var p SourcePayload
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return s, false, err
	}
	return p.Source(e), p.Removed, p.Check(e.ID)
}

func (p *SourcePayload) Source(e *Event) Source {
	return Source{Name: e.ID, Path: p.Path, SHA256: p.SHA256, Size: p.Size, Text: p.Text != nil,
		Seq: e.Seq, At: e.At, Worker: e.Actor}
}

type Held = verify.Held

type Verification struct {
	Held // against its source, or of several the one that decides
	// Parts are the verdicts on its sources, if it has several.
	Parts  []Held    `json:"parts,omitempty"`
	Seq    int64     `json:"seq"`
	At     time.Time `json:"at"`
	Worker string    `json:"worker"`
	// Stale is true if a registered source has changed since.
	Stale bool   `json:"stale"`
	Doubt string `json:"doubt,omitempty"` // the id of what is held against the entry
	// Accepted says who accepted that.
	Accepted *claims.Acceptance `json:"accepted,omitempty"`
}

// parts returns the verdicts on its sources, be it one or several.
func (v *Verification) parts() []Held {
	if len(v.Parts) > 0 {
		return v.Parts
	}
	return []Held{v.Held}
}

// Decides is the source of the entry that its verdict is about, else the first.
func (e *Entry) Decides() Cited {
	cited := e.Cites()
	if v := e.Verified; v != nil {
		for i, p := range v.Parts[:min(len(v.Parts), len(cited))] {
			if p.Verdict == v.Verdict && p.Source == v.Source && p.Place == v.Place {
				return cited[i]
			}
		}
	}
	return cited[0]
}

// Sound reports whether the entry is verified against the source as it is now.
func (v *Verification) Sound() bool { return v != nil && !v.Stale && verify.Sound(v.Verdict) }

// Holds reports whether the entry is verified, or the doubt about it accepted.
func (v *Verification) Holds() bool { return v.Sound() || v != nil && !v.Stale && v.Accepted != nil }

// Mark is a short mark: "✓ in its source", "✓ quote found", "✗ doubted", "? not all found", "? may be denied",
// "~ accepted" or "~ stale"; "" if it was never checked.
func (v *Verification) Mark() string {
	switch {
	case v == nil:
		return ""
	case v.Stale:
		return "~ stale"
	case v.Accepted != nil:
		return "~ accepted"
	case v.Verdict == verify.Supported:
		return "✓ in its source"
	case verify.Sound(v.Verdict):
		return "✓ quote found"
	case verify.Doubted(v.Verdict):
		return "✗ doubted"
	case v.Verdict == verify.Unsure:
		return "? may be denied"
	}
	return "? not all found"
}

// Against is what the verdict says against the entry, in a few words; "" for nothing, and once somebody accepted it.
func (v *Verification) Against() string {
	switch {
	case v == nil || v.Stale || v.Accepted != nil:
		return ""
	case verify.Sound(v.Verdict):
		return verify.But(v.Note)
	}
	return cmp.Or(verify.But(v.Note), v.Note, v.Verdict)
}

// File is the registered file that its first source was found to be, "" if no check has looked.
func (e *Entry) File() string {
	if e.Verified == nil || e.Verified.Stale {
		return ""
	}
	return e.Verified.parts()[0].Source
}

// Places are the sources of the entry, each with the place where its quote was found.
func (e *Entry) Places() []Cited {
	all := slices.Clone(e.Cites())
	if v := e.Verified; v != nil && !v.Stale {
		for i, p := range v.parts() {
			if i < len(all) && verify.Sound(p.Verdict) && strings.Contains(p.Note, verify.RefSays) {
				all[i].SourceRef = strings.TrimPrefix(p.Place, "line ")
			}
		}
	}
	return all
}

// Describe is the verdict with its place and reason.
func (v *Verification) Describe() string {
	if v == nil {
		return ""
	}
	parts := slices.DeleteFunc([]string{v.Verdict, verify.At(v.Source, v.Place),
		v.Note}, func(s string) bool { return s == "" })
	if v.Accepted != nil {
		parts = append(parts, v.Accepted.String())
	}
	return v.Mark() + ": " + strings.Join(parts, "; ")
}

// VerifyPayload is the payload of a verdict's event. The id of the event is the entry's.
type VerifyPayload = verify.Record

func (e *Event) Verification() (*Verification, error) {
	var p VerifyPayload
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return nil, err
	}
	if !slices.Contains(verify.Verdicts, p.Verdict) {
		return nil, Unknown("verdict", p.Verdict, verify.Verdicts)
	}
	if p.SHA256 != "" && !isSHA256(p.SHA256) {
		return nil, errors.New("its SHA-256 is invalid")
	}
	return &Verification{Held: p.Held, Parts: p.Parts, Seq: e.Seq, At: e.At, Worker: e.Actor}, nil
}

func (r *Replayer) applySource(e Event) error {
	if e.Verb == VerbSource {
		s, removed, err := e.Source()
		if err != nil {
			return err
		}
		if r.SourceByName[e.ID] = s; removed {
			delete(r.SourceByName, e.ID)
		}
		return nil
	}
	entry, err := r.Entry(e.ID)
	if err != nil {
		return err
	}
	entry.Verified, err = e.Verification()
	return err
}

// endSources lists the sources of the snapshot and marks the verdicts that are stale.
func (r *Replayer) endSources() {
	r.Sources = []Source{}
	for _, s := range r.SourceByName {
		r.Sources = append(r.Sources, s)
	}
	slices.SortFunc(r.Sources, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
	for i := range r.Entries {
		if v := r.Entries[i].Verified; v != nil {
			v.Stale = slices.ContainsFunc(v.parts(), func(p Held) bool {
				s, registered := r.SourceByName[p.Source]
				return registered && s.SHA256 != p.SHA256
			})
		}
	}
}

// AcceptPayload is VerbAccept's payload; the event's id is the entry's or question's.
type AcceptPayload struct {
	Doubt   string `json:"doubt"`
	Check   string `json:"check"`
	Verdict string `json:"verdict"`
	Reason  string `json:"reason"`
	Person  bool   `json:"person,omitempty"`
	Revoked bool   `json:"revoked,omitempty"`
}

// Checks whose doubts can be accepted.
const VerifyDoubts, SurvivalDoubts = "verify", "survival"

func (p *AcceptPayload) Acceptance(e *Event) claims.Acceptance {
	return claims.Acceptance{Doubt: p.Doubt, ID: e.ID, Check: p.Check, Verdict: p.Verdict,
		Reason: p.Reason, Worker: e.Actor, Person: p.Person, At: e.At, Seq: e.Seq}
}

// Accepted adds an event's acceptance to all, by its doubt, or takes out the revoked one.
func (e *Event) Accepted(all map[string]*claims.Acceptance) error {
	var p AcceptPayload
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return err
	}
	if !claims.IsDoubt(p.Doubt) {
		return errors.New("it names no doubt")
	}
	delete(all, p.Doubt)
	if !p.Revoked {
		a := p.Acceptance(e)
		all[p.Doubt] = &a
	}
	return nil
}

// Doubt returns the id of what verify holds against the entry; "" for nothing.
func (e *Entry) Doubt() string {
	v := e.Verified
	if v == nil {
		return ""
	}
	held := slices.Concat(v.parts(), make([]Held, MaxSources)) // a log may have fewer than sources
	return verify.Doubt(v.Verdict, e.Content, e.Cites(), func(i int) string { return held[i].SHA256 })
}

// Accept sets the Doubt of the entry's verdict, and its Accepted from all, by doubt.
func (e *Entry) Accept(all map[string]*claims.Acceptance) {
	if v := e.Verified; v != nil {
		v.Doubt = e.Doubt()
		v.Accepted = all[v.Doubt]
	}
}

func (r *Replayer) applyAccept(e Event) error {
	_, err := r.Entry(e.ID)
	if strings.HasPrefix(e.ID, "s") {
		_, err = r.Signal(e.ID)
	}
	return errors.Join(err, e.Accepted(r.Accepted))
}
