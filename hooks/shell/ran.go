package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"blackboard/board/text"
)

// Outcome is what the exit code of a line says of one of its commands.
type Outcome int

const (
	Hidden Outcome = iota // nothing: something else decides over it
	Untold                // it would tell, but nobody knows it
	Passed
	Failed
	perhaps // it passed if it ran: the same as Hidden for who wants to know that it ran
)

// Ran is one command of a line, without what it was wrapped in.
type Ran struct {
	Words   []string // its program and arguments; "$" stands in them for what only the shell knows
	Dir     string   // where it ran, with slashes; "?" if only the shell knows
	Outcome Outcome
	Edits   bool // it changes files that somebody may have tested
}

// Commands lists what a line has run in a directory, in order. exit is its exit code, nil if
// nobody knows it. A line that nobody can read has run nothing.
func Commands(command, dir string, exit *int) []Ran {
	k := Untold
	switch {
	case exit == nil:
	case *exit == 0:
		k = Passed
	default:
		k = Failed
	}
	all := follow(command, dir, k)
	for i := range all {
		if all[i].Outcome == perhaps {
			all[i].Outcome = Hidden
		}
	}
	return all
}

func follow(command, dir string, k Outcome) []Ran {
	w := &walker{scope: scope{dir: slashed(dir)}, funcs: map[string]*syntax.Stmt{}}
	w.text(masked.ReplaceAllString(command, "masked"), k)
	return w.ran
}

// masked is what stands for a secret, or for what is private. It was one word, or a part.
var masked = text.NewRegexp(`«[^»]*»`)

