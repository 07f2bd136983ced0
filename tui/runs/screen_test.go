package runs

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"blackboard/board"
	"blackboard/testdata/tuitest"
	"blackboard/tui/page"
)

// screen is a page of a run without a program around it: keys go in, and its lines come out.
type screen struct {
	t    *testing.T
	app  *page.App
	page *Page
	said string // the last notice
}

// openRun opens the page of a run that fill writes.
func openRun(t *testing.T, name string, fill func(b *board.Board)) *screen {
	t.Helper()
	dir := t.TempDir()
	a := page.NewApp(t.Context(), page.Config{Boards: filepath.Join(dir, "boards"), Worker: "ada",
		Files: dir, Now: func() time.Time { return tuitest.Now }})
	a.Still = true
	h := &screen{t: t, app: a, page: New(a, name)}
	fill(h.openRun(name))
	t.Cleanup(h.page.Close)
	h.page.SetSize(80, 21)
	h.do(h.page.Init())
	return h
}

func openAudit(t *testing.T) *screen {
	t.Helper()
	return openRun(t, "audit-7", func(b *board.Board) { tuitest.FillAudit(t, b) })
}

// openRun opens the board of a run that is made by the first write.
func (h *screen) openRun(name string) *board.Board {
	h.t.Helper()
	b := must(board.OpenOrCreate(context.Background(), h.app.Boards, name))
	b.SetNow(func() time.Time { return tuitest.Now })
	h.t.Cleanup(func() { b.Close() })
	return b
}

func (h *screen) do(cmd tea.Cmd) {
	h.t.Helper()
	tuitest.Do(h.t, cmd, func(msg tea.Msg) tea.Cmd {
		if notice, ok := msg.(page.NoticeMsg); ok {
			h.said = notice.Text
			if notice.Err != nil {
				h.said = notice.Err.Error()
			}
			return nil
		}
		return h.page.Update(msg)
	})
	if next := h.page.CatchUp(); next != nil {
		h.do(next)
	}
}

func (h *screen) send(msg tea.Msg) {
	h.t.Helper()
	h.do(h.page.Update(msg))
}

// press presses keys, one after the other.
func (h *screen) press(all ...string) {
	h.t.Helper()
	special := map[string]tea.KeyType{"enter": tea.KeyEnter, "tab": tea.KeyTab, "pgdown": tea.KeyPgDown, "pgup": tea.KeyPgUp}
	for _, k := range all {
		msg := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
		if kind, ok := special[k]; ok {
			msg = tea.KeyMsg{Type: kind}
		}
		h.send(msg)
	}
}

// typeText types characters.
func (h *screen) typeText(s string) {
	h.t.Helper()
	for _, r := range s {
		h.press(string(r))
	}
}

// screen is what is seen, without colours.
func (h *screen) screen() string {
	return ansi.Strip(strings.Join(h.page.View(), "\n")) + "\n" + h.said
}

func (h *screen) wants(texts ...string) {
	h.t.Helper()
	for _, s := range texts {
		if !strings.Contains(h.screen(), s) {
			h.t.Errorf("%q is not on the screen:\n%s", s, h.screen())
		}
	}
}

func (h *screen) lacks(texts ...string) {
	h.t.Helper()
	for _, s := range texts {
		if strings.Contains(h.screen(), s) {
			h.t.Errorf("%q is on the screen:\n%s", s, h.screen())
		}
	}
}

// must gives a value, or ends the test.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
