package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/testdata/expect"
	"blackboard/tui/page"
)

// settings writes a file of settings and reads it.
func settings(t *testing.T, text string) (page.Settings, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tui.conf")
	expect.OK(t, os.WriteFile(path, []byte(text), 0o600))
	return page.ReadSettings(path)
}

// TestSettings: a person's keys do what others do, the screen names them, and sections are found.
func TestSettings(t *testing.T) {
	s, err := settings(t, "# mine\ntheme = light\nmute = bell title\n\nkey f = /\nkey / = f\nkey ctrl+n = =\nsection gaps of today = type:gap since:1d\n")
	if err != nil || s.Theme != "light" || len(s.Mute) != 2 {
		t.Fatalf("%+v, %v", s, err)
	}
	h := newHarness(t, func(h *harness) { fillAudit(h); h.cfg.Run, h.cfg.Settings = "audit-7", s })
	h.wants("f filter")
	h.press("f")
	h.typeText("/f exp") // they are text here
	h.wants("/ /f exp")
	h.press("esc", "2", "/")
	h.wants("All questions, closed ones too")
	h.press("?")
	h.typeText("filter")
	h.press("enter") // what the help lists does what it says
	h.typeText("s2")
	h.wants("/ s2")
	h.press("esc", ":")
	h.typeText("gaps of")
	h.press("enter")
	h.wants("/ type:gap since:1d", "1 of 1")
}

// TestSettingsRefused: an error names the line, and what would be right.
func TestSettingsRefused(t *testing.T) {
	if s, err := page.ReadSettings(filepath.Join(t.TempDir(), "none")); err != nil || s.Theme != "" {
		t.Errorf("without a file: %+v, %v", s, err)
	}
	for text, want := range map[string]string{
		"theme = light\nkey hyper+q = K": `line 2: there is no key "hyper+q"`,
		"key x = Ü":                      `line 1: no key "Ü" does anything; ?`,
		"key x = K\n\nkey x = M":         "line 3: the key x is set twice: it does what K does",
		"key ctrl+c = K":                 "line 1: ctrl+c always quits",
		"theme = dusty":                  `line 1: no theme "dusty": themes are auto, dark`,
		"mute = bells":                   `line 1: "bells" cannot be muted`,
		"section = type:gap":             `line 1: "section" cannot be set; these can: theme`,
		"colour = red":                   `line 1: "colour" cannot be set`,
		"theme: light":                   `line 1: "theme: light" is not NAME = VALUE`,
	} {
		if _, err := settings(t, text); err == nil || !strings.Contains(err.Error(), "tui.conf: "+want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
