package documents

import (
	"math"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// How many codes of a font are told apart, and ranges of them.
const (
	maxPDFCodes  = 1 << 16
	maxPDFRanges = 1000
)

// pdfFont says what the codes of a text stand for, and how wide they are.
type pdfFont struct {
	text      map[int]string    // what the font says of itself
	codes     [256]string       // what the encoding of a simple font says
	composite bool              // codes have several bytes, as in its spaces
	spaces    []pdfRange        // the codes there are
	cids      []pdfRange        // the characters that codes mean, for their widths
	legacy    encoding.Encoding // of the codes; nil: none
	widths    map[int]float64
	width     float64 // of the others, in thousandths
	height    float64 // of a line, in units of the text
}

// pdfRange is a range of codes of n bytes, and the number that the first one means.
type pdfRange struct{ n, first, last, to int }

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
	font := &pdfFont{text: map[int]string{}, widths: map[int]float64{}, width: 500, height: 1}
	font.composite = d["Subtype"] == pdfName("Type0")
	if err := f.readCMap(font, d["ToUnicode"]); err != nil {
		return font, err
	}
	if font.composite {
		return font, f.readComposite(font, d)
	}
	f.readEncoding(font, d)
	widths, first := f.array(d["Widths"]), f.integer(d["FirstChar"])
	for i, w := range widths[:min(len(widths), 256)] {
		font.widths[first+i] = f.number(w)
	}
	if name, _ := f.resolve(d["BaseFont"]).(pdfName); widths == nil {
		font.standardWidths(string(name))
	}
	if m := f.numbers(d["FontMatrix"], 6); d["Subtype"] == pdfName("Type3") && m != nil {
		// its widths are in units of its own, and it has the height of its characters
		for code := range font.widths {
			font.widths[code] *= 1000 * m[0]
		}
		if box := f.numbers(d["FontBBox"], 4); box != nil && box[3] != box[1] && m[3] != 0 {
			font.height = math.Abs((box[3] - box[1]) * m[3])
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
	for i := range font.codes {
		font.codes[i] = string(undecoded)
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
	for _, blank := range "\t\n\r" {
		font.codes[blank] = " "
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

// legacyCMaps are the encodings of the codes of CMaps that PDF knows by name.
var legacyCMaps = [][2]string{{"GB", "gbk"}, {"90", "shift_jis"}, {"83pv", "shift_jis"},
	{"Add-RKSJ", "shift_jis"}, {"Ext-RKSJ", "shift_jis"}, {"EUC-", "euc-jp"}, {"B5", "big5"},
	{"ETen", "big5"}, {"ETHK", "big5"}, {"HKscs", "big5"}, {"KSC", "euc-kr"}}

// readComposite reads which codes of several bytes there are, and how wide they are:
// lists of widths from a character on, and one width for a range of characters.
func (f *pdfFile) readComposite(font *pdfFont, d pdfDict) error {
	font.width = 1000
	spaces := font.spaces // of its text; those of its codes go before
	font.spaces = nil
	if name, ok := f.resolve(d["Encoding"]).(pdfName); ok {
		font.readNamed(string(name))
	} else if err := f.readCMap(font, d["Encoding"]); err != nil {
		return err
	}
	if font.spaces == nil {
		font.spaces = spaces
	}
	below := f.array(d["DescendantFonts"])
	if len(below) == 0 {
		return nil
	}
	d = f.dict(below[0])
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

// readNamed takes a CMap that the file only names. Those of two bytes a code are Unicode,
// or say nothing of the text; the others are old encodings.
func (font *pdfFont) readNamed(name string) {
	two := []pdfRange{{2, 0, 0xFFFF, 0}}
	if strings.Contains(name, "UCS2") || strings.Contains(name, "UTF16") {
		font.spaces = two
		font.legacy, _ = htmlindex.Get("utf-16be")
		return
	}
	for _, known := range legacyCMaps {
		if strings.HasPrefix(name, known[0]) {
			font.legacy, _ = htmlindex.Get(known[1])
			font.spaces = []pdfRange{{1, 0, 0x80, 0}, {1, 0xA0, 0xDF, 0}, {2, 0x8000, 0xFFFF, 0}}
			if known[1] != "shift_jis" {
				font.spaces = []pdfRange{{1, 0, 0x80, 0}, {2, 0x8000, 0xFFFF, 0}}
			}
			return
		}
	}
	font.spaces = two
}

// readCMap reads the text or the character of each code, and how many bytes codes have.
func (f *pdfFile) readCMap(font *pdfFont, o any) error {
	s, ok := f.resolve(o).(pdfStream)
	if !ok {
		return nil
	}
	data, err := f.unpack(s)
	if err != nil {
		return err
	}
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
		font.mapCodes(word, operands)
		operands = operands[:0]
	}
	return nil
}

// mapCodes takes a part of a CMap, which a word ends.
func (font *pdfFont) mapCodes(word pdfWord, operands []any) {
	step := map[pdfWord]int{"endbfchar": 2, "endcodespacerange": 2, "endbfrange": 3,
		"endcidrange": 3, "endcidchar": 2}[word]
	for ; step > 0 && len(operands) >= step; operands = operands[step:] {
		first, ok := operands[0].(pdfString)
		last, isRange := operands[1].(pdfString)
		if !ok {
			continue
		}
		r := pdfRange{n: len(first), first: pdfCode(first), last: pdfCode(last)}
		switch word {
		case "endbfchar":
			font.setText(r.first, utf16Bytes(last))
		case "endbfrange":
			font.setTextRange(r, operands[2])
		case "endcodespacerange":
			if isRange && r.n > 0 && r.n <= 4 && len(font.spaces) < maxPDFRanges {
				font.spaces = append(font.spaces, r)
			}
		default:
			to, _ := operands[step-1].(float64)
			if r.to = int(to); !isRange {
				r.last = r.first
			}
			if len(font.cids) < maxPDFRanges {
				font.cids = append(font.cids, r)
			}
		}
	}
}

func (font *pdfFont) setText(code int, text string) {
	if len(font.text) < maxPDFCodes {
		font.text[code] = text
	}
}

func (font *pdfFont) setTextRange(r pdfRange, to any) {
	n := r.last - r.first
	switch to := to.(type) {
	case pdfArray:
		for i := 0; i <= n && i < len(to); i++ {
			if s, ok := to[i].(pdfString); ok {
				font.setText(r.first+i, utf16Bytes(s))
			}
		}
	case pdfString:
		text := []rune(utf16Bytes(to))
		if len(text) == 0 || len(text) > 16 {
			return
		}
		for i := 0; i <= n && i < maxPDFCodes && len(font.text) < maxPDFCodes; i++ {
			font.setText(r.first+i, string(text))
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

// utf16Bytes is the text of UTF-16 with the larger byte first; of one byte, that character.
func utf16Bytes(s pdfString) string {
	if len(s) == 1 {
		return string(rune(s[0]))
	}
	var units []uint16
	for i := 0; i+1 < len(s); i += 2 {
		units = append(units, uint16(s[i])<<8|uint16(s[i+1]))
	}
	return string(utf16.Decode(units))
}

var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl",
	"\u00a0", " ", "\x00", "")

// pdfGlyph is a character of a text: what it says, and how wide it is.
type pdfGlyph struct {
	text  string
	width float64 // in thousandths
	blank bool    // word spacing is added to it
}

// next returns the glyph that s begins with, and how many bytes its code has.
func (font *pdfFont) next(s pdfString) (pdfGlyph, int) {
	n := font.codeLength(s)
	code := pdfCode(s[:n])
	g := pdfGlyph{width: font.width, blank: n == 1 && s[0] == ' '}
	said, known := font.text[code]
	switch {
	case known:
	case font.legacy != nil:
		said, _ = font.legacy.NewDecoder().String(string(s[:n]))
	case !font.composite:
		said = font.codes[code]
	default:
		said = string(undecoded)
	}
	g.text = ligatures.Replace(said)
	cid := code
	for _, r := range font.cids {
		if r.n == n && code >= r.first && code <= r.last {
			cid = r.to + code - r.first
		}
	}
	if w, known := font.widths[cid]; known {
		g.width = w
	}
	return g, n
}

// codeLength returns how many bytes the first code of s has.
func (font *pdfFont) codeLength(s pdfString) int {
	if !font.composite {
		return 1
	}
	for _, r := range font.spaces {
		if len(s) >= r.n && inRange(pdfCode(s[:r.n]), r) {
			return r.n
		}
	}
	if len(font.spaces) > 0 {
		return min(font.spaces[0].n, len(s))
	}
	return min(2, len(s))
}

// inRange reports whether each byte of a code is in the range of such bytes.
func inRange(code int, r pdfRange) bool {
	for shift := 0; shift < 8*r.n; shift += 8 {
		if c := code >> shift & 0xFF; c < r.first>>shift&0xFF || c > r.last>>shift&0xFF {
			return false
		}
	}
	return true
}

// standardWidths sets the widths of a font that every viewer has, so that the file does
// not give them.
func (font *pdfFont) standardWidths(name string) {
	bold, italic := strings.Contains(name, "Bold"), strings.ContainsAny(name, "IO")
	kind := "Helvetica"
	switch {
	case strings.Contains(name, "Courier"):
		font.width = 600
		return
	case strings.Contains(name, "Times") && bold:
		kind = "TimesBold"
	case strings.Contains(name, "Times") && italic:
		kind = "TimesItalic"
	case strings.Contains(name, "Times"):
		kind = "Times"
	case bold:
		kind = "HelveticaBold"
	}
	widths := pdfWidths()[kind]
	for code, text := range font.codes {
		if r, n := utf8.DecodeRuneInString(text); n == len(text) && r >= ' ' && r <= '~' {
			font.widths[code] = widths[r-' ']
		}
	}
}
