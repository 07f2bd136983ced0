package importers

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/kb"
)

// ai-kb mirrors its files in kb.sqlite3, which alone says what was superseded or has decayed. So that
// is read; files without it are markdown like any other.
const aiKBFile = "kb.sqlite3"

// aiKBFields are the columns that have a place of their own here.
var aiKBFields = strings.Fields(`id title body kind scope source tags workspace_path project_id domain_tags confidence
	verified_by supersedes superseded_by refs decay_score created_at updated_at`)

// aiKBMade are the columns that are computed again here, and the path of the file.
var aiKBMade = []string{"embedding", "embedding_model", "embedding_dim", "path"}

// aiKBIn returns the database of ai-kb's data home, or beside its folder of capsules; "": none.
func (im *importer) aiKBIn(dir string) string {
	dirs := []string{dir}
	if abs, err := filepath.Abs(dir); err == nil && filepath.Base(abs) == "capsules" {
		dirs = append(dirs, filepath.Dir(abs))
	}
	for _, d := range dirs {
		if path := filepath.Join(d, aiKBFile); im.isAIKB(path) {
			return path
		}
	}
	return ""
}

// isAIKB tells ai-kb's database from ours, which has the same name and other columns.
func (im *importer) isAIKB(path string) (is bool) {
	if !fileExists(path) {
		return false
	}
	im.foreign(path, func(f *sqlite.Foreign) error {
		columns, err := f.Columns(im.ctx, "capsules")
		is = slices.Contains(columns, "workspace_path")
		return err
	})
	return is
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

func (im *importer) readAIKBDir(dir string) error {
	path := im.aiKBIn(dir)
	if path == "" {
		return invalid(dir+" has no "+aiKBFile, "give ai-kb's data home, or import its files as "+formatMarkdown)
	}
	return im.readAIKB(path)
}

func (im *importer) readAIKB(path string) error {
	return im.foreign(path, func(f *sqlite.Foreign) error {
		columns, err := f.Columns(im.ctx, "capsules")
		if err != nil {
			return err
		}
		for _, name := range []string{"id", "title", "body", "scope", "workspace_path", "superseded_by"} {
			if !slices.Contains(columns, name) {
				return invalid(fmt.Sprintf("%s is not a database of ai-kb: it has no table capsules with a column %s",
					path, name), "its file is "+aiKBFile)
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
		return f.Each(im.ctx, "SELECT "+strings.Join(selected, ", ")+" FROM capsules ORDER BY created_at, id",
			func(values []any) error {
				if err := im.record(); err != nil {
					return err
				}
				row := map[string]string{}
				for i, v := range values {
					row[columns[i]] = sqlite.Text(v)
				}
				from := fmt.Sprintf("%s: capsule %s", path, clip(asUTF8(row["id"]), 80))
				d, err := aiKBDraft(row)
				if err != nil {
					im.refuse(from, told(err))
				} else {
					im.takeDraft(from, d)
				}
				return nil
			})
	})
}

func aiKBID(id string) string { return kb.ImportedID(formatAIKB, id) }

// aiKBDraft makes a capsule of a row. The import repairs the other ends of its links.
func aiKBDraft(f map[string]string) (*importDraft, error) {
	for _, v := range f {
		if err := kb.CheckText("a field", v, maxCell, false); err != nil {
			return nil, err
		}
	}
	id := inOneLine(f["id"])
	if id == "" {
		return nil, errors.New("it has no id")
	}
	d := &importDraft{Capsule: kb.Capsule{ID: aiKBID(id), Scope: f["scope"], Body: f["body"]}}
	d.Scope = cmp.Or(d.Scope, "universal") // as ai-kb takes it
	d.setTitle(f["title"])
	if f["kind"] != "" {
		d.setKind(f["kind"], false)
	}
	d.tag(f["tags"])
	if !d.listField("domain_tags", strings.Split(f["domain_tags"], ",")) {
		d.keep("domain_tags", f["domain_tags"])
	}
	for name, into := range map[string]*string{
		"source": &d.Source, "verified_by": &d.VerifiedBy,
		"workspace_path": &d.Workspace, "project_id": &d.Project,
	} {
		if *into = f[name]; len(*into) > kb.MaxField {
			what := fmt.Sprintf("its %s has %d bytes; the limit is %d", name,
				len(*into), kb.MaxField)
			return nil, invalid(what, "shorten it in the source")
		}
	}
	if by := strings.TrimSpace(f["superseded_by"]); by != "" && by != id {
		d.SupersededBy = aiKBID(by)
	}
	for old := range strings.SplitSeq(f["supersedes"], ",") {
		if old = strings.TrimSpace(old); old != "" && old != id {
			d.Supersedes = append(d.Supersedes, aiKBID(old))
		}
	}
	d.readAIKBNumbers(f)
	for _, r := range strings.Split(f["refs"], ",") {
		d.ref(r)
	}
	d.ref(formatAIKB + ":" + id)
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if !slices.Contains(aiKBFields, name) {
			d.keep(name, f[name])
		}
	}
	return d, nil
}

// readAIKBNumbers reads the numbers and times. Invalid values are kept as lines of the body.
func (d *importDraft) readAIKBNumbers(f map[string]string) {
	number := func(name string) *float64 {
		v, err := strconv.ParseFloat(f[name], 64)
		if f[name] == "" {
			return nil
		}
		if err != nil || !(v >= 0 && v <= 1) {
			d.keep(name, f[name])
			return nil
		}
		return &v
	}
	d.Confidence = number("confidence")
	if v := number("decay_score"); v != nil {
		d.DecayScore = *v
	}
	var ok bool
	if d.Created, ok = parseTime(f["created_at"]); !ok {
		d.keep("created_at", f["created_at"])
	}
	if d.Updated, ok = parseTime(f["updated_at"]); !ok {
		d.keep("updated_at", f["updated_at"])
		d.Updated = d.Created
	}
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
