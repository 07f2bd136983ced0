package main

import (
	"os/exec"
	"strings"
	"testing"

	"blackboard/cmd/board/doctor"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
)

// TestManual sees that the manual page has every command with every flag, every exit code and
// every variable.
func TestManual(t *testing.T) {
	p := &program{&base.Program{Env: func(string) string { return "" }}}
	page := manual(p.commands(), "1.2.3")
	wants := func(text string) {
		t.Helper()
		if !strings.Contains(page, text) {
			t.Errorf("the manual page does not have %q", text)
		}
	}
	var walk func(name string, all []*cli.Command)
	walk = func(name string, all []*cli.Command) {
		for _, c := range all {
			switch {
			case c.Hidden:
			case len(c.Subcommands) > 0:
				walk(name+c.Name+" ", c.Subcommands)
			default:
				wants(".SS " + roff(strings.TrimSpace(name+c.Name+" "+c.ArgsUsage)) + "\n")
				for _, f := range c.Flags {
					wants(".B " + roff(strings.TrimSpace(flagNames(f))) + "\n")
				}
			}
		}
	}
	walk("board ", p.commands())
	for _, name := range doctor.Known {
		wants(roff(name))
	}
	for code := base.ExitOK; code <= base.ExitConflict; code++ {
		wants(".B " + string(rune('0'+code)) + "\n")
	}
	for i, l := range strings.Split(page, "\n") {
		if strings.HasPrefix(l, ".") && !strings.HasPrefix(l, ".TH ") && !strings.HasPrefix(l, ".SH ") && !strings.HasPrefix(l, ".SS ") && !strings.HasPrefix(l, ".TP") && !strings.HasPrefix(l, ".B ") &&
			!strings.HasPrefix(l, ".I ") && l != ".PP" && l != ".nf" && l != ".fi" {
			t.Errorf("line %d would be obeyed: %q", i+1, l)
		}
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		t.Log("groff is not here to read the page")
		return
	}
	cmd := exec.Command(groff, "-man", "-Tutf8", "-ww", "-z")
	cmd.Stdin = strings.NewReader(page)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("groff says %s (%v)", out, err)
	}
}

func TestRoff(t *testing.T) {
	for in, want := range map[string]string{"--json": `\-\-json`, `a\b…`: `a\eb\[u2026]`, ".TH x\n'so y\nz.": `\&.TH x` + "\n" + `\&'so y` + "\nz."} {
		if got := roff(in); got != want {
			t.Errorf("roff(%q) = %q", in, got)
		}
	}
}
