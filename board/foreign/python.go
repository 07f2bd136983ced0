package foreign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

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

// row is a row by its columns, as text; those that our boards do not have are in extra.
type row struct {
	text  map[string]string
	extra map[string]json.RawMessage
}

// pythonReader reads a board of blackboard.py.
type pythonReader struct {
	Board
	path     string
	mask     func(what string, text *string)
	entryNo  map[string]int // position by the id in the file
	unsigned int            // entries and signals without an author
}

// ReadPython reads a board of blackboard.py: the signals and the entries, each by id. What it
// reads is masked first.
//
// Errors: fault.Conflict while another program writes to the file; fault.Invalid for a file
// that is no such board, or is damaged.
func ReadPython(ctx context.Context, path string, mask func(what string, text *string)) (*Board,
	error) {
	r := &pythonReader{Board: Board{Format: Python}, path: path, mask: mask,
		entryNo: map[string]int{}}
	if err := r.read(ctx); err != nil {
		return nil, foreignFault(err)
	}
	r.tell()
	return &r.Board, nil
}

func (r *pythonReader) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

func (r *pythonReader) read(ctx context.Context) error {
	f, err := sqlite.OpenForeign(ctx, r.path)
	if err != nil {
		return err
	}
	defer f.Close()
	tables, err := f.Tables(ctx)
	if err != nil {
		return err
	}
	if slices.Contains(tables, "run") && slices.Contains(tables, "events") {
		return fault.Invalid.New(r.path+" is the file of a run of this program", "",
			fault.Do("run.export", "{} writes what can be imported"))
	}
	for _, t := range []struct {
		name, order string
		take        func(row) error
	}{
		{"signals", " ORDER BY id", r.signal},
		{"entries", " ORDER BY id", r.entry},
		{"links", "", r.link},
	} {
		if !slices.Contains(tables, t.name) {
			what := r.path + " is an SQLite file, but not a board of blackboard.py: it has no table " +
				t.name
			if slices.Contains(tables, "capsules") {
				return fault.Invalid.New(what, "import it into the knowledge base")
			}
			return fault.Invalid.New(what, "", Accepted)
		}
		if err := r.each(ctx, f, t.name, t.order, t.take); err != nil {
			return err
		}
	}
	tables = slices.DeleteFunc(tables, func(t string) bool { return pythonColumns[t].must != nil })
	if len(tables) > 0 {
		r.note("tables that are not of blackboard.py were not read: %s",
			fault.Clip(strings.Join(tables, ", "), 200))
	}
	return nil
}

// each reads a table.
func (r *pythonReader) each(ctx context.Context, f *sqlite.Foreign, table, order string,
	take func(row) error) error {
	columns, err := f.Columns(ctx, table)
	if err != nil {
		return err
	}
	known, quoted := pythonColumns[table], []string{}
	for _, c := range known.must {
		if !slices.Contains(columns, c) {
			return fault.Invalid.New(fmt.Sprintf(
				"the file is not a board of blackboard.py: its table %s has no column %s", table, c),
				"", Accepted)
		}
	}
	for _, c := range columns {
		quoted = append(quoted, sqlite.Quote(c))
	}
	thing := map[string]string{"signals": "question s", "entries": "entry e",
		"links": "a link of entry e"}[table]
	return f.Each(ctx, "SELECT "+strings.Join(quoted, ", ")+" FROM "+table+order,
		func(values []any) error {
			got := row{map[string]string{}, map[string]json.RawMessage{}}
			name := thing + fault.Clip(sqlite.Text(values[slices.Index(columns, known.must[0])]), 60)
			for i, v := range values {
				c, text := columns[i], sqlite.Text(v)
				if !slices.Contains(known.must[:1], c) {
					r.mask(name, &text)
				}
				if slices.Contains(known.must, c) || slices.Contains(known.may, c) {
					got.text[c] = text
				} else if text != "" {
					got.extra[c], _ = json.Marshal(text) // a string always can be
				}
			}
			if err := take(got); err != nil {
				var said *fault.Error
				if errors.As(err, &said) && said.Kind == fault.Invalid {
					return fault.Invalid.New(name+": "+said.Msg, "", said.Next...)
				}
				return err
			}
			return nil
		})
}

// pythonTimes are the formats of time in such files; without a zone, it is UTC.
var pythonTimes = []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05"}

