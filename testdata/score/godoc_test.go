package main

import (
	"errors"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// godocSet asks for symbols of the Go standard library by their doc comments. The
// documents are made from the sources of the toolchain at hand; the questions and what
// answers them are in testdata. What this version of Go lacks is left out.
func godocSet(t *testing.T) *Set {
	t.Helper()
	src := filepath.Join(build.Default.GOROOT, "src")
	if _, err := os.Stat(filepath.Join(src, "strings", "strings.go")); err != nil {
		t.Skip("the sources of the Go standard library are not here: there is nothing to ask for")
	}
	set := &Set{Name: "godoc", Split: "test"}
	var err error
	if set.Docs, err = godocCorpus(src); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, d := range set.Docs {
		known[d.ID] = true
	}
	dir := filepath.Join("testdata", "godoc")
	qrels, err := os.ReadFile(filepath.Join(dir, "qrels", "test.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	relevant, lacking := map[string]map[string]int{}, 0
	for _, line := range strings.Split(strings.TrimSpace(string(qrels)), "\n")[1:] {
		f := strings.Split(line, "\t")
		if !known[f[1]] {
			lacking++
			continue
		}
		if relevant[f[0]] == nil {
			relevant[f[0]] = map[string]int{}
		}
		relevant[f[0]][f[1]] = 1
	}
	err = readJSONL(filepath.Join(dir, "queries.jsonl"), func(b []byte) error {
		q, err := evalQuery(b, relevant)
		if len(q.Relevant) > 0 {
			set.Queries = append(set.Queries, q)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("godoc: this version of Go lacks %d of the answers, and has some to %d questions",
		lacking, len(set.Queries))
	if len(set.Queries) < 80 {
		t.Fatal("so few questions measure nothing")
	}
	return set
}

// godocSkipped are directories without what a user of the library looks for.
var godocSkipped = []string{"internal", "vendor", "cmd", "testdata", "syscall", "builtin"}

// godocCorpus returns the documented exported functions, types and methods of the
// packages below src, in path and then doc order. An id is importpath.Symbol or
// importpath.Type.Method. The files are those of linux/amd64 without experiments, so
// that the corpus depends on nothing but the version of Go.
func godocCorpus(src string) ([]Doc, error) {
	ctx := build.Default
	ctx.GOOS, ctx.GOARCH, ctx.CgoEnabled, ctx.ToolTags = "linux", "amd64", true, nil
	var docs []Doc
	err := filepath.WalkDir(src, func(dir string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() || dir == src {
			return err
		}
		if strings.ContainsAny(e.Name()[:1], "_.") || slices.Contains(godocSkipped, e.Name()) {
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(src, dir)
		if err != nil {
			return err
		}
		pkg, err := ctx.ImportDir(dir, 0)
		if none := (*build.NoGoError)(nil); errors.As(err, &none) {
			return nil
		} else if err != nil {
			return err
		}
		fset := token.NewFileSet()
		var files []*ast.File
		for _, name := range append(pkg.GoFiles, pkg.CgoFiles...) {
			f, err := parser.ParseFile(fset, filepath.Join(dir, name), nil, parser.ParseComments)
			if err != nil {
				return err
			}
			files = append(files, f)
		}
		p, err := doc.NewFromFiles(fset, files, filepath.ToSlash(rel))
		if err != nil {
			return err
		}
		add := func(name, text string) {
			if text = strings.TrimSpace(text); text != "" {
				id := p.ImportPath + "." + name
				docs = append(docs, Doc{ID: id, Title: id, Text: text})
			}
		}
		funcs := func(prefix string, list []*doc.Func) {
			for _, f := range list {
				add(prefix+f.Name, f.Doc)
			}
		}
		funcs("", p.Funcs)
		for _, t := range p.Types {
			add(t.Name, t.Doc)
			funcs("", t.Funcs)
			funcs(t.Name+".", t.Methods)
		}
		return nil
	})
	return docs, err
}
