package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"blackboard/testdata/expect"
)

var (
	// A keyword at the beginning, or a placeholder or an operator of SQL anywhere.
	sqlText = regexp.MustCompile(`^--|^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|WITH|PRAGMA|BEGIN|COMMIT|ROLLBACK|` +
		`SAVEPOINT|RELEASE|ATTACH|DETACH|VACUUM|ANALYZE|GRANT|REVOKE|SET|LOCK|LISTEN|REINDEX|FROM|WHERE|AND|OR|JOIN|LEFT|` +
		`ORDER|GROUP|ON|LIMIT|VALUES)\b[^a-z]|[=<>] \?|[=<>] \$\d| IN \(|IS (NOT )?NULL\b| (DESC|WHERE|FROM|JOIN) `)
	controls   = strings.NewReplacer("\x1b", "␛", "\x00", "␀")
	inSentence = regexp.MustCompile(`[a-z\d)"][.,:;]\s`)
	// Calls whose arguments are regular expressions or lists of words.
	notText = regexp.MustCompile(`^((text\.)?NewRegexp|regexp\.MustCompile|strings\.Fields|(parse\.)?\w*[sS]et|wordSet|wordList)$`)
)

// TestStrings keeps every text that a user can see in testdata/golden/strings.txt, to be read as
// one text: a change of a message is seen in review as a change of that file. A string literal of
// the product counts if it holds a space and a letter; literals that are added up count as one,
// with … for what stands between them. Left out are SQL, regular expressions, lists of words and
// struct tags, except those that describe an MCP argument. -update writes the file.
func TestStrings(t *testing.T) {
	texts := map[string]map[string]bool{} // by package
	root := repo(t)
	for _, top := range []string{"board", "cmd", "embed", "hooks", "kb", "tui"} {
		expect.OK(t, filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			switch name := d.Name(); {
			case err != nil:
				return err
			case d.IsDir() && name == "testdata":
				return filepath.SkipDir
			case d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				return err
			}
			pkg := filepath.ToSlash(rel)
			if texts[pkg] == nil {
				texts[pkg] = map[string]bool{}
			}
			visibleTexts(file, func(s string) { texts[pkg][s] = true })
			return nil
		}))
	}
	for pkg, all := range texts {
		for s := range all {
			if oldWord.MatchString(s) {
				t.Errorf("%s: %q: what people and models read says question", pkg, s)
			}
		}
	}
	var got bytes.Buffer
	for _, pkg := range slices.Sorted(maps.Keys(texts)) {
		if len(texts[pkg]) == 0 {
			continue
		}
		got.WriteString("\n# " + pkg + "\n")
		for _, s := range slices.Sorted(maps.Keys(texts[pkg])) {
			lines := strings.Split(strings.Trim(s, "\n"), "\n")
			for i, line := range lines {
				lines[i] = strings.TrimRight(controls.Replace(line), " \t\r")
			}
			got.WriteString("- " + strings.Join(lines, "\n  ") + "\n")
		}
	}
	golden := filepath.Join(root, "testdata", "golden", "strings.txt")
	if *updateGolden {
		expect.OK(t, os.WriteFile(golden, got.Bytes(), 0o644))
	}
	have := strings.Split(readFile(t, golden), "\n")
	want := strings.Split(got.String(), "\n")
	if slices.Equal(have, want) {
		return
	}
	for _, line := range want {
		if !slices.Contains(have, line) {
			t.Errorf("new: %s", line)
		}
	}
	for _, line := range have {
		if !slices.Contains(want, line) {
			t.Errorf("gone: %s", line)
		}
	}
	t.Error("read the texts, then: go test ./cmd/board -run TestStrings -update")
}

// oldWord is a question under its name in commands, JSON and events, in a text. Allowed are the
// command, fields of other programs' files, values in JSON, and arguments that are filled in.
var oldWord = regexp.MustCompile(`(?i)(?:^|[^\w"])signals?[,;.]? [a-z(]`)

// visibleTexts calls add with the texts of a file.
func visibleTexts(file *ast.File, add func(string)) {
	check := func(s string) {
		if len(strings.Fields(s)) > 30 && !inSentence.MatchString(s) {
			return // a list of words
		}
		if strings.Contains(strings.TrimSpace(s), " ") && strings.ContainsFunc(s, unicode.IsLetter) && !sqlText.MatchString(s) {
			add(s)
		}
	}
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			if n.Tag != nil {
				tag, _ := strconv.Unquote(n.Tag.Value)
				check(reflect.StructTag(tag).Get("jsonschema"))
			}
			ast.Inspect(n.Type, visit)
			return false
		case *ast.CallExpr:
			return !notText.MatchString(types.ExprString(n.Fun))
		case *ast.BinaryExpr:
			if n.Op != token.ADD {
				return true
			}
			var joined strings.Builder
			literals := 0
			for _, part := range summands(n) {
				if lit, ok := part.(*ast.BasicLit); ok {
					joined.WriteString(literal(lit))
					literals++
					continue
				}
				joined.WriteString("…")
				ast.Inspect(part, visit)
			}
			if literals > 0 {
				check(joined.String())
			}
			return false
		case *ast.BasicLit:
			check(literal(n))
		}
		return true
	}
	ast.Inspect(file, visit)
}

// summands returns the parts of a sum, from left to right.
func summands(e ast.Expr) []ast.Expr {
	if b, ok := e.(*ast.BinaryExpr); ok && b.Op == token.ADD {
		return append(summands(b.X), summands(b.Y)...)
	}
	return []ast.Expr{e}
}
