package board

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"blackboard/board/claims"
	"blackboard/board/record"
	"blackboard/board/store"
	txt "blackboard/board/text"
	"blackboard/board/verify"
)

type VerifyOptions = verify.Options

// Verify checks entries against their sources (a registered file, one of the options, or kept
// text), and writes new verdicts in parts, or says that it may not.
func (b *Board) Verify(ctx context.Context, worker string, opt VerifyOptions) (verify.Result,
	error) {
	v := verifier{b: b, worker: worker}
	r, err := v.load(ctx, opt)
	if err == nil {
		err = v.run(ctx, r)
	}
	return r.End(ctx, err)
}

// MaxCheckedAtOnce is the size of a source, in bytes, that is read when a finding is
// posted: a larger one would keep its author waiting.
const MaxCheckedAtOnce = 2 << 20

// VerifyPosted checks the findings of the options against their sources when they have just been
// posted, and writes the verdicts. It returns what it came to within a time, and how many it did not come to: somebody
// waits. Where the run has no sources it returns nothing.
func (b *Board) VerifyPosted(ctx context.Context, worker string, opt VerifyOptions,
	within time.Duration) (items []verify.ItemResult, left int, err error) {
	v := verifier{b: b, worker: worker, posted: true}
	r, err := v.load(ctx, opt)
	if err != nil || len(v.registered)+len(opt.Files) == 0 {
		return nil, 0, err
	}
	r.Postpone(MaxCheckedAtOnce)
	short, stop := context.WithTimeout(ctx, within)
	defer stop()
	if err = v.run(short, r); errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = nil
	}
	out, err := r.End(ctx, err)
	return out.Items, len(opt.IDs) - len(out.Items) - out.Unsourced, err
}

// verifier is the board of one run of Verify.
type verifier struct {
	b          *Board
	worker     string
	posted     bool // the finding has just been posted: nobody has looked at it
	registered map[string]*Source
}

// load finds out what has to be checked.
func (v *verifier) load(ctx context.Context, opt VerifyOptions) (r *verify.Run, err error) {
	r = verify.NewRun(v, nil, opt)
	err = v.b.read(ctx, func(tx *store.Tx) (err error) {
		if v.registered, err = sourcesByName(tx); err != nil {
			return err
		}
		var all []verify.Registered
		for name, s := range v.registered {
			all = append(all, verify.Registered{Name: name, Path: s.Path, SHA256: s.SHA256, Text: s.Text})
		}
		r = verify.NewRun(v, all, opt)
		if r.Result.Seq, err = tx.LastSeq(); err != nil {
			return err
		}
		where, args := `status <> 'superseded'`, []any{}
		if len(opt.IDs) > 0 {
			var numbers []int64
			for _, id := range opt.IDs {
				n, err := ParseEntryID(id)
				if err == nil {
					_, err = getEntry(tx, n)
				}
				if err != nil {
					return err
				}
				numbers = append(numbers, n)
			}
			where, args = `id IN (`+theseIDs+`)`, []any{store.List(numbers)}
		}
		var id int64
		var name string
		var several []Cited
		return tx.Each([]any{&id, &name, store.JSON(&several, "an entry e%d whose sources", &id)}, func() error {
			r.Rests(id, 0, name)
			for i := 1; i < len(several); i++ {
				r.Rests(id, i, several[i].SourceDoc)
			}
			several = nil
			return nil
		}, `SELECT id, source_doc, sources FROM entries WHERE `+where+` ORDER BY id`, args...)
	})
	r.Result.Run = v.b.run
	return r, err
}

// run reads the sources, a few at a time.
func (v *verifier) run(ctx context.Context, r *verify.Run) error {
	workers := min(runtime.GOMAXPROCS(0), 4)
	shares := r.Shares(4 * workers)
	return parallel(ctx, len(shares), workers, func(i int) error { return r.Check(ctx, shares[i]) })
}

