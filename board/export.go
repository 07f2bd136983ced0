package board

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/board/foreign"
	"blackboard/board/record"
	"blackboard/board/store"
	"blackboard/board/text"
	"blackboard/kb/secret"
)

// exportSchema is the version of the JSONL export. An import refuses a newer one.
const exportSchema = 1

// exportLine is one line of the JSONL export. The first line is about the run, with the
// counts of what follows: entries, signals, variables, expected workers, dropped duties
// and settlements, then the whole event log. An import rebuilds the board from the log
// alone; the other lines are for readers, and to check the result.
type exportLine struct {
	V int `json:"v"`
	// run, entry, signal, variable, expected, dropped_duty, settlement, source or event
	Kind     string     `json:"kind"`
	Run      *exportRun `json:"run,omitempty"`
	Entry    *Entry     `json:"entry,omitempty"`
	Handle   string     `json:"handle,omitempty"` // how a report cites the entry: e12.7kq
	Signal   *Signal    `json:"signal,omitempty"`
	Variable *Variable  `json:"variable,omitempty"`
	Expected *Expected  `json:"expected,omitempty"`
	Source   *Source    `json:"source,omitempty"`
	Event    *Event     `json:"event,omitempty"`

	Dropped    *DroppedDuty `json:"dropped_duty,omitempty"`
	Settlement *Settlement  `json:"settlement,omitempty"`
}

type exportRun struct {
	Schema    int       `json:"schema"`
	Name      string    `json:"name"`
	Goal      string    `json:"goal"`
	Created   time.Time `json:"created"`
	Seq       int64     `json:"seq"`
	Entries   int       `json:"entries"`
	Signals   int       `json:"signals"`
	Variables int       `json:"variables"`
}

// Export writes everything on the board as JSONL, all of the same moment.
func (b *Board) Export(ctx context.Context, out io.Writer) error {
	w := bufio.NewWriterSize(out, 1<<16)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	// Receipts that wait belong to the log. Of a run that cannot be written they stay where
	// they are, and it is exported without them.
	if waiting, err := b.waitingReceipts(); err == nil && len(waiting) > 0 {
		_ = b.write(ctx, waiting[0].Worker, func(*writer) error { return nil })
	}
	err := b.read(ctx, func(tx *store.Tx) error {
		s, err := loadSnapshot(tx)
		if err != nil {
			return err
		}
		head := []exportRun{{exportSchema, s.Run, s.Goal, s.Created, s.Seq, len(s.Entries),
			len(s.Signals), len(s.Variables)}}
		if err := lines(enc, "run", head, func(l *exportLine, r *exportRun) { l.Run = r }); err != nil {
			return err
		}
		if err := cmp.Or(
			lines(enc, "entry", s.Entries, func(l *exportLine, e *Entry) {
				l.Entry, l.Handle = e, Handle(s.Run, e.ID, e.Content)
			}),
			lines(enc, "signal", s.Signals, func(l *exportLine, g *Signal) { l.Signal = g }),
			lines(enc, "variable", s.Variables, func(l *exportLine, v *Variable) { l.Variable = v }),
			lines(enc, "expected", s.Expected, func(l *exportLine, x *Expected) { l.Expected = x }),
			lines(enc, "dropped_duty", s.SurfaceWaivers, func(l *exportLine, d *DroppedDuty) { l.Dropped = d }),
			lines(enc, "settlement", s.Settled, func(l *exportLine, p *Settlement) { l.Settlement = p }),
			lines(enc, "source", s.Sources, func(l *exportLine, x *Source) { l.Source = x }),
		); err != nil {
			return err
		}
		for after := int64(0); after < s.Seq; {
			events, err := eventsAfter(tx, after, 5000)
			if err != nil {
				return err
			}
			if err := lines(enc, "event", events, func(l *exportLine, e *Event) { l.Event = e }); err != nil {
				return err
			}
			after = events[len(events)-1].Seq
		}
		return nil
	})
	if err != nil {
		return err
	}
	return w.Flush()
}

