package shell

import (
	"slices"
	"strings"
)

// wrappers are commands that run the command behind their own options: those that take
// the next word. A 1 before them says that a word comes first.
func wrappers(name string) (values string, known bool) {
	switch name {
	case "sudo":
		return "-u -g -h -p -C -r -t -U -D -R -T --user --group --host --prompt --chdir", true
	case "doas":
		return "-u -C", true
	case "env":
		return "-u -C --unset --chdir", true
	case "nice":
		return "-n --adjustment", true
	case "ionice":
		return "-c -n -p", true
	case "timeout":
		return "1 -s -k --signal --kill-after", true
	case "stdbuf":
		return "-i -o -e", true
	case "nohup", "setsid", "command", "builtin", "chronic", "unbuffer",
		"caffeinate", "busybox", "bunx", "pipx", "winpty":
		return "", true
	case "exec":
		return "-a", true
	case "xargs":
		return "-I -n -P -L -d -E -s -a --max-args --max-procs --replace --delimiter --arg-file",
			true
	case "npx":
		return "-p --package", true
	case "uvx":
		return "--from --with", true
	case "xvfb-run":
		return "-s -n", true
	case "strace":
		return "-e -o -p", true
	case "time":
		return "-f -o", true
	}
	return "", false
}

// runs says whether a program runs the command behind one of its verbs.
func runs(name, verb string) bool {
	switch name {
	case "bundle", "asdf", "direnv", "rbenv", "pyenv":
		return verb == "exec"
	case "poetry", "uv", "pipenv", "pdm", "hatch", "conda":
		return verb == "run"
	case "pnpm", "yarn":
		return verb == "exec" || verb == "dlx"
	case "npm", "mise":
		return verb == "exec" || verb == "x"
	case "bun":
		return verb == "x"
	}
	return false
}

var shells = []string{"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "pwsh", "powershell"}

// wrapped reads a command that runs another one.
func wrapped(name string, args []string, depth int) (verdict, bool) {
	if slices.Contains(shells, name) {
		return script(args, depth), true
	}
	if name == "eval" {
		return line(strings.Join(args, " "), depth), true
	}
	if len(args) > 1 && runs(name, args[0]) {
		rest := args[1:]
		for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
			rest = rest[1:]
		}
		return command(rest, depth), true
	}
	values, known := wrappers(name)
	if !known {
		return verdict{}, false
	}
	if name == "command" && len(args) > 0 && (args[0] == "-v" || args[0] == "-V") {
		return verdict{does: Looks, asks: true}, true
	}
	skip := 0
	if rest, found := strings.CutPrefix(values, "1 "); found {
		values, skip = rest, 1
	}
	takes := strings.Fields(values)
	i := 0
	for ; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			i++
		case strings.HasPrefix(a, "-") && len(a) > 1:
			if slices.Contains(takes, a) {
				i++
			}
			continue
		case (name == "env" || name == "sudo") && strings.Contains(a, "="):
			continue
		case skip > 0:
			skip--
			continue
		}
		break
	}
	if i >= len(args) { // env, exec; sudo -v and the like
		if slices.Contains([]string{"env", "exec", "nice", "xargs", "time"}, name) {
			return looks, true
		}
		return verdict{}, true
	}
	return command(args[i:], depth), true
}

// script reads what a shell is told to run.
func script(args []string, depth int) verdict {
	for i, a := range args {
		plain := strings.ToLower(a)
		switch {
		case plain == "-n" && len(args) > i+1:
			return verdict{does: Looks}
		case plain == "-command", letters(a) && strings.HasSuffix(a, "c"):
			if i+1 < len(args) {
				return line(args[i+1], depth)
			}
			return verdict{}
		case !strings.HasPrefix(a, "-"):
			return verdict{}
		}
	}
	return verdict{}
}

// line reads a command line within a command line.
func line(s string, depth int) verdict {
	in := read(s, depth)
	return verdict{does: in.Does, kind: in.Kind, asks: in.Asks, lax: !in.Sure}
}
