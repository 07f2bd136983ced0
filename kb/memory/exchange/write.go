package exchange

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"time"
)

// Writer writes a document: the header, then each list, then Close.
type Writer struct {
	count countingWriter
	w     *bufio.Writer
	line  bytes.Buffer // buffer of enc
	enc   *json.Encoder
	lists int
}

// NewWriter returns a Writer of a document to w.
func NewWriter(w io.Writer) *Writer {
	x := &Writer{count: countingWriter{w: w}}
	x.w = bufio.NewWriterSize(&x.count, 1<<16)
	x.enc = json.NewEncoder(&x.line)
	x.enc.SetEscapeHTML(false)
	return x
}

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// Header begins the document with what it is about.
func (x *Writer) Header(at time.Time, workspace string, tiers []string) error {
	x.w.WriteString("{\n") // Close returns write errors
	for _, field := range []struct {
		name  string
		value any
	}{{"schema_version", SchemaVersion}, {"exported_at", at}, {"workspace", workspace},
		{"tiers", tiers}} {
		x.w.WriteString(`"` + field.name + `": `)
		if err := x.encode(field.value); err != nil {
			return err
		}
		x.w.WriteString(",\n")
	}
	return nil
}

// List writes the list of a name with the records that fn adds, and returns how many.
func (x *Writer) List(name string, fn func(add func(record any) error) error) (n int, err error) {
	if x.lists > 0 {
		x.w.WriteString(",\n")
	}
	x.lists++
	x.w.WriteString(`"` + name + `": [`)
	if err := fn(func(record any) error {
		x.w.WriteString([]string{"\n", ",\n"}[min(n, 1)])
		n++
		return x.encode(record)
	}); err != nil {
		return n, err
	}
	_, err = x.w.WriteString([]string{"]", "\n]"}[min(n, 1)])
	return n, err
}

// Close ends the document and writes what is buffered. It does not close the underlying
// writer.
func (x *Writer) Close() error {
	x.w.WriteString("\n}\n")
	return x.w.Flush()
}

// Bytes returns how many bytes have reached the underlying writer.
func (x *Writer) Bytes() int64 { return x.count.n }

// encode writes a value without the final newline of an encoder.
func (x *Writer) encode(value any) error {
	x.line.Reset()
	if err := x.enc.Encode(value); err != nil {
		return err
	}
	_, err := x.w.Write(bytes.TrimSuffix(x.line.Bytes(), []byte("\n")))
	return err
}
