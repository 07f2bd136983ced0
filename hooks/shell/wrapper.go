package shell

import (
	"slices"
	"strings"
)

var shells = []string{"sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "pwsh", "powershell"}

// runs reports whether a program runs the command behind one of its verbs.
func runs(name, verb string) bool {
	verbs, _ := row("runs", name)
	return set(verbs).has(verb)
}

// wrapped reads a command that runs another one.
func wrapped(name string, args []string, depth int) (verdict, bool) {
	switch {
	case name == "command" && len(args) > 0 && (args[0] == "-v" || args[0] == "-V"):
		return verdict{does: Looks, asks: true}, true
	case slices.Contains(shells, name) && len(args) > 1 && args[0] == "-n":
		return looks, true
	}
	in, found := unwrap(name, args)
	switch {
	case !found || in.elsewhere:
		return verdict{}, false
	case in.script != "":
		return line(in.script, depth), true
	case len(in.words) > 0:
		return verdictOn(in.words, depth), true
	case slices.Contains([]string{"env", "exec", "nice", "xargs", "time"}, name):
		return looks, true
	}
	return verdict{}, true // sudo -v and the like
}

// inner is what a command runs: a command, or the text of a script.
type inner struct {
	words   []string
	script  string
	options string // those of a shell before its script: -euo pipefail
	elsewhere,
	detached bool // in a container; nobody waits for it
}

// unwrap finds what a command runs. It finds nothing in commands that run no other one.
func unwrap(name string, args []string) (in inner, found bool) {
	switch {
	case slices.Contains(shells, name):
		in.script, in.options = script(args)
		return in, true
	case name == "script" && slices.ContainsFunc(args, func(a string) bool {
		return letters(a) && strings.Contains(a, "e") || a == "--return"
	}):
		in.script, _ = script(args)
		return in, true
	case name == "eval":
		return inner{script: strings.Join(args, " ")}, true
	case name == "cmd" && len(args) > 1 && strings.EqualFold(args[0], "/c"):
		return inner{script: strings.Join(args[1:], " ")}, true
	case set("docker podman nerdctl docker-compose kubectl").has(name):
		return contained(args)
	case name == "nix-shell":
		if i := slices.Index(args, "--run"); i >= 0 && i+1 < len(args) {
			return inner{script: args[i+1]}, true
		}
		return in, false
	}
	if len(args) > 1 && runs(name, args[0]) {
		in.words = afterOptions(args[1:], "-n --name -p --prefix --package --with --python --group "+
			"--extra --env-file --directory --project -w --workspace --using -e --workspace-folder",
			b2i(set("aws-vault direnv nvm").has(name)), false)
		return in, true
	}
	if len(args) > 1 && set("yarn pnpm bun").has(name) && isIn("tests", args[0]) {
		return inner{words: args}, true
	}
	values, known := row("wraps", name)
	if !known {
		return in, false
	}
	values, skips := strings.CutPrefix(values, "1 ")
	in.words = afterOptions(args, values, b2i(skips),
		name == "env" || name == "sudo" || name == "cross-env")
	return in, true
}

// afterOptions is what follows the options of a command, of which some take the next word,
// so many other words, and assignments where they may stand.
func afterOptions(args []string, values string, skip int, assigns bool) []string {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--" && skip == 0:
			return args[i+1:]
		case strings.HasPrefix(a, "-") && len(a) > 1:
			i += b2i(set(values).has(a))
		case assigns && strings.Contains(a, "="):
		case skip > 0:
			skip--
		default:
			return args[i:]
		}
	}
	return nil
}

// containerValues are the options before a container's name that take the next word.
const containerValues = `-v --volume -w --workdir -e --env -u --user --name --network -p --publish
 --env-file --platform --mount -m --memory --cpus --gpus --add-host -h --hostname --shm-size -l
 --label -f --file --profile --project-name -n --namespace -c --container --context --index
 --entrypoint --project-directory --cap-add --security-opt --ulimit --tmpfs`

// contained reads the command that docker, docker compose or kubectl run in a container.
func contained(args []string) (in inner, found bool) {
	rest := afterOptions(args, containerValues, 0, false)
	if len(rest) > 0 && rest[0] == "compose" {
		rest = afterOptions(rest[1:], containerValues, 0, false)
	}
	if len(rest) == 0 || rest[0] != "exec" && rest[0] != "run" {
		return in, false
	}
	in.elsewhere = true
	before := args[:len(args)-len(rest)+1]
	rest = rest[1:]
	in.words = afterOptions(rest, containerValues, 0, false)
	before = slices.Concat(before, rest[:len(rest)-len(in.words)])
	in.words = afterOptions(in.words[min(1, len(in.words)):], containerValues, 0, false)
	in.detached = slices.Contains(before, "-d") || slices.Contains(before, "--detach")
	for i, a := range before {
		if by, ok := strings.CutPrefix(a, "--entrypoint="); ok {
			in.words = slices.Concat([]string{by}, in.words)
		} else if a == "--entrypoint" && i+1 < len(before) {
			in.words = slices.Concat([]string{before[i+1]}, in.words)
		}
	}
	return in, true
}

// script returns what a shell is told to run, and the options before it; "" if that is a file, or nothing.
func script(args []string) (text, options string) {
	for i := 0; i < len(args); i++ {
		a := args[i]
		plain := strings.ToLower(a)
		switch {
		case plain == "-command", letters(a) && strings.HasSuffix(a, "c"):
			if i+1 < len(args) {
				return strings.Join(args[i+1:i+2], " "), options + " " + a
			}
			return "", ""
		case !strings.HasPrefix(a, "-"):
			return "", ""
		case plain == "-executionpolicy", a == plain && letters(a) && strings.HasSuffix(a, "o"):
			i++
			if i < len(args) {
				a += " " + args[i]
			}
		}
		options += " " + a
	}
	return "", ""
}

// line reads a command line within a command line.
func line(s string, depth int) verdict {
	in := read(s, depth)
	return verdict{does: in.Does, kind: in.Kind, asks: in.Asks, lax: !in.Sure}
}
