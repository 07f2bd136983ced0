package page

import (
	"github.com/charmbracelet/bubbles/textarea"
	"github.com/charmbracelet/bubbles/textinput"
)

// NewInput returns an input line.
func (a *App) NewInput() textinput.Model {
	in := textinput.New()
	in.PlaceholderStyle = a.Styles.Faint
	return in
}

// newArea returns an input field of several lines.
func (a *App) newArea() textarea.Model {
	area := textarea.New()
	for _, style := range []*textarea.Style{&area.FocusedStyle, &area.BlurredStyle} {
		*style = textarea.Style{Placeholder: a.Styles.Faint}
	}
	return area
}
