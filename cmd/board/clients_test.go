package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blackboard/board"
	"blackboard/testdata/cost"
)

// interpreter finds the program that runs a snippet, or skips the test.
func interpreter(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed: its snippets are NOT tested here", name)
	}
	return path
}

// snippetRun runs a program in a directory and data home, with board in $PATH.
func snippetRun(t *testing.T, dir, home string, command ...string) string {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, orchestratorEnv(home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", command, err, out)
	}
	return string(out)
}

// snippetFile writes a text into a directory, and returns its name.
func snippetFile(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}

// clients are the pages that are programs.
var clients = []struct{ page, program, file, run, test string }{
	{"python", "python3", "board_client.py", "from-python", `
from board_client import Board, BoardError
lead = Board("trial", "lead")
assert lead.new("how keys rotate")["goal"] == "how keys rotate"
assert lead.new("anything else")["goal"] == "how keys rotate"
try:
    lead.new("anything else", exists_ok=False)
    raise SystemExit("no error")
except BoardError as e:
    assert "; try: " in str(e) and "--exists-ok" in str(e), e
lead.call("expect", "a", "b")
question = lead.signal("Who pays?", "q", priority="low")
assert lead.waive(question["id"], "-- nobody asked")["status"] == "waived"
first = lead.post("-- $12 \u00e9\nsecond line", "k", tag=["x", "y"], must_surface=True, confidence=0.5)
assert lead.post("-- $12 \u00e9\nsecond line", "k", tag=["x", "y"], must_surface=True, confidence=0.5)["id"] == first["id"]
assert first["content"] == "-- $12 \u00e9\nsecond line" and first["tags"] == ["x", "y"], first
assert lead.claim() is None
assert lead.gate(wait="0s")["open"] is False
try:
    lead.call("show", "e99")
    raise SystemExit("no error")
except BoardError as e:
    assert (e.exit_code, e.code) == (5, "not_found") and "board query" in e.next_step, vars(e)
assert lead.brief("rotate the signing keys") == ""
key = lead.post("The signing keys rotate on the first of each month", "keys")
assert lead.promote(key["id"], kind="fact")["body"] == key["content"]
learned = lead.learn("LEARNING: the cron job that rotates the keys was deleted in March")
assert [c["refs"] for c in learned] == [["run:trial"]], learned
assert "was deleted in March" in lead.brief("rotate the signing keys")
assert "The signing keys rotate" in lead.digest(budget=4000)
written = lead.export("digest.md")
assert (written["entries"], written["signals"]) == (2, 1), written
assert "The signing keys rotate" in open("digest.md", encoding="utf-8").read()
print("fine")
`},
	{"javascript", "node", "board_client.mjs", "from-javascript", `
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { Board, BoardError } from "./board_client.mjs";
const lead = new Board("trial", "lead"), text = "-- $12 \u00e9\nsecond line";
assert.equal((await lead.new("how keys rotate")).goal, "how keys rotate");
assert.equal((await lead.new("anything else")).goal, "how keys rotate");
await assert.rejects(lead.new("anything else", { existsOk: false }), /; try: .*--exists-ok/);
await lead.call(["expect", "a", "b"]);
const question = await lead.signal("Who pays?", "q", { priority: "low" });
assert.equal((await lead.waive(question.id, "-- nobody asked")).status, "waived");
const flags = { tag: ["x", "y"], mustSurface: true, confidence: 0.5 };
const first = await lead.post(text, "k", flags);
assert.equal((await lead.post(text, "k", flags)).id, first.id);
assert.equal(first.content, text);
assert.deepEqual(first.tags, ["x", "y"]);
assert.equal(await lead.claim(), null);
assert.equal((await lead.gate("0s")).open, false);
await assert.rejects(lead.call(["show", "e99"]), (e) => {
  assert.ok(e instanceof BoardError && e.nextStep.includes("board query"), JSON.stringify(e));
  assert.deepEqual([e.exitCode, e.code], [5, "not_found"]);
  return true;
});
assert.equal(await lead.brief("rotate the signing keys"), "");
const key = await lead.post("The signing keys rotate on the first of each month", "keys");
assert.equal((await lead.promote(key.id, { kind: "fact" })).body, key.content);
const learned = await lead.learn("LEARNING: the cron job that rotates the keys was deleted in March");
assert.deepEqual(learned.map((c) => c.refs), [["run:trial"]]);
assert.ok((await lead.brief("rotate the signing keys")).includes("was deleted in March"));
assert.ok((await lead.digest({ budget: 4000 })).includes("The signing keys rotate"));
const written = await lead.export("digest.md");
assert.deepEqual([written.entries, written.signals], [2, 1]);
assert.ok((await readFile("digest.md", "utf8")).includes("The signing keys rotate"));
console.log("fine");
`},
}

