package importers

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"blackboard/board/disk"
	"blackboard/board/text"
	"blackboard/kb"
)

// maxImportLine is the largest capsule's bytes with every character escaped.
const maxImportLine = 6 * kb.MaxSidecar

// importLine is one line of a file, without its end.
type importLine struct {
	n    int // from 1
	text []byte
	long bool // longer than maxImportLine, and left out
}

// eachLine calls fn for each line that is not blank.
func eachLine(r io.Reader, fn func(importLine) error) error {
	br := bufio.NewReaderSize(text.Reader(r), 1<<16)
	for n := 1; ; n++ {
		line, long, err := text.Line(br, maxImportLine)
		if err != nil && err != io.EOF {
			return err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 || long {
			if err := fn(importLine{n, line, long}); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

func openImport(path string, most int64) (*disk.File, error) {
	f, err := disk.OpenNamed(path)
	if err != nil {
		return nil, invalid(fmt.Sprintf("cannot read %s: %s", path, disk.Cause(err)),
			"check its permissions")
	}
	info, err := f.Stat()
	if err == nil && info.Size() > most {
		err = tooLarge(path+" has", info.Size(), most)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func tooLarge(what string, size, most int64) error {
	return invalid(fmt.Sprintf("%s %.1f MB; the limit is %d", what,
		float64(size)/(1<<20), most>>20), "split it")
}

type jsonField struct {
	key string
	raw json.RawMessage
}

// object reads a line's JSON object. A field that is there twice is an error.
func (l importLine) object() ([]jsonField, error) {
	switch {
	case l.long:
		return nil, invalid(fmt.Sprintf("the line exceeds %d bytes", maxImportLine),
			"split it into several capsules")
	case !utf8.Valid(l.text):
		return nil, invalid("the line is not valid UTF-8", "convert the file to UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(l.text))
	notJSON := func(err error) error {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err = errors.New("it is incomplete")
		}
		return invalid("the line is not a JSON object: "+strings.TrimPrefix(err.Error(), "json: "),
			"each line must be one object; check if the file was cut")
	}
	open, err := dec.Token()
	if err != nil {
		return nil, notJSON(err)
	}
	if open != json.Delim('{') {
		return nil, notJSON(errors.New("it does not begin with {"))
	}
	var fields []jsonField
	seen := map[string]bool{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, notJSON(err)
		}
		f := jsonField{key: key.(string)} // the decoder takes nothing else for a key
		if err := dec.Decode(&f.raw); err != nil {
			return nil, notJSON(err)
		}
		if seen[f.key] {
			return nil, invalid(fmt.Sprintf("the field %q occurs twice", clip(f.key, 60)),
				"remove one of them")
		}
		seen[f.key] = true
		fields = append(fields, f)
	}
	if _, err := dec.Token(); err != nil {
		return nil, notJSON(err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, notJSON(errors.New("something follows the object"))
	}
	return fields, nil
}

func typeError(key string, err error) error {
	var t *json.UnmarshalTypeError
	if errors.As(err, &t) {
		return invalid(fmt.Sprintf("the field %q has the wrong type: %s instead of %s",
			clip(key, 60),
			clip(t.Value, 60), t.Type), "correct the line")
	}
	return invalid(fmt.Sprintf("invalid field %q: %s", clip(key, 60),
		clip(strings.TrimPrefix(err.Error(), "json: "), 200)), "correct the line")
}
