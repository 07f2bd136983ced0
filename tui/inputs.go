package tui

import (
	"github.com/charmbracelet/bubbles/textarea"
	"github.com/charmbracelet/bubbles/textinput"
)

// newInput returns an input line.
func (a *app) newInput() textinput.Model {
	in := textinput.New()
	in.PlaceholderStyle = a.st.Faint
	return in
}

// newArea returns an input field of several lines.
func (a *app) newArea() textarea.Model {
	area := textarea.New()
	for _, style := range []*textarea.Style{&area.FocusedStyle, &area.BlurredStyle} {
		*style = textarea.Style{Placeholder: a.st.Faint}
	}
	return area
}
