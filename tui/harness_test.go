package tui

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/hooks/ops"
	"blackboard/kb"
	"blackboard/kb/learn"
	"blackboard/kb/memory"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/tuitest"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// updating says that golden files are to be written: teatest has the flag -update.
func updating() bool { return flag.Lookup("update").Value.String() == "true" }

// testNow is when every test happens.
var testNow = tuitest.Now

// harness is the program without a terminal: keys go in, screens come out. Commands are carried
// out at once, one after the other; nothing blinks, is followed or asked again by the clock.
type harness struct {
	t    *testing.T
	home string // the data home
	cfg  page.Config
	m    *model
	quit bool

	catches bool // an editor is to be started, and not by the program
	caught  *page.EditorMsg
}

// inWords say a step by the names that the domain has for it.
func inWords(s fault.Step) string {
	said := strings.NewReplacer("run.list", "runs", "run.create", "new", ".", " ").Replace(s.Op)
	for _, name := range s.Names() {
		said += strings.TrimRight(" --"+name+" "+s.Args[name], " ")
	}
	if s.Op == "" {
		return said[1:]
	}
	return "`board " + said + "`"
}

// Tests of which only some are of use: those in which the screen and its commands run at the same
// time, with the race detector, which takes ten times as long for the others and finds nothing;
// and a few of each page, with -short.
var (
	raced = []string{"TestOtherProcess", "TestSearchToCapsule", "TestWaivesTheGateOpen",
		"TestLeavesTheTerminalClean"}
	short = append(raced, "TestRuns", "TestRunPanes", "TestFeedFilter", "TestReplay", "TestWaive",
		"TestCheck", "TestSurvival", "TestMemoryTabs", "TestMemoryRemember", "TestCapsuleEdit",
		"TestSearchKeys", "TestJump", "TestChanges", "TestSizes", "TestHostile")
)

// newHarness starts the program on a data home that fill has filled.
func newHarness(t *testing.T, fill func(h *harness)) *harness {
	t.Helper()
	if cost.Race && !slices.Contains(raced, t.Name()) {
		t.Skip("one thing after the other: run it without -race")
	}
	if testing.Short() && !slices.Contains(short, t.Name()) {
		t.Skip("run it without -short")
	}
	h := &harness{t: t, home: t.TempDir()}
	h.cfg = page.Config{
		Boards: filepath.Join(h.home, "boards"), Worker: "ada", Workspace: filepath.Join(h.home, "project"), Files: filepath.Join(h.home, "project"),
		Search: searchOwn{h},
		Knowledge: func(ctx context.Context, create bool) (*kb.KB, error) {
			if create {
				return kb.Open(ctx, h.home, kb.Options{Actor: "ada", Now: h.now})
			}
			return kb.OpenExisting(ctx, h.home, kb.Options{Actor: "ada", Now: h.now})
		},
		Memory: func(_ context.Context, agent string) (*memory.Store, error) { return h.openMemory(agent), nil },
		Promoted: func(run string, e *board.Entry) kb.Capsule {
			return kb.Capsule{Kind: "fact", Title: learn.TitleOf(e.Content), Body: e.Content, Source: run + ", " + e.ID,
				Refs: []string{"run:" + run, "entry:" + e.ID}}
		},
		Form: ops.Form, Words: inWords, Now: h.now,
	}
	for _, c := range themeCases {
		if c.name == looksTheme {
			h.cfg.Theme, h.cfg.Renderer = c.theme, onTerminalOf(c.profile, c.dark)
		}
	}
	expect.OK(t, os.MkdirAll(h.cfg.Files, 0o700))
	if fill != nil {
		fill(h)
	}
	h.start()
	return h
}

// start starts the program anew, at 80 × 24.
func (h *harness) start() {
	ctx, stop := context.WithCancel(context.Background())
	a := page.NewApp(ctx, h.cfg)
	a.Still = true
	h.m = newModel(a)
	h.t.Cleanup(func() { stop(); h.m.close(); a.Close() })
	h.size(80, 24)
	h.do(h.m.Init())
}

func (h *harness) now() time.Time { return testNow }

// openRun opens the board of a run that is made by the first write.
func (h *harness) openRun(run string) *board.Board {
	h.t.Helper()
	b, err := board.OpenOrCreate(context.Background(), h.cfg.Boards, run)
	if err != nil {
		h.t.Fatal(err)
	}
	b.SetNow(h.now)
	h.t.Cleanup(func() { b.Close() })
	return b
}

// openKB opens the knowledge base to write.
func (h *harness) openKB() *kb.KB {
	h.t.Helper()
	k, err := kb.Open(context.Background(), h.home, kb.Options{Actor: "ada", Now: h.now})
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { k.Close() })
	return k
}

// openMemory opens the memory as an agent sees it; "" is the person.
func (h *harness) openMemory(agent string) *memory.Store {
	h.t.Helper()
	s, err := memory.Open(h.home, memory.Options{Workspace: h.cfg.Workspace, Agent: agent, Now: h.now})
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

type searchOwn struct{ h *harness }

func (s searchOwn) Search(ctx context.Context, q kb.Query) (kb.Result, error) {
	k, err := s.h.m.app.KB(ctx)
	if err != nil {
		return kb.Result{}, err
	}
	return k.Search(ctx, q)
}

// do carries a command out, and what follows from it.
func (h *harness) do(cmd tea.Cmd) {
	h.t.Helper()
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.QuitMsg:
		h.quit = true
	case page.EditorMsg:
		if h.catches {
			h.caught = &msg
			return
		}
		h.send(msg)
	case tea.BatchMsg:
		for _, c := range msg {
			h.do(c)
		}
	default:
		h.send(msg)
	}
}

