package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/urfave/cli/v2"

	"blackboard/board/text"
	"blackboard/cmd/board/base"
)

func TestArrange(t *testing.T) {
	p := &program{&base.Program{Env: func(string) string { return "" }}}
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
		{"conf", "did you mean conflicts?"},
		{"signal|x|--prio|high", "did you mean --priority?"},
		{"set|k|v", "did you mean state set?"},
		{"state|gat|k", "did you mean get?"},
		{"post|x|--souce-doc|y", "did you mean --source-doc?"},
		{"zzzzzz", "`board help all` lists the commands"},
	} {
		_, err := arrange(p.commands(), strings.Split(test.in, "|"))
		if !strings.Contains(base.NextStep(err), test.want) {
			t.Errorf("%q: got %v; want the hint %q", test.in, err, test.want)
		}
	}
}

// otherFlagMeanings are the flags that mean something else in some command, and why that is so.
var otherFlagMeanings = map[string]string{
	"hook budget":         "a value that is wrong must not stop the harness: the hook reads it itself",
	"hook limit":          "the same",
	"import must-surface": "Irys has no such mark: it says by priority which entries get it",
	"memory forget why":   "the author has a reason, too, which is --reason in the whole memory",
	"memory update why":   "the same",
	"memory scrub mode":   "what is removed; the tool's argument is called so",
	"model pull revision": "that of the hub, which calls it so",
	"setup project":       "where settings are written: before the command it could not be misread",
}

// TestFlagNames: a flag takes a value in every command or in none, has values of one kind, and its
// short name is that of one long name.
func TestFlagNames(t *testing.T) {
	type meaning struct{ kind, name, where string }
	known, used := map[string]meaning{}, map[string]bool{}
	p := &program{&base.Program{Env: func(string) string { return "" }}}
	eachCommand("", p.commands(), func(command string, c *cli.Command) {
		for _, f := range c.Flags {
			kind := strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", f), "*cli."), "Flag")
			kind = strings.Replace(strings.TrimSuffix(kind, "Slice"), "Int64", "Int", 1)
			first := f.Names()[0]
			for _, name := range f.Names() {
				m := meaning{kind, strings.TrimSuffix(first, "s"), command}
				if otherFlagMeanings[command+" "+name] != "" {
					used[command+" "+name] = true
					continue
				}
				if k, ok := known[name]; ok && (k.kind != m.kind || k.name != m.name) {
					t.Errorf("%s of `board %s` is %s (%s), and of `board %s` %s (%s)", dashed(name), command, m.name, m.kind, k.where, k.name, k.kind)
				}
				known[name] = m
			}
		}
	})
	for exception := range otherFlagMeanings {
		if !used[exception] {
			t.Errorf("%s is no exception any more", exception)
		}
	}
}

// TestFlagBars: the help texts stay short enough to be read.
func TestFlagBars(t *testing.T) {
	p := &program{&base.Program{Env: func(string) string { return "" }}}
	names, lines := map[string]bool{}, 0
	eachCommand("", p.commands(), func(command string, c *cli.Command) {
		for _, line := range strings.Split(flagHelp(command, c.Flags), "\n") {
			if strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "  Also:") {
				lines++
			}
			for _, m := range text.NewRegexp(`(?:^ +|; |, )--([a-z-]+)`).FindAllStringSubmatch(line, -1) {
				names[m[1]] = true
			}
		}
	})
	for _, foot := range strings.Fields(footFlags) {
		names[foot] = true
	}
	if len(names) > 130 || lines > 350 || lines < 200 {
		t.Errorf("the help texts have %d flags in %d lines", len(names), lines)
	}
	has := map[string]bool{}
	eachCommand("", p.commands(), func(_ string, c *cli.Command) {
		for _, f := range c.Flags {
			has[f.Names()[0]] = true
		}
	})
	for _, name := range strings.Fields(rareFlags + footFlags) {
		if !has[name] {
			t.Errorf("no command has --%s any more", name)
		}
	}
}

// TestMerged: what took over a command is there, with its flags.
func TestMerged(t *testing.T) {
	p := &program{&base.Program{Env: func(string) string { return "" }}}
	commands := p.commands()
	for old, now := range merged {
		for _, line := range []string{old, now} {
			if _, _, err := pathAndFlags(commands, strings.Fields(line)); err != nil {
				t.Errorf("board %s: %v", line, err)
			}
		}
	}
}

