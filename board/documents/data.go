package documents

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"

	txt "blackboard/board/text"
)

// readTable reads comma- or tab-separated values: a record is a line, its cells parted
// as those of a table. Comments above it stay as they are. A damaged table is read as text.
func readTable(name, whole, ext string) *Document {
	text := whole
	var w writer
	for strings.HasPrefix(text, "#") {
		comment, rest, _ := strings.Cut(text, "\n")
		w.add(strings.TrimSuffix(comment, "\r"), false, len(w.starts)+1)
		text = rest
	}
	comments := len(w.starts)
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = -1, true, true
	r.Comma = separator(text, ext)
	for {
		record, err := r.Read()
		if err == io.EOF {
			return w.document(name)
		}
		if err != nil {
			return newPlain(name, whole)
		}
		line, _ := r.FieldPos(0)
		if strings.HasPrefix(record[0], "# ") { // a remark, no row: what it says has no headers
			w.add("- "+strings.TrimLeft(strings.Join(record, ","), "# "), false, comments+line)
			continue
		}
		for i, cell := range record {
			record[i] = strings.Join(strings.Fields(cell), " ")
		}
		w.add(strings.Join(record, " | "), false, comments+line)
	}
}

// separator is what parts the cells: a tab in a tsv, or what the first line has most of.
func separator(text, ext string) rune {
	if ext == ".tsv" || ext == ".tab" {
		return '\t'
	}
	first, _, _ := strings.Cut(text, "\n")
	best := ','
	for _, c := range ";\t" {
		if strings.Count(first, string(c)) > strings.Count(first, string(best)) {
			best = c
		}
	}
	return best
}

// readJSON reads JSON, or a JSON value a line: strings without their quotes and
// escapes, and a line for each line, object and list. What is neither, such as JSON with
// comments, is read as text.
func readJSON(name, text string) *Document {
	if !json.Valid([]byte(text)) && !isJSONLines(text) {
		return newPlain(name, text)
	}
	w, line, source := writer{}, strings.Builder{}, 1
	flush := func() {
		w.add(strings.TrimRight(line.String(), " \t"), false, source)
		line.Reset()
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			end := i + 1
			for end < len(text) && text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			var s string
			json.Unmarshal([]byte(text[i:min(end+1, len(text))]), &s) // it is valid
			line.WriteString(strings.Join(strings.Fields(txt.Plain(s)), " "))
			i = end
		case c == '\n':
			flush()
			source++
		default:
			line.WriteByte(c)
			if i+1 == len(text) || text[i+1] == '\n' {
				continue
			}
			switch c {
			case ',':
				if i > 0 && (text[i-1] == '}' || text[i-1] == ']') {
					flush()
				} else {
					line.WriteByte(' ') // 1,234 would be one number
				}
			case ':':
				line.WriteByte(' ')
			}
		}
	}
	flush()
	return w.document(name)
}

func isJSONLines(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) != "" && !json.Valid([]byte(line)) {
			return false
		}
	}
	return true
}

// notebookText is a text of a notebook: a string, or a list of lines.
type notebookText string

func (t *notebookText) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(data, []byte("[")) {
		var lines []string
		err := json.Unmarshal(data, &lines)
		*t = notebookText(strings.Join(lines, ""))
		return err
	}
	if !bytes.HasPrefix(data, []byte(`"`)) {
		return nil // an image's metadata, a JSON value
	}
	return json.Unmarshal(data, (*string)(t))
}

// notebookCell is a cell of a Jupyter notebook.
type notebookCell struct {
	Kind     string       `json:"cell_type"`
	Source   notebookText `json:"source"`
	Input    notebookText `json:"input"` // the source of a code cell in format 3
	Metadata struct {
		Jupyter struct {
			SourceHidden  bool `json:"source_hidden"`
			OutputsHidden bool `json:"outputs_hidden"`
		} `json:"jupyter"`
	} `json:"metadata"`
	Outputs []struct {
		Text  notebookText `json:"text"`
		Name  string       `json:"ename"`
		Value string       `json:"evalue"`
		Data  struct {
			Plain    notebookText `json:"text/plain"`
			Markdown notebookText `json:"text/markdown"`
			HTML     notebookText `json:"text/html"`
		} `json:"data"`
	} `json:"outputs"`
}

// readNotebook reads a Jupyter notebook: the cells, and what they put out as text. Cells
// that are collapsed are read if it is read whole.
func readNotebook(name, text string, whole bool) *Document {
	var book struct {
		Cells      []notebookCell `json:"cells"`
		Worksheets []struct {
			Cells []notebookCell `json:"cells"`
		} `json:"worksheets"` // in format 3
	}
	if json.Unmarshal([]byte(text), &book) != nil {
		return readJSON(name, text)
	}
	for _, sheet := range book.Worksheets {
		book.Cells = append(book.Cells, sheet.Cells...)
	}
	w := writer{unit: "cell"}
	for i, c := range book.Cells {
		w.place(i + 1)
		if whole || !c.Metadata.Jupyter.SourceHidden {
			if c.Kind == "code" || c.Kind == "raw" {
				w.addLines(string(c.Source + c.Input))
			} else {
				w.addDocument(markdown(name, string(c.Source), whole))
			}
		}
		if c.Metadata.Jupyter.OutputsHidden && !whole {
			continue
		}
		for _, o := range c.Outputs {
			w.addLines(string(o.Text))
			w.addLines(strings.Trim(o.Name+": "+o.Value, ": "))
			switch {
			case o.Data.Markdown != "":
				w.addDocument(markdown(name, string(o.Data.Markdown), whole))
			case o.Data.HTML != "":
				w.addDocument(readHTML(name, string(o.Data.HTML), whole))
			default:
				w.addLines(string(o.Data.Plain))
			}
		}
		w.add("", false, 0) // cells are paragraphs
	}
	return w.document(name)
}

// addLines adds plain text.
func (w *writer) addLines(text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(newlines.Replace(txt.Plain(text)), "\n") {
		w.add(line, false, 0)
	}
}

// addDocument adds the lines of a document.
func (w *writer) addDocument(d *Document) {
	for at, line := range d.Lines() {
		w.add(line, d.Heading(at), 0)
	}
}
