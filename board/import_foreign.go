package board

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/foreign"
	"blackboard/board/record"
	"blackboard/kb/secret"
)

// foreignImport turns a board of another program into an event log that rebuilds the same
// board. The source holds states, not events: an effect gets the time of the entry that
// caused it. Entries and signals get new ids, in their order; the old ones are kept as
// external ids, and a reference by one that repeats means the nearest (see resolve).
type foreignImport struct {
	src      *foreign.Board
	opt      ImportOptions
	worker   string           // who imports
	closer   string           // who did what the source names nobody for
	now      time.Time        // of everything that has no time in the source
	entryNo  map[string][]int // positions by the id in the source
	signalNo map[string][]int
	entries  []importedEntry
	signals  []importedSignal
	log      eventLog
	board    *record.Replayer // of the log
	notes    []string
	err      error // the first of an event
}

type importedEntry struct {
	post   record.PostPayload
	at     time.Time
	status string
}

type importedSignal struct {
	raise  record.SignalPayload
	at     time.Time
	worker string
	status string
	reason string
	by     int // the entry that addresses it, by position; -1: none
	after  int // the entry from which it arose; -1: none
}

func importForeign(ctx context.Context, dir, worker, format string, r *bufio.Reader,
	opt ImportOptions) (Imported, error) {
	src, err := readForeign(ctx, format, r, opt.Path)
	if err != nil {
		return Imported{}, err
	}
	if opt.Run == "" {
		if opt.Run, err = runOfFile(format, opt.Path); err != nil {
			return Imported{}, err
		}
	}
	im := &foreignImport{src: src, opt: opt, worker: worker, closer: worker,
		now: time.Now().UTC().Truncate(time.Millisecond), entryNo: map[string][]int{},
		signalNo: map[string][]int{}, board: record.NewReplayer(), notes: []string{}}
	if format == foreign.Python {
		im.closer = format
	}
	if err := im.prepare(); err != nil {
		return Imported{}, err
	}
	if err := im.writeLog(); err != nil {
		return Imported{}, err
	}
	out, err := im.log.writeTo(ctx, dir, worker, opt)
	out.Format, out.Notes = format, append(im.notes, src.Notes...)
	return out, err
}

// readForeign reads a board, with what looks like a secret masked.
func readForeign(ctx context.Context, format string, r *bufio.Reader,
	path string) (src *foreign.Board, err error) {
	if format == foreign.Python {
		if path == "" {
			return nil, invalid("the input is an SQLite file, which is not read from standard input",
				"give the path of the file")
		}
		secret.MaskWrite(ctx, func(m *secret.Masker) { src, err = foreign.ReadPython(ctx, path, m.Text) })
		return src, err
	}
	data, err := io.ReadAll(io.LimitReader(r, foreign.MaxRead))
	if err != nil {
		return nil, err
	}
	secret.MaskWrite(ctx, func(m *secret.Masker) { data = m.JSON("the board", "", data) })
	return foreign.ReadIrys(data)
}

// runOfFile is the run that a file is named for.
func runOfFile(format, path string) (string, error) {
	name := fault.Give("run", "", "name it with {}")
	if format == foreign.Irys {
		return "", invalid("an Irys board does not say what its run is called", "", name)
	}
	base := filepath.Base(path)
	run := strings.TrimSuffix(base, filepath.Ext(base))
	if CheckRun(run) != nil {
		return "", invalid(fmt.Sprintf("the file name %q makes no name of a run", clip(base, 60)), "",
			name)
	}
	return run, nil
}

func (im *foreignImport) note(format string, args ...any) {
	im.notes = append(im.notes, fmt.Sprintf(format, args...))
}

// prepare checks every entry and signal and resolves all references.
func (im *foreignImport) prepare() error {
	if err := record.CheckText("the task", im.src.Task, MaxContent, false); err != nil {
		return err
	}
	for i, e := range im.src.Entries {
		im.entryNo[e.ID] = append(im.entryNo[e.ID], i)
	}
	for i, s := range im.src.Signals {
		im.signalNo[s.ID] = append(im.signalNo[s.ID], i)
	}
	for i := range im.src.Entries {
		e := &im.src.Entries[i]
		if err := im.prepareEntry(i, e); err != nil {
			return fault.Prefix(im.place("entry", e.ID, i), err)
		}
	}
	if im.src.Format == foreign.Irys {
		im.imply()
	}
	for i := range im.src.Signals {
		s := &im.src.Signals[i]
		if err := im.prepareSignal(i, s); err != nil {
			return fault.Prefix(im.place("question", s.ID, i), err)
		}
	}
	return nil
}

