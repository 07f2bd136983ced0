package documents

import (
	"errors"
	"fmt"
	"strings"
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
		key  []byte // that decrypts it; nil: it is not encrypted
	}
)

// pdfFile is a PDF whose objects have been found.
type pdfFile struct {
	whole   bool // also what viewers hide
	objects map[pdfRef]any
	trailer pdfDict // Root, Encrypt and ID, of the newest version of the file
	crypt   *pdfCrypt
	left    int // how much may still be unpacked, and how much text made
	fonts   map[pdfRef]*pdfFont
}

var errEncrypted = errors.New("encrypted")

// readPDF reads the text of a PDF, page by page, in the order in which the pages draw
// it, with filled forms and annotations. A new line begins where the pen goes to another
// height. Characters that the file does not tell are counted, and become U+FFFD.
func readPDF(name string, data []byte, whole bool) (*Document, error) {
	w := writer{unit: "page"}
	f, pages, err := openPDF(data, whole)
	for i := 0; err == nil && i < len(pages); i++ {
		w.place(i + 1)
		err = f.readPage(&w, pages[i])
		w.add("", false, 0)
	}
	switch {
	case errors.Is(err, errTooLarge):
		return nil, tooLarge(name)
	case errors.Is(err, errEncrypted):
		return nil, invalid(fmt.Sprintf("the PDF %s needs a password", name),
			"save a copy without a password, for example by printing it to a PDF")
	case err != nil:
		return nil, invalid(fmt.Sprintf("the PDF %s is damaged: %v", name, err),
			"open it in a viewer and save or print it to a PDF again")
	}
	d := w.document(name)
	words := strings.Fields(d.text)
	for _, word := range words {
		if strings.ContainsRune(word, undecoded) {
			d.Undecoded++
		}
	}
	const remedy = "run text recognition (OCR) on it, or give the document that it was made from"
	switch {
	case len(words) == 0:
		return nil, invalid(fmt.Sprintf("the PDF %s has no text: its %d pages are "+
			"images or drawings", name, len(pages)), remedy)
	case d.Undecoded == len(words):
		return nil, invalid(fmt.Sprintf("the PDF %s does not tell which characters its "+
			"%d words have", name, len(words)), remedy)
	}
	return d, nil
}

// undecoded stands for a character that a file does not tell.
const undecoded = '\ufffd'

// openPDF finds the objects where the table of the file says they are. If the table, or
// what it leads to, is damaged, the whole file is searched for them.
func openPDF(data []byte, whole bool) (f *pdfFile, pages []pdfDict, err error) {
	for _, find := range []func(*pdfFile, []byte) error{(*pdfFile).readTable, (*pdfFile).search} {
		f = &pdfFile{whole: whole, objects: map[pdfRef]any{}, trailer: pdfDict{},
			left: Max, fonts: map[pdfRef]*pdfFont{}}
		if err = find(f, data); err == nil {
			if pages, err = f.pages(); err == nil {
				break
			}
		}
		if errors.Is(err, errTooLarge) || errors.Is(err, errEncrypted) {
			break
		}
	}
	return f, pages, err
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

// numbers returns the first n numbers of an array, or nil if it has fewer.
func (f *pdfFile) numbers(o any, n int) (all []float64) {
	a := f.array(o)
	if len(a) < n {
		return nil
	}
	for _, o := range a[:n] {
		all = append(all, f.number(o))
	}
	return all
}

// pages returns the pages in their order.
func (f *pdfFile) pages() ([]pdfDict, error) {
	root := f.dict(f.trailer["Root"])
	if root == nil {
		return nil, errors.New("it has no page catalog")
	}
	t := pdfTree{f: f, seen: map[pdfRef]bool{}}
	err := t.walk(root["Pages"], nil, 0)
	if err == nil && len(t.pages) == 0 {
		err = errors.New("it has no pages")
	}
	return t.pages, err
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
	t.pages = append(t.pages, pdfDict{"Contents": node["Contents"], "Resources": resources,
		"Annots": node["Annots"]})
	return nil
}
