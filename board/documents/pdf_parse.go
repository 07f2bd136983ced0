package documents

import (
	"bytes"
	"strconv"
	"strings"
)

// pdfParser parses objects. It skips bytes that are not part of one.
type pdfParser struct {
	data    []byte
	at      int
	lastRef pdfRef // of "7 0 obj", once obj was read; -1 if no two numbers stand before it
	lastGen pdfRef // its version
	numbers [2]float64
	count   int // how many numbers have just been read
}

func (p *pdfParser) ended() bool { return p.at >= len(p.data) }

func isPDFSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == 0
}

func isPDFDelimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}
	return isPDFSpace(c)
}

func (p *pdfParser) skipSpace() {
	for ; p.at < len(p.data); p.at++ {
		if c := p.data[p.at]; c == '%' {
			i := bytes.IndexAny(p.data[p.at:], "\r\n")
			if i < 0 {
				p.at = len(p.data)
				return
			}
			p.at += i
		} else if !isPDFSpace(c) {
			return
		}
	}
}

// object reads the next object, or a word such as obj or Tj. It knows no references,
// which value puts together.
func (p *pdfParser) object(depth int) any {
	p.skipSpace()
	if p.ended() {
		return nil
	}
	switch c := p.data[p.at]; c {
	case '/':
		p.count = 0
		return p.name()
	case '(':
		p.count = 0
		return p.literal()
	case '[':
		p.count = 0
		p.at++
		return p.array(depth)
	case '<':
		p.count = 0
		if bytes.HasPrefix(p.data[p.at:], []byte("<<")) {
			p.at += 2
			return p.dict(depth)
		}
		return p.hex()
	case ')', '>', ']', '{', '}':
		p.count = 0
		p.at++
		if c == '>' && !p.ended() && p.data[p.at] == '>' {
			p.at++
			return pdfWord(">>")
		}
		return pdfWord(c)
	}
	from := p.at
	for !p.ended() && !isPDFDelimiter(p.data[p.at]) {
		p.at++
	}
	word := p.data[from:p.at]
	if c := word[0]; c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' {
		n, err := strconv.ParseFloat(string(word), 64)
		if err != nil || n != n || n > 1e15 || n < -1e15 {
			n = 0
		}
		p.numbers[0], p.numbers[1] = p.numbers[1], n
		p.count++
		return n
	}
	p.lastRef = -1
	if p.count >= 2 && p.numbers[0] >= 0 && p.numbers[0] < 1<<30 {
		p.lastRef, p.lastGen = pdfRef(p.numbers[0]), pdfRef(p.numbers[1])
	}
	p.count = 0
	switch string(word) {
	case "true":
		return true
	case "false":
		return false
	}
	return pdfWord(word)
}

// value reads an object of the file: "7 0 R" is one.
func (p *pdfParser) value() any {
	o := p.object(0)
	if _, ok := o.(float64); !ok {
		return o
	}
	at, count := p.at, p.count
	if _, ok := p.object(0).(float64); ok {
		if w, ok := p.object(0).(pdfWord); ok && w == "R" && p.lastRef >= 0 {
			return p.lastRef
		}
	}
	p.at, p.count = at, count
	return o
}

func (p *pdfParser) array(depth int) any {
	a := pdfArray{}
	for !p.ended() && depth < maxPDFDepth {
		o := p.object(depth + 1)
		switch w, ok := o.(pdfWord); {
		case ok && w == "]":
			return a
		case ok && w == "R" && p.lastRef >= 0 && len(a) >= 2:
			a = append(a[:len(a)-2], p.lastRef)
		case ok && (w == "endobj" || w == ">>" || w == "stream"):
			return a
		case ok:
			a = append(a, nil)
		default:
			a = append(a, o)
		}
	}
	return a
}

