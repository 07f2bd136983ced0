package importers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/kb"
)

var Formats = []string{"auto", formatJSONL, formatMarkdown, formatClaude, formatAIKB}

const (
	formatJSONL    = "jsonl"
	formatMarkdown = "markdown"
	formatClaude   = "claude-memory"
	formatAIKB     = "ai-kb"
)

const (
	maxImportFile = 64 << 20 // bytes of a file; a database has a limit of its own
	// bytes of our own export, which is read line by line: what was written must be readable
	maxImportExport  = 1 << 30
	maxImportRecords = 200_000   // of a source
	maxImportText    = 512 << 20 // bytes of all capsules of a source
	// maxExpanded bounds what aliases in front matter stand for, in bytes and nodes.
	maxExpanded = 4 * kb.MaxBody
)

// Read reads a file or a folder as capsules that Remember accepts, and stores nothing.
// The format auto detects the format.
//
// An error is about the source as a whole: fault.NotFound if it does not exist, fault.Invalid if it
// has another format or is too large. Problems of single records are in Refused.
func Read(ctx context.Context, path, format string) (*kb.ImportSet, error) {
	return newImporter(ctx).read(path, format)
}

func (im *importer) read(path, format string) (*kb.ImportSet, error) {
	format = cmp.Or(format, "auto")
	if !slices.Contains(Formats, format) {
		return nil, unknown("the format", format, Formats)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.NotFound.New(fmt.Sprintf("file or folder not found: %s", path),
			"check the path")
	case err != nil:
		return nil, invalid(fmt.Sprintf("cannot read %s: %s", path, disk.Cause(err)),
			"check the path and its permissions")
	case !info.IsDir() && !info.Mode().IsRegular():
		return nil, invalid(path+" is neither a file nor a folder",
			"write its content to a file, and import that")
	}
	if format == "auto" {
		if format, err = im.detect(path, info.IsDir()); err != nil {
			return nil, err
		}
	}
	im.set.Format = format
	readers := map[string]struct{ file, dir func(string) error }{
		formatJSONL:    {file: im.readJSONL},
		formatMarkdown: {im.readMarkdownFile, im.readMarkdownDir},
		formatClaude:   {dir: im.readClaude},
		formatAIKB:     {im.readAIKBFile, im.readAIKBDir},
	}
	read, other := readers[format].file, "folder"
	if info.IsDir() {
		read, other = readers[format].dir, "file"
	}
	if read == nil {
		return nil, invalid(fmt.Sprintf("%s is not a %s, which the format %s needs", path, other,
			format), "name the "+other+", or another format")
	}
	if err := read(path); err != nil {
		return nil, err
	}
	if err := im.takeAIKB(); err != nil {
		return nil, err
	}
	return im.set, nil
}

type importer struct {
	ctx        context.Context
	set        *kb.ImportSet
	maxRecords int
	records    int
	text       int               // bytes
	ids        map[string]string // the source of the item with an id
	ai         aiKB
}

func newImporter(ctx context.Context) *importer {
	return &importer{ctx: ctx, maxRecords: maxImportRecords,
		ids: map[string]string{},
		set: &kb.ImportSet{Items: []kb.Incoming{}, Refused: []kb.Refused{}, Notes: []string{}}}
}

// record is called before each record; its error ends the import.
func (im *importer) record() error {
	if err := im.ctx.Err(); err != nil {
		return err
	}
	if im.records++; im.records > im.maxRecords {
		return invalid(fmt.Sprintf("more than %d records", im.maxRecords),
			"import the source in parts")
	}
	if im.text > maxImportText {
		return invalid(fmt.Sprintf("more than %d MB of text", maxImportText>>20),
			"import the source in parts")
	}
	return nil
}

// readRecord reads a file that is one record. One that cannot be read is refused; then there is none.
func (im *importer) readRecord(path string) (text string, is bool, err error) {
	if err := im.record(); err != nil {
		return "", false, err
	}
	text, err = readText(path)
	if err != nil {
		im.refuse(path, told(err))
	}
	return text, err == nil, nil
}

func (im *importer) takeDraft(from string, d *importDraft) {
	c, notes := d.finish()
	im.take(from, c, notes)
}

// take makes a capsule an item, or refuses it.
func (im *importer) take(from string, c kb.Capsule, notes []string) {
	err := c.Normalise()
	if first, twice := im.ids[c.ID]; err == nil && twice && c.ID != "" {
		err = invalid("it has the id "+c.ID+" of "+first, "leave out one of them")
	}
	if err != nil {
		im.refuse(from, told(err))
		return
	}
	if notes == nil {
		notes = []string{}
	}
	from = asUTF8(from)
	if c.ID != "" {
		im.ids[c.ID] = from
	}
	im.text += len(c.Title) + len(c.Body)
	im.set.Items = append(im.set.Items, kb.Incoming{Capsule: c, From: from, Notes: notes})
}

func (im *importer) refuse(from, why string) {
	im.set.Refused = append(im.set.Refused, kb.Refused{From: asUTF8(from), Why: asUTF8(why)})
}

func (im *importer) note(format string, args ...any) {
	im.set.Notes = append(im.set.Notes, asUTF8(fmt.Sprintf(format, args...)))
}
