package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"blackboard/board/claims"
	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/board/text"
)

// Options selects the entries and the files.
type Options struct {
	IDs   []string // entries; none: all that are not superseded
	Files []File   // where sources may lie, beside the paths that they were registered with
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
	AtOnce  = 2000
	writeAt = 10_000
)

// Registered is a source that the board has registered.
type Registered struct {
	Name, Path, SHA256 string
	Text               bool // the board keeps its text
}

// Held is what came of holding an entry against a source.
type Held struct {
	Verdict string `json:"verdict"` // found, supported, … (board help verify)
	Source  string `json:"source"`  // the name of a registered source, or a path; "" for none
	SHA256  string `json:"sha256"`  // of the source
	Place   string `json:"place"`   // "line 12"
	Note    string `json:"note"`    // why, in a few words
}

// Record is a verdict as the board keeps it.
type Record struct {
	Held
	Parts []Held `json:"parts,omitempty"`
}

// Is reports whether two verdicts say the same.
func (r *Record) Is(o Record) bool { return r.Held == o.Held && slices.Equal(r.Parts, o.Parts) }

// Fresh is a verdict that the board does not have.
type Fresh struct {
	Entry int64 // its number
	Record
}

// Board has the findings of a run, by the numbers of their entries.
type Board interface {
	// Findings reads entries, the verdicts on them, and the acceptances of doubts about them.
	Findings(ctx context.Context, entries []int64) (map[int64]*Finding, map[int64]Record,
		map[string]*claims.Acceptance, error)
	// Text is the kept text of a registered source.
	Text(ctx context.Context, source string) (string, error)
	// Record writes the verdicts that the board does not have by now, and returns how many.
	Record(ctx context.Context, fresh []Fresh) (int, error)
}

// Run holds the findings of a board against their sources. It reads a few sources at a time.
type Run struct {
	Result Result

	board      Board
	opt        Options
	registered map[string]*Registered
	names      *fileIndex // of registered sources
	files      *fileIndex
	jobs       []*job // in the order of their first entries
	byName     map[string]*job
	bySource   map[namedSource]*job

	mu     sync.Mutex            // of the result, and of what follows
	fresh  []Fresh               // that are to be written
	joined map[int64]*joinedPart // what is known of findings with several sources

	writing sync.Mutex
}

// NewRun begins a run; Rests says what has to be checked.
func NewRun(b Board, registered []Registered, opt Options) *Run {
	r := &Run{board: b, opt: opt, registered: map[string]*Registered{}, files: newFiles(opt.Files),
		byName: map[string]*job{}, bySource: map[namedSource]*job{}, joined: map[int64]*joinedPart{},
		Result: Result{Sources: []SourceResult{}, Items: []ItemResult{}}}
	var names []File
	for i := range registered {
		s := &registered[i]
		r.registered[s.Name] = s
		names = append(names, File{Name: s.Name, Path: s.Path})
	}
	r.names = newFiles(names)
	return r
}

// namedSource is what the name of a source stands for.
type namedSource struct {
	none          bool        // the name is empty
	verdict, note string      // of all findings that name it; "": it can be read
	registered    *Registered // nil: it is not
	path          string      // "": its text on the board is read
}

func (s *namedSource) name() string {
	if s.registered != nil {
		return s.registered.Name
	}
	return s.path
}

// readable reports whether findings are held against a text.
func (s *namedSource) readable() bool { return !s.none && s.verdict == "" }

// job is a source and what has to be checked against it.
type job struct {
	namedSource
	parts   []Rest
	sum     string
	doubted int
}

// Rest is an entry that rests on a source.
type Rest struct {
	entry int64
	nth   int // which of them
	job   *job
}

// joinedPart has the results of the sources of one finding.
type joinedPart struct {
	parts []Part
	jobs  []*job
	have  int
}

// Rests says that an entry rests on a source, and which of its sources that is, from 0.
func (r *Run) Rests(entry int64, nth int, name string) {
	j := r.byName[name]
	if j == nil {
		s := r.source(name)
		if j = r.bySource[s]; j == nil {
			j = &job{namedSource: s}
			r.bySource[s] = j
			r.jobs = append(r.jobs, j)
		}
		r.byName[name] = j
	}
	j.parts = append(j.parts, Rest{entry, nth, j})
}

// Postpone leaves files above a size for later, as nobody may wait for them.
func (r *Run) Postpone(above int64) {
	for _, j := range r.jobs {
		if info, err := os.Stat(j.path); j.path != "" && err == nil && info.Size() > above {
			j.verdict = NoFile
			j.note = fmt.Sprintf("%s has %d MB, and is read when the run is verified",
				filepath.Base(j.path), info.Size()>>20)
		}
	}
}