// TestClients runs the clients that `board help python` and `board help javascript` print: their
// examples, and what the examples leave out.
func TestClients(t *testing.T) {
	cost.SkipUnlessLong(t)
	t.Parallel()
	for _, c := range clients {
		t.Run(c.page, func(t *testing.T) {
			t.Parallel()
			program := interpreter(t, c.program)
			text, ok := helpPage(c.page)
			if !ok {
				t.Fatal("no such page")
			}
			dir, home := t.TempDir(), t.TempDir()
			client := snippetFile(t, dir, c.file, text)
			for range 2 { // the second time nothing is posted, and nothing is left to claim
				out := strings.ToLower(snippetRun(t, dir, home, program, client))
				if !strings.HasSuffix(out, "gate open: true\nreport passed: true\n") {
					t.Errorf("the example prints\n%s", out)
				}
			}
			b, err := board.Open(t.Context(), filepath.Join(home, "boards"), c.run)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			s, err := b.Snapshot(t.Context())
			if err != nil || len(s.Entries) != 2 || len(s.Signals) != 1 || s.Signals[0].Status != board.Addressed || s.Signals[0].Origin != "e1" {
				t.Errorf("the example leaves %+v: %v", s, err)
			}
			test := snippetFile(t, dir, "trial"+filepath.Ext(c.file), c.test)
			if out := snippetRun(t, dir, home, program, test); !strings.HasSuffix(out, "fine\n") {
				t.Error(out)
			}
		})
	}
}

// busyOnce stands for board: its first call finds others writing, each later one succeeds.
const busyOnce = `#!/bin/sh
[ -e "$0.called" ] && exec board "$@"
touch "$0.called"
echo 'note: a line before the error' >&2
echo '{"v":1,"error":{"code":"busy","message":"others are writing","try":"","next":[]}}' >&2
exit 1
`

// TestClientsRetry: a client calls again when others are writing, and only then.
func TestClientsRetry(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("sh is not installed: retries are NOT tested here")
	}
	for _, c := range clients {
		t.Run(c.page, func(t *testing.T) {
			t.Parallel()
			program := interpreter(t, c.program)
			dir := t.TempDir()
			text, _ := helpPage(c.page)
			snippetFile(t, dir, c.file, text)
			fake := snippetFile(t, dir, "busy", busyOnce)
			test := map[string]string{
				"python":     "from board_client import Board\nprint(Board('retried', 'w', '" + fake + "').post('again', 'k')['id'])",
				"javascript": "import { Board } from './board_client.mjs';\nconsole.log((await new Board('retried', 'w', '" + fake + "').post('again', 'k')).id);",
			}[c.page]
			if out := snippetRun(t, dir, t.TempDir(), program, snippetFile(t, dir, "trial"+filepath.Ext(c.file), test)); !strings.HasSuffix(out, "e1\n") {
				t.Error(out)
			}
		})
	}
}

// mcpSnippet is one of the programs of the page mcp: the indented lines below a heading.
func mcpSnippet(t *testing.T, language string) string {
	t.Helper()
	text, _ := helpPage("mcp")
	_, after, ok := strings.Cut(text, "\n"+language+", with ")
	if !ok {
		t.Fatalf("the page has nothing for %s", language)
	}
	_, after, _ = strings.Cut(after, "\n\n")
	var b strings.Builder
	for line := range strings.Lines(after) {
		code, indented := strings.CutPrefix(line, "  ")
		if !indented && line != "\n" {
			break
		}
		b.WriteString(code)
	}
	return b.String()
}

// TestMCPClients checks the programs of the page mcp. Their SDKs are no part of this module:
// BOARD_TEST_NODE_MODULES names a directory in which npm has installed that of JavaScript.
func TestMCPClients(t *testing.T) {
	cost.SkipUnlessLong(t)
	t.Parallel()
	t.Run("python", func(t *testing.T) {
		python := interpreter(t, "python3")
		file := snippetFile(t, t.TempDir(), "client.py", mcpSnippet(t, "Python"))
		snippetRun(t, t.TempDir(), t.TempDir(), python, "-m", "py_compile", file)
	})
	t.Run("javascript", func(t *testing.T) {
		node := interpreter(t, "node")
		dir, text := t.TempDir(), mcpSnippet(t, "JavaScript")
		snippetRun(t, dir, t.TempDir(), node, "--check", snippetFile(t, dir, "client.mjs", text))
		modules := os.Getenv("BOARD_TEST_NODE_MODULES")
		if modules == "" {
			t.Skip("BOARD_TEST_NODE_MODULES is not set: only the syntax was checked")
		}
		if err := os.Symlink(filepath.Join(modules, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
			t.Fatal(err)
		}
		version2 := strings.NewReplacer("@modelcontextprotocol/sdk/client/index.js", "@modelcontextprotocol/client",
			"@modelcontextprotocol/sdk/client/stdio.js", "@modelcontextprotocol/client/stdio").Replace(text)
		for name, text := range map[string]string{"1.mjs": text, "2.mjs": version2} {
			if out := snippetRun(t, dir, t.TempDir(), node, snippetFile(t, dir, name, text)); out != "e1 true\n" {
				t.Errorf("%s prints %s", name, out)
			}
		}
	})
}

// TestRetriesAgree: the codes after which the page on output says to call again are those after
// which the clients do.
func TestRetriesAgree(t *testing.T) {
	text, _ := helpPage("output")
	_, table, _ := strings.Cut(text, "worth another try if the error's code is one of these:\n")
	table, _, _ = strings.Cut(table, "\nWait ")
	var want []string
	for _, row := range strings.Split(table, "\n") {
		want = append(want, strings.Fields(row)[0])
	}
	for _, c := range clients {
		text, _ := helpPage(c.page)
		list := regexp.MustCompile(`[\[(]("busy"[^\])]*)[\])]`).FindStringSubmatch(text)
		if list == nil {
			t.Errorf("the page %s retries nothing", c.page)
			continue
		}
		got := strings.Split(strings.ReplaceAll(list[1], `"`, ""), ", ")
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("the page %s retries %v, and the page output says %v", c.page, got, want)
		}
	}
}
