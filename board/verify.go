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

	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/board/store"
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
}

// Verify checks whether entries stand in their sources, and writes each new verdict to
// the board. If it may not write, the result says so. A source is a registered file, a
// file of the options, or the kept text if there is no file. Verify reads a few sources
// at a time.
func (b *Board) Verify(
	ctx context.Context,
	worker string,
	opt VerifyOptions,
) (verify.Result, error) {
	v := verifier{
		boardOnly: opt.BoardOnly,
		files:     verify.NewFiles(opt.Files),
		byName:    map[string]*verifySource{},
		jobs:      map[string]*verifyJob{},
	}
	err := b.read(ctx, func(tx *store.Tx) error { return v.load(tx, opt.IDs) })
	if err != nil {
		return verify.Result{}, err
	}
	r := verify.Result{
		Run:     b.run,
		Seq:     v.seq,
		Sources: []verify.SourceResult{},
		Items:   make([]verify.ItemResult, len(v.findings)),
	}
	v.sort(r.Items)
	if err := v.run(ctx, b, r.Items); err != nil {
		return r, err
	}
	r.Items = slices.DeleteFunc(r.Items, func(i verify.ItemResult) bool { return i.ID == "" })
	v.sum(&r)
	if !opt.NoRecord {
		err = b.recordVerified(ctx, worker, &r)
	}
	if errors.Is(err, fault.ReadOnly) { // the judgement needs no write
		r.NotRecorded, err = err.Error(), nil
	}
	return r, err
}

// verifier is one run of Verify.
type verifier struct {
	boardOnly  bool
	seq        int64
	findings   []verify.Finding
	registered map[string]*Source
	names      *verify.Files // of registered sources
	files      *verify.Files
	byName     map[string]*verifySource // by what entries call it
	jobs       map[string]*verifyJob    // by the path, or the registered name
}

// verifySource is what a source's name stands for.
type verifySource struct {
	verdict, note string // of findings that name it, if it cannot be read
	job           *verifyJob
}

// verifyJob is a source with the findings to check against it.
type verifyJob struct {
	source   *Source // nil: it is not registered
	path     string  // "": its text on the board is read
	findings []int
	sum      string
}

func (j *verifyJob) name() string {
	if j.source != nil {
		return j.source.Name
	}
	return j.path
}

