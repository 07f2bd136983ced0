package tui

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"blackboard/testdata/cost"
)

// looksTheme is the theme that a process of TestLooks draws all screens in; "" elsewhere.
var looksTheme = os.Getenv("BOARD_TEST_THEME")

// looks are the digests of the screens of this process, by golden.
var looks = struct {
	sync.Mutex
	of map[string]string
}{of: map[string]string{}}

func looksFile(theme string) string { return filepath.Join("testdata", "looks-"+theme+".txt") }

// TestMain writes the digests of a process of TestLooks that was asked to.
func TestMain(m *testing.M) {
	code := cost.Main(m)
	if looksTheme != "" && updating() && code == 0 {
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(looks.of)) {
			fmt.Fprintf(&b, "%s %s\n", name, looks.of[name])
		}
		if err := os.WriteFile(looksFile(looksTheme), []byte(b.String()), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// look holds a screen, with its colours, against the digest of its theme.
func (h *harness) look(name string) {
	h.t.Helper()
	name = fmt.Sprintf("%s@%dx%d", name, h.m.w, h.m.h)
	view := strings.ReplaceAll(h.m.View(), h.home, "HOME")
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(view)))[:16]
	looks.Lock()
	defer looks.Unlock()
	looks.of[name] = sum
	if updating() {
		return
	}
	want := string(must(os.ReadFile(looksFile(looksTheme))))
	if !strings.Contains("\n"+want, "\n"+name+" "+sum+"\n") {
		h.t.Errorf("%s looks different in the theme %s; go test ./tui -run TestLooks -update takes it. The screen is\n%s", name, looksTheme, view)
	}
}

// TestLooks draws every golden screen again in four themes, with their colours.
// What holds a screen without colours is left out.
func TestLooks(t *testing.T) {
	if !updating() {
		cost.SkipUnlessLong(t)
	}
	for _, theme := range []string{"dark", "paper", "contrast-light", "mono"} {
		t.Run(theme, func(t *testing.T) {
			const noGolden = "Tasks|HelpNamesEverything|Keys|UnknownKeys|MemoryLongList|MemoryKeys|LargerWindow" // of those that take longest
			args := []string{"-test.skip", "^Test(Looks|Themes.*|NothingIsSaidByColourAlone|MemoryHostile|LeavesTheTerminalClean|" + noGolden + ")$"}
			if updating() {
				args = append(args, "-update")
			}
			cmd := exec.Command(os.Args[0], args...)
			cmd.Env = append(os.Environ(), "BOARD_TEST_THEME="+theme)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
