package main

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/urfave/cli/v2"
)

func TestArrange(t *testing.T) {
	p := &program{env: func(string) string { return "" }}
	for _, test := range []struct{ in, want string }{
		{"post|hello", "post|--|hello"},
		{"post|hello|--json|-t|gap", "post|--json|--t=gap|--|hello"},
		{"-r|x|post|hello", "post|--r=x|--|hello"},
		{"--run=x|post|hello|there", "post|--run=x|--|hello|there"},
		{"add|hello", "post|--|hello"},
		{"state|get|k|--json", "state|get|--json|--|k"},
		{"state|--json|get|k|-r|run", "state|get|--json|--r=run|--|k"},
		{"-r|x|state|set|k|-5", "state|set|--r=x|--|k|-5"},
		{"post|- a bullet", "post|--|- a bullet"},
		{"post|-5%|-q", "post|--q|--|-5%"},
		{"post|--|--json|-r", "post|--|--json|-r"},
		{"post|-", "post|--|-"},
		{"post|--evidence|--quoted|x", "post|--evidence=--quoted|--|x"},
		{"post|--evidence=|x", "post|--evidence=|--|x"},
		{"post|post", "post|--|post"},
		{"gate|--help", "gate|--help"},
		{"help|gate", "gate|--help"},
		{"help", "--help"},
		{"--version", "version"},
		{"--must-surface|post|x", "post|--must-surface|--|x"},
		{"--help", "--help"},
		{"", ""},
	} {
		var args []string
		if test.in != "" {
			args = strings.Split(test.in, "|")
		}
		got, err := arrange(p.commands(), args)
		if err != nil || strings.Join(got, "|") != test.want {
			t.Errorf("%q: got %q, %v; want %q", test.in, strings.Join(got, "|"), err, test.want)
		}
	}
	for _, test := range []struct{ in, want string }{
		{"pots|x", "did you mean post?"},
		{"state|gat|k", "did you mean get?"},
		{"post|x|--souce-doc|y", "did you mean --source-doc?"},
		{"zzzzzz", "`board --help` lists the commands"},
	} {
		_, err := arrange(p.commands(), strings.Split(test.in, "|"))
		if !strings.Contains(try(err), test.want) {
			t.Errorf("%q: got %v; want the hint %q", test.in, err, test.want)
		}
	}
}

// TestFlagNames: a flag that takes a value in one command must not be a switch in another, since flags before the command are read
// without knowing it.
func TestFlagNames(t *testing.T) {
	p := &program{env: func(string) string { return "" }}
	takes := map[string]bool{}
	where := map[string]string{}
	var look func(commands []*cli.Command, parent string)
	look = func(commands []*cli.Command, parent string) {
		for _, c := range commands {
			command := strings.TrimSpace(parent + " " + c.Name)
			look(c.Subcommands, command)
			for name, value := range flagArity(c.Flags) {
				// --must-surface is what a post is marked with, and what an import marks; --apply does an import, and takes the rewrites of a consolidation; --project names one, and is where setup writes: only before
				// the command could they be misread.
				if known, ok := takes[name]; ok && known != value && !slices.Contains([]string{"must-surface", "must", "apply", "project"}, name) {
					t.Errorf("--%s is a switch in one of %s, %s and takes a value in the other", name, where[name], command)
				}
				takes[name], where[name] = value, command
			}
		}
	}
	look(p.commands(), "")
}

func TestSplitWords(t *testing.T) {
	got := splitWords(`board post "two words" --x "" a"b c"d`)
	if want := []string{"board", "post", "two words", "--x", "", "ab cd"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestProgramsBesideEachOther: programs of one process share nothing that either writes; the race detector tells.
func TestProgramsBesideEachOther(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			var out, errs bytes.Buffer
			env := func(k string) string { return map[string]string{"BOARD_HOME": home}[k] }
			if code := run(t.Context(), []string{"post", "--help"}, env, nil, &out, &errs); code != exitOK || !strings.Contains(out.String(), "--batch") {
				t.Errorf("exit %d: %s%s", code, &out, &errs)
			}
		})
	}
	group.Wait()
}
