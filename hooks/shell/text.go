package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// edit replaces a part of the source in what is shown of it.
type edit struct {
	from, to int
	by       string
}

// findEdits drops the texts of here-documents and redirections that say nothing, and puts
// a text in place of the `$(cat <<'EOF' …)` that gives it.
func (r *reader) findEdits(file *syntax.File) (all []edit) {
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			if body := given(n); body != nil {
				by := strings.TrimSpace(literal(body.Parts))
				all = append(all, edit{r.at(n.Pos()), r.at(n.End()), by})
				return false
			}
		case *syntax.Redirect:
			if n.Hdoc != nil && len(n.Hdoc.Parts) > 0 {
				end := r.at(n.Hdoc.End())
				rest, stop := r.src[end:], literal(n.Word.Parts)
				if strings.HasPrefix(strings.TrimLeft(rest, "\t"), stop) {
					end += strings.Index(rest, stop) + len(stop)
				}
				all = append(all, edit{r.at(n.Hdoc.Pos()), end, ""})
			} else if n.Op != syntax.RdrIn && n.Op != syntax.WordHdoc &&
				r.redirect(n).does == Looks {
				all = append(all, edit{r.at(n.Pos()), r.at(n.Word.End()), ""})
			}
		}
		return true
	})
	slices.SortFunc(all, func(a, b edit) int { return a.from - b.from })
	return all
}

// given is the here-document that a substitution does nothing but repeat.
func given(n *syntax.CmdSubst) *syntax.Word {
	if len(n.Stmts) != 1 || len(n.Stmts[0].Redirs) != 1 {
		return nil
	}
	c, ok := n.Stmts[0].Cmd.(*syntax.CallExpr)
	body := n.Stmts[0].Redirs[0].Hdoc
	if !ok || len(c.Args) != 1 || c.Args[0].Lit() != "cat" || body == nil || len(body.Parts) == 0 {
		return nil
	}
	return body
}

// at is a position as an index into the source.
func (r *reader) at(p syntax.Pos) int { return min(int(p.Offset()), len(r.src)) }

// shown is a part of the source with its edits, on one line.
func (r *reader) shown(from, to int) string {
	var b strings.Builder
	for _, e := range r.edits {
		if e.from < from || e.to > to {
			continue
		}
		b.WriteString(r.src[from:e.from])
		b.WriteString(e.by)
		from = e.to
	}
	b.WriteString(r.src[from:max(from, to)])
	return oneLine(b.String())
}

// short is a list of commands without those that only look.
func (r *reader) short(stmts []*syntax.Stmt) string {
	if r.onlyLooks(stmts...) {
		return r.shown(0, len(r.src))
	}
	var b strings.Builder
	cd := "" // of a command that follows
	var walk func(stmt *syntax.Stmt, joint string)
	walk = func(stmt *syntax.Stmt, joint string) {
		c, ok := stmt.Cmd.(*syntax.BinaryCmd)
		if ok && c.Op == syntax.AndStmt && !stmt.Negated && !stmt.Background {
			walk(c.X, joint)
			walk(c.Y, " && ")
			return
		}
		if r.onlyLooks(stmt) {
			c, ok := stmt.Cmd.(*syntax.CallExpr)
			if ok && len(c.Args) == 2 && literal(c.Args[0].Parts) == "cd" {
				if cd = r.one(stmt); cd == "cd ." {
					cd = ""
				}
			}
			return
		}
		if b.Len() > 0 {
			b.WriteString(joint)
		}
		if cd != "" {
			b.WriteString(cd + " && ")
			cd = ""
		}
		b.WriteString(r.one(stmt))
	}
	for _, stmt := range stmts {
		walk(stmt, "; ")
	}
	return b.String()
}

// one shows one command: a pipe without the end that only looks at its output.
func (r *reader) one(stmt *syntax.Stmt) string {
	for !stmt.Negated {
		c, ok := stmt.Cmd.(*syntax.BinaryCmd)
		if !ok || c.Op != syntax.Pipe && c.Op != syntax.PipeAll || !r.onlyLooks(c.Y) {
			break
		}
		stmt = c.X
	}
	if stmt.Cmd == nil {
		return r.shown(r.at(stmt.Pos()), r.at(stmt.End()))
	}
	from, to := r.at(stmt.Cmd.Pos()), r.at(stmt.Cmd.End())
	s := r.shown(from, to)
	if stmt.Negated {
		s = "! " + s
	}
	for _, n := range stmt.Redirs {
		if at := r.at(n.Pos()); at < from || at >= to {
			if t := r.shown(at, r.at(n.Word.End())); t != "" {
				s += " " + t
			}
		}
	}
	if stmt.Background {
		s += " &"
	}
	return s
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func (r *reader) onlyLooks(stmts ...*syntax.Stmt) bool {
	return !slices.ContainsFunc(stmts, func(s *syntax.Stmt) bool { return r.does(s).does != Looks })
}
