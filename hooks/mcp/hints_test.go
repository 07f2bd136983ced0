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
)

// hints are what each tool says of itself: read-only, or destructive, or neither; and
// idempotent.
var hints = map[string]string{
	"board_post": "adds", "board_signal": "adds", "board_query": "reads", "board_state": "reads",
	"board_var_get": "reads",
	"board_claim":   "adds", "board_address": "adds", "board_settle": "adds", "board_expect": "sets",
	"board_check": "sets",
	"board_gate":  "reads", "board_survival": "reads", "board_wait": "reads",
	"board_show": "reads", "board_signals": "reads", "board_digest": "reads", "board_link": "sets",
	"board_reopen":  "sets",
	"board_waive":   "removes",  // the question is out of the way
	"board_var_set": "replaces", // a version each time

	"kb_search": "reads", "kb_get": "reads", "kb_remember": "adds", "kb_brief": "reads",
	"kb_reembed": "sets", "kb_doctor": "reads",
	"kb_curate": "removes", "kb_retire": "removes",
	"kb_resolve": "replaces", // it may retire one, and each decision is kept
	"kb_ingest":  "removes",  // it replaces what it made of a document, and prunes

	"memory_context": "reads", "memory_read": "reads", "memory_put": "adds",
	"save_to_journal": "adds", "save_to_core": "adds",
	"memory_update": "replaces", // a revision each time
	"memory_named":  "removes", "memory_forget": "removes", "memory_consolidate": "removes",
	"memory_scrub": "removes",

	"scratch_write": "removes", "scratch_read": "reads", "scratch_list": "reads",
	"scratch_clear":     "removes",
	"conversation":      "adds", // start begins one each time
	"conversation_list": "reads", "channel_list": "reads", "channel_create": "adds",

	"search_context": "reads", "read_context": "reads", "list_context": "reads",
	"get_state":     "reads",
	"write_context": "adds", "delete_context": "removes", "set_state": "removes",
}

// TestHints makes the calls of TestEveryToolAnswers, those that say they are idempotent
// twice, and looks at all that is stored.
func TestHints(t *testing.T) {
	cost.SkipUnlessLong(t)
	cost.SkipShort(t)
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	is := map[string]string{}
	checkHints(t, is, func(c *Config) {
		c.Now = func() time.Time { return now }
		c.Profiles = slices.DeleteFunc(slices.Clone(Profiles), func(p string) bool {
			return p == ProfileContext
		})
	})
	checkHints(t, is, func(c *Config) {
		c.Now, c.Profiles = func() time.Time { return now }, []string{ProfileContext}
		c.Embedder = nil // a chunk gets its embedding at any time after it was written
	})
	if len(is) != len(hints) {
		t.Errorf("%d tools, hints of %d", len(is), len(hints))
	}
}

func checkHints(t *testing.T, is map[string]string, change func(*Config)) {
	s := everything(t, change)
	c := connect(t, s, nil)
	listed, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range listed.Tools {
		a := tool.Annotations
		switch {
		case a.ReadOnlyHint:
			is[tool.Name] = "reads"
		case *a.DestructiveHint:
			is[tool.Name] = map[bool]string{true: "removes", false: "replaces"}[a.IdempotentHint]
		default:
			is[tool.Name] = map[bool]string{true: "sets", false: "adds"}[a.IdempotentHint]
		}
		if is[tool.Name] != hints[tool.Name] {
			t.Errorf("%s says that it %s, and %s", tool.Name, is[tool.Name], hints[tool.Name])
		}
	}
	root := filepath.Dir(s.cfg.Home)
	saved := map[string]string{}
	for _, st := range append(steps(t), again...) {
		args := string(st.Args)
		for k, v := range saved {
			args = strings.ReplaceAll(args, `"$`+k+`"`, `"`+v+`"`)
		}
		if s.takes[st.Tool] == nil {
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
		after := allRows(t, root)
		if hints[st.Tool] == "reads" {
			differs(t, st.Tool+" "+args+" is read-only", before, after)
		}
		if hints[st.Tool] == "sets" || hints[st.Tool] == "removes" {
			answer(t, c, st.Tool, args) // it may refuse
			differs(t, st.Tool+" "+args+" is idempotent", after, allRows(t, root))
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
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
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
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

func rows(t *testing.T, name, path string) (all []string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tables, err := db.Query(`SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for tables.Next() {
		var n string
		if err := tables.Scan(&n); err != nil {
			t.Fatal(err)
		}
		names = append(names, n)
	}
	for _, table := range names {
		found, err := db.Query(`SELECT * FROM "` + table + `"`)
		if err != nil {
			t.Fatal(err)
		}
		columns, _ := found.Columns()
		for found.Next() {
			cells := make([]any, len(columns))
			for i := range cells {
				cells[i] = new(any)
			}
			if err := found.Scan(cells...); err != nil {
				t.Fatal(err)
			}
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
