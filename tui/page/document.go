package page

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
)

// Document is a text to scroll through, with lines that are links.
type Document struct {
	App   *App
	Lines []cells.Line
	Links []int // the lines that are links
	Top   int
	At    int // the index of the chosen one in Links; -1 without links
	w, h  int
}

func (d *Document) SetLines(lines []cells.Line) {
	d.Lines, d.Links = lines, nil
	for i, l := range lines {
		if l.To != "" {
			d.Links = append(d.Links, i)
		}
	}
	d.At = min(max(d.At, 0), len(d.Links)-1)
	d.Scroll(0)
}

// SetText replaces the text by one without links.
func (d *Document) SetText(lines ...string) {
	var x cells.Writer
	x.Line(lines...)
	d.SetLines(x.Lines)
}

func (d *Document) SetSize(w, h int) {
	d.w, d.h = w, h
	d.Scroll(0)
}

func (d *Document) Chosen() string {
	if d.At < 0 || d.At >= len(d.Links) {
		return ""
	}
	return d.Lines[d.Links[d.At]].To
}

func (d *Document) Scroll(lines int) {
	d.Top = min(max(d.Top+lines, 0), max(len(d.Lines)-d.h, 0))
}

// choose moves to the next or previous link and scrolls to it.
func (d *Document) choose(step int) {
	n := len(d.Links)
	if n == 0 {
		return
	}
	d.At = (d.At + step + n) % n
	i := d.Links[d.At]
	if i < d.Top {
		d.Scroll(i - d.Top)
	} else if i >= d.Top+d.h {
		d.Scroll(i - d.Top - d.h + 1)
	}
}

func (d *Document) Update(msg tea.KeyMsg) {
	lines, scrolls := StepsOf(msg, d.h, len(d.Lines))
	switch {
	case scrolls:
		d.Scroll(lines)
	case key.Matches(msg, KeyNext):
		d.choose(1)
	case key.Matches(msg, KeyPrevious):
		d.choose(-1)
	}
}

// View returns exactly h lines of w cells.
func (d *Document) View() []string {
	lines := make([]string, 0, d.h)
	here := -1
	if d.At >= 0 && d.At < len(d.Links) {
		here = d.Links[d.At]
	}
	for i := d.Top; i < min(len(d.Lines), d.Top+d.h); i++ {
		text := d.Lines[i].Text
		if i == here {
			lines = append(lines, d.App.Styles.ChosenRow("▌"+cells.Fit(text, d.w-1)))
		} else {
			lines = append(lines, " "+text)
		}
	}
	return cells.Fill(lines, d.w, d.h)
}

// More tells how much of the text is below the visible part, if any.
func (d *Document) More() string {
	below := len(d.Lines) - d.Top - d.h
	if below <= 0 {
		return ""
	}
	return cells.Plural(int64(below), "line") + " below"
}