// Findings reads what [verify.Board] asks for.
func (v *verifier) Findings(ctx context.Context, entries []int64) (findings map[int64]*verify.Finding,
	have map[int64]verify.Record, accepted map[string]*claims.Acceptance, err error) {
	var ids []string
	for i := 0; i < len(entries) && !v.posted; i++ {
		ids = append(ids, EntryID(entries[i]))
	}
	err = v.b.read(ctx, func(tx *store.Tx) (err error) {
		if findings, err = verifyFindings(tx, entries); err == nil {
			have, err = verdictsOn(tx, entries)
		}
		if err == nil {
			accepted, err = acceptances(tx, ids)
		}
		return err
	})
	return findings, have, accepted, err
}

// Text is the text that the board keeps of a source.
func (v *verifier) Text(ctx context.Context, source string) (string, error) {
	return v.b.sourceText(ctx, v.registered[source])
}

func (v *verifier) Record(ctx context.Context, fresh []verify.Fresh) (recorded int, err error) {
	entries := make([]int64, len(fresh))
	for i := range fresh {
		entries[i] = fresh[i].Entry
	}
	err = v.b.write(ctx, v.worker, func(w *writer) error {
		recorded = 0
		have, err := verdictsOn(w.tx, entries)
		if err != nil {
			return err
		}
		for i := range fresh {
			p := &fresh[i]
			if p.Is(have[p.Entry]) { // written in the meantime
				continue
			}
			if err := w.event(record.VerbVerify, EntryID(p.Entry), p.Record); err != nil {
				return fmt.Errorf("%s: %w", EntryID(p.Entry), err)
			}
			recorded++
		}
		return nil
	})
	return recorded, err
}

// verifyFindings reads entries, and the texts linked with those that are not observations.
func verifyFindings(tx *store.Tx, entries []int64) (map[int64]*verify.Finding, error) {
	all := make(map[int64]*verify.Finding, len(entries))
	var calculations, conclusions []int64
	var id int64
	var f verify.Finding
	row := []any{&id, &f.Type, &f.Worker, &f.Content, &f.Evidence, &f.SourceDoc, &f.SourceRef,
		&f.MustSurface, store.JSON(&f.Sources, "an entry e%d whose sources", &id)}
	err := tx.Each(row, func() error {
		f.ID, f.Calculated = EntryID(id), f.Type == Calculation
		f.Concludes = f.Type != Observation
		if f.Calculated {
			calculations = append(calculations, id)
		} else if f.Concludes {
			conclusions = append(conclusions, id)
		}
		own := f
		own.Content, own.Evidence = txt.Plain(f.Content), txt.Plain(f.Evidence)
		if len(own.Sources) == 0 {
			own.Sources = []Cited{{SourceDoc: f.SourceDoc, SourceRef: f.SourceRef, Evidence: f.Evidence}}
		}
		for i := range own.Sources {
			own.Sources[i].Evidence = txt.Plain(own.Sources[i].Evidence)
		}
		f.Sources, all[id] = nil, &own
		return nil
	}, `SELECT id, type, worker, content, evidence, source_doc, source_ref, must_surface, sources
		FROM entries WHERE id IN (`+theseIDs+`)`, store.List(entries))
	var signal int64
	if err == nil {
		err = tx.Each([]any{&id, &signal}, func() error {
			all[id].Addresses = append(all[id].Addresses, SignalID(signal))
			return nil
		}, `SELECT src, dst FROM links WHERE kind = 'addresses' AND src IN (`+theseIDs+`)
			ORDER BY src, dst`, store.List(entries))
	}
	if err != nil || len(calculations)+len(conclusions) == 0 {
		return all, err
	}
	var content, evidence string
	return all, tx.Each([]any{&id, &content, &evidence}, func() error {
		all[id].Related = append(all[id].Related, content+"\n\n"+evidence)
		return nil
	}, `SELECT l.src, e.content, e.evidence FROM links l JOIN entries e ON e.id = l.dst
			WHERE l.kind = 'supports' AND l.src IN (`+theseIDs+`)
				OR l.kind IN ('supports', 'contradicts', 'supersedes') AND l.src IN (`+theseIDs+`)
		UNION ALL SELECT l.dst, e.content, e.evidence FROM links l JOIN entries e ON e.id = l.src
			WHERE l.kind = 'supports' AND l.dst IN (`+theseIDs+`)`,
		store.List(calculations), store.List(conclusions),
		store.List(slices.Concat(calculations, conclusions)))
}
