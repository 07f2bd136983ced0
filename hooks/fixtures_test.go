package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"blackboard/hooks/harness"
	"blackboard/kb"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// fixture is a payload that a harness sends.
type fixture struct {
	name    string // harness/file
	harness string
	event   string // as the installer would name it
	data    []byte
}

// fixtures are the payloads of all harnesses; the test is skipped where those that many
// projects share are not there. Those beside the harnesses were made by hand from their
// documentation.
func fixtures(t testing.TB) (all []fixture, answers map[string][]byte) {
	t.Helper()
	shared := os.Getenv("BOARD_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "shared")
	}
	answers = map[string][]byte{}
	for _, root := range []string{filepath.Join(shared, "fixtures"), filepath.Join("harness",
		"testdata", "payloads")} {
		if _, err := os.Stat(root); err != nil {
			t.Skip("the payload fixtures are absent (set BOARD_SHARED to the folder that holds fixtures)")
		}
		all = append(all, fixturesIn(t, root, answers)...)
	}
	if len(all) < 100 {
		t.Fatalf("only %d fixtures were found", len(all))
	}
	return all, answers
}

// fixturesIn are the payloads below a directory; the answers that the harnesses take go
// to answers.
func fixturesIn(t testing.TB, root string, answers map[string][]byte) (all []fixture) {
	t.Helper()
	expect.OK(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, path)
		rel = filepath.ToSlash(rel)
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" ||
			strings.HasPrefix(rel, "mcp/") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		dir, file, _ := strings.Cut(rel, "/")
		dir = strings.TrimSuffix(dir, "-code")
		if harness.ByName(dir) == nil {
			return nil // nobody sets it up
		}
		if name, ok := strings.CutPrefix(file, "out."); ok {
			answers[dir+"/"+strings.TrimSuffix(name, ".json")] = data
			return nil
		}
		parts := strings.Split(strings.TrimSuffix(file, ".json"), ".")
		if len(parts) > 1 && slices.Contains([]string{"cli", "ide", "pascal", "resume"},
			parts[0]) {
			parts = parts[1:]
		}
		all = append(all, fixture{dir + "/" + file, dir, parts[0], data})
		return nil
	}))
	return all
}

// TestFixtures: every payload is decoded to the event that the golden file has, whether
// or not the installer has named the harness.
func TestFixtures(t *testing.T) {
	all, _ := fixtures(t)
	var got bytes.Buffer
	for _, f := range all {
		h, e, err := harness.Read(f.data, f.harness, f.event, noEnv)
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		if h.Name != f.harness {
			t.Errorf("%s is taken for %s", f.name, h.Name)
		}
		got.Write(encodeJSON(map[string]any{"fixture": f.name, "event": e}))
	}
	golden := filepath.Join("harness", "testdata", "events.jsonl")
	if *update {
		expect.OK(t, os.WriteFile(golden, got.Bytes(), 0o644))
	}
	want := expect.Value(os.ReadFile(golden))(t)
	have, old := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(have), len(old)) {
		a, b := "", ""
		if i < len(have) {
			a = have[i]
		}
		if i < len(old) {
			b = old[i]
		}
		if a != b {
			t.Errorf("line %d of %s:\nwas %s\nis  %s", i+1, golden, b, a)
		}
	}
}

// TestDetectAlone: payloads that nobody has named the harness of. Where only the
// installer can tell, Claude is assumed, whose fields they have.
func TestDetectAlone(t *testing.T) {
	all, _ := fixtures(t)
	for _, f := range all {
		if h, _, _ := harness.Read(f.data, "", "", noEnv); h.Name != f.harness &&
			h.Name != "claude" {
			t.Errorf("%s is taken for %s", f.name, h.Name)
		}
	}
}

// TestAnswers: the answers have the keys and types of those that the harnesses are
// known to take.
func TestAnswers(t *testing.T) {
	_, answers := fixtures(t)
	for name, want := range answers {
		dir, event, _ := strings.Cut(name, "/")
		h := harness.ByName(dir)
		e := harness.Event{Harness: h.Name, Name: event, Kind: h.KindOf(event), Session: "s1"}
		got := h.Answer(&e, "a text")
		if event == "noop" || !h.Injects(e.Kind) { // nothing is given next to most tools
			if string(got) != "{}\n" {
				t.Errorf("%s: %s", name, got)
			}
			continue
		}
		if a, b := keys(t, got), keys(t, want); !slices.Equal(a, b) {
			t.Errorf("%s: the answer has %q, not %q", name, a, b)
		}
		if !bytes.Contains(got, []byte("a text")) || h.Answer(&e, "")[1] != '}' {
			t.Errorf("%s: %s; without a text: %s", name, got, h.Answer(&e, ""))
		}
	}
}

// keys are the paths of an object's texts and truths.
func keys(t *testing.T, data []byte) (paths []string) {
	t.Helper()
	var walk func(string, any)
	walk = func(path string, v any) {
		if m, ok := v.(map[string]any); ok {
			for k, v := range m {
				walk(path+"/"+k, v)
			}
			return
		}
		kind := "other"
		switch v.(type) {
		case string:
			kind = "text"
		case bool:
			kind = "truth"
		}
		paths = append(paths, path+"="+kind)
	}
	var v any
	expect.OK(t, json.Unmarshal(data, &v))
	walk("", v)
	slices.Sort(paths)
	return paths
}