// slashed is a path with slashes, without what does not matter in it.
func slashed(dir string) string {
	if dir == "" {
		return ""
	}
	return path.Clean(strings.ReplaceAll(dir, `\`, "/"))
}

// windows matches a path of a drive.
var windows = text.NewRegexp(`^[A-Za-z]:`)

// scope is what a subshell has of its own.
type scope struct {
	dir               string
	back              []string // of pushd
	errexit, pipefail bool     // set -e, set -o pipefail
	elsewhere, hidden bool     // in a container; the exit code is replaced
}

// walker follows the commands of a line.
type walker struct {
	scope
	ran   []Ran
	funcs map[string]*syntax.Stmt // by name; nil: another command stands for it
	depth int
	count int
}

// text follows a line, or what a shell is given to run.
func (w *walker) text(src string, k Outcome) {
	if len(src) > maxRead || w.depth > maxDepth {
		return
	}
	if windows.MatchString(w.dir) { // PowerShell, as far as it is like a shell
		src = powerShell(src)
	}
	_, file := parse(src)
	if file == nil || statements(file) > maxStatements {
		return
	}
	w.depth++
	w.list(file.Stmts, k)
	w.depth--
}

var exitOnCode = text.NewRegexp(`if \(\$LASTEXITCODE -ne 0\) *\{ *(?:exit|throw)[^}]*\}`)

func powerShell(src string) string {
	src = strings.TrimPrefix(strings.ReplaceAll(src, "\r\n", "\n"), "& ")
	src = exitOnCode.ReplaceAllString(src, "[ $$? -eq 0 ] || exit 1")
	return strings.NewReplacer("$LASTEXITCODE", "$?", `\`, "/").Replace(src)
}

// list follows commands one after the other. The last one decides, the others only if the
// first failure ends all, or if something looks at their exit code.
func (w *walker) list(stmts []*syntax.Stmt, k Outcome) {
	for i, s := range stmts {
		if i+1 < len(stmts) && alwaysExits(s) { // nothing after it runs
			stmts = stmts[:i+1]
			break
		}
	}
	n := len(stmts)
	for i, s := range stmts {
		as := Hidden
		switch by := decides(stmts[i:]); {
		case n == i+1:
			as = k
		case w.errexit:
			as = k
		case by == whole:
			as = k
		case by == first:
			if p, ok := s.Cmd.(*syntax.BinaryCmd); ok && p.Op == syntax.Pipe {
				w.stmt(leftmost(p), k)
				w.stmt(p.Y, Hidden)
				continue
			}
			as = k
		}
		w.stmt(s, as)
	}
}

// How the exit code of a command decides over that of the list that it begins.
const (
	never = iota
	whole // the list ends with it, or goes on only if it passed
	first // the list ends with that of the first command of a pipe
)

// decides looks for what comes after a command for its sake: `exit $?`, `rc=$?; …; exit $rc`,
// `[ $? -eq 0 ] || exit 1`.
func decides(stmts []*syntax.Stmt) int {
	if len(stmts) < 2 {
		return never
	}
	last, next := source(stmts[len(stmts)-1]), source(stmts[1])
	how, name := whole, ""
	switch m := statusVariable.FindStringSubmatch(next); {
	case m != nil:
		name = m[1]
		if !strings.HasSuffix(next, "?") {
			how = first
		}
	case len(stmts) == 2 && givesOn.MatchString(next):
		if strings.Contains(next, "PIPESTATUS") || strings.Contains(next, "pipestatus") {
			return first
		}
		return whole
	case checksStatus.MatchString(next):
		return whole
	}
	if or, ok := stmts[0].Cmd.(*syntax.BinaryCmd); ok && or.Op == syntax.OrStmt && name == "" {
		if exits(or.Y) {
			return whole
		}
		if m := statusVariable.FindStringSubmatch(source(or.Y)); m != nil {
			name = m[1]
		}
	}
	if name == "" {
		return never
	}
	for _, end := range []string{"exit $" + name, "exit ${" + name + "}", `exit "$` + name + `"`,
		"[ $" + name + " -eq 0 ]", "test $" + name + " -eq 0", `[ "$` + name + `" -eq 0 ]`,
		"return $" + name, "(exit $" + name + ")", "[[ $" + name + " -eq 0 ]]", "(exit $" + name + " )"} {
		if last == end {
			return how
		}
	}
	return never
}

var (
	statusVariable = text.NewRegexp(`^([A-Za-z_]\w*)=(?:"?\$\??"?|"?\$\{(?:PIPESTATUS|pipestatus)\[[01]\]\}"?)\?*$`)
	givesOn        = text.NewRegexp(`^(?:exit|return|test|\[\[?|\(exit) *"?(?:\$\?|\$\{(?:PIPESTATUS|pipestatus)\[[01]\]\})"?(?: (?:-eq|==?) 0(?: \]\]?)?| *\))?$`)
	checksStatus   = text.NewRegexp(`^(?:test|\[\[?) "?(?:\$\?|\$\{PIPESTATUS\[0\]\})"? (?:(?:-eq|==?) 0(?: \]\]?)? \|\||(?:-ne|!=) 0(?: \]\]?)? &&) .*(?:exit|return)|^if (?:test|\[\[?) "?\$\?"? (?:-ne|!=) 0(?: \]\]?)?; ?then .*exit`)
)

// source is a command as it is written, on one line.
func source(s *syntax.Stmt) string {
	var b strings.Builder
	if err := syntax.NewPrinter(syntax.SingleLine(true)).Print(&b, s); err != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}

func leftmost(p *syntax.BinaryCmd) *syntax.Stmt {
	for {
		x, ok := p.X.Cmd.(*syntax.BinaryCmd)
		if !ok || x.Op != syntax.Pipe {
			return p.X
		}
		p = x
	}
}

func (w *walker) stmt(s *syntax.Stmt, k Outcome) {
	if w.count++; w.count > maxStatements || s == nil {
		return
	}
	if w.hidden || s.Background || s.Coprocess {
		k = Hidden
	}
	if s.Negated {
		k = [...]Outcome{Hidden, Untold, Failed, Passed, Hidden}[k]
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		w.call(s, c, k)
	case *syntax.BinaryCmd:
		w.binary(c, k)
	case *syntax.Block:
		w.list(c.Stmts, k)
	case *syntax.Subshell:
		w.apart(func() { w.list(c.Stmts, k) })
	case *syntax.TimeClause:
		w.stmt(c.Stmt, k)
	case *syntax.IfClause:
		w.condition(c, k)
	case *syntax.ForClause:
		if c.Select {
			k = Hidden
		}
		if items, ok := c.Loop.(*syntax.WordIter); !ok || len(items.Items) == 0 || !w.errexit && len(items.Items) > 1 {
			k = Hidden // perhaps it ran for nothing, and the last time alone tells
		}
		w.list(c.Do, k)
	case *syntax.WhileClause:
		w.list(c.Cond, Hidden)
		w.list(c.Do, Hidden)
	case *syntax.CaseClause:
		for _, i := range c.Items {
			w.list(i.Stmts, Hidden)
		}
	case *syntax.FuncDecl:
		if c.Name != nil { // the parser takes "() x", which is zsh's
			w.funcs[c.Name.Value] = c.Body
		}
	case *syntax.DeclClause:
		for _, a := range c.Args {
			w.substituted(a.Value, Hidden)
		}
	}
	for _, r := range s.Redirs {
		if writes(r) {
			w.ran = append(w.ran, Ran{Dir: w.dir, Edits: true})
		}
	}
}

// apart calls do, and then restores the directory and settings of before, as a subshell does.
func (w *walker) apart(do func()) {
	kept := w.scope
	do()
	w.scope = kept
}

func (w *walker) binary(c *syntax.BinaryCmd, k Outcome) {
	switch c.Op {
	case syntax.AndStmt:
		w.stmt(c.X, k)
		w.stmt(c.Y, k)
	case syntax.OrStmt:
		x := k
		if k != Failed && !alwaysFails(c.Y) {
			x = Hidden
		}
		w.stmt(c.X, x)
		if k == Passed {
			k = perhaps
		} else if k != Failed {
			k = Hidden
		}
		w.apart(func() { w.stmt(c.Y, k) })
	default:
		x := Hidden
		if w.pipefail {
			x = k
		}
		w.apart(func() { w.stmt(c.X, x) })
		w.apart(func() { w.stmt(c.Y, k) })
	}
}

// condition follows an if, which tells of its condition where one of its ways only fails.
func (w *walker) condition(c *syntax.IfClause, k Outcome) {
	as, then := Hidden, Hidden
	orElse := c.Else != nil && len(c.Else.Cond) == 0 && alwaysFail(c.Else.Then)
	switch {
	case orElse:
		as = k
	case c.Else == nil && alwaysFail(c.Then) && k == Passed:
		as = Failed
	case c.Else == nil && alwaysFail(c.Then) && k == Failed:
		as = Passed
	}
	if orElse {
		then = k
	}
	w.list(c.Cond, as)
	w.list(c.Then, then)
	for e := c.Else; e != nil; e = e.Else {
		w.list(e.Cond, Hidden)
		w.list(e.Then, Hidden)
	}
}

func alwaysFail(stmts []*syntax.Stmt) bool {
	return len(stmts) > 0 && alwaysFails(stmts[len(stmts)-1])
}

// alwaysFails reports whether a command is there to fail: exit 1, false.
func alwaysFails(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		words := wordsOf(c)
		if len(words) == 0 || s.Background || s.Negated {
			return false
		}
		// exit alone, or with a variable, gives on what failed before
		return words[0] == "false" || (words[0] == "exit" || words[0] == "return") &&
			(len(words) == 1 || words[1] != "0")
	case *syntax.Block:
		return alwaysFail(c.Stmts)
	case *syntax.Subshell:
		return alwaysFail(c.Stmts)
	case *syntax.BinaryCmd:
		return c.Op == syntax.AndStmt && alwaysFails(c.Y) || c.Op == syntax.OrStmt &&
			alwaysFails(c.X) && alwaysFails(c.Y)
	}
	return false
}

// exits reports whether a command ends the shell, perhaps after others.
func exits(s *syntax.Stmt) bool {
	if b, ok := s.Cmd.(*syntax.Block); ok && len(b.Stmts) > 0 {
		return exits(b.Stmts[len(b.Stmts)-1])
	}
	return alwaysExits(s) && alwaysFails(s)
}

func alwaysExits(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.CallExpr)
	return ok && len(c.Args) > 0 && !s.Background && c.Args[0].Lit() == "exit"
}

func wordsOf(c *syntax.CallExpr) []string {
	words := make([]string, len(c.Args))
	for i, a := range c.Args {
		words[i] = literal(a.Parts)
	}
	return words
}

// substituted follows the commands whose output becomes a part of a word.
func (w *walker) substituted(word *syntax.Word, k Outcome) {
	if word == nil {
		return
	}
	syntax.Walk(word, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			w.apart(func() { w.list(n.Stmts, k) })
			return false
		case *syntax.ProcSubst:
			w.apart(func() { w.list(n.Stmts, Hidden) })
			return false
		}
		return true
	})
}

// narrowing matches variables that have a tool do less than it says.
var narrowing = text.NewRegexp(`(?i)skip|filter|addopts|dry|^only|^(?:go|make|test)_?flags$|^path$`)

func (w *walker) call(s *syntax.Stmt, c *syntax.CallExpr, k Outcome) {
	as := Hidden
	if len(c.Args) == 0 {
		as = k // out=$(command)
	}
	for _, a := range c.Assigns {
		w.substituted(a.Value, as)
		name := ""
		if a.Name != nil {
			name = a.Name.Value
		}
		if len(c.Args) > 0 && narrowing.MatchString(name) && (name != "PATH" ||
			a.Value != nil && !strings.Contains(literal(a.Value.Parts), dynamic)) {
			return
		}
	}
	for _, a := range c.Args {
		w.substituted(a, Hidden)
	}
	if len(c.Args) > 0 {
		w.words(s, wordsOf(c), k)
	}
}

// words follows one command: what changes the shell, what runs others, and all others.
func (w *walker) words(s *syntax.Stmt, words []string, k Outcome) {
	name, args := words[0], words[1:]
	plain := baseName(name)
	if body, known := w.funcs[name]; known {
		if body != nil && w.depth < maxDepth {
			w.depth++
			w.list([]*syntax.Stmt{body}, k)
			w.depth--
		}
		return
	}
	if w.readSetting(plain, args) {
		return
	}
	in, found := unwrap(plain, args)
	if found && plain == "xargs" {
		found, in = false, inner{}
	}
	if !found {
		w.leaf(words, k)
		return
	}
	if w.depth++; w.depth > maxDepth {
		return
	}
	kept := w.scope
	defer func() {
		w.depth--
		if plain != "eval" {
			w.scope = kept
		}
	}()
	if in.detached {
		k = Hidden
	}
	w.elsewhere = w.elsewhere || in.elsewhere
	if strings.Contains(in.options, "pipefail") {
		w.pipefail = true
	}
	if slices.Contains(shells, plain) {
		w.errexit = slices.ContainsFunc(strings.Fields(in.options),
			func(o string) bool { return letters(o) && strings.Contains(o, "e") && !strings.Contains(o, "r") })
		w.hidden = false
	}
	for _, r := range redirects(s) {
		if slices.Contains(shells, plain) && in.script == "" && len(positional(args)) == 0 && r.Hdoc != nil {
			in.script = literal(r.Hdoc.Parts)
		}
	}
	for i, a := range args[:len(args)-min(len(args), len(in.words))] {
		if i > 0 && set("-C --chdir -D --directory").has(args[i-1]) && set("env sudo uv poetry").has(plain) {
			w.cd(a)
		}
	}
	switch {
	case in.script != "":
		w.text(in.script, k)
	case len(in.words) > 0:
		w.words(s, in.words, k)
	case slices.Contains(shells, plain):
		w.leaf(words, k) // a script's file
	}
}

func redirects(s *syntax.Stmt) []*syntax.Redirect {
	if s == nil {
		return nil
	}
	return s.Redirs
}

// baseName is the name of a program, without its folder and what Windows puts behind it.
func baseName(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	for _, end := range []string{".exe", ".cmd", ".bat"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

// readSetting reads what changes the shell: its directory, its settings, its names. It returns false for another
// command.
func (w *walker) readSetting(name string, args []string) bool {
	switch strings.ToLower(name) {
	case "cd", "chdir", "set-location", "sl", "pushd", "push-location":
		if strings.HasPrefix(strings.ToLower(name), "push") {
			w.back = append(w.back, w.dir)
		}
		if to := positional(args); len(to) > 0 {
			w.cd(to[len(to)-1])
		} else if !slices.Contains(args, "-") {
			w.dir = "?"
		}
	case "popd", "pop-location":
		if n := len(w.back); n > 0 {
			w.dir, w.back = w.back[n-1], w.back[:n-1]
		}
	case "set", "setopt":
		for _, a := range args {
			on := !strings.HasPrefix(a, "+")
			if a == "pipefail" {
				w.pipefail = !slices.Contains(args, "+o")
			} else if a == "errexit" || strings.Trim(a, "+-") != a && !strings.HasPrefix(a, "--") &&
				strings.Contains(a, "e") {
				w.errexit = on
			}
		}
	case "alias":
		for _, a := range args {
			if name, to, ok := strings.Cut(a, "="); ok && strings.Fields(to + " x")[0] != name {
				w.funcs[name] = nil
			}
		}
	case "trap":
		w.hidden = w.hidden || len(args) > 0 && strings.Contains(args[0], "exit")
	case "export":
		for _, a := range args {
			name, to, _ := strings.Cut(a, "=")
			if narrowing.MatchString(name) && name != "PATH" && to != "" {
				w.hidden = true
			}
		}
	default:
		return false
	}
	return true
}

// cd changes the directory as far as the line tells where to; "?" is an unknown one. In a
// container, an absolute path changes nothing, as it is unknown where that is on this machine.
func (w *walker) cd(to string) {
	to = slashed(to)
	switch {
	case to == "-":
		w.dir = "?"
	case w.elsewhere && path.IsAbs(to):
	case strings.HasPrefix(to, "~/"):
		w.dir = to
	case to == "~" || strings.Contains(to, dynamic) && !strings.HasPrefix(to, dynamic):
		w.dir = "?"
	case to == dynamic: // $PWD, $(git rev-parse --show-toplevel), or anything
		w.dir = "?"
	case strings.HasPrefix(to, dynamic+"/"):
		w.dir = "~" + strings.TrimPrefix(to, dynamic) // of some folder
	case path.IsAbs(to) || windows.MatchString(to):
		w.dir = to
	case w.dir != "?":
		w.dir = path.Join(w.dir, to)
	}
}

// leaf keeps one command that runs no other one.
func (w *walker) leaf(words []string, k Outcome) {
	if w.elsewhere && k != Hidden && len(words) == 0 {
		return
	}
	w.ran = append(w.ran, Ran{Words: words, Dir: w.dir, Outcome: k, Edits: edits(words)})
}

// edits reports whether a command changes files that somebody may have tested.
func edits(words []string) bool {
	name, args := baseName(words[0]), words[1:]
	switch p := positional(args); name {
	case "sed", "gsed", "perl":
		return slices.ContainsFunc(args, func(a string) bool {
			return strings.HasPrefix(a, "--in-place") || letters(a) && strings.Contains(sedLetters(a), "i")
		})
	case "patch", "apply_patch", "mv", "rm", "unlink", "ed", "ex":
		return len(args) > 0 && !slices.ContainsFunc(p, isScratch)
	case "cp", "tee":
		return len(p) > 0 && !isScratch(p[len(p)-1])
	}
	says, known := row("edits", name)
	return known && fits(says, args) && (name != "git" || git(args).does != Looks)
}

// isScratch reports whether a file is no part of what is tested: a log, a report.
func isScratch(file string) bool {
	for _, dir := range []string{"/tmp", "/var", "/dev", dynamic} {
		if strings.HasPrefix(file, dir) {
			return true
		}
	}
	return set(".log .txt .out .err .xml .html .tmp .prof .cov .lcov .tap .bak .orig").has(path.Ext(file)) ||
		path.Ext(file) == "" && !set("Makefile Dockerfile").has(path.Base(file))
}

// writes reports whether a redirection writes a file that somebody may have tested.
func writes(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		to := literal(r.Word.Parts)
		return !isDiscarded(to) && !isScratch(to)
	}
	return false
}
