package minilm

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// charsmap is SentencePiece's table of replacements that are applied before tokenization.
// It is a double-array trie in the form of Darts, and the replacements, each ended by a
// zero byte. An empty charsmap replaces nothing.
type charsmap struct {
	units  []uint32
	values []byte
}

var errCharsmap = errors.New("its table of characters is broken")

func readCharsmap(data []byte) (charsmap, error) {
	if len(data) < 4 {
		return charsmap{}, errCharsmap
	}
	size, data := binary.LittleEndian.Uint32(data), data[4:]
	if int64(size) > int64(len(data)) || size%4 != 0 || size == 0 {
		return charsmap{}, errCharsmap
	}
	c := charsmap{make([]uint32, size/4), data[size:]}
	for i := range c.units {
		c.units[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return c, nil
}

// replace returns the replacement of the longest prefix of a text that is in the table,
// and the length of that prefix.
func (c charsmap) replace(text string) (replacement string, length int, ok bool) {
	if len(c.units) == 0 {
		return "", 0, false
	}
	offset := func(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }
	const leaf, labelBits, valueBits = 1 << 8, 1<<31 | 0xff, 1<<31 - 1
	at, value := offset(c.units[0]), uint32(0)
	for i := range len(text) {
		at ^= uint32(text[i])
		if text[i] == 0 || at >= uint32(len(c.units)) || c.units[at]&labelBits != uint32(text[i]) {
			break
		}
		unit := c.units[at]
		if at ^= offset(unit); at >= uint32(len(c.units)) {
			break
		}
		if unit&leaf != 0 {
			value, length = c.units[at]&valueBits, i+1
		}
	}
	if length == 0 || int64(value) >= int64(len(c.values)) {
		return "", 0, false
	}
	found, _, _ := bytes.Cut(c.values[value:], []byte{0})
	return string(found), length, true
}
