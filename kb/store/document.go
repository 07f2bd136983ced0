package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"blackboard/board/fault"
)

// Limits of a document.
const (
	MaxDocument = 1 << 30   // bytes
	maxRecords  = 1_000_000 // of all lists
	// bytes of one record; the largest is a working note with everything escaped
	maxRecord = 4 << 20
)

// Document is an export as one JSON object, streamed one record at a time.
type Document struct {
	What    string // what it is an export of: "memory"
	Hint    string // what to give in place of what is none
	Version int    // of the format
	Most    int64  // the most bytes that are read
	Fields  []Field
	Lists   []List
	Unknown func(name string)
}

// Field is a field of a document, and a pointer to its value.
type Field struct {
	Name  string
	Value any
}

type List struct {
	Name string
	Each func(add func(record any) error) error
	// Take gets each record that is read, with its place from 0. raw is valid until it returns.
	Take func(raw []byte, at int)
}

// Write writes one record a line, and returns each list's number of records, and the bytes.
func (d *Document) Write(w io.Writer) (counts map[string]int, size int64, err error) {
	print := func(text string, value ...any) error {
		var line bytes.Buffer
		line.WriteString(text)
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		for _, v := range value {
			if err := enc.Encode(v); err != nil {
				return err
			}
			line.Truncate(line.Len() - 1) // the newline of an encoder
		}
		size += int64(line.Len())
		_, err := w.Write(line.Bytes())
		return err
	}
	counts = map[string]int{}
	err = print("{\n\"schema_version\": ", d.Version)
	for _, f := range d.Fields {
		err = errors.Join(err, print(fmt.Sprintf(",\n%q: ", f.Name), f.Value))
	}
	for _, l := range d.Lists {
		n, end := 0, "]"
		err = errors.Join(err, print(fmt.Sprintf(",\n%q: [", l.Name)))
		if err == nil {
			err = l.Each(func(record any) error {
				sep := ",\n"
				if n++; n == 1 {
					sep, end = "\n", "\n]"
				}
				return print(sep, record)
			})
		}
		counts[l.Name] = n
		if err = errors.Join(err, print(end)); err != nil {
			return counts, size, err
		}
	}
	return counts, size, print("\n}\n")
}

type documentReader struct {
	*Document
	ctx     context.Context
	dec     *json.Decoder
	place   string
	records int
}

// Read passes each record to its list's Take. An error refuses the whole document.
func (d *Document) Read(ctx context.Context, r io.Reader) error {
	left := io.LimitedReader{R: r, N: d.Most + 1}
	err := (&documentReader{Document: d, ctx: ctx, dec: json.NewDecoder(&left)}).read()
	if err != nil && left.N <= 0 {
		err = fault.Invalid.New(fmt.Sprintf("the document has more than %d bytes", d.Most),
			"export tier by tier, and import the parts")
	}
	return err
}

// broken says where the document is not JSON, or not an export.
func (d *documentReader) broken(err error) error {
	where := fmt.Sprintf("at byte %d", d.dec.InputOffset())
	if d.place != "" {
		where = "in " + d.place + ", " + where
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var parse *time.ParseError
	say, hint := "", d.Hint
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		say, hint = "the document ends too early, "+where,
			"it was not written or copied completely: "+hint
	case errors.As(err, &syntax):
		say = "the document is not JSON " + where + ": " + err.Error()
	case errors.As(err, &kind):
		say = fmt.Sprintf("the document has a %s %s where an export has a %s", kind.Value, where,
			kind.Type)
	case errors.As(err, &parse):
		say = "the document has an invalid time " + where
	default:
		return err
	}
	return fault.Invalid.New(say, hint)
}

func (d *documentReader) wrong(what string) error {
	return fault.Invalid.New("the document is not an export of "+d.What+": "+what, d.Hint)
}

func (d *documentReader) token() (json.Token, error) {
	t, err := d.dec.Token()
	if err != nil {
		err = d.broken(err)
	}
	return t, err
}

func (d *documentReader) decode(into any) error {
	if err := d.dec.Decode(into); err != nil {
		return d.broken(err)
	}
	return nil
}

func (d *documentReader) read() error {
	if t, err := d.token(); err != nil {
		return err
	} else if t != json.Delim('{') {
		return d.wrong("it is not an object")
	}
	seen := map[string]bool{}
	for d.dec.More() {
		t, err := d.token()
		if err != nil {
			return err
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
	if _, err := d.token(); err != nil {
		return err
	}
	switch _, err := d.dec.Token(); {
	case err == nil:
		return d.wrong(fmt.Sprintf("there is more after it at byte %d", d.dec.InputOffset()))
	case !errors.Is(err, io.EOF):
		return d.broken(err)
	case !seen["schema_version"]:
		return d.wrong("it has no schema_version")
	}
	return nil
}

func (d *documentReader) field(name string) error {
	if name == "schema_version" {
		return d.version()
	}
	for _, f := range d.Fields {
		if f.Name == name {
			return d.decode(f.Value)
		}
	}
	for _, l := range d.Lists {
		if l.Name == name {
			return d.list(&l)
		}
	}
	d.Unknown(name)
	return d.decode(new(json.RawMessage))
}

func (d *documentReader) version() error {
	var version int64
	if err := d.decode(&version); err != nil {
		return err
	}
	switch have := int64(d.Version); {
	case version > have:
		return fault.Invalid.New(fmt.Sprintf("the document has schema version %d; this program supports %d",
			version, have), "install the newer version of board that wrote it")
	case version < have:
		return fault.Invalid.New(fmt.Sprintf("the document has schema version %d, which does not exist",
			version), d.Hint)
	}
	return nil
}

func (d *documentReader) list(l *List) error {
	if t, err := d.token(); err != nil {
		return err
	} else if t != json.Delim('[') {
		return d.wrong(l.Name + " is not a list")
	}
	var raw json.RawMessage
	for i := 0; d.dec.More(); i++ {
		d.place = RecordPlace(l.Name, i)
		if d.records++; d.records > maxRecords {
			return fault.Invalid.New(fmt.Sprintf("the document has more than %d records", maxRecords),
				"export tier by tier, and import the parts")
		}
		if d.records%1000 == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		if err := d.decode(&raw); err != nil {
			return err
		}
		l.Take(raw, i)
	}
	d.place = l.Name
	_, err := d.token()
	return err
}

// RecordPlace names a record by its list and its place there, such as items[17].
func RecordPlace(list string, at int) string { return fmt.Sprintf("%s[%d]", list, at) }

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
		field := kind.Field[strings.LastIndexByte(kind.Field, '.')+1:]
		return fmt.Sprintf("%s is a %s and should be a %s", field, kind.Value, kind.Type)
	case errors.As(err, &parse):
		return fmt.Sprintf("%s is not a time", fault.Clip(parse.Value, 60))
	case err != nil:
		return err.Error()
	}
	return ""
}
