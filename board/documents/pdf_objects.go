package documents

import (
	"bytes"
	"errors"
)

// pdfSpot is where an object lies: at a place in the file, or in a stream of objects.
type pdfSpot struct {
	at int
	in pdfRef // 0: in none
}

var errNoTable = errors.New("its table of objects is damaged")

// pdfTable is the table of objects, of the newest version of the file and those before.
type pdfTable struct {
	f     *pdfFile
	data  []byte
	spots map[pdfRef]pdfSpot
	seen  map[int]bool
}

// readTable finds the objects by the table at the end of the file: what an update has
// replaced or deleted is not read, nor what a viewer would not find.
func (f *pdfFile) readTable(data []byte) error {
	t := pdfTable{f, data, map[pdfRef]pdfSpot{}, map[int]bool{}}
	end := pdfParser{data: data, at: bytes.LastIndex(data, []byte("startxref"))}
	if end.at < 0 {
		return errNoTable
	}
	end.object(0)
	at, ok := end.object(0).(float64)
	if !ok {
		return errNoTable
	}
	if err := t.section(int(at)); err != nil {
		return err
	}
	if ref, ok := f.trailer["Encrypt"].(pdfRef); ok { // the others need it
		p := pdfParser{data: data, at: max(0, t.spots[ref].at)}
		for range 3 { // its number, its version, obj
			p.object(0)
		}
		f.objects[ref] = p.value()
	}
	if err := f.unlock(); err != nil {
		return err
	}
	return t.load()
}

// section reads one version's part of the table, and then that of the version before. An
// object is where the newest version has it.
func (t *pdfTable) section(at int) error {
	for {
		if at < 0 || at >= len(t.data) || t.seen[at] {
			return errNoTable
		}
		t.seen[at] = true
		p := pdfParser{data: t.data, at: at}
		dict, err := t.entries(&p)
		if err != nil {
			return err
		}
		for _, key := range []pdfName{"Root", "Encrypt", "ID"} {
			if t.f.trailer[key] == nil && dict[key] != nil {
				t.f.trailer[key] = dict[key]
			}
		}
		if hybrid, ok := dict["XRefStm"].(float64); ok && !t.seen[int(hybrid)] {
			t.seen[int(hybrid)] = true
			if _, err := t.entries(&pdfParser{data: t.data, at: int(hybrid)}); err != nil {
				return err
			}
		}
		before, ok := dict["Prev"].(float64)
		if !ok {
			return nil
		}
		at = int(before)
	}
}

// entries reads a table or a stream of entries, and returns its dictionary.
func (t *pdfTable) entries(p *pdfParser) (pdfDict, error) {
	if p.at < 0 || p.at >= len(t.data) {
		return nil, errNoTable
	}
	if word, _ := p.object(0).(pdfWord); word != "xref" {
		p.object(0)
		if word, _ := p.object(0).(pdfWord); word != "obj" {
			return nil, errNoTable
		}
		s, ok := p.indirect().(pdfStream)
		if !ok {
			return nil, errNoTable
		}
		return s.dict, t.packedEntries(s)
	}
	for {
		first, ok := p.object(0).(float64)
		if !ok {
			break // it was the word trailer
		}
		n, _ := p.object(0).(float64)
		for i := range int(n) {
			at, ok1 := p.object(0).(float64)
			_, ok2 := p.object(0).(float64)
			kind, ok3 := p.object(0).(pdfWord)
			if !ok1 || !ok2 || !ok3 {
				return nil, errNoTable
			}
			if kind == "f" {
				at = -1
			}
			t.add(int(first)+i, pdfSpot{at: int(at)})
		}
	}
	dict, ok := p.object(0).(pdfDict)
	if !ok {
		return nil, errNoTable
	}
	return dict, nil
}

// packedEntries reads a stream of entries, each of three numbers of W bytes.
func (t *pdfTable) packedEntries(s pdfStream) error {
	data, err := t.f.unpack(s)
	if err != nil {
		return err
	}
	w, index := t.f.numbers(s.dict["W"], 3), t.f.array(s.dict["Index"])
	if w == nil || min(w[0], w[1], w[2]) < 0 || max(w[0], w[1], w[2]) > 8 || w[1] == 0 {
		return errNoTable
	}
	if index == nil {
		index = pdfArray{0.0, s.dict["Size"]}
	}
	number := func(width float64) (n int) {
		for _, c := range data[:int(width)] {
			n = n<<8 | int(c)
		}
		data = data[int(width):]
		return n
	}
	for len(index) > 1 {
		first, n := t.f.integer(index[0]), t.f.integer(index[1])
		index = index[2:]
		for i := range n {
			if len(data) < int(w[0]+w[1]+w[2]) {
				return nil
			}
			kind := 1
			if w[0] > 0 {
				kind = number(w[0])
			}
			second := number(w[1])
			switch number(w[2]); kind {
			case 0:
				t.add(first+i, pdfSpot{at: -1})
			case 1:
				t.add(first+i, pdfSpot{at: second})
			case 2:
				t.add(first+i, pdfSpot{in: pdfRef(second)})
			}
		}
	}
	return nil
}

