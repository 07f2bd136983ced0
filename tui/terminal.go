package tui

import (
	"io"
	"os"

	"github.com/charmbracelet/lipgloss"

	_ "blackboard/tui/dark" // before Bubble Tea asks the terminal
)

// NewRenderer returns what knows the colours of a terminal. It asks the terminal now whether its background is dark, so that nobody has to while the program has it, and waits up to
// five seconds for an answer; one that says nothing is taken for what $COLORFGBG says, else for dark. Without colours it asks nothing.
func NewRenderer(terminal *os.File, colours bool) *lipgloss.Renderer {
	if !colours {
		return lipgloss.NewRenderer(io.Discard)
	}
	r := lipgloss.NewRenderer(terminal)
	r.ColorProfile()
	r.HasDarkBackground()
	return r
}