// source finds the file or text that a source's name stands for.
func (r *Run) source(name string) namedSource {
	if strings.TrimSpace(name) == "" {
		return namedSource{none: true}
	}
	known := r.names.Find(name)
	if len(known) > 1 {
		return namedSource{verdict: Ambiguous, note: "registered are " + fileNames(known)}
	}
	var its *Registered
	found := r.files.Find(name)
	if len(known) == 1 {
		its = r.registered[known[0].Name]
		if len(found) != 1 {
			found = r.files.Find(its.Name)
		}
	}
	switch {
	case len(found) > 1:
		return namedSource{verdict: Ambiguous, note: "it may be " + fileNames(found)}
	case len(found) == 1:
		return namedSource{path: found[0].Path, registered: its}
	case its == nil && strings.HasPrefix(name, "kb:"): // what workers are told to write
		return namedSource{verdict: NoFile,
			note: line(name, 80) + " is a capsule of the knowledge base, which is not read"}
	case its == nil && len(r.registered) > 0:
		return namedSource{verdict: Unregistered, note: "no registered source is called " + line(name, 80) +
			"; there are " + fileNames(r.names.all)}
	case its == nil && r.files.Unknown(name):
		return namedSource{verdict: Unknown, note: "no file is called " + line(name, 80) +
			"; the sources are " + fileNames(r.files.all)}
	case its == nil:
		return namedSource{verdict: NoFile, note: "no file is called " + line(name, 80)}
	}
	if info, err := os.Stat(its.Path); !r.opt.BoardOnly && err == nil && info.Mode().IsRegular() {
		return namedSource{path: its.Path, registered: its}
	}
	if its.Text {
		return namedSource{registered: its}
	}
	if r.opt.BoardOnly {
		return namedSource{verdict: NoFile, note: "its text is not on the board"}
	}
	return namedSource{verdict: NoFile,
		note: "there is no file " + line(its.Path, 80) + ", and its text is not on the board"}
}

func line(s string, most int) string { return fault.Clip(strings.Join(strings.Fields(s), " "), most) }

// Shares divides the work into about n shares, or more if they hold more than one batch. Each
// source is in one share only, and is read once.
func (r *Run) Shares(n int) (shares [][]Rest) {
	all := 0
	for _, j := range r.jobs {
		all += len(j.parts)
	}
	var share []Rest
	for i, j := range r.jobs {
		share = append(share, j.parts...)
		if i == len(r.jobs)-1 || len(share) >= min(all/n, AtOnce) {
			shares, share = append(shares, share), nil
		}
	}
	return shares
}

// Check checks a share of the work. Several may be checked at the same time.
func (r *Run) Check(ctx context.Context, share []Rest) error {
	var open *job
	var judge func(*Finding) Outcome
	for some := range slices.Chunk(share, AtOnce) {
		entries := make([]int64, len(some))
		for i := range some {
			entries[i] = some[i].entry
		}
		findings, have, accepted, err := r.board.Findings(ctx, entries)
		if err != nil {
			return err
		}
		for _, p := range some {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if p.job != open {
				if judge, err = r.open(ctx, p.job); err != nil {
					return err
				}
				open = p.job
			}
			f := findings[p.entry]
			if f == nil {
				continue // the run was put back in the meantime
			}
			held := Part{Cited: f.Sources[p.nth], Outcome: judge(f.at(p.nth))}
			if p.job.none && held.Verdict == NoSource && len(f.Sources) == 1 && f.Evidence == "" &&
				(f.Concludes || len(r.registered) == 0) {
				r.mu.Lock()
				r.Result.Unsourced++ // it needs none
				r.mu.Unlock()
				continue
			}
			if p.job.readable() {
				held.Source, held.File, held.SHA256 = p.job.name(), p.job.path, p.job.sum
			}
			all := r.join(p, len(f.Sources), held)
			if all == nil {
				continue // until its other sources are read
			}
			item, decides := f.item(all.parts)
			p.job = all.jobs[decides]
			item.Doubt = Doubt(item.Verdict, f.Content, f.Sources, func(i int) string {
				return all.parts[i].SHA256
			})
			if a := accepted[item.Doubt]; a != nil {
				item.Doubted, item.Accepted = false, a
			}
			if !Judged(item.Verdict) {
				item.Earlier = have[p.entry].Verdict
			}
			r.add(p, &item, have[p.entry])
		}
		if err := r.record(ctx, writeAt); err != nil {
			return err
		}
	}
	return nil
}

// Doubt is the id of what is held against a finding; "" for nothing. Where the source lies does
// not matter: another machine has it elsewhere. sum gives the checksum of each.
func Doubt(verdict, content string, cited []Cited, sum func(i int) string) string {
	if Sound(verdict) || !Judged(verdict) {
		return ""
	}
	held := []string{text.Plain(content)}
	for i, c := range cited {
		held = append(held, text.Plain(c.Evidence), c.SourceDoc, c.SourceRef, sum(i))
	}
	return claims.DoubtID("verify", verdict, held...)
}

