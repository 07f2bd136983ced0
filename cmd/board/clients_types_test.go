package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/kb"
	"blackboard/testdata/expect"
)

// clientNames are the clients' names of types that the tables call otherwise.
var clientNames = map[string]string{"Signal": "Question", "VerifyItemResult": "Checked", "VerifyPassage": "Passage",
	"VerifyResult": "Verify", "RanClaim": "Ran", "CheckResult": "Check", "CheckStep": "Step", "TraceResult": "Trace",
	"SurvivalItemResult": "SurvivalItem", "SurvivalResult": "Survival", "KbHit": "Hit", "ExportedFile": "Exported",
	"OneOfSeveral": "Item", "ClaimsItem": "Side", "FaultStep": "Next"}

// clientCommands are the commands that the clients have methods for, and the flags that a method
// gives by itself, or has as an argument: of both clients, and of that in Python alone.
var clientCommands = []struct{ name, both, python string }{
	{"start", "goal", "expect sources"},
	{"post", "batch", "source quote must key"}, {"correct", "", "source quote"},
	{"answer", "entry", "source quote must key"}, {"link", "", ""}, {"accept", "reason", ""},
	{"ask", "", "priority key"}, {"claim", "release", ""}, {"waive", "reason", ""}, {"reopen", "reason", ""},
	{"signals", "", ""}, {"expect", "", ""}, {"done", "", ""}, {"show", "", ""}, {"query", "", ""},
	{"state get", "default string raw", ""}, {"state set", "unset string", ""}, {"wait", "gate timeout since", ""},
	{"gate", "wait timeout", ""}, {"digest", "", "budget"}, {"check", "init", "sources"},
	{"verify", "", "sources"}, {"conflicts", "", ""}, {"source add", "", ""}, {"export", "output", ""},
	{"kb brief", "task", ""}, {"kb search", "", ""}, {"kb remember", "title", ""}, {"kb learn", "", ""},
	{"kb promote", "", ""}, {"memory put", "", ""}, {"memory read", "", ""}, {"memory update", "", ""},
	{"memory forget", "", ""},
}

// notTyped are the flags that no method takes: what a method says of the output, and old names
// that the clients never had.
const notTyped = " json quiet format summary help board body content "

// clientLists are the lists of words that have a name.
func clientLists() map[string]string {
	named := map[string]string{}
	for name, list := range map[string][]string{"Priority": board.Priorities, "EntryType": board.EntryTypes,
		"CapsuleKind": kb.Kinds, "Scope": kb.Scopes} {
		named[strings.Join(list, " ")] = name
	}
	return named
}

// clientSyntax is how a language writes types.
type clientSyntax struct {
	page        string
	begin, end  string            // of the part of the file that is written here
	plain       map[string]string // types of JSON
	list, table string            // of a type
	null, any   string
	literal     func([]string) string
	maybe       func(field, kind string) string
	fields      func(name string, open bool, fields []string) string
}

var clientSyntaxes = []clientSyntax{
	{page: "javascript", begin: "// What follows is written by a test, from the tables of `board help json` and the flags.\n", end: "// So far the types.\n",
		plain: map[string]string{"string": "string", "time": "string", "bool": "boolean", "number": "number",
			"integer": "number", "any": "any", "object": "{[name: string]: any}", "null": "null"},
		list: "%s[]", table: "{[name: string]: %s}", null: "%s | null", any: "any",
		literal: func(list []string) string { return `"` + strings.Join(list, `" | "`) + `"` },
		maybe:   func(field, kind string) string { return field + "?: " + kind },
		fields: func(name string, _ bool, fields []string) string {
			return wrapFields(" * @typedef {{", fields, ", ", " *   ", "}} "+name+"\n")
		}},
	{page: "python", begin: "# What follows is written by a test, from the tables of `board help json` and the flags.\n", end: "# So far the types.\n",
		plain: map[string]string{"string": "str", "time": "str", "bool": "bool", "number": "float",
			"integer": "int", "any": "Any", "object": "Dict[str, Any]", "null": "None"},
		list: "List[%s]", table: "Dict[str, %s]", null: "Optional[%s]", any: "Any",
		literal: func(list []string) string { return `Literal["` + strings.Join(list, `", "`) + `"]` },
		maybe:   func(field, kind string) string { return field + ": NotRequired[" + kind + "]" },
		fields: func(name string, open bool, fields []string) string {
			head := "\n\nclass " + name + "(TypedDict"
			if i := slices.IndexFunc(fields, func(f string) bool { return strings.HasPrefix(f, "from: ") }); i >= 0 { // a keyword
				_, kind, _ := strings.Cut(fields[i], ": ")
				fields = slices.Delete(fields, i, i+1)
				head = fmt.Sprintf("\n\n%[1]sFrom = TypedDict(\"%[1]sFrom\", {\"from\": %[2]q})\n\n\nclass %[1]s(%[1]sFrom", name, kind)
			}
			if open {
				head += ", total=False"
			}
			return head + "):\n" + wrapFields("    ", fields, "; ", "    ", "\n")
		}},
}

