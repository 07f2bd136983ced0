package markdown

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"blackboard/board/lazyregexp"
)

// Split splits a markdown text into its YAML front matter and its body. The front matter
// is between a first line "---" and the next line "---" or "...". Line ends become "
// ", and a byte order mark is dropped.
func Split(text string) (meta, body string, found bool) {
	text = strings.TrimPrefix(text, "\ufeff")
	text = LineEnds.ReplaceAllString(text, "\n")
	first, rest, ok := strings.Cut(text, "\n")
	if !ok || strings.TrimRight(first, " \t") != "---" {
		return "", text, false
	}
	for at := 0; at < len(rest); {
		line, _, more := strings.Cut(rest[at:], "\n")
		next := at + len(line) + 1
		if l := strings.TrimRight(line, " \t"); l == "---" || l == "..." {
			if !more {
				return rest[:at], "", true
			}
			return rest[:at], rest[next:], true
		}
		if !more {
			break
		}
		at = next
	}
	return "", text, false
}

// LineEnds matches line ends of other systems.
var LineEnds = lazyregexp.New(`\r+\n`)

// Load reads front matter, which may be written by hand.
func Load(meta string, into any) (err error) {
	defer func() {
		if r := recover(); r != nil { // a panic of the parser must not lose everything else
			err = fmt.Errorf("%v", r)
		}
	}()
	err = yaml.Load([]byte(meta), into)
	if err != nil {
		err = errors.New(strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "yaml: ")),
			" "))
	}
	return err
}
