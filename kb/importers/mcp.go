package importers

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"blackboard/kb"
)

// mcpEntity is a node of the graph, to be a capsule.
type mcpEntity struct {
	from, name, kind string
	observations     []string
	other            []jsonField
	relations        []string
	related          map[string]bool // what is in relations
	taken            bool
}

// mcpRelation is an edge of the graph, a line in the capsules of its ends.
type mcpRelation struct {
	from           string // file:line
	head, tail     string
	relation, text string
}

func (im *importer) readMCP(path string) error {
	f, err := openImport(path, maxImportFile)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = im.mcp(path, f)
	return err
}

// mcp reads the graph and returns how many relations went into their ends' capsules.
func (im *importer) mcp(path string, r io.Reader) (folded int, err error) {
	byName := map[string]*mcpEntity{}
	var entities []*mcpEntity
	var relations []mcpRelation
	empty := true
	err = eachLine(r, func(l importLine) error {
		empty = false
		if err := im.record(); err != nil {
			return err
		}
		from := fmt.Sprintf("%s:%d", path, l.n)
		e, rel, err := mcpLine(l, from)
		switch {
		case err != nil:
			im.refuse(from, told(err))
		case rel != nil:
			relations = append(relations, *rel)
		case byName[e.name] != nil:
			im.refuse(from, fmt.Sprintf("the entity %q occurs already at %s: merge "+
				"their observations", clip(e.name, 60), byName[e.name].from))
		default:
			byName[e.name] = e
			entities = append(entities, e)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if empty {
		return 0, invalid(path+" is empty", "give the file of an MCP memory server, "+
			"memory.jsonl or memory.json")
	}
	for _, rel := range relations {
		for _, end := range slices.Compact([]string{rel.head, rel.tail}) {
			e := byName[end]
			if e == nil || e.related[rel.text] {
				continue
			}
			if e.related == nil {
				e.related = map[string]bool{}
			}
			e.related[rel.text] = true
			e.relations = append(e.relations, rel.text)
		}
	}
	for _, e := range entities {
		if err := im.ctx.Err(); err != nil {
			return 0, err
		}
		if len(e.observations)+len(e.relations) == 0 {
			im.refuse(e.from, fmt.Sprintf("the entity %q has no observations and no relations, "+
				"so there is nothing to import", clip(e.name, 60)))
			continue
		}
		c, notes := e.capsule()
		e.taken = im.take(e.from, c, notes)
	}
	for _, rel := range relations {
		head, tail := byName[rel.head], byName[rel.tail]
		switch {
		case head == nil && tail == nil:
			im.refuse(rel.from, fmt.Sprintf("it relates %q and %q, but neither is an "+
				"entity of the file", clip(rel.head, 60), clip(rel.tail, 60)))
		case (head == nil || !head.taken) && (tail == nil || !tail.taken):
			im.refuse(rel.from, fmt.Sprintf("its entities %q and %q were refused",
				clip(rel.head, 60), clip(rel.tail, 60)))
		default:
			folded++
		}
	}
	if folded > 0 {
		im.note("%d relations were added as lines to the capsules of their entities", folded)
	}
	return folded, nil
}

// mcpLine reads a line as one of both.
func mcpLine(l importLine, from string) (*mcpEntity, *mcpRelation, error) {
	fields, err := l.object()
	if err != nil {
		return nil, nil, err
	}
	e, r, kind := mcpEntity{from: from}, mcpRelation{from: from}, ""
	var other []jsonField
	for _, f := range fields {
		var into any
		switch f.key {
		case "type":
			into = &kind
		case "name":
			into = &e.name
		case "entityType":
			into = &e.kind
		case "from":
			into = &r.head
		case "to":
			into = &r.tail
		case "relationType":
			into = &r.relation
		case "observations":
			var raw []json.RawMessage
			if err := json.Unmarshal(f.raw, &raw); err != nil {
				return nil, nil, wrongType(f.key, err)
			}
			for _, o := range raw {
				e.observations = append(e.observations, jsonText(o))
			}
			e.observations = slices.DeleteFunc(e.observations,
				func(s string) bool { return strings.TrimSpace(s) == "" })
			continue
		default:
			other = append(other, f)
			continue
		}
		if err := json.Unmarshal(f.raw, into); err != nil {
			return nil, nil, wrongType(f.key, err)
		}
	}
	switch kind {
	case "entity":
		if strings.TrimSpace(e.name) == "" {
			return nil, nil, invalid("the entity has no name", "correct the line")
		}
		e.other = other
		return &e, nil, nil
	case "relation":
		if strings.TrimSpace(r.head) == "" || strings.TrimSpace(r.tail) == "" ||
			strings.TrimSpace(r.relation) == "" {
			return nil, nil, invalid("the relation lacks its from, to or relationType",
				"correct the line")
		}
		r.text = fmt.Sprintf("- %s %s %s", inOneLine(r.head),
			inOneLine(r.relation), inOneLine(r.tail))
		for _, f := range other {
			r.text += fmt.Sprintf("; %s: %s", inOneLine(f.key), inOneLine(jsonText(f.raw)))
		}
		return nil, &r, nil
	}
	return nil, nil, invalid(fmt.Sprintf("the type %q is neither entity nor relation",
		clip(kind, 60)), "check that it is a file of an MCP memory server")
}

// jsonText is a value as text: a string as it says, everything else as JSON.
func jsonText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func (e *mcpEntity) capsule() (kb.Capsule, []string) {
	d := &importDraft{Capsule: kb.Capsule{Kind: "fact"}}
	d.setTitle(e.name)
	d.tag(e.kind)
	var b strings.Builder
	for _, o := range e.observations {
		b.WriteString("- " + strings.ReplaceAll(strings.TrimSpace(o), "\n", "\n  ") + "\n")
	}
	if len(e.relations) > 0 {
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		b.WriteString("relations:\n" + strings.Join(e.relations, "\n"))
	}
	d.Body = b.String()
	for _, f := range e.other {
		into := map[string]*time.Time{"createdat": &d.Created,
			"updatedat": &d.Updated}[strings.ReplaceAll(strings.ToLower(f.key), "_", "")]
		if at, ok := importTime(jsonText(f.raw)); ok && into != nil {
			*into = at
			continue
		}
		d.keep(f.key, jsonText(f.raw))
	}
	return d.done()
}
