package documents

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

var invalid = fault.Invalid.New

// Max is how many bytes of a document are read, after decompression.
const Max = 64 << 20

// Document is the text of a final artifact. It is read once and not changed, so it may be shared between goroutines.
type Document struct {
	Name string

	text     string
	starts   []int  // where each line of text begins
	headings []bool // which lines are headings
	source   []int  // the line of the source that each line comes from; nil: the same one
}

// New makes a document of plain or Markdown text.
func New(name, text string) *Document {
	w := writer{}
	hidden := false
	for line := range strings.SplitSeq(newlines.Replace(text), "\n") {
		line, hidden = withoutComments(line, hidden)
		w.add(line, markdownHeading(line), 0)
	}
	return w.document(name)
}

// withoutComments takes out what no reader of the rendered text sees: comments within the line, and comments that begin with a line and go on to
// the line that ends them, or to the end of the text. (A comment that begins within a line and does not end there is text, as in Markdown.)
// Whatever is appended to a text, what was visible stays so.
func withoutComments(line string, hidden bool) (string, bool) {
	const begin, end = "<!--", "-->"
	if hidden {
		_, rest, ended := strings.Cut(line, end)
		if !ended {
			return "", true
		}
		line = rest
	}
	if !strings.Contains(line, begin) {
		return line, false
	}
	var kept strings.Builder // built once: a line may have many comments
	for {
		before, rest, found := strings.Cut(line, begin)
		kept.WriteString(before)
		if !found {
			return kept.String(), false
		}
		_, after, ended := strings.Cut(rest, end)
		switch {
		case ended:
			line = after
		case strings.TrimSpace(kept.String()) == "":
			return "", true
		default:
			return kept.String() + line[len(before):], false
		}
	}
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// markdownHeading reports whether a line is one such as "## Findings".
func markdownHeading(line string) bool {
	level := len(line) - len(strings.TrimLeft(line, "#"))
	return level >= 1 && level <= 6 && level < len(line) && (line[level] == ' ' || line[level] == '\t')
}

// Text returns the document's text, a line for each line, paragraph or table row of the source.
func (d *Document) Text() string { return d.text }

// writer collects the lines of a document.
type writer struct {
	b        strings.Builder
	starts   []int
	headings []bool
	source   []int
}

// add appends a line. The source line is 0 if it is the same one.
func (w *writer) add(line string, heading bool, source int) {
	if len(w.starts) > 0 {
		w.b.WriteByte('\n')
	}
	w.starts = append(w.starts, w.b.Len())
	w.headings = append(w.headings, heading)
	if source > 0 {
		w.source = append(w.source, source)
	}
	w.b.WriteString(line)
}

func (w *writer) document(name string) *Document {
	if len(w.starts) == 0 {
		w.add("", false, 0)
	}
	r := &Document{Name: name, text: w.b.String(), starts: w.starts, headings: w.headings}
	if len(w.source) == len(w.starts) {
		r.source = w.source
	}
	return r
}

// Open reads the document in a file, under its path as its name.
func Open(path string) (*Document, error) {
	f, err := sqlite.OpenFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.NotFound.New(fmt.Sprintf("there is no file %s", path), "give the path of a report or a source; `-` reads it from standard input")
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if fi, err := f.Stat(); err == nil && fi.IsDir() {
		return nil, invalid(fmt.Sprintf("%s is a directory, not a file", path), "name the file in it; several may be given")
	}
	return Read(path, f)
}

// Read reads a document in plain text, Markdown, HTML or Word's docx. The content decides which it is, then the extension of its name.
func Read(name string, r io.Reader) (*Document, error) {
	data, err := io.ReadAll(io.LimitReader(r, Max+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if len(data) > Max {
		return nil, tooLarge(name)
	}
	d, err := parse(name, data)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(d.text) == "" {
		return nil, invalid(fmt.Sprintf("%s has no text", name), "write it first; an empty one carries nothing")
	}
	return d, nil
}

func tooLarge(name string) error {
	return invalid(fmt.Sprintf("%s has more than %d MiB of text or data", name, Max>>20), "check that it is the right file; give its parts as several files if it really is so large")
}

func parse(name string, data []byte) (*Document, error) {
	switch {
	case bytes.HasPrefix(data, []byte("PK\x03\x04")), bytes.HasPrefix(data, []byte("PK\x05\x06")):
		return readZip(name, data)
	case bytes.HasPrefix(data, []byte("%PDF-")):
		return nil, unread(name, "a PDF")
	case bytes.HasPrefix(data, []byte("{\\rtf")):
		return nil, unread(name, "an RTF file")
	case bytes.HasPrefix(data, []byte("\xD0\xCF\x11\xE0")):
		return nil, unread(name, "an old Office file, or one with a password")
	}
	text, err := decodeText(name, data)
	if err != nil {
		return nil, err
	}
	ext := strings.ToLower(filepath.Ext(name))
	if ext == ".docx" && strings.TrimSpace(text) != "" {
		return nil, invalid(fmt.Sprintf("%s is not a docx file, whatever its name says", name), "save it as docx again, or rename it if it is text")
	}
	if ext == ".html" || ext == ".htm" || ext == ".xhtml" || ext != ".md" && looksLikeHTML(text) {
		return readHTML(name, text), nil
	}
	return New(name, text), nil
}

func unread(name, what string) error {
	return invalid(fmt.Sprintf("%s is %s, which cannot be read", name, what), "convert it to text, Markdown, HTML or docx first, and check that the text is complete")
}

func looksLikeHTML(text string) bool {
	head := strings.ToLower(strings.TrimSpace(text[:min(len(text), 512)]))
	return strings.HasPrefix(head, "<!doctype html") || strings.HasPrefix(head, "<html")
}

// decodeText returns the text of a file in UTF-8 or, with a byte order mark, UTF-16.
func decodeText(name string, data []byte) (string, error) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte("\xEF\xBB\xBF")):
		data = data[3:]
	case bytes.HasPrefix(data, []byte("\xFF\xFE")):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte("\xFE\xFF")):
		order = binary.BigEndian
	}
	if order != nil {
		units := make([]uint16, len(data)/2-1)
		for i := range units {
			units[i] = order.Uint16(data[2*i+2:])
		}
		data = []byte(string(utf16.Decode(units)))
	}
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return "", invalid(fmt.Sprintf("%s is a binary file", name), "give text, Markdown, HTML or docx; convert other formats first")
	}
	if !utf8.Valid(data) {
		return "", invalid(fmt.Sprintf("%s is not UTF-8 text", name), "save it as UTF-8, for example with iconv, and try again")
	}
	return string(data), nil
}

// Line returns the number, from 1, of the source line that holds a place in the text.
func (d *Document) Line(at int) int {
	i := d.lineIndex(at)
	if d.source != nil {
		return d.source[i]
	}
	return i + 1
}

// Heading reports whether the line that holds a place in the text is a heading.
func (d *Document) Heading(at int) bool { return d.headings[d.lineIndex(at)] }

// lineIndex returns which line of the text holds a place in it, from 0.
func (d *Document) lineIndex(at int) int {
	return sort.Search(len(d.starts), func(i int) bool { return d.starts[i] > at }) - 1
}

// Lines yields where each line of the text begins, and the line.
func (d *Document) Lines() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i, start := range d.starts {
			end := len(d.text)
			if i+1 < len(d.starts) {
				end = d.starts[i+1] - 1
			}
			if !yield(start, d.text[start:end]) {
				return
			}
		}
	}
}
