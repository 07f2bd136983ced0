package importers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	switch {
	case dir && isClaudeDir(path):
		return formatClaude, nil
	case dir && im.aiKBIn(path) != "":
		return formatAIKB, nil
	case dir, markdown.Is(path):
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
	case string(head[:n]) == sqliteMagic && im.isAIKB(path):
		return formatAIKB, nil
	case string(head[:n]) == sqliteMagic:
		return "", im.otherDatabase(path)
	}
	return detectLines(path, io.MultiReader(bytes.NewReader(head[:n]), f))
}

// detectLines looks at the first line, which says what an export is of.
func detectLines(path string, r io.Reader) (format string, err error) {
	what, stop := "it does not begin with a JSON line", errors.New("seen enough")
	err = eachLine(io.LimitReader(r, 2*maxImportLine), func(l importLine) error {
		var head struct{ Schema, Kind string }
		switch wrong := json.Unmarshal(l.text, &head); {
		case wrong != nil:
		case head.Schema == exportSchema:
			format = formatJSONL
		case head.Kind == "run":
			what = "it is the export of a run; import it as a run"
		default:
			what = "its first line is JSON, but of an unknown format"
		}
		return stop
	})
	switch {
	case err != nil && err != stop:
		return "", invalid(fmt.Sprintf("cannot read %s: %s", path, disk.Cause(err)), "check the storage")
	case format == "":
		return "", notDetected(path, what)
	}
	return format, nil
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
		fmt.Sprintf("looked for: a first line with \"schema\":%q (%s), ai-kb's %s or its folder (%s), a "+
			"folder with %s (%s), files .md (%s); a format can be named",
			exportSchema, formatJSONL, aiKBFile, formatAIKB, claudeIndex, formatClaude, formatMarkdown))
}

// isClaudeDir reports whether a folder looks like one of those that readClaude takes: by its index,
// or by the name of a project's folder, which begins with a dash.
func isClaudeDir(dir string) bool {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	if fileExists(filepath.Join(dir, claudeIndex)) || fileExists(filepath.Join(dir, "memory", claudeIndex)) ||
		filepath.Base(abs) == "memory" && strings.HasPrefix(filepath.Base(filepath.Dir(abs)), "-") {
		return true
	}
	folders := disk.Glob(dir, "/-*/memory")
	if strings.HasPrefix(filepath.Base(abs), "-") {
		folders = append(folders, filepath.Join(dir, "memory"))
	}
	return slices.ContainsFunc(folders, disk.IsDir)
}
