package board

import (
	"cmp"
	"slices"
	"strings"
)

// Similar returns the names that a run's name may be a misspelling of, the nearest first, three at most; not the name itself. A name that begins with the other counts too.
func Similar(run string, names []string) []string {
	const (
		most      = 3
		minPrefix = 3 // bytes: fewer begin everything
	)
	distance := map[string]int{}
	var near []string
	for _, name := range names {
		a, b := strings.ToLower(run), strings.ToLower(name)
		d := EditDistance(a, b)
		short, long := a, b
		if len(short) > len(long) {
			short, long = long, short
		}
		if name != run && (d < MaxDistance(run) || len(short) >= minPrefix && strings.HasPrefix(long, short)) {
			near, distance[name] = append(near, name), d
		}
	}
	slices.SortFunc(near, func(a, b string) int { return cmp.Or(cmp.Compare(distance[a], distance[b]), strings.Compare(a, b)) })
	return near[:min(len(near), most)]
}

// DidYouMean asks for the similar ones among the names: "did you mean audit-7 or audit-8? ". It is "" if there is none.
func DidYouMean(run string, names []string) string {
	near := Similar(run, names)
	switch n := len(near) - 1; n {
	case -1:
		return ""
	case 0:
		return "did you mean " + near[0] + "? "
	default:
		return "did you mean " + strings.Join(near[:n], ", ") + " or " + near[n] + "? "
	}
}

// Created says that a run was created, and which of the names are similar: then another run may have been meant.
func Created(run string, names []string) string {
	text := "created run " + run
	if near := Similar(run, names); len(near) > 0 {
		text += "; runs with similar names: " + strings.Join(near, ", ")
	}
	return text
}

// MaxDistance is the edit distance at which another word is too far away to be a misspelling of a word.
func MaxDistance(word string) int { return min(len(word), max(2, len(word)/3)+1) }

// EditDistance is the Levenshtein distance in bytes.
func EditDistance(a, b string) int {
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
