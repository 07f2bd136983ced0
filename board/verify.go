package board

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"blackboard/board/claims"
	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/board/store"
	txt "blackboard/board/text"
	"blackboard/board/verify"
)

// VerifyOptions selects the entries and the files.
type VerifyOptions struct {
	IDs   []string      // entries; none: all that are not superseded
	Files []verify.File // where sources may lie, beside the paths that they were registered with
	// BoardOnly reads no files, only the texts that the board keeps of registered
	// sources.
	BoardOnly bool
	// NoRecord writes nothing to the board.
	NoRecord bool
	// FirstDoubted limits the items to the first doubted findings, if it is above 0. The
	// others are counted and written to the board all the same, and a run of any length
	// takes little memory.
	FirstDoubted int
}

// How many findings are read, and how many verdicts are written, at once.
const (
	verifyRead  = 2000
	verifyWrite = 10_000
)

// Verify checks whether entries stand in their sources, and writes each new verdict to
// the board, some at a time. If it may not write, the result says so. A source is a
// registered file, a file of the options, or the kept text if there is no file. Verify
// reads a few sources at a time.
func (b *Board) Verify(ctx context.Context, worker string, opt VerifyOptions) (verify.Result,
	error) {
	v := verifier{b: b, worker: worker, opt: opt, files: verify.NewFiles(opt.Files),
		result: verify.Result{Run: b.run, Sources: []verify.SourceResult{},
			Items: []verify.ItemResult{}}}
	err := b.read(ctx, v.load)
	if err == nil {
		err = v.run(ctx)
	}
	if err == nil {
		err = v.record(ctx, 1)
	}
	v.finish()
	return v.result, err
}

// verifier is one run of Verify.
type verifier struct {
	b          *Board
	worker     string
	opt        VerifyOptions
	posted     bool // the finding has just been posted: nobody has looked at it
	registered map[string]*Source
	names      *verify.Files // of registered sources
	files      *verify.Files
	jobs       []*verifyJob // in the order of their first entries

	mu     sync.Mutex // of what follows
	result verify.Result
	fresh  []freshVerdict // that are to be written

	writing sync.Mutex
}

// verifySource is what the name of a source stands for.
type verifySource struct {
	none          bool    // the name is empty
	verdict, note string  // of all findings that name it; "": it can be read
	registered    *Source // nil: it is not
	path          string  // "": its text on the board is read
}

func (s *verifySource) name() string {
	if s.registered != nil {
		return s.registered.Name
	}
	return s.path
}

// verifyJob is a source and what has to be checked against it.
type verifyJob struct {
	verifySource
	entries []int64
	sum     string
	doubted int
}

