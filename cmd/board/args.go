package main

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/cmd/board/base"
)

// arrange lets flags stand anywhere: before the command, after its arguments, between
// them. urfave/cli stops at the first argument, so the line is reordered before it is
// parsed: command, flags, "--", arguments. Text that begins with a dash is an argument
// if it could not be a flag (it holds white space, or is a number), or after "--".
func arrange(commands []*cli.Command, args []string) ([]string, error) {
	if len(args) > 0 && args[0] == "help" { // board help post: what many try first
		args = append(args[1:len(args):len(args)], "--help")
	}
	path, rest, err := findCommand(commands, args)
	if err != nil || len(path) == 0 {
		return args, err
	}
	leaf := path[len(path)-1]
	var flags, positional []string
	takes := flagArity(leaf.Flags)
	old := oldFlagsOf(names(path), takes)
	for i := 0; i < len(rest); i++ {
		a := rest[i]
		if a == "--" {
			positional = append(positional, rest[i+1:]...)
			break
		}
		name, value, hasValue := base.CutFlag(a)
		if now, is := old[name]; is {
			if now == "" {
				continue
			}
			name = now
		}
		takesValue, known := takes[name]
		switch {
		case name == "" || !known && !looksLikeFlag(a):
			positional = append(positional, a)
		case known && takesValue && !hasValue:
			last := i+1 == len(rest)
			if alone := defaultText(leaf.Flags, name); alone != "" && (last || looksLikeFlag(rest[i+1])) {
				flags = append(flags, "--"+name+"="+alone)
				continue
			}
			if last {
				value, usage := wordsOfFlag(leaf.Flags, name)
				return nil, base.Usagef(dashed(name)+" "+value+": "+usage+
					"; `board "+names(path)+" --help` lists its flags",
					"the flag %s needs a value", a)
			}
			i++
			// One word, so that a value that begins with a dash stays a value.
			flags = append(flags, "--"+name+"="+rest[i])
		case known && hasValue:
			flags = append(flags, "--"+name+"="+value)
		case known:
			flags = append(flags, "--"+name)
		default:
			try := "`board " + names(path) + " --help` lists its flags; put -- before text that begins " +
				"with a dash"
			if s := closest(name, slices.Collect(maps.Keys(takes))); s != "" {
				try = "did you mean --" + s + "? " + try
			}
			for _, c := range leaf.Subcommands { // board state -r RUN
				if _, takes := flagArity(c.Flags)[name]; takes {
					try = "name a command first: `board " + names(path) + " " + c.Name + " " + a + " …`; " +
						"`board " + names(path) + " --help` lists them"
					break
				}
			}
			flag, _, _ := strings.Cut(a, "=")
			return nil, base.Usagef(try, "`board %s` has no flag %s", names(path), flag)
		}
	}
	out := strings.Fields(names(path))
	if slices.Contains(flags, "--help") || slices.Contains(flags, "--h") {
		leaf.CustomHelpTemplate = commandHelp(names(path), leaf)
		return append(out, "--help"), nil
	}
	out = append(out, flags...)
	if len(positional) > 0 {
		out = append(append(out, "--"), positional...)
	}
	return out, nil
}

// oldFlags are flags that were renamed, so that a name means one thing in the whole
// program. The old name still works in a command, or in those of a group.
var oldFlags = []struct{ command, old, now string }{
	{"accept", "note", "reason"}, {"answer", "by", "entry"},
	{"answer", "doc", "source-doc"},
	{"answer", "ref", "source-ref"},
	{"conflicts", "max", "limit"}, // conflicts.max of board.yaml is how many may be open
	{"import", "must", "must-surface"},
	{"kb import", "apply", ""}, // it is done at once
	{"kb", "k", "kind"},
	{"kb", "t", "title"},
	{"memory", "t", "tier"},
	{"post", "doc", "source-doc"},
	{"post", "ref", "source-ref"}, // --ref of the knowledge base names a run, entry or file
	{"query", "m", "match"},
	{"topic note", "t", "topic"},
}

// oldFlagsOf maps the old names of a command's flags to their names of today.
func oldFlagsOf(command string, has map[string]bool) map[string]string {
	old := map[string]string{}
	for _, f := range oldFlags {
		_, named := has[f.now]
		named = named || f.now == ""
		if _, other := has[f.old]; named && !other && (command == f.command ||
			strings.HasPrefix(command, f.command+" ")) {
			old[f.old] = f.now
		}
	}
	return old
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func names(path []*cli.Command) string {
	var s []string
	for _, c := range path {
		s = append(s, c.Name)
	}
	return strings.Join(s, " ")
}

// findCommand returns the commands a line names, outermost first, and the line without them.
func findCommand(commands []*cli.Command, args []string) (path []*cli.Command, rest []string,
	err error) {
	takesValue := sync.OnceValue(func() map[string]bool { return flagsWithValue(commands) })
	level := commands
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" || len(level) == 0 {
			return path, append(rest, args[i:]...), nil
		}
		if name, _, hasValue := base.CutFlag(a); name != "" && (takesValue()[name] || looksLikeFlag(a)) {
			rest = append(rest, a)
			if takesValue()[name] && !hasValue && i+1 < len(args) {
				i++
				rest = append(rest, args[i])
			}
			continue
		}
		next := byName(level, a)
		if now := renamed[strings.TrimSpace(names(path)+" "+a)]; now != "" && next == nil {
			return findCommand(commands, slices.Concat(strings.Fields(now), rest, args[i+1:]))
		}
		if next == nil {
			what := "command"
			try := "`board help all` lists the commands"
			if len(path) > 0 {
				what = names(path) + " command"
				try = "`board " + names(path) + " --help` lists them"
			}
			var known []string
			for _, c := range level {
				known = append(known, c.Names()...)
			}
			s := synonyms()[names(append(path, &cli.Command{Name: a}))]
			if s == "" {
				s = closest(a, known)
			}
			if s != "" {
				try = "did you mean " + s + "? " + try
			}
			return nil, nil, base.Usagef(try, "unknown %s %q", what, a)
		}
		path, level = append(path, next), next.Subcommands
	}
	return path, rest, nil
}

