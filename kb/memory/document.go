package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of a document.
const (
	maxDocument = 1 << 30   // bytes
	maxRecords  = 1_000_000 // of all lists
	// bytes of one record; the largest is a working note with everything escaped
	maxRecord = 4 << 20
)

// hintExport is the next step for a document that is not an export.
const hintExport = "give a file that an export of memory has written"

// documentReader reads a document as a stream into the lists of an import. It holds the
// text of one record at a time.
type documentReader struct {
	ctx     context.Context
	im      *importer
	out     *Imported
	dec     *json.Decoder
	left    io.LimitedReader
	place   string
	records int
}

// readDocument reads an export of at most so many bytes. An error is about the whole
// document; an invalid record is refused by itself.
func readDocument(ctx context.Context, r io.Reader, most int64, im *importer,
	out *Imported) error {
	d := &documentReader{ctx: ctx, im: im, out: out,
		left: io.LimitedReader{R: r, N: most + 1}}
	d.dec = json.NewDecoder(&d.left)
	err := d.read()
	if err != nil && d.left.N <= 0 {
		err = invalid(fmt.Sprintf("the document has more than %d bytes", most),
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
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return invalid("the document ends too early, "+where,
			"it was not written or copied completely: "+hintExport)
	case errors.As(err, &syntax):
		return invalid("the document is not JSON "+where+": "+err.Error(), hintExport)
	case errors.As(err, &kind):
		return invalid(fmt.Sprintf("the document has a %s %s where an export has a %s",
			kind.Value, where, kind.Type), hintExport)
	case errors.As(err, &parse):
		return invalid("the document has an invalid time "+where, hintExport)
	}
	return err
}

func (d *documentReader) wrong(what string) error {
	return invalid("the document is not an export of memory: "+what, hintExport)
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
	switch name {
	case "schema_version":
		var version int64
		if err := d.decode(&version); err != nil {
			return err
		}
		return checkVersion(version)
	case "exported_at":
		return d.decode(&d.out.Exported)
	case "workspace":
		return d.decode(&d.out.Workspace)
	case "tiers":
		return d.decode(new([]string)) // the records themselves count
	}
	if list := d.im.list(name); list != nil {
		return d.list(name, list)
	}
	d.out.Notes = append(d.out.Notes,
		fmt.Sprintf("%q is unknown and was left out", clip(name, 40)))
	return d.decode(new(json.RawMessage))
}

func checkVersion(version int64) error {
	switch {
	case version > ExportVersion:
		return invalid(fmt.Sprintf("the document has schema version %d; this program supports %d",
			version, ExportVersion), "install the newer version of board that wrote it")
	case version < ExportVersion:
		return invalid(fmt.Sprintf("the document has schema version %d, which does not exist",
			version), hintExport)
	}
	return nil
}

func (d *documentReader) list(name string, into importList) error {
	if t, err := d.token(); err != nil {
		return err
	} else if t != json.Delim('[') {
		return d.wrong(name + " is not a list")
	}
	var raw json.RawMessage
	for i := 0; d.dec.More(); i++ {
		d.place = placeOf(name, i)
		if d.records++; d.records > maxRecords {
			return invalid(fmt.Sprintf("the document has more than %d records", maxRecords),
				"export tier by tier, and import the parts")
		}
		if d.records%1000 == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		if err := d.decode(&raw); err != nil {
			return err
		}
		if why := into.add(raw, i); why != "" {
			d.out.count(name, i, fateRefused, why)
		}
	}
	d.place = name
	_, err := d.token()
	return err
}

// readRecord reads one record into a pointer and returns what is wrong with it, or "".
func readRecord(raw []byte, into any) string {
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
		return fmt.Sprintf("%s is not a time", clip(parse.Value, 60))
	case err != nil:
		return err.Error()
	}
	return ""
}

// placeOf names a record by its list and its index there, such as items[17].
func placeOf(list string, at int) string { return fmt.Sprintf("%s[%d]", list, at) }