// wrapFields writes fields into lines of 100 characters.
func wrapFields(begin string, fields []string, between, indent, end string) string {
	var b strings.Builder
	line := begin
	for i, f := range fields {
		last := i == len(fields)-1
		if !last {
			f += strings.TrimRight(between, " ")
		}
		switch {
		case line == begin && i == 0:
			line += f
		case len(line)+1+len(f) > 98:
			b.WriteString(strings.TrimSuffix(line, strings.TrimSpace(strings.ReplaceAll(between, ",", ""))) + "\n")
			line = indent + f
		default:
			line += " " + f
		}
	}
	return b.String() + line + end
}

// kind writes a type of the tables.
func (s *clientSyntax) kind(kind string) string {
	if inner, null := strings.CutSuffix(kind, " or null"); null {
		return fmt.Sprintf(s.null, s.kind(inner))
	}
	if inner, list := strings.CutPrefix(kind, "list of "); list {
		of := s.kind(inner)
		if strings.Contains(of, " | ") {
			of = "(" + of + ")"
		}
		return fmt.Sprintf(s.list, of)
	}
	if inner, table := strings.CutPrefix(kind, "object of "); table {
		return fmt.Sprintf(s.table, s.kind(inner))
	}
	return cmp.Or(s.plain[kind], clientNames[kind], kind)
}

// listed finds the words of a comment that lists all that a text may be.
var listed = regexp.MustCompile(`^([a-z_]+(?:[- ][a-z]+)?(?:, [a-z_]+(?:[- ][a-z]+)?)+(?: or [a-z_]+(?:[- ][a-z]+)?)?)(: .*|; "".*)?$`)

// wordsOf are those words; those after "; """ may also be none.
func wordsOf(comment string) []string {
	m := listed.FindStringSubmatch(strings.TrimPrefix(comment, "one of "))
	if m == nil || strings.HasPrefix(m[1], "the ") {
		return nil
	}
	list := strings.Split(strings.Replace(m[1], " or ", ", ", 1), ", ")
	if strings.HasPrefix(m[2], "; ") {
		list = append(list, "")
	}
	return list
}

// clientTypes are the types of the answers that methods of a client read, and all within them.
func (d *jsonDocs) clientTypes(s *clientSyntax, answers map[string][]jsonAnswer) string {
	d.exact = true
	defer func() { d.exact = false }()
	byName := map[string]reflect.Type{}
	for kind, name := range d.types {
		byName[name] = kind
	}
	var out strings.Builder
	named := clientLists()
	var lists []string
	for list, name := range named {
		lists = append(lists, name+" "+list)
	}
	slices.Sort(lists)
	for _, l := range lists {
		name, list, _ := strings.Cut(l, " ")
		literal := s.literal(strings.Fields(list))
		if s.page == "python" {
			fmt.Fprintf(&out, "%s = %s\n", name, literal)
		} else {
			fmt.Fprintf(&out, "/** @typedef {%s} %s */\n", literal, name)
		}
	}
	if s.page == "javascript" {
		out.WriteString("\n/**\n")
	}
	whole := map[string]string{}
	var keys []string
	for _, c := range clientCommands {
		for _, a := range answers[c.name] {
			for i, key := range a.names {
				kind := d.typeName(a.types[i])
				switch old := whole[key]; {
				case old == "":
					keys = append(keys, key)
					whole[key] = kind
				case strings.TrimSuffix(old, " or null") != strings.TrimSuffix(kind, " or null"):
					whole[key] = "any" // another thing, of another command
				case len(kind) > len(old):
					whole[key] = kind
				}
			}
		}
	}
	todo, done := []string{}, map[string]bool{}
	within := func(kind string) {
		kind = strings.TrimSuffix(kind, " or null")
		for _, of := range []string{"list of ", "object of ", "list of "} {
			kind = strings.TrimPrefix(kind, of)
		}
		if byName[kind] != nil && !done[kind] {
			done[kind] = true
			todo = append(todo, kind)
		}
	}
	var answer []string
	slices.Sort(keys)
	for _, key := range keys {
		within(whole[key])
		answer = append(answer, key+": "+s.kind(whole[key]))
	}
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		var fields []string
		for _, row := range d.rows(byName[name], byName[name].PkgPath(), "") {
			field, kind, when := row[0], row[1], row[2]
			if strings.ContainsAny(field, ".[") {
				continue // of an object that has no type
			}
			within(kind)
			text := s.kind(kind)
			if list := wordsOf(row[3]); len(list) > 2 && kind == "string" {
				text = cmp.Or(named[strings.Join(list, " ")], s.literal(list))
			}
			if when == "sometimes" {
				fields = append(fields, s.maybe(field, text))
			} else {
				fields = append(fields, field+": "+text)
			}
		}
		out.WriteString(s.fields(s.kind(name), false, fields))
	}
	out.WriteString(s.fields("Fields", false, answer))
	if s.page == "javascript" {
		out.WriteString(" */\n")
	}
	return out.String()
}