// place names an entry or a signal of the source before an error. Ids of an Irys board repeat.
func (im *foreignImport) place(what, id string, i int) string {
	if im.src.Format == foreign.Irys {
		return fmt.Sprintf("%s %s (number %d): ", what, clip(id, 60), i+1)
	}
	return what + " " + clip(id, 60) + ": "
}

// imply gives entries the statuses that follow from links, where the source does not.
func (im *foreignImport) imply() {
	imply := func(kind, status string) {
		for i := range im.entries {
			if im.entries[i].status == Superseded && kind == Contradicts {
				continue // its dispute has ended
			}
			for _, id := range im.entries[i].post.Links().Of(kind) {
				n, _ := ParseEntryID(id) // made from a position
				if e := &im.entries[n-1]; e.status == Active || kind == Supersedes {
					e.status = status
				}
			}
		}
	}
	imply(Supersedes, Superseded)
	imply(Contradicts, Disputed)
}

func (im *foreignImport) prepareEntry(i int, e *foreign.Entry) error {
	if err := record.CheckText("the id", e.ID, MaxName, true); err != nil {
		return err
	}
	p := Post{Type: e.Type, Content: e.Content, SourceDoc: e.Source.Document,
		SourceRef: e.Source.Section, Evidence: e.Source.Evidence, Confidence: e.Confidence,
		Tags: e.Tags, MustSurface: e.MustSurface, Worker: cmp.Or(e.CreatedBy.Worker, im.src.Format)}
	if err := record.CheckWorker(p.Worker); err != nil {
		return err
	}
	if p.Type == "" {
		return record.Unknown("type", "", EntryTypes)
	}
	status := cmp.Or(e.Status, Active)
	if !slices.Contains(EntryStatuses, status) {
		return record.Unknown("status", status, EntryStatuses)
	}
	from := Links{Supports: e.Supports, Contradicts: e.Contradicts, Supersedes: e.Supersedes, Addresses: e.Addresses}
	if n := from.Count(); n > MaxLinks {
		return invalid(fmt.Sprintf("it has %d links; at most %d are allowed", n, MaxLinks),
			"leave some of them out in the source")
	}
	var leftOut []string
	var links Links
	for _, kind := range LinkKinds {
		for _, id := range from.Of(kind) {
			var target string
			if kind == Addresses {
				if j := im.findAnswered(im.signalNo[id], e.ID); j >= 0 {
					target = SignalID(int64(j) + 1)
					p.MustSurface = p.MustSurface || slices.Contains(im.opt.MustSurface,
						im.src.Signals[j].Priority)
				}
			} else if j := resolve(im.entryNo[id], i); j >= 0 {
				target = EntryID(int64(j) + 1)
			}
			list := links.List(kind)
			if target == "" || slices.Contains(*list, target) {
				leftOut = append(leftOut, kind+" "+id)
				im.note("entry %s %s %s, which is not another entry or question of the source: "+
					"the link is kept in the log only", clip(e.ID, 40), kind, clip(id, 40))
				continue
			}
			*list = append(*list, target)
		}
	}
	e.Extra = keepLeftOut(e.Extra, leftOut)
	if err := p.Prepare(); err != nil {
		return err
	}
	p.SetLinks(links)
	im.entries = append(im.entries, importedEntry{post: record.PostPayload{Post: p, ExternalID: e.ID,
		Extra: e.Extra}, at: im.timeOf(e.At), status: status})
	return nil
}

func (im *foreignImport) timeOf(at time.Time) time.Time {
	if at.IsZero() {
		return im.now
	}
	return at
}

// keepLeftOut adds links that the import left out to extra, which the log keeps with the entry, and
// returns it. extra is not nil if there are links.
func keepLeftOut(extra map[string]json.RawMessage, links []string) map[string]json.RawMessage {
	if len(links) == 0 {
		return extra
	}
	var kept []string
	json.Unmarshal(extra["links_left_out"], &kept)
	data, _ := json.Marshal(append(kept, links...)) // strings always marshal
	extra["links_left_out"] = data
	return extra
}

