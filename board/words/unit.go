package words

import "strings"

// Unit returns the dimension that a word in lower case is a unit of ("time", "size", "%", "$"),
// and how many of the dimension's base it is: 0.001 for "ms".
func Unit(word string) (dim string, of float64, ok bool) {
	u, ok := units()[word] // "ms" before "m"
	if !ok {
		u, ok = units()[strings.TrimSuffix(word, "s")]
	}
	return u.dim, u.of, ok
}
