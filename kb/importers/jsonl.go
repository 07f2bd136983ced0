package importers

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"
	"sync"
	"time"

	"blackboard/board/fault"
	"blackboard/kb"
)

// The first line of an export.
const (
	exportSchema  = "blackboard.capsules"
	exportVersion = 1
)

// WriteExport writes capsules as JSON lines below a header line, and returns their number.
func WriteExport(w io.Writer, next iter.Seq2[kb.Capsule, error]) (int, error) {
	bw := bufio.NewWriter(w)
	fmt.Fprintf(bw, "{\"v\":%d,\"schema\":%q}\n", exportVersion, exportSchema)
	enc := json.NewEncoder(bw)
	enc.SetEscapeHTML(false)
	n := 0
	for c, err := range next {
		if err != nil {
			return n, err
		}
		for _, l := range []*[]string{&c.Tags, &c.DomainTags, &c.Supersedes, &c.Refs} {
			if *l == nil {
				*l = []string{}
			}
		}
		if err := enc.Encode(&c); err != nil {
			return n, fmt.Errorf("capsule %s: %w", c.ID, err)
		}
		n++
	}
	return n, bw.Flush()
}

// capsuleFields has the index of each field of a Capsule by its JSON name.
var capsuleFields = sync.OnceValue(func() map[string]int {
	at := map[string]int{}
	t := reflect.TypeFor[kb.Capsule]()
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			at[name] = i
		}
	}
	return at
})

func (im *importer) readJSONL(path string) error {
	f, err := openImport(path, maxImportExport)
	if err != nil {
		return err
	}
	defer f.Close()
	return im.readExport(path, f)
}

func (im *importer) readExport(path string, r io.Reader) error {
	header := false
	err := eachLine(r, func(l importLine) error {
		if !header {
			header = true
			return im.readExportHeader(path, l)
		}
		if err := im.record(); err != nil {
			return err
		}
		from := fmt.Sprintf("%s:%d", path, l.n)
		c, notes, err := jsonlCapsule(l)
		if err != nil {
			im.refuse(from, told(err))
			return nil
		}
		im.take(from, c, notes)
		return nil
	})
	if err == nil && !header {
		err = invalid(path+" is empty", "", fault.Do("kb.export", "give a file made by {}"))
	}
	return err
}

func (im *importer) readExportHeader(path string, l importLine) error {
	fields, err := l.object()
	v, schema := 0, ""
	for _, f := range fields {
		switch f.key {
		case "schema":
			_ = json.Unmarshal(f.raw, &schema)
		case "v":
			if err := json.Unmarshal(f.raw, &v); err != nil {
				return invalid(fmt.Sprintf("%s:%d: %s", path, l.n, typeError("v", err)),
					"export the knowledge base again")
			}
		default:
			im.note("%s:%d: the unknown field %q was not kept: %s", path, l.n, clip(f.key, 60),
				clip(string(f.raw), 80))
		}
	}
	switch {
	case err != nil || schema != exportSchema:
		return invalid(fmt.Sprintf("%s:%d is not the header of a capsule export", path, l.n),
			fmt.Sprintf(`an export begins with {"v":%d,"schema":%q}`, exportVersion, exportSchema))
	case v > exportVersion:
		return invalid(fmt.Sprintf("%s is an export of version %d; this program reads version %d",
			path, v, exportVersion), "install the newer version of board that wrote it")
	case v < 1:
		return invalid(fmt.Sprintf("%s:%d has no version", path, l.n),
			"export the knowledge base again")
	}
	return nil
}

// jsonlCapsule reads a line: a wrong type is an error, an unknown field a note.
func jsonlCapsule(l importLine) (c kb.Capsule, notes []string, err error) {
	fields, err := l.object()
	if err != nil {
		return c, nil, err
	}
	into := reflect.ValueOf(&c).Elem()
	for _, f := range fields {
		i, known := capsuleFields()[f.key]
		if !known {
			notes = append(notes, fmt.Sprintf("the unknown field %q was not kept: %s",
				clip(f.key, 60), clip(string(f.raw), 80)))
			continue
		}
		if err := json.Unmarshal(f.raw, into.Field(i).Addr().Interface()); err != nil {
			return c, nil, typeError(f.key, err)
		}
	}
	if c.ID == "" {
		notes = append(notes, "it had no id and got a new one")
	}
	return c, notes, checkOwn(&c)
}

// checkOwn checks what Remember sets and Normalise does not check, and truncates times.
func checkOwn(c *kb.Capsule) error {
	for _, id := range []string{c.ID, c.SupersededBy} {
		if id == "" {
			continue
		}
		if err := kb.CheckID(id); err != nil {
			return err
		}
	}
	for _, id := range append([]string{c.SupersededBy}, c.Supersedes...) {
		if id != "" && id == c.ID {
			return invalid("it supersedes itself", "correct supersedes and superseded_by")
		}
	}
	if c.Ingested != nil {
		if err := c.Ingested.Check(); err != nil {
			return err
		}
	}
	if c.Revision < 0 || c.Dim < 0 {
		return invalid("its revision or dim is negative", "correct the line")
	}
	if err := kb.CheckText("what it was retired for", c.RetiredWhy,
		kb.MaxField, false); err != nil {
		return err
	}
	c.Created, c.Updated = kb.Stamp(c.Created), kb.Stamp(c.Updated)
	times := []time.Time{c.Created, c.Updated}
	for _, t := range []**time.Time{&c.Retrieved, &c.Retired} {
		if *t != nil {
			s := kb.Stamp(**t)
			*t = &s
			times = append(times, s)
		}
	}
	for _, t := range times {
		if !canStoreTime(t) {
			return invalid("one of its times is outside of the years 1 to 9999",
				"correct the line")
		}
	}
	return nil
}