// resolve picks the entry that a reference from entry i means: the nearest before it,
// else the first after it, never i itself; -1 for none.
func resolve(candidates []int, i int) int {
	at, itself := slices.BinarySearch(candidates, i)
	switch {
	case at > 0:
		return candidates[at-1]
	case itself:
		at++
	}
	if at < len(candidates) {
		return candidates[at]
	}
	return -1
}

// findAnswered picks the signal that an entry answers: the one that names the entry too, else
// one that was addressed, else the first; -1 for none.
func (im *foreignImport) findAnswered(candidates []int, entry string) int {
	best := -1
	for _, c := range candidates {
		s := &im.src.Signals[c]
		switch {
		case s.AddressedBy != nil && *s.AddressedBy == entry:
			return c
		case best < 0, s.Status == Addressed && im.src.Signals[best].Status != Addressed:
			best = c
		}
	}
	return best
}

func (im *foreignImport) prepareSignal(i int, s *foreign.Signal) error {
	if err := record.CheckText("the id", s.ID, MaxName, true); err != nil {
		return err
	}
	if s.Priority == "" {
		return record.Unknown("priority", "", Priorities)
	}
	g := importedSignal{raise: record.SignalPayload{Raise: Raise{Content: s.Content,
		Priority: s.Priority}, ExternalID: s.ID, Extra: s.Extra}, at: im.timeOf(s.At),
		worker: cmp.Or(s.Worker, im.src.Format), status: s.Status, by: -1, after: -1}
	if err := cmp.Or(g.raise.Prepare(), record.CheckWorker(g.worker),
		record.CheckText("the reason", s.Reason, MaxField, false)); err != nil {
		return err
	}
	switch s.Status {
	case SignalOpen:
	case Addressed:
		g.by = im.findAnswerer(i, s)
		switch {
		case g.by >= 0:
		case im.src.Format == foreign.Irys:
			return invalid("it is addressed, but by no entry of the source",
				"mark it open in the source, or name the entry in addressed_by")
		default:
			g.status, g.reason = Waived, "addressed in the source, by no entry of it"
			im.note("question %s is addressed, but by no entry of the source: it is waived here, for "+
				"that reason", s.ID)
		}
	case Waived, "expired":
		g.status, g.reason = Waived, cmp.Or(strings.TrimSpace(s.Reason), s.Status)
	default:
		return record.Unknown("status", s.Status, append(slices.Clone(SignalStatuses), "expired"))
	}
	if from := im.entryNo[s.Origin]; len(from) > 0 {
		g.after = from[0]
		g.raise.Origin, g.worker = EntryID(int64(g.after)+1), im.entries[g.after].post.Worker
	} else if s.Origin != "" && record.CheckWorker(s.Origin) == nil {
		g.worker = s.Origin // an Irys board names a planner there: seed_plan
	}
	im.signals = append(im.signals, g)
	return nil
}

// findAnswerer picks the entry that addressed a signal: the first of those that the signal names and that say
// so, else the first that it names, or the first that says so if it names none; -1 for none.
func (im *foreignImport) findAnswerer(i int, s *foreign.Signal) int {
	if s.AddressedBy == nil {
		return slices.IndexFunc(im.entries, func(e importedEntry) bool {
			return slices.Contains(e.post.Addresses, SignalID(int64(i)+1))
		})
	}
	candidates := im.entryNo[*s.AddressedBy]
	for _, c := range candidates {
		if slices.Contains(im.src.Entries[c].Addresses, s.ID) {
			return c
		}
	}
	return append(slices.Clone(candidates), -1)[0]
}

// writeLog writes the log: signals and entries in the order of their times, each followed
// by its effects. Ids keep their order in the file.
func (im *foreignImport) writeLog() error {
	first, last := im.span()
	im.event(first, im.worker, record.VerbCreate, im.opt.Run,
		record.CreatePayload{Name: im.opt.Run, Goal: im.src.Task})
	effects, needs := im.effects(), im.needs()
	raised := 0
	raise := func() {
		g := &im.signals[raised]
		raised++
		im.event(g.at, g.worker, record.VerbSignal, SignalID(int64(raised)), g.raise)
	}
	for i := range im.entries {
		e := &im.entries[i]
		isNext := func(g *importedSignal) bool { return g.after < i && !g.at.After(e.at) }
		for raised < needs[i] || raised < len(im.signals) && isNext(&im.signals[raised]) {
			raise()
		}
		payload := e.post
		payload.Worker = "" // the actor says it
		im.event(e.at, e.post.Worker, record.VerbPost, EntryID(int64(i)+1), payload)
		for _, do := range effects[i] {
			do()
		}
	}
	for raised < len(im.signals) {
		raise()
	}
	im.finish(last)
	im.event(im.now, im.worker, record.VerbImport, im.opt.Run, record.ImportPayload{Name: im.opt.Run,
		Format: im.src.Format, Source: im.opt.Source, Extra: im.src.Extra})
	if im.err != nil {
		return im.err
	}
	im.log.state = im.board.Finish()
	return checkTargets(im.log.state)
}