func (h *harness) send(msg tea.Msg) {
	h.t.Helper()
	_, cmd := h.m.Update(msg)
	h.check()
	h.do(cmd)
}

func (h *harness) size(w, ht int) { h.t.Helper(); h.send(tea.WindowSizeMsg{Width: w, Height: ht}) }

// keyTypes are the keys that are not characters.
var keyTypes = map[string]tea.KeyType{
	"enter": tea.KeyEnter, "esc": tea.KeyEsc, "tab": tea.KeyTab, "shift+tab": tea.KeyShiftTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "home": tea.KeyHome, "end": tea.KeyEnd, "backspace": tea.KeyBackspace,
	"ctrl+c": tea.KeyCtrlC, "ctrl+s": tea.KeyCtrlS, "ctrl+o": tea.KeyCtrlO, "ctrl+l": tea.KeyCtrlL, "ctrl+r": tea.KeyCtrlR, "ctrl+u": tea.KeyCtrlU, "ctrl+d": tea.KeyCtrlD, "ctrl+t": tea.KeyCtrlT,
}

// press presses keys, one after the other.
func (h *harness) press(keys ...string) {
	h.t.Helper()
	for _, k := range keys {
		if rest, alt := strings.CutPrefix(k, "alt+"); alt {
			h.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(rest), Alt: true})
		} else if k == "space" {
			h.send(tea.KeyMsg{Type: tea.KeySpace, Runes: []rune{' '}})
		} else if kind, special := keyTypes[k]; special {
			h.send(tea.KeyMsg{Type: kind})
		} else if r := []rune(k); len(r) == 1 {
			h.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: r})
		} else {
			h.t.Fatalf("there is no key %q", k)
		}
	}
}

// startEditor presses the key that gives a text to the editor. It returns the file, which the test
// changes as an editor would, and the end of the editor: the harness has no terminal to give to
// one.
func (h *harness) startEditor(key string) (path string, end func(error)) {
	h.t.Helper()
	h.m.app.Editor = func(path string, _ int) (*exec.Cmd, error) { return exec.Command("true", path), nil }
	h.catches, h.caught = true, nil
	h.press(key)
	h.catches = false
	if h.caught == nil {
		h.t.Fatalf("%s starts no editor:\n%s", key, h.screen())
	}
	e := h.caught
	return e.Cmd.Args[1], func(err error) { h.send(e.Done(err)) }
}

// typeText types characters.
func (h *harness) typeText(s string) {
	h.t.Helper()
	for _, r := range s {
		if r == ' ' {
			h.press("space")
			continue
		}
		h.press(string(r))
	}
}

// chosenRow returns the line with the cursor; "" if there is none.
func (h *harness) chosenRow() string {
	for l := range strings.SplitSeq(h.screen(), "\n") {
		if strings.Contains(l, "▌") {
			return l
		}
	}
	return ""
}

// screen is what is seen, without colours.
func (h *harness) screen() string { return ansi.Strip(h.m.View()) }

// check sees that the screen is as large as it should be.
func (h *harness) check() {
	h.t.Helper()
	if h.m.w == 0 {
		return
	}
	lines := strings.Split(h.m.View(), "\n")
	if len(lines) != h.m.h {
		h.t.Fatalf("the screen has %d lines instead of %d:\n%s", len(lines), h.m.h, h.screen())
	}
	for i, l := range lines {
		if n := cells.Width(l); n != h.m.w {
			h.t.Fatalf("line %d has %d cells instead of %d: %q\n%s", i, n, h.m.w, l, h.screen())
		}
		if !widthsAgree(l) {
			h.t.Fatalf("terminals differ about how wide line %d is: %q\n%s", i, l, h.screen())
		}
	}
}

// widthsAgree reports whether terminals agree about how wide a line is.
func widthsAgree(line string) bool { return ansi.StringWidthWc(line) == ansi.StringWidth(line) }

// wants fails unless the screen has all texts.
func (h *harness) wants(texts ...string) {
	h.t.Helper()
	for _, s := range texts {
		if !strings.Contains(h.screen(), s) {
			h.t.Errorf("%q is not on the screen:\n%s", s, h.screen())
		}
	}
}

// lacks fails if the screen has one of the texts.
func (h *harness) lacks(texts ...string) {
	h.t.Helper()
	for _, s := range texts {
		if strings.Contains(h.screen(), s) {
			h.t.Errorf("%q is on the screen:\n%s", s, h.screen())
		}
	}
}

// golden holds the screen against testdata/NAME@WxH.txt.
func (h *harness) golden(name string) {
	h.t.Helper()
	if looksTheme != "" {
		h.look(name)
		return
	}
	file := filepath.Join("testdata", fmt.Sprintf("%s@%dx%d.txt", name, h.m.w, h.m.h))
	got := strings.ReplaceAll(h.screen(), h.home, "HOME") + "\n"
	if updating() {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			h.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			h.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		h.t.Fatalf("%v; go test ./tui -run %s -update writes it", err, h.t.Name())
	}
	if got != string(want) {
		h.t.Errorf("%s differs; the screen is\n%s\nand was\n%s", file, got, want)
	}
}

// goldens is golden in the sizes that every screen is made for.
func (h *harness) goldens(name string) {
	h.t.Helper()
	for _, s := range [][2]int{{60, 18}, {80, 24}, {120, 36}, {220, 60}, {160, 50}} {
		h.size(s[0], s[1])
		h.golden(name)
	}
}

// brightApp is an app with all colours.
func brightApp() *page.App {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(0) // all colours
	return page.NewApp(context.Background(), page.Config{Renderer: r})
}

// must gives a value, or ends the test.
func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("%v (%v)", err, reflect.TypeOf(err)))
	}
	return v
}
