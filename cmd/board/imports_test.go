package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blackboard/testdata/expect"
)

// testImports is what the tests of every package may import as well.
var testImports = []string{"github.com/jackc/pgx/v5", "github.com/charmbracelet/x/exp/teatest", "github.com/rogpeppe/go-internal/testscript", "modernc.org/sqlite", "github.com/modelcontextprotocol/go-sdk", "github.com/charmbracelet/lipgloss", "golang.org/x/term"}

// topLevel is all that may lie at the top.
var topLevel = []string{".ci", ".git", ".gitignore", "CHANGELOG.md", "LICENSE", "Makefile", "README.md", "board", "cmd", "embed", "go.mod", "go.sum", "hooks", "kb", "testdata", "tui"}

var root = filepath.Join("..", "..")

// ownModule stands before the imports that are the program's own.
const ownModule = "blackboard/"

// goFile is a file of the program: its package as a path from the top.
type goFile struct{ path, pkg string }

func (f goFile) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// goFiles reads the folders instead of asking the go command, whose answers a cached test would
// never see change.
func goFiles(t *testing.T) []goFile {
	t.Helper()
	var files []goFile
	expect.OK(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !d.IsDir() && filepath.Ext(path) == ".go" {
			pkg, err := filepath.Rel(root, filepath.Dir(path))
			files = append(files, goFile{path, filepath.ToSlash(pkg)})
			return err
		}
		return nil
	}))
	if len(files) < 10 {
		t.Fatalf("only %d Go files were found: the test looks in the wrong place", len(files))
	}
	return files
}

func (f goFile) imports(t *testing.T) []string {
	t.Helper()
	file := expect.Value(parser.ParseFile(token.NewFileSet(), f.path, nil, parser.ImportsOnly))(t)
	var names []string
	for _, spec := range file.Imports {
		name := expect.Value(strconv.Unquote(spec.Path.Value))(t)
		names = append(names, name)
	}
	return names
}

// TestImports holds the packages to the plan of the house, and the exceptions to what is needed.
func TestImports(t *testing.T) {
	checkTopLevel(t)
	needed, taken, found := map[[2]string]bool{}, map[[2]string]bool{}, map[string]bool{}
	for _, f := range goFiles(t) {
		found[f.pkg] = true
		for _, name := range f.imports(t) {
			own, isOwn := strings.CutPrefix(name, ownModule)
			switch {
			case isOwn && (f.isTest() || planned(f.pkg, own)), !isOwn && isStandard(name):
			case isOwn && slices.Contains(exceptions[f.pkg], own):
				needed[[2]string{f.pkg, own}] = true
			case isOwn:
				t.Errorf("%s imports %s: the plan of the house (house_test.go) lets %s import %q", f.path, own, f.pkg, rooms[roomOf(f.pkg)])
			case f.isTest() && isBelowAny(name, testImports):
			case isBelowAny(name, libraries[f.pkg]):
				taken[[2]string{f.pkg, above(name, libraries[f.pkg])}] = true
			default:
				t.Errorf("%s imports %s, which is none of its libraries in house_test.go", f.path, name)
			}
		}
	}
	shrinks(t, "exceptions", exceptions, needed)
	shrinks(t, "libraries", libraries, taken)
	for pkg := range found {
		if _, isRoom := rooms[pkg]; !isRoom && !hasKey(movesTo, pkg) {
			t.Errorf("the package %s is neither in rooms nor in movesTo of house_test.go", pkg)
		}
	}
	for pkg := range movesTo {
		if !found[pkg] {
			t.Errorf("movesTo in house_test.go: there is no package %s any more: take its line out", pkg)
		}
	}
}

func hasKey(m map[string]string, key string) bool { _, ok := m[key]; return ok }

