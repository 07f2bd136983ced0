package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
	"unicode/utf8"
)

// Limits of an import.
const (
	maxImport        = 1 << 30   // bytes
	maxImportRecords = 1_000_000 // of all lists
	// bytes of one record; the largest is a working note with everything escaped
	maxImportRecord = 4 << 20
)

// hintExport is the next step for a document that is not an export.
const hintExport = "give a file that an export of memory has written"

// exportDocument is an export with its records as they were read.
type exportDocument struct {
	schema    int64
	at        time.Time
	workspace string

	channels      []incoming[channelRecord]
	conversations []incoming[conversationRecord]
	items         []incoming[itemRecord]
	named         []incoming[namedRecord]
	notes         []incoming[noteRecord]
	scratch       []incoming[scratchRecord]
	revisions     []incoming[revisionRecord]

	refused []ImportRefused // records that cannot be read
	remarks []string
}

// incoming is a record with its index in its list.
type incoming[T any] struct {
	at  int
	rec T
}

// documentReader reads a document as a stream. It holds the text of one record at a
// time.
type documentReader struct {
	ctx     context.Context
	dec     *json.Decoder
	left    io.LimitedReader
	place   string
	records int
	doc     exportDocument
}

// readDocument reads an export. An error is about the whole document; an invalid record
// is refused by itself.
func readDocument(ctx context.Context, r io.Reader, most int64) (*exportDocument, error) {
	d := &documentReader{ctx: ctx, left: io.LimitedReader{R: r, N: most + 1}}
	d.dec = json.NewDecoder(&d.left)
	err := d.read()
	if err != nil && d.left.N <= 0 {
		err = invalid(fmt.Sprintf("the document has more than %d bytes", most),
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
		return invalid("the document ends too early, "+where,
			"it was not written or copied completely: "+hintExport)
	case errors.As(err, &syntax):
		return invalid("the document is not JSON "+where+": "+err.Error(), hintExport)
	case errors.As(err, &kind):
		return invalid(fmt.Sprintf("the document has a %s %s where an export has a %s",
			kind.Value, where, kind.Type), hintExport)
	}
	var parse *time.ParseError
	if errors.As(err, &parse) {
		return invalid("the document has an invalid time "+where, hintExport)
	}
	return err
}

func (d *documentReader) wrong(what string) error {
	return invalid("the document is not an export of memory: "+what, hintExport)
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
			return d.wrong(fmt.Sprintf("it has %q twice", clip(name, 40)))
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
		if err := decode(&d.doc.schema); err != nil {
			return err
		}
		return checkSchema(d.doc.schema)
	case "exported_at":
		return decode(&d.doc.at)
	case "workspace":
		return decode(&d.doc.workspace)
	case "tiers":
		var tiers []string // the records themselves count
		return decode(&tiers)
	case listChannels:
		return readList(d, name, &d.doc.channels)
	case listConversations:
		return readList(d, name, &d.doc.conversations)
	case listItems:
		return readList(d, name, &d.doc.items)
	case listNamed:
		return readList(d, name, &d.doc.named)
	case listNotes:
		return readList(d, name, &d.doc.notes)
	case listScratch:
		return readList(d, name, &d.doc.scratch)
	case listRevisions:
		return readList(d, name, &d.doc.revisions)
	}
	d.doc.remarks = append(d.doc.remarks,
		fmt.Sprintf("%q is unknown and was left out", clip(name, 40)))
	var skipped json.RawMessage
	return decode(&skipped)
}

func checkSchema(version int64) error {
	switch {
	case version > SchemaVersion:
		return invalid(fmt.Sprintf("the document has schema version %d; this program supports %d",
			version, SchemaVersion), "install the newer version of board that wrote it")
	case version < SchemaVersion:
		return invalid(fmt.Sprintf("the document has schema version %d, which does not exist",
			version), hintExport)
	}
	return nil
}

func readList[T any](d *documentReader, name string, into *[]incoming[T]) error {
	t, err := d.dec.Token()
	if err != nil {
		return d.broken(err)
	}
	if t != json.Delim('[') {
		return d.wrong(name + " is not a list")
	}
	var raw json.RawMessage
	for i := 0; d.dec.More(); i++ {
		d.place = place(name, i)
		if d.records++; d.records > maxImportRecords {
			return invalid(fmt.Sprintf("the document has more than %d records", maxImportRecords),
				"export tier by tier, and import the parts")
		}
		if d.records%1000 == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		if err := d.dec.Decode(&raw); err != nil {
			return d.broken(err)
		}
		in := incoming[T]{at: i}
		if why := readRecord(raw, &in.rec); why != "" {
			d.doc.refused = append(d.doc.refused, refusedAt(name, i, why))
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

// readRecord reads one record and returns what is wrong with it, or "".
func readRecord(raw []byte, into any) string {
	switch {
	case len(raw) > maxImportRecord:
		return fmt.Sprintf("it has %d bytes; at most %d are allowed", len(raw), maxImportRecord)
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
		return fmt.Sprintf("%s is not a time", clip(parse.Value, 60))
	case err != nil:
		return err.Error()
	}
	return ""
}

func place(list string, at int) string { return fmt.Sprintf("%s[%d]", list, at) }

// ImportRefused is a record that was refused.
type ImportRefused struct {
	Place  string `json:"place"` // such as items[17]
	Reason string `json:"reason"`

	list string
	at   int
}

func refusedAt(list string, at int, reason string) ImportRefused {
	return ImportRefused{Place: place(list, at), Reason: reason, list: list, at: at}
}

// compareRefused orders by place.
func compareRefused(a, b ImportRefused) int {
	if a.list != b.list {
		return slices.Index(exportLists, a.list) - slices.Index(exportLists, b.list)
	}
	return a.at - b.at
}
