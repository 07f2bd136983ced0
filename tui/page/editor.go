package page

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	tea "github.com/charmbracelet/bubbletea"
)

// Messages about the editor.
type (
	// EditorMsg gives the screen to an editor.
	EditorMsg struct {
		Cmd  *exec.Cmd
		Done func(error) tea.Msg
	}
	// ScreenBackMsg: the editor has returned the screen; it has the message to handle.
	ScreenBackMsg struct{ Then tea.Msg }
)

// EditFile opens a file in the editor, which has the screen meanwhile, at a line above 0.
func (a *App) EditFile(path string, line int) tea.Cmd {
	cmd, err := a.editor(path, line)
	if err != nil {
		return NoticeError(err)
	}
	return func() tea.Msg {
		return EditorMsg{cmd, func(err error) tea.Msg { return ScreenBackMsg{NoticeMsg{Err: editorError(err)}} }}
	}
}

// EditText opens a text in the editor and passes the result to done. With an error,
// nothing may be saved, and the message names the file that has the text. Only this user
// can read the temporary file. It is deleted, unless an editor failed after writing it.
func (a *App) EditText(to Page, text, suffix string, done func(text string, err error) tea.Cmd) tea.Cmd {
	return a.Do(func(context.Context) tea.Msg {
		path, err := writeTemporary(text, suffix)
		if err != nil {
			return NoticeMsg{Err: err}
		}
		cmd, err := a.editor(path, 0)
		if err != nil {
			os.Remove(path)
			return NoticeMsg{Err: err}
		}
		return EditorMsg{cmd, func(err error) tea.Msg {
			data, readErr := os.ReadFile(path)
			if err = editorError(err); err == nil {
				err = readErr
			}
			if err != nil && readErr == nil && string(data) != text {
				err = fmt.Errorf("%w; nothing is saved, and what was written is in %s", err, path)
			} else {
				os.Remove(path)
			}
			return ScreenBackMsg{Answer{To: to, Take: func() tea.Cmd { return done(string(data), err) }}}
		}}
	})
}

// writeTemporary writes a text to a new file that only this user can read.
func writeTemporary(text, suffix string) (string, error) {
	f, err := os.CreateTemp("", "board-*"+suffix) // mode 0600
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// editorError explains the failure of an editor.
func editorError(err error) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() == 127: // the shell's code for it
		return errors.New("the editor was not found · set $VISUAL or $EDITOR to one that is installed")
	default:
		return fmt.Errorf("the editor ended with an error, and nothing is changed: %w", err)
	}
}

func (a *App) editor(path string, line int) (*exec.Cmd, error) {
	if a.Config.Editor == nil {
		return nil, errors.New("no editor is known · set $VISUAL or $EDITOR to one")
	}
	return a.Config.Editor(path, line)
}

// Additional terminal modes. Without line wrapping, a line drawn wider than expected, as some
// emoji and scripts are, is cut and does not shift those below.
const (
	noWrap = "\x1b[?7l"
	doWrap = "\x1b[?7h"
)

// RestoreTerminal turns on line wrapping and restores the title, for another program or the end.
func (a *App) RestoreTerminal() {
	if a.Out != nil {
		io.WriteString(a.Out, doWrap+a.ofTitle(backTitle))
	}
}

func (a *App) SetupTerminal() {
	if a.Out != nil {
		io.WriteString(a.Out, noWrap+a.ofTitle(keepTitle))
	}
}
