package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/claims"
	"blackboard/board/fault"
	"blackboard/board/postgres"
	"blackboard/board/verify"
	"blackboard/cmd/board/base"
	"blackboard/cmd/board/daemon"
	"blackboard/cmd/board/memorycmd"
	"blackboard/kb"
	"blackboard/testdata/expect"
)

// A jsonAnswer is the names and types of what a command answered; a nil type is null.
type jsonAnswer struct {
	line  string
	names []string
	types []reflect.Type
}

func newAnswer(line string, pairs []any) jsonAnswer {
	a := jsonAnswer{line: line}
	for i := 0; i < len(pairs); i += 2 {
		kind := reflect.TypeOf(pairs[i+1])
		if v := reflect.ValueOf(pairs[i+1]); kind != nil && kind.Kind() == reflect.Pointer && !v.IsNil() && kind.Elem() != reflect.TypeFor[time.Time]() {
			kind = kind.Elem() // a pointer to save a copy
		}
		a.names, a.types = append(a.names, pairs[i].(string)), append(a.types, kind)
	}
	return a
}

// otherAnswers are those of commands that need more than contractCommands have: a daemon, a
// database, a project that was moved. Their pairs are as the commands have them.
var otherAnswers = []jsonAnswer{
	newAnswer("daemon start", []any{"status", &daemon.Status{}, "already", false}),
	newAnswer("daemon stop", []any{"stopped", false}),
	newAnswer("daemon status", []any{"running", false, "socket", "", "status", (*daemon.Status)(nil)}),
	newAnswer("daemon token", []any{"token", ""}),
	newAnswer("web", []any{"url", ""}),
	newAnswer("database init", []any{"database", postgres.Status{}, "had", 0}),
	newAnswer("database allow", []any{"file", "", "allowed", ""}),
	newAnswer("database copy", []any{"from", "", "to", "", "runs", []copiedRun{}, "knowledge", &kb.Copied{}, "knowledge_left_out", ""}),
	newAnswer("database drop-run", []any{"removed", ""}),
	newAnswer("start", []any{"state", board.State{}, "existed", false, "policy", check.UsedPolicy{}}),
	newAnswer("accept", []any{"acceptance", &claims.Acceptance{}}),
	newAnswer(`post "the tests pass" --ran "go test ./..."`, []any{"entry", board.Entry{}, "existing", false, "checked", (*verify.ItemResult)(nil), "ran", &board.RanClaim{}}),
	newAnswer(`done --ran "go test ./..."`, []any{"expected", []board.Expected{}, "ran", []board.RanClaim{}}),
	newAnswer("wait s1", []any{"signal", board.Signal{}}),
	newAnswer("wait --gate", []any{"verdict", board.Verdict{}, "policy", check.UsedPolicy{}}),
	newAnswer("memory adopt", []any{"adopted", "", "workspace", "", "took", memorycmd.Adopted{}, "places", []string{}}),
}

// jsonNotes says what a table cannot.
var jsonNotes = map[string]string{
	"watch": "  One object a line, for each event.\n",
	"export": `  JSON lines, which board import reads. The first has the kind run; each other one has
  another kind (entry, signal, variable, expected, dropped_duty, settlement, source,
  event), and a field of that name: an Entry, a Signal, and so on.
`,
}

// TestJSONTables: the tables of `board help json` are those of the Go types, and what is said of
// a field is its comment. -update writes them.
func TestJSONTables(t *testing.T) {
	p := &program{&base.Program{Env: func(string) string { return "" }}}
	commands := p.commands()
	answers := gatherAnswers(t, commands)
	eachCommand("", commands, func(name string, c *cli.Command) {
		takes := slices.ContainsFunc(c.Flags, func(f cli.Flag) bool { return f.Names()[0] == "json" })
		if takes && len(answers[name]) == 0 {
			t.Errorf("board %s has --json and no table: add it to contractCommands, or to otherAnswers", name)
		}
	})
	d := newJSONDocs(repo(t), answers)
	d.checkClientTypes(t, answers, p)
	got := d.tables(answers)
	file := filepath.Join(repo(t), "cmd", "board", "json.txt")
	if *updateGolden {
		expect.OK(t, os.WriteFile(file, []byte(got), 0o644))
	}
	if want := readFile(t, file); got != want {
		t.Errorf("json.txt is not what the types say; go test ./cmd/board -run TestJSONTables -update writes it")
	}
	for line := range strings.Lines(got) {
		if strings.HasSuffix(line, " ?\n") {
			t.Errorf("nothing says what this field is; give it a comment: %s", line)
		}
	}
}

