package importers

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"blackboard/board/sqlite"
	"blackboard/kb"
	"blackboard/kb/markdown"
)

// ai-kb keeps a capsule as a markdown file below capsules, and in a row of kb.sqlite3. The file
// holds its content, only the row says what superseded it later and how far it has decayed.
const (
	aiKBFile     = "kb.sqlite3"
	aiKBCapsules = "capsules"
)

// aiKBFields are the fields of a file and of a row that have a place of their own here.
var aiKBFields = []string{"id", "title", "body", "kind", "scope", "source", "tags", "workspace_path", "project_id", "domain_tags", "confidence", "verified_by",
	"supersedes", "superseded_by", "refs", "decay_score", "created_at", "updated_at"}

// aiKBMade are the columns that are made anew here, and the place of the file.
var aiKBMade = []string{"embedding", "embedding_model", "embedding_dim", "path"}

// aiKBCapsule is a capsule of ai-kb, by the names of its fields.
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
	if !found || len(meta) > maxFrontMatter {
		return nil, "", false
	}
	fields = aiKBFrontMatter(meta)
	_, workspace := fields["workspace_path"]
	_, project := fields["project_id"]
	_, created := fields["created_at"]
	return fields, body, fields["id"] != "" && created && (workspace || project)
}

// aiKBFrontMatter reads front matter as ai-kb writes it: no YAML, but a key and the text as it is,
// whatever signs are in that. A line without a key belongs to the one before.
func aiKBFrontMatter(meta string) map[string]string {
	fields, last := map[string]string{}, ""
	for l := range strings.Lines(meta) {
		l = strings.TrimRight(l, "\n")
		key, value, found := strings.Cut(l, ":")
		_, twice := fields[key]
		switch {
		case found && !twice && strings.Trim(key, "abcdefghijklmnopqrstuvwxyz_") == "" && key != "":
			fields[key], last = strings.TrimSpace(value), key
		case last != "" && strings.TrimSpace(l) != "":
			fields[last] += "\n" + l
		}
	}
	return fields
}

// isAIKBFile reports whether a markdown file is one of ai-kb.
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
		files, err := filepath.Glob(filepath.Join(globSafe(sub), "*.md"))
		if err == nil && slices.ContainsFunc(files[:min(len(files), 20)], isAIKBFile) {
			return true
		}
	}
	return false
}

// isAIKBDatabase reports whether a file is a database of ai-kb. One of this program has the same
// name, and other columns.
func (im *importer) isAIKBDatabase(path string) bool {
	is, err := im.aiKBDatabase(path)
	return is && err == nil
}

func (im *importer) aiKBDatabase(path string) (bool, error) {
	if !fileThere(path) {
		return false, nil
	}
	f, err := sqlite.OpenForeign(im.ctx, path)
	if err != nil {
		return false, foreignError(path, err)
	}
	defer f.Close()
	columns, err := f.Columns(im.ctx, aiKBCapsules)
	if err != nil {
		return false, foreignError(path, err)
	}
	return slices.Contains(columns, "workspace_path"), nil
}

// readAIKBFile reads the database, or one file of a capsule.
func (im *importer) readAIKBFile(path string) error {
	if markdown.Is(path) {
		return im.readMarkdownFile(path)
	}
	return im.aiKBRows(path, func(row *aiKBCapsule) { im.aiKBTake(row) })
}

