package store

import (
	"crypto/rand"
	"fmt"
	"strings"

	"blackboard/kb/index"
)

// idAlphabet leaves out what looks alike.
const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// NewID makes an id of 45 random bits after a letter, which says what it is the id of.
func NewID(letter byte) string {
	var b [10]byte
	rand.Read(b[:]) // never fails
	return IDOf(letter, b)
}

// IDOf is NewID with bits that are given: equal bits are one id.
func IDOf(letter byte, bits [10]byte) string {
	for i := range bits {
		bits[i] = idAlphabet[bits[i]%32]
	}
	bits[0] = letter
	return string(bits[:])
}

// IsID reports whether an id can be one, after one of the letters.
func IsID(id, letters string) bool {
	return len(id) == 10 && strings.IndexByte(letters, id[0]) >= 0 &&
		strings.Trim(id[1:], idAlphabet) == ""
}

// maxKeyword is how many bytes of a keyword's value are kept. The index takes 512.
const maxKeyword = 400

// Keyword makes a keyword of a value that may be longer than the index takes. Of one that is, there
// are keep bytes and its hash: what stands in an index must be found by what is asked for.
func Keyword(prefix, value string, keep int, hash func(string) []byte) string {
	if len(value) > maxKeyword { // the cut may go through a letter
		value = fmt.Sprintf("%s#%x", strings.ToValidUTF8(value[:keep], ""), hash(value))
	}
	return prefix + value
}

// Require has a filter ask for one of some values; of no values, it asks for nothing.
func Require(f *index.Filter, keyword func(prefix, value string) string, prefix string,
	values ...string) {
	var group []string
	for _, v := range values {
		group = append(group, keyword(prefix, v))
	}
	if group != nil {
		f.All = append(f.All, group)
	}
}
