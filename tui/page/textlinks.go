package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/text"
	"blackboard/tui/cells"
)

// Texts name things: entries, signals, capsules, items of the memory, files with lines,
// URLs. Those that exist are offered as links.

// TextLink is a link of a text.
type TextLink struct {
	Name string // as shown and copied
	Note string
	Open func() tea.Cmd
}

// Linked is a text and the context for its links.
type Linked struct {
	Own    string // its own id, which is not a link
	Source string // a file or a URL that is listed first, with its place
	Ref    string
	Texts  []string
	Run    string       // the run whose entries and signals it names; "": none
	Board  *board.Board // of the run, if it is open
	Past   *board.Past  // show them as of then; nil: as they are now
	Agent  string       // the agent whose items of the memory are visible

	Without error // the error without links; nil: a default
}

// mention matches possible links in a text: URLs, files, ids.
var mention = text.NewRegexp("(https?://[^\\s<>\"'`|]+)" +
	`|((?:[\pL\pN_.~-]*/)*[\pL\pN_.-]*[\pL\pN_]\.[A-Za-z][A-Za-z0-9]{0,7})(?:(?::|#L)([0-9]{1,9}))?` +
	`|\b(?:entry:|signal:|kb:|memory:)?([es][1-9][0-9]{0,9}|[km][0-9a-z]{9})\b`)

// Ids as typed, and in references.
var (
	EntryOrSignalID = text.NewRegexp(`^[es][0-9]+$`)
	ItemID          = text.NewRegexp(`^m[0-9a-z]{9}$`)
	CapsuleID       = text.NewRegexp(`^k[0-9a-hjkmnp-tv-z]{9}$`)
)

// IsSignal reports whether an id is that of a signal, not of an entry.
func IsSignal(id string) bool { return strings.HasPrefix(id, "s") }

// maxMentions is how many possible links of a text are looked up.
const maxMentions = 100

// OpenLink opens what the text names: directly if there is one link, else after a choice.
func (a *App) OpenLink(read func(context.Context) (Linked, error)) tea.Cmd {
	agent := a.LastAgent
	return a.Hold(func(ctx context.Context) (tea.Msg, error) {
		in, err := read(ctx)
		if err != nil {
			return nil, err
		}
		in.Agent = cmp.Or(in.Agent, agent)
		all, err := a.links(ctx, &in)
		switch {
		case len(all) == 1:
			return Answer{Take: all[0].Open}, nil
		case len(all) > 1:
			var targets []Target
			for _, l := range all {
				targets = append(targets, Target{Label: l.Name, Text: l.Note, Do: l.Open})
			}
			return OverlayMsg{NewChooser(a, "Where to?", "a part of a name", targets)}, nil
		case err != nil:
			return nil, err
		}
		return NoticeMsg{Text: "its text names nothing that is there: no id, no file, no URL"}, nil
	})
}

// links returns the links of a text, without duplicates, in their order. The error tells
// why its source is not one of them.
func (a *App) links(ctx context.Context, in *Linked) (all []TextLink, err error) {
	add := func(l TextLink) {
		there := slices.ContainsFunc(all, func(o TextLink) bool { return o.Name == l.Name })
		if l.Open != nil && l.Name != in.Own && !there {
			all = append(all, l)
		}
	}
	if err = in.Without; in.Source != "" {
		if strings.HasPrefix(in.Source, "http://") || strings.HasPrefix(in.Source, "https://") {
			add(a.urlLink(in.Source))
		} else {
			path, line, e := a.sourceFile(in.Source, in.Ref)
			if err = e; err == nil {
				l := a.fileLink(path, line)
				l.Note = "the source"
				add(l)
			}
		}
	}
	seen := map[string]bool{} // look up a word that resembles an id only once
	for _, m := range mention.FindAllStringSubmatch(strings.Join(in.Texts, "\n"), maxMentions) {
		if seen[m[0]] {
			continue
		}
		seen[m[0]] = true
		switch {
		case m[1] != "":
			add(a.urlLink(m[1]))
		case m[2] != "":
			if path, line, e := a.sourceFile(m[2], m[3]); e == nil {
				add(a.fileLink(path, line))
			}
		case m[4] != "":
			add(a.Open.Link(ctx, in, m[4]))
		}
	}
	return all, err
}

// urlLink returns the link of a URL, without trailing punctuation.
func (a *App) urlLink(url string) TextLink {
	for {
		end := url[len(url)-1:]
		open := map[string]string{")": "(", "]": "[", "}": "{"}[end]
		closes := open != "" && strings.Count(url, open) < strings.Count(url, end)
		if !closes && !strings.Contains(".,;:!?*_", end) {
			break
		}
		url = url[:len(url)-1]
	}
	url = cells.Clean(url)
	return TextLink{url, "to the clipboard", func() tea.Cmd { return a.CopyText(url) }}
}

// fileLink returns the link of a line of a file, which opens the editor.
func (a *App) fileLink(path string, line int) TextLink {
	name := ShownPath(a, path)
	if line > 0 {
		name += ":" + strconv.Itoa(line)
	}
	return TextLink{name, "in the editor", func() tea.Cmd { return a.EditFile(path, line) }}
}

// sourceFile is the file and line that a source names: absolute, as an agent's name must not be an
// option to the editor, and a regular file.
func (a *App) sourceFile(doc, ref string) (path string, line int, err error) {
	if strings.Contains(doc, "://") {
		return "", 0, fmt.Errorf("the source is not a file: %s", cells.OneLine(doc, 200))
	}
	try := []string{doc}
	// the colon of a Windows volume does not precede a line number
	volume := filepath.VolumeName(doc)
	if name, at, ok := strings.Cut(doc[len(volume):], ":"); ok && ref == "" { // auth.go:12
		try, ref = append(try, volume+name), at
	}
	for _, name := range try {
		if path = name; !filepath.IsAbs(path) {
			path = filepath.Join(a.Files, name)
		}
		var info fs.FileInfo
		if info, err = os.Stat(path); err == nil && !info.Mode().IsRegular() {
			err = fmt.Errorf("%s is not a regular file", cells.OneLine(name, 200))
		}
		if err == nil {
			break
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is no %s below %s · start `board tui` where the sources are", cells.OneLine(doc, 200), a.Files)
	}
	if err != nil {
		return "", 0, err
	}
	if m := lineInRef.FindStringSubmatch(strings.TrimSpace(ref)); m != nil {
		line, _ = strconv.Atoi(m[1])
	}
	return path, line, nil
}

// lineInRef finds the line in a source's reference: L12, 12, line 12, :12-20.
var lineInRef = text.NewRegexp(`(?i)^(?:.*\b(?:lines?|l)[ .:]*|:)?([0-9]{1,9})\b`)

// ShownPath shortens a path: relative to the files' directory if below, else to the home.
func ShownPath(a *App, path string) string {
	if rel, err := filepath.Rel(a.Files, path); err == nil && filepath.IsLocal(rel) {
		return cells.OneLine(rel, RowRunes)
	}
	if a.Home != "" {
		if rel, err := filepath.Rel(a.Home, path); err == nil && filepath.IsLocal(rel) {
			return "~" + string(filepath.Separator) + cells.OneLine(rel, RowRunes)
		}
	}
	return cells.OneLine(path, RowRunes)
}
