package board

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/store"
	"blackboard/board/verify"
)

type SourceAdded struct {
	Source
	Change string `json:"change"` // added, changed or unchanged
}

const (
	SourceNew       = "added"
	SourceChanged   = "changed"
	SourceUnchanged = "unchanged"
)

// AddSources registers files, all or none: name, SHA-256, size, and with text what package
// documents reads of them. A registered, unchanged file is left.
func (b *Board) AddSources(
	ctx context.Context,
	worker string,
	files []verify.File,
	text bool,
) ([]SourceAdded, error) {
	if len(files) == 0 {
		return nil, invalid("no file to register", "name files, or directories that hold some")
	}
	payloads := make([]record.SourcePayload, len(files))
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
			if err := w.event(record.VerbSource, f.Name, p); err != nil {
				return err
			}
			s := p.Source(&Event{Seq: w.seq, At: fromMillis(w.at), Actor: w.actor, ID: f.Name})
			out[i], have[f.Name] = SourceAdded{s, change}, &s
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func readSource(f verify.File, text bool) (p record.SourcePayload, err error) {
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
		if len(t) > record.MaxSourceText {
			return p,
				invalid(fmt.Sprintf("%s has %d bytes of text; at most %d are kept on the board",
					f.Path, len(t), record.MaxSourceText),
					"register it without its text; the file is then needed to verify")
		}
		p.Text = &t
	}
	return p, p.Check(f.Name)
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
			if err := w.event(record.VerbSource, name, record.SourcePayload{Removed: true}); err != nil {
				return err
			}
			delete(have, name)
		}
		return nil
	})
}

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

func (b *Board) sourceText(ctx context.Context, s *Source) (string, error) {
	return readValue(ctx, b, func(tx *store.Tx) (string, error) {
		events, err := selectEvents(tx, `WHERE seq = ?`, s.Seq)
		if err != nil {
			return "", err
		}
		var p record.SourcePayload
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

// verdictsOn reads the verdicts that the board has on entries.
func verdictsOn(tx *store.Tx, entries []int64) (map[int64]record.VerifyPayload, error) {
	have := map[int64]record.VerifyPayload{}
	old, err := before0006(tx)
	if old || err != nil {
		return have, err
	}
	var id int64
	var p record.VerifyPayload
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
