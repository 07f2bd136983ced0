package importers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/kb"
)

const storeFile = "store.db"

// storeRow is a chunk by the plain names of its columns: lower case, without
// underscores.
type storeRow map[string]string

// storeNames are other names that a chunk's columns have had.
var storeNames = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"title": "topic", "body": "content", "text": "content", "created": "createdat",
		"updated": "updatedat", "expires": "expiresat",
		"expiry": "expiresat", "agentid": "agent",
	}
})

// storeKinds are the tags that say what kind a chunk is, besides the names of the kinds.
var storeKinds = sync.OnceValue(func() map[string]string {
	return map[string]string{"decision": "principle", "convention": "principle",
		"pitfall": "gotcha", "howto": "recipe", "runbook": "recipe", "docs": "doc"}
})

// storeReader counts values that many chunks share, so that one note covers them all.
type storeReader struct {
	im             *importer
	medium, global int
}

func plainName(column string) string {
	s := strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(column))
	if other, ok := storeNames()[s]; ok {
		return other
	}
	return s
}

func (im *importer) readStoreFile(path string) error {
	f, err := sqlite.OpenForeign(im.ctx, path)
	if err != nil {
		return foreignError(path, err)
	}
	defer f.Close()
	r := &storeReader{im: im}
	tables, err := f.Tables(im.ctx)
	if err != nil {
		return foreignError(path, err)
	}
	switch {
	case slices.Contains(tables, "capsules") && slices.Contains(tables, "sidecars"):
		return invalid(path+" is the database of a knowledge base of this program",
			"import the folder capsules beside it", fault.Do("kb.export",
				"or give a file made by {}"))
	case slices.Contains(tables, "entries") && slices.Contains(tables, "signals"):
		return invalid(path+" is a board of blackboard.py, not a knowledge base",
			"import it as a run")
	case !slices.Contains(tables, "chunks"):
		return invalid(fmt.Sprintf("%s has no table chunks, so it is not a store of "+
			"agent-memory-store",
			path), "its file is .agent-memory-store/"+storeFile+", that of ai-kb "+aiKBFile)
	}
	var others []string
	for _, t := range tables {
		switch {
		case t == "chunks" || t == "state":
			columns, err := f.Columns(im.ctx, t)
			if err == nil {
				err = r.table(f, path, t, columns)
			}
			if err != nil {
				return foreignError(path, err)
			}
		case !strings.HasPrefix(t, "chunks_fts"): // made from chunks
			others = append(others, t)
		}
	}
	if len(others) > 0 {
		im.note("%s: skipped tables that are not of agent-memory-store: %s", path,
			clip(strings.Join(others, ", "), 200))
	}
	r.notes()
	return nil
}

// foreignError describes an error that the source caused.
func foreignError(path string, err error) error {
	var own *fault.Error
	switch _, refused := fault.Refused(err); {
	case refused:
		return err
	case errors.Is(err, fault.Busy):
		return fault.Conflict.New(err.Error(), "stop the program that writes to it, or import a "+
			"copy of the file")
	case errors.Is(err, fault.Full):
		return invalid(err.Error(), "remove what is not needed from the store, or free space "+
			"for temporary files")
	case errors.As(err, &own):
		return invalid(err.Error(), "give an undamaged copy")
	case errors.Is(err, fs.ErrPermission):
		return invalid(fmt.Sprintf("cannot read %s: %s", path, systemWords(err)),
			"check its permissions")
	}
	return err
}

// storeCell is the most of a value that is read: more is refused anyway.
const storeCell = 4 * kb.MaxBody

// table reads the rows of chunks or state.
func (r *storeReader) table(f *sqlite.Foreign, path, table string, columns []string) error {
	var names, selected []string
	for _, c := range columns {
		name := plainName(c)
		if name == "embedding" {
			r.im.note("%s: embeddings were not imported; the local model computes new ones", path)
			continue
		}
		if slices.Contains(names, name) {
			name = c
		}
		names = append(names, name)
		selected = append(selected, fmt.Sprintf("substr(%s, 1, %d)", sqlite.Quote(c), storeCell))
	}
	if len(selected) == 0 {
		return nil
	}
	n := 0
	return f.Each(r.im.ctx, "SELECT "+strings.Join(selected, ", ")+" FROM "+sqlite.Quote(table),
		func(values []any) error {
			n++
			if err := r.im.record(); err != nil {
				return err
			}
			row := storeRow{}
			for i, v := range values {
				row[names[i]] = sqlite.Text(v)
			}
			if table == "state" {
				r.state(fmt.Sprintf("%s: state %s", path, rowName(row["key"], n)), row)
			} else {
				r.chunk(fmt.Sprintf("%s: chunk %s", path, rowName(row["id"], n)), row)
			}
			return nil
		})
}

