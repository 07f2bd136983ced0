package verify

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/disk"
	"blackboard/board/documents"
	"blackboard/board/text"
)

// File is a source file and its name.
type File struct {
	Name string // a slashed path; its ends are names, too
	Path string
}

// FindFiles returns the named files, and those that documents.Find returns for
// directories and patterns, each once.
func FindFiles(paths ...string) ([]File, error) {
	found, err := documents.Find(paths...)
	if err != nil {
		return nil, err
	}
	all := make([]File, len(found))
	for i, p := range found {
		all[i] = File{filepath.ToSlash(filepath.Clean(p)), p}
	}
	return all, nil
}

// rendered are the extensions of text files whose documents are not what the files say:
// cells, and what a reader of a page sees.
var rendered = []string{".csv", ".tsv", ".tab", ".html", ".htm", ".xhtml", ".json", ".jsonl"}

// rawText returns what reads a file's own text, nil if its document has it.
func rawText(name string) func() string {
	if !slices.Contains(rendered, strings.ToLower(filepath.Ext(name))) {
		return nil
	}
	return func() string {
		data, err := disk.Read(name, documents.Max)
		if err != nil { // it was there when the document was read
			return ""
		}
		return strings.ToValidUTF8(string(data), "")
	}
}

// fileIndex finds files by the source names of findings.
type fileIndex struct {
	all  []File
	full map[string][]int // by the whole path
	ends map[string][]int // by the path's ends, in lower case
	stem map[string][]int // by the base name without extension, in lower case
}

// newFiles indexes files by name.
func newFiles(all []File) *fileIndex {
	f := &fileIndex{
		all:  all,
		full: map[string][]int{},
		ends: map[string][]int{},
		stem: map[string][]int{},
	}
	for i, file := range all {
		f.full[file.Name] = append(f.full[file.Name], i)
		low := strings.ToLower(file.Name)
		for end := low; ; {
			f.ends[end] = append(f.ends[end], i)
			_, rest, more := strings.Cut(end, "/")
			if !more {
				stem := strings.TrimSuffix(end, path.Ext(end))
				f.stem[stem] = append(f.stem[stem], i)
				break
			}
			end = rest
		}
	}
	return f
}

// placeInName is what a source's name may have at its end beside the name of a file.
var placeInName = text.NewRegexp(
	`(?i)(?:#.*|:\d[\d:–-]*|[,;]?\s+(?:\(|p\.|pp\.|page|line|lines|section|sec\.|§|sheet).*)$`)

// Find returns the files that match a name: by path, then by base name, then by base
// name without extension. Several files match equally well.
func (f *fileIndex) Find(name string) []File {
	name = strings.Trim(strings.TrimSpace(name), "\"'`“”<>")
	if found := f.find(name); len(found) > 0 || name == "" {
		return found
	}
	if plain := strings.TrimSpace(placeInName.ReplaceAllString(name, "")); plain != name &&
		plain != "" {
		return f.find(plain)
	}
	return nil
}

func (f *fileIndex) find(name string) []File {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	low := strings.ToLower(name)
	candidates := [][]int{f.full[name], f.ends[strings.TrimPrefix(low, "/")]}
	// The name may begin above the directory of sources: repository/docs/a.md for
	// docs/a.md.
	for end := low; strings.Contains(end, "/"); {
		_, end, _ = strings.Cut(end, "/")
		candidates = append(candidates, f.ends[end])
	}
	base := path.Base(low)
	candidates = append(candidates, f.stem[base], f.stem[strings.TrimSuffix(base, path.Ext(base))])
	for i, list := range candidates {
		if i == len(candidates)-1 && path.Ext(base) != "" {
			// report.pdf is not found as report.md, unless the extension is a part of a
			// name: v1.2.
			list = nil
		}
		if len(list) > 0 {
			found := make([]File, len(list))
			for k, n := range list {
				found[k] = f.all[n]
			}
			return found
		}
	}
	return nil
}

// fileName matches a name with a file extension that has a letter.
var fileName = text.NewRegexp(`(?i)^[^\n]*[^\s./\\][^\n./\\]*\.[a-z0-9]{0,4}[a-z][a-z0-9]{0,4}$`)

// Unknown reports whether a name, or a part of it, has a file extension but matches
// none of the files, if there are any. An interview or an address is not a file.
func (f *fileIndex) Unknown(name string) bool {
	if len(f.all) == 0 || strings.Contains(name, "://") {
		return false
	}
	return slices.ContainsFunc(strings.FieldsFunc(name, func(r rune) bool {
		return r == ';' ||
			r == ','
	}),
		func(part string) bool {
			plain := strings.Trim(strings.TrimSpace(placeInName.ReplaceAllString(part, "")),
				"\"'`“”<>")
			return fileName.MatchString(plain) && len(path.Ext(plain)) <= len(".12345") &&
				len(f.Find(part)) == 0
		})
}

// fileNames lists files, for a message.
func fileNames(files []File) string {
	const few = 5
	var names []string
	for _, f := range files[:min(len(files), few)] {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	if more := len(files) - few; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}