// lines writes a line for each member of a list.
func lines[T any](enc *json.Encoder, kind string, all []T, put func(*exportLine, *T)) error {
	for i := range all {
		l := exportLine{V: 1, Kind: kind}
		put(&l, &all[i])
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

type Copied struct {
	Run    string `json:"run"`
	Events int64  `json:"events"` // of the run
	New    int64  `json:"new"`    // of them, those that its target lacked
	SHA256 string `json:"sha256"` // of the log, the same on both sides
}

// Copy copies a run from one place to another, as one transaction. A place is a
// directory, or what UseDatabase returned. If the target has the beginning of the run,
// Copy adds the rest. It verifies both: the log must rebuild what the tables hold. It
// changes nothing at the source and deletes nothing.
//
// Errors: fault.Conflict if the target has events that the source lacks; fault.Corrupt if
// either is not sound.
func Copy(ctx context.Context, from, to, run string) (Copied, error) {
	src, err := Open(ctx, from, run)
	if err != nil {
		return Copied{}, err
	}
	defer src.Close()
	var log *eventLog
	if err := src.read(ctx, func(tx *store.Tx) (err error) {
		log, err = src.verifiedLog(tx)
		return err
	}); err != nil {
		return Copied{}, err
	}
	dst, err := OpenOrCreate(ctx, to, run)
	if err != nil {
		return Copied{}, err
	}
	defer dst.Close()
	dst.importsLog = true
	out := Copied{Run: run, Events: int64(len(log.events)), SHA256: checksum(log.events)}
	err = dst.write(ctx, "copy", func(w *writer) error {
		if err := log.checkPrefix(w, run, dst.path); err != nil {
			return err
		}
		if out.New = out.Events - w.seq; out.New > 0 {
			w.name = log.state.Run
			if err := w.tx.Bulk(func() error { return w.appendAll(log.events[w.seq:]) }); err != nil {
				return err
			}
		}
		got, err := dst.verifiedLog(w.tx)
		if err == nil && checksum(got.events) != out.SHA256 {
			err = store.Fault(fault.Corrupt, dst.path,
				"does not return the log of run "+run+" as it was written; nothing was kept", nil)
		}
		return err
	})
	return out, err
}

// verifiedLog returns the whole log of a board whose tables agree with it.
func (b *Board) verifiedLog(tx *store.Tx) (*eventLog, error) {
	events, err := eventsAfter(tx, 0, -1)
	if err != nil {
		return nil, err
	}
	board := record.NewReplayer()
	for _, e := range events {
		if err := board.Apply(e); err != nil {
			return nil, b.logNotWhole(err)
		}
	}
	log := &eventLog{events, board.Finish()}
	return log, b.checkReplay(tx, log.state)
}

// checksum is the SHA-256 of a log, byte for byte as it is stored.
func checksum(events []Event) string {
	sum := sha256.New()
	for i := range events {
		e := &events[i]
		fmt.Fprintf(sum, "%d %d %q %q %q %q\n", e.Seq, e.At.UnixMilli(), e.Actor, e.Verb, e.ID,
			e.Payload)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// checkPrefix returns fault.Conflict unless the target's log is the beginning of this log.
func (l *eventLog) checkPrefix(w *writer, run, path string) error {
	differs := func(say string) error {
		return conflict(fmt.Sprintf("run %s in %s %s; nothing was copied to it", run, path, say),
			"",
			fault.Do("run.export", "{} and an import copy it under another name"))
	}
	if more := w.seq - int64(len(l.events)); more > 0 {
		return differs(fmt.Sprintf("has gone on: it has %s more than the one that is copied, or "+
			"is another run", text.Count(more, "event", "events")))
	}
	for seq := int64(0); seq < w.seq; {
		page, err := eventsAfter(w.tx, seq, 500)
		if err != nil {
			return err
		}
		for i := range page {
			e, want := &page[i], &l.events[seq]
			if e.Seq != want.Seq || !e.At.Equal(want.At) || e.Actor != want.Actor ||
				e.Verb != want.Verb || e.ID != want.ID || !bytes.Equal(e.Payload, want.Payload) {
				return differs(fmt.Sprintf("is a different run: they differ from event %d on",
					want.Seq))
			}
			seq = e.Seq
		}
	}
	return nil
}

type Imported struct {
	Run       string   `json:"run"`
	Format    string   `json:"format"` // board, irys or blackboard.py
	Entries   int      `json:"entries"`
	Signals   int      `json:"signals"`
	Links     int      `json:"links"`
	Variables int      `json:"variables"`
	Events    int64    `json:"events"` // events that were written
	Notes     []string `json:"notes"`  // what could not be taken over as it was, and where it went
}

type ImportOptions struct {
	// Run is the new run's name; "" takes the one in the file, or the file's own.
	Run string
	// Path is the file the input is from, "" for none. SQLite files are read by it.
	Path string
	// Source is what the file is called in the log.
	Source string
	// MustSurface are priorities: entries that address such signals must surface (Irys only).
	MustSurface []string
}

// maxLine is the longest line of a JSONL import, in bytes: the largest event with every
// character escaped, and a margin.
const maxLine = 6*record.MaxSourceText + 1<<20

// hintExport is the next step for an export that was changed since it was written.
const hintExport = "the file was changed or cut; export the run again"

// Import creates a run from our JSONL export, an Irys board or a board of blackboard.py:
// all of it or nothing.
//
// Errors: fault.Invalid names the line and what is wrong with it; fault.Conflict if the
// run exists.
func Import(ctx context.Context, dir, worker string, in io.Reader, opt ImportOptions) (Imported,
	error) {
	if err := record.CheckWorker(worker); err != nil {
		return Imported{}, err
	}
	if opt.Run != "" {
		if err := CheckRun(opt.Run); err != nil {
			return Imported{}, err
		}
	}
	if err := record.CheckAll("priority", opt.MustSurface, Priorities); err != nil {
		return Imported{}, err
	}
	r := bufio.NewReaderSize(in, 1<<16)
	format, err := sniff(r)
	if err != nil {
		return Imported{}, err
	}
	if len(opt.MustSurface) > 0 && format != foreign.Irys {
		return Imported{}, invalid("only an import of an Irys board marks what must surface; an "+
			"export of a board says it itself", "leave the mark out")
	}
	if format != "board" {
		return importForeign(ctx, dir, worker, format, r, opt)
	}
	var log *eventLog
	secret.MaskWrite(ctx, func(m *secret.Masker) { log, err = readExport(r, m) })
	if err != nil {
		return Imported{}, err
	}
	return log.writeTo(ctx, dir, worker, opt)
}

// sqliteMagic is what an SQLite file begins with.
const sqliteMagic = "SQLite format 3\x00"

// sniff tells the formats apart by the first bytes, without consuming them, except white space.
func sniff(r *bufio.Reader) (string, error) {
	for {
		c, err := r.ReadByte()
		if err == io.EOF {
			return "", invalid("the input is empty", "", foreign.Accepted)
		}
		if err != nil {
			return "", err
		}
		if c == ' ' || c == '\t' || c == '\r' || c == '\n' {
			continue
		}
		if err := r.UnreadByte(); err != nil {
			return "", err
		}
		break
	}
	head, err := r.Peek(4096)
	if err != nil && err != io.EOF {
		return "", err
	}
	first, _, _ := bytes.Cut(head, []byte{'\n'})
	var l exportLine
	if json.Unmarshal(first, &l) == nil && l.Kind != "" || len(head) > 12 &&
		string(head[:7]) == `{"v":1,` {
		return "board", nil
	}
	if strings.HasPrefix(string(head), sqliteMagic) {
		return foreign.Python, nil
	}
	if head[0] != '{' {
		return "", invalid("the input is neither an export of a board nor an Irys board", "",
			foreign.Accepted)
	}
	return foreign.Irys, nil
}

// eventLog is a run's whole log, and the state that it replays to.
type eventLog struct {
	events []Event
	state  *Snapshot
}

func readExport(r *bufio.Reader, m *secret.Masker) (*eventLog, error) {
	log, board := &eventLog{}, record.NewReplayer()
	var header *exportRun
	said := &Snapshot{Entries: []Entry{}, Signals: []Signal{}, Variables: []Variable{},
		Expected: []Expected{}, SurfaceWaivers: []DroppedDuty{}, Settled: []Settlement{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; ; n++ {
		fail := func(format string, a ...any) error {
			return invalid(fmt.Sprintf("line %d: ", n)+fmt.Sprintf(format, a...), hintExport)
		}
		if !lines.Scan() {
			if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
				return nil, fail("it has more than %d bytes", maxLine)
			} else if err != nil {
				return nil, fail("%v", err)
			}
			break
		}
		line := lines.Bytes()
		if len(line) == 0 {
			continue
		}
		if !utf8.Valid(line) {
			return nil, fail("not valid UTF-8")
		}
		line = m.JSON(fmt.Sprintf("line %d", n), "", line)
		var l exportLine
		if err := json.Unmarshal(line, &l); err != nil {
			return nil, fail("not JSON of an export: %v", err)
		}
		switch {
		case l.Kind == "run" && l.Run != nil && header == nil:
			header = l.Run
			if header.Schema > exportSchema {
				return nil, invalid(fmt.Sprintf("the export has schema %d; this program knows "+
					"up to %d", header.Schema, exportSchema),
					"install the newer version of board that wrote it")
			}
		case header == nil:
			return nil, fail("an export begins with the line of its run")
		case l.Kind == "entry" && l.Entry != nil:
			l.Entry.FillNil()
			said.Entries = append(said.Entries, *l.Entry)
		case l.Kind == "signal" && l.Signal != nil:
			said.Signals = append(said.Signals, *l.Signal)
		case l.Kind == "variable" && l.Variable != nil:
			said.Variables = append(said.Variables, *l.Variable)
		case l.Kind == "expected" && l.Expected != nil:
			said.Expected = append(said.Expected, *l.Expected)
		case l.Kind == "dropped_duty" && l.Dropped != nil:
			said.SurfaceWaivers = append(said.SurfaceWaivers, *l.Dropped)
		case l.Kind == "settlement" && l.Settlement != nil:
			said.Settled = append(said.Settled, *l.Settlement)
		case l.Kind == "source" && l.Source != nil:
			said.Sources = append(said.Sources, *l.Source)
		case l.Kind == "event" && l.Event != nil:
			if err := checkEvent(l.Event); err != nil {
				return nil, fault.Prefix(fmt.Sprintf("line %d: ", n), err)
			}
			if err := board.Apply(*l.Event); err != nil {
				return nil, fault.Prefix(fmt.Sprintf("line %d: ", n), err)
			}
			log.events = append(log.events, *l.Event)
		default:
			return nil, fail("kind %q is unknown or has nothing in it", clip(l.Kind, 40))
		}
	}
	if header == nil || len(log.events) == 0 || header.Seq != int64(len(log.events)) {
		want := int64(0)
		if header != nil {
			want = header.Seq
		}
		return nil, invalid(fmt.Sprintf("the export holds %d of %d events", len(log.events), want),
			hintExport)
	}
	log.state = board.Finish()
	for i := range said.Entries { // an older program knew no doubts
		said.Entries[i].Accept(board.Accepted)
	}
	if err := checkTargets(log.state); err != nil {
		return nil, err
	}
	said.Run, said.Goal, said.Created, said.Seq, said.At = header.Name, header.Goal, header.Created,
		header.Seq, log.state.At
	if diff := log.state.Diff(said); diff != "" {
		return nil, invalid("the export does not agree with its own event log: "+diff, hintExport)
	}
	return log, nil
}

// checkTargets reports a missing target of a link or origin, and cycles of supersedes.
func checkTargets(s *Snapshot) error {
	missing := func(id, target string) error {
		return invalid(fmt.Sprintf("%s names %s, which the export does not have", id,
			clip(target, 40)), hintExport)
	}
	for _, e := range s.Entries {
		for _, kind := range LinkKinds {
			for _, id := range e.Of(kind) {
				have := int64(len(s.Entries))
				if kind == Addresses {
					have = int64(len(s.Signals))
				}
				if n, err := record.TargetID(kind, id); err != nil || n > have || kind != Addresses &&
					id == e.ID {
					return missing(e.ID, id)
				}
			}
		}
	}
	older := make([][]int, len(s.Entries))
	for i, e := range s.Entries {
		for _, id := range e.Supersedes {
			n, _ := ParseEntryID(id) // checked above
			older[i] = append(older[i], int(n)-1)
		}
	}
	if c := cycle(older); c != nil {
		names := make([]string, len(c))
		for k, i := range c {
			names[k] = cmp.Or(s.Entries[i].ExternalID, s.Entries[i].ID)
		}
		return invalid("entries of the source supersede each other in a cycle: "+
			strings.Join(names, " → "), hintExport)
	}
	for _, g := range s.Signals {
		if n, err := ParseEntryID(g.Origin); g.Origin != "" &&
			(err != nil || n > int64(len(s.Entries))) {
			return missing(g.ID, g.Origin)
		}
	}
	return nil
}

// checkEvent checks an event's fields that the replay does not; the log keeps them as they are.
func checkEvent(e *Event) error {
	if err := record.CheckText("the actor", e.Actor, MaxName, true); err != nil {
		return err
	}
	if err := record.CheckText("the id", e.ID, MaxName, true); err != nil {
		return err
	}
	if len(e.Payload) == 0 || e.Payload[0] != '{' {
		return invalid(fmt.Sprintf("event %d has no payload", e.Seq), hintExport)
	}
	if ms := e.At.UnixMilli(); ms < 0 || !fromMillis(ms).Equal(e.At) {
		return invalid(fmt.Sprintf("event %d has a time that is not in whole milliseconds since "+
			"1970", e.Seq), hintExport)
	}
	return nil
}

// writeTo creates the run. Under the old name, the board exports to the same bytes again.
// Under another name, one more event says so.
func (l *eventLog) writeTo(ctx context.Context, dir, worker string, opt ImportOptions) (Imported,
	error) {
	name := opt.Run
	if name == "" {
		name = l.state.Run
	}
	b, err := OpenOrCreate(ctx, dir, name)
	if err != nil {
		return Imported{}, err
	}
	defer b.Close()
	b.importsLog = true
	out := Imported{Run: name, Format: "board", Entries: len(l.state.Entries),
		Signals: len(l.state.Signals), Variables: len(l.state.Variables), Notes: []string{}}
	err = b.write(ctx, worker, func(w *writer) error {
		if err := w.mustBeNew(name); err != nil {
			return err
		}
		w.name = name
		if err := w.tx.Bulk(func() error { return w.appendAll(l.events) }); err != nil {
			return err
		}
		if name != l.state.Run {
			if err := w.event(record.VerbImport, name, record.ImportPayload{Name: name, From: l.state.Run,
				Format: "board", Source: opt.Source}); err != nil {
				return err
			}
		}
		out.Events = w.seq
		return nil
	})
	for _, e := range l.state.Entries {
		out.Links += e.Count()
	}
	return out, err
}
