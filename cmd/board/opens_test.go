package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/testdata/expect"
)

// opened are the functions that open files by themselves, with what they open: files that
// they have made, and others of the program's own. What a directory or a user brings is
// read by package disk, which waits for no pipe, ends before /dev/zero does, and drops no
// lock of a database that is open here. The list only shrinks.
var opened = map[string]string{
	"board/disk/held.go open":               "anything: the one place",
	"board/disk/names_unix.go LockNames":    "a directory, to lock it",
	"board/disk/write.go Temp":              "a new file",
	"board/disk/write.go OpenLog":           "a log, to append to",
	"board/disk/write.go SyncDir":           "a directory",
	"cmd/board/doctor/around.go tryWrite":   "a new file",
	"tui/page/editor.go writeTemporary":     "a new file",
	"board/sqlite/access_other.go mayWrite": "a database, where no lock can be dropped",
	"board/sqlite/foreign.go copyFile":      "a new file",
	"board/sqlite/sqlite.go writable":       "a lock file",
	"cmd/board/runcmd/judge.go initPolicy":  "a new policy",
	"embed/minilm/static.go readStatic":     "a model",
	"cmd/board/base/file.go WriteFileMode":  "a device or a pipe, a new file",
	"cmd/board/daemon/spawn.go Spawn":       "the daemon's log and lock file",
	"cmd/board/demo.go flush":               "the demo's report",
	"cmd/board/doctor/backup.go begin":      "a new file",
	"cmd/board/doctor/backup.go copyOver":   "a copy in the backup",
	"cmd/board/base/editor.go edit":         "a file for the editor",
	"cmd/board/runcmd/judge.go summary":     "a summary, to append to",
	"cmd/board/base/notes.go isDue":         "the mark that something was told",
	"cmd/board/base/source.go CloseSource":  "the mark that the daemon was told of",
	"embed/minilm/fetch.go fetch":           "a model",
	"embed/minilm/fetch.go sumOf":           "a model",
	"embed/minilm/manifest.go write":        "a model",
	"board/ran.go appendSpool":              "receipts, to append to",
	"hooks/seen.go forgetOld":               "a directory",
	"hooks/topics/worklog.go appendTo":      "a worklog",
	"kb/home/commit.go openRepo":            "a git directory, for what lies in it alone",
	"kb/importers/detect.go detectDir":      "a directory",
	"kb/importers/walk.go walk":             "directories",
	"tui/page/editor.go EditText":           "a file for the editor",
}

// TestOpens finds every place of the product that opens a file without SQLite.
func TestOpens(t *testing.T) {
	root := filepath.Join("..", "..")
	found := map[string]bool{}
	for _, top := range []string{"board", "cmd", "embed", "hooks", "kb", "tui"} {
		expect.OK(t, filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, decl := range file.Decls {
				name := "of the package" // a variable's value
				if fn, ok := decl.(*ast.FuncDecl); ok {
					name = fn.Name.Name
				}
				if where := filepath.ToSlash(rel) + " " + name; opensFile(decl) {
					found[where] = true
					if opened[where] == "" {
						t.Errorf("%s opens a file: use package disk", where)
					}
				}
			}
			return nil
		}))
	}
	for where := range opened {
		if !found[where] {
			t.Errorf("%s opens no file any more: take it out of this test's list", where)
		}
	}
}

// opensFile reports whether a declaration opens a file that there may be already.
func opensFile(decl ast.Decl) (found bool) {
	opens := map[string][]string{
		"os":      {"Open", "OpenFile", "Create", "CreateTemp", "ReadFile", "WriteFile", "DirFS", "OpenRoot", "OpenInRoot", "CopyFS"},
		"syscall": {"Open", "Creat"},
		"unix":    {"Open", "Openat", "Openat2", "Creat"},
		"ioutil":  {"ReadFile", "WriteFile"},
	}
	ast.Inspect(decl, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if pkg, ok := s.X.(*ast.Ident); ok && slices.Contains(opens[pkg.Name], s.Sel.Name) {
				found = true
			}
		}
		return true
	})
	return found
}

// TestStoresAreOpenedByHome: runs, the knowledge base, the memory and the context store are opened
// by package home, which knows what is open.
func TestStoresAreOpenedByHome(t *testing.T) {
	stores := map[string][]string{"kb": {"Open", "OpenExisting"}, "memory": {"Open"}, "chunks": {"Open"},
		"board": {"Open", "OpenOrCreate", "Create", "WaitRun"}}
	seen := 0
	root := filepath.Join("..", "..")
	for _, top := range []string{"board", "cmd", "hooks", "kb", "tui"} {
		expect.OK(t, filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				pkg, ok := s.X.(*ast.Ident)
				if !ok || !slices.Contains(stores[pkg.Name], s.Sel.Name) {
					return true
				}
				if seen++; filepath.Base(filepath.Dir(path)) != "home" {
					t.Errorf("%s opens a store by %s.%s: use package home", path, pkg.Name, s.Sel.Name)
				}
				return true
			})
			return nil
		}))
	}
	if seen < 8 {
		t.Errorf("%d stores are opened: are the names still right?", seen)
	}
}