// gatherAnswers runs the commands of the contracts and returns the different answers of each.
func gatherAnswers(t *testing.T, commands []*cli.Command) map[string][]jsonAnswer {
	t.Helper()
	answers := map[string][]jsonAnswer{}
	add := func(a jsonAnswer) {
		path, _ := expect.Values(findCommand(commands, splitWords(a.line)))(t)
		name := names(path)
		if !slices.ContainsFunc(answers[name], func(b jsonAnswer) bool {
			return slices.Equal(a.names, b.names) && slices.Equal(a.types, b.types)
		}) {
			answers[name] = append(answers[name], a)
		}
	}
	for _, c := range contractAnswers(t) {
		for _, pairs := range c.values {
			add(newAnswer(c.line, pairs))
		}
	}
	env, models := modelContract(t)
	for _, c := range models {
		var out, errs bytes.Buffer
		p := &program{&base.Program{Env: func(k string) string { return env[k] }, In: strings.NewReader(""), Out: &base.CheckedWriter{W: &out}, Err: &errs}}
		p.Answered = func(pairs []any) { add(newAnswer("model "+strings.Join(c.args, " "), pairs)) }
		if code := p.main(t.Context(), append([]string{"model", "--json"}, c.args...)); code != base.ExitOK {
			t.Fatalf("%s: exit %d: %s", c.name, code, &errs)
		}
	}
	for _, a := range otherAnswers {
		add(a)
	}
	return answers
}

// newJSONDocs knows the types of some answers.
func newJSONDocs(root string, answers map[string][]jsonAnswer) *jsonDocs {
	d := &jsonDocs{root: root, structs: map[string]*ast.StructType{}, read: map[string]bool{}, types: map[reflect.Type]string{}}
	d.collect(reflect.TypeFor[fault.Step](), "")
	for _, ofCommand := range answers {
		for _, a := range ofCommand {
			for _, kind := range a.types {
				d.collect(kind, "blackboard/cmd/board")
			}
		}
	}
	d.name()
	return d
}

// tables is the text of json.txt.
func (d *jsonDocs) tables(answers map[string][]jsonAnswer) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		fmt.Fprintf(&b, "== %s\n%s", name, jsonNotes[name])
		for _, a := range answers[name] {
			if len(answers[name]) > 1 || name == "export" {
				fmt.Fprintf(&b, "board %s\n", strings.ReplaceAll(a.line, "$", ""))
			}
			var rows [][4]string
			for i, field := range a.names {
				text := cmp.Or(jsonWords[name+"."+field], jsonWords[field], "?")
				rows = append(rows, [4]string{field, d.typeName(a.types[i]), "always", text})
			}
			writeTable(&b, rows)
		}
		b.WriteString("\n")
	}
	b.WriteString("== error\n  On standard error, where a command fails.\n")
	writeTable(&b, d.rows(reflect.TypeFor[base.ErrorAnswer](), "", "")[1:])
	byName := map[string]reflect.Type{}
	for kind, name := range d.types {
		byName[name] = kind
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		fmt.Fprintf(&b, "\n== %s\n", name)
		writeTable(&b, d.rows(byName[name], byName[name].PkgPath(), ""))
	}
	return b.String()
}

func writeTable(b *strings.Builder, rows [][4]string) {
	var wide [3]int
	for _, r := range rows {
		for i := range wide {
			wide[i] = max(wide[i], len(r[i]))
		}
	}
	for _, r := range rows {
		before := fmt.Sprintf("  %-*s  %-*s  %-*s  ", wide[0], r[0], wide[1], r[1], wide[2], r[2])
		room := max(30, 98-len(before))
		for i, line := range strings.Split(wrapLine(r[3], room), "\n") {
			if i > 0 {
				before = strings.Repeat(" ", len(before))
			}
			fmt.Fprintf(b, "%s\n", strings.TrimRight(before+line, " "))
		}
	}
}

// jsonDocs reads the comments of the fields of types.
type jsonDocs struct {
	root string
	// structs has "blackboard/board.Entry", or with the fields' names if it has no name.
	structs map[string]*ast.StructType
	read    map[string]bool         // packages
	types   map[reflect.Type]string // those that have a table, and its name
	exact   bool                    // an integer is called so
}

// collect finds the types that have a name and fields.
func (d *jsonDocs) collect(t reflect.Type, pkg string) {
	if t == nil || t == reflect.TypeFor[time.Time]() || d.types[t] != "" {
		return
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Array:
		d.collect(t.Elem(), pkg)
	case reflect.Struct:
		if t.Name() != "" {
			name, _, _ := strings.Cut(t.Name(), "[")
			d.types[t] = strings.ToUpper(name[:1]) + name[1:]
		}
		pkg = cmp.Or(t.PkgPath(), pkg)
		for i := range t.NumField() {
			f := t.Field(i)
			switch {
			case !f.IsExported() || f.Tag.Get("json") == "-":
			case f.Anonymous && f.Tag.Get("json") == "": // its fields are those of this one
				d.collectFields(pointed(f.Type))
			default:
				d.collect(f.Type, pkg)
			}
		}
	}
}

func (d *jsonDocs) collectFields(t reflect.Type) {
	for i := range t.NumField() {
		if f := t.Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
			d.collect(f.Type, t.PkgPath())
		}
	}
}

