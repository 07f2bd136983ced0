package setup

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"blackboard/hooks/harness"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// generate writes a random object with comments, blanks and trailing commas, and now
// and then hooks and servers of others.
func generate(r *rand.Rand, depth int, nl string) string {
	gap := func() string {
		return []string{"", " ", nl, "\t", " // note" + nl, "/* a\n b */",
			nl + nl + "  "}[r.IntN(7)]
	}
	leaf := func() string {
		return []string{"1", "-2.5e3", "true", "null", `""`, `"a\"b // c"`, `"ü\u00e9"`, "[]",
			"{}", `"/x/board hook"`}[r.IntN(10)]
	}
	value := func() string {
		if depth == 0 || r.IntN(3) == 0 {
			return leaf()
		}
		return generate(r, depth-1, nl)
	}
	var b strings.Builder
	array := depth < 3 && r.IntN(2) == 0
	open, end := "{", "}"
	if array {
		open, end = "[", "]"
	}
	b.WriteString(open + gap())
	n := r.IntN(4)
	for i := range n {
		switch {
		case array:
			b.WriteString(value())
		case depth == 3 && i == 0 && r.IntN(2) == 0:
			b.WriteString(`"hooks"` + gap() + ":" + gap() + `{` + gap() + `"SessionStart": [` +
				gap() + `{"hooks":[{"command":"x"}]}` + gap() + `]` + gap() + `}`)
		case depth == 3 && i == 1 && r.IntN(2) == 0:
			b.WriteString(`"mcpServers":{"a":` + gap() + leaf() + `}`)
		default:
			fmt.Fprintf(&b, "%q%s:%s%s", fmt.Sprint("k", i), gap(), gap(), value())
		}
		b.WriteString(gap())
		if i < n-1 || r.IntN(3) == 0 {
			b.WriteString("," + gap())
		}
	}
	b.WriteString(end)
	return b.String()
}

// checkEdits puts hooks and a server into a text and takes them out again, in both ways.
func checkEdits(t *testing.T, text []byte) {
	t.Helper()
	p := &place{harness.Place{Home: "/h", Env: func(string) string { return "" }}, "/opt/board"}
	h := byName("claude")
	before, err := parseJSON(text)
	if err != nil {
		return
	}
	if len(p.ownHooks(before.root, h)) > 0 || p.serverIn(before.root, h) != "" {
		return // it has what is ours already
	}
	with, first, err := p.addHooks(text, h, "f")
	if err != nil {
		return // no place for hooks
	}
	both, second, err := p.addServer(with, h, "f")
	if err != nil {
		return
	}
	if before.root != nil {
		within(t, "", meaning(t, text), meaning(t, both))
	}
	if again, _, err := p.addHooks(both, h, "f"); err != nil || string(again) != string(both) {
		t.Fatalf("a second time changes\n%s\nto\n%s", both, again)
	}
	r := record{After: hashText(both), Undo: undoing(both, text)}
	if back, exact := r.before(both); !exact || string(back) != string(text) {
		t.Fatalf("undone\n%q\nwas\n%q", back, text)
	}
	made := append(first.made, second.made...)
	out := expect.Value(p.stripServer(both, h, "f", made))(t)
	out = expect.Value(p.stripHooks(out, h, "f", made))(t)
	if before.root == nil {
		return
	}
	if squeeze(out) != squeeze(text) {
		t.Fatalf("taken out\n%q\nwas\n%q\nwith\n%q", out, text, both)
	}
}

// squeeze leaves out white space: a container that had nothing but that may have lost
// it.
func squeeze(b []byte) string { return strings.Join(strings.Fields(string(b)), "") }

