package documents

import (
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"encoding/ascii85"
	"errors"
	"io"

	tiff "golang.org/x/image/tiff/lzw"
)

// unpack returns the content of a stream. What is no text, such as an image, gives none.
func (f *pdfFile) unpack(s pdfStream) ([]byte, error) {
	if f.left -= 32; f.left < 0 { // an empty stream may be named without end
		return nil, errTooLarge
	}
	filters := pdfArray{f.resolve(s.dict["Filter"])}
	if a, ok := filters[0].(pdfArray); ok {
		filters = a
	}
	parameters := pdfArray{f.resolve(s.dict["DecodeParms"])}
	if a, ok := parameters[0].(pdfArray); ok {
		parameters = a
	}
	if len(filters) > 8 {
		return nil, errors.New("a stream has too many filters")
	}
	data := s.data
	if s.key != nil {
		data = f.crypt.decrypt(f.crypt.stream, s.key, data)
	}
	for i, filter := range filters {
		var err error
		switch f.resolve(filter) {
		case nil, pdfName("Crypt"):
		case pdfName("FlateDecode"), pdfName("Fl"):
			data, err = f.inflate(data)
		case pdfName("LZWDecode"), pdfName("LZW"):
			early := true
			if i < len(parameters) {
				if n, ok := f.resolve(f.dict(parameters[i])["EarlyChange"]).(float64); ok {
					early = n != 0
				}
			}
			data = f.lzw(data, early)
		case pdfName("ASCIIHexDecode"), pdfName("AHx"):
			p := pdfParser{data: append([]byte("<"), data...)}
			data = []byte(p.hex())
		case pdfName("ASCII85Decode"), pdfName("A85"):
			data = pdfASCII85(data)
		case pdfName("RunLengthDecode"), pdfName("RL"):
			data = f.runLength(data)
		default:
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if i < len(parameters) {
			data = f.unpredict(data, f.dict(parameters[i]))
		}
		if f.left -= len(data); f.left < 0 {
			return nil, errTooLarge
		}
	}
	return data, nil
}

// inflate unpacks as far as the data are sound.
func (f *pdfFile) inflate(data []byte) ([]byte, error) {
	r, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, nil
	}
	out, _ := io.ReadAll(io.LimitReader(r, int64(f.left)+1))
	if len(out) > f.left {
		return nil, errTooLarge
	}
	return out, nil
}

func pdfASCII85(data []byte) []byte {
	if i := bytes.Index(data, []byte("~>")); i >= 0 {
		data = data[:i]
	}
	out, _ := io.ReadAll(ascii85.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("<~")))))
	return out
}

func (f *pdfFile) runLength(data []byte) []byte {
	var out []byte
	for i := 0; i < len(data) && data[i] != 128 && len(out) <= f.left; {
		n := int(data[i])
		if i++; n < 128 {
			end := min(i+n+1, len(data))
			out = append(out, data[i:end]...)
			i = end
		} else if i < len(data) {
			out = append(out, bytes.Repeat(data[i:i+1], 257-n)...)
			i++
		}
	}
	return out
}

// lzw unpacks as far as the data are sound. The codes of PDF mostly grow one code earlier than
// those of package lzw, as those of TIFF do.
func (f *pdfFile) lzw(data []byte, early bool) []byte {
	var r io.Reader = lzw.NewReader(bytes.NewReader(data), lzw.MSB, 8)
	if early {
		r = tiff.NewReader(bytes.NewReader(data), tiff.MSB, 8)
	}
	out, _ := io.ReadAll(io.LimitReader(r, int64(f.left)+1))
	return out
}

// unpredict undoes the filters of PNG, which streams of objects have.
func (f *pdfFile) unpredict(data []byte, parameters pdfDict) []byte {
	if f.integer(parameters["Predictor"]) < 10 {
		return data
	}
	columns, colors, depth := 1, 1, 8
	for name, into := range map[pdfName]*int{"Columns": &columns, "Colors": &colors,
		"BitsPerComponent": &depth} {
		if n := f.integer(parameters[name]); n > 0 && n < 1<<16 {
			*into = n
		}
	}
	pixel := max(1, min(colors, 64)*min(depth, 32)/8)
	row := min((columns*min(colors, 64)*min(depth, 32)+7)/8, len(data))
	out := make([]byte, 0, len(data))
	above := make([]byte, row)
	for len(data) > 1 {
		kind, line := data[0], bytes.Clone(data[1:min(len(data), row+1)])
		data = data[len(line)+1:]
		for i := range line {
			var left, corner byte
			if i >= pixel {
				left, corner = line[i-pixel], above[i-pixel]
			}
			switch kind {
			case 1:
				line[i] += left
			case 2:
				line[i] += above[i]
			case 3:
				line[i] += byte((int(left) + int(above[i])) / 2)
			case 4:
				line[i] += paeth(left, above[i], corner)
			}
		}
		out = append(out, line...)
		copy(above, line)
	}
	return out
}

func paeth(a, b, c byte) byte {
	p := int(a) + int(b) - int(c)
	da, db, dc := max(p-int(a), int(a)-p), max(p-int(b), int(b)-p), max(p-int(c), int(c)-p)
	switch {
	case da <= db && da <= dc:
		return a
	case db <= dc:
		return b
	}
	return c
}
