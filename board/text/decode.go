package text

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// Reader reads a stream of text as UTF-8: without its byte order mark, which Windows
// writes, and from UTF-16 if the mark says so.
func Reader(r io.Reader) io.Reader {
	return transform.NewReader(r, unicode.BOMOverride(transform.Nop))
}

// Unmarked returns a text without its byte order mark.
func Unmarked[T string | []byte](s T) T {
	if len(s) >= 3 && string(s[:3]) == "\ufeff" {
		return s[3:]
	}
	return s
}

// Decode returns the text of a file, or false if the file is binary. The encoding is what
// a byte order mark says, else UTF-8 if the bytes are valid, else what the markup at the
// beginning declares, else windows-1252, of which latin-1 is a part. UTF-16 without a
// mark is told by its NUL bytes. At most every twentieth character may be a control character.
func Decode(data []byte) (string, bool) {
	out, err := io.ReadAll(Reader(bytes.NewReader(data)))
	if e := guessEncoding(out); err == nil && e != nil {
		out, err = e.NewDecoder().Bytes(out)
	}
	return string(out), err == nil && utf8.Valid(out) && !isBinary(out)
}

// IsBinary reports whether a file with this beginning has no text in an encoding that
// Decode reads.
func IsBinary(head []byte) bool {
	for i := range min(utf8.UTFMax, len(head)) { // a character may have been cut
		if _, ok := Decode(head[:len(head)-i]); ok {
			return false
		}
	}
	return len(head) > 0
}

// guessEncoding returns the encoding of a text without a mark, nil for UTF-8.
func guessEncoding(data []byte) encoding.Encoding {
	if order, ok := utf16Order(data); ok {
		return unicode.UTF16(order, unicode.IgnoreBOM)
	}
	valid := utf8.Valid(data)
	if valid && !isASCII(data) {
		return nil // whatever it declares
	}
	if m := declared.FindSubmatch(data[:min(len(data), 1024)]); m != nil {
		if e, err := htmlindex.Get(string(m[1])); err == nil && e != unicode.UTF8 &&
			e != encoding.Replacement {
			return e
		}
	}
	if valid {
		return nil
	}
	return charmap.Windows1252
}

// declared matches the encoding that HTML or XML says it has.
var declared = NewRegexp(
	`(?is)^\s*<.*?(?:charset|encoding)\s*=\s*["']?\s*([a-z][\w.:-]+)`)

func isASCII(data []byte) bool {
	return bytes.IndexFunc(data, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// utf16Order returns the byte order of UTF-16 without a mark, and whether data is that: it has NUL bytes, nearly all of them on one
// side of the units, and more than a text that is only sprinkled with them.
func utf16Order(data []byte) (unicode.Endianness, bool) {
	var zeros [2]int
	for i, c := range data {
		if c == 0 {
			zeros[i%2]++
		}
	}
	few, many, order := zeros[0], zeros[1], unicode.LittleEndian
	if few > many {
		few, many, order = many, few, unicode.BigEndian
	}
	return order, len(data)%2 == 0 && 10*many > len(data)/2 && 20*few <= many
}

// isBinary reports whether more than every twentieth character is a control character,
// other than those that a program sends to a terminal.
func isBinary(data []byte) bool {
	controls := 0
	for _, r := range string(data) {
		if IsControl(r) && r != '\x1b' && r != '\b' && r != '\a' {
			controls++
		}
	}
	return 20*controls > utf8.RuneCount(data)
}

// IsControl reports whether r is a control character other than a tab or a line or page end.
func IsControl(r rune) bool {
	return r < ' ' && !strings.ContainsRune("\t\n\v\f\r", r) || r >= 0x7f && r < 0xa0
}

// escapes matches what tells a terminal something: colours, titles, other sequences, and
// a character that the next one is printed over. None goes beyond its line, so what does
// not end hides no text.
var escapes = NewRegexp(`(?:\x1b\[|\x{9b})[0-?]*[ -/]*[@-~]` +
	`|(?:\x1b[\]PX^_]|[\x{90}\x{98}\x{9d}-\x{9f}])[^\x07\x1b\x{9c}\n]*(?:\x07|\x1b\\|\x{9c})` +
	`|\x1b[ -/]*[0-~]|[^\x08\n]\x08`)

// Plain returns a text without escape sequences, characters that are printed over, and control
// characters: as a reader sees it on a terminal.
func Plain(s string) string {
	if strings.IndexFunc(s, IsControl) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if IsControl(r) {
			return -1
		}
		return r
	}, escapes.ReplaceAllString(s, ""))
}

// Line returns the next line of r with its end, as ReadBytes does. Of a line of more than most
// bytes it returns nothing but long, after reading it all. At the end of r, err is io.EOF.
func Line(r *bufio.Reader, most int) (line []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if long = long || len(line)+len(part) > most; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, long, err
		}
	}
}
