package mcp

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// destructive are the tools that say so: some clients never run them.
var destructive = []string{"delete_context", "memory_scrub"}

// TestHints makes the calls of TestEveryToolAnswers, and looks at all that is stored: what
// says that it only reads changes nothing.
func TestHints(t *testing.T) {
	cost.SkipUnlessLong(t)
	cost.SkipShort(t)
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	checkHints(t, func(c *Config) {
		c.Now = func() time.Time { return now }
		c.Profiles = slices.DeleteFunc(slices.Clone(Profiles), func(p string) bool {
			return p == ProfileContext
		})
	})
	checkHints(t, func(c *Config) {
		c.Now, c.Profiles = func() time.Time { return now }, []string{ProfileContext}
		c.Embedder = nil // a chunk gets its embedding at any time after it was written
	})
}

func checkHints(t *testing.T, change func(*Config)) {
	s := everything(t, change)
	c := connect(t, s, nil)
	listed := expect.Value(c.ListTools(t.Context(), nil))(t)
	reads := map[string]bool{}
	for _, tool := range listed.Tools {
		a := tool.Annotations
		reads[tool.Name] = a.ReadOnlyHint
		if destroys := a.DestructiveHint != nil && *a.DestructiveHint; destroys !=
			slices.Contains(destructive, tool.Name) {
			t.Errorf("%s says that it is destructive: %t", tool.Name, destroys)
		}
	}
	if !reads["kb_search"] && !reads["search_context"] || reads["board_post"] {
		t.Errorf("these only read: %v", reads)
	}
	root := filepath.Dir(s.cfg.Home)
	saved := map[string]string{}
	for _, st := range append(steps(t), again...) {
		args := string(st.Args)
		for k, v := range saved {
			args = strings.ReplaceAll(args, `"$`+k+`"`, `"`+v+`"`)
		}
		st.Tool = meantTool(st.Tool, json.RawMessage(args))
		if _, named := reads[st.Tool]; s.takes[st.Tool] == nil || !named && s.cfg.Embedder == nil {
			continue
		}
		before := allRows(t, root)
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: st.Tool,
			Arguments: json.RawMessage(args)})
		if err != nil || r.IsError {
			t.Fatalf("%s %s: %v %s", st.Tool, args, err, textOf(r))
		}
		for k, path := range st.Save {
			v := r.StructuredContent
			for _, p := range strings.Split(path, ".") {
				v = v.(map[string]any)[p]
			}
			saved[k] = v.(string)
		}
		if reads[st.Tool] {
			differs(t, st.Tool+" "+args+" is read-only", before, allRows(t, root))
		}
	}
}

// again are calls for what those of TestEveryToolAnswers leave out.
var again = []step{
	{Tool: "memory_named", Args: json.RawMessage(`{"name":"VOICE","body":"Plainer words.","revision":1}`)},
	{Tool: "memory_update", Args: json.RawMessage(`{"id":"$item","importance":0.25}`)},
	{Tool: "set_state", Args: json.RawMessage(`{"key":"current_phase","value":"synthesis"}`)},
	{Tool: "kb_ingest", Args: json.RawMessage(`{"paths":["docs"],"prune":true}`)},
	{Tool: "kb_curate", Args: json.RawMessage(`{"what":"dedupe","apply":true}`)},
	{Tool: "kb_curate", Args: json.RawMessage(`{"what":"decay","apply":true}`)},
	{Tool: "board_expect", Args: json.RawMessage(`{"names":["reader-3"]}`)},
}

// readNotes are the rows that say what was read, which is no change of anybody's data,
// and readColumns the columns.
var (
	readNotes   = regexp.MustCompile(` asked item=| counts kind=actor | events .* verb=retrieval `)
	readColumns = []string{"accesses", "accessed"}
)

// allRows are all rows of all files below a directory, and the files that are no
// databases.
func allRows(t *testing.T, root string) []string {
	t.Helper()
	var all []string
	expect.OK(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() || strings.HasSuffix(name, "-wal") || strings.HasSuffix(name, "-shm"):
			return nil
		case strings.HasSuffix(name, ".sqlite3") || strings.HasSuffix(name, ".db"):
			all = append(all, rows(t, name, path)...)
			return nil
		}
		data, err := os.ReadFile(path)
		all = append(all, name+": "+string(data))
		return err
	}))
	slices.Sort(all)
	return all
}

func rows(t *testing.T, name, path string) (all []string) {
	t.Helper()
	db := expect.Value(sql.Open("sqlite", "file:"+path+"?mode=ro"))(t)
	defer db.Close()
	tables := expect.Value(db.Query(`SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`))(t)
	var names []string
	for tables.Next() {
		var n string
		expect.OK(t, tables.Scan(&n))
		names = append(names, n)
	}
	for _, table := range names {
		found := expect.Value(db.Query(`SELECT * FROM "` + table + `"`))(t)
		columns, _ := found.Columns()
		for found.Next() {
			cells := make([]any, len(columns))
			for i := range cells {
				cells[i] = new(any)
			}
			expect.OK(t, found.Scan(cells...))
			row := name + " " + table
			for i := range cells {
				if slices.Contains(readColumns, columns[i]) {
					continue
				}
				row += fmt.Sprintf(" %s=%v", columns[i], *cells[i].(*any))
			}
			all = append(all, row)
		}
		found.Close()
	}
	return all
}

// differs tells what is in one of two and not in the other.
func differs(t *testing.T, what string, before, after []string) {
	t.Helper()
	seen := map[string]int{}
	for _, row := range before {
		seen[row]--
	}
	for _, row := range after {
		seen[row]++
	}
	maps.DeleteFunc(seen, func(row string, n int) bool {
		return n == 0 || readNotes.MatchString(row)
	})
	for row, n := range seen {
		t.Errorf("%s: %+d %.300s", what, n, row)
	}
}