// oneAnswer fails unless the answer is exactly one JSON object on one line, within the
// budget.
func oneAnswer(t testing.TB, what string, answer []byte) {
	t.Helper()
	var v map[string]any
	d := json.NewDecoder(bytes.NewReader(answer))
	if err := d.Decode(&v); err != nil || d.More() || bytes.Count(answer, []byte("\n")) != 1 ||
		v == nil {
		t.Fatalf("%s: the answer is %q (%v)", what, clip(string(answer), 300), err)
	}
	for _, text := range texts(v) {
		if tokens(text) > MaxBudget {
			t.Fatalf("%s: a text of %d tokens", what, tokens(text))
		}
	}
}

func texts(v any) (all []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case map[string]any:
		for _, e := range v {
			all = append(all, texts(e)...)
		}
	}
	return all
}

// mutants are a value with each key removed, each value replaced by one of another
// type, at any depth. yield is called with the whole each time.
func mutants(whole any, yield func()) {
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, old := range v {
				delete(v, k)
				yield()
				for _, other := range []any{nil, 42, []any{}, map[string]any{}} {
					v[k] = other
					yield()
				}
				v[k] = old
				walk(old)
			}
		case []any:
			for i, old := range v {
				for _, other := range []any{nil, 42, []any{}, map[string]any{}} {
					v[i] = other
					yield()
				}
				v[i] = old
				walk(old)
			}
		}
	}
	walk(whole)
}

// TestMutants: whatever is missing, or has another type, or is cut off, the answer is
// one object.
func TestMutants(t *testing.T) {
	cost.SkipUnlessLong(t)
	cost.SkipTable(t)
	all, _ := fixtures(t)
	project := t.TempDir()
	w := newWorld(t)
	w.searcher = found(kb.Hit{Capsule: kb.Capsule{ID: "k1", Kind: "fact", Title: "Retry bug",
		Body: "It is in the client."}, Score: 1})
	n := 0
	for _, f := range all {
		data := bytes.ReplaceAll(f.data, []byte("/home/dev/proj"), []byte(project))
		handle := func(data []byte) {
			n++
			oneAnswer(t, f.name+" "+clip(string(data), 2000),
				w.handle(f.harness, f.event, data).Answer)
		}
		handle(data)
		for _, percent := range []int{10, 50, 90} {
			handle(data[:len(data)*percent/100])
		}
		var v any
		expect.OK(t, json.Unmarshal(data, &v))
		mutants(v, func() {
			changed := expect.Value(json.Marshal(v))(t)
			// of the long ones a part: they hold the same a hundred times
			if cost.Quick() && n%7 != 0 && len(changed) >= 2000 {
				n++
				return
			}
			handle(changed)
		})
	}
	t.Logf("%d payloads", n)
	if log, err := os.ReadFile(LogPath(w.home)); err == nil &&
		bytes.Contains(log, []byte("panic")) {
		t.Errorf("a panic was logged: %s", log)
	}
}

// FuzzHandle: no payload, event or name makes anything but one object of an answer, or
// a worklog with what is private.
func FuzzHandle(f *testing.F) {
	f.Add("claude", "UserPromptSubmit",
		[]byte(`{"prompt":"where is the retry bug","session_id":"s"}`))
	f.Add("cursor", "postToolUse",
		[]byte(`{"cursor_version":"1","tool_name":"Shell","tool_output":"{\"output\":\"x\",\"exitCode\":1}"}`))
	f.Add("opencode", "",
		[]byte(`{"hook":"event","input":{"event":{"type":"message.part.updated","properties":{"part":{"type":"tool","state":{"status":"error"}}}}}}`))
	f.Add("pi", "", []byte(`{"event":{"type":"tool_result","content":[{"type":"text","text":"x"}],"isError":true},"ctx":{}}`))
	f.Add("codex", "PostToolUse",
		[]byte(`{"turn_id":"t","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Add File: a"},"tool_response":"Exit code: 1\n"}`))
	f.Add("", "", []byte("\xef\xbb\xbf{}"))
	f.Fuzz(func(t *testing.T, named, event string, data []byte) {
		cfg := Config{Harness: named, Event: event, Env: noEnv, Now: time.Now,
			Searcher: found(kb.Hit{Capsule: kb.Capsule{ID: "k1", Title: event, Body: named},
				Score: 1})}
		r := cfg.handle(context.Background(), func() bool { return false },
			bytes.NewReader(data), new(atomic.Bool))
		oneAnswer(t, "fuzz", r.Answer)
		if _, e, err := harness.Read(data, named, event, noEnv); err == nil {
			if !slices.Contains(harness.Kinds, e.Kind) {
				t.Errorf("the kind is %q", e.Kind)
			}
			if e.Tool != nil {
				entry(&e, t0)
			}
		}
	})
}
