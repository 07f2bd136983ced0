package shell

import (
	_ "embed"
	"path"
	"slices"
	"strings"

	"blackboard/board/text"
)

//go:embed tools.txt
var tools string

// optionsOf lists options of a tool: those with which it does no less, or, with in, those
// with which it works elsewhere.
func optionsOf(name string, in bool) set {
	var own, other string
	known := false
	for line := range strings.Lines(tools) {
		names, options, _ := strings.Cut(line, ": ")
		names, elsewhere := strings.CutPrefix(names, "in ")
		switch {
		case elsewhere != in || strings.HasPrefix(line, "#"):
		case set(names).has(name):
			known, own = true, own+options
		case names == "all":
			own += options
		case names == "other":
			other = options
		}
	}
	if known || in {
		return set(own)
	}
	return set(own + other)
}

// isMild reports whether an option makes its tool do no less, whether it takes the next word
// as its value, and whether it makes it do more. value is what follows its = sign.
func isMild(name, option, value string) (mildly, takes, more bool) {
	for known := range strings.FieldsSeq(string(optionsOf(name, false))) {
		plain := strings.TrimRight(known, "=+?")
		switch {
		case plain == option:
			takes = strings.Contains(known, "=") || strings.Contains(known, "?") &&
				value != "" && strings.Trim(value, "0123456789") == ""
			return true, takes, strings.HasSuffix(known, "+")
		case plain == option+"="+value: // --watch=false, but no other
			return true, false, false
		}
	}
	switch {
	case name == "pytest" && letters(option) && strings.Trim(option[1:], "qvxsl") == "",
		name == "pytest" && (strings.HasPrefix(option, "-n") || strings.HasPrefix(option, "-r")),
		(name == "cargo" || name == "make" || name == "ctest" || name == "ninja") && numbered.MatchString(option),
		name == "mvn" && strings.HasPrefix(option, "-Dstyle.color"), name == "mvn" && strings.HasPrefix(option, "-T"):
		return true, false, false
	}
	return false, false, false
}

var numbered = text.NewRegexp(`^-(?:j[0-9]*|T[0-9.]+C?|v+)$`)

// task is a command as it is compared: what it is told to do, and what does not matter.
type task struct {
	name, dir   string
	words, more []string
}

// letter matches what is no option.
var letter = text.NewRegexp(`^[\w./]`)

// taskOf reads a command. dir is where it runs.
func taskOf(words []string, dir string) task {
	words = slices.Clone(words)
	name := baseName(words[0])
	if set("php node ruby perl tsx").has(name) && len(words) > 1 && letter.MatchString(words[1]) &&
		strings.Contains(words[1], "/") {
		return taskOf(words[1:], dir) // php vendor/bin/phpunit
	}
	if plain := strings.TrimRight(name, "0123456789."); (plain == "python" || plain == "py" || plain == "pypy") && len(words) > 2 {
		rest := words[1:]
		for len(rest) > 1 && (rest[0] == "-u" || rest[0] == "-W" || rest[0] == "-B") {
			rest = rest[1:]
		}
		name = plain
		if rest[0] == "-m" {
			words, name = rest[1:], baseName(rest[1])
		}
	} else if slices.Contains(shells, name) && len(positional(words[1:])) > 0 && !hasOption(words[1:], "-n") {
		words = positional(words[1:]) // sh test.sh
		name = scriptOf(words[0], dir)
	} else if strings.Contains(words[0], "/") && !isIn("tests", name) && !isIn("packages", name) &&
		!set("gradlew mvnw terraform dotnet node").has(name) {
		name = scriptOf(words[0], dir)
	}
	switch name {
	case "gradlew":
		name = "gradle"
	case "mvnw":
		name = "mvn"
	case "py.test":
		name = "pytest"
	case "pip3":
		name = "pip"
	}
	t := task{name: name, dir: dir}
	t.read(words[1:])
	return t
}

// scriptOf is the path of a script.
func scriptOf(name, dir string) string {
	if name = slashed(name); path.IsAbs(name) || windows.MatchString(name) {
		return name
	}
	return path.Join(dir, name)
}