// clientFlags are the flags of the commands that a client has methods for.
func clientFlags(t *testing.T, p *program, s *clientSyntax) string {
	t.Helper()
	commands, out := map[string]*cli.Command{}, ""
	eachCommand("", p.commands(), func(name string, c *cli.Command) { commands[name] = c })
	fieldsOf := map[string]bool{}
	for f := range reflect.TypeFor[board.Post]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		fieldsOf[name] = true
	}
	if s.page == "javascript" {
		out = "\n/**\n"
	}
	for _, c := range clientCommands {
		command := commands[c.name]
		if command == nil {
			t.Fatalf("there is no command %s", c.name)
		}
		without := notTyped + c.both + " "
		if s.page == "python" {
			without += c.python + " "
		}
		var fields []string
		for _, f := range command.Flags {
			kind := clientFlag(s, f, p.Listed[c.name+" "+f.Names()[0]])
			for _, name := range f.Names() {
				field := strings.ReplaceAll(name, "-", "_")
				switch {
				case len(name) == 1 || strings.Contains(without, " "+name+" ") || strings.Contains(without, " "+f.Names()[0]+" ") && name == f.Names()[0]:
				case s.page == "python":
					if slices.Contains([]string{"raise", "match", "from", "with", "in", "is", "not", "import"}, field) {
						field += "_" // a keyword; the client takes the end off
					}
					fields = append(fields, field+": "+kind)
				default:
					if camel := camelCase(name); camel != name {
						fields = append(fields, camel+"?: "+kind)
						if !fieldsOf[field] { // findings may be written as in JSON
							continue
						}
					}
					fields = append(fields, field+"?: "+kind)
				}
			}
		}
		name := ""
		for _, word := range strings.Fields(c.name) {
			name += strings.ToUpper(word[:1]) + word[1:]
		}
		out += s.fields(name+"Flags", true, fields)
	}
	if s.page == "javascript" {
		out += " */\n"
	}
	return out
}

func camelCase(flag string) string {
	parts := strings.Split(flag, "-")
	for i, p := range parts[1:] {
		parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
	}
	return strings.Join(parts, "")
}

// clientFlag is the type of a flag's value.
func clientFlag(s *clientSyntax, f cli.Flag, words []string) string {
	kind, list := "string", false
	switch f := f.(type) {
	case *cli.BoolFlag:
		kind = "bool"
	case *cli.IntFlag, *cli.Int64Flag, *cli.Float64Flag:
		kind = "number"
	case *cli.StringSliceFlag:
		list = true
	case *cli.StringFlag:
		switch place := regexp.MustCompile("`([A-Z]+)`").FindStringSubmatch(f.Usage + "`NONE`")[1]; place {
		case "NUMBER", "CONFIDENCE", "VERSION":
			kind = "number"
		case "LEVEL":
			kind = "level"
		}
	}
	one := ""
	if len(words) > 0 {
		one = cmp.Or(clientLists()[strings.Join(words, " ")], s.literal(words))
	}
	if s.page == "python" {
		switch {
		case list && one != "":
			return "Union[" + one + ", Sequence[" + one + "], None]"
		case one != "":
			return "Optional[" + one + "]"
		case list:
			return "Texts"
		}
		return map[string]string{"string": "Optional[str]", "bool": "Optional[bool]", "number": "Optional[float]",
			"level": "Union[str, float, None]"}[kind]
	}
	switch {
	case list && one != "":
		return one + " | (" + one + ")[]"
	case one != "":
		return one
	case list:
		return "Texts"
	}
	return map[string]string{"string": "string", "bool": "boolean", "number": "number", "level": "string | number"}[kind]
}