func checkTopLevel(t *testing.T) {
	t.Helper()
	ignore := expect.Value(os.ReadFile(filepath.Join(root, ".gitignore")))(t)
	allowed := slices.Clone(topLevel)
	for line := range strings.Lines(string(ignore)) { // what git ignores is no part of the layout
		allowed = append(allowed, strings.Trim(line, "/\n"))
	}
	tops := expect.Value(os.ReadDir(root))(t)
	for _, top := range tops {
		if !slices.ContainsFunc(allowed, func(pattern string) bool {
			ok, _ := filepath.Match(pattern, top.Name())
			return ok
		}) {
			t.Errorf("%s does not belong at the top level", top.Name())
		}
	}
}

// roomOf is where a package stands in the plan, "" for one that leaves.
func roomOf(pkg string) string {
	if room, moves := movesTo[pkg]; moves {
		return room
	}
	return pkg
}

// planned tells whether the plan lets pkg import another one.
func planned(pkg, other string) bool {
	from, to := roomOf(pkg), roomOf(other)
	switch {
	case to == "board/fault" || to == "board/text" || to == "board/disk":
		return true
	case from == "" || to == "" && from != "cmd/board":
		return false
	}
	may := rooms[from]
	return from == to || slices.Contains(may, to) || slices.Contains(may, "*")
}

func isStandard(name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return !strings.Contains(first, ".")
}

func isBelowAny(name string, libraries []string) bool { return above(name, libraries) != "" }

// above is which of the libraries the import is part of, "" if none.
func above(name string, libraries []string) string {
	for _, library := range libraries {
		if name == library || strings.HasPrefix(name, library+"/") {
			return library
		}
	}
	return ""
}

// shrinks fails for each entry of a list that nothing needs any more.
func shrinks(t *testing.T, list string, entries map[string][]string, needed map[[2]string]bool) {
	t.Helper()
	for _, pkg := range slices.Sorted(maps.Keys(entries)) {
		for _, entry := range entries[pkg] {
			if !needed[[2]string{pkg, entry}] {
				t.Errorf("%s in house_test.go: %s does not need %s any more: take it out", list, pkg, entry)
			}
		}
	}
}

// mostSlack is how far below its ceiling a package may lie.
const mostSlack = 150

func TestCeilings(t *testing.T) {
	lines, sum := map[string]int{}, 0
	for _, f := range goFiles(t) {
		if f.isTest() {
			continue
		}
		text := expect.Value(os.ReadFile(f.path))(t)
		lines[f.pkg] += bytes.Count(text, []byte("\n"))
		sum += bytes.Count(text, []byte("\n"))
	}
	for _, pkg := range slices.Sorted(maps.Keys(lines)) {
		ceiling, listed := ceilings[pkg]
		switch n := lines[pkg]; {
		case !listed:
			t.Errorf("%s has no ceiling in house_test.go: it has %d lines", pkg, n)
		case n > ceiling:
			t.Errorf("%s has %d lines, %d above its ceiling in house_test.go", pkg, n, n-ceiling)
		case n < ceiling-mostSlack:
			t.Errorf("%s has %d lines: lower its ceiling in house_test.go from %d to %d", pkg, n, ceiling, (n+50)/10*10)
		}
	}
	for pkg := range ceilings {
		if lines[pkg] == 0 {
			t.Errorf("ceilings in house_test.go: there is no package %s any more: take its line out", pkg)
		}
	}
	t.Logf("%d lines in %d packages", sum, len(lines))
}

// mostPackages is how many packages the house may have: a new one takes the place of another.
const mostPackages = 55

// TestHouseMap: the map in doc.go has all packages and no others, and they stay few.
func TestHouseMap(t *testing.T) {
	text := expect.Value(os.ReadFile("doc.go"))(t)
	there, listed := map[string]bool{}, map[string]bool{}
	for _, f := range goFiles(t) {
		there[f.pkg] = true
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "//\t"); ok {
			listed[strings.Fields(name)[0]] = true
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(there)) {
		if !listed[pkg] {
			t.Errorf("doc.go says nothing of %s", pkg)
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(listed)) {
		if !there[pkg] {
			t.Errorf("doc.go lists %s, which is not there", pkg)
		}
	}
	if len(there) > mostPackages {
		t.Errorf("there are %d packages, at most %d may be: merge one of few lines and one user", len(there), mostPackages)
	}
}