// join returns what all of some sources have of a finding, once the last one is read; nil before.
func (r *Run) join(p Rest, sources int, held Part) *joinedPart {
	if sources == 1 {
		return &joinedPart{[]Part{held}, []*job{p.job}, 1}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.joined[p.entry]
	if all == nil {
		all = &joinedPart{make([]Part, sources), make([]*job, sources), 0}
		r.joined[p.entry] = all
	}
	all.parts[p.nth], all.jobs[p.nth] = held, p.job
	if all.have++; all.have < sources {
		return nil
	}
	delete(r.joined, p.entry)
	return all
}

// open reads a source, and returns what checks a finding against it.
func (r *Run) open(ctx context.Context, j *job) (func(*Finding) Outcome, error) {
	if j.none {
		return checkAlone, nil
	}
	if !j.readable() {
		return func(*Finding) Outcome { return Plain(j.verdict, j.note) }, nil
	}
	var doc *documents.Document
	var err error
	if j.path == "" {
		var text string
		if text, err = r.board.Text(ctx, j.registered.Name); err != nil {
			return nil, err
		}
		doc, j.sum = documents.NewSource(j.registered.Name, text), j.registered.SHA256
	} else if j.sum, _, err = documents.Sum(j.path); err == nil {
		doc, err = documents.OpenSource(j.path)
	}
	if err != nil {
		return func(*Finding) Outcome { return Plain(Unreadable, err.Error()) }, nil
	}
	its := NewSource(doc)
	if j.path != "" {
		its.Raw = rawText(j.path)
	}
	return func(f *Finding) Outcome {
		o := its.Check(f)
		o.Note = doc.AddUnread(o.Note, !Sound(o.Verdict))
		if Sound(o.Verdict) && j.registered == nil && len(r.registered) > 0 {
			o.Verdict = Unregistered
			o.Note = "it stands in " + j.path + ", which is not registered"
		}
		return o
	}, nil
}

// add counts the result of a finding, lists it, and keeps its verdict for the board. A
// finding that could not be checked changes nothing there.
func (r *Run) add(p Rest, item *ItemResult, have Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Result.count(item)
	if item.Doubted {
		p.job.doubted++
	}
	if most := r.opt.FirstDoubted; most <= 0 || item.Doubted || item.Accepted != nil {
		r.Result.Items = append(r.Result.Items, *item)
		if most > 0 && len(r.Result.Items) >= 2*most {
			r.Result.limit(most)
		}
	}
	if r.opt.NoRecord || r.Result.NotRecorded != "" || !Judged(item.Verdict) {
		return
	}
	now := Record{Held: item.held()}
	for i := range item.Parts {
		now.Parts = append(now.Parts, item.Parts[i].held())
	}
	if !now.Is(have) {
		r.fresh = append(r.fresh, Fresh{p.entry, now})
	}
}

// held is a result as the board keeps it.
func (p *Part) held() Held {
	h := Held{Verdict: p.Verdict, Source: p.Source, SHA256: p.SHA256, Note: line(p.Note, 400)}
	if p.Passage != nil {
		h.Place = p.Passage.Where
	}
	return h
}

// record writes the verdicts to the board once there are that many.
func (r *Run) record(ctx context.Context, atLeast int) error {
	r.mu.Lock()
	if len(r.fresh) < atLeast {
		r.mu.Unlock()
		return nil
	}
	fresh := r.fresh
	r.fresh = nil
	r.mu.Unlock()
	r.writing.Lock() // the others go on meanwhile
	defer r.writing.Unlock()
	slices.SortFunc(fresh, func(a, b Fresh) int { return cmp.Compare(a.Entry, b.Entry) })
	recorded, err := r.board.Record(ctx, fresh)
	r.mu.Lock()
	defer r.mu.Unlock()
	if errors.Is(err, fault.ReadOnly) { // the judgement needs no write
		r.Result.NotRecorded, err = err.Error(), nil
	} else if err == nil {
		r.Result.Recorded += recorded
	}
	return err
}

// End writes the verdicts that are left, if all went well so far, orders the items and the
// sources, and judges.
func (r *Run) End(ctx context.Context, err error) (Result, error) {
	if err == nil {
		err = r.record(ctx, 1)
	}
	out := &r.Result
	out.limit(r.opt.FirstDoubted)
	for _, j := range r.jobs {
		if j.readable() {
			out.Sources = append(out.Sources, SourceResult{Name: j.name(), File: j.path, SHA256: j.sum,
				Registered: j.registered != nil,
				Changed:    j.registered != nil && j.sum != "" && j.sum != j.registered.SHA256,
				Findings:   len(j.parts), Doubted: j.doubted})
		}
	}
	slices.SortFunc(out.Sources, func(a, b SourceResult) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.File, b.File))
	})
	out.judge()
	return r.Result, err
}
