package shell

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"blackboard/board/text"
)

var (
	looks   = verdict{does: Looks}
	changes = verdict{does: Changes}
)

// verdictOn tells what one command with its arguments does.
func verdictOn(words []string, depth int) verdict {
	if depth > maxDepth || len(words) == 0 {
		return verdict{}
	}
	name, args := words[0], words[1:]
	if strings.Contains(name, dynamic) {
		return verdict{}
	}
	name = strings.TrimSuffix(path.Base(strings.ReplaceAll(name, `\`, "/")), ".exe")
	if strings.Contains(name, "-") { // of PowerShell
		name = strings.ToLower(name)
	}
	if v, ok := wrapped(name, args, depth+1); ok {
		return v
	}
	asked := slices.Contains(args, "--help") || len(args) == 1 &&
		set("--version -V -version -h").has(args[0])
	if asked {
		return looks
	}
	if v, known := special(name, args, depth); known {
		return v
	}
	if isIn("looks", name) {
		return verdict{does: Looks, asks: isIn("asks", name)}
	}
	if isIn("changes", name) {
		return changes
	}
	if v, ok := readVerbs(name, args); ok {
		return v
	}
	return verdict{kind: kindOf(name, args)}
}

// positional are the arguments that are no options.
func positional(args []string) (out []string) {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			out = append(out, a)
		}
	}
	return out
}

// hasOption reports whether an option is there: a long one, also with a value, or a letter in a group.
func hasOption(args []string, names ...string) bool {
	for _, a := range args {
		for _, n := range names {
			long := strings.HasPrefix(n, "--")
			if a == n || long && strings.HasPrefix(a, n+"=") {
				return true
			}
			if !long && len(n) == 2 && letters(a) && strings.Contains(a[1:], n[1:]) {
				return true
			}
		}
	}
	return false
}

// letters reports whether an argument is a group of options of one letter each.
func letters(a string) bool { return strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") }

// fits reports whether arguments have one of some words, if there are any without "!", and none that is behind "!". A
// word is an option, the first argument that is no option, or how many there are of these.
func fits(words string, args []string) bool {
	names, found, asked := positional(args), false, false
	for word := range strings.FieldsSeq(words) {
		word, not := strings.CutPrefix(word, "!")
		has := word == strconv.Itoa(len(names)) || len(names) > 0 && word == names[0] ||
			strings.HasPrefix(word, "-") && hasOption(args, word)
		if not && has {
			return false
		}
		found, asked = found || has && !not, asked || !not
	}
	return found || !asked
}

// special reads a command whose arguments say what it does.
func special(name string, args []string, depth int) (v verdict, known bool) {
	if name == "tar" && len(args) > 0 && !strings.HasPrefix(args[0], "-") { // its oldest form
		args = append([]string{"-" + args[0]}, args[1:]...)
	}
	if words, known := row("looks", name); known {
		if fits(words, args) {
			return looks, true
		}
		return changes, true
	}
	switch name {
	case "awk", "gawk", "mawk":
		return awk(args), true
	case "sed", "gsed":
		return sed(args), true
	case "curl":
		return curl(args), true
	case "find":
		return find(args, depth), true
	case "git":
		return git(args), true
	case "python", "python3":
		return python(args, depth), true
	case "make":
		if hasOption(args, "-n", "--dry-run", "--just-print") {
			return looks, true
		}
		return verdict{kind: Test}, true
	case "perl":
		if hasOption(args, "-i") {
			return changes, true
		}
	case "node":
		if len(args) == 1 && args[0] == "-v" {
			return looks, true
		}
	case "tee":
		if !slices.ContainsFunc(positional(args), func(a string) bool { return !isDiscarded(a) }) {
			return looks, true
		}
		return changes, true
	}
	return verdict{}, false
}

// awk may write to files and run commands: its program says so.
func awk(args []string) verdict {
	for i, a := range args {
		if (a == "-i" || a == "-f") && i+1 < len(args) || awkWrites.MatchString(a) {
			return verdict{}
		}
	}
	return looks
}

var awkWrites = text.NewRegexp(`system\s*\(|\|\s*"|"\s*\||>>|>\s*["$(]|\|&`)

// sed writes with -i, and with the commands w and e of its program.
func sed(args []string) verdict {
	for _, a := range args {
		if strings.HasPrefix(a, "--in-place") || letters(a) &&
			strings.Contains(sedLetters(a), "i") {
			return changes
		}
	}
	if slices.ContainsFunc(args, sedWrites.MatchString) {
		return verdict{}
	}
	return looks
}

// sedLetters are the letters of a group of sed's options, up to one that takes the rest.
func sedLetters(a string) string {
	if i := strings.IndexAny(a, "efl"); i >= 0 {
		return a[:i]
	}
	return a
}

var sedWrites = text.NewRegexp(`(?:^|[;}/0-9$gpI])\s*[wW] ?[A-Za-z./]+\S*$|^[we] |/e$`)

func curl(args []string) verdict {
	if hasOption(args, "-o", "-O", "-T", "-d", "-F", "--output", "--remote-name", "--upload-file",
		"--form", "--json", "--remote-name-all") ||
		slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--data") }) {
		for i, a := range args {
			if (a == "-o" || a == "--output") && i+1 < len(args) && isDiscarded(args[i+1]) {
				return curl(slices.Delete(slices.Clone(args), i, i+2))
			}
		}
		return changes
	}
	for i, a := range args {
		method, has := strings.CutPrefix(a, "--request=")
		if (a == "-X" || a == "--request") && i+1 < len(args) {
			method, has = args[i+1], true
		} else if short, ok := strings.CutPrefix(a, "-X"); ok && short != "" {
			method, has = short, true
		}
		if has && method != "GET" && method != "HEAD" && method != "OPTIONS" {
			return changes
		}
	}
	return looks
}

// find runs what -exec says, for each file.
func find(args []string, depth int) verdict {
	v := looks
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "-delete", "-fprint", "-fprint0", "-fprintf", "-fls":
			return changes
		case "-exec", "-execdir", "-ok", "-okdir":
			inner := args[i+1:]
			if end := slices.IndexFunc(inner, set("; +").has); end >= 0 {
				inner = inner[:end]
			}
			i += len(inner)
			v = v.and(verdictOn(inner, depth+1))
			v.lax = true
		}
	}
	return v
}

func python(args []string, depth int) verdict {
	for i, a := range args {
		if a == "-m" && i+1 < len(args) {
			return verdictOn(args[i+1:], depth+1)
		}
		if !strings.HasPrefix(a, "-") {
			break
		}
	}
	return verdict{}
}

// gitValues are git's own options that take the next word.
var gitValues = []string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"}

func git(args []string) verdict {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if n := 1 + b2i(slices.Contains(gitValues, args[0])); n <= len(args) {
			args = args[n:]
		} else {
			args = nil
		}
	}
	if len(args) == 0 {
		return looks
	}
	verb, rest := args[0], args[1:]
	looking := isIn("gitlooks", verb) && !hasOption(rest, "--output")
	if words, known := row("git", verb); known {
		looking = fits(words, rest)
	}
	switch {
	case looking:
		return verdict{does: Looks, asks: isIn("gitasks", verb)}
	case isIn("gitkeeps", verb):
		return verdict{does: Changes, kind: Commit}
	case isIn("gitchanges", verb):
		return changes
	}
	return verdict{}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