// readAIKBDir reads the data home with its database, or the folder of the capsules.
func (im *importer) readAIKBDir(dir string) error {
	capsules, database := filepath.Join(dir, aiKBCapsules), filepath.Join(dir, aiKBFile)
	if !dirThere(capsules) && !fileThere(database) {
		return im.readMarkdownDir(dir)
	}
	if dirThere(capsules) {
		if err := im.walk(capsules, markdown.Is, func(path string) error { return im.markdownFile(path, markdownSource{}) }); err != nil {
			return err
		}
	}
	if fileThere(database) {
		im.ai.homes = nil // all of it is read now
		if err := im.aiKBRows(database, im.aiKBMerge(true)); err != nil {
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
		im.note("%s: %d other files were left out: %s", dir, others.n, others)
	}
	return err
}

// aiKBText gathers a file of ai-kb. It is false for another one.
func (im *importer) aiKBText(from, text string) bool {
	fields, body, ok := isAIKBText(text)
	if !ok {
		return false
	}
	body = strings.TrimLeft(body, "\n")
	if rest, found := strings.CutPrefix(body, "# "+fields["title"]+"\n"); found {
		body = rest
	}
	fields["body"] = strings.TrimSpace(body)
	im.aiKBTake(&aiKBCapsule{from: from, fields: fields})
	path, err := filepath.Abs(from)
	dir := filepath.Dir(path)
	if home := filepath.Dir(dir); err == nil && filepath.Base(dir) == aiKBCapsules && !slices.Contains(im.ai.homes, home) {
		im.ai.homes = append(im.ai.homes, home)
	}
	return true
}

// aiKBTake gathers a capsule.
func (im *importer) aiKBTake(c *aiKBCapsule) {
	if im.ai.byID == nil {
		im.ai.byID = map[string]*aiKBCapsule{}
	}
	id := c.fields["id"]
	if first := im.ai.byID[id]; first != nil {
		im.refuse(c.from, fmt.Sprintf("it has the id %s of %s: leave out one of them", clip(id, 80), first.from))
		return
	}
	im.ai.byID[id] = c
	im.ai.capsules = append(im.ai.capsules, c)
}

// aiKBRows calls take with each row of a database.
func (im *importer) aiKBRows(path string, take func(*aiKBCapsule)) error {
	f, err := sqlite.OpenForeign(im.ctx, path)
	if err != nil {
		return foreignError(path, err)
	}
	defer f.Close()
	columns, err := f.Columns(im.ctx, aiKBCapsules)
	if err != nil {
		return foreignError(path, err)
	}
	for _, name := range []string{"id", "title", "body", "scope", "workspace_path", "superseded_by"} {
		if !slices.Contains(columns, name) {
			return invalid(fmt.Sprintf("%s is no database of ai-kb: it has no table capsules with a column %s", path, name), "its file is "+aiKBFile+"; its folder capsules can be imported, too")
		}
	}
	columns = slices.DeleteFunc(columns, func(c string) bool { return slices.Contains(aiKBMade, c) })
	selected := make([]string, len(columns))
	for i, c := range columns {
		selected[i] = fmt.Sprintf("substr(%s, 1, %d)", sqlite.Quote(c), storeCell)
	}
	err = f.Each(im.ctx, "SELECT "+strings.Join(selected, ", ")+" FROM capsules ORDER BY created_at, id", func(values []any) error {
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
		return foreignError(path, err)
	}
	return im.aiKBOthers(f, path)
}

// aiKBOthers names the tables that hold something which is not read.
func (im *importer) aiKBOthers(f *sqlite.Foreign, path string) error {
	tables, err := f.Tables(im.ctx)
	if err != nil {
		return foreignError(path, err)
	}
	var others []string
	for _, t := range tables {
		switch {
		case t == "doc_ingests":
			im.note("%s: which documents were ingested is not taken over; their sections are, as capsules of the kind doc", path)
		case t != aiKBCapsules && t != "kb_meta" && !strings.HasPrefix(t, "capsule_fts") && !strings.HasPrefix(t, "vec_index"):
			others = append(others, t)
		}
	}
	if len(others) > 0 {
		im.note("%s: tables that are not of ai-kb were not read: %s", path, clip(strings.Join(others, ", "), 200))
	}
	return nil
}

// aiKBMerge returns what a row does to the capsule of the same id that a file holds: the file's
// fields stay, as ai-kb takes the file for the original, and the row adds those that no file has.
// A row without a file becomes a capsule if all is wanted.
func (im *importer) aiKBMerge(all bool) func(*aiKBCapsule) {
	return func(row *aiKBCapsule) {
		c := im.ai.byID[row.fields["id"]]
		switch {
		case c == nil && all:
			im.aiKBTake(row)
			return
		case c == nil:
			return
		}
		var differ []string
		for name, v := range row.fields {
			have, said := c.fields[name]
			switch {
			case !said || have == "":
				c.fields[name] = v
			case name == "supersedes" && v != "" && v != have:
				c.fields["supersedes"] += "," + v
			case v != "" && strings.TrimSpace(v) != strings.TrimSpace(have) && !sameNumber(v, have):
				differ = append(differ, name)
			}
		}
		if slices.Sort(differ); len(differ) > 0 {
			c.notes = append(c.notes, fmt.Sprintf("%s has another %s; what the file says is taken", aiKBFile, strings.Join(differ, ", ")))
		}
	}
}

// sameNumber compares numbers that were written by two programs.
func sameNumber(a, b string) bool {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && math.Abs(x-y) < 1e-9
}

// takeAIKB makes items of what was gathered, with the links between them.
func (im *importer) takeAIKB() error {
	if len(im.ai.capsules) == 0 {
		return nil
	}
	for _, home := range im.ai.homes {
		path := filepath.Join(home, aiKBFile)
		is, err := im.aiKBDatabase(path)
		if err != nil {
			return err
		}
		if is {
			im.note("%s, beside the folder, says what superseded what, and what has decayed", path)
			if err := im.aiKBRows(path, im.aiKBMerge(false)); err != nil {
				return err
			}
		}
	}
	drafts := map[string]*importDraft{}
	for _, c := range im.ai.capsules {
		d, err := c.draft()
		if err == nil {
			err = d.Check()
		}
		if err != nil {
			im.refuse(c.from, told(err))
			continue
		}
		drafts[c.fields["id"]] = d
	}
	by := im.aiKBSuperseded(drafts)
	for _, c := range im.ai.capsules {
		id := c.fields["id"]
		if d := drafts[id]; d != nil {
			if by[id] != "" {
				d.SupersededBy = aiKBID(by[id])
				if over := drafts[by[id]]; over != nil {
					over.Supersedes = append(over.Supersedes, d.ID)
				}
			}
		}
	}
	for _, c := range im.ai.capsules {
		if d := drafts[c.fields["id"]]; d != nil {
			made, notes := d.done()
			im.take(c.from, made, notes)
		}
	}
	return nil
}

func aiKBID(id string) string { return kb.ImportedID(formatAIKB, id) }

// aiKBSuperseded says by what each capsule is superseded. The database has one successor for each;
// of several files that name the same one, the newest counts, as it does there.
func (im *importer) aiKBSuperseded(drafts map[string]*importDraft) map[string]string {
	by := map[string]string{}
	claims := slices.Clone(im.ai.capsules)
	slices.SortStableFunc(claims, func(a, b *aiKBCapsule) int { return strings.Compare(b.fields["created_at"], a.fields["created_at"]) })
	for _, c := range im.ai.capsules {
		if id, over := c.fields["id"], strings.TrimSpace(c.fields["superseded_by"]); over != "" && over != id {
			by[id] = over
		}
	}
	for _, c := range claims {
		id, d := c.fields["id"], drafts[c.fields["id"]]
		if d == nil { // it was refused, but what it supersedes is superseded
			d = &importDraft{}
		}
		for _, old := range strings.Split(c.fields["supersedes"], ",") {
			switch old = strings.TrimSpace(old); {
			case old == "":
			case old == id:
				d.note("it says that it supersedes itself; that is left out")
			case drafts[old] == nil: // it may be here already
				d.Supersedes = append(d.Supersedes, aiKBID(old))
			case by[old] == "":
				by[old] = id
			case by[old] != id:
				d.note("it says that it supersedes %s, which %s does; that is left out", clip(old, 80), clip(by[old], 80))
			}
		}
	}
	return by
}

// draft makes a capsule of the fields, without links.
func (c *aiKBCapsule) draft() (*importDraft, error) {
	for _, v := range c.fields {
		if err := kb.CheckText("a field", v, storeCell, false); err != nil {
			return nil, err
		}
	}
	f := c.fields
	id := inOneLine(f["id"])
	if id == "" {
		return nil, errors.New("it has no id")
	}
	d := &importDraft{Capsule: kb.Capsule{ID: aiKBID(id), Scope: f["scope"], Body: f["body"]}, notes: slices.Clone(c.notes)}
	if d.Scope == "" {
		d.Scope = "universal" // as ai-kb takes it
	}
	d.setTitle(f["title"])
	if f["kind"] != "" {
		d.setKind(f["kind"], false)
	}
	d.tag(f["tags"])
	if !d.listField("domain_tags", strings.Split(f["domain_tags"], ",")) {
		d.keep("domain_tags", f["domain_tags"])
	}
	for name, into := range map[string]*string{"source": &d.Source, "verified_by": &d.VerifiedBy, "workspace_path": &d.Workspace, "project_id": &d.Project} {
		if *into = f[name]; len(*into) > kb.MaxField {
			return nil, invalid(fmt.Sprintf("its %s has %d bytes; at most %d are taken", name, len(*into), kb.MaxField), "shorten it in the source")
		}
	}
	d.aiKBNumbers(f)
	for _, r := range strings.Split(f["refs"], ",") {
		d.ref(r)
	}
	d.ref(formatAIKB + ":" + id)
	for _, name := range sortedNames(f) {
		if !slices.Contains(aiKBFields, name) && !slices.Contains(aiKBMade, name) {
			d.keep(name, f[name])
		}
	}
	return d, nil
}

// aiKBNumbers takes over the numbers and times. What is none is kept as a line.
func (d *importDraft) aiKBNumbers(f map[string]string) {
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
	if d.Created, ok = importTime(f["created_at"]); !ok {
		d.keep("created_at", f["created_at"])
	}
	if d.Updated, ok = importTime(f["updated_at"]); !ok {
		d.keep("updated_at", f["updated_at"])
		d.Updated = d.Created
	}
}
