package markdown

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"blackboard/board/text"
)

// Split splits off front matter, between "---" and the next "---" or "...". Line ends become LF,
// and a byte order mark is dropped.
func Split(file string) (meta, body string, found bool) {
	file = strings.TrimPrefix(file, "\ufeff")
	file = LineEnds.ReplaceAllString(file, "\n")
	first, rest, ok := strings.Cut(file, "\n")
	if !ok || strings.TrimRight(first, " \t") != "---" {
		return "", file, false
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
	return "", file, false
}

// LineEnds matches line ends of other systems.
var LineEnds = text.NewRegexp(`\r+\n`)

// Load reads front matter by hand: texts as written, no aliases, errors by line.
func Load(meta string, into any) (err error) {
	defer func() {
		if r := recover(); r != nil { // a parser's bug is no reason to lose everything else
			err = fmt.Errorf("%v", r)
		}
	}()
	err = yaml.Load([]byte(meta), into)
	var at *yaml.LoadError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &at):
		said := text.OneLine(strings.TrimPrefix(at.Message, "yaml: "))
		mark := at.Mark
		if mark.Line == 0 || at.ContextMark.Line > 0 &&
			strings.HasSuffix(at.Message, "end of stream") {
			mark = at.ContextMark // where what is not closed begins
		}
		if mark.Line > 0 {
			return fmt.Errorf("line %d: %s", mark.Line+1, said)
		}
		return errors.New(said)
	}
	return errors.New(text.OneLine(strings.TrimPrefix(err.Error(), "yaml: ")))
}