func TestEditsOfRandomTexts(t *testing.T) {
	seeds := uint64(4_000)
	if cost.Quick() {
		seeds = 500
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		nl := "\n"
		if seed%3 == 0 {
			nl = "\r\n"
		}
		text := generate(r, 3, nl)
		if _, err := parseJSON([]byte(text)); err != nil {
			t.Fatalf("seed %d: %v:\n%s", seed, err, text)
		}
		checkEdits(t, []byte(text))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func FuzzEdits(f *testing.F) {
	for _, c := range configurations {
		f.Add([]byte(c.text))
	}
	f.Add([]byte("{\"hooks\":{\"SessionStart\":[]}}"))
	f.Add([]byte("\xef\xbb\xbf{/*x*/}//"))
	f.Fuzz(checkEdits)
}

func FuzzTOML(f *testing.F) {
	for _, c := range configurations {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		after := map[string]string{"/h/hooks.json:session_start:0:0": "sha256:1",
			"/h/hooks.json:stop:1:0": "sha256:2"}
		with, add, err := setTrust(text, "f", nil, after)
		if err != nil || !add.fresh {
			return
		}
		r := record{After: hashText(with), Undo: undoing(with, text)}
		if back, exact := r.before(with); !exact || string(back) != string(text) {
			t.Fatalf("undone %q, was %q", back, text)
		}
		if again, _, err := setTrust(with, "f", after, after); err != nil ||
			string(again) != string(with) {
			t.Fatalf("a second time changes %q to %q: %v", with, again, err)
		}
		if out, _, err := setTrust(with, "f", after, nil); err != nil ||
			string(out) != string(text) {
			t.Fatalf("taken out %q, was %q: %v", out, text, err)
		}
	})
}

func TestBrokenJSON(t *testing.T) {
	for _, text := range []string{"{", "[1 2]", `{"a"}`, `{"a":}`, `{a:1}`, `{'a':1}`, "{,}",
		"[,]", "nul", "01", `"a`, "\"a\nb\"", "/", "/* ", "{} x", `{"a":1,,}`, "\x00",
		`"\q"`, "+1", "[1,]]"} {
		if n, err := parseJSON([]byte(text)); err == nil {
			t.Errorf("%q is taken for %+v", text, n)
		}
	}
}

func TestCommandLines(t *testing.T) {
	for _, path := range []string{"/opt/board", "/my tools/board", "/o'neil/board",
		"/a$b/board", "/ü/board"} {
		p := &place{binary: path}
		line := p.hookCommand("Stop", "claude")
		got, event, ok := ownHook(line, "/other")
		if !ok || got != path || event != "Stop" {
			t.Errorf("%s is read as %q, %q, %v", line, got, event, ok)
		}
	}
	for _, line := range []string{"", "board", "/x/keyboard hook Stop --harness claude",
		"/x/board hook Stop --harness chess", "/x/board hook Stop --harness claude; rm",
		"echo /x/board hook Stop --harness claude", "/x/board  hook Stop --harness claude"} {
		if _, _, ok := ownHook(line, "/x/other"); ok {
			t.Errorf("%q is taken for ours", line)
		}
	}
	if _, _, ok := ownHook(`"C:\Tools\board.exe" hook Stop --harness claude`, "x"); !ok {
		t.Error("a Windows path is not known")
	}
}

// TestTrustHash: the values are those that Codex itself has for these hooks.
func TestTrustHash(t *testing.T) {
	p := &place{harness.Place{Home: "/h", Env: func(string) string { return "" }}, "/opt/board"}
	h := byName("codex")
	text, _ := expect.Values(p.addHooks(nil, h, "f"))(t)
	want := map[string]string{ // asked of codex app-server 0.169.0, hooks/list
		"/h/hooks.json:post_tool_use:0:0":      "sha256:1c476bc7e33f4e63dd170b92fc767c63a0458668aa4a6e8d452d8c886fe76b5f",
		"/h/hooks.json:session_start:0:0":      "sha256:09e7c13fa051c62e2a1543fd4f3e174b200ea88e4be41f87cd73adf3991ed7e5",
		"/h/hooks.json:session_end:0:0":        "sha256:bbe975d9848798d3acb37496c91143819ec63696c9cf53ae1e4e43f2f6dda1e4",
		"/h/hooks.json:user_prompt_submit:0:0": "sha256:71f9c9dbe60ad278d5d535bf8bb207172587a895b6a99dc1d1869ca3131d9de9",
	}
	got := p.trustOf(text, h, "/h/hooks.json")
	if len(got) != len(h.Hooks()) {
		t.Errorf("%d of %d hooks are trusted", len(got), len(h.Hooks()))
	}
	// Codex was not asked about the others, which are built in the same way.
	maps.DeleteFunc(got, func(key, _ string) bool { return want[key] == "" })
	if !maps.Equal(got, want) {
		t.Errorf("trust %v\nwant %v", got, want)
	}
	if trust := p.trustOf([]byte(strings.Replace(string(text), `"timeout": 2`, `"timeout": 9`, 1)),
		h,
		"/h/hooks.json"); trust["/h/hooks.json:session_end:0:0"] == want["/h/hooks.json:session_end:0:0"] {
		t.Error("another timeout has the same hash")
	}
}
