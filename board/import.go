package board

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"blackboard/board/foreign"
	"blackboard/kb/secret"
)

// Imported is the result of an import.
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

// ImportOptions says how to import.
type ImportOptions struct {
	// Run is the name of the new run. "" takes the name in the file, or the name of the
	// file if it has none.
	Run string
	// Path is the file that the input is read from, "" for none. An SQLite file is read
	// by its path.
	Path string
	// Source is what the file is called in the log.
	Source string
	// MustSurface lists priorities: entries that address such a signal must surface (Irys
	// boards only).
	MustSurface []string
}

// maxLine is the longest line of a JSONL import, in bytes: the largest event with every
// character escaped, and a margin.
const maxLine = 6*MaxSourceText + 1<<20

// hintExport is the next step for an export that was changed since it was written.
const hintExport = "the file was changed or cut; export the run again"

// Import creates a run from our JSONL export, an Irys board or a board of blackboard.py:
// all of it or nothing.
//
// Errors: fault.Invalid names the line and what is wrong with it; fault.Conflict if the
// run exists.
func Import(ctx context.Context, dir, worker string, in io.Reader, opt ImportOptions) (Imported,
	error) {
	if err := checkWorker(worker); err != nil {
		return Imported{}, err
	}
	if opt.Run != "" {
		if err := CheckRun(opt.Run); err != nil {
			return Imported{}, err
		}
	}
	if err := checkAll("priority", opt.MustSurface, Priorities); err != nil {
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

// sniff tells the formats apart by the first bytes, without consuming them.
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

// eventLog is an export that was read and replayed in memory.
type eventLog struct {
	events []Event
	state  *Snapshot
}

func readExport(r *bufio.Reader, m *secret.Masker) (*eventLog, error) {
	log, board := &eventLog{}, newReplayer()
	var header *exportRun
	said := &Snapshot{Entries: []Entry{}, Signals: []Signal{}, Variables: []Variable{},
		Expected: []Expected{}, Dropped: []DroppedDuty{}, Settled: []Settlement{}}
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
			l.Entry.notNil()
			said.Entries = append(said.Entries, *l.Entry)
		case l.Kind == "signal" && l.Signal != nil:
			said.Signals = append(said.Signals, *l.Signal)
		case l.Kind == "variable" && l.Variable != nil:
			said.Variables = append(said.Variables, *l.Variable)
		case l.Kind == "expected" && l.Expected != nil:
			said.Expected = append(said.Expected, *l.Expected)
		case l.Kind == "dropped_duty" && l.Dropped != nil:
			said.Dropped = append(said.Dropped, *l.Dropped)
		case l.Kind == "settlement" && l.Settlement != nil:
			said.Settled = append(said.Settled, *l.Settlement)
		case l.Kind == "source" && l.Source != nil:
			said.Sources = append(said.Sources, *l.Source)
		case l.Kind == "event" && l.Event != nil:
			if err := checkEvent(l.Event); err != nil {
				return nil, prefixed(fmt.Sprintf("line %d: ", n), err)
			}
			if err := board.apply(*l.Event); err != nil {
				return nil, prefixed(fmt.Sprintf("line %d: ", n), err)
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
	log.state = board.snapshot()
	for i := range said.Entries { // an older program knew no doubts
		said.Entries[i].accept(board.accepted)
	}
	if err := log.state.checkTargets(); err != nil {
		return nil, err
	}
	said.Run, said.Goal, said.Created, said.Seq, said.At = header.Name, header.Goal, header.Created,
		header.Seq, log.state.At
	if diff := log.state.diff(said); diff != "" {
		return nil, invalid("the export does not agree with its own event log: "+diff, hintExport)
	}
	return log, nil
}

// checkTargets reports a link or an origin whose target does not exist, and a cycle of
// supersedes.
func (s *Snapshot) checkTargets() error {
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
				if n, err := targetID(kind, id); err != nil || n > have || kind != Addresses &&
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

// checkEvent checks the fields of an event that the replay does not check; the log keeps
// them as they are.
func checkEvent(e *Event) error {
	if err := checkText("the actor", e.Actor, MaxName, true); err != nil {
		return err
	}
	if err := checkText("the id", e.ID, MaxName, true); err != nil {
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
	b.bare = true
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
			if err := w.event(verbImport, name, importPayload{Name: name, From: l.state.Run,
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

// importPayload says where a board, or what follows on it, was imported from.
type importPayload struct {
	Name   string `json:"name"`             // the run's name from here on
	From   string `json:"from,omitempty"`   // its name in the source
	Format string `json:"format,omitempty"` // board, irys or blackboard.py
	Source string `json:"source,omitempty"` // the file
	// what the source says of the whole run
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
}
