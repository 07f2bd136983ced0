package hooks

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestSpecWithoutRoom: a spec that has room as it is, but not with the marks before its lines, is told by its path.
func TestSpecWithoutRoom(t *testing.T) {
	w := newWorld(t)
	w.named("auth", strings.Repeat("a\n", 1700))
	got := w.tell("SessionStart", nil)
	if !strings.Contains(got, "## Topic auth") || !strings.Contains(got, w.topicsDir().SpecPath("auth")) || strings.Contains(got, "| a\n") || tokens(got) > Depths[0].StartBudget {
		t.Errorf("it starts with %d tokens: %s", tokens(got), got)
	}
}

// TestConfigDir: a place that is named goes first, and one that is not a whole path is none.
func TestConfigDir(t *testing.T) {
	home, config := t.TempDir(), t.TempDir()
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{nil, ""},
		{map[string]string{"HOME": "relative"}, ""},
		{map[string]string{"HOME": home}, filepath.Join(home, ".config", "blackboard")},
		{map[string]string{"HOME": home, "XDG_CONFIG_HOME": "relative"}, filepath.Join(home, ".config", "blackboard")},
		{map[string]string{"HOME": home, "XDG_CONFIG_HOME": config}, filepath.Join(config, "blackboard")},
		{map[string]string{"HOME": home, "XDG_CONFIG_HOME": config, "BOARD_CONFIG_DIR": "mine"}, "mine"},
	} {
		if got := ConfigDir(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: %q, not %q", c.env, got, c.want)
		}
	}
	if text, err := prefix(noEnv); err != nil || text != strings.TrimSpace(defaultPrefix) {
		t.Errorf("without a place for it the prefix is %q, %v", text, err)
	}
}
