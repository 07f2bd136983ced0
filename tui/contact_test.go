package tui

import (
	"strings"
	"testing"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// That the server is away is said as soon as anything asked of it shows that, on every page, and
// of the gate how it was. When it is back nothing says any more that it was away, and all is read
// anew, also what had failed.
func TestServerAway(t *testing.T) {
	h := openAudit(t)
	away := fault.Away.New("the database team on db cannot be used", "start it")
	h.send(page.ContactMsg{Away: away})
	h.wants("connection lost", "gate was closed")
	h.lacks("live event", "● gate", "back in time")
	h.goldens("away")
	h.send(page.NoticeMsg{Err: away})
	h.press("G", "enter")
	h.wants("never expire", "connection lost")
	h.send(page.NoticeMsg{Err: away})
	h.send(page.ContactMsg{Away: nil})
	h.wants("never expire")
	h.lacks("cannot be used", "connection lost")
	h.press("esc", "esc")
	h.send(page.ContactMsg{Away: away})
	h.wants("connection lost", "Runs as last known")
	h.send(page.ContactMsg{Away: nil})
	h.lacks("connection lost", "last known")
}

// Boards in a database: the header names it, and shows neither the user nor the password.
func TestHeaderNamesDatabase(t *testing.T) {
	dir := must(board.UseDatabase("postgres://ada:secret@db.example/team"))
	a := page.NewApp(t.Context(), page.Config{Boards: dir})
	a.Still = true
	m := newModel(a)
	m.w, m.h = 80, 24
	got := m.header()
	if !strings.Contains(got, "database team on db.example") || strings.Contains(got, "ada") || strings.Contains(got, "secret") || cells.Width(got) != 80 {
		t.Errorf("%q", got)
	}
	m.w = 30 // where one is matters more
	if got := m.header(); strings.Contains(got, "db.example") || !strings.Contains(got, "runs") {
		t.Errorf("%q", got)
	}
}
