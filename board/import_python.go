package board

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

// formatPython is a board of blackboard.py: an SQLite file with entries, links and
// signals. Where the file does not say who did something, such as a waiver, the log has
// this name.
const formatPython = "blackboard.py"

// sqliteMagic is what an SQLite file begins with.
const sqliteMagic = "SQLite format 3\x00"

// pythonColumns are the columns that our boards have too, by table; the first ones are
// required. Other columns are kept in the log.
var pythonColumns = map[string]struct{ must, may []string }{
	"entries": {[]string{"id", "type", "content"},
		[]string{
			"source_doc",
			"source_ref",
			"evidence",
			"confidence",
			"created_by",
			"status",
			"must_surface",
			"created_at",
		}},
	"links": {[]string{"entry_id", "rel", "target_id"}, nil},
	"signals": {
		[]string{"id", "content", "priority", "status"},
		[]string{"waive_reason", "created_by", "created_at"},
	},
}

// pythonRow is a row by its columns, as text.
type pythonRow map[string]string

type pythonEntry struct {
	post   postPayload
	at     time.Time
	status string
}

type pythonSignal struct {
	raise  signalPayload
	at     time.Time
	worker string
	status string
	reason string
	by     int // the entry that addresses it, by position; -1: none
}

// pythonImport turns a board of blackboard.py into an event log that rebuilds the same
// board. The file holds states, not events: an effect gets the time of the entry that
// caused it.
type pythonImport struct {
	log      *eventLog
	entries  []pythonEntry
	signals  []pythonSignal
	entryNo  map[string]int // position by the id in the file
	signalNo map[string]int
	unsigned int // entries and signals without an author
	notes    []string
}

// importPython imports the board in the file opt.Path.
func importPython(ctx context.Context, dir, worker string, opt ImportOptions) (Imported, error) {
	if opt.Path == "" {
		return Imported{},
			invalid("the input is an SQLite file, which is not read from standard input",
				"give the path of the file")
	}
	if opt.Run == "" {
		base := filepath.Base(opt.Path)
		opt.Run = strings.TrimSuffix(base, filepath.Ext(base))
		if err := CheckRun(opt.Run); err != nil {
			return Imported{}, invalid(fmt.Sprintf("the file name %q makes no name of a run",
				clip(base, 60)), "", fault.Give("run", "", "name it with {}"))
		}
	}
	im := &pythonImport{
		log:      &eventLog{board: newReplayer()},
		entryNo:  map[string]int{},
		signalNo: map[string]int{},
		notes:    []string{},
	}
	if err := im.read(ctx, opt.Path); err != nil {
		return Imported{}, foreignFault(err)
	}
	if err := im.writeLog(worker, opt); err != nil {
		return Imported{}, err
	}
	out, err := im.log.writeTo(ctx, dir, worker, opt)
	out.Format, out.Notes = formatPython, im.notes
	return out, err
}

// foreignFault says what is wrong with an SQLite file of another program.
func foreignFault(err error) error {
	var own *fault.Error
	switch {
	case errors.Is(err, fault.Busy):
		return conflict(err.Error(),
			"stop the program that writes to it, or copy the file while nothing writes to it")
	case errors.Is(err, fault.Invalid) || !errors.As(err, &own):
		return err
	}
	return invalid(err.Error(), "give an undamaged copy of the board's file")
}

func (im *pythonImport) note(format string, args ...any) {
	im.notes = append(im.notes, fmt.Sprintf(format, args...))
}

