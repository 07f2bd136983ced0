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
)

// opened are the functions that open files by themselves, with what they open. None of it is ever
// a database, a -wal or a -shm: closing one drops the locks of this process on it (package
// sqlite). A path that a user names is opened by sqlite.OpenFile or sqlite.ReadFile.
var opened = map[string]string{
	"board/replace/replace.go SyncDir":          "a directory",
	"board/sqlite/access_other.go mayWrite":     "a database, where no lock can be dropped",
	"board/sqlite/foreign.go copyFile":          "a new file",
	"board/sqlite/held.go OpenFile":             "anything: the one place",
	"board/sqlite/sqlite.go writable":           "a lock file",
	"board/policy/policy.go read":               "a policy",
	"cmd/board/runcmd/check.go initPolicy":      "a new policy",
	"embed/minilm/static.go readStatic":         "a model",
	"cmd/board/base/file.go WriteFileMode":      "a device or a pipe, a new file",
	"cmd/board/daemon/log.go open":              "the daemon's log",
	"cmd/board/daemon/place.go PlaceOf":         "the daemon's note",
	"cmd/board/daemon/server.go Run":            "the daemon's note",
	"cmd/board/daemon/spawn.go Spawn":           "the daemon's log and lock file",
	"cmd/board/daemon/tcp.go Token":             "the daemon's token",
	"cmd/board/daemon/upkeep.go readJournal":    "the daemon's journal",
	"cmd/board/daemon/upkeep.go writeJournal":   "the daemon's journal",
	"cmd/board/daemoncmd.go daemonLogs":         "the daemon's log",
	"cmd/board/demo.go flush":                   "the demo's report",
	"cmd/board/doctor/around.go lookAtNote":     "the daemon's note",
	"cmd/board/doctor/around.go readEnd":        "the hooks' log",
	"cmd/board/doctor/around.go tornTail":       "a worklog",
	"cmd/board/doctor/backup.go begin":          "a new file",
	"cmd/board/doctor/backup.go copyOver":       "a copy in the backup",
	"cmd/board/doctor/repair.go removeSocket":   "the daemon's note",
	"cmd/board/doctor/selftest.go measureFsync": "a new file",
	"cmd/board/doctor/disk_unix.go takeTurn":    "a lock file",
	"cmd/board/database_allow.go databaseAllow": "a note of what was allowed",
	"embed/minilm/dir.go DefaultDir":            "the name of the chosen model",
	"cmd/board/base/editor.go Edit":             "a file for the editor",
	"cmd/board/runcmd/judge.go summary":         "a summary, to append to",
	"cmd/board/base/source.go CloseSource":      "the mark that the daemon was told of",
	"embed/minilm/dir.go checkWeights":          "a model",
	"embed/minilm/dir.go readFile":              "a model",
	"embed/minilm/fetch.go copyFile":            "a model",
	"embed/minilm/fetch.go hashFile":            "a model",
	"embed/minilm/fetch.go openPart":            "a model",
	"embed/minilm/fetch.go resumable":           "a model",
	"embed/minilm/fetch.go sumOf":               "a model",
	"embed/minilm/fetch.go writeTag":            "a model",
	"embed/minilm/manifest.go write":            "a model",
	"kb/chunks/store.go hide":                   "a list of files for git",
	"hooks/log.go logLine":                      "the hooks' log",
	"hooks/prefix.go readPrefix":                "a file of settings",
	"hooks/seen.go forgetOld":                   "a directory",
	"hooks/seen.go openSession":                 "what a session has seen",
	"hooks/seen.go save":                        "what a session has seen",
	"hooks/setup/apply.go tidy":                 "a harness's settings",
	"hooks/setup/check.go read":                 "a harness's settings",
	"hooks/setup/codex.go codex":                "a harness's settings",
	"hooks/harness/cursor.go checkCursor":       "a harness's settings",
	"hooks/harness/settle.go Settle":            "a harness's own record of a session",
	"hooks/setup/disk.go readDisk":              "a harness's settings",
	"hooks/setup/manifest.go readManifest":      "the list of what setup wrote",
	"hooks/topics/file.go openFile":             "a topic, or a worklog",
	"hooks/topics/file.go writeFile":            "a topic",
	"hooks/topics/worklog.go appendTo":          "a worklog",
	"kb/change_files.go readSidecar":            "a sidecar",
	"kb/change_files.go writeTemp":              "a sidecar",
	"kb/importers/detect.go detectDir":          "a directory",
	"kb/importers/walk.go walk":                 "directories",
	"kb/leftovers.go finishPending":             "a note on unfinished sidecars",
	"kb/workspace/workspace.go repository":      "a repository's .git",
	"tui/page/editor.go EditText":               "a file for the editor",
	"tui/checks/survival_pick.go readSome":      "a directory",
}

// TestOpens finds every place of the product that opens a file without SQLite.
func TestOpens(t *testing.T) {
	root := filepath.Join("..", "..")
	found := map[string]bool{}
	for _, top := range []string{"board", "cmd", "embed", "hooks", "kb", "tui"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
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
						t.Errorf("%s opens a file: use sqlite.OpenFile or sqlite.ReadFile if it may be a database, else say in this test what it opens", where)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
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
		"os":      {"Open", "OpenFile", "Create", "ReadFile", "WriteFile", "DirFS", "OpenRoot", "OpenInRoot", "CopyFS"},
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