// load finds out what has to be checked.
func (v *verifier) load(tx *store.Tx) (err error) {
	if v.result.Seq, err = tx.LastSeq(); err != nil {
		return err
	}
	if v.registered, err = sourcesByName(tx); err != nil {
		return err
	}
	var names []verify.File
	for name, s := range v.registered {
		names = append(names, verify.File{Name: name, Path: s.Path})
	}
	v.names = verify.NewFiles(names)
	where, args := `status <> 'superseded'`, []any{}
	if len(v.opt.IDs) > 0 {
		var numbers []int64
		for _, id := range v.opt.IDs {
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
	byName, bySource := map[string]*verifyJob{}, map[verifySource]*verifyJob{}
	return tx.Each([]any{&id, &name}, func() error {
		j := byName[name]
		if j == nil {
			s := v.source(name)
			if j = bySource[s]; j == nil {
				j = &verifyJob{verifySource: s}
				bySource[s] = j
				v.jobs = append(v.jobs, j)
			}
			byName[name] = j
		}
		j.entries = append(j.entries, id)
		return nil
	}, `SELECT id, source_doc FROM entries WHERE `+where+` ORDER BY id`, args...)
}

// source finds the file or text that a source's name stands for.
func (v *verifier) source(name string) verifySource {
	if strings.TrimSpace(name) == "" {
		return verifySource{none: true}
	}
	known := v.names.Find(name)
	if len(known) > 1 {
		return verifySource{verdict: verify.Ambiguous,
			note: "registered are " + verify.Names(known)}
	}
	var source *Source
	found := v.files.Find(name)
	if len(known) == 1 {
		source = v.registered[known[0].Name]
		if len(found) != 1 {
			found = v.files.Find(source.Name)
		}
	}
	switch {
	case len(found) > 1:
		return verifySource{verdict: verify.Ambiguous, note: "it may be " + verify.Names(found)}
	case len(found) == 1:
		return verifySource{path: found[0].Path, registered: source}
	case source == nil && strings.HasPrefix(name, "kb:"): // what workers are told to write
		return verifySource{verdict: verify.NoFile,
			note: Line(name, 80) + " is a capsule of the knowledge base, which is not read"}
	case source == nil && len(v.registered) > 0:
		return verifySource{verdict: verify.Unregistered,
			note: "no registered source is called " + Line(name, 80)}
	case source == nil && v.files.Unknown(name):
		return verifySource{verdict: verify.Unknown, note: "no file is called " + Line(name, 80) +
			"; the sources are " + verify.Names(v.files.All())}
	case source == nil:
		return verifySource{verdict: verify.NoFile, note: "no file is called " + Line(name, 80)}
	}
	if info, err := os.Stat(source.Path); !v.opt.BoardOnly && err == nil && info.Mode().IsRegular() {
		return verifySource{path: source.Path, registered: source}
	}
	if source.Text {
		return verifySource{registered: source}
	}
	if v.opt.BoardOnly {
		return verifySource{verdict: verify.NoFile, note: "its text is not on the board"}
	}
	return verifySource{verdict: verify.NoFile,
		note: "there is no file " + Line(source.Path, 80) + ", and its text is not on the board"}
}

// run reads the sources, a few at a time.
func (v *verifier) run(ctx context.Context) error {
	workers := min(runtime.GOMAXPROCS(0), 4)
	parts := v.parts(4 * workers)
	return parallel(ctx, len(parts), workers, func(i int) error { return v.check(ctx, parts[i]) })
}

// verifyPart is an entry with its source.
type verifyPart struct {
	entry int64
	job   *verifyJob
}

// parts divides the work into about n parts, or more if they hold more than one batch. Each
// source is in one part only, and is read once.
func (v *verifier) parts(n int) (parts [][]verifyPart) {
	all := 0
	for _, j := range v.jobs {
		all += len(j.entries)
	}
	var part []verifyPart
	for i, j := range v.jobs {
		for _, entry := range j.entries {
			part = append(part, verifyPart{entry, j})
		}
		if i == len(v.jobs)-1 || len(part) >= min(all/n, verifyRead) {
			parts, part = append(parts, part), nil
		}
	}
	return parts
}

// check checks some entries against their sources.
func (v *verifier) check(ctx context.Context, part []verifyPart) error {
	var open *verifyJob
	var judge func(*verify.Finding) verify.Outcome
	for some := range slices.Chunk(part, verifyRead) {
		var findings map[int64]*verify.Finding
		var have map[int64]verifyPayload
		var accepted map[string]*claims.Acceptance
		entries, ids := make([]int64, len(some)), []string{}
		for i := range some {
			entries[i] = some[i].entry
			if !v.posted {
				ids = append(ids, EntryID(some[i].entry))
			}
		}
		err := v.b.read(ctx, func(tx *store.Tx) (err error) {
			if findings, err = verifyFindings(tx, entries); err == nil {
				have, err = verdictsOn(tx, entries)
			}
			if err == nil {
				accepted, err = acceptances(tx, ids)
			}
			return err
		})
		if err != nil {
			return err
		}
		for _, p := range some {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if p.job != open {
				if judge, err = v.open(ctx, p.job); err != nil {
					return err
				}
				open = p.job
			}
			f := findings[p.entry]
			if f == nil {
				continue // the run was put back in the meantime
			}
			o := judge(f)
			if p.job.none && o.Verdict == verify.NoSource && f.Evidence == "" &&
				(f.Type != Observation || len(v.registered) == 0) {
				v.mu.Lock()
				v.result.Unsourced++ // it needs none
				v.mu.Unlock()
				continue
			}
			item := f.Item(o)
			if p.job.readable() {
				item.Source, item.File, item.SHA256 = p.job.name(), p.job.path, p.job.sum
			}
			item.Doubt = verifyDoubt(item.Verdict, f.Content, f.Evidence, f.SourceDoc, f.SourceRef,
				item.SHA256)
			if a := accepted[item.Doubt]; a != nil {
				item.Doubted, item.Accepted = false, a
			}
			if !verify.Judged(item.Verdict) {
				item.Earlier = have[p.entry].Verdict
			}
			v.add(p, &item, have[p.entry])
		}
		if err := v.record(ctx, verifyWrite); err != nil {
			return err
		}
	}
	return nil
}

// readable reports whether findings are held against a text.
func (s *verifySource) readable() bool { return !s.none && s.verdict == "" }

// open reads a source, and returns what checks a finding against it.
func (v *verifier) open(ctx context.Context, j *verifyJob) (func(*verify.Finding) verify.Outcome,
	error) {
	if j.none {
		return verify.CheckAlone, nil
	}
	if !j.readable() {
		return func(*verify.Finding) verify.Outcome { return verify.Plain(j.verdict, j.note) }, nil
	}
	var doc *documents.Document
	var err error
	if j.path == "" {
		var text string
		if text, err = v.b.sourceText(ctx, j.registered); err != nil {
			return nil, err
		}
		doc, j.sum = documents.NewSource(j.registered.Name, text), j.registered.SHA256
	} else if j.sum, _, err = documents.Sum(j.path); err == nil {
		doc, err = documents.OpenSource(j.path)
	}
	if err != nil {
		return func(*verify.Finding) verify.Outcome {
			return verify.Plain(verify.Unreadable, err.Error())
		}, nil
	}
	source := verify.NewSource(doc)
	if j.path != "" {
		source.Raw = verify.RawText(j.path)
	}
	return func(f *verify.Finding) verify.Outcome {
		o := source.Check(f)
		o.Note = doc.AddUnread(o.Note, !verify.Sound(o.Verdict))
		if verify.Sound(o.Verdict) && j.registered == nil && len(v.registered) > 0 {
			o.Verdict = verify.Unregistered
			o.Note = "it stands in " + j.path + ", which is not registered"
		}
		return o
	}, nil
}

// verifyFindings reads entries, and what calculations among them rest on.
func verifyFindings(tx *store.Tx, entries []int64) (map[int64]*verify.Finding, error) {
	all := make(map[int64]*verify.Finding, len(entries))
	var calculations, conclusions []int64
	var id int64
	var f verify.Finding
	row := []any{&id, &f.Type, &f.Worker, &f.Content, &f.Evidence, &f.SourceDoc, &f.SourceRef,
		&f.MustSurface}
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
		all[id] = &own
		return nil
	}, `SELECT id, type, worker, content, evidence, source_doc, source_ref, must_surface
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

// add counts the result of a finding, lists it, and keeps its verdict for the board. A
// finding that could not be checked changes nothing there.
func (v *verifier) add(p verifyPart, item *verify.ItemResult, have verifyPayload) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.result.Count(item)
	if item.Doubted {
		p.job.doubted++
	}
	if most := v.opt.FirstDoubted; most <= 0 || item.Doubted || item.Accepted != nil {
		v.result.Items = append(v.result.Items, *item)
		if most > 0 && len(v.result.Items) >= 2*most {
			v.result.Limit(v.opt.FirstDoubted)
		}
	}
	if v.opt.NoRecord || v.result.NotRecorded != "" || !verify.Judged(item.Verdict) {
		return
	}
	now := verifyPayload{Verdict: item.Verdict, Source: item.Source, SHA256: item.SHA256,
		Note: Line(item.Note, 400)}
	if item.Passage != nil {
		now.Place = item.Passage.Where
	}
	if now != have {
		v.fresh = append(v.fresh, freshVerdict{p.entry, now})
	}
}

// record writes the verdicts to the board once there are that many.
func (v *verifier) record(ctx context.Context, atLeast int) error {
	v.mu.Lock()
	if len(v.fresh) < atLeast {
		v.mu.Unlock()
		return nil
	}
	fresh := v.fresh
	v.fresh = nil
	v.mu.Unlock()
	v.writing.Lock() // the others go on meanwhile
	defer v.writing.Unlock()
	slices.SortFunc(fresh, func(a, b freshVerdict) int { return cmp.Compare(a.entry, b.entry) })
	entries := make([]int64, len(fresh))
	for i := range fresh {
		entries[i] = fresh[i].entry
	}
	recorded := 0
	err := v.b.write(ctx, v.worker, func(w *writer) error {
		recorded = 0
		have, err := verdictsOn(w.tx, entries)
		if err != nil {
			return err
		}
		for i := range fresh {
			p := &fresh[i]
			if have[p.entry] == p.verifyPayload { // written in the meantime
				continue
			}
			if err := w.event(verbVerify, EntryID(p.entry), p.verifyPayload); err != nil {
				return fmt.Errorf("%s: %w", EntryID(p.entry), err)
			}
			recorded++
		}
		return nil
	})
	v.mu.Lock()
	defer v.mu.Unlock()
	if errors.Is(err, fault.ReadOnly) { // the judgement needs no write
		v.result.NotRecorded, err = err.Error(), nil
	} else if err == nil {
		v.result.Recorded += recorded
	}
	return err
}

// finish orders the items and the sources, and judges.
func (v *verifier) finish() {
	v.result.Limit(v.opt.FirstDoubted)
	r := &v.result
	for _, j := range v.jobs {
		if !j.readable() {
			continue
		}
		r.Sources = append(r.Sources, verify.SourceResult{
			Name:       j.name(),
			File:       j.path,
			SHA256:     j.sum,
			Registered: j.registered != nil,
			Changed:    j.registered != nil && j.sum != "" && j.sum != j.registered.SHA256,
			Findings:   len(j.entries),
			Doubted:    j.doubted,
		})
	}
	slices.SortFunc(r.Sources, func(a, b verify.SourceResult) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.File, b.File))
	})
	r.Judge()
}
