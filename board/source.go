package board

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"blackboard/board/claims"
	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/board/store"
	"blackboard/board/verify"
)

// MaxSourceText bounds the text of a source that is kept on the board, in bytes.
const MaxSourceText = 4 << 20

// Source is a file that the run reads, as it was when it was registered.
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

// sourcePayload is the payload of a source's event. The id of the event is the source's
// name.
type sourcePayload struct {
	Path    string  `json:"path,omitempty"`
	SHA256  string  `json:"sha256,omitempty"`
	Size    int64   `json:"size,omitempty"`
	Text    *string `json:"text,omitempty"`
	Removed bool    `json:"removed,omitempty"`
}

func (p *sourcePayload) check(name string) error {
	switch {
	case p.Removed:
		return checkText("the name of the source", name, MaxName, true)
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
	return cmp.Or(checkText("the name of the source", name, MaxName, true),
		checkText("the path of the source", p.Path, MaxField, false),
		checkText("the text of the source "+clip(name, 60), text, MaxSourceText, false))
}

func isSHA256(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// source decodes the event that registers or removes a source.
func (e *Event) source() (s Source, removed bool, err error) {
	var p sourcePayload
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return s, false, err
	}
	return p.source(e), p.Removed, p.check(e.ID)
}

// source is the source that an event registers.
func (p *sourcePayload) source(e *Event) Source {
	return Source{Name: e.ID, Path: p.Path, SHA256: p.SHA256, Size: p.Size, Text: p.Text != nil,
		Seq: e.Seq, At: e.At, Worker: e.Actor}
}

// SourceAdded is what happened to a file that was registered.
type SourceAdded struct {
	Source
	Change string `json:"change"` // added, changed or unchanged
}

// Changes of a source that is registered.
const (
	SourceNew       = "added"
	SourceChanged   = "changed"
	SourceUnchanged = "unchanged"
)

// AddSources registers files, all or none: name, SHA-256 and size, and with text the text
// that package documents reads of them. A file that is registered and unchanged is left
// as it is.
func (b *Board) AddSources(
	ctx context.Context,
	worker string,
	files []verify.File,
	text bool,
) ([]SourceAdded, error) {
	if len(files) == 0 {
		return nil, invalid("no file to register", "name files, or directories that hold some")
	}
	payloads := make([]sourcePayload, len(files))
	for i, f := range files {
		var err error
		if payloads[i], err = readSource(f, text); err != nil {
			return nil, err
		}
		if t := payloads[i].Text; t != nil {
			maskText(ctx, "the text of the source "+clip(f.Name, 60), t)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	out := make([]SourceAdded, len(files))
	err := b.write(ctx, worker, func(w *writer) error {
		have, err := sourcesByName(w.tx)
		if err != nil {
			return err
		}
		for i, f := range files {
			p, old := payloads[i], have[f.Name]
			change := SourceNew
			if old != nil {
				change = SourceChanged
				if old.SHA256 == p.SHA256 && old.Size == p.Size && old.Path == p.Path &&
					(old.Text || p.Text == nil) {
					out[i] = SourceAdded{*old, SourceUnchanged}
					continue
				}
			}
			if err := w.event(verbSource, f.Name, p); err != nil {
				return err
			}
			s := p.source(&Event{Seq: w.seq, At: fromMillis(w.at), Actor: w.actor, ID: f.Name})
			out[i], have[f.Name] = SourceAdded{s, change}, &s
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func readSource(f verify.File, text bool) (p sourcePayload, err error) {
	p.Path = f.Path
	if p.SHA256, p.Size, err = documents.Sum(f.Path); err != nil {
		return p, err
	}
	if text {
		d, err := documents.OpenSource(f.Path)
		if err != nil {
			return p, err
		}
		t := strings.ReplaceAll(d.Text(), "\x00", "")
		if len(t) > MaxSourceText {
			return p,
				invalid(fmt.Sprintf("%s has %d bytes of text; at most %d are kept on the board",
					f.Path, len(t), MaxSourceText),
					"register it without its text; the file is then needed to verify")
		}
		p.Text = &t
	}
	return p, p.check(f.Name)
}

// RemoveSources removes sources from the list, all or none. The log keeps them.
func (b *Board) RemoveSources(ctx context.Context, worker string, names ...string) error {
	if _, err := b.reader(); err != nil {
		return err
	}
	return b.write(ctx, worker, func(w *writer) error {
		have, err := sourcesByName(w.tx)
		if err != nil {
			return err
		}
		for _, name := range names {
			if have[name] == nil {
				return notFound(fmt.Sprintf("there is no source %s on this board",
					clip(name, 60)), "", fault.Do("source.list", "{} lists the sources"))
			}
			if err := w.event(verbSource, name, sourcePayload{Removed: true}); err != nil {
				return err
			}
			delete(have, name)
		}
		return nil
	})
}

// Sources returns the registered sources by name.
func (b *Board) Sources(ctx context.Context) ([]Source, error) { return readValue(ctx, b, sources) }

func sources(tx *store.Tx) ([]Source, error) {
	if old, err := before0006(tx); old || err != nil {
		return []Source{}, err
	}
	return store.All(tx, func(s *Source) []any {
		return []any{&s.Name, &s.Seq, store.Time(&s.At), &s.Worker, &s.Path, &s.SHA256, &s.Size, &s.Text}
	}, `SELECT name, seq, at, worker, path, sha256, size, text FROM sources ORDER BY name`)
}

// before0006 reports whether the board has an older schema and cannot be written to.
func before0006(tx *store.Tx) (bool, error) {
	there, err := tx.HasTable("verifications")
	return !there, err
}

func sourcesByName(tx *store.Tx) (map[string]*Source, error) {
	all, err := sources(tx)
	byName := map[string]*Source{}
	for i := range all {
		byName[all[i].Name] = &all[i]
	}
	return byName, err
}

// sourceText returns the kept text of a source.
func (b *Board) sourceText(ctx context.Context, s *Source) (string, error) {
	return readValue(ctx, b, func(tx *store.Tx) (string, error) {
		events, err := selectEvents(tx, `WHERE seq = ?`, s.Seq)
		if err != nil {
			return "", err
		}
		var p sourcePayload
		if len(events) == 0 || json.Unmarshal(events[0].Payload, &p) != nil || p.Text == nil {
			return "", store.Fault(fault.Corrupt, b.path,
				fmt.Sprintf("has no text of the source %s in event %d", clip(s.Name, 60), s.Seq),
				nil)
		}
		return *p.Text, nil
	})
}

// NamedSources counts the names of sources that entries give, without superseded ones.
func (b *Board) NamedSources(ctx context.Context) (int64, error) {
	return readValue(ctx, b, func(tx *store.Tx) (int64, error) {
		return store.One[int64](tx, `SELECT count(DISTINCT source_doc) FROM entries
			WHERE status <> 'superseded' AND source_doc <> ''`)
	})
}

// Held is what came of holding an entry against a source.
type Held = verify.Held

// Verification is the last verdict on whether an entry stands in its source.
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

// each are the verdicts on its sources, be it one or several.
func (v *Verification) each() []Held {
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

// Mark is a short mark: "✓ quote found", "✗ doubted", "? not all found", "~ accepted" or
// "~ stale"; "" if nothing is known.
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
	}
	return "? not all found"
}

// Describe is the verdict with its place and reason.
func (v *Verification) Describe() string {
	if v == nil {
		return ""
	}
	parts := slices.DeleteFunc([]string{v.Verdict, strings.TrimSpace(v.Source + " " + v.Place),
		v.Note}, func(s string) bool { return s == "" })
	if v.Accepted != nil {
		parts = append(parts, v.Accepted.String())
	}
	return v.Mark() + ": " + strings.Join(parts, "; ")
}

// verifyPayload is the payload of a verdict's event. The id of the event is the entry's.
type verifyPayload = verify.Record

// verification decodes the event of a verdict.
func (e *Event) verification() (*Verification, error) {
	var p verifyPayload
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return nil, err
	}
	if !slices.Contains(verify.Verdicts, p.Verdict) {
		return nil, unknown("verdict", p.Verdict, verify.Verdicts)
	}
	if p.SHA256 != "" && !isSHA256(p.SHA256) {
		return nil, errors.New("its SHA-256 is invalid")
	}
	return &Verification{Held: p.Held, Parts: p.Parts, Seq: e.Seq, At: e.At, Worker: e.Actor}, nil
}

// verdictsOn reads the verdicts that the board has on entries.
func verdictsOn(tx *store.Tx, entries []int64) (map[int64]verifyPayload, error) {
	have := map[int64]verifyPayload{}
	old, err := before0006(tx)
	if old || err != nil {
		return have, err
	}
	var id int64
	var p verifyPayload
	return have, tx.Each([]any{&id, &p.Verdict, &p.Source, &p.SHA256, &p.Place, &p.Note,
		partsOf(&p.Parts, &id)}, func() error {
		have[id] = p
		p.Parts = nil
		return nil
	}, `SELECT entry, verdict, source, sha256, place, note, parts FROM verifications
			WHERE entry IN (`+theseIDs+`)`, store.List(entries))
}

// partsOf reads the parts of a verdict.
func partsOf(parts *[]Held, entry *int64) sql.Scanner {
	return store.JSON(parts, "a verdict on e%d whose parts", entry)
}

// fillVerified reads the verdicts on entries, by number.
func fillVerified(tx *store.Tx, index map[int64]*Entry) error {
	if old, err := before0006(tx); old || err != nil {
		return err
	}
	var v Verification
	var entry int64
	fill := func(where string, args ...any) error {
		row := []any{&entry, &v.Seq, store.Time(&v.At), &v.Worker, &v.Verdict, &v.Source, &v.SHA256,
			&v.Place, &v.Note, partsOf(&v.Parts, &entry), &v.Stale}
		return tx.Each(row, func() error {
			if e := index[entry]; e != nil {
				own := v
				e.Verified = &own
			}
			v.Parts = nil
			return nil
		}, `SELECT v.entry, v.seq, v.at, v.worker, v.verdict, v.source, v.sha256, v.place, v.note, v.parts,
			CASE WHEN v.parts = '[]'
				THEN EXISTS (SELECT 1 FROM sources s WHERE s.name = v.source AND s.sha256 <> v.sha256)
				ELSE EXISTS (SELECT 1 FROM json_each(v.parts) p, sources s
					WHERE s.name = json_extract(p.value, '$.source')
					AND s.sha256 <> json_extract(p.value, '$.sha256')) END
			FROM verifications v `+where, args...)
	}
	where, args := `WHERE v.entry IN (`+theseIDs+`)`, []any{listIDs(index)}
	if len(index) > 2000 {
		where, args = "", nil
	}
	if err := fill(where, args...); err != nil {
		return err
	}
	return fillAccepted(tx, maps.Values(index))
}

// applySource applies an event about a source or a verdict.
func (r *replayer) applySource(e Event) error {
	if e.Verb == verbSource {
		s, removed, err := e.source()
		if err != nil {
			return err
		}
		if r.sources[e.ID] = s; removed {
			delete(r.sources, e.ID)
		}
		return nil
	}
	entry, err := r.entry(e.ID)
	if err != nil {
		return err
	}
	entry.Verified, err = e.verification()
	return err
}

// endSources lists the sources of the snapshot and marks the verdicts that are stale.
func (r *replayer) endSources() {
	r.Sources = []Source{}
	for _, s := range r.sources {
		r.Sources = append(r.Sources, s)
	}
	slices.SortFunc(r.Sources, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
	for i := range r.Entries {
		if v := r.Entries[i].Verified; v != nil {
			v.Stale = slices.ContainsFunc(v.each(), func(p Held) bool {
				s, registered := r.sources[p.Source]
				return registered && s.SHA256 != p.SHA256
			})
		}
	}
}

// vital returns the entries that must surface or answer a signal.
func (s *Snapshot) vital() (all []Entry) {
	answers := map[string]bool{}
	for _, sig := range s.Signals {
		if sig.Status == Addressed {
			answers[sig.AddressedBy] = true
		}
	}
	for _, e := range s.Entries {
		if e.Status != Superseded && (e.MustSurface || answers[e.ID]) {
			all = append(all, e)
		}
	}
	return all
}
