package shell

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// set is a list of names. It is searched as it stands, so that it costs a start nothing.
type set string

func (s set) has(name string) bool {
	if name == "" {
		return false
	}
	space := func(i int) bool { return i < 0 || i >= len(s) || s[i] == ' ' || s[i] == '\n' }
	for at := 0; ; at++ {
		i := strings.Index(string(s[at:]), name)
		if i < 0 {
			return false
		}
		if at += i; space(at-1) && space(at+len(name)) {
			return true
		}
	}
}

//go:embed commands.txt
var commands string

// rows are those of commands.txt by kind and name, read when one is first needed.
var rows = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(commands) {
		kind, rest, _ := strings.Cut(line, " ")
		names, says, found := strings.Cut(rest, ":")
		for name := range strings.FieldsSeq(names) {
			if key := kind + " " + name; found && kind != "#" {
				all[key] = strings.TrimSpace(all[key] + " " + strings.TrimSpace(says))
			}
		}
	}
	return all
})

// row returns what commands.txt says of a name, in all rows of a kind.
func row(kind, name string) (says string, known bool) {
	says, known = rows()[kind+" "+name]
	return says, known
}

// isIn reports whether a name is in one of the lists of commands.txt.
func isIn(list, name string) bool {
	words, _ := row("list", list)
	return set(words).has(name)
}

// readVerbs reads a program whose first words say what it does.
func readVerbs(name string, args []string) (verdict, bool) {
	list, known := row("verbs", name)
	if !known || len(args) == 0 {
		return verdict{}, false
	}
	writes := name == "go" && args[0] == "env" && hasOption(args, "-w") ||
		name == "ip" && slices.ContainsFunc(args,
			set("add del delete set change replace flush").has)
	if writes {
		return changes, true
	}
	two := strings.Join(args[:min(2, len(args))], " ")
	for _, verb := range strings.Split(list, "|") {
		if verb == args[0] || verb == two {
			return looks, true
		}
	}
	return verdict{}, false
}

// kindOf tells what kind of work a command is that nobody knows better.
func kindOf(name string, args []string) Kind {
	verb, rest := "", positional(args)
	if len(rest) > 0 {
		verb = rest[0]
	}
	if (verb == "run" || verb == "mod" || verb == "pip") && len(rest) > 1 {
		verb = rest[1]
	}
	word, _, _ := strings.Cut(verb, ":")
	switch {
	case name == "gh" && len(rest) > 1 && set("create merge close ready edit").has(rest[1]):
		return Commit
	case isIn("packages", name) && isIn("installs", verb):
		return Install
	case isIn("tests", name), isIn("testverbs", verb), isIn("testverbs", word):
		return Test
	}
	return Other
}
