package importers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/kb"
	"blackboard/kb/markdown"
)

// ai-kb keeps a file's content, and a row of kb.sqlite3 with later supersessions and decay.
const (
	aiKBFile     = "kb.sqlite3"
	aiKBCapsules = "capsules"
)

// aiKBFields are the fields of a file and of a row that have a place of their own here.
var aiKBFields = strings.Fields(`id title body kind scope source tags workspace_path project_id domain_tags confidence
	verified_by supersedes superseded_by refs decay_score created_at updated_at`)

// aiKBMade are the columns that are computed again here, and the path of the file.
var aiKBMade = []string{"embedding", "embedding_model", "embedding_dim", "path"}

type aiKBCapsule struct {
	from   string
	fields map[string]string
	notes  []string
}

// aiKB gathers the capsules of a source, as links between them can be made only once all are there.
type aiKB struct {
	capsules []*aiKBCapsule
	byID     map[string]*aiKBCapsule
	homes    []string // folders whose kb.sqlite3 may say more of the files that were read
}

// isAIKBText reports whether a text is a file of ai-kb, and returns its front matter.
func isAIKBText(text string) (fields map[string]string, body string, ok bool) {
	meta, body, found := markdown.Split(text)
	if !found || len(meta) > markdown.MaxFront {
		return nil, "", false
	}
	fields = aiKBFrontMatter(meta)
	_, workspace := fields["workspace_path"]
	_, project := fields["project_id"]
	_, created := fields["created_at"]
	return fields, body, fields["id"] != "" && created && (workspace || project)
}

// aiKBFrontMatter reads ai-kb's front matter: no YAML, but a key and its text, on several lines.
func aiKBFrontMatter(meta string) map[string]string {
	fields, last := map[string]string{}, ""
	for l := range strings.Lines(meta) {
		l = strings.TrimRight(l, "\n")
		key, value, found := strings.Cut(l, ":")
		_, twice := fields[key]
		switch {
		case found && !twice && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") == "" &&
			key != "":
			fields[key], last = strings.TrimSpace(value), key
		case last != "" && strings.TrimSpace(l) != "":
			fields[last] += "\n" + l
		}
	}
	return fields
}

func isAIKBFile(path string) bool {
	text, err := readText(path)
	if err != nil {
		return false
	}
	_, _, ok := isAIKBText(text)
	return ok
}

// isAIKBDir reports whether a folder is the data home of ai-kb, or its folder of capsules.
func (im *importer) isAIKBDir(dir string) bool {
	if im.isAIKBDatabase(filepath.Join(dir, aiKBFile)) {
		return true
	}
	for _, sub := range []string{dir, filepath.Join(dir, aiKBCapsules)} {
		files := disk.Glob(sub, "/*.md")
		if slices.ContainsFunc(files[:min(len(files), 20)], isAIKBFile) {
			return true
		}
	}
	return false
}

// isAIKBDatabase tells ai-kb's database from ours, which has the same name and other columns.
func (im *importer) isAIKBDatabase(path string) bool {
	is, err := im.aiKBDatabase(path)
	return is && err == nil
}

func (im *importer) aiKBDatabase(path string) (is bool, err error) {
	if !fileExists(path) {
		return false, nil
	}
	err = im.foreign(path, func(f *sqlite.Foreign) error {
		columns, err := f.Columns(im.ctx, aiKBCapsules)
		is = slices.Contains(columns, "workspace_path")
		return err
	})
	return is, err
}

// foreign calls fn with a database, and describes errors that it caused.
func (im *importer) foreign(path string, fn func(*sqlite.Foreign) error) error {
	f, err := sqlite.OpenForeign(im.ctx, path)
	if err == nil {
		defer f.Close()
		err = fn(f)
	}
	return foreignError(path, err)
}

func (im *importer) readAIKBFile(path string) error {
	if markdown.Is(path) {
		return im.readMarkdownFile(path)
	}
	return im.eachAIKBRow(path, func(row *aiKBCapsule) { im.gatherAIKB(row) })
}