func rowName(id string, n int) string {
	if id = inOneLine(id); id != "" {
		return clip(asUTF8(id), 60)
	}
	return fmt.Sprintf("in row %d", n)
}

// chunk makes a capsule of a chunk.
func (r *storeReader) chunk(from string, row storeRow) {
	for name, v := range row {
		if !utf8.ValidString(v) {
			r.im.refuse(from, fmt.Sprintf("its %s is not valid UTF-8: convert it", name))
			return
		}
	}
	d := &importDraft{Capsule: kb.Capsule{Kind: "fact", Body: row["content"]}}
	if at, ok := importTime(row["expiresat"]); ok && !at.After(r.im.now) {
		r.im.refuse(from, "expired on "+at.Format(time.DateOnly))
		return
	} else if row["expiresat"] != "" {
		d.ref("expires:" + inOneLine(row["expiresat"]))
		d.note("it expires on %s; capsules do not expire, so the date was kept as a reference",
			clip(inOneLine(row["expiresat"]), 60))
	}
	if d.setTitle(row["topic"]); d.Title == "" {
		for l := range strings.Lines(d.Body) {
			if l = strings.Trim(strings.TrimSpace(l), "# "); l != "" {
				d.setTitle(l)
				d.note("it had no topic; its first line became the title")
				break
			}
		}
	}
	tags, ok := storeTags(row["tags"])
	d.tag(tags...)
	if !ok {
		d.note("its tags are not a JSON list; they were split at commas")
	}
	for _, t := range d.Tags {
		kind, known := kindNamed(t)
		if !known {
			kind, known = storeKinds()[kind]
		}
		if known {
			d.Kind = kind
			break
		}
	}
	switch level := strings.ToLower(strings.TrimSpace(row["importance"])); level {
	case "":
	case "high", "critical":
		d.tag("importance:" + level)
	case "medium":
		r.medium++
	default:
		d.note("its importance, %s, was not kept", clip(inOneLine(level), 60))
	}
	switch agent := inOneLine(row["agent"]); agent {
	case "":
	case "global":
		r.global++
	default:
		d.ref("agent:" + agent)
	}
	if id := inOneLine(row["id"]); id != "" {
		d.ref("chunk:" + id)
	}
	d.times(row)
	for _, name := range sortedNames(row) {
		switch name {
		case "id", "topic", "agent", "tags", "importance", "content", "createdat",
			"updatedat", "expiresat":
		default:
			d.keep(name, row[name])
		}
	}
	c, notes := d.done()
	r.im.take(from, c, notes)
}

func (d *importDraft) times(row storeRow) {
	for i, into := range []*time.Time{&d.Created, &d.Updated} {
		name := []string{"createdat", "updatedat"}[i]
		if at, ok := importTime(row[name]); ok {
			*into = at
		} else {
			d.keep(name, row[name])
		}
	}
}

func sortedNames(row storeRow) []string {
	names := make([]string, 0, len(row))
	for name := range row {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// storeTags reads a list of JSON, or what commas part.
func storeTags(s string) ([]string, bool) {
	if s = strings.TrimSpace(s); s == "" || s == "null" {
		return nil, true
	}
	var list []json.RawMessage
	if json.Unmarshal([]byte(s), &list) != nil {
		return strings.Split(strings.Trim(s, "[]"), ","), false
	}
	var tags []string
	for _, raw := range list {
		tags = append(tags, jsonText(raw))
	}
	return tags, true
}

// state makes a capsule of a variable.
func (r *storeReader) state(from string, row storeRow) {
	for name, v := range row {
		if !utf8.ValidString(v) {
			r.im.refuse(from, fmt.Sprintf("its %s is not valid UTF-8: convert it", name))
			return
		}
	}
	if strings.TrimSpace(row["key"]) == "" {
		r.im.refuse(from, "the state has no key")
		return
	}
	d := &importDraft{Capsule: kb.Capsule{Kind: "fact", Body: row["value"]}}
	if !json.Valid([]byte(row["value"])) {
		d.note("its value is not JSON; it was kept unchanged")
	}
	d.setTitle("state: " + row["key"])
	d.tag("state")
	d.times(row)
	for _, name := range sortedNames(row) {
		switch name {
		case "key", "value", "createdat", "updatedat":
		default:
			d.keep(name, row[name])
		}
	}
	c, notes := d.done()
	r.im.take(from, c, notes)
}

// notes says what holds for many.
func (r *storeReader) notes() {
	if r.medium > 0 {
		r.im.note("the importance medium of %d chunks was not kept, because it is the default",
			r.medium)
	}
	if r.global > 0 {
		r.im.note("the agent global of %d chunks was not kept, because it is the default",
			r.global)
	}
}
