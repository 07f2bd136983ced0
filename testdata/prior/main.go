// Command prior counts in how many texts each term occurs, in what the Go toolchain
// ships: the comments of its sources, its documents, and a book on optics that its tests
// compress. The commonest make board/words/prior.txt:
//
//	go run ./testdata/prior > board/words/prior.txt
//
// A text is a comment, or a paragraph of a document, of at least 8 words. Licences do not
// count: they stand above each file.
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"blackboard/board/words"
)

const (
	leastWords = 8
	most       = 6000 // terms of the table
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "prior:", err)
		os.Exit(1)
	}
}

// counter counts texts and, for each term, those that have it.
type counter struct {
	texts int
	df    map[string]int
	an    words.Analyzer
}

func (c *counter) text(s string) {
	if len(strings.Fields(s)) < leastWords || strings.Contains(s, "Copyright") || strings.Contains(s, "BSD-style") {
		return
	}
	c.texts++
	seen := map[string]bool{}
	c.an.Terms(s, func(term string, _ bool) { seen[term] = true })
	for term := range seen {
		c.df[term]++
	}
}

var (
	tag       = regexp.MustCompile(`(?s)<(?:script|style|pre)\b.*?</(?:script|style|pre)>|<[^>]*>`)
	paragraph = regexp.MustCompile(`\n[ \t]*\n`)
)

func (c *counter) document(s string) {
	for _, p := range paragraph.Split(s, -1) {
		c.text(p)
	}
}

func run() error {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	root := strings.TrimSpace(string(out))
	c := counter{df: map[string]int{}}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		ext := filepath.Ext(path)
		book := d.Name() == "Isaac.Newton-Opticks.txt"
		if ext != ".go" && ext != ".md" && ext != ".html" && !book {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if ext != ".go" {
			if ext == ".html" {
				b = tag.ReplaceAll(b, nil)
			}
			c.document(string(b))
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, b, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || bytes.Contains(b, []byte("DO NOT EDIT")) {
			return nil // the tests of parsers have files that are none
		}
		for _, g := range f.Comments {
			c.text(g.Text())
		}
		return nil
	})
	if err != nil {
		return err
	}
	terms := slices.SortedFunc(maps.Keys(c.df), func(a, b string) int { return cmp.Or(cmp.Compare(c.df[b], c.df[a]), cmp.Compare(a, b)) })
	terms = terms[:min(most, len(terms))]
	w := bufio.NewWriter(os.Stdout)
	defer w.Flush()
	level := func(t string) int { return int(math.Round(4 * math.Log(float64(c.texts)/float64(c.df[t])))) }
	for i := 0; i < len(terms); {
		l := level(terms[i])
		var line []string
		for ; i < len(terms) && level(terms[i]) == l; i++ {
			line = append(line, terms[i])
		}
		slices.Sort(line)
		fmt.Fprintf(w, "%d %s\n", l, strings.Join(line, " "))
	}
	fmt.Fprintf(os.Stderr, "%d texts, %d terms, the rarest of the table in %d\n", c.texts, len(c.df), c.df[terms[len(terms)-1]])
	return nil
}
