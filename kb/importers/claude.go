package importers

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"

	"blackboard/board/disk"
	"blackboard/board/text"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
	"blackboard/kb/markdown"
)

// claudeIndex is the file of a memory folder that lists the others.
const claudeIndex = "MEMORY.md"

// A user's wish is a principle; the others are facts.
var claudeKinds = map[string]string{"user": "fact", "feedback": "principle",
	"project": "fact", "reference": "fact"}

// readClaude reads a memory folder, a project's folder with one, or a folder of projects.
func (im *importer) readClaude(dir string) error {
	switch {
	case isClaudeMemory(dir):
		return im.readClaudeMemory(dir)
	case disk.IsDir(filepath.Join(dir, "memory")):
		im.note("%s: skipped the sessions beside the folder memory", dir)
		return im.readClaudeMemory(filepath.Join(dir, "memory"))
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return invalid("cannot read "+dir+": "+disk.Cause(err).Error(), "check its permissions")
	}
	found := 0
	var without leftOut
	for _, e := range entries {
		memory := filepath.Join(dir, e.Name(), "memory")
		info, err := os.Lstat(memory)
		switch {
		case e.Type()&fs.ModeSymlink != 0 && disk.IsDir(memory), err == nil &&
			info.Mode()&fs.ModeSymlink != 0:
			im.refuse(memory, "it is in a link to a folder, and links are not followed: import "+
				"that folder itself")
			found++
		case err == nil && info.IsDir():
			found++
			if err := im.readClaudeMemory(memory); err != nil {
				return err
			}
		case err != nil && !errors.Is(err, fs.ErrNotExist) && e.IsDir():
			im.refuse(memory, "cannot read the folder: "+disk.Cause(err).Error())
		case e.IsDir():
			without.add(e.Name())
		}
	}
	if found == 0 && len(im.set.Refused) == 0 {
		return invalid(dir+" has no Claude Code memory", "give a folder memory, a project's "+
			"folder that has one, or the folder projects")
	}
	if without.n > 0 {
		im.note("%s: skipped %d folders without a memory: %s", dir, without.n, &without)
	}
	return nil
}

func fileExists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func isClaudeMemory(dir string) bool {
	abs, err := filepath.Abs(dir)
	return fileExists(filepath.Join(dir, claudeIndex)) || err == nil &&
		filepath.Base(abs) == "memory" && !disk.IsDir(filepath.Join(dir, "memory"))
}

func (im *importer) readClaudeMemory(dir string) error {
	src, err := im.claudeSource(dir)
	if err != nil {
		return err
	}
	return im.walk(dir, markdown.Is, func(path string) error {
		if filepath.Base(path) == claudeIndex {
			return im.readClaudeIndex(path, src)
		}
		return im.readMarkdown(path, src)
	})
}

// claudeSource says whose memories a folder's are, by its project's folder.
func (im *importer) claudeSource(dir string) (markdownSource, error) {
	src := markdownSource{claude: true}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return src, err
	}
	name := filepath.Base(abs)
	if name == "memory" {
		name = filepath.Base(filepath.Dir(abs))
	}
	work, why := decodeClaudeDir(name)
	if work != "" {
		home, _ := os.UserHomeDir()
		if src.workspace, err = kbhome.Find(work, home, ""); err != nil ||
			src.workspace == "" {
			src.workspace, why = "", work+", to which it belongs, is not a project"
		}
	}
	if src.workspace == "" || len(src.workspace) > kb.MaxField {
		src.workspace, src.project = "", asUTF8(name)
		src.notes = []string{"the folder's name was used as the project: " + why}
	}
	return src, nil
}

// maxClaudeDirs limits how many directories are searched for the one that a name stands for.
const maxClaudeDirs = 2000

// decodeClaudeDir finds the directory that a project's folder is named after. The name
// has a dash for each character of the path that is neither a letter nor a digit, so
// several directories may have it; why says why there is no answer.
func decodeClaudeDir(name string) (dir, why string) {
	if filepath.Separator != '/' || !strings.HasPrefix(name, "-") {
		return "", "its name is not the name of a directory"
	}
	var found []os.FileInfo
	left := maxClaudeDirs
	var look func(at, rest string)
	look = func(at, rest string) {
		if left--; left < 0 || len(found) > 1 {
			return
		}
		if rest == "" {
			info, err := os.Stat(at)
			if err != nil || len(found) == 1 && os.SameFile(found[0], info) { // a link to the same
				return
			}
			found, dir = append(found, info), at
			return
		}
		entries, err := os.ReadDir(at)
		if err != nil {
			return
		}
		for _, e := range entries {
			esc := "-" + escapeClaude(e.Name())
			after, ok := strings.CutPrefix(rest, esc)
			if !ok || after != "" && after[0] != '-' {
				continue
			}
			if next := filepath.Join(at, e.Name()); e.IsDir() || e.Type()&fs.ModeSymlink != 0 &&
				disk.IsDir(next) {
				look(next, after)
			}
		}
	}
	look("/", name)
	switch {
	case left < 0:
		return "", "too many directories match its name"
	case len(found) == 0:
		return "", "no directory here matches its name"
	case len(found) > 1:
		return "", "several directories here match its name"
	}
	return dir, ""
}

