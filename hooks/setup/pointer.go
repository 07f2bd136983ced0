package setup

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"blackboard/hooks/harness"
)

// This file adds a pointer to board to an instructions file such as AGENTS.md: lines
// between two markers, at the end. Several harnesses may read one file.

//go:embed POINTER.md
var pointer string

// pointerLines returns the pointer's lines, with the markers first and last.
func pointerLines() []string { return strings.Split(strings.TrimSuffix(pointer, "\n"), "\n") }

func (t target) pointsTo() bool { return slices.Contains(t.parts, harness.PartPointer) }

// isShared reports whether other harnesses may need the target too.
func (t target) isShared() bool { return t.own != nil || t.pointsTo() }

// findPointer returns the pointer's position, with its markers; nil if there is none.
func findPointer(b []byte, path string) (*table, error) {
	lines := pointerLines()
	begin, end := lineOf(b, 0, lines[0]), 0
	if begin < 0 {
		return nil, nil
	}
	if end = lineOf(b, begin, lines[len(lines)-1]); end < 0 {
		return nil, fileError(fmt.Sprintf("%s has the line %q without the line that ends the "+
			"pointer; nothing was changed", path, lines[0]), "remove the rest of the pointer by "+
			"hand, then set up again")
	}
	return &table{start: begin, end: endOfLine(b, end)}, nil
}

// lineOf returns the start of the first line with this text from a position on, or -1.
func lineOf(b []byte, from int, text string) int {
	for at := from; at < len(b); at = endOfLine(b, at) {
		line := bytes.TrimRight(b[at:endOfLine(b, at)], "\r\n")
		if at == 0 {
			line = bytes.TrimPrefix(line, bom)
		}
		if string(line) == text {
			return at + bytes.Index(b[at:], line)
		}
	}
	return -1
}

func addPointer(b []byte, path string) ([]byte, addition, error) {
	add := addition{fresh: true}
	found, err := findPointer(b, path)
	if err != nil {
		return nil, add, err
	}
	if found == nil {
		return apply(b, appendTables(b, [][]string{pointerLines()})...), add, nil
	}
	add.fresh = false
	old := b[found.start:found.end]
	text := strings.Join(pointerLines(), lineEnd(b))
	if string(bytes.TrimRight(old, "\r\n")) == text {
		return b, add, nil
	}
	return apply(b, edit{found.start, len(bytes.TrimRight(old, "\r\n")), text}), add, nil
}

func stripPointer(b []byte, path string) ([]byte, error) {
	found, err := findPointer(b, path)
	if err != nil || found == nil {
		return b, err
	}
	return apply(b, cutTable(b, found)), nil
}

// leave removes a harness from the users of a shared file; false if there are no others.
func (p *planner) leave(t target, d *draft, w *Work) bool {
	if d.record == nil {
		return false
	}
	users := without(d.record.Harnesses, t.h.Name)
	if len(users) == 0 {
		return false
	}
	p.serve(d, users, w)
	for _, h := range p.chosen {
		users = without(users, h.Name)
	}
	if len(users) > 0 {
		w.Notes = append(w.Notes, p.s.Short(t.path)+" stays, because it also serves "+
			strings.Join(users, ", "))
	}
	return true
}

// serve records which harnesses need an unchanged file.
func (p *planner) serve(d *draft, users []string, w *Work) {
	same := *d.record
	same.Harnesses = users
	d.record = &same
	w.records = append(w.records, &same)
}

func without(names []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
}
