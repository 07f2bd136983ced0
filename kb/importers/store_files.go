package importers

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/kb/markdown"
)

// isStoreDir reports whether a folder has such a store, of today or of before it was a
// database.
func isStoreDir(dir string) bool {
	return fileThere(filepath.Join(dir, storeFile)) ||
		fileThere(filepath.Join(dir, ".agent-memory-store", storeFile)) || hasChunks(dir) ||
		hasChunks(filepath.Join(dir, ".agent-memory-store"))
}

// hasChunks reports whether one of the first files in the folder chunks is a chunk.
func hasChunks(dir string) bool {
	files, err := filepath.Glob(filepath.Join(globSafe(dir), "chunks", "*.md"))
	if err != nil {
		return false
	}
	for _, file := range files[:min(len(files), 20)] {
		text, err := readText(file)
		if err != nil {
			continue
		}
		fields, _, err := markdown.ReadFields(text)
		if err == nil && slices.ContainsFunc(fields,
			func(f markdown.Field) bool { return f.Key == "topic" }) {
			return true
		}
	}
	return false
}

// globSafe takes the meaning from the signs of a pattern.
func globSafe(path string) string {
	if filepath.Separator == '\\' {
		return path
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func (im *importer) readStoreDir(dir string) error {
	if inner := filepath.Join(dir, ".agent-memory-store"); !fileThere(filepath.Join(dir,
		storeFile)) && !dirThere(filepath.Join(dir, "chunks")) && dirThere(inner) {
		dir = inner
	}
	db, chunks, state := filepath.Join(dir, storeFile), filepath.Join(dir, "chunks"),
		filepath.Join(dir, "state")
	if fileThere(db) {
		for _, old := range []string{chunks, state, chunks + "_backup", state + "_backup"} {
			if dirThere(old) {
				im.note("skipped %s: %s was made from it, or is a copy of it", old,
					storeFile)
			}
		}
		return im.readStoreFile(db)
	}
	if !dirThere(chunks) && !dirThere(state) {
		return invalid(dir+" has neither a "+storeFile+" nor a folder chunks",
			"give the folder .agent-memory-store, or its "+storeFile)
	}
	r := &storeReader{im: im}
	if dirThere(chunks) {
		if err := im.walk(chunks, markdown.Is, r.chunkFile); err != nil {
			return err
		}
	}
	if dirThere(state) {
		if err := im.walk(state,
			func(name string) bool { return strings.EqualFold(filepath.Ext(name), ".json") },
			r.stateFile); err != nil {
			return err
		}
	}
	r.notes()
	return nil
}

// chunkFile reads a chunk from when each was a file.
func (r *storeReader) chunkFile(path string) error {
	if err := r.im.record(); err != nil {
		return err
	}
	text, err := readText(path)
	var fields []markdown.Field
	var body string
	if err == nil {
		fields, body, err = markdown.ReadFields(text)
	}
	if err != nil {
		r.im.refuse(path, told(err))
		return nil
	}
	row, left := storeRow{}, maxExpanded
	for _, f := range fields {
		name := plainName(f.Key)
		if _, twice := row[name]; twice {
			name = f.Key
		}
		if list, ok := f.List(true); ok && name == "tags" {
			b, _ := json.Marshal(list) // strings always can be
			row[name] = string(b)
			continue
		}
		s, ok := f.Text(&left)
		if !ok {
			r.im.refuse(path, fmt.Sprintf(
				"line %d: the front matter expands to more than %d bytes", f.Line, maxExpanded))
			return nil
		}
		row[name] = s
	}
	if row["content"] != "" {
		row["content (front matter)"] = row["content"]
	}
	row["content"] = body
	r.chunk(path, row)
	return nil
}

// stateFile reads a variable from when each was a file, which was the value itself, or
// an object of the key, the value and a time.
func (r *storeReader) stateFile(path string) error {
	if err := r.im.record(); err != nil {
		return err
	}
	text, err := readText(path)
	if err != nil {
		r.im.refuse(path, told(err))
		return nil
	}
	key := filepath.Base(path)
	row := storeRow{"key": strings.TrimSuffix(key, filepath.Ext(key)),
		"value": strings.TrimSpace(text)}
	if fields, err := (importLine{text: []byte(text)}).object(); err == nil {
		whole := storeRow{}
		for _, f := range fields {
			switch name := plainName(f.key); name {
			case "value":
				whole[name] = string(f.raw)
			case "key", "createdat", "updatedat":
				whole[name] = jsonText(f.raw)
			default:
				whole = nil
			}
			if whole == nil {
				break
			}
		}
		if whole["key"] != "" && whole["value"] != "" {
			row = whole
		}
	}
	r.state(path, row)
	return nil
}
