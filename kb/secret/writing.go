package secret

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

type writingKey struct{}

type writing struct {
	keep bool
	told func(notes []string)
}

// Writing has stores mask what looks like a secret, and told noted, or with keep store it.
func Writing(ctx context.Context, keep bool, told func(notes []string)) context.Context {
	return context.WithValue(ctx, writingKey{}, writing{keep, told})
}

// MaskWrite calls mask with what masks one write, as [Writing] says, and tells what it did.
func MaskWrite(ctx context.Context, mask func(*Masker)) {
	w, _ := ctx.Value(writingKey{}).(writing)
	m := Masker{keep: w.keep}
	mask(&m)
	if len(m.Notes) > 0 && w.told != nil {
		w.told(m.Notes)
	}
}

// Masker masks texts and notes which of them held a secret, unless they are to be kept.
type Masker struct {
	Notes []string
	keep  bool
}

// Text masks a text in place. Its lines stay; what names it in the note.
func (m *Masker) Text(what string, text *string) {
	if m.keep {
		return
	}
	found := Find(*text)
	if len(found) == 0 {
		return
	}
	m.note(what, found...)
	*text, _ = MaskLines(*text)
}

// note tells of what was found in one text, each kind once.
func (m *Masker) note(what string, found ...Finding) {
	var kinds []string
	for _, f := range found {
		if !slices.Contains(kinds, f.Description) {
			kinds = append(kinds, f.Description)
		}
	}
	m.Notes = append(m.Notes, fmt.Sprintf("%s held what looks like a secret (%s): it is masked",
		what, strings.Join(kinds, ", ")))
}

// JSON masks a JSON text's strings by their members' names, or returns the same slice.
func (m *Masker) JSON(what, name string, raw []byte) []byte {
	if m.keep {
		return raw
	}
	var out []byte
	done := 0
	for i := 0; i < len(raw); i++ {
		if raw[i] != '"' {
			continue
		}
		end := stringEnd(raw, i)
		rest := bytes.TrimLeft(raw[end:], " \t\r\n")
		if len(rest) > 0 && rest[0] == ':' {
			name = string(raw[i+1 : end-1])
		} else if masked, ok := m.maskValue(what, name, raw[i:end]); ok {
			out = append(append(out, raw[done:i]...), masked...)
			done = end
		}
		i = end - 1
	}
	if done == 0 {
		return raw
	}
	return append(out, raw[done:]...)
}

func stringEnd(raw []byte, i int) int {
	for i++; i < len(raw) && raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(raw))
}

// maskValue returns a JSON string with its secrets masked, and notes them; false if it has none.
func (m *Masker) maskValue(what, name string, quoted []byte) ([]byte, bool) {
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return nil, false
	}
	found := Find(s)
	masked, _ := MaskLines(s)
	if len(found) == 0 {
		if !announces(name) {
			return nil, false
		}
		before := name + ": "
		if found = Find(before + s); len(found) == 0 {
			return nil, false
		}
		masked = Mask(before + s)[len(before):]
	}
	m.note(what, found...)
	out, err := json.Marshal(masked)
	return out, err == nil
}

// Note says in one line what was masked, and what the caller gives to keep it.
func Note(notes []string, keep string) string {
	more := ""
	if n := len(notes) - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return notes[0] + more + "; " + keep + " stores it if it is not a secret"
}
