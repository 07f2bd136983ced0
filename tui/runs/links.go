package runs

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// branch is a link of an entry or a signal, in either direction.
type branch struct{ what, id, line string }

// backwards are the names of incoming links.
var backwards = map[string]string{
	board.Supports: "supported by", board.Contradicts: "contradicted by",
	board.Supersedes: "superseded by", board.Addresses: "addressed by",
}

// How much of the context of an entry is read: the texts of this many links, and for this
// many of those their own links, this many each.
const (
	maxLinkLines = 100
	maxBranches  = 8
	maxTwigs     = 4
)

// branches returns all links of the data. Outgoing ones have no line yet.
func (found *evidence) branches() (all []branch) {
	linked := []board.Backlink(nil)
	switch {
	case found.entry != nil:
		for _, kind := range board.LinkKinds {
			for _, id := range found.entry.Entry.Of(kind) {
				all = append(all, branch{what: "→ " + kind, id: id})
			}
		}
		linked = found.entry.Linked
	case found.signal != nil:
		if origin := found.signal.Signal.Origin; origin != "" {
			all = append(all, branch{what: "→ arose from", id: origin})
		}
		linked = found.signal.Linked
	}
	for _, l := range linked {
		all = append(all, branch{"← " + backwards[l.Kind], l.From,
			cells.OneLine(l.Line, page.RowRunes)})
	}
	if found.entry != nil {
		for i := range found.entry.Raised {
			s := &found.entry.Raised[i]
			line := s.Status + ": " + cells.OneLine(s.Content, page.RowRunes)
			all = append(all, branch{"← raised", s.ID, line})
		}
	}
	return all
}

// id returns the id of the data, or "".
func (found *evidence) id() string {
	switch {
	case found.entry != nil:
		return found.entry.Entry.ID
	case found.signal != nil:
		return found.signal.Signal.ID
	}
	return ""
}

// line returns the first line of the data.
func (found *evidence) line() string {
	switch {
	case found.entry != nil:
		e := &found.entry.Entry
		return cells.OneLine(e.Worker, 30) + ": " + cells.OneLine(e.Content, page.RowRunes)
	case found.signal != nil:
		return found.signal.Signal.Status + ": " +
			cells.OneLine(found.signal.Signal.Content, page.RowRunes)
	}
	return ""
}

// readAround reads the linked entries and signals, and their own links. Unreadable ones
// are left out.
func (found *evidence) readAround(ctx context.Context, b source) {
	found.lines, found.beyond = map[string]string{}, map[string][]branch{}
	own, all := found.id(), found.branches()
	for i, br := range all[:min(len(all), maxLinkLines)] {
		if br.line != "" && i >= maxBranches {
			continue
		}
		next := readOne(ctx, b, br.id)
		found.lines[br.id] = next.line()
		if i >= maxBranches {
			continue
		}
		for _, twig := range next.branches() {
			if twig.id != own && len(found.beyond[br.id]) < maxTwigs {
				if twig.line == "" {
					far := readOne(ctx, b, twig.id)
					twig.line = far.line()
				}
				found.beyond[br.id] = append(found.beyond[br.id], twig)
			}
		}
	}
}

// copyContent copies the whole text of an entry or a signal.
func copyContent(a *page.App, b *board.Board, id string) tea.Cmd {
	if id == "" {
		return nil
	}
	return a.CopyWhole(id, func(ctx context.Context) (string, error) {
		switch found := readOne(ctx, b, id); {
		case found.entry != nil:
			return found.entry.Entry.Content, nil
		case found.signal != nil:
			return found.signal.Signal.Content, nil
		}
		return "", fmt.Errorf("%s cannot be read", id)
	})
}

// readOne reads an entry or a signal; nil if that fails.
func readOne(ctx context.Context, b source, id string) (found evidence) {
	if page.IsSignal(id) {
		if d, err := b.SignalByID(ctx, id); err == nil {
			found.signal = &d
		}
	} else if d, err := b.Entry(ctx, id); err == nil {
		found.entry = &d
	}
	return found
}

// tree writes the links in both directions, and the links of the linked.
func (p *detailPage) tree(x *cells.Writer) {
	all := p.branches()
	if len(all) == 0 {
		return
	}
	hint := "   tab chooses, enter goes there, esc comes back"
	if p.on != page.Page(p) {
		hint = ""
	}
	x.Heading("Links" + x.Styles.Faint.Render(hint))
	for i, br := range all {
		stem, below := "├ ", "│ "
		if i == len(all)-1 {
			stem, below = "└ ", "  "
		}
		if br.line == "" {
			br.line = cells.OneLine(p.lines[br.id], page.RowRunes)
		}
		x.Link(branchLine(x, stem, br), br.id)
		twigs := p.beyond[br.id]
		for j, twig := range twigs {
			stem := "├ "
			if j == len(twigs)-1 {
				stem = "└ "
			}
			x.Line(branchLine(x, below+stem, twig)) // not selectable: tab skips it
		}
	}
}

// branchCells is the width of the stem and the name of a link.
const branchCells = 22

// branchLine formats a link as a line.
func branchLine(x *cells.Writer, stem string, br branch) string {
	what := cells.Fit(br.what, branchCells-cells.Width(stem))
	id := x.Styles.Key.Render(cells.Fit(br.id, 6))
	return cells.Fit(page.Columns(" "+x.Styles.Faint.Render(stem)+what, id, br.line), x.Width+1)
}

// LineOf returns the first line of an entry or a signal, and whether it exists; past nil:
// as it is now.
func LineOf(ctx context.Context, b *board.Board, past *board.Past, id string) (string, bool) {
	found := readOne(ctx, sourceOf(b, past), id)
	return found.line(), found.id() != ""
}
