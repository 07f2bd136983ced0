package documents

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// pdfGlyphs are the characters of the names that fonts have for them: of the Adobe
// Glyph List those of Latin and Greek.
var pdfGlyphs = sync.OnceValue(func() map[string]string {
	all := map[string]string{"space": " ", "nbspace": " ", "backquote": "\x60", "grave": "\x60"}
	list := strings.Fields(pdfGlyphList)
	for i := 0; i+1 < len(list); i += 2 {
		all[list[i]] = list[i+1]
	}
	return all
})

// glyphText returns the text of a glyph by its name, U+FFFD for an unknown one.
func glyphText(name string) string {
	if i := strings.IndexByte(name, '.'); i == 0 && len(name) > 1 {
		return "" // .notdef
	} else if i > 0 {
		name = name[:i]
	}
	if utf8.RuneCountInString(name) == 1 {
		return name
	}
	if text, ok := pdfGlyphs()[name]; ok {
		return text
	}
	for _, prefix := range []string{"uni", "u"} {
		if digits, ok := strings.CutPrefix(name, prefix); ok && len(digits) >= 4 {
			if n, err := strconv.ParseUint(digits[:min(len(digits), 6-len(prefix)+1)], 16,
				32); err == nil {
				return string(rune(n))
			}
		}
	}
	return string(undecoded)
}

// pdfGlyphList has names and characters in turn.
//
//go:embed pdf_glyphs.txt
var pdfGlyphList string

// macRoman are the characters from 128 on, and winAnsi those from 128 to 159.
const (
	macRoman = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ"
	winAnsi  = "€•‚ƒ„…†‡ˆ‰Š‹Œ•Ž••‘’“”•–—˜™š›œ•žŸ"
)

// pdfWidths are the widths of the characters from blank to tilde in the standard fonts, in
// thousandths. Oblique ones are as wide as upright ones.
var pdfWidths = sync.OnceValue(func() map[string][]float64 {
	all := map[string][]float64{}
	for list := range strings.Lines(pdfWidthLists) {
		f := strings.Fields(list)
		for _, s := range f[1:] {
			n, _ := strconv.ParseFloat(s, 64)
			all[f[0]] = append(all[f[0]], n)
		}
	}
	return all
})

// pdfWidthLists has a font on each line.
//
//go:embed pdf_widths.txt
var pdfWidthLists string
