package documents

import (
	"strings"
	"unicode/utf16"
)

// maxPDFCodes is how many codes of a font are told apart.
const maxPDFCodes = 1 << 16

// pdfFont says what the codes of a text stand for, and how wide they are.
type pdfFont struct {
	wide    bool           // codes have two bytes
	unicode bool           // the codes are UTF-16 themselves
	text    map[int]string // what the font says of itself
	codes   [256]string    // what its encoding says
	widths  map[int]float64
	width   float64 // of the others, in thousandths
}

// font returns the font of that name.
func (f *pdfFile) font(resources pdfDict, name pdfName) (*pdfFont, error) {
	o := f.dict(resources["Font"])[name]
	ref, isRef := o.(pdfRef)
	if font := f.fonts[ref]; isRef && font != nil {
		return font, nil
	}
	font, err := f.readFont(f.dict(o))
	if isRef {
		f.fonts[ref] = font
	}
	return font, err
}

func (f *pdfFile) readFont(d pdfDict) (*pdfFont, error) {
	font := &pdfFont{text: map[int]string{}, widths: map[int]float64{}, width: 500}
	if s, ok := f.resolve(d["ToUnicode"]).(pdfStream); ok {
		data, err := f.unpack(s)
		if err != nil {
			return font, err
		}
		font.readCMap(data)
	}
	if d["Subtype"] == pdfName("Type0") {
		font.wide, font.width = true, 1000
		if name, ok := f.resolve(d["Encoding"]).(pdfName); ok {
			font.unicode = strings.Contains(string(name), "UCS2") ||
				strings.Contains(string(name), "UTF16")
		}
		if below := f.array(d["DescendantFonts"]); len(below) > 0 {
			return font, f.readWideWidths(font, f.dict(below[0]))
		}
		return font, nil
	}
	f.readEncoding(font, d)
	widths, first := f.array(d["Widths"]), f.integer(d["FirstChar"])
	for i, w := range widths[:min(len(widths), 256)] {
		font.widths[first+i] = f.number(w)
	}
	if d["Subtype"] == pdfName("Type3") { // its widths are in units of its own
		if m := f.array(d["FontMatrix"]); len(m) == 6 {
			for code := range font.widths {
				font.widths[code] *= 1000 * f.number(m[0])
			}
		}
	}
	return font, nil
}

// readEncoding sets what the codes of a font with one byte a code stand for.
func (f *pdfFile) readEncoding(font *pdfFont, d pdfDict) {
	base, _ := f.resolve(d["Encoding"]).(pdfName)
	encoding := f.dict(d["Encoding"])
	if name, ok := f.resolve(encoding["BaseEncoding"]).(pdfName); ok {
		base = name
	}
	for i := 32; i < 256; i++ {
		font.codes[i] = string(rune(i))
	}
	upper, from := winAnsi, 128
	if base == "MacRomanEncoding" {
		upper = macRoman
	}
	for _, r := range upper {
		font.codes[from] = string(r)
		from++
	}
	if base == "" && d["Subtype"] == pdfName("Type1") { // Adobe's standard encoding
		font.codes['\''], font.codes['`'], font.codes[0xAE], font.codes[0xAF] = "’", "‘", "ﬁ", "ﬂ"
		font.codes[0xB1], font.codes[0xD0], font.codes[0xAA], font.codes[0xBA] = "–", "—", "“", "”"
		font.codes[0xB7], font.codes[0xA9] = "•", "'"
	}
	code := 0
	for _, o := range f.array(encoding["Differences"]) {
		switch o := f.resolve(o).(type) {
		case float64:
			code = int(o)
		case pdfName:
			if code >= 0 && code < 256 {
				font.codes[code] = glyphText(string(o))
			}
			code++
		}
	}
	f.left -= 8 * len(f.array(encoding["Differences"]))
}

