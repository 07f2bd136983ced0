package importers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"blackboard/kb"
	"blackboard/kb/markdown"
)

// metaNames are other programs' names for fields, which come after the capsule's own.
var metaNames = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"name": "title", "summary": "description", "type": "kind", "tag": "tags", "label": "tags",
		"labels": "tags", "keyword": "tags", "keywords": "tags",
		"references": "refs", "ref": "refs",
		"date": "created", "created_at": "created", "createdat": "created",
		"updated_at": "updated", "updatedat": "updated", "modified": "updated",
		"last_modified": "updated",
	}
})

// readFrontMatter takes over the fields and returns the description. What has no field here goes to
// the tail; left is how much of that may still be expanded.
func (d *importDraft) readFrontMatter(fields []markdown.Field, claude bool, left *int) (about string,
	err error) {
	name := func(f markdown.Field) (key, field string) {
		key = strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(f.Key))
		if field = metaNames()[key]; field == "" {
			field = key
		}
		return key, field
	}
	if claude {
		fields = claudeFields(fields)
	}
	taken := map[string]bool{}
	for _, alias := range []bool{false, true} {
		for _, f := range fields {
			key, field := name(f)
			if (key != field) != alias {
				continue
			}
			if taken[field] && field != "tags" && field != "refs" ||
				!d.setField(field, &f, &about, claude) {
				if err := d.keepField(f, left); err != nil {
					return "", err
				}
				continue
			}
			taken[field] = true
		}
	}
	return about, nil
}

func (d *importDraft) keepField(f markdown.Field, left *int) error {
	s, ok := f.Text(left)
	if !ok {
		return invalid(fmt.Sprintf("line %d: the front matter expands to more than %d bytes",
			f.Line, maxExpanded), "replace its aliases by their values and remove "+
			"what is not needed")
	}
	d.keep(f.Key, s)
	return nil
}

// setField takes over one field. It returns false if the value does not fit there.
func (d *importDraft) setField(field string, f *markdown.Field, about *string, claude bool) bool {
	switch field {
	case "tags", "domain_tags", "refs", "supersedes":
		list, ok := f.List(field != "refs")
		return ok && d.listField(field, list)
	}
	s, ok := f.Scalar()
	if !ok {
		return false
	}
	if s == "" {
		return true // nothing is said
	}
	switch field {
	case "title":
		d.setTitle(s)
	case "description":
		*about = s
	case "kind":
		d.setKind(s, claude)
	case "scope":
		ok = slices.Contains(kb.Scopes, s)
		if ok {
			d.Scope = s
		}
	case "confidence":
		v, err := strconv.ParseFloat(s, 64)
		ok = err == nil && v >= 0 && v <= 1
		if ok {
			d.Confidence = &v
		}
	case "source", "verified_by", "workspace", "project", "retired_why":
		into := map[string]*string{"source": &d.Source, "verified_by": &d.VerifiedBy,
			"workspace": &d.Workspace, "project": &d.Project, "retired_why": &d.RetiredWhy}[field]
		ok = len(s) <= kb.MaxField
		if ok {
			*into = s
		}
	case "superseded_by":
		ok = kb.CheckID(s) == nil
		if ok {
			d.SupersededBy = s
		}
	case "created", "updated", "retired":
		t, is := parseTime(s)
		switch {
		case !is:
			return false
		case field == "created":
			d.Created = t
		case field == "updated":
			d.Updated = t
		default:
			d.Retired = &t
		}
	default:
		return false
	}
	return ok
}

func (d *importDraft) listField(field string, list []string) bool {
	switch field {
	case "tags":
		for _, t := range list {
			d.tag(strings.TrimLeft(strings.TrimSpace(t), "#"))
		}
	case "refs":
		for _, r := range list {
			d.ref(r)
		}
	case "domain_tags":
		for _, t := range list {
			if t = strings.TrimSpace(t); t != "" && (len(t) > kb.MaxTag ||
				strings.ContainsAny(t, ",\n")) || len(list) > kb.MaxTags {
				return false
			}
		}
		for _, t := range list {
			if t = strings.TrimSpace(t); t != "" {
				d.DomainTags = append(d.DomainTags, t)
			}
		}
	case "supersedes":
		for i, id := range list {
			if list[i] = strings.TrimSpace(id); kb.CheckID(list[i]) != nil {
				return false
			}
		}
		d.Supersedes = list
	}
	return true
}

// setKind takes a word for the kind if it is one, and for a tag if not.
func (d *importDraft) setKind(word string, claude bool) {
	if claude {
		if kind, ok := claudeKinds[strings.ToLower(word)]; ok {
			d.Kind = kind
			d.tag(strings.ToLower(word))
			return
		}
	}
	if kind, ok := kindNamed(word); ok {
		d.Kind = kind
		return
	}
	d.tag(word)
	d.note("unknown kind %q; kept as a tag", clip(word, 60))
}
