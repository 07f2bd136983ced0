package page

import "testing"

// TestDesktopNotice: a notice is asked for as the terminal knows it, and cannot end early.
func TestDesktopNotice(t *testing.T) {
	for _, c := range []struct{ name, value, text, want string }{
		{"TERM", "xterm-256color", "a;b\a\x1b\\c", "\x1b]9;a,b��\\c\a"},
		{"TERM", "foot", "a;b", "\x1b]777;notify;board;a,b\a"},
		{"VTE_VERSION", "7006", "a", "\x1b]777;notify;board;a\a"},
		{"TMUX", "x", "a", "\x1bPtmux;\x1b\x1b]9;a\a\x1b\\"},
	} {
		if got := desktopNotice(c.text, func(name string) string { return map[string]string{c.name: c.value}[name] }); got != c.want {
			t.Errorf("%s: %q instead of %q", c.name, got, c.want)
		}
	}
}