// event appends to the log and applies it to the rebuilt board, unless one failed before.
func (im *foreignImport) event(at time.Time, actor, verb, id string, payload any) {
	if im.err != nil {
		return
	}
	e := Event{Seq: im.board.Seq + 1, At: at, Actor: actor, Verb: verb, ID: id}
	if e.Payload, im.err = json.Marshal(payload); im.err == nil {
		im.log.events = append(im.log.events, e)
		im.err = im.board.Apply(e)
	}
}

// span returns the first and the last time in the file, or now if it has none.
func (im *foreignImport) span() (first, last time.Time) {
	var times []time.Time
	for i := range im.entries {
		times = append(times, im.entries[i].at)
	}
	for i := range im.signals {
		times = append(times, im.signals[i].at)
	}
	if len(times) == 0 {
		return im.now, im.now
	}
	return slices.MinFunc(times, time.Time.Compare), slices.MaxFunc(times, time.Time.Compare)
}

// needs returns, for each entry, how many signals must be there before it.
func (im *foreignImport) needs() []int {
	all := make([]int, len(im.entries))
	for i := range im.entries {
		for _, id := range im.entries[i].post.Addresses {
			n, _ := ParseSignalID(id) // made from a position
			all[i] = max(all[i], int(n))
		}
	}
	for s := range im.signals {
		if by := im.signals[s].by; by >= 0 {
			all[by] = max(all[by], s+1)
		}
	}
	return all
}

// effects is what entries did to others, by the later of acting and affected entry. Statuses are
// those in the file, even where links imply others.
func (im *foreignImport) effects() map[int][]func() {
	after := map[int][]func(){}
	add := func(by, at int, verb, id string) {
		e := &im.entries[by]
		after[at] = append(after[at], func() {
			im.event(e.at, e.post.Worker, verb, id, record.ByPayload{By: EntryID(int64(by) + 1)})
		})
	}
	for by := range im.entries {
		for _, do := range []struct{ kind, verb string }{{Contradicts, record.VerbDispute},
			{Supersedes, record.VerbSupersede}} {
			for _, id := range im.entries[by].post.Links().Of(do.kind) {
				n, _ := ParseEntryID(id) // made from a position
				if target := &im.entries[n-1]; target.status == record.StatusAfter(do.verb) {
					target.status = "" // explained
					add(by, max(by, int(n)-1), do.verb, id)
				}
			}
		}
	}
	for s := range im.signals {
		if g := &im.signals[s]; g.status == Addressed {
			add(g.by, g.by, record.VerbAddress, SignalID(int64(s)+1))
		}
	}
	return after
}

// finish sets the statuses that no entry explains, and what the run has spent. The file does not
// say when or by whom, so they get its last time.
func (im *foreignImport) finish(last time.Time) {
	for i := range im.entries {
		for _, verb := range []string{record.VerbDispute, record.VerbSupersede} {
			if im.entries[i].status == record.StatusAfter(verb) {
				im.event(last, im.closer, verb, EntryID(int64(i)+1), record.ByPayload{Note: "so in the source"})
			}
		}
	}
	for i := range im.signals {
		if s := &im.signals[i]; s.status == Waived {
			im.event(last, im.closer, record.VerbWaive, SignalID(int64(i)+1), record.WaivePayload{Reason: s.reason})
		}
	}
	for _, v := range []struct{ from, to string }{
		{"total_tokens_used", record.TokensVariable}, {"token_budget", record.BudgetVariable},
	} {
		var number float64
		value := im.src.Extra[v.from]
		if value != nil && json.Unmarshal(value, &number) == nil {
			im.event(last, im.worker, record.VerbSet, v.to, record.SetPayload{Value: value, Version: 1})
		}
	}
}
