package documents

import (
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

const pdfGlyphList = `
exclam ! quotedbl " numbersign # dollar $ percent % ampersand & quotesingle ' parenleft (
parenright ) asterisk * plus + comma , hyphen - period . slash / zero 0 one 1 two 2 three 3
four 4 five 5 six 6 seven 7 eight 8 nine 9 colon : semicolon ; less < equal = greater >
question ? at @ bracketleft [ backslash \ bracketright ] asciicircum ^ underscore _ 
braceleft { bar | verticalbar | braceright } asciitilde ~ exclamdown ¡ cent ¢ sterling £
currency ¤ yen ¥ brokenbar ¦ section § dieresis ¨ copyright © ordfeminine ª guillemotleft «
logicalnot ¬ registered ® macron ¯ overscore ¯ degree ° plusminus ± acute ´ mu µ mu1 µ
paragraph ¶ middot · periodcentered · cedilla ¸ ordmasculine º guillemotright » onequarter ¼
onehalf ½ threequarters ¾ questiondown ¿ Agrave À Aacute Á Acircumflex Â Atilde Ã Adieresis Ä
Aring Å AE Æ Ccedilla Ç Egrave È Eacute É Ecircumflex Ê Edieresis Ë Igrave Ì Iacute Í
Icircumflex Î Idieresis Ï Eth Ð Ntilde Ñ Ograve Ò Oacute Ó Ocircumflex Ô Otilde Õ Odieresis Ö
multiply × Oslash Ø Ugrave Ù Uacute Ú Ucircumflex Û Udieresis Ü Yacute Ý Thorn Þ germandbls ß
agrave à aacute á acircumflex â atilde ã adieresis ä aring å ae æ ccedilla ç egrave è eacute é
ecircumflex ê edieresis ë igrave ì iacute í icircumflex î idieresis ï eth ð ntilde ñ ograve ò
oacute ó ocircumflex ô otilde õ odieresis ö divide ÷ oslash ø ugrave ù uacute ú ucircumflex û
udieresis ü yacute ý thorn þ ydieresis ÿ Amacron Ā amacron ā Abreve Ă abreve ă Aogonek Ą
aogonek ą Cacute Ć cacute ć Ccircumflex Ĉ ccircumflex ĉ Cdot Ċ Cdotaccent Ċ cdot ċ cdotaccent ċ
Ccaron Č ccaron č Dcaron Ď dcaron ď Dcroat Đ Dslash Đ dcroat đ dmacron đ Emacron Ē emacron ē
Ebreve Ĕ ebreve ĕ Edot Ė Edotaccent Ė edot ė edotaccent ė Eogonek Ę eogonek ę Ecaron Ě ecaron ě
Gcircumflex Ĝ gcircumflex ĝ Gbreve Ğ gbreve ğ Gdot Ġ Gdotaccent Ġ gdot ġ gdotaccent ġ Gcedilla Ģ
Gcommaaccent Ģ gcedilla ģ gcommaaccent ģ Hcircumflex Ĥ hcircumflex ĥ Hbar Ħ hbar ħ Itilde Ĩ
itilde ĩ Imacron Ī imacron ī Ibreve Ĭ ibreve ĭ Iogonek Į iogonek į Idot İ Idotaccent İ
dotlessi ı IJ Ĳ ij ĳ Jcircumflex Ĵ jcircumflex ĵ Kcedilla Ķ Kcommaaccent Ķ kcedilla ķ
kcommaaccent ķ kgreenlandic ĸ Lacute Ĺ lacute ĺ Lcedilla Ļ Lcommaaccent Ļ lcedilla ļ
lcommaaccent ļ Lcaron Ľ lcaron ľ Ldot Ŀ Ldotaccent Ŀ ldot ŀ ldotaccent ŀ Lslash Ł lslash ł
Nacute Ń nacute ń Ncedilla Ņ Ncommaaccent Ņ ncedilla ņ ncommaaccent ņ Ncaron Ň ncaron ň
napostrophe ŉ quoterightn ŉ Eng Ŋ eng ŋ Omacron Ō omacron ō Obreve Ŏ obreve ŏ Odblacute Ő
Ohungarumlaut Ő odblacute ő ohungarumlaut ő OE Œ oe œ Racute Ŕ racute ŕ Rcedilla Ŗ
Rcommaaccent Ŗ rcedilla ŗ rcommaaccent ŗ Rcaron Ř rcaron ř Sacute Ś sacute ś Scircumflex Ŝ
scircumflex ŝ Scedilla Ş scedilla ş Scaron Š scaron š Tcedilla Ţ Tcommaaccent Ţ tcedilla ţ
tcommaaccent ţ Tcaron Ť tcaron ť Tbar Ŧ tbar ŧ Utilde Ũ utilde ũ Umacron Ū umacron ū Ubreve Ŭ
ubreve ŭ Uring Ů uring ů Udblacute Ű Uhungarumlaut Ű udblacute ű uhungarumlaut ű Uogonek Ų
uogonek ų Wcircumflex Ŵ wcircumflex ŵ Ycircumflex Ŷ ycircumflex ŷ Ydieresis Ÿ Zacute Ź zacute ź
Zdot Ż Zdotaccent Ż zdot ż zdotaccent ż Zcaron Ž zcaron ž longs ſ slong ſ florin ƒ circumflex ˆ
caron ˇ ilde ˜ tilde ˜ Alpha Α Beta Β Gamma Γ Deltagreek Δ Epsilon Ε Zeta Ζ Eta Η Theta Θ Iota Ι
Kappa Κ Lambda Λ Mu Μ Nu Ν Xi Ξ Omicron Ο Pi Π Rho Ρ Sigma Σ Tau Τ Upsilon Υ Phi Φ Chi Χ Psi Ψ
Omegagreek Ω Iotadieresis Ϊ Upsilondieresis Ϋ alphatonos ά epsilontonos έ etatonos ή iotatonos ί
alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mugreek μ
nu ν xi ξ omicron ο pi π rho ρ sigma1 ς sigmafinal ς sigma σ tau τ upsilon υ phi φ chi χ psi ψ
omega ω endash – emdash — horizontalbar ― dblverticalbar ‖ dbllowline ‗ underscoredbl ‗
quoteleft ‘ quoteright ’ quotesinglbase ‚ quotereversed ‛ quotedblleft “ quotedblright ”
quotedblbase „ dagger † daggerdbl ‡ bullet • onedotenleader ․ twodotenleader ‥ twodotleader ‥
ellipsis … perthousand ‰ minute ′ second ″ primereversed ‵ guilsinglleft ‹ guilsinglright ›
referencemark ※ exclamdbl ‼ overline ‾ asterism ⁂ fraction ⁄ Euro € trademark ™ partialdiff ∂
Delta ∆ increment ∆ summation ∑ minus − radical √ infinity ∞ integral ∫ approxequal ≈ notequal ≠
lessequal ≤ greaterequal ≥ lozenge ◊ ff ﬀ fi ﬁ fl ﬂ ffi ﬃ ffl ﬄ
`

// macRoman are the characters from 128 on, and winAnsi those from 128 to 159.
const (
	macRoman = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u00a0ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\uf8ffÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ"
	winAnsi  = "€•‚ƒ„…†‡ˆ‰Š‹Œ•Ž••‘’“”•–—˜™š›œ•žŸ"
)

// pdfWidths are the widths of the characters from blank to tilde in the standard fonts, in
// thousandths. Oblique ones are as wide as upright ones.
var pdfWidths = sync.OnceValue(func() map[string][]float64 {
	all := map[string][]float64{}
	for name, list := range pdfWidthLists {
		for s := range strings.FieldsSeq(list) {
			n, _ := strconv.ParseFloat(s, 64)
			all[name] = append(all[name], n)
		}
	}
	return all
})

var pdfWidthLists = map[string]string{
	"Helvetica": `278 278 355 556 556 889 667 222 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556
		556 556 556 278 278 584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833
		722 778 667 778 722 667 611 722 667 944 667 667 611 278 278 278 469 556 222 556 556 500 556
		556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 334
		260 334 584`,
	"HelveticaBold": `278 333 474 556 556 889 722 278 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556
		556 556 556 333 333 584 584 584 611 975 722 722 722 722 667 611 778 722 278 556 722 611 833
		722 778 667 778 722 667 611 722 667 944 667 667 611 333 278 333 584 556 278 556 611 556 611
		556 333 611 611 278 278 556 278 889 611 611 611 611 389 556 333 611 556 778 556 556 500 389
		280 389 584`,
	"Times": `250 333 408 500 500 833 778 333 333 333 500 564 250 333 250 278 500 500 500 500 500 500 500
		500 500 500 278 278 564 564 564 444 921 722 667 667 722 611 556 722 722 333 389 722 611 889
		722 722 556 722 667 556 611 722 722 944 722 722 611 333 278 333 469 500 333 444 500 444 500
		444 333 500 500 278 278 500 278 778 500 500 500 500 333 389 278 500 500 722 500 500 444 480
		200 480 541`,
	"TimesBold": `250 333 555 500 500 1000 833 333 333 333 500 570 250 333 250 278 500 500 500 500 500 500 500
		500 500 500 333 333 570 570 570 500 930 722 667 722 722 667 611 778 778 389 500 778 667 944
		722 778 611 778 722 556 667 722 722 1000 722 722 667 333 278 333 581 500 333 500 556 444 556
		444 333 500 556 278 333 556 278 833 556 500 556 556 444 389 333 556 500 722 500 500 444 394
		220 394 520`,
	"TimesItalic": `250 333 420 500 500 833 778 333 333 333 500 675 250 333 250 278 500 500 500 500 500 500 500
		500 500 500 333 333 675 675 675 500 920 611 611 667 722 611 611 722 722 333 444 667 556 833
		667 722 611 722 611 500 556 722 611 833 611 556 556 389 278 389 422 500 333 500 500 444 500
		444 278 500 500 278 278 444 278 722 500 500 500 500 389 389 278 500 444 667 444 444 389 400
		275 400 541`,
}
