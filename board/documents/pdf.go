package documents

import (
	"bytes"
	"errors"
	"fmt"
)

// Limits of a PDF, far above those of real files.
const (
	maxPDFPages   = 20_000
	maxPDFObjects = 1 << 20
	maxPDFDepth   = 100 // of arrays and dictionaries, of the tree of pages, of forms in forms
)

// Objects of a PDF: nil, bool, float64, pdfName, pdfString, pdfArray, pdfDict, pdfRef,
// pdfStream.
type (
	pdfName   string
	pdfString string
	pdfArray  []any
	pdfDict   map[pdfName]any
	pdfRef    int // the number of an object
	pdfWord   string
	pdfStream struct {
		dict pdfDict
		data []byte // as it lies in the file
	}
)

// pdfFile is a PDF whose objects were found by reading it from its beginning to its
// end. The table that says where they are is not needed then, so a file whose table is
// damaged is read, too.
type pdfFile struct {
	name    string
	objects map[pdfRef]any
	root    any
	left    int // how much may still be unpacked, and how much text made
	fonts   map[pdfRef]*pdfFont
}

var errEncrypted = errors.New("encrypted")

// readPDF reads the text of a PDF, page by page, in the order in which the pages draw
// it. A new line begins where the pen goes to another height.
func readPDF(name string, data []byte, whole bool) (*Document, error) {
	f := &pdfFile{name: name, objects: map[pdfRef]any{}, left: Max, fonts: map[pdfRef]*pdfFont{}}
	w := writer{unit: "page"}
	pages, err := f.load(data)
	for i := 0; err == nil && i < len(pages); i++ {
		w.place(i + 1)
		err = f.readPage(&w, pages[i])
		w.add("", false, 0)
	}
	switch {
	case errors.Is(err, errTooLarge):
		return nil, tooLarge(name)
	case errors.Is(err, errEncrypted):
		return nil, invalid(fmt.Sprintf("the PDF %s is encrypted", name),
			"save a copy without a password, for example by printing it to a PDF")
	case err != nil:
		return nil, invalid(fmt.Sprintf("the PDF %s is damaged: %v", name, err),
			"open it in a viewer and save or print it to a PDF again")
	}
	d := w.document(name)
	if len(bytes.TrimSpace([]byte(d.text))) == 0 {
		return nil, invalid(fmt.Sprintf("the PDF %s has no text: its %d pages are "+
			"images or drawings", name, len(pages)),
			"run text recognition (OCR) on it, or give the document that it was made from")
	}
	return d, nil
}

// load finds the objects, and returns the pages.
func (f *pdfFile) load(data []byte) ([]pdfDict, error) {
	p := pdfParser{data: data}
	var packed []pdfStream // streams with objects in them
	for !p.ended() {
		word, ok := p.object(0).(pdfWord)
		switch {
		case ok && word == "obj" && p.lastRef >= 0:
			ref := p.lastRef
			o := p.indirect()
			if len(f.objects) == maxPDFObjects {
				return nil, errors.New("too many objects")
			}
			f.objects[ref] = o
			if s, ok := o.(pdfStream); ok {
				switch s.dict["Type"] {
				case pdfName("ObjStm"):
					packed = append(packed, s)
				case pdfName("XRef"):
					if err := f.trailer(s.dict); err != nil {
						return nil, err
					}
				}
			}
		case ok && word == "trailer":
			if d, ok := p.object(0).(pdfDict); ok {
				if err := f.trailer(d); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, s := range packed {
		if err := f.unpackObjects(s); err != nil {
			return nil, err
		}
	}
	root, ok := f.resolve(f.root).(pdfDict)
	if !ok {
		for _, o := range f.objects { // the file ends early
			if d, ok := o.(pdfDict); ok && d["Type"] == pdfName("Catalog") {
				root = d
			}
		}
	}
	if root == nil {
		return nil, errors.New("it has no page catalog")
	}
	t := pdfTree{f: f, seen: map[pdfRef]bool{}}
	err := t.walk(root["Pages"], pdfDict{}, 0)
	if err == nil && len(t.pages) == 0 {
		err = errors.New("it has no pages")
	}
	return t.pages, err
}

func (f *pdfFile) trailer(d pdfDict) error {
	if d["Encrypt"] != nil {
		return errEncrypted
	}
	if d["Root"] != nil {
		f.root = d["Root"]
	}
	return nil
}

// unpackObjects reads the objects in a stream. One that the file has by itself is newer.
func (f *pdfFile) unpackObjects(s pdfStream) error {
	data, err := f.unpack(s)
	if err != nil {
		return err
	}
	n, first := f.integer(s.dict["N"]), f.integer(s.dict["First"])
	head := pdfParser{data: data}
	for range n {
		number, ok1 := head.object(0).(float64)
		offset, ok2 := head.object(0).(float64)
		at := first + int(offset)
		if !ok1 || !ok2 || offset < 0 || at < 0 || at >= len(data) ||
			number < 0 || number > 1<<30 {
			break
		}
		if len(f.objects) == maxPDFObjects {
			return errors.New("too many objects")
		}
		if _, known := f.objects[pdfRef(number)]; !known {
			p := pdfParser{data: data, at: at}
			f.objects[pdfRef(number)] = p.value()
			if f.left -= p.at - at; f.left < 0 { // objects that lie in one another
				return errTooLarge
			}
		}
	}
	return nil
}

// resolve follows references.
func (f *pdfFile) resolve(o any) any {
	for range 10 {
		ref, ok := o.(pdfRef)
		if !ok {
			return o
		}
		o = f.objects[ref]
	}
	return nil
}

func (f *pdfFile) dict(o any) pdfDict {
	switch o := f.resolve(o).(type) {
	case pdfDict:
		return o
	case pdfStream:
		return o.dict
	}
	return nil
}

func (f *pdfFile) array(o any) pdfArray {
	a, _ := f.resolve(o).(pdfArray)
	return a
}

func (f *pdfFile) number(o any) float64 {
	n, _ := f.resolve(o).(float64)
	return n
}

func (f *pdfFile) integer(o any) int {
	return int(max(-1<<31, min(1<<31, f.number(o))))
}

// pdfTree collects the pages.
type pdfTree struct {
	f     *pdfFile
	seen  map[pdfRef]bool
	pages []pdfDict
}

// walk goes through the pages below a node. Resources are those of the nearest node
// that has some.
func (t *pdfTree) walk(o any, resources any, depth int) error {
	if ref, ok := o.(pdfRef); ok {
		if t.seen[ref] {
			return nil
		}
		t.seen[ref] = true
	}
	node := t.f.dict(o)
	if node == nil {
		return nil
	}
	if depth > maxPDFDepth {
		return errors.New("its pages are nested too deeply")
	}
	if node["Resources"] != nil {
		resources = node["Resources"]
	}
	if kids := t.f.array(node["Kids"]); kids != nil {
		for _, kid := range kids {
			if err := t.walk(kid, resources, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if len(t.pages) == maxPDFPages {
		return errors.New("too many pages")
	}
	t.pages = append(t.pages, pdfDict{"Contents": node["Contents"], "Resources": resources})
	return nil
}
