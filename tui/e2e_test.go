package tui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/teatest"

	"blackboard/board"
	"blackboard/kb"
	"blackboard/testdata/wait"
	"blackboard/tui/page"
)

// begin runs the real program in a terminal of its own, following what happens.
func begin(t *testing.T, fill func(h *harness)) (*harness, *teatest.TestModel) {
	t.Helper()
	h := newHarness(t, fill)
	h.cfg.Now = nil
	ctx, stop := context.WithCancel(context.Background())
	a := page.NewApp(ctx, h.cfg)
	h.m = newModel(a)
	tm := teatest.NewTestModel(t, h.m, teatest.WithInitialTermSize(120, 40))
	t.Cleanup(func() { stop(); h.m.close(); a.Close() })
	return h, tm
}

// shows waits until the screen has shown a text.
func shows(t *testing.T, out io.Reader, text string) {
	t.Helper()
	teatest.WaitFor(t, out, func(b []byte) bool { return strings.Contains(ansi.Strip(string(b)), text) }, teatest.WithDuration(wait.Limit(t)), teatest.WithCheckInterval(5*time.Millisecond))
}

func typeKeys(tm *teatest.TestModel, keys ...string) {
	for _, k := range keys {
		if kind, special := keyTypes[k]; special {
			tm.Send(tea.KeyMsg{Type: kind})
		} else {
			tm.Type(k)
		}
	}
}

// TestOtherProcess sees an entry that another process posts.
func TestOtherProcess(t *testing.T) {
	if home := os.Getenv("BOARD_TEST_POST"); home != "" { // the other process
		b := must(board.Open(context.Background(), home, "audit-7"))
		defer b.Close()
		must(b.Post(context.Background(), "elsewhere", board.Post{Content: "posted by another process"}))
		return
	}
	h, tm := begin(t, func(h *harness) { fillAudit(h); h.cfg.Run = "audit-7" })
	shows(t, tm.Output(), "never expire")
	cmd := exec.Command(os.Args[0], "-test.run", "^TestOtherProcess$")
	cmd.Env = append(os.Environ(), "BOARD_TEST_POST="+h.cfg.Boards)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	shows(t, tm.Output(), "posted by another process")
	typeKeys(tm, "ctrl+c")
	tm.WaitFinished(t, teatest.WithFinalTimeout(wait.Limit(t)))
}

// TestSearchToCapsule searches with K and opens what is found.
func TestSearchToCapsule(t *testing.T) {
	_, tm := begin(t, func(h *harness) {
		fillAudit(h)
		must(h.openKB().Remember(context.Background(), kb.Capsule{Kind: "gotcha", Scope: "universal", Title: "Tokens outlive their users", Body: "# Why\n\nThe **parser** ignores `exp`.", Source: "audit-7"}, kb.RememberOptions{}))
	})
	shows(t, tm.Output(), "audit-7")
	typeKeys(tm, "K", "parser")      // the answer comes as one types
	shows(t, tm.Output(), "1 found") // the capsule is listed without a question, too
	typeKeys(tm, "enter")
	shows(t, tm.Output(), "revision 1") // which only the capsule's page says
	typeKeys(tm, "ctrl+c")
	tm.WaitFinished(t, teatest.WithFinalTimeout(wait.Limit(t)))
}

// TestWaivesTheGateOpen waives what blocks, and sees the light change, here and in the log.
func TestWaivesTheGateOpen(t *testing.T) {
	h, tm := begin(t, func(h *harness) { fillAudit(h); h.cfg.Run = "audit-7" })
	shows(t, tm.Output(), "gate closed: 2")
	typeKeys(tm, "2", "w")
	shows(t, tm.Output(), "Waive s2")
	typeKeys(tm, "the proxy does", "enter")
	shows(t, tm.Output(), "gate closed: 1")
	typeKeys(tm, "w")
	shows(t, tm.Output(), "Waive s3")
	typeKeys(tm, "no staging", "enter")
	shows(t, tm.Output(), "gate open")
	typeKeys(tm, "ctrl+c")
	tm.WaitFinished(t, teatest.WithFinalTimeout(wait.Limit(t)))
	b := h.openRun("audit-7")
	if e := last(t, b); e.Verb != "waive" || e.Actor != "ada" {
		t.Errorf("the log ends with %+v", e)
	}
}

// panicPage fails when a key is pressed.
type panicPage struct{ *page.Chooser }

func (panicPage) Update(msg tea.Msg) tea.Cmd {
	if _, ok := msg.(tea.KeyMsg); ok {
		panic("on purpose")
	}
	return nil
}

// TestLeavesTheTerminalClean ends the program in each way that there is, and sees that it takes
// back what it asked of the terminal.
func TestLeavesTheTerminalClean(t *testing.T) {
	for name, end := range map[string]func(in io.Writer, stop func()){
		"a key":     func(in io.Writer, _ func()) { io.WriteString(in, "\x03") },
		"a signal":  func(_ io.Writer, stop func()) { stop() },
		"its death": func(in io.Writer, _ func()) { io.WriteString(in, "!") },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(context.Background())
			defer stop()
			in, keys := io.Pipe()
			var out syncBuffer
			done := make(chan error, 1)
			a := page.NewApp(ctx, page.Config{Boards: t.TempDir(), Worker: "ada"})
			m := newModel(a)
			m.w, m.h = 80, 24
			m.overs = []page.Page{panicPage{page.NewChooser(a, "Keys", "", nil)}}
			m.resize()
			go func() { done <- runProgram(ctx, in, &out, m) }()
			wait.For(t, func() bool { return strings.Contains(out.String(), "Keys") }, func() string { return fmt.Sprintf("nothing is drawn: %q", out.String()) })
			end(keys, stop)
			select {
			case <-done:
			case <-time.After(wait.Limit(t)):
				t.Fatal("it does not end")
			}
			keys.Close()
			for on, off := range map[string]string{"\x1b[?1049h": "\x1b[?1049l", "\x1b[?25l": "\x1b[?25h", "\x1b[?2004h": "\x1b[?2004l"} {
				if i, j := strings.LastIndex(out.String(), on), strings.LastIndex(out.String(), off); i < 0 || j < i {
					t.Errorf("%q is at %d, %q at %d", on, i, off, j)
				}
			}
		})
	}
}

// syncBuffer is a buffer that may be read while it is written.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
