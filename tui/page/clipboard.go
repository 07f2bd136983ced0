package page

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"blackboard/tui/cells"
)

// CopyText copies to the clipboard of the terminal's user by OSC 52, which works over ssh, too. A
// single write cannot mix with the drawing of the screen.
func (a *App) CopyText(text string) tea.Cmd {
	if text == "" {
		return nil
	}
	return a.Do(func(context.Context) tea.Msg {
		return NoticeMsg{Good: true, Text: text + " copied" + a.copyOut(text)}
	})
}

// copyOut copies a text, and returns what is unsure: the terminal does not tell if it did.
func (a *App) copyOut(text string) (unsure string) {
	if a.Clipboard != nil {
		cmd := a.Clipboard()
		cmd.Stdin = strings.NewReader(text)
		if cmd.Run() == nil {
			return ""
		}
	}
	if a.Out != nil {
		io.WriteString(a.Out, ansi.SetSystemClipboard(text))
	}
	return ", if the terminal lets programs do that"
}

// CopyWhole copies the text that read returns, however long.
func (a *App) CopyWhole(of string, read func(context.Context) (string, error)) tea.Cmd {
	return a.Do(func(ctx context.Context) tea.Msg {
		text, err := read(ctx)
		if err != nil {
			return NoticeMsg{Err: err}
		}
		if text == "" {
			return NoticeMsg{Text: "there is no text to copy"}
		}
		n := cells.Plural(int64(utf8.RuneCountInString(text)), "character")
		said := fmt.Sprintf("the text of %s copied, %s", of, n)
		return NoticeMsg{Good: true, Text: said + a.copyOut(text)}
	})
}
