package main

import (
	"bytes"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// set changes choices in the tree at root: in the Makefile and wherever they are used.
func set(root string, assignments []string) error {
	old, err := readChoices(root)
	if err != nil {
		return err
	}
	chosen := old
	fields := chosen.fields()
	for _, a := range assignments {
		name, value, ok := strings.Cut(a, "=")
		if !ok || fields[name] == nil {
			return fmt.Errorf(
				"invalid choice %q: give MODULE=, REPOSITORY=, MAINTAINER=, NPM= or PYPI=",
				a,
			)
		}
		*fields[name] = value
	}
	if err := chosen.check(); err != nil {
		return err
	}
	r, err := newReplacer(root, old, chosen)
	if err != nil {
		return err
	}
	changed := 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() &&
			slices.Contains([]string{".git", "bin", "dist", "node_modules"}, d.Name()) {
			return filepath.SkipDir
		}
		if !d.Type().IsRegular() || !isText(path) {
			return nil
		}
		before, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		after, err := r.file(path, before)
		if err != nil || bytes.Equal(before, after) {
			return err
		}
		changed++
		return os.WriteFile(path, after, 0o666) // the file exists, and keeps its mode
	})
	if err == nil {
		fmt.Printf("changed %d files; next: go vet ./...\n", changed)
	}
	return err
}

// isText reports whether a file of this name may hold one of the choices.
func isText(path string) bool {
	switch filepath.Ext(path) {
	case ".go", ".md", ".mod", ".sh", ".tmpl", ".txt", ".txtar", ".yaml", ".yml":
		return true
	}
	return filepath.Base(path) == "Makefile" || filepath.Base(path) == "run"
}

// replacer puts one set of choices into files in the place of another.
type replacer struct {
	old, new choices
	// path is the old module's path before one of its packages or a pattern. A path of the
	// file system that has the same name in it is none.
	path *regexp.Regexp
	// module is the whole path as a directive of go.mod has it.
	module     *regexp.Regexp
	repository *regexp.Regexp
}

func newReplacer(root string, old, chosen choices) (*replacer, error) {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	var dirs []string
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			dirs = append(dirs, regexp.QuoteMeta(e.Name()))
		}
	}
	module := regexp.QuoteMeta(old.Module)
	return &replacer{
		old: old, new: chosen,
		path: regexp.MustCompile(
			`(^|[^\w./~$}-])` + module + `(/(?:(?:` + strings.Join(dirs, "|") + `)\b|\.\.\.|"))`,
		),
		module: regexp.MustCompile(
			`(?m)(^module |^replace |^require |^\t|` + "`replace )" + module + `( |$)`,
		),
		repository: regexp.MustCompile(regexp.QuoteMeta(old.Repository) + `\b`),
	}, nil
}

func (r *replacer) file(path string, text []byte) ([]byte, error) {
	if filepath.Base(path) == "Makefile" {
		fields := r.new.fields()
		text = assignment.ReplaceAllFunc(text, func(line []byte) []byte {
			name, _, _ := strings.Cut(string(line), " ")
			if value := fields[name]; value != nil {
				return []byte(name + " = " + *value)
			}
			return line
		})
	}
	before := text
	text = r.repository.ReplaceAllLiteral(text, []byte(r.new.Repository))
	text = r.path.ReplaceAll(
		text,
		[]byte("${1}"+strings.ReplaceAll(r.new.Module, "$", "$$")+"${2}"),
	)
	switch filepath.Ext(path) {
	case ".mod", ".md":
		text = r.module.ReplaceAll(
			text,
			[]byte("${1}"+strings.ReplaceAll(r.new.Module, "$", "$$")+"${2}"),
		)
	case ".go":
		if !bytes.Equal(before, text) { // imports sort otherwise now
			return format.Source(text)
		}
	}
	return text, nil
}
