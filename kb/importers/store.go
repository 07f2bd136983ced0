package importers

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/kb"
	"blackboard/kb/chunks"
	"blackboard/kb/markdown"
)

const storeDir = ".agent-memory-store"

// storeKinds are the tags that say what kind a chunk is, besides the names of the kinds.
var storeKinds = sync.OnceValue(func() map[string]string {
	return map[string]string{"decision": "principle", "convention": "principle",
		"pitfall": "gotcha", "howto": "recipe", "runbook": "recipe", "docs": "doc"}
})

// storeReader counts values that many chunks share, so that one note covers them all.
type storeReader struct {
	im             *importer
	path           string
	medium, global int
}

// isStoreDir reports whether a folder has such a store, of today or of before it was a
// database.
func isStoreDir(dir string) bool {
	return slices.ContainsFunc([]string{dir, filepath.Join(dir, storeDir)}, func(dir string) bool {
		return fileThere(filepath.Join(dir, "store.db")) || hasChunks(dir)
	})
}

// hasChunks reports whether one of the first files in the folder chunks is a chunk.
func hasChunks(dir string) bool {
	files := disk.Glob(filepath.Join(dir, "chunks"), "/*.md")
	return slices.ContainsFunc(files[:min(len(files), 20)], func(file string) bool {
		text, err := readText(file)
		if err != nil {
			return false
		}
		fields, _, err := markdown.ReadFields(text)
		return err == nil && slices.ContainsFunc(fields,
			func(f markdown.Field) bool { return f.Key == "topic" })
	})
}

func (im *importer) readStoreDir(dir string) error {
	if inner := filepath.Join(dir, storeDir); !fileThere(filepath.Join(dir, "store.db")) &&
		!disk.IsDir(filepath.Join(dir, "chunks")) && disk.IsDir(inner) {
		dir = inner
	}
	if file := filepath.Join(dir, "store.db"); fileThere(file) && !disk.IsDir(filepath.Join(dir, "chunks")) {
		return im.readStoreFile(file)
	}
	return im.readStore(dir)
}

// readStoreFile reads a database, if it is not one of another program.
func (im *importer) readStoreFile(path string) error {
	f, err := sqlite.OpenForeign(im.ctx, path)
	if err != nil {
		return foreignError(path, err)
	}
	defer f.Close()
	tables, err := f.Tables(im.ctx)
	switch {
	case err != nil:
		return foreignError(path, err)
	case slices.Contains(tables, "capsules") && slices.Contains(tables, "sidecars"):
		return invalid(path+" is the database of a knowledge base of this program",
			"import the folder capsules beside it", fault.Do("kb.export",
				"or give a file made by {}"))
	case slices.Contains(tables, "entries") && slices.Contains(tables, "signals"):
		return invalid(path+" is a board of blackboard.py, not a knowledge base",
			"import it as a run")
	}
	others := slices.DeleteFunc(tables, func(t string) bool {
		return t == "chunks" || t == "state" || strings.HasPrefix(t, "chunks_fts") // made from chunks
	})
	if len(others) > 0 {
		im.note("%s: skipped tables that are not of agent-memory-store: %s", path,
			clip(strings.Join(others, ", "), 200))
	}
	return im.readStore(path)
}

// readStore reads what the context store can read, and makes capsules of it.
func (im *importer) readStore(path string) error {
	r := &storeReader{im: im, path: path}
	found, notes, err := chunks.EachOriginal(im.ctx, path, r.chunk, r.state, im.refuse)
	im.set.Notes = append(im.set.Notes, notes...)
	switch {
	case err != nil:
		return err
	case !found:
		return invalid(path+" has neither a store.db nor a folder chunks",
			"give the folder "+storeDir+", or its store.db")
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
		return invalid(fmt.Sprintf("cannot read %s: %s", path, disk.Cause(err)),
			"check its permissions")
	}
	return err
}

// storeCell is the most of a value that is read: more is refused anyway.
const storeCell = 4 * kb.MaxBody

// chunk makes a capsule of a chunk.
func (r *storeReader) chunk(c chunks.Chunk) error {
	if err := r.im.record(); err != nil {
		return err
	}
	from := fmt.Sprintf("%s: chunk %s", r.path, c.ID)
	if c.Expires != nil && !c.Expires.After(r.im.now) {
		r.im.refuse(from, "expired on "+c.Expires.Format(time.DateOnly))
		return nil
	}
	d := &importDraft{Capsule: kb.Capsule{Kind: "fact", Body: c.Content, Created: c.Created, Updated: c.Updated}}
	if c.Expires != nil {
		d.ref("expires:" + c.Expires.Format(time.RFC3339))
		d.note("it expires on %s; capsules do not expire, so the date was kept as a reference",
			c.Expires.Format(time.DateOnly))
	}
	d.setTitle(c.Topic)
	for l := range strings.Lines(d.Body) {
		if l = strings.Trim(strings.TrimSpace(l), "# "); l != "" && c.Topic == chunks.Untitled {
			d.setTitle(l)
			d.note("it had no topic; its first line became the title")
			break
		}
	}
	d.tag(c.Tags...)
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
	switch c.Importance {
	case chunks.High, chunks.Critical:
		d.tag("importance:" + c.Importance)
	case chunks.Medium:
		r.medium++
	default:
		d.note("its importance, %s, was not kept", c.Importance)
	}
	if c.Agent == chunks.DefaultAgent {
		r.global++
	} else {
		d.ref("agent:" + c.Agent)
	}
	d.ref("chunk:" + c.ID)
	capsule, notes := d.done()
	r.im.take(from, capsule, notes)
	return nil
}

// state makes a capsule of a variable.
func (r *storeReader) state(v chunks.State) error {
	if err := r.im.record(); err != nil {
		return err
	}
	d := &importDraft{Capsule: kb.Capsule{Kind: "fact", Body: string(v.Value), Updated: v.Updated}}
	d.setTitle("state: " + v.Key)
	d.tag("state")
	c, notes := d.done()
	r.im.take(fmt.Sprintf("%s: state %s", r.path, v.Key), c, notes)
	return nil
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
