package ops

import (
	"fmt"

	"blackboard/board/fault"
	"blackboard/board/op"
)

// listed writes a list, a line for each, and says that there is nothing, or more.
func listed[T any](p *op.Page, all []T, more bool, what string, line func(*T) string) {
	n := rows(p, all, "no "+what+" found", line)
	switch {
	case n < len(all) || more && p.Shorten != nil:
		cut(p, fmt.Sprintf("the first %d are shown", n))
	case more:
		p.Note(fmt.Sprintf("the first %d are shown", n) + p.Step(fault.Give("limit", "0",
			"; {} shows all")))
	}
}

// newest lists from the newest on; the next page begins before an id; nil: there are no pages.
func newest[T any](p *op.Page, all []T, more bool, none string, id func(*T) string,
	line func(*T) string) {
	n := rows(p, all, none, line)
	said := fmt.Sprintf("the newest %d are shown", n)
	switch {
	case n == len(all) && !more:
	case n > 0 && id != nil:
		p.Note(said + p.Step(fault.Give("before", id(&all[n-1]), "; {} shows the next")))
	case p.Shorten != nil:
		cut(p, said)
	default:
		p.Note(said + p.Step(fault.Give("limit", "0", "; {} shows all")))
	}
}

// cut notes that an answer has not all and, if there is one, the argument that asks for more.
func cut(p *op.Page, said string) {
	for _, more := range []string{"limit", "max_tokens"} {
		if by := p.Step(fault.Give(more, "", "{}")); by != "" {
			p.Note(said + "; " + by + " asks for more")
			return
		}
	}
	p.Note(said)
}

func rows[T any](p *op.Page, all []T, none string, line func(*T) string) int {
	shown := op.FirstRows(p, all)
	for i := range shown {
		p.Printf("%s\n", line(&shown[i]))
	}
	if len(all) == 0 {
		p.Note(none)
	}
	return len(shown)
}
