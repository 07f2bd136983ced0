package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
	"unicode/utf8"

	"blackboard/board/fault"
)

// Limits of a document.
const (
	MaxBytes   = 1 << 30   // bytes
	maxRecords = 1_000_000 // of all lists
	// bytes of one record; the largest is a working note with everything escaped
	maxRecord = 4 << 20
)

// Hint is the next step for a document that is not an export.
const Hint = "give a file that an export of memory has written"

// Document is an export with its records as they were read.
type Document struct {
	Exported  time.Time // when it was written
	Workspace string    // the root directory that it is of

	Channels      []Incoming[Channel]
	Conversations []Incoming[Conversation]
	Items         []Incoming[Item]
	Named         []Incoming[Named]
	Notes         []Incoming[Note]
	Scratch       []Incoming[Scratch]
	Revisions     []Incoming[Revision]

	Refused []ImportRefused // records that cannot be read
	Remarks []string        // what was left out of the document itself
}

// Incoming is a record with its index in its list.
type Incoming[T any] struct {
	At     int
	Record T
}

// documentReader reads a document as a stream. It holds the text of one record at a
// time.
type documentReader struct {
	ctx     context.Context
	dec     *json.Decoder
	left    io.LimitedReader
	place   string
	records int
	doc     Document
}

// Read reads an export of at most so many bytes. An error is about the whole document; an
// invalid record is refused by itself.
func Read(ctx context.Context, r io.Reader, most int64) (*Document, error) {
	d := &documentReader{ctx: ctx, left: io.LimitedReader{R: r, N: most + 1}}
	d.dec = json.NewDecoder(&d.left)
	err := d.read()
	if err != nil && d.left.N <= 0 {
		err = fault.Invalid.New(fmt.Sprintf("the document has more than %d bytes", most),
			"export tier by tier, and import the parts")
	}
	return &d.doc, err
}

// broken says where the document is not JSON, or not an export.
func (d *documentReader) broken(err error) error {
	where := fmt.Sprintf("at byte %d", d.dec.InputOffset())
	if d.place != "" {
		where = "in " + d.place + ", " + where
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fault.Invalid.New("the document ends too early, "+where,
			"it was not written or copied completely: "+Hint)
	case errors.As(err, &syntax):
		return fault.Invalid.New("the document is not JSON "+where+": "+err.Error(), Hint)
	case errors.As(err, &kind):
		return fault.Invalid.New(fmt.Sprintf("the document has a %s %s where an export has a %s",
			kind.Value, where, kind.Type), Hint)
	}
	var parse *time.ParseError
	if errors.As(err, &parse) {
		return fault.Invalid.New("the document has an invalid time "+where, Hint)
	}
	return err
}

func (d *documentReader) wrong(what string) error {
	return fault.Invalid.New("the document is not an export of memory: "+what, Hint)
}

func (d *documentReader) read() error {
	t, err := d.dec.Token()
	if err != nil {
		return d.broken(err)
	}
	if t != json.Delim('{') {
		return d.wrong("it is not an object")
	}
	seen := map[string]bool{}
	for d.dec.More() {
		t, err := d.dec.Token()
		if err != nil {
			return d.broken(err)
		}
		name, _ := t.(string)
		if seen[name] {
			return d.wrong(fmt.Sprintf("it has %q twice", fault.Clip(name, 40)))
		}
		seen[name] = true
		d.place = ""
		if len(name) <= 40 {
			d.place = fmt.Sprintf("%q", name)
		}
		if err := d.field(name); err != nil {
			return err
		}
	}
	d.place = ""
	if _, err := d.dec.Token(); err != nil {
		return d.broken(err)
	}
	if _, err := d.dec.Token(); !errors.Is(err, io.EOF) {
		if err == nil {
			return d.wrong(fmt.Sprintf("there is more after it at byte %d", d.dec.InputOffset()))
		}
		return d.broken(err)
	}
	if !seen["schema_version"] {
		return d.wrong("it has no schema_version")
	}
	return nil
}

