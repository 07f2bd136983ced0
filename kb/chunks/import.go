package chunks

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/kb/index"
	"blackboard/kb/markdown"
	"blackboard/kb/secret"
)

// The files of the other program in a store's directory.
const (
	storeFile   = "store.db"
	chunkFolder = "chunks"
	stateFolder = "state"
)

type ImportCount struct {
	Added int `json:"added"` // new here
	Kept  int `json:"kept"`  // here already
}

type Refused struct {
	From string `json:"from"` // the file, and the record in it
	Why  string `json:"why"`
}

type ImportResult struct {
	// Source is the path of store.db, or the directory that has the folders; "" if there was nothing
	// to import.
	Source string      `json:"source"`
	Chunks ImportCount `json:"chunks"` // counts of chunks
	State  ImportCount `json:"state"`  // counts of state keys
	// expired chunks, which were left out
	Expired int `json:"expired"`
	// chunks that were deleted here, which were left out
	Deleted int       `json:"deleted"`
	Refused []Refused `json:"refused"`
	Notes   []string  `json:"notes"`
}

func newImportResult() ImportResult { return ImportResult{Refused: []Refused{}, Notes: []string{}} }

// Import imports what is missing here of the other program's files: ids and keys that are neither
// here nor were deleted here. It is one transaction. Without such files it returns an error that
// matches fault.NotFound.
func (s *Store) Import(ctx context.Context) (ImportResult, error) {
	res := newImportResult()
	src, err := readOriginals(ctx, s.dir)
	if err != nil {
		return res, err
	}
	if src == nil {
		return res, fault.NotFound.New(fmt.Sprintf("there is nothing to import in %s: neither %s nor the folders %s and %s", s.dir, storeFile, chunkFolder, stateFolder), "", otherStore)
	}
	err = s.writing(ctx, func(f *file, tx *sqlite.Tx) error {
		if err := f.purgeIn(tx); err != nil {
			return err
		}
		res = newImportResult() // the transaction may run again
		if err := f.importAll(ctx, tx, src, &res); err != nil {
			return err
		}
		return noteUse(tx)
	})
	return res, err
}

// source is what the other program has left: a database, or the folders of earlier versions.
type source struct {
	path    string // of the database, or of the directory that has the folders
	chunks  []Chunk
	states  []State
	refused []Refused
}

func (src *source) refuse(from, why string) {
	if why != "" {
		src.refused = append(src.refused, Refused{text(from), text(why)})
	}
}