// readWideWidths reads the widths of a font with two bytes a code: lists of widths from
// a code on, and one width for a range of codes.
func (f *pdfFile) readWideWidths(font *pdfFont, d pdfDict) error {
	if w, ok := f.resolve(d["DW"]).(float64); ok {
		font.width = w
	}
	list := f.array(d["W"])
	if f.left -= 8 * len(list); f.left < 0 {
		return errTooLarge
	}
	for i := 0; i+1 < len(list); {
		first := f.integer(list[i])
		if some := f.array(list[i+1]); some != nil {
			for j, w := range some[:min(len(some), maxPDFCodes)] {
				font.widths[first+j] = f.number(w)
			}
			f.left -= 8 * len(some)
			i += 2
			continue
		}
		if i+2 >= len(list) {
			break
		}
		last, w := f.integer(list[i+1]), f.number(list[i+2])
		for code := first; code <= last && len(font.widths) < maxPDFCodes; code++ {
			font.widths[code] = w
		}
		f.left -= max(0, min(last-first, maxPDFCodes))
		i += 3
	}
	if f.left < 0 {
		return errTooLarge
	}
	return nil
}

// readCMap reads the text of each code.
func (font *pdfFont) readCMap(data []byte) {
	p := pdfParser{data: data}
	var operands []any
	for !p.ended() {
		o := p.object(0)
		word, ok := o.(pdfWord)
		if !ok {
			if len(operands) < maxPDFCodes {
				operands = append(operands, o)
			}
			continue
		}
		switch word {
		case "endbfchar":
			for i := 0; i+1 < len(operands); i += 2 {
				from, ok1 := operands[i].(pdfString)
				to, ok2 := operands[i+1].(pdfString)
				if ok1 && ok2 {
					font.maps(pdfCode(from), utf16Bytes(to))
				}
			}
		case "endbfrange":
			for i := 0; i+2 < len(operands); i += 3 {
				font.mapsRange(operands[i], operands[i+1], operands[i+2])
			}
		}
		operands = operands[:0]
	}
}

func (font *pdfFont) maps(code int, text string) {
	if len(font.text) < maxPDFCodes {
		font.text[code] = text
	}
}

func (font *pdfFont) mapsRange(a, b, to any) {
	from, ok1 := a.(pdfString)
	last, ok2 := b.(pdfString)
	if !ok1 || !ok2 {
		return
	}
	first, n := pdfCode(from), pdfCode(last)-pdfCode(from)
	switch to := to.(type) {
	case pdfArray:
		for i := 0; i <= n && i < len(to); i++ {
			if s, ok := to[i].(pdfString); ok {
				font.maps(first+i, utf16Bytes(s))
			}
		}
	case pdfString:
		text := []rune(utf16Bytes(to))
		if len(text) == 0 || len(text) > 16 {
			return
		}
		for i := 0; i <= n && i < maxPDFCodes && len(font.text) < maxPDFCodes; i++ {
			font.maps(first+i, string(text))
			text[len(text)-1]++
		}
	}
}

func pdfCode(s pdfString) int {
	n := 0
	for i := range min(len(s), 4) {
		n = n<<8 | int(s[i])
	}
	return n
}

// utf16Bytes is the text of UTF-16 with the larger byte first.
func utf16Bytes(s pdfString) string {
	var units []uint16
	for i := 0; i+1 < len(s); i += 2 {
		units = append(units, uint16(s[i])<<8|uint16(s[i+1]))
	}
	return string(utf16.Decode(units))
}

var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl",
	"\u00a0", " ", "\x00", "")

// decode returns the text of codes, their width in thousandths, and how many codes and
// blanks there are.
func (font *pdfFont) decode(s pdfString) (text string, width float64, codes, blanks int) {
	var b strings.Builder
	step := 1
	if font.wide {
		step = 2
	}
	for i := 0; i+step <= len(s); i += step {
		code := int(s[i])
		if font.wide {
			code = code<<8 | int(s[i+1])
		}
		said, known := font.text[code]
		switch {
		case known:
		case font.unicode:
			said = utf16Bytes(s[i : i+2])
		case !font.wide:
			said = font.codes[code]
		}
		b.WriteString(said)
		w, known := font.widths[code]
		if !known {
			w = font.width
		}
		width += w
		codes++
		if step == 1 && s[i] == ' ' {
			blanks++
		}
	}
	return ligatures.Replace(b.String()), width, codes, blanks
}
