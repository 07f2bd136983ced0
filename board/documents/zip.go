package documents

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
)

// maxXMLDepth is how deep elements may be nested in an office file.
const maxXMLDepth = 500

var errTooLarge = errors.New("too large")

// archive is an office file: a zip file of XML parts.
type archive struct {
	name  string
	files map[string]*zip.File
	left  int64 // how many bytes may still be unpacked
	whole bool  // hidden text counts
}

// zipFormats are the office files, by the part that makes a zip file one of them.
var zipFormats = []struct {
	part, kind string
	read       func(*archive) (*Document, error) // nil: it cannot be read
}{
	{"word/document.xml", "docx", readDocx},
	{"xl/workbook.xml", "xlsx", readXLSX},
	{"ppt/presentation.xml", "a presentation (pptx)", nil},
	{"META-INF/container.xml", "an EPUB book", nil},
	{"xl/workbook.bin", "a binary Excel workbook (xlsb)", nil},
	{"content.xml", "an OpenDocument file", nil},
}

// readZip reads an office file. Nothing is unpacked to disk, and parts without text are
// not opened.
func readZip(name string, data []byte, whole bool) (*Document, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, damagedOffice(name, "office", err)
	}
	a := &archive{name: name, files: map[string]*zip.File{}, left: Max, whole: whole}
	for _, f := range z.File {
		a.files[f.Name] = f
	}
	for _, format := range zipFormats {
		if a.files[format.part] == nil {
			continue
		}
		if format.read == nil {
			return nil, unread(name, format.kind)
		}
		d, err := format.read(a)
		switch {
		case errors.Is(err, errTooLarge):
			return nil, tooLarge(name)
		case err != nil:
			return nil, damagedOffice(name, format.kind, err)
		}
		return d, nil
	}
	return nil, unread(name, "a zip archive without a document")
}

func damagedOffice(name, kind string, err error) error {
	return invalid(fmt.Sprintf("the %s file %s is damaged: %v", kind, name, err),
		"open it in the program that wrote it and save it again")
}

// limited fails, rather than ends, when more than left bytes are read.
type limited struct {
	r    io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, errTooLarge
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left+1)])
	if l.left -= int64(n); l.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// tokens calls fn with each token of an XML part. A part that is not there has none.
func (a *archive) tokens(part string, fn func(xml.Token) error) error {
	f := a.files[part]
	if f == nil {
		return nil
	}
	if f.UncompressedSize64 > uint64(a.left) { // it may lie, so what is read is limited, too
		return errTooLarge
	}
	r, err := f.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", part, err)
	}
	defer r.Close()
	l := &limited{r: r, left: a.left}
	defer func() { a.left = l.left }()
	decoder, depth := xml.NewDecoder(l), 0
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return nil
		}
		switch token.(type) {
		case xml.StartElement:
			if depth++; depth > maxXMLDepth {
				err = errors.New("its elements are nested too deeply")
			}
		case xml.EndElement:
			depth--
		}
		if err == nil {
			err = fn(token)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", part, err)
		}
	}
}

// relation is a part that another one names.
type relation struct{ kind, target string }

// relations returns the parts that a part of an OOXML file names, by their ids.
func (a *archive) relations(part string) (map[string]relation, error) {
	dir, base := path.Split(part)
	all := map[string]relation{}
	err := a.tokens(dir+"_rels/"+base+".rels", func(t xml.Token) error {
		if t, ok := t.(xml.StartElement); ok && t.Name.Local == "Relationship" {
			target := attribute(t, "Target")
			if !strings.HasPrefix(target, "/") {
				target = path.Join(dir, target)
			}
			all[attribute(t, "Id")] = relation{path.Base(attribute(t, "Type")),
				strings.TrimPrefix(path.Clean(target), "/")}
		}
		return nil
	})
	return all, err
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// relationID is the attribute r:id, which may stand beside an id of another namespace.
func relationID(t xml.StartElement) string {
	for _, a := range t.Attr {
		if a.Name.Local == "id" && strings.HasSuffix(a.Name.Space, "/relationships") {
			return a.Value
		}
	}
	return ""
}
