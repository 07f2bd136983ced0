package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// status is what an exit code says: that all went well that does more than look (sure,
// for 0), or that something was not found (asks, for 1).
type status struct{ sure, asks bool }

// list is the status of commands one after the other: that of the last one, which says
// nothing about those before it unless `set -e` is on.
func (r *reader) list(stmts []*syntax.Stmt) status {
	s := status{sure: true}
	stops, pipes := false, false
	for i, stmt := range stmts {
		one := r.status(stmt, pipes)
		sure := s.sure && one.sure
		if i > 0 && !stops && !r.onlyLooks(stmts[:i]...) {
			sure = false
		}
		s = status{sure: sure, asks: one.asks || stops && s.asks}
		e, p := setting(stmt)
		stops, pipes = stops || e, pipes || p
	}
	return s
}

// setting reads `set -euo pipefail`: that the first failure ends all, also within a pipe.
func setting(stmt *syntax.Stmt) (stops, pipes bool) {
	c, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) < 2 || literal(c.Args[0].Parts) != "set" {
		return false, false
	}
	for _, w := range c.Args[1:] {
		word := literal(w.Parts)
		pipes = pipes || word == "pipefail"
		stops = stops || word == "errexit" || strings.HasPrefix(word, "-") &&
			strings.Contains(word, "e")
	}
	return stops, pipes
}

func (r *reader) onlyLooks(stmts ...*syntax.Stmt) bool {
	return !slices.ContainsFunc(stmts, func(s *syntax.Stmt) bool { return r.does(s).does != Looks })
}

// status is that of one command. With pipes, a pipe fails where any part of it does.
func (r *reader) status(stmt *syntax.Stmt, pipes bool) status {
	looks := r.onlyLooks(stmt)
	if stmt.Background || stmt.Negated || stmt.Cmd == nil {
		return status{sure: looks, asks: stmt.Negated}
	}
	switch c := stmt.Cmd.(type) {
	case *syntax.BinaryCmd:
		x, y := r.status(c.X, pipes), r.status(c.Y, pipes)
		switch c.Op {
		case syntax.AndStmt:
			return status{x.sure && y.sure, x.asks || y.asks}
		case syntax.OrStmt:
			return status{r.onlyLooks(c.X) && y.sure, y.asks}
		}
		if pipes {
			return status{x.sure && y.sure, x.asks || y.asks}
		}
		return status{r.onlyLooks(c.X) && y.sure, y.asks}
	case *syntax.CallExpr:
		v := r.call(c)
		// The code of a substitution is lost.
		lost := false
		syntax.Walk(c, func(n syntax.Node) bool {
			inner, ok := n.(*syntax.CallExpr)
			lost = lost || ok && inner != c && r.call(inner).does != Looks
			return !lost
		})
		return status{!v.lax && !lost, v.asks}
	case *syntax.Subshell:
		return r.list(c.Stmts)
	case *syntax.Block:
		return r.list(c.Stmts)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return r.status(c.Stmt, pipes)
		}
	case *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause:
		return status{looks, true}
	}
	return status{sure: looks} // loops and cases: the code is that of what ran last
}
