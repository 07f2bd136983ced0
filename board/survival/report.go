package survival

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/board/words"
)

var invalid = fault.Invalid.New

// MaxReport is how many bytes of a report are read, after decompression.
const MaxReport = 64 << 20

// Report is the text of a final artifact. It is read once and not changed, so it may be shared between goroutines.
type Report struct {
	Name string

	text     string
	starts   []int  // where each line of text begins
	headings []bool // which lines are headings
	source   []int  // the line of the source that each line comes from; nil: the same one
}

// NewReport makes a report of plain or Markdown text.
func NewReport(name, text string) *Report {
	w := reportWriter{}
	hidden := false
	for line := range strings.SplitSeq(newlines.Replace(text), "\n") {
		line, hidden = withoutComments(line, hidden)
		w.add(line, markdownHeading(line), 0)
	}
	return w.report(name)
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

// Text returns the report's text, a line for each line, paragraph or table row of the source.
func (r *Report) Text() string { return r.text }

// reportWriter collects the lines of a report.
type reportWriter struct {
	b        strings.Builder
	starts   []int
	headings []bool
	source   []int
}

// add appends a line. The source line is 0 if it is the same one.
func (w *reportWriter) add(line string, heading bool, source int) {
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

func (w *reportWriter) report(name string) *Report {
	if len(w.starts) == 0 {
		w.add("", false, 0)
	}
	r := &Report{Name: name, text: w.b.String(), starts: w.starts, headings: w.headings}
	if len(w.source) == len(w.starts) {
		r.source = w.source
	}
	return r
}

// OpenReport reads the report in a file, under its path as its name.
func OpenReport(path string) (*Report, error) {
	f, err := sqlite.OpenFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fault.NotFound.New(fmt.Sprintf("there is no report %s", path), "give the path of the final artifact; `-` reads it from standard input")
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if fi, err := f.Stat(); err == nil && fi.IsDir() {
		return nil, invalid(fmt.Sprintf("%s is a directory, not a report", path), "name the file in it; several reports may be given")
	}
	return ReadReport(path, f)
}

// ReadReport reads a report in plain text, Markdown, HTML or Word's docx. The content decides which it is, then the extension of its name.
func ReadReport(name string, r io.Reader) (*Report, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxReport+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if len(data) > MaxReport {
		return nil, tooLarge(name)
	}
	report, err := parseReport(name, data)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(report.text) == "" {
		return nil, invalid(fmt.Sprintf("the report %s has no text", name), "write the artifact first; an empty one carries nothing")
	}
	return report, nil
}

func tooLarge(name string) error {
	return invalid(fmt.Sprintf("the report %s has more than %d MiB of text or data", name, MaxReport>>20), "check that it is the final artifact; give its parts as several reports if it really is so large")
}

func parseReport(name string, data []byte) (*Report, error) {
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
		return nil, invalid(fmt.Sprintf("the report %s is not a docx file, whatever its name says", name), "save it as docx again, or rename it if it is text")
	}
	if ext == ".html" || ext == ".htm" || ext == ".xhtml" || ext != ".md" && looksLikeHTML(text) {
		return readHTML(name, text), nil
	}
	return NewReport(name, text), nil
}

func unread(name, what string) error {
	return invalid(fmt.Sprintf("the report %s is %s, which cannot be read", name, what), "convert it to text, Markdown, HTML or docx first, and check that the text is complete")
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
		return "", invalid(fmt.Sprintf("the report %s is a binary file", name), "give text, Markdown, HTML or docx; convert other formats first")
	}
	if !utf8.Valid(data) {
		return "", invalid(fmt.Sprintf("the report %s is not UTF-8 text", name), "save it as UTF-8, for example with iconv, and try again")
	}
	return string(data), nil
}

// line returns the number, from 1, of the source line that holds a place in the text.
func (r *Report) line(at int) int {
	i := r.lineIndex(at)
	if r.source != nil {
		return r.source[i]
	}
	return i + 1
}

// lineIndex returns which line of the text holds a place in it, from 0.
func (r *Report) lineIndex(at int) int {
	return sort.Search(len(r.starts), func(i int) bool { return r.starts[i] > at }) - 1
}

// find returns where the line begins that has the folded text exact, or -1.
func (r *Report) find(exact string) int {
	if exact == "" {
		return -1
	}
	for i, start := range r.starts {
		end := len(r.text)
		if i+1 < len(r.starts) {
			end = r.starts[i+1]
		}
		if strings.Contains(words.FoldText(r.text[start:end]), exact) {
			return start
		}
	}
	return -1
}