func (t *pdfTable) add(ref int, spot pdfSpot) {
	if _, known := t.spots[pdfRef(ref)]; !known && len(t.spots) < maxPDFObjects {
		t.spots[pdfRef(ref)] = spot
	}
}

// load reads the objects. What it parses is bounded: entries may lead into one another.
func (t *pdfTable) load() error {
	left := 2*len(t.data) + 1<<16
	packed := map[pdfRef]bool{}
	for ref, spot := range t.spots {
		switch {
		case spot.in != 0:
			packed[spot.in] = true
		case spot.at > 0 && spot.at < len(t.data):
			p := pdfParser{data: t.data, at: spot.at}
			_, ok := p.object(0).(float64)
			p.object(0)
			if word, _ := p.object(0).(pdfWord); !ok || word != "obj" || p.lastRef != ref {
				return errNoTable
			}
			t.f.define(ref, p.lastGen, p.indirect())
			if left -= p.at - spot.at; left < 0 {
				return errNoTable
			}
		}
	}
	for stream := range packed {
		s, _ := t.f.objects[stream].(pdfStream)
		if err := t.f.unpackObjects(s, func(ref pdfRef) bool {
			return t.spots[ref].in == stream
		}); err != nil {
			return err
		}
	}
	return nil
}

// define takes an object, decrypted; the content of a stream will be when it is unpacked.
func (f *pdfFile) define(ref, gen pdfRef, o any) {
	if f.crypt != nil && ref != f.crypt.own {
		o = f.crypt.object(o, f.crypt.objectKey(ref, gen), 0)
	}
	f.objects[ref] = o
}

// search reads the file from its beginning to its end, as far as it goes, and takes each
// object as it comes last.
func (f *pdfFile) search(data []byte) error {
	type found struct {
		ref, gen pdfRef
		o        any
	}
	var all []found
	var catalog any
	p := pdfParser{data: data}
	for !p.ended() {
		word, _ := p.object(0).(pdfWord)
		var dict pdfDict
		switch {
		case word == "obj" && p.lastRef >= 0:
			if len(all) == maxPDFObjects {
				return errors.New("too many objects")
			}
			it := found{ref: p.lastRef, gen: p.lastGen}
			it.o = p.indirect()
			all = append(all, it)
			switch o := it.o.(type) {
			case pdfDict:
				if o["Type"] == pdfName("Catalog") {
					catalog = it.ref
				}
			case pdfStream:
				if o.dict["Type"] == pdfName("XRef") {
					dict = o.dict
				}
			}
		case word == "trailer":
			dict, _ = p.object(0).(pdfDict)
		}
		for _, key := range []pdfName{"Root", "Encrypt", "ID"} {
			if dict[key] != nil {
				f.trailer[key] = dict[key]
			}
		}
	}
	for _, it := range all { // the dictionary of the encryption among them
		f.objects[it.ref] = it.o
	}
	if err := f.unlock(); err != nil {
		return err
	}
	for _, it := range all {
		f.define(it.ref, it.gen, it.o)
		s, _ := f.objects[it.ref].(pdfStream)
		if s.dict["Type"] == pdfName("ObjStm") {
			if err := f.unpackObjects(s, func(pdfRef) bool { return true }); err != nil {
				return err
			}
		}
	}
	if f.dict(f.trailer["Root"]) == nil { // the file ends early
		f.trailer["Root"] = catalog
	}
	return nil
}

// unpackObjects reads the objects in a stream that are wanted.
func (f *pdfFile) unpackObjects(s pdfStream, wanted func(pdfRef) bool) error {
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
		if ref := pdfRef(number); wanted(ref) {
			p := pdfParser{data: data, at: at}
			f.objects[ref] = p.value()
			if f.left -= p.at - at; f.left < 0 { // objects that lie in one another
				return errTooLarge
			}
		}
	}
	return nil
}
