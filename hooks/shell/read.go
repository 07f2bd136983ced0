package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"blackboard/board/text"
)

// Does is what a command does to what outlasts it: files, repositories, services.
type Does int

const (
	Unknown Does = iota // nobody knows: it counts as a change
	Looks               // it only looks
	Changes
)

// Kind is what sort of work a command is.
type Kind int

const (
	Other   Kind = iota
	Install      // packages
	Test         // tests, builds, checks
	Commit       // what a repository keeps: commits, merges, pushes
)

// Line is what is known about a command line.
type Line struct {
	Does Does
	Kind Kind // the highest of its commands
	// Text is the line in short, on one line: what does more than look, without the texts
	// of here-documents. It is the whole line if all of it only looks, or nobody can read
	// it.
	Text string
	// Sure says that with exit code 0 all went well that does more than look. In `make |
	// tail` it is the exit code of tail.
	Sure bool
	// Asks says that exit code 1 may be an answer, "not found" or "they differ", and no
	// failure.
	Asks bool
}

// maxRead is the longest line that is read, in bytes.
const maxRead = 16 << 10

// maxStatements is how many commands a line may have, the nested ones too: a hook has no
// time for more.
const maxStatements = 300

// maxDepth is how many commands may be wrapped in each other: sudo env bash -c.
const maxDepth = 8

// Read tells what a command line does. A line that nobody can read is Unknown.
func Read(command string) Line { return read(command, 0) }

func read(command string, depth int) Line {
	out := Line{Text: oneLine(firstLine(command))}
	if len(command) > maxRead || depth > maxDepth {
		return out
	}
	src, file := parse(command)
	if file == nil || len(file.Stmts) == 0 || statements(file) > maxStatements {
		return out
	}
	r := &reader{src: src, depth: depth, calls: map[*syntax.CallExpr]verdict{}}
	r.edits = r.findEdits(file)
	v := r.does(file)
	out = Line{Does: v.does, Kind: v.kind, Text: r.short(file.Stmts), Sure: true}
	for _, ran := range follow(command, "", Passed) {
		if len(ran.Words) == 0 {
			continue
		}
		one := verdictOn(ran.Words, depth)
		out.Sure = out.Sure && (one.does == Looks || !one.lax && (ran.Outcome == Passed || ran.Outcome == perhaps))
		out.Asks = out.Asks || ran.Outcome == Failed || ran.Outcome == Passed && one.asks
	}
	return out
}

func statements(file *syntax.File) (n int) {
	syntax.Walk(file, func(node syntax.Node) bool {
		if _, ok := node.(*syntax.Stmt); ok {
			n++
		}
		return true
	})
	return n
}

// unclosed is how the parser says that a here-document has no end.
var unclosed = text.NewRegexp("unclosed here-document `(.+)`$")

// parse reads a line; nil if nobody can. A here-document that was cut off is closed: what
// counts stands before it.
func parse(src string) (string, *syntax.File) {
	for range 2 {
		file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(src),
			"")
		if err == nil {
			return src, file
		}
		m := unclosed.FindStringSubmatch(err.Error())
		if m == nil {
			return src, nil
		}
		src = strings.TrimRight(src, "\n") + "\n" + strings.Trim(m[1], `'"\`) + "\n"
	}
	return src, nil
}

// reader reads one line.
type reader struct {
	src   string
	depth int
	edits []edit
	calls map[*syntax.CallExpr]verdict // that are known: those that wrap others take time
}

// verdict is what is known about a command.
type verdict struct {
	does Does
	kind Kind
	asks bool // exit code 1 may be an answer
	lax  bool // exit code 0 does not say that all went well
}

// and joins what two commands do: a change goes before what nobody knows, that before a
// look.
func (v verdict) and(w verdict) verdict {
	v.kind = max(v.kind, w.kind)
	if rank(w.does) > rank(v.does) {
		v.does = w.does
	}
	return v
}

func rank(d Does) int { return [...]int{Unknown: 1, Looks: 0, Changes: 2}[d] }

// does joins what all commands in a part of a line do, in substitutions and functions
// too.
func (r *reader) does(part syntax.Node) verdict {
	v := verdict{does: Looks}
	syntax.Walk(part, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			v = v.and(r.call(n))
		case *syntax.Redirect:
			v = v.and(r.redirect(n))
		case *syntax.CoprocClause:
			v = v.and(verdict{})
		}
		return true
	})
	return v
}

func (r *reader) call(c *syntax.CallExpr) verdict {
	if len(c.Args) == 0 { // variables of the shell alone
		return verdict{does: Looks}
	}
	v, known := r.calls[c]
	if !known {
		words := make([]string, len(c.Args))
		for i, w := range c.Args {
			words[i] = literal(w.Parts)
		}
		v = verdictOn(words, r.depth)
		r.calls[c] = v
	}
	return v
}

// redirect tells what a redirection does: it writes to a file, unless that is a terminal
// or null.
func (r *reader) redirect(n *syntax.Redirect) verdict {
	switch n.Op {
	case syntax.DplOut:
		if to := literal(n.Word.Parts); to == "-" || strings.Trim(to, "0123456789") == "" {
			return verdict{does: Looks}
		}
	case syntax.RdrOut, syntax.AppOut, syntax.RdrInOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
	default:
		return verdict{does: Looks}
	}
	if isDiscarded(literal(n.Word.Parts)) {
		return verdict{does: Looks}
	}
	return verdict{does: Changes}
}

// isDiscarded reports whether what is written to a file is not kept.
func isDiscarded(file string) bool {
	switch file {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "-":
		return true
	}
	return strings.HasPrefix(file, "/dev/fd/")
}

// dynamic stands in a word for what only the shell knows.
const dynamic = "$"

// literal is a word without its quotes; what the shell would put into it is dynamic.
func literal(parts []syntax.WordPart) string {
	var b strings.Builder
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			for i := 0; i < len(part.Value); i++ {
				if part.Value[i] == '\\' && i+1 < len(part.Value) {
					i++
				}
				b.WriteByte(part.Value[i])
			}
		case *syntax.SglQuoted:
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			b.WriteString(literal(part.Parts))
		default:
			b.WriteString(dynamic)
		}
	}
	return b.String()
}
