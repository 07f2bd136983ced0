package importers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/kb/markdown"
)

const sqliteMagic = "SQLite format 3\x00"

// detect finds out what format a source has. The error says what was looked for.
func (im *importer) detect(path string, dir bool) (string, error) {
	if dir {
		return im.detectDir(path)
	}
	if markdown.Is(path) {
		if isAIKBFile(path) {
			return formatAIKB, nil
		}
		return formatMarkdown, nil
	}
	f, err := disk.OpenNamed(path)
	if err != nil {
		return "", invalid(fmt.Sprintf("cannot read %s: %s", path, disk.Cause(err)),
			"check its permissions")
	}
	defer f.Close()
	head := make([]byte, len(sqliteMagic))
	n, err := io.ReadFull(f, head)
	switch {
	case n == 0 && errors.Is(err, io.EOF):
		return "", invalid(path+" is empty", "give a file with content")
	case string(head[:n]) == sqliteMagic && im.isAIKBDatabase(path):
		return formatAIKB, nil
	case string(head[:n]) == sqliteMagic:
		return "", im.otherDatabase(path)
	}
	return detectLines(path, io.MultiReader(bytes.NewReader(head[:n]), f))
}

func detectLines(path string, r io.Reader) (string, error) {
	what := "it does not begin with a JSON line"
	stop := errors.New("seen enough")
	format := ""
	err := eachLine(io.LimitReader(r, 2*maxImportLine), func(l importLine) error {
		fields, err := l.object()
		if err != nil {
			return stop
		}
		what = "its first line is JSON, but of an unknown format"
		for _, f := range fields {
			var s string
			if json.Unmarshal(f.raw, &s) != nil {
				continue
			}
			switch {
			case f.key == "schema" && s == exportSchema:
				format = formatJSONL
			case f.key == "kind" && s == "run":
				what = "it is the export of a run; import it as a run"
			}
		}
		return stop
	})
	if err != nil && err != stop {
		return "", invalid(fmt.Sprintf("cannot read %s: %s", path, disk.Cause(err)),
			"check the storage")
	}
	if format == "" {
		return "", notDetected(path, what)
	}
	return format, nil
}

func (im *importer) detectDir(dir string) (string, error) {
	switch {
	case isClaudeDir(dir):
		return formatClaude, nil
	case im.isAIKBDir(dir):
		return formatAIKB, nil
	}
	found := errors.New("found")
	looked := 0
	err := fs.WalkDir(os.DirFS(dir), ".", func(rel string, e fs.DirEntry, err error) error {
		looked++
		switch {
		case err != nil && rel == ".":
			return invalid("cannot read "+dir+": "+disk.Cause(err).Error(), "check its permissions")
		case err != nil && e != nil && e.IsDir():
			return fs.SkipDir
		case err != nil:
			return nil
		case e.IsDir() && rel != "." && (strings.HasPrefix(e.Name(), ".") ||
			e.Name() == "node_modules"):
			return fs.SkipDir
		case !e.IsDir() && markdown.Is(e.Name()):
			return found
		case looked > maxImportRecords:
			return fs.SkipAll
		}
		return nil
	})
	switch {
	case err == found:
		return formatMarkdown, nil
	case err != nil:
		return "", err
	}
	return "", notDetected(dir, "the folder has none of these")
}

// otherDatabase says what an SQLite file is that ai-kb has not made.
func (im *importer) otherDatabase(path string) error {
	var tables []string
	err := im.foreign(path, func(f *sqlite.Foreign) (err error) {
		tables, err = f.Tables(im.ctx)
		return err
	})
	has := func(name string) bool { return slices.Contains(tables, name) }
	switch {
	case err != nil:
		return err
	case has("capsules") && has("sidecars"):
		return invalid(path+" is the database of a knowledge base of this program",
			"import the folder capsules beside it", fault.Do("kb.export",
				"or give a file made by {}"))
	case has("entries") && has("signals"):
		return invalid(path+" is a board of blackboard.py, not a knowledge base",
			"import it as a run")
	case has("chunks"):
		return invalid(path+" is a store of agent-memory-store, not a knowledge base",
			"use the context store of its project, which takes it over")
	}
	return notDetected(path, "it is an SQLite file, but not of ai-kb")
}

func notDetected(path, what string) error {
	return invalid(fmt.Sprintf("unknown format: %s: %s", path, what),
		fmt.Sprintf("looked for: a first line with \"schema\":%q (%s), an SQLite file with a table "+
			"capsules, or its folder (%s), a folder with %s (%s), files .md (%s); a "+
			"format can be named",
			exportSchema, formatJSONL, formatAIKB, claudeIndex, formatClaude, formatMarkdown))
}

// isClaudeDir reports whether a folder looks like one of those that readClaude takes.
func isClaudeDir(dir string) bool {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	if fileExists(filepath.Join(dir, claudeIndex)) ||
		fileExists(filepath.Join(dir, "memory", claudeIndex)) {
		return true
	}
	if filepath.Base(abs) == "memory" && strings.HasPrefix(filepath.Base(filepath.Dir(abs)), "-") {
		return true
	}
	if strings.HasPrefix(filepath.Base(abs), "-") && disk.IsDir(filepath.Join(dir, "memory")) {
		return true
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return e.IsDir() && strings.HasPrefix(e.Name(), "-") &&
			disk.IsDir(filepath.Join(dir, e.Name(), "memory"))
	})
}