// readAIKBDir reads the data home with its database, or the folder of the capsules.
func (im *importer) readAIKBDir(dir string) error {
	capsules, database := filepath.Join(dir, aiKBCapsules), filepath.Join(dir, aiKBFile)
	if !disk.IsDir(capsules) && !fileExists(database) {
		return im.readMarkdownDir(dir)
	}
	if disk.IsDir(capsules) {
		if err := im.walk(capsules, markdown.Is, im.readMarkdownFile); err != nil {
			return err
		}
	}
	if fileExists(database) {
		im.ai.homes = nil // all of it is read now
		if err := im.eachAIKBRow(database, im.mergeAIKB(true)); err != nil {
			return err
		}
	}
	others := &leftOut{}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != aiKBCapsules && !strings.HasPrefix(e.Name(), aiKBFile) {
			others.add(e.Name())
		}
	}
	if others.n > 0 {
		im.note("%s: skipped %d other files: %s", dir, others.n, others)
	}
	return err
}

// gatherAIKBText gathers a file of ai-kb. It returns false for a text that is none.
func (im *importer) gatherAIKBText(from, text string) bool {
	fields, body, ok := isAIKBText(text)
	if !ok {
		return false
	}
	body = strings.TrimLeft(body, "\n")
	if rest, found := strings.CutPrefix(body, "# "+fields["title"]+"\n"); found {
		body = rest
	}
	fields["body"] = strings.TrimSpace(body)
	im.gatherAIKB(&aiKBCapsule{from: from, fields: fields})
	path, err := filepath.Abs(from)
	dir := filepath.Dir(path)
	if home := filepath.Dir(dir); err == nil && filepath.Base(dir) == aiKBCapsules &&
		!slices.Contains(im.ai.homes, home) {
		im.ai.homes = append(im.ai.homes, home)
	}
	return true
}

func (im *importer) gatherAIKB(c *aiKBCapsule) {
	if im.ai.byID == nil {
		im.ai.byID = map[string]*aiKBCapsule{}
	}
	id := c.fields["id"]
	if first := im.ai.byID[id]; first != nil {
		im.refuse(c.from, fmt.Sprintf("it has the same id %s as %s: remove one of them",
			clip(id, 80), first.from))
		return
	}
	im.ai.byID[id] = c
	im.ai.capsules = append(im.ai.capsules, c)
}

func (im *importer) eachAIKBRow(path string, take func(*aiKBCapsule)) error {
	return im.foreign(path, func(f *sqlite.Foreign) error {
		columns, err := f.Columns(im.ctx, aiKBCapsules)
		if err != nil {
			return err
		}
		for _, name := range []string{"id", "title", "body", "scope", "workspace_path", "superseded_by"} {
			if !slices.Contains(columns, name) {
				return invalid(fmt.Sprintf("%s is not a database of ai-kb: it has no table capsules with a column %s",
					path, name), "its file is "+aiKBFile+"; its folder capsules can be imported, too")
			}
		}
		if slices.Contains(columns, "embedding") {
			im.note("%s: embeddings were not imported; the local model computes new ones", path)
		}
		columns = slices.DeleteFunc(columns, func(c string) bool { return slices.Contains(aiKBMade, c) })
		selected := make([]string, len(columns))
		for i, c := range columns {
			selected[i] = fmt.Sprintf("substr(%s, 1, %d)", sqlite.Quote(c), maxCell)
		}
		err = f.Each(im.ctx, "SELECT "+strings.Join(selected, ", ")+" FROM capsules ORDER BY created_at, id",
			func(values []any) error {
				if err := im.record(); err != nil {
					return err
				}
				row := &aiKBCapsule{fields: map[string]string{}}
				for i, v := range values {
					row.fields[columns[i]] = sqlite.Text(v)
				}
				row.from = fmt.Sprintf("%s: capsule %s", path, clip(asUTF8(row.fields["id"]), 80))
				take(row)
				return nil
			})
		if err != nil {
			return err
		}
		return im.noteAIKBTables(f, path)
	})
}

// noteAIKBTables names the tables that hold something which is not read.
func (im *importer) noteAIKBTables(f *sqlite.Foreign, path string) error {
	tables, err := f.Tables(im.ctx)
	if err != nil {
		return err
	}
	var others []string
	for _, t := range tables {
		switch {
		case t == "doc_ingests":
			im.note("%s: the list of ingested documents was not imported; their sections were, "+
				"as capsules of the kind doc", path)
		case t == aiKBCapsules || t == "kb_meta":
		case strings.HasPrefix(t, "capsule_fts") || strings.HasPrefix(t, "vec_index"):
		default:
			others = append(others, t)
		}
	}
	if len(others) > 0 {
		names := clip(strings.Join(others, ", "), 200)
		im.note("%s: skipped tables that are not of ai-kb: %s", path, names)
	}
	return nil
}

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

// maxCell is the most characters of a value that are read: longer ones are refused.
const maxCell = 4 * kb.MaxBody