// escapeClaude writes a name as Claude Code's folders have it, which counts in UTF-16.
func escapeClaude(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r >= '0' && r <= '9', r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z':
			b.WriteRune(r)
		case r > 0xffff:
			b.WriteString("--")
		default:
			b.WriteByte('-')
		}
	}
	return b.String()
}

// readClaudeIndex keeps what an index says besides listing the files.
func (im *importer) readClaudeIndex(path string, src markdownSource) error {
	text, is, err := im.readRecord(path)
	if !is {
		return err
	}
	rest, linked := removeLinks(text,
		func(file string) bool { return fileExists(filepath.Join(filepath.Dir(path), file)) })
	if rest == "" {
		im.note("skipped %s: it is only an index of the files", path)
		return nil
	}
	of := src.project
	if src.workspace != "" {
		of = filepath.Base(src.workspace)
	}
	d := &importDraft{Capsule: kb.Capsule{Kind: "fact", Body: rest, Workspace: src.workspace,
		Project: src.project}, notes: append([]string{}, src.notes...)}
	d.setTitle(claudeIndex + " of " + asUTF8(of))
	d.tag("memory")
	if linked > 0 {
		d.note("removed %d lines that list the files", linked)
	}
	im.takeDraft(path, d)
	return nil
}

// claudeLink is a line of an index: a link at its beginning, after the sign of a list.
var claudeLink = text.NewRegexp(
	`^\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:\*\*)?\[(?:[^\]]*\]\(<?([^)>]+)>?\)|\[([^\]|]+)(?:\|[^\]]*)?\]\])`)

// removeLinks removes an index's lines of existing files, and headings left without text.
func removeLinks(text string, exists func(file string) bool) (rest string, linked int) {
	type kept struct {
		text  string
		level int // of a heading
		blank bool
	}
	var lines []kept
	for l := range strings.Lines(markdown.LineEnds.ReplaceAllString(strings.TrimPrefix(text,
		"\ufeff"), "\n")) {
		l = strings.TrimRight(l, "\n")
		if m := claudeLink.FindStringSubmatch(l); m != nil && isLinkedFile(m[1], m[2], exists) {
			linked++
			continue
		}
		k := kept{text: l, blank: strings.TrimSpace(l) == ""}
		if mdHeading.MatchString(l) {
			k.level = strings.Count(strings.Fields(l)[0], "#")
		}
		lines = append(lines, k)
	}
	var b strings.Builder
	for i, k := range lines {
		if k.level > 0 {
			says := false
			for _, below := range lines[i+1:] {
				if below.level > 0 && below.level <= k.level {
					break
				}
				if says = below.level == 0 && !below.blank; says {
					break
				}
			}
			if !says {
				continue
			}
		}
		b.WriteString(k.text + "\n")
	}
	return strings.TrimSpace(b.String()), linked
}

func isLinkedFile(target, wiki string, exists func(string) bool) bool {
	if wiki != "" {
		target = strings.TrimSpace(wiki) + ".md"
	}
	target, _, _ = strings.Cut(target, "#")
	if plain, err := url.PathUnescape(target); err == nil {
		target = plain
	}
	target = filepath.FromSlash(strings.TrimSpace(target))
	return markdown.Is(target) && filepath.IsLocal(target) && exists(target)
}

// claudeFields moves the fields below the key metadata up. Newer versions have the type there.
func claudeFields(fields []markdown.Field) []markdown.Field {
	var out []markdown.Field
	for _, f := range fields {
		if f.Key != "metadata" || f.Node.Kind != yaml.MappingNode {
			out = append(out, f)
			continue
		}
		for i := 0; i+1 < len(f.Node.Content); i += 2 {
			k := f.Node.Content[i]
			key := "metadata." + k.Value
			if k.Value == "type" {
				key = k.Value
			}
			out = append(out, markdown.Field{Key: key, Line: k.Line + 1, Node: f.Node.Content[i+1]})
		}
	}
	return out
}

var looseField = text.NewRegexp(`^[ \t]*([A-Za-z_][A-Za-z0-9_-]*):(?:[ \t]+(.*))?$`)

// looseFrontMatter reads what is not quite YAML: each line a key and a text.
func looseFrontMatter(text string) (fields []markdown.Field, body string, ok bool) {
	meta, body, found := markdown.Split(text)
	if !found || len(meta) > markdown.MaxFront {
		return nil, "", false
	}
	seen, n := map[string]bool{}, 1
	for l := range strings.Lines(meta) {
		n++
		l = strings.TrimRight(l, " \t\n")
		if l == "" || l == "metadata:" {
			continue
		}
		m := looseField.FindStringSubmatch(l)
		if m == nil || seen[m[1]] {
			return nil, "", false
		}
		seen[m[1]] = true
		v := strings.TrimSpace(m[2])
		if q := len(v) - 1; q > 0 && v[0] == v[q] && (v[0] == '"' || v[0] == '\'') {
			v = v[1:q]
		}
		fields = append(fields, markdown.Field{Key: m[1], Line: n,
			Node: &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: v}})
	}
	return fields, body, len(fields) > 0
}
