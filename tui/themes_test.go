package tui

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/lipgloss"

	"blackboard/board"
	"blackboard/testdata/cost"
)

// onTerminalOf is a renderer for a terminal with a profile of colours and a background.
func onTerminalOf(profile string, dark bool) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(io.Discard)
	switch profile {
	case "256":
		r.SetColorProfile(1)
	case "16":
		r.SetColorProfile(2)
	}
	r.SetHasDarkBackground(dark)
	return r
}

// colourCode is a look that has a colour.
var colourCode = regexp.MustCompile(`\x1b\[(?:[\d;]*;)?(?:[34][0-8]|9[0-7]|10[0-7])(?:;[\d;]*)?m`)

// themeCases are the themes, each on a terminal that it is for.
var themeCases = []struct {
	name, theme, profile string
	dark                 bool
}{
	{"dark", "auto", "256", true}, {"light", "auto", "256", false}, {"dusk", "dusk", "256", true},
	{"paper", "paper", "256", false}, {"contrast-dark", "contrast", "256", true},
	{"contrast-light", "contrast", "256", false}, {"sixteen", "dark", "16", true}, {"mono", "mono", "16", true},
}

// looks holds the screen with its looks against testdata/NAME.ansi.
func (h *harness) looks(name string) {
	h.t.Helper()
	view, file := h.m.View(), filepath.Join("testdata", name+".ansi")
	if updating() {
		if err := os.WriteFile(file, []byte(view+"\n"), 0o644); err != nil {
			h.t.Fatal(err)
		}
	} else if want := string(must(os.ReadFile(file))); view+"\n" != want {
		h.t.Errorf("%s differs; the screen is\n%s\nand was\n%s", file, view, want)
	}
}

// TestThemesOfBoxes is TestThemes for the search, what is found in the memory, and a picker.
func TestThemesOfBoxes(t *testing.T) {
	cost.SkipUnlessLong(t)
	cost.SkipTable(t)
	play := func(h *harness, look func(name string)) {
		h.press("K")
		h.typeText("read-only pane")
		h.press("ctrl+t")
		look("search")
		h.press("esc", "esc", "M", "j", "A")
		look("picker")
	}
	fill := func(h *harness) {
		fillCapsules(h)
		fillMemory(h)
	}
	said := map[string]string{}
	plain := newHarness(t, fill)
	play(plain, func(name string) {
		if said[name] = plain.screen(); plain.m.View() != said[name] && strings.Contains(plain.m.View(), "\x1b[3") {
			t.Errorf("%s has colours without any", name)
		}
	})
	for _, c := range themeCases {
		h := newHarness(t, func(h *harness) {
			fill(h)
			h.cfg.Theme, h.cfg.Renderer = c.theme, onTerminalOf(c.profile, c.dark)
		})
		play(h, func(name string) {
			if h.screen() != said[name] {
				t.Errorf("%s: %s says something else than without colours:\n%s", c.name, name, h.screen())
			}
			h.looks("theme-" + c.name + "-" + name)
		})
	}
}

// TestThemes holds one screen in each theme against its golden, with its looks. What is said is
// the same in all of them; the chosen row can be seen, and has colours of its own where it is
// not reversed.
func TestThemes(t *testing.T) {
	plain := openAudit(t)
	plain.press("2")
	for _, c := range themeCases {
		t.Run(c.name, func(t *testing.T) {
			h := newHarness(t, func(h *harness) {
				fillAudit(h)
				h.cfg.Run, h.cfg.Theme, h.cfg.Renderer = "audit-7", c.theme, onTerminalOf(c.profile, c.dark)
			})
			h.press("2")
			if h.screen() != plain.screen() {
				t.Errorf("it says something else than without colours:\n%s", h.screen())
			}
			view := h.m.View()
			h.looks("theme-" + c.name)
			row := ""
			for _, l := range strings.Split(view, "\n") {
				if strings.Contains(l, "▌") {
					row = l
				}
			}
			ground := regexp.MustCompile(`^\x1b\[(1;7|1;7;.*|1;.*48;5;\d+)m▌`)
			if !ground.MatchString(row) {
				t.Errorf("the chosen row cannot be seen: %q", row)
			}
			colours := map[string]bool{}
			for _, code := range colourCode.FindAllString(row, -1) {
				colours[code] = true
			}
			if coloured := strings.Contains("dark light dusk paper", c.name); coloured != (len(colours) > 1) || !coloured && len(colours) > 0 {
				t.Errorf("the chosen row has the colours %v: %q", colours, row)
			}
			if c.name == "mono" && colourCode.MatchString(view) {
				t.Errorf("a colour: %q", colourCode.FindString(view))
			}
		})
	}
}

// troubled is text of all kinds that terminals have trouble with.
const troubled = "日本語 👩‍👩‍👧‍👦 e\u0301 🇩🇪 ❤️ 👍🏽 한국어 ﷽"

// fillTroubled makes a run, a capsule and memories of what terminals have trouble with.
func fillTroubled(h *harness) {
	ctx := context.Background()
	b := must(board.Create(ctx, h.cfg.Boards, "wide", "Goal: "+troubled, "ada", nil))
	defer b.Close()
	b.SetNow(h.now)
	must(b.Set(ctx, "ada", "phase", []byte(`1`), board.AnyVersion)) // what ada did last has the time of the test
	for i := range 3 {
		worker := fmt.Sprintf("読者%d é👩‍🚀", i)
		e := must(b.Post(ctx, worker, board.Post{Content: troubled + fmt.Sprint(" entry ", i), Evidence: troubled, SourceDoc: troubled + ".go", Tags: []string{"タグ🇩🇪"}})).Entry.ID
		must(b.Signal(ctx, worker, board.Raise{Content: "Why? " + troubled, Priority: board.Priorities[i], Origin: e}))
	}
	must(b.Claim(ctx, "主張者👍🏽", "s1", time.Hour))
	h.capsuleFile("kwid000001", "title: Title "+troubled+"\nkind: fact\nscope: universal\nsource: "+troubled+"\ndomain_tags: [タグ❤️]",
		"Body "+troubled+"\n\n| 名前 | "+troubled+" |\n|---|---|\n| é👩‍👩‍👧 | x |\n")
	h.openKB() // makes the database
}

// TestTroubledText: in every pane a line is as wide to each terminal as we take it for. The
// harness looks at every screen.
func TestTroubledText(t *testing.T) {
	h := newHarness(t, fillTroubled)
	h.goldens("wide-runs")
	h.press("enter")
	h.goldens("wide-run")
	h.press("2")
	h.goldens("wide-questions")
	h.press("3")
	h.goldens("wide-workers")
	h.press("4")
	h.goldens("wide-preview")
	h.press("1", "enter")
	h.goldens("wide-entry")
	h.press("esc", "2", "enter")
	h.goldens("wide-signal")
	h.press("w")
	h.goldens("wide-form")
	h.press("esc", "K")
	h.typeText("title")
	h.goldens("wide-search")
	h.press("enter")
	h.goldens("wide-capsule")
}
