package tui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/lazyregexp"
	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/tui/cells"
)

// Texts name things: entries, signals, capsules, items of the memory, files with lines,
// URLs. Those that exist are offered as links.

// textLink is a link of a text.
type textLink struct {
	name string // as shown and copied
	note string
	open func() tea.Cmd
}

// linked is a text and the context for its links.
type linked struct {
	own    string // its own id, which is not a link
	source string // a file or a URL that is listed first, with its place
	ref    string
	texts  []string
	run    string       // the run whose entries and signals it names; "": none
	b      *board.Board // of the run, if it is open
	past   *board.Past  // show them as of then; nil: as they are now
	agent  string       // the agent whose items of the memory are visible

	without error // the error without links; nil: a default
}

// mention matches possible links in a text: URLs, files, ids.
var mention = lazyregexp.New("(https?://[^\\s<>\"'`|]+)" +
	`|((?:[\pL\pN_.~-]*/)*[\pL\pN_.-]*[\pL\pN_]\.[A-Za-z][A-Za-z0-9]{0,7})(?:(?::|#L)([0-9]{1,9}))?` +
	`|\b(?:entry:|signal:|kb:|memory:)?([es][1-9][0-9]{0,9}|[km][0-9a-z]{9})\b`)

// maxMentions is how many possible links of a text are looked up.
const maxMentions = 100

// openLink opens what the text names: directly if there is one link, else after a choice.
func (a *app) openLink(read func(context.Context) (linked, error)) tea.Cmd {
	agent := a.lastAgent
	return a.hold(func(ctx context.Context) (tea.Msg, error) {
		in, err := read(ctx)
		if err != nil {
			return nil, err
		}
		if in.agent == "" {
			in.agent = agent
		}
		all, err := a.links(ctx, &in)
		switch {
		case len(all) == 1:
			return jumpMsg{all[0].open}, nil
		case len(all) > 1:
			return overlayMsg{a.newLinkPicker(all)}, nil
		case err != nil:
			return nil, err
		}
		return noticeMsg{text: "its text names nothing that is there: no id, no file, no URL"}, nil
	})
}

// newLinkPicker lets the person choose one of several links.
func (a *app) newLinkPicker(all []textLink) page {
	o := &picker{app: a, heading: "Where to?", copies: true}
	for _, l := range all {
		o.choices = append(o.choices, choice{value: l.name, label: l.name + "  " + l.note})
	}
	o.take = func(name string) tea.Cmd {
		return all[slices.IndexFunc(all, func(l textLink) bool { return l.name == name })].open()
	}
	return newPicker(o, all[0].name)
}

// links returns the links of a text, without duplicates, in their order. The error tells
// why its source is not one of them.
func (a *app) links(ctx context.Context, in *linked) (all []textLink, err error) {
	add := func(l textLink) {
		there := slices.ContainsFunc(all, func(o textLink) bool { return o.name == l.name })
		if l.open != nil && l.name != in.own && !there {
			all = append(all, l)
		}
	}
	if err = in.without; in.source != "" {
		if isURL(in.source) {
			add(a.urlLink(in.source))
		} else {
			path, line, e := a.sourceFile(in.source, in.ref)
			if err = e; err == nil {
				l := a.fileLink(path, line)
				l.note = "the source"
				add(l)
			}
		}
	}
	seen := map[string]bool{} // look up a word that resembles an id only once
	for _, m := range mention.FindAllStringSubmatch(strings.Join(in.texts, "\n"), maxMentions) {
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
			add(a.idLink(ctx, in, m[4]))
		}
	}
	return all, err
}

func isURL(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

// urlLink returns the link of a URL, without trailing punctuation.
func (a *app) urlLink(url string) textLink {
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
	note := "in the browser"
	if a.Browser == nil {
		note = "to the clipboard"
	}
	return textLink{url, note, func() tea.Cmd { return a.openURL(url) }}
}

// openURL opens a URL in the browser; without one it copies the URL.
func (a *app) openURL(url string) tea.Cmd {
	if a.Browser == nil {
		return a.copyText(url)
	}
	return a.do(func(context.Context) tea.Msg {
		cmd := a.Browser(url)
		if err := cmd.Start(); err != nil {
			err = fmt.Errorf("the browser cannot be started: %w · o and y copies the URL", err)
			return noticeMsg{err: err}
		}
		go cmd.Wait() // ignore how the browser ends
		return noticeMsg{good: true, text: url + " is given to the browser"}
	})
}

// fileLink returns the link of a line of a file, which opens the editor.
func (a *app) fileLink(path string, line int) textLink {
	name := shownPath(a, path)
	if line > 0 {
		name += ":" + strconv.Itoa(line)
	}
	return textLink{name, "in the editor", func() tea.Cmd { return a.editFile(path, line) }}
}

// idLink returns the link of an id, if it exists.
func (a *app) idLink(ctx context.Context, in *linked, id string) (l textLink) {
	l.name = id
	switch {
	case entryOrSignalID.MatchString(id) && in.b != nil:
		found := readOne(ctx, sourceOf(in.b, in.past), id)
		if found.id() == "" {
			return l
		}
		l.note = found.line()
		l.open = func() tea.Cmd {
			p := newDetailPage(a, in.run, in.b, id)
			p.past = in.past
			return a.push(p)
		}
	case entryOrSignalID.MatchString(id) && in.run != "" && !isSignal(id):
		l.note = "of the run " + in.run
		l.open = func() tea.Cmd { return a.openEntry(in.run, id) }
	case capsuleID.MatchString(id):
		k, err := a.knowledge(ctx)
		if err != nil {
			return l
		}
		if c, err := k.Get(ctx, id); err == nil {
			l.note = cells.OneLine(c.Title, kb.MaxTitle)
			l.open = func() tea.Cmd { return a.push(newCapsulePage(a, id)) }
		}
	case itemID.MatchString(id):
		_ = a.withMemory(ctx, in.agent, func(s *memory.Store) error {
			it, err := s.Peek(ctx, id)
			if err == nil {
				ref := memoryRef{kind: kindItem, id: id, tier: it.Tier}
				l.note = headline(&it)
				l.open = func() tea.Cmd { return a.push(newMemoryDetail(a, in.agent, ref, nil)) }
			}
			return err
		})
	}
	return l
}