// readOriginals reads the other program's files first, so that damage is found before a write; nil
// if there are none. It prefers the database, unless that is empty and there are folders: version
// 0.0.9 creates it before it checks, and therefore never migrates its folders.
func readOriginals(ctx context.Context, dir string) (*source, error) {
	path := filepath.Join(dir, storeFile)
	folders := disk.IsDir(filepath.Join(dir, chunkFolder)) || disk.IsDir(filepath.Join(dir, stateFolder))
	switch _, err := os.Stat(path); {
	case err == nil:
		src := &source{path: path}
		if err := src.readDB(ctx); err != nil {
			return nil, sourceError(path, err)
		}
		if !folders || len(src.chunks)+len(src.states)+len(src.refused) > 0 {
			return src, nil
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, sourceError(path, err)
	case !folders:
		return nil, nil
	}
	src := &source{path: dir}
	return src, errors.Join(src.readFolder(ctx, chunkFolder, ".md", src.takeChunkFile),
		src.readFolder(ctx, stateFolder, ".json", src.takeStateFile))
}

var skipImport = fault.Give("no_import", "", "or go on without what is in it: {}")

func sourceError(path string, err error) error {
	switch _, refused := fault.Refused(err); {
	case refused:
		return err
	case errors.Is(err, fault.Busy):
		return fault.Conflict.New("cannot import "+err.Error(), "try again when no program writes to it", skipImport)
	case errors.Is(err, fault.Full), errors.Is(err, syscall.ENOSPC):
		return fault.Full.New("cannot import "+err.Error(), "make it smaller, or free some space where temporary files go", skipImport)
	case errors.Is(err, fs.ErrPermission):
		return invalid(fmt.Sprintf("cannot import %s: it cannot be read", path), "check its permissions", skipImport)
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return invalid("cannot import "+err.Error(), "restore it from a backup", skipImport)
}

// readDB reads a copy of the database: of each table the columns that there are. A database may have
// no table of states.
func (src *source) readDB(ctx context.Context) error {
	db, err := sqlite.OpenForeign(ctx, src.path)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, t := range []struct {
		name, record string
		columns      []string
		needed       int
		take         func(row map[string]string) (why string)
	}{
		{"chunks", "chunk", []string{"id", "topic", "content", "agent", "tags", "importance", "created_at", "updated_at", "expires_at"}, 3,
			func(row map[string]string) string { return src.takeChunk(row, storedTags(row["tags"])) }},
		{"state", "state", []string{"key", "value", "updated_at"}, 2,
			func(row map[string]string) string { return src.takeState(row["key"], row["value"], row["updated_at"]) }},
	} {
		have, err := db.Columns(ctx, t.name)
		if err != nil {
			return err
		}
		if len(have) == 0 && t.name == "state" {
			continue
		}
		var columns, selected []string
		for i, c := range t.columns {
			if slices.Contains(have, c) {
				// Read one byte more than the limit, to detect longer values.
				columns, selected = append(columns, c), append(selected, fmt.Sprintf("substr(%s, 1, %d)", c, maxImported+1))
			} else if i < t.needed {
				return invalid(fmt.Sprintf("cannot import %s: it has no table %s with a column %s, so it is not of agent-memory-store", src.path, t.name, c),
					"put the right file there", skipImport)
			}
		}
		n := 0
		if err = db.Each(ctx, "SELECT "+strings.Join(selected, ", ")+" FROM "+t.name, func(values []any) error {
			n++
			row := map[string]string{}
			for i, c := range columns {
				row[c] = sqlite.Text(values[i])
			}
			why := t.take(row)
			src.refuse(fmt.Sprintf("%s: %s %s", src.path, t.record,
				cmp.Or(clip(inLine(text(row[columns[0]])), 60), fmt.Sprintf("in row %d", n))), why)
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// storedTags reads a JSON list of tags. Any other text is split at commas.
func storedTags(s string) []string {
	if s = strings.TrimSpace(s); s == "" || s == "null" {
		return nil
	}
	var list []any
	if json.Unmarshal([]byte(s), &list) != nil {
		return strings.Split(strings.Trim(s, "[]"), ",")
	}
	var tags []string
	for _, t := range list {
		if t != nil {
			tags = append(tags, fmt.Sprint(t))
		}
	}
	return tags
}

// readFolder calls take with every file of a folder, by name, and its time.
func (src *source) readFolder(ctx context.Context, folder, ending string, take func(name, content, modified string) error) error {
	dir := filepath.Join(src.path, folder)
	if !disk.IsDir(dir) {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return sourceError(dir, err)
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		name, is := strings.CutSuffix(e.Name(), ending)
		if !is {
			continue
		}
		path := filepath.Join(dir, e.Name())
		content, modified, err := readFile(path)
		if err == nil {
			err = take(name, content, modified)
		}
		if err != nil {
			src.refuse(path, err.Error())
		}
	}
	return nil
}

// maxFile is the most bytes of a file: the content and its front matter.
const maxFile = maxImported + markdown.MaxFront

func readFile(path string) (content, modified string, err error) {
	data, err := disk.Read(path, maxFile)
	switch {
	case errors.Is(err, disk.ErrNotRegular):
		return "", "", errors.New("it is not a regular file")
	case errors.Is(err, disk.ErrTooLarge):
		return "", "", fmt.Errorf("it is larger than %d bytes", maxFile)
	case err == nil:
		var info os.FileInfo
		if info, err = os.Stat(path); err == nil {
			return string(data), info.ModTime().UTC().Format(time.RFC3339Nano), nil
		}
	}
	return "", "", fmt.Errorf("it cannot be read: %w", disk.Cause(err)) // without the path, which the message has
}

// takeChunkFile reads a chunk that is a file: YAML between lines of dashes, then the content. Missing
// fields come from the file: its name is the id, its modification time the time.
func (src *source) takeChunkFile(name, content, modified string) error {
	content = text(content)
	fields, body, err := markdown.ReadFields(content)
	if err != nil {
		return err
	}
	if _, _, closed := markdown.Split(content); !closed && strings.HasPrefix(body, "---\n") {
		return errors.New("its front matter is not closed")
	}
	meta, tags := map[string]string{}, []string(nil)
	for _, f := range fields {
		if meta[f.Key], _ = f.Scalar(); f.Key == "tags" {
			tags = tagsOf(&f)
		}
	}
	meta["id"], meta["content"] = cmp.Or(meta["id"], name), strings.TrimSpace(body)
	for _, at := range []string{"created", "updated", "expires"} {
		meta[at+"_at"] = cmp.Or(meta[at], meta[at+"_at"])
	}
	if _, ok := parseTime(meta["updated_at"]); !ok {
		meta["updated_at"] = modified
	}
	if why := src.takeChunk(meta, tags); why != "" {
		return errors.New(why)
	}
	return nil
}

// tagsOf returns the texts of a list; a single text is split at commas.
func tagsOf(f *markdown.Field) (tags []string) {
	if tags, ok := f.List(true); ok {
		return tags
	}
	for _, n := range f.Node.Content { // what is no text is left out
		if s, ok := markdown.Scalar(n); ok {
			tags = append(tags, s)
		}
	}
	return tags
}

// takeStateFile reads an object with key, value and time, or the value of the file's name.
func (src *source) takeStateFile(name, content, modified string) error {
	value := bytes.TrimSpace([]byte(strings.TrimPrefix(content, "\ufeff")))
	var whole struct {
		Key       string
		Value     json.RawMessage
		Updated   string
		UpdatedAt string `json:"updated_at"`
	}
	if json.Unmarshal(value, &whole) == nil && whole.Key != "" && whole.Value != nil {
		name, value, modified = whole.Key, whole.Value, cmp.Or(whole.UpdatedAt, whole.Updated, modified)
	}
	if why := src.takeState(name, string(value), modified); why != "" {
		return errors.New(why)
	}
	return nil
}

const (
	// maxImported is the most bytes of an imported text: larger ones are no notes.
	maxImported = 1 << 20
	// maxID is the most bytes of an imported id.
	maxID = 200
	// Untitled is the topic of a chunk without one.
	Untitled = "Untitled"
)

// takeChunk takes a chunk of these fields, or says why it cannot. Unknown times are zero; without a
// valid expiry it does not expire.
func (src *source) takeChunk(m map[string]string, tags []string) (why string) {
	c := Chunk{Meta: Meta{ID: strings.TrimSpace(m["id"]), Topic: strings.TrimSpace(text(m["topic"])), Agent: strings.TrimSpace(text(m["agent"])),
		Tags: normaliseTags(tags), Importance: strings.ToLower(strings.TrimSpace(m["importance"]))}, Content: text(m["content"])}
	if c.ID == "" || len(c.ID) > maxID || text(c.ID) != c.ID || inLine(c.ID) != c.ID || strings.Contains(c.ID, "`") {
		return fmt.Sprintf("its id is not one line of 1 to %d bytes, without backquotes", maxID)
	}
	for _, f := range []struct {
		what string
		size int
	}{{"topic", len(c.Topic)}, {"agent", len(c.Agent)}, {"list of tags", len(sqlite.List(c.Tags))}, {"content", len(c.Content)}} {
		if f.size > maxImported {
			return fmt.Sprintf("its %s is larger than %d bytes", f.what, maxImported)
		}
	}
	c.Topic, c.Agent = cmp.Or(c.Topic, Untitled), cmp.Or(c.Agent, DefaultAgent)
	if !slices.Contains(Importances, c.Importance) {
		c.Importance = Medium
	}
	c.Created, _ = parseTime(m["created_at"])
	c.Updated, _ = parseTime(m["updated_at"])
	if t, ok := parseTime(m["expires_at"]); ok {
		c.Expires = &t
	}
	src.chunks = append(src.chunks, c)
	return ""
}

// takeState takes a value, or says why it cannot.
func (src *source) takeState(key, value, updated string) (why string) {
	v := State{Key: text(key)}
	if v.Key == "" || len(v.Key) > maxImported {
		return fmt.Sprintf("its key is not one of 1 to %d bytes", maxImported)
	}
	if len(value) > maxImported {
		return fmt.Sprintf("its value is larger than %d bytes", maxImported)
	}
	var err error
	if v.Value, err = plainJSON([]byte(value)); err != nil {
		return "its value is not JSON"
	}
	v.Updated, _ = parseTime(updated)
	src.states = append(src.states, v)
	return ""
}

func parseTime(s string) (time.Time, bool) {
	t, ok := markdown.ParseTime(s)
	if t = t.UTC().Truncate(time.Millisecond); !ok || t.Year() < 1970 || t.Year() > 9999 {
		return time.Time{}, false
	}
	return t, true
}

// takeBatch chunks are indexed at once, as a segment of their own.
const takeBatch = 4096

func (f *file) importAll(ctx context.Context, tx *sqlite.Tx, src *source, res *ImportResult) error {
	res.Source, res.Refused = src.path, append(res.Refused, src.refused...)
	var docs []index.Doc
	masked := 0
	for _, c := range src.chunks {
		if c.isExpired(tx.Now) {
			res.Expired++
			continue
		}
		known, err := sqlite.One[string](tx, `SELECT coalesce((SELECT 'here' FROM chunks WHERE id = ?1), (SELECT 'deleted' FROM deleted WHERE id = ?1), '')`, c.ID)
		if err := cmp.Or(ctx.Err(), err); err != nil {
			return err
		}
		switch known {
		case "here":
			res.Chunks.Kept++
			continue
		case "deleted":
			res.Deleted++
			continue
		}
		c.fillTimes(tx.Now)
		c.Tags = slices.Clone(c.Tags) // secrets are masked, and the transaction may run again
		var m secret.Masker
		if c.mask(&m); len(m.Notes) > 0 {
			masked++
		}
		if err := insert(tx, &c, true); err != nil {
			return err
		}
		res.Chunks.Added++
		docs = append(docs, document(&c, nil))
	}
	if masked > 0 {
		res.Notes = append(res.Notes, fmt.Sprintf("what looks like a secret was masked: %d chunks", masked))
	}
	for part := range slices.Chunk(docs, takeBatch) {
		if err := f.Index.Put(tx, part...); err != nil {
			return err
		}
	}
	for _, v := range src.states {
		if v.Updated.IsZero() {
			v.Updated = tx.Now
		}
		v.Value = new(secret.Masker).JSON("the value", v.Key, v.Value)
		added, err := tx.Changes(`INSERT INTO state VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING`, v.Key, string(v.Value), v.Updated.UnixMilli())
		if err != nil {
			return err
		}
		res.State.Added += int(added)
		res.State.Kept += 1 - int(added)
	}
	return nil
}

func (c *Chunk) fillTimes(now time.Time) {
	if c.Updated.IsZero() {
		c.Updated = c.Created
	}
	if c.Updated.IsZero() {
		c.Updated = now
	}
	if c.Created.IsZero() || c.Created.After(c.Updated) {
		c.Created = c.Updated
	}
}
