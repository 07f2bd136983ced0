package importers

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"blackboard/kb"
)

// mergeAIKB returns a function that merges a row into the capsule of the same id from a file. The
// file's fields win, because ai-kb treats the file as the original; the row adds the others. With
// all set, a row without a file becomes a capsule.
func (im *importer) mergeAIKB(all bool) func(*aiKBCapsule) {
	return func(row *aiKBCapsule) {
		c := im.ai.byID[row.fields["id"]]
		switch {
		case c == nil && all:
			im.gatherAIKB(row)
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
			case v != "" && strings.TrimSpace(v) != strings.TrimSpace(have) &&
				!sameNumber(v, have):
				differ = append(differ, name)
			}
		}
		if slices.Sort(differ); len(differ) > 0 {
			c.notes = append(c.notes, fmt.Sprintf("%s has a different %s; the file's "+
				"value was used",
				aiKBFile, strings.Join(differ, ", ")))
		}
	}
}

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
			im.note("supersessions and decay were read from %s beside the folder", path)
			if err := im.eachAIKBRow(path, im.mergeAIKB(false)); err != nil {
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
	by := im.aiKBSuccessors(drafts)
	for _, c := range im.ai.capsules {
		id := c.fields["id"]
		if d := drafts[id]; d != nil && by[id] != "" {
			d.SupersededBy = aiKBID(by[id])
			if over := drafts[by[id]]; over != nil {
				over.Supersedes = append(over.Supersedes, d.ID)
			}
		}
	}
	for _, c := range im.ai.capsules {
		if d := drafts[c.fields["id"]]; d != nil {
			im.takeDraft(c.from, d)
		}
	}
	return nil
}

func aiKBID(id string) string { return kb.ImportedID(formatAIKB, id) }

// aiKBSuccessors returns each superseded capsule's successor; of files, the newest counts.
func (im *importer) aiKBSuccessors(drafts map[string]*importDraft) map[string]string {
	by := map[string]string{}
	for _, c := range im.ai.capsules {
		over := strings.TrimSpace(c.fields["superseded_by"])
		if id := c.fields["id"]; over != "" && over != id {
			by[id] = over
		}
	}
	claims := slices.Clone(im.ai.capsules)
	slices.SortStableFunc(claims, func(a, b *aiKBCapsule) int {
		return strings.Compare(b.fields["created_at"], a.fields["created_at"])
	})
	for _, c := range claims {
		id, d := c.fields["id"], drafts[c.fields["id"]]
		if d == nil { // it was refused, but what it supersedes is superseded
			d = &importDraft{}
		}
		for _, old := range strings.Split(c.fields["supersedes"], ",") {
			switch old = strings.TrimSpace(old); {
			case old == "":
			case old == id:
				d.note("it claims to supersede itself; ignored")
			case drafts[old] == nil: // it may be here already
				d.Supersedes = append(d.Supersedes, aiKBID(old))
			case by[old] == "":
				by[old] = id
			case by[old] != id:
				d.note("it claims to supersede %s, which %s already does; ignored",
					clip(old, 80), clip(by[old], 80))
			}
		}
	}
	return by
}

// draft makes a capsule of the fields, without links.
func (c *aiKBCapsule) draft() (*importDraft, error) {
	for _, v := range c.fields {
		if err := kb.CheckText("a field", v, maxCell, false); err != nil {
			return nil, err
		}
	}
	f := c.fields
	id := inOneLine(f["id"])
	if id == "" {
		return nil, errors.New("it has no id")
	}
	d := &importDraft{
		Capsule: kb.Capsule{ID: aiKBID(id), Scope: f["scope"], Body: f["body"]},
		notes:   slices.Clone(c.notes),
	}
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
	d.readAIKBNumbers(f)
	for _, r := range strings.Split(f["refs"], ",") {
		d.ref(r)
	}
	d.ref(formatAIKB + ":" + id)
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if !slices.Contains(aiKBFields, name) && !slices.Contains(aiKBMade, name) {
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
