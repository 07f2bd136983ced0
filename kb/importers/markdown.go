package importers

import (
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/text"
	"blackboard/kb"
	"blackboard/kb/markdown"
)

// markdownSource has the properties of a markdown file that it does not state itself.
type markdownSource struct {
	claude             bool // a memory of Claude Code
	workspace, project string
	notes              []string
}

func (im *importer) readMarkdownFile(path string) error {
	return im.readMarkdown(path, markdownSource{})
}

func (im *importer) readMarkdownDir(dir string) error {
	n := 0
	err := im.walk(dir, markdown.Is, func(path string) error {
		n++
		return im.readMarkdown(path, markdownSource{})
	})
	if err == nil && n == 0 && len(im.set.Refused) == 0 {
		err = invalid("no markdown file found in "+dir,
			"markdown files end in .md or .markdown")
	}
	return err
}

func (im *importer) readMarkdown(path string, src markdownSource) error {
	text, is, err := im.readRecord(path)
	if is {
		im.takeMarkdown(path, text, src)
	}
	return err
}

// takeMarkdown reads one capsule: a sidecar unchanged; else what fits no field is in the body.
func (im *importer) takeMarkdown(from, text string, src markdownSource) {
	d := &importDraft{notes: slices.Clone(src.notes)}
	if im.gatherAIKBText(from, text) {
		return
	}
	fields, body, err := markdown.ReadFields(text)
	if err != nil && src.claude {
		if lines, rest, ok := looseFrontMatter(text); ok {
			d.note("%v; read it line by line instead", err)
			fields, body, err = lines, rest, nil
		}
	}
	if err != nil {
		im.refuse(from, told(err))
		return
	}
	if id := sidecarID(fields); id != "" {
		im.takeSidecar(from, id, text, fields)
		return
	}
	if fields == nil && strings.HasPrefix(body, "---\n") {
		d.note("it begins with ---, but has no front matter")
	}
	left := maxExpanded
	about, err := d.readFrontMatter(fields, src.claude, &left)
	if err != nil {
		im.refuse(from, told(err))
		return
	}
	d.setTitleAndBody(body, about, from)
	if src.claude && (d.Scope == "" || d.Scope == "workspace") && d.Workspace == "" {
		d.Workspace = src.workspace
	}
	if d.Scope == "workspace" && d.Workspace == "" {
		d.Scope = ""
		d.keep("scope", "workspace")
	}
	if src.claude && d.Project == "" {
		d.Project = src.project
	}
	im.takeDraft(from, d)
}

var sidecarKeys = []string{"id", "kind", "scope", "title", "created", "updated"}

// sidecarID returns the id of a sidecar of ours, and "" for every other file.
func sidecarID(fields []markdown.Field) (id string) {
	have := 0
	for _, f := range fields {
		if slices.Contains(sidecarKeys, f.Key) {
			have++
		}
		if f.Key == "id" {
			id, _ = f.Scalar()
		}
	}
	if have < len(sidecarKeys) || kb.CheckID(id) != nil {
		return ""
	}
	return id
}

func (im *importer) takeSidecar(from, id, text string, fields []markdown.Field) {
	c, extra, err := kb.DecodeSidecar(id, []byte(text))
	if err == nil {
		err = checkOwn(&c)
	}
	if err != nil {
		im.refuse(from, told(err))
		return
	}
	d := &importDraft{Capsule: c}
	left := maxExpanded
	for _, f := range fields {
		if _, ok := extra[f.Key]; ok {
			if err := d.keepField(f, &left); err != nil {
				im.refuse(from, told(err))
				return
			}
		}
	}
	im.takeDraft(from, d)
}

// setTitleAndBody sets the body, and the title if there is none: the first H1, the description, or
// the file's name. A description said nowhere else goes before the body.
func (d *importDraft) setTitleAndBody(body, about, from string) {
	d.Body = strings.TrimLeft(body, "\n")
	if title, rest := markdown.H1(d.Body); d.Title == "" && title != "" {
		d.setTitle(title)
		if strings.TrimSpace(rest) != "" { // else it says what there is to say
			d.Body = strings.TrimLeft(rest, "\n")
		}
	}
	if d.Title == "" && about != "" {
		d.setTitle(about)
		if strings.TrimSpace(d.Body) != "" {
			about = ""
		}
	}
	if d.Title == "" {
		base := asUTF8(filepath.Base(from))
		d.setTitle(strings.TrimSuffix(base, filepath.Ext(base)))
	}
	if about != "" && !strings.Contains(inOneLine(d.Body), inOneLine(about)) {
		d.Body = strings.TrimSpace(about + "\n\n" + d.Body)
	}
}

var mdHeading = text.NewRegexp(`^ {0,3}#{1,6}(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