// load reads what has to be checked.
func (v *verifier) load(tx *store.Tx, ids []string) (err error) {
	if v.seq, err = lastSeq(tx); err != nil {
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
	where, args := `e.status <> 'superseded'`, []any{}
	if len(ids) > 0 {
		where = `e.id IN (?` + strings.Repeat(", ?", len(ids)-1) + `)`
		for _, id := range ids {
			n, err := ParseEntryID(id)
			if err == nil {
				_, err = getEntry(tx, n)
			}
			if err != nil {
				return err
			}
			args = append(args, n)
		}
	}
	var id int64
	var f verify.Finding
	calculations := map[int64]int{}
	err = tx.Each(
		[]any{
			&id,
			&f.Type,
			&f.Worker,
			&f.Content,
			&f.Evidence,
			&f.SourceDoc,
			&f.SourceRef,
			&f.MustSurface,
		},
		func() error {
			f.ID, f.Calculated = EntryID(id), f.Type == Calculation
			if f.Calculated {
				calculations[id] = len(v.findings)
			}
			v.findings = append(v.findings, f)
			return nil
		},
		`SELECT e.id, e.type, e.worker, e.content, e.evidence, e.source_doc, e.source_ref, e.must_surface FROM entries e WHERE `+where+` ORDER BY e.id`,
		args...)
	if err != nil {
		return err
	}
	return v.relate(tx, calculations)
}

// relate gives calculations the entries that support them and those that they support.
func (v *verifier) relate(tx *store.Tx, calculations map[int64]int) error {
	var content, evidence string
	for id, i := range calculations {
		err := tx.Each([]any{&content, &evidence}, func() error {
			v.findings[i].Related = append(v.findings[i].Related, content+"\n\n"+evidence)
			return nil
		}, `SELECT e.content, e.evidence FROM links l JOIN entries e ON e.id = l.dst WHERE l.src = ?1 AND l.kind = 'supports'
			UNION ALL SELECT e.content, e.evidence FROM links l JOIN entries e ON e.id = l.src WHERE l.dst = ?1 AND l.kind = 'supports'`, id)
		if err != nil {
			return err
		}
	}
	return nil
}

// sort assigns each finding to its source. A finding without one gets its verdict.
func (v *verifier) sort(items []verify.ItemResult) {
	for i := range v.findings {
		f := &v.findings[i]
		if strings.TrimSpace(f.SourceDoc) == "" {
			o := verify.CheckAlone(f)
			stands := f.Evidence != "" || f.Type == Observation && len(v.registered) > 0
			if o.Verdict != verify.NoSource || stands {
				items[i] = f.Item(o)
			}
			continue
		}
		s := v.byName[f.SourceDoc]
		if s == nil {
			s = v.source(f.SourceDoc)
			v.byName[f.SourceDoc] = s
		}
		if s.job == nil {
			items[i] = f.Item(verify.Plain(s.verdict, s.note))
			continue
		}
		s.job.findings = append(s.job.findings, i)
	}
}

// source finds the file or text that a source's name stands for.
func (v *verifier) source(name string) *verifySource {
	known := v.names.Find(name)
	if len(known) > 1 {
		return &verifySource{
			verdict: verify.Ambiguous,
			note:    "registered are " + verify.Names(known),
		}
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
		return &verifySource{verdict: verify.Ambiguous, note: "it may be " + verify.Names(found)}
	case len(found) == 1:
		return v.job(found[0].Path, source)
	case source == nil && len(v.registered) > 0:
		return &verifySource{
			verdict: verify.Unregistered,
			note:    "no registered source is called " + Line(name, 80),
		}
	case source == nil && v.files.Unknown(name):
		return &verifySource{
			verdict: verify.Unknown,
			note: "no file is called " + Line(name, 80) +
				"; the sources are " + verify.Names(v.files.All()),
		}
	case source == nil:
		return &verifySource{verdict: verify.NoFile, note: "no file is called " + Line(name, 80)}
	}
	if info, err := os.Stat(source.Path); !v.boardOnly && err == nil && info.Mode().IsRegular() {
		return v.job(source.Path, source)
	}
	if source.Text {
		return v.job("", source)
	}
	if v.boardOnly {
		return &verifySource{verdict: verify.NoFile, note: "its text is not on the board"}
	}
	return &verifySource{
		verdict: verify.NoFile,
		note:    "there is no file " + Line(source.Path, 80) + ", and its text is not on the board",
	}
}

func (v *verifier) job(path string, source *Source) *verifySource {
	j := &verifyJob{path: path, source: source}
	key := path + "\x00" + j.name()
	if have := v.jobs[key]; have != nil {
		j = have
	}
	v.jobs[key] = j
	return &verifySource{job: j}
}

// run reads the sources, a few at a time.
func (v *verifier) run(ctx context.Context, b *Board, items []verify.ItemResult) error {
	jobs := make(chan *verifyJob)
	errs := make(chan error, 1)
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), 4) {
		wait.Go(func() {
			for j := range jobs {
				if err := v.check(ctx, b, j, items); err != nil {
					select {
					case errs <- err:
					default:
					}
				}
			}
		})
	}
	for _, j := range v.jobs {
		if ctx.Err() != nil {
			break
		}
		jobs <- j
	}
	close(jobs)
	wait.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return ctx.Err()
	}
}

