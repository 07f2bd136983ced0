// This file finds the name that was meant by a misspelled one.
package fault

import (
	"cmp"
	"slices"
	"strings"
)

// Similar returns at most three names that name may be a misspelling of, nearest first,
// without name itself. A name that begins with the other counts too.
func Similar(name string, names []string) []string {
	const (
		most      = 3
		minPrefix = 3 // bytes: fewer begin everything
	)
	distance := map[string]int{}
	var near []string
	for _, other := range names {
		a, b := strings.ToLower(name), strings.ToLower(other)
		d := Distance(a, b)
		short, long := a, b
		if len(short) > len(long) {
			short, long = long, short
		}
		if other != name && (d < MaxDistance(name) || len(short) >= minPrefix &&
			strings.HasPrefix(long, short)) {
			near, distance[other] = append(near, other), d
		}
	}
	slices.SortFunc(near, func(a, b string) int {
		return cmp.Or(cmp.Compare(distance[a], distance[b]), strings.Compare(a, b))
	})
	return near[:min(len(near), most)]
}

// DidYouMean returns a question and a blank, such as "did you mean audit-7 or audit-8? ", or "" if
// no name is similar.
func DidYouMean(name string, names []string) string {
	near := Similar(name, names)
	switch n := len(near) - 1; n {
	case -1:
		return ""
	case 0:
		return "did you mean " + near[0] + "? "
	default:
		return "did you mean " + strings.Join(near[:n], ", ") + " or " + near[n] + "? "
	}
}

// MaxDistance is the edit distance from which a word is no misspelling of another.
func MaxDistance(word string) int { return min(len(word), max(2, len(word)/3)+1) }

// Distance is the Levenshtein distance in bytes.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