func (p *pdfParser) dict(depth int) any {
	d := pdfDict{}
	var key pdfName
	var values int
	for !p.ended() && depth < maxPDFDepth {
		o := p.object(depth + 1)
		w, isWord := o.(pdfWord)
		name, isName := o.(pdfName)
		switch {
		case isWord && (w == ">>" || w == "endobj" || w == "stream"):
			return d
		case isWord && w == "R" && p.lastRef >= 0 && key != "":
			d[key] = p.lastRef
		case isName && (key == "" || values > 0):
			key, values = name, 0
		case key != "" && values == 0 && !isWord:
			d[key], values = o, 1
		default:
			values++
		}
	}
	return d
}

// indirect reads the object after "obj", with its stream.
func (p *pdfParser) indirect() any {
	o := p.value()
	d, ok := o.(pdfDict)
	if !ok {
		return o
	}
	p.skipSpace()
	if !bytes.HasPrefix(p.data[p.at:], []byte("stream")) {
		return o
	}
	p.at += len("stream")
	if bytes.HasPrefix(p.data[p.at:], []byte("\r\n")) {
		p.at += 2
	} else if !p.ended() && (p.data[p.at] == '\n' || p.data[p.at] == '\r') {
		p.at++
	}
	end := -1
	if n, ok := d["Length"].(float64); ok && n >= 0 && int(n) <= len(p.data)-p.at {
		rest := bytes.TrimLeft(p.data[p.at+int(n):min(len(p.data), p.at+int(n)+20)], "\r\n \t")
		if bytes.HasPrefix(rest, []byte("endstream")) {
			end = p.at + int(n)
		}
	}
	if end < 0 {
		i := bytes.Index(p.data[p.at:], []byte("endstream"))
		if i < 0 {
			i = len(p.data) - p.at
		}
		end = p.at + i
	}
	s := pdfStream{dict: d, data: p.data[p.at:end]}
	p.at = end
	return s
}

func (p *pdfParser) name() pdfName {
	p.at++
	from := p.at
	for !p.ended() && !isPDFDelimiter(p.data[p.at]) {
		p.at++
	}
	raw := p.data[from:p.at]
	if bytes.IndexByte(raw, '#') < 0 {
		return pdfName(raw)
	}
	var b []byte
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' && i+2 < len(raw) {
			if n, err := strconv.ParseUint(string(raw[i+1:i+3]), 16, 8); err == nil {
				b, i = append(b, byte(n)), i+2
				continue
			}
		}
		b = append(b, raw[i])
	}
	return pdfName(b)
}

// literal reads a text in brackets.
func (p *pdfParser) literal() pdfString {
	p.at++
	var b []byte
	for open := 1; !p.ended(); p.at++ {
		c := p.data[p.at]
		switch c {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				p.at++
				return pdfString(b)
			}
		case '\\':
			if p.at++; p.ended() {
				return pdfString(b)
			}
			switch c = p.data[p.at]; c {
			case 'n', 'r', 't', 'b', 'f':
				c = "\n\r\t\b\f"[strings.IndexByte("nrtbf", c)]
			case '\r', '\n':
				if c == '\r' && p.at+1 < len(p.data) && p.data[p.at+1] == '\n' {
					p.at++
				}
				continue
			case '0', '1', '2', '3', '4', '5', '6', '7':
				n := 0
				for i := 0; i < 3 && !p.ended() && p.data[p.at] >= '0' &&
					p.data[p.at] <= '7'; i++ {
					n = n*8 + int(p.data[p.at]-'0')
					p.at++
				}
				p.at--
				c = byte(n)
			}
		}
		b = append(b, c)
	}
	return pdfString(b)
}

// hex reads a text in hexadecimal digits.
func (p *pdfParser) hex() pdfString {
	p.at++
	var b []byte
	digits, n := 0, byte(0)
	for ; !p.ended(); p.at++ {
		c := p.data[p.at]
		switch {
		case c == '>':
			p.at++
			if digits%2 == 1 {
				b = append(b, n<<4)
			}
			return pdfString(b)
		case c >= '0' && c <= '9':
			n = n<<4 | (c - '0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			n = n<<4 | (c | 0x20 - 'a' + 10)
		default:
			continue
		}
		if digits++; digits%2 == 0 {
			b = append(b, n)
		}
	}
	return pdfString(b)
}