// pointed is a type, or the one that it points to.
func pointed(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// name makes the names differ: those of several packages begin with that of theirs.
func (d *jsonDocs) name() {
	count := map[string]int{}
	for _, name := range d.types {
		count[name]++
	}
	for t, name := range d.types {
		if count[name] > 1 {
			if pkg := t.PkgPath(); pkg == "blackboard/board" || pkg == "blackboard/board/record" {
				continue // what most answers are of
			}
			pkg := t.PkgPath()[strings.LastIndex(t.PkgPath(), "/")+1:]
			d.types[t] = strings.ToUpper(pkg[:1]) + pkg[1:] + name
		}
	}
}

func (d *jsonDocs) typeName(t reflect.Type) string {
	switch {
	case t == nil:
		return "null"
	case t == reflect.TypeFor[time.Time]():
		return "time"
	case t == reflect.TypeFor[json.RawMessage]():
		return "any"
	case d.types[t] != "":
		return d.types[t]
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.typeName(t.Elem()) + " or null"
	case reflect.Slice, reflect.Array:
		return "list of " + d.typeName(t.Elem())
	case reflect.Map:
		return "object of " + d.typeName(t.Elem())
	case reflect.Struct:
		return "object"
	case reflect.Interface:
		return "any"
	case reflect.String, reflect.Bool:
		return t.Kind().String()
	case reflect.Float64, reflect.Float32:
		return "number"
	default:
		if d.exact {
			return "integer"
		}
		return "number"
	}
}

// rows are the fields of a type, those of the types that it embeds among them.
func (d *jsonDocs) rows(t reflect.Type, pkg, prefix string) (all [][4]string) {
	pkg = cmp.Or(t.PkgPath(), pkg)
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == "-" || !f.IsExported() {
			continue
		}
		if f.Anonymous && tag == "" {
			all = append(all, d.rows(pointed(f.Type), pkg, prefix)...)
			continue
		}
		tag = cmp.Or(tag, f.Name)
		when, kind := "always", d.typeName(f.Type)
		if strings.Contains(options, "omit") {
			when, kind = "sometimes", strings.TrimSuffix(kind, " or null")
		}
		text := cmp.Or(d.comment(t, pkg, f.Name), jsonWords[tag], "?")
		all = append(all, [4]string{prefix + tag, kind, when, text})
		inner, more := f.Type, prefix+tag+"."
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			if inner.Kind() == reflect.Slice {
				more = strings.TrimSuffix(more, ".") + "[]."
			}
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && inner.Name() == "" {
			all = append(all, d.rows(inner, pkg, more)...)
		}
	}
	return all
}

// comment is what is said of a field: the first sentence of its comment.
func (d *jsonDocs) comment(t reflect.Type, pkg, field string) string {
	d.parse(pkg)
	s := d.structs[pkg+"."+strings.Split(t.Name(), "[")[0]]
	if s == nil {
		var fields []string
		for i := range t.NumField() {
			fields = append(fields, t.Field(i).Name)
		}
		s = d.structs[pkg+" "+strings.Join(fields, ",")]
	}
	if s == nil {
		return ""
	}
	for _, f := range s.Fields.List {
		if slices.ContainsFunc(f.Names, func(n *ast.Ident) bool { return n.Name == field }) {
			return firstSentence(field, strings.Join(strings.Fields(cmp.Or(f.Comment.Text(), f.Doc.Text())), " "))
		}
	}
	return ""
}

// seeElsewhere is what a comment says for readers of the code.
var seeElsewhere = regexp.MustCompile(`[;,]? ?\(?see [^)]*\)?$`)

// firstSentence is what a comment says of a field, without its name, in the words of JSON.
func firstSentence(field, text string) string {
	for _, begin := range []string{field + " is ", field + " are ", field + " says ", field + " "} {
		text = strings.TrimPrefix(text, begin)
	}
	text, _, _ = strings.Cut(text+" ", ". ")
	text = seeElsewhere.ReplaceAllString(strings.TrimSuffix(strings.TrimSpace(text), "."), "")
	return strings.ReplaceAll(text, "nil", "null")
}

// parse reads the types of a package of ours.
func (d *jsonDocs) parse(pkg string) {
	if d.read[pkg] {
		return
	}
	d.read[pkg] = true
	files, err := filepath.Glob(filepath.Join(d.root, strings.TrimPrefix(pkg, "blackboard"), "*.go"))
	if err != nil || len(files) == 0 {
		panic("no files of " + pkg)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			panic(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok {
					d.structs[pkg+"."+n.Name.Name] = s
				}
			case *ast.StructType:
				var fields []string
				for _, f := range n.Fields.List {
					for _, name := range f.Names {
						fields = append(fields, name.Name)
					}
				}
				d.structs[pkg+" "+strings.Join(fields, ",")] = n
			}
			return true
		})
	}
}