// checkClientTypes: the types of the clients are those of the answers and of the flags. -update
// writes them.
func (d *jsonDocs) checkClientTypes(t *testing.T, answers map[string][]jsonAnswer, p *program) {
	t.Helper()
	for _, s := range clientSyntaxes {
		file := filepath.Join(d.root, "testdata", "clients", filepath.FromSlash(clientPages[s.page]))
		text := readFile(t, file)
		before, rest, begun := strings.Cut(text, s.begin)
		old, after, ended := strings.Cut(rest, s.end)
		if !begun || !ended {
			t.Errorf("%s has no place for types", file)
			continue
		}
		want := "\n" + d.clientTypes(&s, answers) + clientFlags(t, p, &s)
		if s.page == "python" {
			want += "\n"
		}
		want += "\n"
		if *updateGolden {
			expect.OK(t, os.WriteFile(file, []byte(before+s.begin+want+s.end+after), 0o644))
		} else if old != want {
			t.Errorf("the types of the client for %s are not those of the answers and the flags; go test ./cmd/board -run TestJSONTables -update writes them", s.page)
		}
	}
	dir := filepath.Join(d.root, "testdata", "clients", "typescript")
	file := filepath.Join(dir, "index.d.mts")
	before, rest, _ := strings.Cut(readFile(t, file), "// So far the types.\n")
	if want := declarations(readFile(t, filepath.Join(dir, "index.mjs"))); want != before {
		if !*updateGolden {
			t.Errorf("index.d.mts has not the types of index.mjs; go test ./cmd/board -run TestJSONTables -update writes them")
		} else if err := os.WriteFile(file, []byte(want+"// So far the types.\n"+rest), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// declarations are the types of a module, as TypeScript declares them.
func declarations(module string) string {
	out := "// The types of index.mjs, which a test writes, and its classes, as `tsc index.mjs --declaration --allowJs` has them.\n\n"
	for _, m := range regexp.MustCompile(`@typedef \{([^@]*?)\} (\w+)(?:\n| \*/)`).FindAllStringSubmatch(module, -1) {
		out += "export type " + m[2] + " = " + strings.ReplaceAll(m[1], "\n *  ", "\n ") + ";\n"
	}
	return out
}

// typedUse are programs that check what the types of a client let through. A line that must not
// compile is marked in the language's own way, and an unneeded mark is an error.
var typedUse = map[string]string{"use.mts": `import { Board, BoardError, type BatchItem, type Posted, type Question } from "./index.mjs";
const b = new Board("r", "w", { timeout: 1000, notes: (text: string) => {}, signal: AbortSignal.timeout(9) });
const one: Posted = await b.post("x", { source: ["a:1", "b:2"], quote: ["p", "q"], tag: "t", must_surface: true, type: "gap", confidence: 0.5 });
const closed: Question | null = await b.wait("s1", "10m");
const items: BatchItem[] = [{ content: "x", must: true, tags: ["a"], source: "a:1", key: "k" }, { content: "y", must_surface: true, tag: "b", supports: ["@k"] }];
const doubts: string[] = (await b.postAll(items)).flatMap((p) => p.checked?.doubt ?? []);
if (doubts[0]) await b.accept(doubts[0], one.checked?.passage?.text ?? "");
for (const r of (await b.gate()).reasons) console.log(r.clear, r.next.map((n) => n.text), closed?.origin);
for (const s of (await b.check("r.md", { sources: ["."] })).steps) console.log(s.conflicts?.pairs[0]?.why, s.trace?.facts.filter((f) => f.unsure));
const { acceptance, error } = await b.call(["accept", "d1"], { reason: "x", anything: true }, "", { answers: [5], timeout: 5 });
console.log(acceptance.verdict, error?.next, one.seq, one.verified?.verdict, new BoardError(1, { code: "a", message: "b", try: "" }).next);
for (const tier of await b.memory.read("q", { limit: 3 })) console.log(tier.hits[0]?.content);
// @ts-expect-error
await b.post("x", { quotes: "q" });
// @ts-expect-error
await b.post("x", { type: "hypothesis" });
// @ts-expect-error
await b.ask("x", { priority: "urgent" });
// @ts-expect-error
await b.start("g", { expects: ["a"] });
// @ts-expect-error
await b.questions({ status: "opened" });
// @ts-expect-error
await b.postAll([{ content: "x", musst: true }]);
// @ts-expect-error
await b.check("r.md", { polcy: "x" });
`, "use.py": `from typing import List, Optional
from board_client import Board, BoardError, Finding, Posted, Question
said: List[str] = []
b = Board("r", "w", notes=said.append, timeout=1.5)
one: Posted = b.post("x", ["a:1", "b:2"], ["p", "q"], tag="t", must_surface=True, type="gap", confidence=0.5)
closed: Optional[Question] = b.wait("s1", "10m")
items: List[Finding] = [{"content": "x", "must": True, "tags": ["a"], "source": "a:1"}, {"content": "y", "must_surface": True, "tag": "b"}]
for p in b.post_all(items):
    if p["checked"] and p["checked"]["passage"]:
        b.accept(p["checked"]["doubt"], p["checked"]["passage"]["text"])
for r in b.gate()["reasons"]:
    print(r["clear"], [n["text"] for n in r["next"]], closed and closed["origin"])
for s in b.check("r.md", sources=["."])["steps"]:
    print(s["conflicts"]["pairs"][0]["why"], [f for f in s["trace"]["facts"] if f["unsure"]])
print(b.call(["accept", "d1"], {"reason": "x", "anything": True}, answers=(5,), timeout=5)["acceptance"]["verdict"], one["seq"])
for tier in b.memory.read("q", limit=3):
    print(tier["hits"][0]["content"])
b.post("x", quotes="q")  # type: ignore[call-arg]
b.post("x", type="hypothesis")  # type: ignore[arg-type]
b.ask("x", "urgent")  # type: ignore[arg-type]
b.start("g", expects=["a"])  # type: ignore[call-arg]
b.questions(status="opened")  # type: ignore[arg-type]
b.post_all([{"content": "x", "musst": True}])  # type: ignore[typeddict-unknown-key]
b.check("r.md", polcy="x")  # type: ignore[call-arg]
print(BoardError(1, {"code": "a", "message": "b", "try": ""}).next)
`}

// TestClientTypes: the client for TypeScript declares the methods of its module, and a program
// with a misspelled flag does not compile. BOARD_TEST_NODE_MODULES names a directory in which npm
// has installed typescript and @types/node; mypy is taken if Python has it.
func TestClientTypes(t *testing.T) {
	dir := filepath.Join(repo(t), "testdata", "clients")
	module, types := readFile(t, filepath.Join(dir, "typescript", "index.mjs")), readFile(t, filepath.Join(dir, "typescript", "index.d.mts"))
	methods := func(text string) (all []string) {
		for _, m := range regexp.MustCompile(`(?m)^ +(?:async )?([a-zA-Z]+)\([^()]*\)(?:: Promise<.*>;| \{)$`).FindAllStringSubmatch(text, -1) {
			if !slices.Contains([]string{"constructor", "if", "for", "catch"}, m[1]) {
				all = append(all, m[1])
			}
		}
		return all
	}
	if got, want := methods(types), methods(module); len(want) < 35 || !slices.Equal(got, want) {
		t.Errorf("index.d.mts has the methods\n%v\nand index.mjs\n%v", got, want)
	}
	t.Run("typescript", func(t *testing.T) {
		node, modules := interpreter(t, "node"), os.Getenv("BOARD_TEST_NODE_MODULES")
		compiler := filepath.Join(modules, "node_modules", "typescript", "bin", "tsc")
		if _, err := os.Stat(compiler); modules == "" || err != nil {
			t.Skip("BOARD_TEST_NODE_MODULES has no typescript: the types are NOT compiled here")
		}
		for _, with := range [][]string{{"index.mjs", "index.d.mts"}, {"index.mjs"}} { // as a package, and as `board help javascript` prints it
			work := t.TempDir()
			for _, name := range with {
				snippetFile(t, work, name, readFile(t, filepath.Join(dir, "typescript", name)))
			}
			expect.OK(t, os.Symlink(filepath.Join(modules, "node_modules"), filepath.Join(work, "node_modules")))
			snippetFile(t, work, "use.mts", typedUse["use.mts"])
			snippetRun(t, work, t.TempDir(), node, compiler, "use.mts", "--noEmit", "--allowJs", "--checkJs", "--strict", "--target", "es2022", "--module", "nodenext", "--types", "node")
		}
	})
	t.Run("python", func(t *testing.T) {
		python := interpreter(t, "python3")
		if err := exec.Command(python, "-m", "mypy", "--version").Run(); err != nil {
			t.Skip("Python has no mypy: the types are NOT checked here")
		}
		text, _ := helpPage("python")
		work := t.TempDir()
		snippetFile(t, work, "board_client.py", text)
		snippetFile(t, work, "use.py", typedUse["use.py"])
		snippetRun(t, work, t.TempDir(), python, "-m", "mypy", "--strict", "--cache-dir="+t.TempDir(), "use.py", "board_client.py")
	})
}
