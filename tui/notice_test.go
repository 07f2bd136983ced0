package tui

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/tui/cells"
	"blackboard/tui/page"
	"blackboard/tui/runs"
)

// output is a terminal that keeps what is written to it.
func output(h *harness) *bytes.Buffer {
	var b bytes.Buffer
	h.m.app.Out = &b
	return &b
}

// TestTold: a run that changes is told of by the bell, unless the person does not want to be
// told; the title says how it stands.
func TestTold(t *testing.T) {
	for _, c := range []struct {
		mute []string
		want string
	}{
		{nil, "\x1b]2;audit-7 · gate closed: 3 reasons\a\a"},
		{[]string{"bell", "title"}, ""},
		{[]string{"title"}, "\a"},
		{[]string{"critical", "title"}, ""},
		{[]string{"all"}, ""},
	} {
		h := newHarness(t, func(h *harness) { fillAudit(h); h.cfg.Run, h.cfg.Mute = "audit-7", c.mute })
		out := output(h)
		out.Reset()
		must(h.openRun("audit-7").Signal(context.Background(), "reader-1", board.Raise{Content: "Is it on fire?", Priority: "critical"}))
		p := h.m.top().(*runs.Page)
		h.do(p.Look())
		h.do(h.m.pages[0].(*runs.List).Resume())
		if got := out.String(); got != c.want {
			t.Errorf("muted %q: %q is written instead of %q", c.mute, got, c.want)
		}
	}
	if err := page.CheckMutes([]string{"bell", "bells"}); err == nil || !strings.Contains(err.Error(), `"bells" cannot be muted; these can: bell, title`) {
		t.Errorf("%v", err)
	}
}

// TestNewAbove: what comes while somebody looks at older rows is counted, and moves nothing.
func TestNewAbove(t *testing.T) {
	h := newHarness(t, func(h *harness) {
		b := h.openRun("long")
		for i := range 60 {
			must(b.Post(context.Background(), "w", board.Post{Content: fmt.Sprintf("entry number %d", i)}))
		}
		h.cfg.Run = "long"
	})
	b, p := h.openRun("long"), h.m.top().(*runs.Page)
	post := func(n int) {
		for i := range n {
			must(b.Post(context.Background(), "w", board.Post{Content: fmt.Sprintf("later %d", i)}))
		}
		var events []board.Event
		for e, err := range b.Events(context.Background(), p.Place()) {
			events = append(events, must(e, err))
		}
		h.send(page.EventsMsg{From: p, Events: events})
	}
	h.wants("newest first, following")
	h.press("j", "j", "j")
	h.lacks("following")
	row := func() (at int, line string) {
		for y, l := range strings.Split(h.screen(), "\n") {
			if strings.HasPrefix(l, "▌") {
				return y, l
			}
		}
		return -1, ""
	}
	atBefore, lineBefore := row()
	post(12)
	at, line := row()
	if at != atBefore || line[:40] != lineBefore[:40] {
		t.Errorf("the chosen row was\n%s\nin line %d and is\n%s\nin line %d", lineBefore, atBefore, line, at)
	}
	h.wants("12 new above")
	h.lacks("later 3")
	h.press("g")
	h.wants("newest first, following")
	h.wants("later 11")
	h.lacks("new above")
}

// TestDrawnAnew: a screen that has not changed differs from the last one that Bubble Tea has, or
// else it is copied sixty times a second; nobody sees the difference.
func TestDrawnAnew(t *testing.T) {
	d := drawn{model: openAudit(t).m}
	first, last := d.View(), ""
	for range 20 {
		s := d.View()
		if s == last || strings.ReplaceAll(s, cells.Reset, "") != strings.ReplaceAll(first, cells.Reset, "") {
			t.Fatalf("%q after %q", s, last)
		}
		last = s
	}
	d.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("j")})
	if d.View() != d.model.View() {
		t.Error("a screen that has changed is not as it is")
	}
}
