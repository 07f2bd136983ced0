package text

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
)

func utf16Of(s string, big bool) []byte {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		if big {
			b = append(b, byte(u>>8), byte(u))
		} else {
			b = append(b, byte(u), byte(u>>8))
		}
	}
	return b
}

func TestDecode(t *testing.T) {
	const pool, german, russian = "The pool has 40 connections.\n", "Größe: 4,20 €", "Пул имеет сорок соединений, не более."
	html := func(head, body string) []byte { return []byte("<html><head>" + head + "</head>" + body) }
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"UTF-8":                       {[]byte(german), german},
		"UTF-8, marked":               {[]byte("\ufeff" + german), german},
		"UTF-16, marked":              {utf16Of("\ufeff"+german, false), german},
		"UTF-16, marked, big":         {utf16Of("\ufeff"+german, true), german},
		"UTF-16":                      {utf16Of(pool, false), pool},
		"UTF-16, big":                 {utf16Of(pool, true), pool},
		"UTF-16, few NUL":             {utf16Of(russian, false), russian},
		"windows-1252":                {[]byte("Gr\xf6\xdfe: 4,20 \x80"), german},
		"latin-1 in HTML":             {html(`<meta charset="iso-8859-1">`, "Gr\xf6\xdfe"), `<html><head><meta charset="iso-8859-1"></head>Größe`},
		"koi8-r by http-equiv":        {html(`<meta http-equiv=Content-Type content="text/html; charset=koi8-r">`, "\xf0\xd5\xcc"), `<html><head><meta http-equiv=Content-Type content="text/html; charset=koi8-r"></head>Пул`},
		"Shift_JIS in XML":            {[]byte("<?xml version='1.0' encoding='Shift_JIS'?><a>\x93\xfa\x96{</a>"), "<?xml version='1.0' encoding='Shift_JIS'?><a>日本</a>"},
		"UTF-8 that declares latin-1": {html(`<meta charset=latin1>`, "é"), `<html><head><meta charset=latin1></head>é`},
		"unknown charset":             {html(`<meta charset=x-none>`, "\xe9"), `<html><head><meta charset=x-none></head>é`},
		"text that names a charset":   {[]byte("The charset=koi8-r is old: \xe9"), "The charset=koi8-r is old: é"},
		"a NUL":                       {[]byte(pool + "\x00"), pool + "\x00"},
		"colours":                     {[]byte("\x1b[32m.\x1b[0m\x1b[31mF\x1b[0m_\b4"), "\x1b[32m.\x1b[0m\x1b[31mF\x1b[0m_\b4"},
		"nothing":                     {nil, ""},
	} {
		if got, ok := Decode(c.data); got != c.want || !ok || IsBinary(c.data) {
			t.Errorf("%s: %q, %v; binary: %v", name, got, ok, IsBinary(c.data))
		}
	}
	random := make([]byte, 4096)
	for i := range random {
		random[i] = byte(rand.Uint32())
	}
	for name, data := range map[string][]byte{"random": random, "ELF": []byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00"),
		"numbers": bytes.Repeat([]byte{1, 0, 0, 0}, 50), "PNG": []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00")} {
		if s, ok := Decode(data); ok || !IsBinary(data) {
			t.Errorf("%s is text: %q", name, s[:min(len(s), 20)])
		}
	}
	if cut := []byte("größ")[:5]; IsBinary(cut) {
		t.Error("a beginning whose last character is cut is binary")
	}
}

func TestReader(t *testing.T) {
	for _, data := range [][]byte{[]byte("{}\n[]"), []byte("\ufeff{}\n[]"), utf16Of("\ufeff{}\n[]", false)} {
		for _, r := range []io.Reader{bytes.NewReader(data), iotest.OneByteReader(bytes.NewReader(data))} {
			if got, err := io.ReadAll(Reader(r)); string(got) != "{}\n[]" || err != nil {
				t.Errorf("%q: %q, %v", data, got, err)
			}
		}
	}
	// A line is there as soon as it was sent.
	in, out := io.Pipe()
	defer out.Close()
	go io.WriteString(out, "\ufeff{}\n")
	line, b := Reader(in), make([]byte, 10)
	if n, err := line.Read(b); string(b[:n]) != "{}\n" {
		t.Errorf("the first line: %q, %v", b[:n], err)
	}
	if got := Unmarked("\ufeffa") + Unmarked("a") + string(Unmarked([]byte("\ufeffb"))); got != "aab" {
		t.Errorf("unmarked: %q", got)
	}
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"plain, ü 漢字":                       "plain, ü 漢字",
		"\x1b[1;31mFAIL\x1b[0m 3 of 40":     "FAIL 3 of 40",
		"\x1b]0;title\x07a\x1b]8;;x\x1b\\b": "ab",
		"\x1b]0;no end\nthe next line":      "0;no end\nthe next line",
		"\x1b(Ba\x1b7b\u009b31mc":           "abc",
		"N\bNA\bAM\bME\bE":                  "NAME",
		"_\b4_\b0":                          "40",
		"a\x00b\x07\tc\r\n":                 "ab\tc\r\n",
		"cut \x1b[":                         "cut ",
	} {
		if got := Plain(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
	if got := Plain(strings.Repeat("\x1b[0m\n", 1000)); got != strings.Repeat("\n", 1000) {
		t.Errorf("%d lines", strings.Count(got, "\n"))
	}
}
