package foreign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

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

// Row is a row by its columns, as text.
type Row map[string]string

// Tables are called with each row of a table: the columns that our boards have too, and
// the others as JSON.
type Tables struct {
	Signal, Entry, Link func(row Row, extra map[string]json.RawMessage) error
}

// ReadPython reads a board of blackboard.py: the signals, then the entries, each by id,
// then the links. It returns the names of the tables that it did not read.
//
// Errors: fault.Conflict while another program writes to the file; fault.Invalid for a file
// that is no such board, or is damaged.
func ReadPython(ctx context.Context, path string, take Tables) (left []string, err error) {
	left, err = readPython(ctx, path, take)
	return left, foreignFault(err)
}

func readPython(ctx context.Context, path string, take Tables) ([]string, error) {
	f, err := sqlite.OpenForeign(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	tables, err := f.Tables(ctx)
	if err != nil {
		return nil, err
	}
	if slices.Contains(tables, "run") && slices.Contains(tables, "events") {
		return nil, fault.Invalid.New(path+" is the file of a run of this program", "",
			fault.Do("run.export", "{} writes what can be imported"))
	}
	for _, t := range []struct {
		name  string
		order string
		take  func(Row, map[string]json.RawMessage) error
	}{
		{"signals", " ORDER BY id", take.Signal},
		{"entries", " ORDER BY id", take.Entry},
		{"links", "", take.Link},
	} {
		if !slices.Contains(tables, t.name) {
			what := path + " is an SQLite file, but not a board of blackboard.py: it has no table " +
				t.name
			if slices.Contains(tables, "capsules") {
				return nil, fault.Invalid.New(what, "import it into the knowledge base")
			}
			return nil, fault.Invalid.New(what, "", Accepted)
		}
		if err := eachPythonRow(ctx, f, t.name, t.order, t.take); err != nil {
			return nil, err
		}
	}
	tables = slices.DeleteFunc(tables, func(t string) bool { return pythonColumns[t].must != nil })
	return tables, nil
}

// eachPythonRow reads a table. take gets the known columns, and the others as JSON.
func eachPythonRow(
	ctx context.Context,
	f *sqlite.Foreign,
	table, order string,
	take func(Row, map[string]json.RawMessage) error,
) error {
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
	return f.Each(
		ctx,
		"SELECT "+strings.Join(quoted, ", ")+" FROM "+table+order,
		func(values []any) error {
			row, extra := Row{}, map[string]json.RawMessage{}
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