func (d *documentReader) field(name string) error {
	decode := func(into any) error {
		if err := d.dec.Decode(into); err != nil {
			return d.broken(err)
		}
		return nil
	}
	switch name {
	case "schema_version":
		var version int64
		if err := decode(&version); err != nil {
			return err
		}
		return checkSchema(version)
	case "exported_at":
		return decode(&d.doc.Exported)
	case "workspace":
		return decode(&d.doc.Workspace)
	case "tiers":
		var tiers []string // the records themselves count
		return decode(&tiers)
	case ListChannels:
		return readList(d, name, &d.doc.Channels)
	case ListConversations:
		return readList(d, name, &d.doc.Conversations)
	case ListItems:
		return readList(d, name, &d.doc.Items)
	case ListNamed:
		return readList(d, name, &d.doc.Named)
	case ListNotes:
		return readList(d, name, &d.doc.Notes)
	case ListScratch:
		return readList(d, name, &d.doc.Scratch)
	case ListRevisions:
		return readList(d, name, &d.doc.Revisions)
	}
	d.doc.Remarks = append(d.doc.Remarks,
		fmt.Sprintf("%q is unknown and was left out", fault.Clip(name, 40)))
	var skipped json.RawMessage
	return decode(&skipped)
}

func checkSchema(version int64) error {
	switch {
	case version > SchemaVersion:
		return fault.Invalid.New(
			fmt.Sprintf("the document has schema version %d; this program supports %d",
				version, SchemaVersion), "install the newer version of board that wrote it")
	case version < SchemaVersion:
		return fault.Invalid.New(fmt.Sprintf("the document has schema version %d, which does not exist",
			version), Hint)
	}
	return nil
}

func readList[T any](d *documentReader, name string, into *[]Incoming[T]) error {
	t, err := d.dec.Token()
	if err != nil {
		return d.broken(err)
	}
	if t != json.Delim('[') {
		return d.wrong(name + " is not a list")
	}
	var raw json.RawMessage
	for i := 0; d.dec.More(); i++ {
		d.place = Place(name, i)
		if d.records++; d.records > maxRecords {
			return fault.Invalid.New(fmt.Sprintf("the document has more than %d records", maxRecords),
				"export tier by tier, and import the parts")
		}
		if d.records%1000 == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		if err := d.dec.Decode(&raw); err != nil {
			return d.broken(err)
		}
		in := Incoming[T]{At: i}
		if why := ReadRecord(raw, &in.Record); why != "" {
			d.doc.Refused = append(d.doc.Refused, RefusedAt(name, i, why))
			continue
		}
		*into = append(*into, in)
	}
	d.place = name
	if _, err := d.dec.Token(); err != nil {
		return d.broken(err)
	}
	return nil
}

// ReadRecord reads one record into a pointer and returns what is wrong with it, or "".
func ReadRecord(raw []byte, into any) string {
	switch {
	case len(raw) > maxRecord:
		return fmt.Sprintf("it has %d bytes; at most %d are allowed", len(raw), maxRecord)
	case !utf8.Valid(raw): // the decoder would replace invalid bytes
		return "it is not valid UTF-8"
	case len(raw) == 0 || raw[0] != '{':
		return "it is not an object"
	}
	err := json.Unmarshal(raw, into)
	var kind *json.UnmarshalTypeError
	var parse *time.ParseError
	switch {
	case errors.As(err, &kind):
		return fmt.Sprintf("%s is a %s and should be a %s", kind.Field, kind.Value, kind.Type)
	case errors.As(err, &parse):
		return fmt.Sprintf("%s is not a time", fault.Clip(parse.Value, 60))
	case err != nil:
		return err.Error()
	}
	return ""
}

// Place names a record by its list and its index there, such as items[17].
func Place(list string, at int) string { return fmt.Sprintf("%s[%d]", list, at) }

// ImportRefused is a record that was refused.
type ImportRefused struct {
	Place  string `json:"place"` // such as items[17]
	Reason string `json:"reason"`

	List string `json:"-"` // the list of the record
	At   int    `json:"-"` // its index there
}

// RefusedAt returns the refusal of a record, with the reason.
func RefusedAt(list string, at int, reason string) ImportRefused {
	return ImportRefused{Place: Place(list, at), Reason: reason, List: list, At: at}
}

// CompareRefused orders by place.
func CompareRefused(a, b ImportRefused) int {
	if a.List != b.List {
		return slices.Index(Lists, a.List) - slices.Index(Lists, b.List)
	}
	return a.At - b.At
}
