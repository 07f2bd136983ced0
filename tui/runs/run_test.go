package runs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/testdata/expect"
	"blackboard/testdata/tuitest"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// A database server that is away is said, what was seen stays, and it goes on when it is back.
func TestConnectionLost(t *testing.T) {
	h := openAudit(t)
	p := h.page
	h.do(p.takeScene(scene{}, fault.Away.New("the database team on db cannot be used", "start it")))
	h.wants("connection lost", "never expire")
	h.do(p.age())
	h.lacks("connection lost")
	h.wants("live", "never expire")
}

// A run that is opened while the server is away says what it waits for.
func TestOpenedAway(t *testing.T) {
	h := openAudit(t)
	h.page.known = false
	h.wants("opening audit-7")
	h.lacks("waits for")
	h.app.Away = fault.Away.New("the database team on db cannot be used", "start it")
	h.wants("opening audit-7… It waits for the server", "team on db cannot be used")
}

// A run that cannot be read at first can be read later, and nothing fails meanwhile.
func TestFirstReadingFails(t *testing.T) {
	h := openAudit(t)
	p := h.page
	p.known = false
	h.do(p.takeScene(scene{}, errors.New("the disk is busy")))
	h.wants("the disk is busy")
	h.press("j", "w", "[", "tab", "enter")
	h.do(p.age())
	h.wants("never expire")
}

// What follows the log ends: the page does not say that it is live, and tries again.
func TestNotFollowed(t *testing.T) {
	h := openAudit(t)
	p := h.page
	h.send(page.EventsMsg{From: p, Err: errors.New("the file was removed")})
	h.press("j")
	h.wants("not live: the file was removed")
	h.do(p.reconnect())
	h.lacks("not live")
	h.wants("live", "never expire")
}

// A run whose file was replaced is shown as it is now, once it is there again.
func TestReplacedRun(t *testing.T) {
	h := openAudit(t)
	p := h.page
	h.press("2", "1", "[")
	file := sqlite.RunPath(h.app.Boards, "audit-7")
	expect.OK(t, os.Remove(file))
	h.send(page.EventsMsg{From: p, Err: errors.New("the file was removed")})
	h.do(p.reconnect())
	h.wants("back", "never expire") // nothing is lost meanwhile
	must(h.openRun("audit-7").Post(context.Background(), "w", board.Post{Content: "begun anew"}))
	h.do(p.reconnect())
	h.wants("begun anew", "1 of 1", "live event")
	h.lacks("never expire", "not live")
}

// The preview follows too: its row may have the id that another had before.
func TestPreviewOfReplacedRun(t *testing.T) {
	h := openAudit(t)
	h.page.SetSize(160, 40)
	h.press("g", "G")
	h.do(h.page.CatchUp())
	if h.page.preview.of.id != "e1" {
		t.Fatalf("%s is chosen", h.page.preview.of.id)
	}
	expect.OK(t, os.Remove(sqlite.RunPath(h.app.Boards, "audit-7")))
	must(h.openRun("audit-7").Post(context.Background(), "w", board.Post{Content: "begun anew"}))
	h.do(h.page.reconnect())
	h.do(h.page.CatchUp())
	if shown := ansi.Strip(strings.Join(h.page.preview.doc.View(), "\n")); !strings.Contains(shown, "begun anew") {
		t.Errorf("the preview shows\n%s", shown)
	}
}

// A moment that cannot be read leads back to a present that goes on.
func TestPastFails(t *testing.T) {
	h := openAudit(t)
	p := h.page
	b := h.openRun("audit-7")
	h.press("[")
	h.do(p.takePast(nil, scene{}, errors.New("the log is damaged")))
	h.wants("live", "the log is damaged")
	must(b.Waive(context.Background(), "x", "s2", "covered"))
	h.do(p.Look())
	h.wants("4 questions, 1 open")
}

// Who has gone far down in what a filter found stays there when something happens.
func TestFilterKeepsItsPlace(t *testing.T) {
	h := openRun(t, "long", func(b *board.Board) {
		var posts []board.Post
		for range 1200 {
			posts = append(posts, board.Post{Content: "alike"})
		}
		must(b.PostBatch(context.Background(), "w", posts))
	})
	h.press("/")
	h.typeText("alike")
	h.press("enter")
	f := h.page.feed
	for f.list.Cursor < 900 {
		before := f.list.Cursor
		h.press("pgdown")
		if f.list.Cursor == before {
			t.Fatalf("it ends at %d of %d", before, f.list.Len)
		}
	}
	was := f.chosen()
	h.do(f.refind())
	if now := f.chosen(); now != was {
		t.Errorf("%s was chosen, now %s is", was, now)
	}
}

// Ages go by the clock until the moment of the past is known.
func TestAgesOnTheWay(t *testing.T) {
	h := openAudit(t)
	p := h.page
	p.back.on, p.back.seq = true, 3
	if got := p.moment(); !got.Equal(tuitest.Now) {
		t.Errorf("it is %v", got)
	}
	if s := cells.Since(tuitest.Now.Add(-time.Second), tuitest.Now); s != "just now" {
		t.Errorf("%q", s)
	}
}

// TestFeedPages goes through more entries than are held, and sees each row say what it should.
func TestFeedPages(t *testing.T) {
	const n = 5417
	h := openRun(t, "long", func(b *board.Board) {
		var posts []board.Post
		for i := 1; i <= n; i++ {
			posts = append(posts, board.Post{Content: fmt.Sprintf("finding number %d", i)})
		}
		must(b.PostBatch(context.Background(), "w", posts))
	})
	h.wants(fmt.Sprintf("finding number %d", n), "1 of 5 417")
	f := h.page.feed
	for i := 0; f.list.Cursor < n-1; i++ {
		id := board.EntryID(int64(n - f.list.Cursor))
		if got := f.at(f.list.Cursor); got.id != id || got.text != "finding number "+id[1:] {
			t.Fatalf("row %d is %q %q", f.list.Cursor, got.id, got.text)
		}
		h.press("pgdown")
	}
	if len(f.held.rows) > pageRows {
		t.Errorf("%d entries are held", len(f.held.rows))
	}
	h.press("G")
	h.wants("finding number 1 ")
	h.press("g")
	h.wants(fmt.Sprintf("finding number %d", n))
	h.press("/")
	h.typeText("number 12")
	h.press("enter")
	for range 20 {
		h.press("pgdown")
	}
	h.press("G", "pgup", "G")
	if f.more || f.list.Len != 1+10+100 { // 12, 120 to 129, 1200 to 1299
		t.Errorf("%d entries are found, more %v", f.list.Len, f.more)
	}
}