// TestOldFlags: an old name does what the name of today does.
func TestOldFlags(t *testing.T) {
	p := &program{&base.Program{Env: func(string) string { return "" }}}
	commands := p.commands()
	for _, f := range oldFlags {
		found := false
		eachCommand("", commands, func(command string, c *cli.Command) {
			if now, is := oldFlagsOf(command, flagArity(c.Flags))[f.old]; !is || now != f.now || len(c.Subcommands) > 0 {
				return
			}
			found = true
			line := append(strings.Fields(command), dashed(f.old), "x", dashed(f.old), "y")
			if f.now == "" {
				line = append(strings.Fields(command), dashed(f.old), dashed(f.old))
			}
			got, err := arrange(commands, line)
			want := append(strings.Fields(command), "--"+f.now+"=x", "--"+f.now+"=y")
			if f.now == "" {
				want = strings.Fields(command)
			}
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%q is %q, want %q: %v", line, got, want, err)
			}
		})
		if !found {
			t.Errorf("no command below %s takes %s for --%s", f.command, dashed(f.old), f.now)
		}
	}
}

func TestSplitWords(t *testing.T) {
	got := splitWords(`board post "two words" --x "" a"b c"d`)
	if want := []string{"board", "post", "two words", "--x", "", "ab cd"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestProgramsBesideEachOther: programs of one process share nothing that either writes; the race
// detector tells.
func TestProgramsBesideEachOther(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			var out, errs bytes.Buffer
			env := func(k string) string { return map[string]string{"BOARD_HOME": home}[k] }
			if code := run(t.Context(), []string{"post", "--help"}, env, nil, &out, &errs); code != base.ExitOK || !strings.Contains(out.String(), "--batch") {
				t.Errorf("exit %d: %s%s", code, &out, &errs)
			}
		})
	}
	group.Wait()
}

// TestDryRun: what changes much at once has --dry-run, and what deletes for good asks first, too.
func TestDryRun(t *testing.T) {
	changes := []string{"check", "verify", "kb import", "kb ingest", "kb curate", "kb learn", "memory import", "memory consolidate", "topic archive", "setup"}
	deletes := []string{"rm", "topic wipe", "database drop-run", "memory scrub"}
	p := &program{&base.Program{Env: func(string) string { return "" }}}
	eachCommand("", p.commands(), func(name string, c *cli.Command) {
		has := flagArity(c.Flags)
		_, dry := has["dry-run"]
		_, yes := has["yes"]
		_, confirm := has["confirm"]
		if want := slices.Contains(changes, name) || slices.Contains(deletes, name); dry != want {
			t.Errorf("board %s has --dry-run: %t; is it one of those that this test lists?", name, dry)
		}
		if slices.Contains(deletes, name) && !yes && !confirm {
			t.Errorf("board %s deletes for good, and has neither --yes nor --confirm", name)
		}
	})
}

// TestSynonyms: what a word means exists, and the word itself does not.
func TestSynonyms(t *testing.T) {
	p := &program{&base.Program{Env: func(string) string { return "" }}}
	at := func(path []string) *cli.Command {
		c := &cli.Command{Subcommands: p.commands()}
		for _, name := range path {
			if c = byName(c.Subcommands, name); c == nil {
				return nil
			}
		}
		return c
	}
	for word, meaning := range synonyms() {
		path := strings.Fields(word)
		if at(path) != nil {
			t.Errorf("board %s is a command itself", word)
		}
		path = path[:len(path)-1]
		if at(path) == nil {
			t.Errorf("%q: there is no board %s", word, strings.Join(path, " "))
		}
		words := strings.Fields(meaning)
		if words[0] == "help" {
			if _, err := pages.ReadFile("pages/" + words[1] + ".txt"); err != nil {
				t.Errorf("%s: there is no page %s", word, words[1])
			}
			continue
		}
		var flags []string
		for _, w := range words {
			switch flag, isFlag := strings.CutPrefix(w, "--"); {
			case isFlag:
				flags = append(flags, flag)
			case w == strings.ToLower(w):
				path = append(path, w)
			}
		}
		c := at(path)
		if c == nil {
			t.Errorf("%s: there is no board %s", word, strings.Join(path, " "))
			continue
		}
		for _, name := range flags {
			if !slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) }) {
				t.Errorf("%s: board %s has no flag --%s", word, strings.Join(path, " "), name)
			}
		}
	}
}

// splitWords splits a command line at blanks outside double quotes.
func splitWords(s string) []string {
	var words []string
	var word strings.Builder
	quoted, started := false, false
	for _, r := range s {
		switch {
		case r == '"':
			quoted, started = !quoted, true
		case r == ' ' && !quoted:
			if started {
				words = append(words, word.String())
				word.Reset()
				started = false
			}
		default:
			word.WriteRune(r)
			started = true
		}
	}
	if started {
		words = append(words, word.String())
	}
	return words
}
