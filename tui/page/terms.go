package page

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"blackboard/board/text"
)

// Terms are typed to find something: words, and filters such as kind:gotcha, or quoted.
type Terms struct {
	Words   []string
	Filters map[string][]string // by their names
}

// term matches a word, or a filter.
var term = text.NewRegexp(`(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))`)

// ParseTerms parses a text in which filters have these names. One without a value is not typed
// to its end, and is no word either.
func ParseTerms(text string, names ...string) Terms {
	t := Terms{Filters: map[string][]string{}}
	for _, m := range term.FindAllStringSubmatch(text, -1) {
		name, value := m[1], m[2]+m[3]
		unfinished := strings.TrimSuffix(m[3], ":")
		switch {
		case value == "", m[1] == "" && unfinished != m[3] && slices.Contains(names, unfinished):
		case slices.Contains(names, name):
			t.Filters[name] = append(t.Filters[name], value)
		case m[2] != "":
			t.Words = append(t.Words, value)
		default:
			t.Words = append(t.Words, m[0])
		}
	}
	return t
}

// Text has the words alone.
func (t *Terms) Text() string { return strings.Join(t.Words, " ") }

// In returns a filter's values. The beginning of exactly one in the list stands for that.
func (t *Terms) In(name string, list []string) []string {
	values := slices.Clone(t.Filters[name])
	for i, v := range values {
		var match []string
		for _, w := range list {
			if strings.HasPrefix(w, strings.ToLower(v)) {
				match = append(match, w)
			}
		}
		if len(match) == 1 {
			values[i] = match[0]
		}
	}
	return values
}

// Since returns the earliest moment that the filter since lets through; zero: any.
func (t *Terms) Since(now time.Time) (from time.Time) {
	for _, v := range t.Filters["since"] {
		if at, ok := MomentOf(v, now); ok && at.After(from) {
			from = at
		}
	}
	return from
}

// MomentOf returns the moment that a text names: 90m, 2h, 7d before now, 12:30 or noon of this
// day or the one before, 2026-01-31, "2026-01-31 12:30". Clocks are those of the reader.
func MomentOf(text string, now time.Time) (time.Time, bool) {
	if text == "noon" {
		text = "12:00"
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		return now.AddDate(0, 0, -n), err == nil && n > 0
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return now.Add(-d), true
	}
	for _, layout := range []string{"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02", "15:04"} {
		at, err := time.ParseInLocation(layout, text, time.Local)
		if err != nil {
			continue
		}
		if here := now.Local(); layout == "15:04" {
			at = time.Date(here.Year(), here.Month(), here.Day(), at.Hour(), at.Minute(), 0, 0, time.Local)
			if at.After(now) {
				at = at.AddDate(0, 0, -1)
			}
		}
		return at, true
	}
	return time.Time{}, false
}
