package documents

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"blackboard/board/disk"
	"blackboard/board/fault"
	txt "blackboard/board/text"
)

// Open reads the report in a regular file, under its path as its name: the text that a
// reader of the rendered document sees.
func Open(path string) (*Document, error) { return openAs(path, false) }

// OpenSource reads a source: also text that is hidden, struck or a comment.
func OpenSource(path string) (*Document, error) { return openAs(path, true) }

func openAs(path string, whole bool) (*Document, error) {
	f, err := openRegular(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.NotFound.New(fmt.Sprintf("there is no file %s", path),
			"give the path of a report or a source")
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if fi, err := f.Stat(); err == nil && fi.Size() > Max {
		return nil, tooLarge(path)
	}
	return readAs(path, f, whole)
}

// openRegular opens a file that is neither a device, a pipe, a socket nor a directory,
// and not one of the files in which a system shows its processes: a server's own input
// is one of them.
func openRegular(path string) (*disk.File, error) {
	if disk.IsSystem(path) {
		return nil, notRegular(path, "in the system's own files")
	}
	f, err := disk.Open(path)
	if !errors.Is(err, disk.ErrNotRegular) {
		return f, err
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, invalid(fmt.Sprintf("%s is a directory, not a file", path),
			"give the paths of files in it")
	}
	return nil, notRegular(path, disk.Kind(info.Mode()))
}

func notRegular(path, what string) error {
	return invalid(fmt.Sprintf("%s is %s, not a regular file", path, what),
		"give a regular file")
}

// Read reads a report in one of the package's formats. The content decides the format,
// then the name's extension.
func Read(name string, r io.Reader) (*Document, error) { return readAs(name, r, false) }

func readAs(name string, r io.Reader, whole bool) (*Document, error) {
	head := make([]byte, 512)
	n, err := io.ReadFull(r, head)
	// not read to its end: a directory may have many
	if head = head[:n]; err == nil && !isOffice(name, head) && txt.IsBinary(head) {
		return nil, binaryFile(name)
	}
	data, err := io.ReadAll(io.LimitReader(io.MultiReader(bytes.NewReader(head), r), Max+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if len(data) > Max {
		return nil, tooLarge(name)
	}
	d, err := parse(name, data, whole)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(d.text) == "" {
		return nil, invalid(fmt.Sprintf("%s has no text", name),
			"write it first; an empty one carries nothing")
	}
	return d, nil
}

func tooLarge(name string) error {
	return invalid(fmt.Sprintf("%s has more than %d MiB of text or data", name, Max>>20),
		"check that it is the right file; split a file of this size into several")
}

// isOffice reports whether a file begins as one that is no text but can be read, or whose
// kind is known.
func isOffice(name string, head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK")) || bytes.HasPrefix(head, []byte(oldOffice)) ||
		pdfBegin(name, head) >= 0
}

// pdfBegin returns where the PDF in a file begins, -1 if it is none. A byte order mark, or
// blanks, may be before it; in a file with the name of a PDF, anything.
func pdfBegin(name string, data []byte) int {
	i := bytes.Index(data[:min(len(data), 1024)], []byte("%PDF-"))
	if i > 0 && !strings.EqualFold(filepath.Ext(name), ".pdf") &&
		len(bytes.TrimSpace(txt.Unmarked(data[:i]))) > 0 {
		return -1
	}
	return i
}

const oldOffice = "\xD0\xCF\x11\xE0"

func parse(name string, data []byte, whole bool) (*Document, error) {
	switch {
	case bytes.HasPrefix(data, []byte("PK\x03\x04")), bytes.HasPrefix(data, []byte("PK\x05\x06")):
		return readZip(name, data, whole)
	case pdfBegin(name, data) >= 0:
		return readPDF(name, data[pdfBegin(name, data):], whole)
	case bytes.HasPrefix(data, []byte("{\\rtf")):
		return nil, unread(name, "an RTF file")
	case bytes.HasPrefix(data, []byte(oldOffice)):
		return nil, unread(name, "an old Office file, or one with a password")
	}
	text, ok := txt.Decode(data)
	if !ok {
		return nil, binaryFile(name)
	}
	text = newlines.Replace(txt.Plain(text))
	ext := strings.ToLower(filepath.Ext(name))
	switch {
	case slices.Contains(officeKinds, ext) && strings.TrimSpace(text) != "":
		return nil, invalid(fmt.Sprintf("%s is not a %s file, although its name says so", name,
			ext[1:]), fmt.Sprintf("save it as %s again, or rename it if it is text", ext[1:]))
	case ext == ".csv" || ext == ".tsv" || ext == ".tab":
		return readTable(name, text, ext), nil
	case ext == ".json" || ext == ".jsonl" || ext == ".ndjson":
		return readJSON(name, text), nil
	case ext == ".ipynb":
		return readNotebook(name, text, whole), nil
	case isPlain(name, ext):
		return newPlain(name, text), nil
	case ext == ".html" || ext == ".htm" || ext == ".xhtml" || ext != ".md" && looksLikeHTML(text):
		return readHTML(name, text, whole), nil
	case whole:
		return NewSource(name, text), nil
	}
	return New(name, text), nil
}

var officeKinds = []string{".docx", ".xlsx", ".pdf"}

// isPlain reports whether a file is of source code or data, by its name.
func isPlain(name, ext string) bool {
	if ext == "" {
		return slices.Contains([]string{"Makefile", "Dockerfile"}, filepath.Base(name))
	}
	return slices.Contains(plainKinds(), ext[1:])
}

// plainKinds are the endings of source code and data, where every character counts.
var plainKinds = sync.OnceValue(func() []string {
	return strings.Fields(`asm awk bash bat bib c cc cfg clj cmake cmd conf cpp cs css cxx dart diff
		el env erl ex exs fish fs go gradle graphql groovy h hcl hh hpp hs ini java jl js json5 jsonc jsx kt kts less lisp
		log lua m mjs mk ml mm nim nix patch php pl pm properties proto ps1 py pyi r rb rs sas scala scss sh sol sql
		svg svelte swift tcl tex tf toml ts tsx v vb vhd vim vue xml xsd xsl yaml yml zig zsh`)
})

func unread(name, what string) error {
	return invalid(fmt.Sprintf("%s is %s, which cannot be read", name, what),
		"convert it to text, Markdown, HTML, docx or PDF first, and check that the "+
			"text is complete")
}

func binaryFile(name string) error {
	return invalid(fmt.Sprintf("%s is a binary file", name),
		"give text, an office file or a PDF; convert other formats first")
}

func looksLikeHTML(text string) bool {
	head := strings.ToLower(strings.TrimSpace(text[:min(len(text), 512)]))
	return strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html")
}