// check checks the findings of one source against it.
func (v *verifier) check(
	ctx context.Context,
	b *Board,
	j *verifyJob,
	items []verify.ItemResult,
) error {
	var doc *documents.Document
	var err error
	if j.path == "" {
		var text string
		if text, err = b.sourceText(ctx, j.source); err != nil {
			return err
		}
		doc, j.sum = documents.New(j.source.Name, text), j.source.SHA256
	} else if j.sum, _, err = documents.Sum(j.path); err == nil {
		doc, err = documents.Open(j.path)
	}
	var source *verify.Source
	if err == nil {
		source = verify.NewSource(doc)
	}
	for _, i := range j.findings {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f := &v.findings[i]
		o := verify.Plain(verify.Unreadable, "")
		if err != nil {
			o.Note = err.Error()
		} else {
			o = source.Check(f)
		}
		if verify.Sound(o.Verdict) && j.source == nil && len(v.registered) > 0 {
			o.Verdict = verify.Unregistered
			o.Note = "it stands in " + j.path + ", which is not registered"
		}
		items[i] = f.Item(o)
		items[i].Source, items[i].File, items[i].SHA256 = j.name(), j.path, j.sum
	}
	return nil
}

// sum counts the verdicts.
func (v *verifier) sum(r *verify.Result) {
	doubted := map[string]int{}
	for i := range r.Items {
		if item := &r.Items[i]; item.Doubted {
			doubted[item.File+"\x00"+item.Source]++
		}
	}
	for key, j := range v.jobs {
		r.Sources = append(
			r.Sources,
			verify.SourceResult{
				Name:       j.name(),
				File:       j.path,
				SHA256:     j.sum,
				Registered: j.source != nil,
				Changed: j.source != nil && j.sum != "" &&
					j.sum != j.source.SHA256,
				Findings: len(j.findings),
				Doubted:  doubted[key],
			},
		)
	}
	slices.SortFunc(r.Sources, func(a, b verify.SourceResult) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.File, b.File))
	})
	r.Count()
}

// recordVerified writes the verdicts that are new to the board. It changes nothing for
// findings that could not be checked.
func (b *Board) recordVerified(ctx context.Context, worker string, r *verify.Result) error {
	fresh := func(tx *store.Tx) (map[int64]verifyPayload, []int64, error) {
		have := map[int64]verifyPayload{}
		var id int64
		var p verifyPayload
		old, err := before0006(tx)
		if err == nil && !old {
			err = tx.Each(
				[]any{&id, &p.Verdict, &p.Source, &p.SHA256, &p.Place, &p.Note},
				func() error {
					have[id] = p
					return nil
				},
				`SELECT entry, verdict, source, sha256, place, note FROM verifications`,
			)
		}
		if err != nil {
			return nil, nil, err
		}
		changed, order := map[int64]verifyPayload{}, []int64{}
		for i := range r.Items {
			item := &r.Items[i]
			if !verify.Sound(item.Verdict) && !item.Doubted {
				continue
			}
			p := verifyPayload{
				Verdict: item.Verdict,
				Source:  item.Source,
				SHA256:  item.SHA256,
				Note:    Line(item.Note, 400),
			}
			if item.Passage != nil {
				p.Place = item.Passage.Where
			}
			if n, err := ParseEntryID(item.ID); err == nil && have[n] != p {
				changed[n], order = p, append(order, n)
			}
		}
		return changed, order, nil
	}
	var order []int64
	err := b.read(ctx, func(tx *store.Tx) (err error) {
		_, order, err = fresh(tx)
		return err
	})
	if err != nil || len(order) == 0 {
		return err
	}
	return b.write(ctx, worker, func(w *writer) error {
		changed, order, err := fresh(w.tx)
		if err != nil {
			return err
		}
		for _, n := range order {
			p := changed[n]
			if err := w.event(verbVerify, EntryID(n), p); err != nil {
				return fmt.Errorf("%s: %w", EntryID(n), err)
			}
			v := Verification{
				Verdict: p.Verdict,
				Source:  p.Source,
				SHA256:  p.SHA256,
				Place:   p.Place,
				Note:    p.Note,
				Seq:     w.seq,
				At:      fromMillis(w.at),
				Worker:  w.actor,
			}
			if err := w.verificationRow(n, &v); err != nil {
				return err
			}
		}
		r.Recorded = len(order)
		return nil
	})
}
