package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/cmd/board/base"
	"blackboard/hooks/mcp"
	"blackboard/testdata/expect"
)

// domain is what lies below the adapters: it names no command, no flag and no tool.
var domain = []string{"board", "kb", "embed", "hooks/topics", "hooks/setup"}

// mayName are texts of the domain that name what they do not offer, and why.
var mayName = map[string]string{
	"--password-stdin":                        "an option of docker, after what gives it a password",
	"--with-token":                            "an option of gh, after what gives it a token",
	"Written by `board setup`":                "the mark in files that are ours; those of earlier versions have it",
	" --harness ":                             "a part of the command line that a harness is told to run",
	`^ hook ([A-Za-z_]+) --harness ([a-z]+)$`: "the same, to be read again",
}

// inDomain calls fn with every node of the files of the domain, and of directories besides. Tests
// and their helpers are left out, and what is written for CI services: their readers have the command
// line alone.
func inDomain(t *testing.T, fn func(at token.Position, n ast.Node), besides ...string) {
	t.Helper()
	files := 0
	for _, top := range append(besides, domain...) {
		expect.OK(t, filepath.WalkDir(filepath.Join("..", "..", filepath.FromSlash(top)), func(path string, d fs.DirEntry, err error) error {
			switch name := d.Name(); {
			case err != nil:
				return err
			case d.IsDir() && name == "testdata":
				return filepath.SkipDir
			case d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"),
				strings.HasPrefix(filepath.ToSlash(path), "../../board/report/ci"):
				return nil
			}
			files++
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if n != nil {
					fn(set.Position(n.Pos()), n)
				}
				return true
			})
			return nil
		}))
	}
	if files < 50 {
		t.Errorf("only %d files were found: the test looks in the wrong place", files)
	}
}

// literal is a string literal's value, "" for anything else.
func literal(n ast.Node) string {
	if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		s, _ := strconv.Unquote(lit.Value)
		return s
	}
	return ""
}

func TestDomainNamesNoCommand(t *testing.T) {
	p := &program{&base.Program{Env: func(string) string { return "" }}}
	var commands, tools []string
	for _, c := range p.commands() {
		commands = append(commands, regexp.QuoteMeta(c.Name))
	}
	server := mcp.New(mcp.Config{Home: t.TempDir(), Profiles: mcp.Profiles})
	defer server.Close()
	for _, tool := range server.Tools() {
		if strings.Contains(tool, "_") { // one is called by an English word
			tools = append(tools, tool)
		}
	}
	names := regexp.MustCompile(`\bboard (` + strings.Join(commands, "|") + `)\b|(^|[^\w-])--[a-z]|\b(` + strings.Join(tools, "|") + `)\b`)
	used := map[string]bool{}
	inDomain(t, func(at token.Position, n ast.Node) {
		switch s := literal(n); {
		case !names.MatchString(s):
		case mayName[s] != "":
			used[s] = true
		default:
			t.Errorf("%s names %q: %q", at, names.FindString(s), s)
		}
	})
	for s := range mayName {
		if !used[s] {
			t.Errorf("nothing says %q any more", s)
		}
	}
}

// TestSteps sees that each operation that the domain names as the next step is a command with
// such arguments, and each argument of a call a flag.
func TestSteps(t *testing.T) {
	p := &program{&base.Program{Env: func(string) string { return "" }}}
	flags, anyFlag := map[string]map[string]bool{}, map[string]bool{}
	var walk func(prefix string, all []*cli.Command)
	walk = func(prefix string, all []*cli.Command) {
		for _, c := range all {
			flags[prefix+c.Name] = map[string]bool{}
			for _, f := range c.Flags {
				for _, name := range f.Names() {
					flags[prefix+c.Name][name], anyFlag[name] = true, true
				}
			}
			walk(prefix+c.Name+" ", c.Subcommands)
		}
	}
	walk("", p.commands())
	flags["help"] = map[string]bool{} // every program has it
	used := map[string]bool{}
	check := func(at token.Position, op string, args []ast.Expr) {
		used[op] = true
		command, known := base.Commands()[op]
		if !known {
			t.Errorf("%s: no command is known for %s", at, op)
			return
		}
		words := strings.Fields(command)
		var name, positions, given []string
		for _, w := range words {
			if flag, ok := strings.CutPrefix(w, "--"); ok {
				given = append(given, flag)
			} else if w == strings.ToLower(w) {
				name = append(name, w)
			} else {
				positions = append(positions, strings.ToLower(w))
			}
		}
		has, known := flags[strings.Join(name, " ")]
		if !known {
			t.Errorf("%s: there is no command %q", at, strings.Join(name, " "))
		}
		for _, flag := range given {
			if !has[flag] {
				t.Errorf("%s: %q takes no --%s", at, strings.Join(name, " "), flag)
			}
		}
		for i := 0; i+1 < len(args); i += 2 {
			if arg := literal(args[i]); !slices.Contains(positions, arg) && !has[base.FlagFor(arg)] {
				t.Errorf("%s: %q takes no %q", at, command, arg)
			}
		}
	}
	inDomain(t, func(at token.Position, n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return
		}
		fun, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || len(call.Args) < 2 {
			return
		}
		switch of, _ := fun.X.(*ast.Ident); {
		case of == nil:
		case of.Name == "fault" && fun.Sel.Name == "Do" && literal(call.Args[0]) != "":
			check(at, literal(call.Args[0]), call.Args[2:])
		case of.Name == "fault" && fun.Sel.Name == "Give":
			if flag := base.FlagFor(literal(call.Args[0])); !anyFlag[flag] {
				t.Errorf("%s: no command has a flag --%s", at, flag)
			}
		}
	}, "cmd/board/daemon")
	inDomain(t, func(_ token.Position, n ast.Node) { // an operation may name another
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 1 {
			used[literal(call.Args[0])] = true
		}
	}, "hooks/ops")
	for op := range base.Commands() {
		if !used[op] {
			t.Errorf("nothing names %s any more", op)
		}
	}
}

func TestWords(t *testing.T) {
	for want, s := range map[string]fault.Step{
		"`board answer s3 --entry e5`":       fault.Do("signal.address", "{}", "signal", "s3", "entry", "e5"),
		"`board answer`":                     fault.Do("signal.address", "{}"),
		"`board signals --status open`":      fault.Do("signal.list", "{}", "status", "open"),
		"`board kb ingest docs --prune` now": fault.Do("kb.ingest", "{} now", "paths", "docs", "prune", ""),
		"--supersedes k1 replaces it":        fault.Give("supersedes", "k1", "{} replaces it"),
		"--force stores it":                  fault.Give("keep_secret", "", "{} stores it"),
		"":                                   fault.Do("unheard.of", "{}"),
	} {
		if got := s.In(base.CommandFor); got != want {
			t.Errorf("%+v is %q, want %q", s, got, want)
		}
	}
}