func (im *pythonImport) read(ctx context.Context, path string) error {
	f, err := sqlite.OpenForeign(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	tables, err := f.Tables(ctx)
	if err != nil {
		return err
	}
	if slices.Contains(tables, "run") && slices.Contains(tables, "events") {
		return invalid(path+" is the file of a run of this program", "", fault.Do("run.export",
			"{} writes what can be imported"))
	}
	for _, t := range []struct {
		name  string
		order string
		take  func(pythonRow, map[string]json.RawMessage) error
	}{
		{"signals", " ORDER BY id", im.signal},
		{"entries", " ORDER BY id", im.entry},
		{"links", "", im.link},
	} {
		if !slices.Contains(tables, t.name) {
			what := path + " is an SQLite file, but not a board of blackboard.py: it has no table " +
				t.name
			if slices.Contains(tables, "capsules") {
				return invalid(what, "import it into the knowledge base")
			}
			return invalid(what, "", exportOrIrys)
		}
		if err := eachPythonRow(ctx, f, t.name, t.order, t.take); err != nil {
			return err
		}
	}
	tables = slices.DeleteFunc(tables, func(t string) bool { return pythonColumns[t].must != nil })
	if len(tables) > 0 {
		im.note("tables that are not of blackboard.py were not read: %s",
			clip(strings.Join(tables, ", "), 200))
	}
	return nil
}

// eachPythonRow reads a table. take gets the known columns, and the others as JSON.
func eachPythonRow(
	ctx context.Context,
	f *sqlite.Foreign,
	table, order string,
	take func(pythonRow, map[string]json.RawMessage) error,
) error {
	columns, err := f.Columns(ctx, table)
	if err != nil {
		return err
	}
	known, quoted := pythonColumns[table], []string{}
	for _, c := range known.must {
		if !slices.Contains(columns, c) {
			return invalid(
				fmt.Sprintf(
					"the file is not a board of blackboard.py: its table %s has no column %s", table,
					c), "", exportOrIrys)
		}
	}
	for _, c := range columns {
		quoted = append(quoted, sqlite.Quote(c))
	}
	return f.Each(
		ctx,
		"SELECT "+strings.Join(quoted, ", ")+" FROM "+table+order,
		func(values []any) error {
			row, extra := pythonRow{}, map[string]json.RawMessage{}
			for i, v := range values {
				if c, text := columns[i], sqlite.Text(v); slices.Contains(known.must, c) ||
					slices.Contains(known.may, c) {
					row[c] = text
				} else if text != "" {
					extra[c], _ = json.Marshal(text) // a string always can be
				}
			}
			return take(row, extra)
		},
	)
}

// pythonTimes are the formats of time in such files; without a zone, it is UTC.
var pythonTimes = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05"}

// who returns the author and the time of a row.
func (im *pythonImport) who(row pythonRow) (worker string, at time.Time, err error) {
	if worker = strings.TrimSpace(row["created_by"]); worker == "" {
		worker = formatPython
		im.unsigned++
	}
	if err := checkWorker(worker); err != nil {
		return "", at, err
	}
	for _, layout := range pythonTimes {
		if at, err = time.Parse(layout, row["created_at"]); err == nil {
			at = at.UTC().Truncate(time.Millisecond)
			break
		}
	}
	if err != nil || at.UnixMilli() < 0 || at.Year() > 9999 {
		return "", at, invalid(fmt.Sprintf("%q is not a time", clip(row["created_at"], 60)),
			"correct created_at in the file: 2026-01-31T12:00:00Z")
	}
	return worker, at, nil
}

func (im *pythonImport) signal(row pythonRow, extra map[string]json.RawMessage) error {
	id := "s" + row["id"]
	where := fmt.Sprintf("signal %s: ", clip(id, 60))
	s := pythonSignal{status: row["status"], reason: row["waive_reason"], by: -1}
	s.raise = signalPayload{
		Raise:      Raise{Content: row["content"], Priority: row["priority"]},
		ExternalID: id,
		Extra:      extra,
	}
	var err error
	if err := checkText("the id", id, MaxName, true); err != nil {
		return prefixed(where, err)
	}
	if s.worker, s.at, err = im.who(row); err != nil {
		return prefixed(where, err)
	}
	if row["priority"] == "" {
		return prefixed(where, unknown("priority", "", Priorities))
	}
	if err := s.raise.prepare(); err != nil {
		return prefixed(where, err)
	}
	if !slices.Contains(SignalStatuses, s.status) {
		return prefixed(where, unknown("status", s.status, SignalStatuses))
	}
	if err := checkText("the reason", s.reason, MaxField, false); err != nil {
		return prefixed(where, err)
	}
	im.signalNo[row["id"]] = len(im.signals)
	im.signals = append(im.signals, s)
	return nil
}

func (im *pythonImport) entry(row pythonRow, extra map[string]json.RawMessage) error {
	id := "e" + row["id"]
	where := fmt.Sprintf("entry %s: ", clip(id, 60))
	e := pythonEntry{status: row["status"]}
	if e.status == "" {
		e.status = Active
	}
	if err := checkText("the id", id, MaxName, true); err != nil {
		return prefixed(where, err)
	}
	worker, at, err := im.who(row)
	if err != nil {
		return prefixed(where, err)
	}
	e.at = at
	p := Post{
		Type:        row["type"],
		Content:     row["content"],
		SourceDoc:   row["source_doc"],
		SourceRef:   row["source_ref"],
		Evidence:    row["evidence"],
		MustSurface: row["must_surface"] != "" && row["must_surface"] != "0",
		Worker:      worker,
	}
	if c := row["confidence"]; c != "" {
		v, err := strconv.ParseFloat(c, 64)
		if err != nil {
			return invalid(fmt.Sprintf("%sthe confidence %q is not a number", where, clip(c, 40)),
				"0 is a guess, 1 is certain")
		}
		p.Confidence = &v
	}
	if p.Type == "" {
		return prefixed(where, unknown("type", "", EntryTypes))
	}
	if err := p.prepare(); err != nil {
		return prefixed(where, err)
	}
	if !slices.Contains(EntryStatuses, e.status) {
		return prefixed(where, unknown("status", e.status, EntryStatuses))
	}
	e.post = postPayload{Post: p, ExternalID: id, Extra: extra}
	im.entryNo[row["id"]] = len(im.entries)
	im.entries = append(im.entries, e)
	return nil
}

// link adds a link to its entry. A link without a target, or a repeated one, is reported
// and kept in the log with the entry.
func (im *pythonImport) link(row pythonRow, _ map[string]json.RawMessage) error {
	kind, prefix, target := row["rel"], "e", ""
	if !slices.Contains(LinkKinds, kind) {
		return prefixed(fmt.Sprintf("a link of entry e%s: ", clip(row["entry_id"], 40)),
			unknown("link", kind, LinkKinds))
	}
	src, ok := im.entryNo[row["entry_id"]]
	if !ok {
		im.note("a link is left out: e%s, which %s %s, is not in the file", clip(row["entry_id"],
			40), kind, clip(row["target_id"], 40))
		return nil
	}
	if kind == Addresses {
		prefix = "s"
		if n, ok := im.signalNo[row["target_id"]]; ok {
			target = SignalID(int64(n) + 1)
			if im.signals[n].by < 0 || src < im.signals[n].by {
				im.signals[n].by = src
			}
		}
	} else if n, ok := im.entryNo[row["target_id"]]; ok && n != src {
		target = EntryID(int64(n) + 1)
	}
	e := &im.entries[src].post
	if list := e.links().of(kind); target == "" || slices.Contains(*list, target) {
		e.Extra = keepLeftOut(e.Extra, []string{kind + " " + prefix + row["target_id"]})
		im.note(
			"entry %s %s %s%s, which is not another entry or signal of the file: "+
				"the link is kept in the log only",
			e.ExternalID,
			kind,
			prefix,
			clip(row["target_id"], 40),
		)
		return nil
	}
	links := *e.links()
	*links.of(kind) = append(links.Of(kind), target)
	e.SetLinks(links)
	if links.Count() > MaxLinks {
		return invalid(fmt.Sprintf("entry %s has more than %d links", e.ExternalID, MaxLinks),
			"leave some of them out in the file")
	}
	return nil
}