// read sorts the arguments of a command.
func (t *task) read(args []string) {
	dirs := optionsOf(t.name, true)
	verb := ""
	for i := 0; i < len(args); i++ {
		a := args[i]
		key, value, glued := a, "", false
		if strings.HasPrefix(a, "-") {
			key, value, glued = strings.Cut(a, "=")
		}
		next := ""
		if i+1 < len(args) {
			next = args[i+1]
		}
		if dirs.has(key) && (t.name != "pnpm" || verb == "" || key != "-C") {
			to := value
			if !glued {
				to, i = next, i+1
			}
			t.cd(to)
			continue
		}
		if !strings.HasPrefix(a, "-") {
			if t.addWord(a, verb) && verb == "" {
				verb = a
			}
			continue
		}
		if t.name == "tsc" && (key == "-p" || key == "--project") && set("tsconfig.json ./tsconfig.json .").has(next) {
			i++
			continue
		}
		probe := value
		if !glued {
			probe = next
		}
		mildly, takes, more := isMild(t.name, key, probe)
		switch {
		case mildly && more:
			t.more = append(t.more, a)
			if takes && !glued {
				i++
			}
		case mildly:
			if takes && !glued && (next == "" || !strings.HasPrefix(next, "-")) {
				i++
			}
		default:
			t.words = append(t.words, key)
			if glued {
				t.words = append(t.words, value)
			}
		}
	}
}

func (t *task) cd(to string) {
	to = slashed(to)
	if ext := path.Ext(to); ext == ".xml" || ext == ".toml" {
		to = path.Dir(to)
	}
	w := walker{scope: scope{dir: t.dir}}
	w.cd(to)
	t.dir = w.dir
}

// addWord adds an argument that is no option; false if it is none of the task.
func (t *task) addWord(a, verb string) bool {
	switch t.name {
	case "npm", "yarn", "pnpm":
		switch {
		case verb == "" && (a == "t" || a == "tst"):
			a = "test"
		case verb == "" && (a == "run" || a == "run-script"):
			return false // npm run test is npm test
		}
	case "cargo":
		switch {
		case strings.HasPrefix(a, "+"):
			return false
		case verb == "" && len(a) == 1:
			a = map[string]string{"t": "test", "b": "build", "c": "check", "r": "run"}[a]
		}
	case "make", "gmake":
		if name, value, ok := strings.Cut(a, "="); ok && (value == "1" || name == "V") && !narrowing.MatchString(name) {
			return false
		}
	case "vitest":
		if verb == "" && a == "run" {
			return false
		}
	}
	if strings.HasPrefix(a, "./") && a != "./..." || strings.HasSuffix(a, "/") && len(a) > 1 {
		a = path.Clean(a)
	}
	t.words = append(t.words, a)
	return true
}

// covers reports whether a command that ran did all that another one is to do.
func (t *task) covers(want *task) bool {
	if t.name != want.name {
		return false
	}
	for _, m := range want.more {
		if !slices.Contains(t.more, m) {
			return false
		}
	}
	have, need := slices.Clone(t.words), []string{}
	for _, n := range want.words {
		if i := slices.Index(have, n); i >= 0 {
			have = slices.Delete(have, i, i+1)
		} else {
			need = append(need, n)
		}
	}
	options := slices.ContainsFunc(have, func(s string) bool { return strings.HasPrefix(s, "-") })
	switch t.name {
	case "make", "gmake", "just", "task", "mvn", "gradle", "rake":
		return len(need) == 0 && !options && !slices.ContainsFunc(have, func(s string) bool { return strings.Contains(s, "=") }) &&
			len(want.words) > 0
	case "go":
		if options || len(want.words) == 0 || len(t.words) == 0 || t.words[0] != want.words[0] {
			return false
		}
		return !slices.ContainsFunc(need, func(n string) bool {
			return !slices.ContainsFunc(t.words[1:], func(p string) bool { return holds(p, n) })
		})
	case "pytest", "eslint", "ruff", "mypy", "black", "flake8", "prettier", "rspec", "rubocop":
		whole := slices.Contains(t.words, ".") || t.name == "pytest" && len(t.words) == 0
		if whole { // of a tree, all its parts
			need = slices.DeleteFunc(need, func(s string) bool { return !strings.HasPrefix(s, "-") && !strings.Contains(s, "::") && s != ".." })
			have = slices.DeleteFunc(have, func(s string) bool { return s == "." })
		}
		if options || len(need) > 0 {
			return false
		}
		return len(have) == 0 || slices.ContainsFunc(want.words, func(s string) bool { return strings.ContainsAny(s, "./") || t.name == "pytest" })
	}
	return len(have)+len(need) == 0
}

// holds reports whether a pattern of Go's packages has all of another one.
func holds(pattern, other string) bool {
	all, ok := strings.CutSuffix(pattern, "...")
	all = strings.TrimPrefix(all, "./")
	return ok && strings.HasPrefix(strings.TrimSuffix(strings.TrimPrefix(other, "./"), "...")+"/", all)
}

// sameDir reports whether a command ran in the directory that is meant. Of one below a home that is not known, the
// meant one must end in the rest.
func sameDir(have, want string) bool {
	have, want = slashed(have), slashed(want)
	if windows.MatchString(want) {
		have, want = strings.ToLower(have), strings.ToLower(want)
	}
	if rest, ok := strings.CutPrefix(have, "~"); ok && rest != "" {
		return strings.HasSuffix(want, rest)
	}
	return have == want
}
