package importers

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blackboard/board/disk"
	"blackboard/board/text"
	"blackboard/kb"
	"blackboard/kb/markdown"
)

// walk calls file for each wanted file below dir, in the order of their names. Folders that cannot
// be read, and links to folders or out of dir, are refused; what else is left out is noted.
func (im *importer) walk(dir string, wanted func(name string) bool,
	file func(path string) error) error {
	others, hidden := &leftOut{}, &leftOut{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(rel string, e fs.DirEntry, err error) error {
		if ctxErr := im.ctx.Err(); ctxErr != nil {
			return ctxErr
		}
		path := filepath.Join(dir, filepath.FromSlash(rel))
		switch {
		case err != nil:
			im.refuse(path, "cannot read the folder: "+disk.Cause(err).Error())
			if e != nil && e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case e.IsDir():
			if name := e.Name(); rel != "." && (strings.HasPrefix(name, ".") ||
				name == "node_modules") {
				hidden.add(rel)
				return fs.SkipDir
			}
			return nil
		case e.Type()&fs.ModeSymlink != 0:
			info, err := os.Stat(path)
			if err == nil && info.IsDir() {
				im.refuse(path, "it is a link to a folder, and links are not followed: import "+
					"that folder itself")
				return nil
			}
			if err != nil && wanted(e.Name()) {
				im.refuse(path, "cannot follow the link: "+disk.Cause(err).Error())
				return nil
			}
			if wanted(e.Name()) && markdown.LeadsOut(dir, path) {
				im.refuse(path, markdown.LeadsOutWhy+": import that file itself")
				return nil
			}
		}
		if !wanted(e.Name()) {
			others.add(rel)
			return nil
		}
		return file(path)
	})
	if others.n > 0 {
		im.note("%s: skipped %d other files: %s", dir, others.n, others)
	}
	if hidden.n > 0 {
		im.note("%s: skipped %d folders that are hidden or called node_modules: %s", dir,
			hidden.n, hidden)
	}
	return err
}

type leftOut struct {
	n     int
	names []string
}

func (l *leftOut) add(name string) {
	if l.n++; len(l.names) < 3 {
		l.names = append(l.names, name)
	}
}

func (l *leftOut) String() string {
	s := strings.Join(l.names, ", ")
	if l.n > len(l.names) {
		s += ", …"
	}
	return s
}

// readText reads a file that is text. It does not wait for a pipe.
func readText(path string) (string, error) {
	b, err := disk.Read(path, maxImportFile)
	switch {
	case errors.Is(err, disk.ErrNotRegular):
		return "", invalid("it is not a regular file", "copy its content to a file")
	case errors.Is(err, disk.ErrTooLarge):
		info, _ := os.Stat(path)
		return "", tooLarge("it has", info.Size(), maxImportFile)
	case err != nil:
		return "", invalid("cannot read it: "+disk.Cause(err).Error(), "check its permissions")
	}
	decoded, ok := text.Decode(b)
	if !ok {
		return "", invalid("it is binary, not text", "convert it to text first")
	}
	return decoded, kb.CheckText("the file", decoded, maxImportFile, true)
}