func byName(commands []*cli.Command, name string) *cli.Command {
	for _, c := range commands {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

// defaultText is the value of a flag that stands without one, "" for one that must have it.
func defaultText(flags []cli.Flag, name string) string {
	for _, f := range flags {
		if f, is := f.(*cli.StringFlag); is && f.Name == name {
			return f.DefaultText
		}
	}
	return ""
}

// wordsOfFlag are the name of a flag's value and its usage.
func wordsOfFlag(flags []cli.Flag, name string) (value, usage string) {
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			return flagUsage(f)
		}
	}
	return "VALUE", "a value"
}

func flagArity(flags []cli.Flag) map[string]bool {
	m := map[string]bool{"help": false, "h": false}
	for _, f := range flags {
		_, isBool := f.(*cli.BoolFlag)
		for _, n := range f.Names() {
			m[n] = !isBool
		}
	}
	return m
}

// flagsWithValue are names of flags, of any command, that take a value and are nowhere a switch.
func flagsWithValue(commands []*cli.Command) map[string]bool {
	values, switches := map[string]bool{}, map[string]bool{}
	everyFlag(commands, values, switches)
	for name := range switches {
		delete(values, name)
	}
	return values
}

// everyFlag collects all commands' flag names: those that take a value, and those that do not.
func everyFlag(commands []*cli.Command, values, switches map[string]bool) {
	for _, c := range commands {
		for n, takes := range flagArity(c.Flags) {
			if takes {
				values[n] = true
			} else {
				switches[n] = true
			}
		}
		everyFlag(c.Subcommands, values, switches)
	}
}

func looksLikeFlag(a string) bool {
	return len(a) > 1 && a[0] == '-' && !strings.ContainsAny(a, " \t\n") &&
		!(a[1] >= '0' && a[1] <= '9')
}

// synonyms maps words that people try to the commands they mean.
var synonyms = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"agents": "help agents", "brief": "kb brief", "complete": "done", "contradict": "link --contradicts",
		"create": "start", "dashboard": "tui", "delete": "rm", "diagnose": "doctor",
		"dismiss": "waive", "dispute": "link --contradicts",
		"dump": "export", "edit": "post --supersedes", "entries": "query", "events": "watch",
		"find": "query", "finish": "done", "get": "show", "grep": "query", "history": "show",
		"init": "start", "install": "setup", "integrate": "setup", "learn": "kb learn",
		"list": "runs", "log": "watch", "ls": "runs", "note": "post",
		"promote": "kb promote", "question": "ask", "raise": "ask", "ready": "gate",
		"recall": "kb search", "register": "expect", "remember": "kb remember", "remove": "rm",
		"reply": "answer", "resolve": "answer", "run": "runs", "set": "state set", "search": "query",
		"serve": "daemon", "server": "daemon", "stats": "show",
		"status": "show", "stop": "done", "summarize": "digest", "summary": "digest",
		"supersede": "post --supersedes", "tail": "watch", "test": "check", "ui": "tui",
		"update": "post --supersedes", "validate": "check", "variables": "state get", "vars": "state get",
		"worker": "expect", "workers": "expect", "write": "post",

		"state ls": "get", "state put": "set", "state rm": "set --unset",

		"context add": "write", "context find": "search", "context forget": "delete",
		"context put": "write", "context query": "search", "context remove": "delete",
		"context rm": "delete", "context show": "read",

		"kb add": "remember", "kb delete": "retire", "kb find": "search",
		"kb forget": "retire", "kb log": "history", "kb new": "remember", "kb put": "remember",
		"kb query": "search", "kb read": "get", "kb remove": "retire",
		"kb rm": "retire", "kb save": "remember",
		"kb show": "get", "kb undo": "restore", "kb update": "edit",
		"kb write": "remember",

		"topic add": "note", "topic create": "use", "topic current": "status",
		"topic delete": "wipe", "topic end": "archive", "topic log": "show",
		"topic new": "use", "topic pin": "use", "topic rm": "wipe", "topic set": "use",
		"topic write": "edit",

		"memory add": "put", "memory append": "journal", "memory delete": "forget",
		"memory edit": "update", "memory find": "read", "memory history": "get --all",
		"memory log": "events", "memory query": "read", "memory recall": "read",
		"memory remember": "put", "memory remove": "forget", "memory retire": "forget",
		"memory rm": "forget", "memory save": "put", "memory show": "get",
		"memory undo": "restore", "memory write": "put",

		"memory workspace": "scrub", "memory channel new": "create",

		"memory conversation end": "idle", "memory conversation get": "show",
		"memory conversation new": "start",

		"memory named get": "show", "memory named remove": "rm", "memory named set": "edit",
		"memory named write": "edit",

		"memory scratch delete": "clear", "memory scratch get": "read",
		"memory scratch set": "write",
	}
})

// closest is the candidate a shortened or misspelled word most likely means, or "".
func closest(word string, candidates []string) string {
	best, least := "", fault.MaxDistance(word)
	slices.Sort(candidates)
	starts := func(c string) bool { return strings.HasPrefix(c, word) }
	if i := slices.IndexFunc(candidates, starts); i >= 0 && len(word) > 2 {
		return candidates[i]
	}
	for _, c := range candidates {
		if d := fault.Distance(word, c); d < least {
			best, least = c, d
		}
	}
	return best
}
