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
		joined: map[int64]*joinedParts{}, result: verify.Result{Run: b.run, Sources: []verify.SourceResult{},
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
	fresh  []freshVerdict         // that are to be written
	joined map[int64]*joinedParts // what is known of findings with several sources

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
	parts   []verifyPart
	sum     string
	doubted int
}

// joinedParts are the results of the sources of one finding.
type joinedParts struct {
	parts []verify.Part
	jobs  []*verifyJob
	have  int
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
	var several []Cited
	byName, bySource := map[string]*verifyJob{}, map[verifySource]*verifyJob{}
	rests := func(name string, nth int) {
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
		j.parts = append(j.parts, verifyPart{id, nth, j})
	}
	return tx.Each([]any{&id, &name, store.JSON(&several, "an entry e%d whose sources", &id)}, func() error {
		rests(name, 0)
		for i := 1; i < len(several); i++ {
			rests(several[i].SourceDoc, i)
		}
		several = nil
		return nil
	}, `SELECT id, source_doc, sources FROM entries WHERE `+where+` ORDER BY id`, args...)
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

// verifyPart is an entry with one of its sources.
type verifyPart struct {
	entry int64
	nth   int // which of them
	job   *verifyJob
}

// parts divides the work into about n parts, or more if they hold more than one batch. Each
// source is in one part only, and is read once.
func (v *verifier) parts(n int) (parts [][]verifyPart) {
	all := 0
	for _, j := range v.jobs {
		all += len(j.parts)
	}
	var part []verifyPart
	for i, j := range v.jobs {
		part = append(part, j.parts...)
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
			held := verify.Part{Cited: f.Sources[p.nth], Outcome: judge(f.At(p.nth))}
			if p.job.none && held.Verdict == verify.NoSource && len(f.Sources) == 1 && f.Evidence == "" &&
				(f.Type != Observation || len(v.registered) == 0) {
				v.mu.Lock()
				v.result.Unsourced++ // it needs none
				v.mu.Unlock()
				continue
			}
			if p.job.readable() {
				held.Source, held.File, held.SHA256 = p.job.name(), p.job.path, p.job.sum
			}
			all := v.join(p, len(f.Sources), held)
			if all == nil {
				continue // until its other sources are read
			}
			item, decides := f.Item(all.parts)
			p.job = all.jobs[decides]
			item.Doubt = verifyDoubt(item.Verdict, f.Content, f.Sources, func(i int) string {
				return all.parts[i].SHA256
			})
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

// join returns what all of some sources have of a finding, once the last one is read.
func (v *verifier) join(p verifyPart, sources int, held verify.Part) *joinedParts {
	if sources == 1 {
		return &joinedParts{[]verify.Part{held}, []*verifyJob{p.job}, 1}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	all := v.joined[p.entry]
	if all == nil {
		all = &joinedParts{make([]verify.Part, sources), make([]*verifyJob, sources), 0}
		v.joined[p.entry] = all
	}
	all.parts[p.nth], all.jobs[p.nth] = held, p.job
	if all.have++; all.have < sources {
		return nil
	}
	delete(v.joined, p.entry)
	return all
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
	now := verifyPayload{Held: heldAs(&item.Part)}
	for i := range item.Parts {
		now.Parts = append(now.Parts, heldAs(&item.Parts[i]))
	}
	if !now.is(have) {
		v.fresh = append(v.fresh, freshVerdict{p.entry, now})
	}
}

// heldAs is a result as the board keeps it.
func heldAs(p *verify.Part) Held {
	h := Held{Verdict: p.Verdict, Source: p.Source, SHA256: p.SHA256, Note: Line(p.Note, 400)}
	if p.Passage != nil {
		h.Place = p.Passage.Where
	}
	return h
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
			if p.is(have[p.entry]) { // written in the meantime
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
			Findings:   len(j.parts),
			Doubted:    j.doubted,
		})
	}
	slices.SortFunc(r.Sources, func(a, b verify.SourceResult) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.File, b.File))
	})
	r.Judge()
}
