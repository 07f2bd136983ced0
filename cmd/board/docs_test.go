package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/cost"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/testdata/expect"
)

// A shown command is one that a document shows: the README, a help page, a command's help, a
// package's documentation.
type shown struct {
	where string
	words []string // without "board"
}

// TestDocsShowWhatExists: each command that a document shows exists, with the flags that it is
// shown with, and something runs it with each of these flags: a script in testdata/script, or
// TestDocsRun.
func TestDocsShowWhatExists(t *testing.T) {
	t.Parallel()
	p := &program{&base.Program{Env: func(string) string { return "" }}}
	commands := p.commands()
	ran := map[string]bool{} // "kb search", "kb search --mode"
	note := func(words []string) {
		if path, flags, err := pathAndFlags(commands, words); err == nil {
			ran[path] = true
			for _, f := range flags {
				ran[path+" "+f] = true
			}
		}
	}
	scripts, err := filepath.Glob(filepath.Join(repo(t), "testdata", "script", "*.txtar"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, name := range scripts {
		for line := range strings.Lines(readFile(t, name)) {
			for _, words := range boardCommands(line) {
				note(words)
			}
		}
	}
	for _, s := range sessions(t) {
		for _, c := range s.commands {
			if !notRunHere.MatchString(c.line) {
				for _, words := range boardCommands(c.line) {
					note(words)
				}
			}
		}
	}
	all := shownCommands(t, commands)
	if len(all) < 200 {
		t.Fatalf("only %d commands are shown: are they still found?", len(all))
	}
	for _, s := range all {
		if len(s.words) > 1 && s.words[0] == "help" {
			if _, ok := helpPage(s.words[1]); !ok && s.words[1] != "all" && byName(commands, s.words[1]) == nil {
				t.Errorf("%s shows `board %s`, which has no page and is no command", s.where, strings.Join(s.words, " "))
			}
			continue
		}
		path, flags, err := pathAndFlags(commands, s.words)
		group := len(s.words) == 1 && err == nil && len(byName(commands, path).Subcommands) > 0
		if err != nil {
			t.Errorf("%s shows `board %s`: %v", s.where, strings.Join(s.words, " "), err)
			continue
		}
		if !ran[path] && !group {
			t.Errorf("%s shows `board %s`, which no script runs", s.where, path)
		}
		for _, f := range flags {
			if !ran[path+" "+f] {
				t.Errorf("%s shows `board %s %s`, which no script runs with that flag", s.where, path, f)
			}
		}
	}
}

// pathAndFlags is the command that words are of, and the flags among them under their first names.
func pathAndFlags(commands []*cli.Command, words []string) (string, []string, error) {
	if len(words) == 1 && (words[0] == "--help" || words[0] == "--version") {
		return "version", nil, nil
	}
	path, rest, err := findCommand(commands, words)
	if err != nil {
		return "", nil, err
	}
	if len(path) == 0 {
		return "", nil, fmt.Errorf("no command")
	}
	var flags []string
	leaf := path[len(path)-1]
	for _, w := range rest {
		name, _, _ := base.CutFlag(w)
		if name == "" || name == "help" || name == "h" || !looksLikeFlag(w) {
			continue
		}
		i := slices.IndexFunc(leaf.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
		if i < 0 {
			return "", nil, fmt.Errorf("there is no flag %s", w)
		}
		flags = append(flags, "--"+leaf.Flags[i].Names()[0])
	}
	return names(path), flags, nil
}

// boardCommands are the words of each call of board in a line of a shell or a script, those in
// quotes and substitutions too.
func boardCommands(line string) (calls [][]string) {
	line = strings.TrimSpace(line)
	for _, inner := range regexp.MustCompile(`[$<]\(([^()]*)\)|'([^']*)'`).FindAllStringSubmatch(line, -1) {
		if text := inner[1] + inner[2]; strings.Contains(text, "board ") {
			calls = append(calls, boardCommands(text)...)
		}
	}
	var words []string
	var word strings.Builder
	started, quote := false, rune(0)
	endWord := func() {
		if started {
			words = append(words, word.String())
		}
		word.Reset()
		started = false
	}
	endCommand := func() {
		endWord()
		if i := slices.Index(words, "--"); i >= 0 && i+1 < len(words) && words[i+1] == "board" { // claude mcp add board -- board mcp
			words = words[i+1:]
		}
		if len(words) > 0 && words[0] == "make" { // make -C board install
			words = nil
		}
		for len(words) > 0 && words[0] != "board" { // ! exec, exits 3, FOO=bar, time
			words = words[1:]
		}
		if len(words) > 1 {
			calls = append(calls, words[1:])
		}
		words = nil
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, started = r, true
		case r == '#' && !started:
			endCommand()
			return calls
		case r == ' ' || r == '\t':
			endWord()
		case strings.ContainsRune("|&;()<>", r):
			endCommand()
		default:
			started = true
			word.WriteRune(r)
		}
	}
	endCommand()
	return calls
}

var (
	// inCode is a command in backquotes; inProse one that stands in a text without them, with the
	// flags and values in capitals that follow it.
	inCode  = regexp.MustCompile("`board ([^`]+)`")
	inProse = regexp.MustCompile(`\bboard ([a-z]+(?: [a-z]+)?(?: +(?:--[a-z0-9-]+|[A-Z][A-Z0-9=|,…]+))+)`)
)

// shownCommands are those of all documents.
func shownCommands(t *testing.T, commands []*cli.Command) (all []shown) {
	add := func(where, text string, find *regexp.Regexp) {
		for _, m := range find.FindAllStringSubmatch(text, -1) {
			words := strings.Fields(strings.NewReplacer("…", " ", "|", " ").Replace(m[1]))
			placeholder := strings.ToUpper(words[0]) == words[0] || len(words) > 1 && words[0] == "help" && strings.ToUpper(words[1]) == words[1]
			if placeholder || find == inProse && byName(commands, words[0]) == nil { // "board COMMAND"; "the board needs --run"
				continue
			}
			all = append(all, shown{where, words})
		}
	}
	for _, s := range sessions(t) {
		for _, c := range s.commands {
			for _, words := range boardCommands(c.line) {
				all = append(all, shown{s.name, words})
			}
		}
	}
	add("README.md", readFile(t, filepath.Join(repo(t), "README.md")), inCode)
	for _, name := range pageOrder {
		text, _ := helpPage(name)
		add("board help "+name, text, inCode)
		add("board help "+name, text, inProse)
	}
	var walk func(parent string, level []*cli.Command)
	walk = func(parent string, level []*cli.Command) {
		for _, c := range level {
			name := strings.TrimSpace(parent + " " + c.Name)
			add("board "+name+" --help", c.Description, inCode)
			add("board "+name+" --help", c.Description, inProse)
			walk(name, c.Subcommands)
		}
	}
	walk("", commands)
	comment := regexp.MustCompile(`(?m)^\s*//.*$`)
	expect.OK(t, filepath.WalkDir(repo(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		name, err := filepath.Rel(repo(t), path)
		add(name, strings.Join(comment.FindAllString(readFile(t, path), -1), "\n"), inCode)
		return err
	}))
	return all
}

func readFile(t *testing.T, name string) string {
	data := expect.Value(os.ReadFile(name))(t)
	return string(data)
}

// A session is what somebody would type who follows a document: the commands of a help page, or of
// a section of the README, one after the other.
type session struct {
	name     string
	commands []docCommand
}

type docCommand struct {
	line   string
	exit   int    // from a comment such as "# exit 3: closed", or anyExit
	prints string // what must be in its output, from a comment such as "# prints tmux"
	output string // what the document shows below it; "" for nothing
}

const anyExit = -1

// notRunHere are lines that want a network, a terminal, another program, or somebody who answers.
// Scripts run these commands (TestDocsShowWhatExists), with a server or a terminal of their own.
var notRunHere = regexp.MustCompile(`^(make|go|git|claude|man) |^board (man \||model |daemon run|setup claude codex|tui|demo)`)

var (
	exitComment   = regexp.MustCompile(`#.*\bexit (\d)`)
	printsComment = regexp.MustCompile(`# prints (\S+)`)
)

// sessions are those of all pages, and of the README's sections.
func sessions(t *testing.T) (all []session) {
	for _, name := range pageOrder {
		text, ok := helpPage(name)
		if !ok {
			t.Fatalf("there is no page %q", name)
		}
		if s := (session{"board help " + name, examples(text, false)}); len(s.commands) > 0 {
			all = append(all, s)
		}
	}
	section := ""
	block, inBlock := "", ""
	s := session{}
	for line := range strings.Lines(readFile(t, filepath.Join(repo(t), "README.md"))) {
		switch {
		case strings.HasPrefix(line, "```") && inBlock == "":
			inBlock, block = strings.TrimSpace(line[3:]), ""
			if inBlock == "" {
				t.Errorf("README.md, %s: a block without a language", section)
				inBlock = "none"
			}
		case strings.HasPrefix(line, "```"):
			switch inBlock {
			case "sh":
				var prompted strings.Builder
				for l := range strings.Lines(block) {
					if strings.TrimSpace(l) != "" && !strings.HasPrefix(l, "#") {
						prompted.WriteString("$ " + l)
					}
				}
				s.commands = append(s.commands, examples(prompted.String(), false)...)
			case "console":
				s.commands = append(s.commands, examples(block, true)...)
			case "yaml":
				for _, m := range regexp.MustCompile(`(?m)^[ -]*run: (.*)$`).FindAllStringSubmatch(block, -1) {
					s.commands = append(s.commands, examples("$ "+m[1]+"\n", false)...)
				}
			}
			inBlock = ""
		case inBlock != "":
			block += line
		case strings.HasPrefix(line, "#"):
			if len(s.commands) > 0 {
				all = append(all, s)
			}
			section = strings.TrimSpace(strings.TrimLeft(line, "#"))
			s = session{name: "README.md, " + section}
		}
	}
	if len(s.commands) > 0 {
		all = append(all, s)
	}
	return all
}

// examples are the lines of a text that begin with "$ ", with what follows in the next lines while
// a line ends with a backslash or in a quotation; withOutput also takes what stands below each,
// which then says enough of how it ends.
func examples(text string, withOutput bool) (all []docCommand) {
	open := false
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch command, ok := strings.CutPrefix(trimmed, "$ "); {
		case open:
			all[len(all)-1].line += "\n" + trimmed
		case ok:
			all = append(all, docCommand{line: command})
			if withOutput {
				all[len(all)-1].exit = anyExit
			}
		case withOutput && len(all) > 0:
			all[len(all)-1].output += line
			continue
		default:
			continue
		}
		last := &all[len(all)-1]
		if m := exitComment.FindStringSubmatch(trimmed); m != nil {
			last.exit = int(m[1][0] - '0')
		}
		if m := printsComment.FindStringSubmatch(trimmed); m != nil {
			last.prints = m[1]
		}
		code, _, _ := strings.Cut(last.line, " #")
		code = strings.TrimSpace(code)
		open = strings.HasSuffix(code, `\`) || strings.HasSuffix(code, "|") || strings.Count(code, "'")%2 == 1
	}
	return all
}

// before is what is there before a session begins: the reader's own files, and the run that the
// text speaks of.
var before = map[string]string{
	"README.md, board": `
export BOARD_RUN=audit-7 BOARD_WORKER=reader-1
printf 'Tokens expire after 30 days.\n' >notes.txt
printf 'trace: {max_unsupported: 0}\n' >board.yaml
board start --goal 'How long do tokens live?' --sources notes.txt
board post 'Tokens expire after 30 days' --source notes.txt:1 --quote 'expire after 30 days' --must
printf 'Tokens expire after 30 days. Each costs 12 euros.\n' >report.md`,
	"README.md, Quick start": `mkdir src
printf 'expiry: never\n' >src/auth.go
printf 'job deleted in March\n' >src/cron.log
printf 'Tokens never expire.\n' >report.md
printf 'Nobody rotates the keys: the job was deleted in March.\n' >>report.md`,
	"README.md, In CI": `
mkdir docs
printf 'Tokens never expire.\n' | tee report.md >docs/auth.md
export GITHUB_STEP_SUMMARY=$PWD/summary.md
board post 'Tokens never expire' --run exported --must-surface
board export --run exported -o run.jsonl`,
	"board help run": `printf 'Tokens never expire.\n' >report.md`,
	"board help check": `
export BOARD_RUN=audit-7 BOARD_WORKER=reader-1
mkdir docs
printf 'Tokens never expire. Keys are rotated every 90 days.\n' >docs/auth.md
board post 'Tokens never expire' --source-doc auth.md --evidence 'Tokens never expire.' --must-surface
board post 'Keys last 80 days' --source-doc auth.md --evidence 'rotated every 80 days'
printf 'Tokens never expire. That costs $8,060 a year.\n' >report.md`,
	"board help ci": `
mkdir docs
printf 'Tokens never expire.\n' | tee report.md >docs/auth.md
board post 'Tokens never expire' --run audit --must-surface`,
	"board help gate": `
export BOARD_RUN=audit-7 BOARD_WORKER=reader-1
board post 'Tokens never expire' --must-surface
board post 'Tokens expire after a day' --contradicts e1
board signal 'Who rotates the keys?' --priority high`,
	"board help survival": `
export BOARD_RUN=audit-7 BOARD_WORKER=reader-1
board post 'Tokens never expire' --must-surface
board post 'The runbook says that keys rotate monthly' --must-surface
printf 'Tokens never expire.\n' >report.md
printf '<p>Keys are kept in the vault.</p>\n' >appendix.html`,
	"board help verify": `
export BOARD_RUN=audit-7 BOARD_WORKER=reader-1
mkdir docs
printf '# Auth\n\nTokens never expire. Keys are rotated every 90 days.\n' >docs/auth.md`,
	"board help trace": `
export BOARD_RUN=audit-7 BOARD_WORKER=reader-1
board post 'Tokens expire after 30 minutes' --source-doc auth.go
mkdir docs
printf 'Keys rotate every 90 days.\n' >docs/runbook.md
printf 'Tokens expire after half an hour, 30 minutes. Keys rotate every 90 days. 14 keys are lost.\n' >report.md`,
	"board help search": `
board kb remember 'capture-pane drops trailing spaces without -J.' --title 'tmux: trailing spaces' --kind gotcha --tags tmux`,
	"board help api": `
export BOARD_RUN=audit-7 BOARD_WORKER=reader-1
printf 'Tokens never expire. Nobody rotates the keys.\n' >report.md`,
	"board help output": `export BOARD_RUN=audit-7 BOARD_WORKER=reader-1`,
}

// capsuleID is an id that is another one each time.
var capsuleID = regexp.MustCompile(`\bk[0-9a-z]{9}\b`)

// TestDocsRun follows each document: its commands run one after the other in one shell, each ends
// as the document says, and where output is shown it is that.
func TestDocsRun(t *testing.T) {
	cost.SkipShort(t)
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash: the documents' commands are not run")
	}
	known := map[string]bool{}
	for _, s := range sessions(t) {
		known[s.name] = true
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			dir := filepath.Join(home, "project") // a workspace; a home directory is none
			expect.OK(t, os.Mkdir(dir, 0o777))
			var script strings.Builder
			fmt.Fprintf(&script, "{ set -e\n%s\nset +e; } >before.txt 2>&1 || { cat before.txt; exit 99; }\n", before[s.name])
			for i, c := range s.commands {
				if notRunHere.MatchString(c.line) {
					continue
				}
				fmt.Fprintf(&script, "{ %s\n} >out.%d 2>&1\ncode=$?\n", c.line, i)
				if c.exit != anyExit {
					fmt.Fprintf(&script, "[ $code = %d ] || { echo 'command %d: exit '$code', want %d'; cat out.%d; exit 99; }\n", c.exit, i, c.exit, i)
				}
			}
			cmd := exec.Command(bash, "-c", script.String())
			cmd.Dir = dir
			cmd.Env = append(slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "BOARD_") || strings.HasPrefix(e, "XDG_") }),
				"HOME="+home, "BOARD_HOME="+filepath.Join(home, "data"), "BOARD_DAEMON=off", "NO_COLOR=1", "BOARD_HOOK_TIMEOUT=1m", "BOARD_WORKER=reader", "BOARD_TEST_REPO="+repo(t))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s\nthe commands:\n%s", err, out, numbered(s.commands))
			}
			for i, c := range s.commands {
				if c.prints != "" && !strings.Contains(readFile(t, filepath.Join(dir, fmt.Sprintf("out.%d", i))), c.prints) {
					t.Errorf("%s does not print %s, but\n%s", c.line, c.prints, readFile(t, filepath.Join(dir, fmt.Sprintf("out.%d", i))))
				}
				if c.output == "" || notRunHere.MatchString(c.line) {
					continue
				}
				got := capsuleID.ReplaceAllString(strings.TrimSpace(readFile(t, filepath.Join(dir, fmt.Sprintf("out.%d", i)))), "ID")
				want := capsuleID.ReplaceAllString(strings.TrimSpace(c.output), "ID")
				if got != want {
					t.Errorf("%s prints\n%s\nand the document shows\n%s", c.line, got, want)
				}
			}
		})
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if !known[name] {
			t.Errorf("no document has the session %q any more", name)
		}
	}
}

func numbered(commands []docCommand) string {
	var b bytes.Buffer
	for i, c := range commands {
		fmt.Fprintf(&b, "%d: %s\n", i, c.line)
	}
	return b.String()
}

// TestPages: the list has every page, each with a line that says what it is about, and no alias
// leads nowhere.
func TestPages(t *testing.T) {
	files := expect.Value(pages.ReadDir("pages"))(t)
	for _, f := range files {
		if name := strings.TrimSuffix(f.Name(), filepath.Ext(f.Name())); !slices.Contains(pageOrder, name) {
			t.Errorf("the list of pages lacks %s", name)
		}
	}
	for _, name := range pageOrder {
		text, ok := helpPage(name)
		first, rest, _ := strings.Cut(text, "\n")
		if !ok || first == "" || !strings.HasPrefix(rest, "\n") || !strings.HasSuffix(text, "\n") {
			t.Errorf("the page %s has no first line with an empty one after it, or no end: %.60q", name, text)
		}
	}
	for alias, name := range pageAliases() {
		if _, ok := helpPage(name); !ok || alias == name {
			t.Errorf("the alias %s leads to %s, which is no page", alias, name)
		}
	}
	if _, ok := helpPage("../docs_test"); ok {
		t.Error("a page outside of the pages is shown")
	}
}

// TestAPIPage compares the page's table of errors with that of package fault.
func TestAPIPage(t *testing.T) {
	text, ok := helpPage("api")
	if !ok {
		t.Fatal("there is no page api")
	}
	_, table, _ := strings.Cut(text, "Errors have the form")
	rows := strings.Split(strings.ReplaceAll(table, "\n      ", " "), "\n") // with what goes on in the next line
	for k := fault.Failure; k <= fault.Away; k++ {
		word, status := regexp.MustCompile(`\b`+k.Code()+`\b`), fmt.Sprint(k.Status())
		if !slices.ContainsFunc(rows, func(row string) bool { return word.MatchString(row) && strings.Contains(row, status) }) {
			t.Errorf("%s with the status %s is not in the table", k.Code(), status)
		}
	}
}