// who returns the author and the time of a row.
func (r *pythonReader) who(got row) (worker string, at time.Time, err error) {
	if worker = strings.TrimSpace(got.text["created_by"]); worker == "" {
		worker = Python
		r.unsigned++
	}
	created := got.text["created_at"]
	for _, layout := range pythonTimes {
		if at, err = time.Parse(layout, created); err == nil {
			at = at.UTC().Truncate(time.Millisecond)
			break
		}
	}
	if err != nil || at.UnixMilli() < 0 || at.Year() > 9999 {
		return "", at, fault.Invalid.New(fmt.Sprintf("%q is not a time", fault.Clip(created, 60)),
			"correct created_at in the file: 2026-01-31T12:00:00Z")
	}
	return worker, at, nil
}

func (r *pythonReader) signal(got row) (err error) {
	t := got.text
	s := Signal{ID: "s" + t["id"], Content: t["content"], Priority: t["priority"],
		Status: t["status"], Reason: t["waive_reason"], Extra: got.extra}
	s.Worker, s.At, err = r.who(got)
	r.Signals = append(r.Signals, s)
	return err
}

func (r *pythonReader) entry(got row) (err error) {
	t := got.text
	e := Entry{ID: "e" + t["id"], Type: t["type"], Content: t["content"], Status: t["status"],
		Source:      Source{t["source_doc"], t["source_ref"], t["evidence"]},
		MustSurface: t["must_surface"] != "" && t["must_surface"] != "0", Extra: got.extra}
	if c := t["confidence"]; c != "" {
		v, err := strconv.ParseFloat(c, 64)
		if err != nil {
			return fault.Invalid.New(fmt.Sprintf("the confidence %q is not a number",
				fault.Clip(c, 40)), "0 is a guess, 1 is certain")
		}
		e.Confidence = &v
	}
	e.CreatedBy.Worker, e.At, err = r.who(got)
	r.entryNo[t["id"]] = len(r.Entries)
	r.Entries = append(r.Entries, e)
	return err
}

func (r *pythonReader) link(got row) error {
	kind, target := got.text["rel"], got.text["target_id"]
	at, there := r.entryNo[got.text["entry_id"]]
	if !there {
		r.note("a link is left out: e%s, which %s %s, is not in the file",
			fault.Clip(got.text["entry_id"], 40), kind, fault.Clip(target, 40))
		return nil
	}
	e := &r.Entries[at]
	switch kind {
	case "supports":
		e.Supports = append(e.Supports, "e"+target)
	case "contradicts":
		e.Contradicts = append(e.Contradicts, "e"+target)
	case "supersedes":
		e.Supersedes = append(e.Supersedes, "e"+target)
	case "addresses":
		e.Addresses = append(e.Addresses, "s"+target)
	default:
		return fault.Invalid.New(fmt.Sprintf("unknown link %q", fault.Clip(kind, 60)),
			"choose one of supports, contradicts, supersedes, addresses")
	}
	return nil
}

// tell notes what the file does not say.
func (r *pythonReader) tell() {
	var waived []string
	renumbered := 0
	for i, s := range r.Signals {
		here := fmt.Sprint("s", i+1)
		if s.Status == "waived" {
			waived = append(waived, here)
		}
		if s.ID != here {
			renumbered++
		}
	}
	for i, e := range r.Entries {
		if e.ID != fmt.Sprint("e", i+1) {
			renumbered++
		}
	}
	if len(waived) > 0 {
		r.note("the file does not say who waived %s, or when: %s stands for that, "+
			"at the last time in the file", fault.Clip(strings.Join(waived, ", "), 200), Python)
	}
	if r.unsigned > 0 {
		r.note("%d entries and questions name no author: %s stands for that", r.unsigned, Python)
	}
	if renumbered > 0 {
		r.note("%d entries and questions have another id here, as ids are missing in the file; "+
			"their own are kept as external ids", renumbered)
	}
}

// foreignFault says what is wrong with an SQLite file of another program.
func foreignFault(err error) error {
	var own *fault.Error
	switch {
	case errors.Is(err, fault.Busy):
		return fault.Conflict.New(err.Error(),
			"stop the program that writes to it, or copy the file while nothing writes to it")
	case errors.Is(err, fault.Invalid) || !errors.As(err, &own):
		return err
	}
	return fault.Invalid.New(err.Error(), "give an undamaged copy of the board's file")
}
