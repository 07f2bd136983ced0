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
	"blackboard/testdata/expect"
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
	expect.OK(t, os.WriteFile(file, []byte(text), 0o700))
	return file
}

// clientTests are the pages that are programs.
var clientTests = []struct{ page, program, file, run, test string }{
	{"python", "python3", "board_client.py", "from-python", `
import os
from board_client import Board, BoardError
with open("keys.txt", "w") as f:
    f.write("Keys rotate on day 1 of each month.\n")
lead = Board("trial", "lead")
assert lead.start("how keys rotate", expect=["a", "b"], sources=["keys.txt"])["goal"] == "how keys rotate"
assert lead.start()["goal"] == "how keys rotate"
question = lead.ask("Who pays?", "low", "q")
assert lead.waive(question["id"], "-- nobody asked")["status"] == "waived"
first = lead.post("-- $12 \u00e9\nsecond line", key="k", tag=["x", "y"], must=True, confidence=0.5, type_="gap")
assert lead.post("-- $12 \u00e9\nsecond line", key="k", tag=["x", "y"], must=True, confidence=0.5, type_="gap")["id"] == first["id"]
assert first["content"] == "-- $12 \u00e9\nsecond line" and first["tags"] == ["x", "y"] and first["type"] == "gap", first
assert [e["content"] for e in lead.post_all([{"content": "one", "key": "1"}, {"content": "two", "supports": ["@1"]}])] == ["one", "two"]
assert lead.claim() is None
assert lead.questions(status="waived")[0]["reason"] == "-- nobody asked"
assert lead.gate(wait="0s")["open"] is False
assert [w["status"] for w in lead.expect("c", "d")] == ["expected"] * 2
assert lead.expect(drop="a", reason="not needed") and lead.done("c", "d") and Board("trial", "b").done()
assert lead.gate(wait="9s")["open"] is True
try:
    lead.show("e99")
    raise SystemExit("no error")
except BoardError as e:
    assert (e.exit_code, e.code) == (5, "not_found") and "board query" in e.next_step and "; try: " in str(e), vars(e)
assert lead.get("phase") is None and lead.get("phase", [1]) == [1]
assert lead.set("phase", {"a": "-"})["version"] == 1 and lead.get("phase") == {"a": "-"}
try:
    lead.set("phase", 2, if_match=0)
    raise SystemExit("no error")
except BoardError as e:
    assert e.exit_code == 6, vars(e)
assert lead.brief("rotate the signing keys") == ""
key = lead.post("Keys rotate on day 2 of each month", "keys.txt:1", "Keys rotate on day 2", key="keys")
key = lead.correct(key["id"], "Keys rotate on day 1 of each month", quote="Keys rotate on day 1")
assert key["source_doc"] == "keys.txt" and lead.query("rotate", order="best")[0]["id"] == key["id"]
assert lead.promote(key["id"], kind="fact")["body"].startswith(key["content"])
learned = lead.learn("LEARNING: the cron job that rotates the keys was deleted in March")
assert [c["refs"] for c in learned] == [["run:trial"]], learned
assert "was deleted in March" in lead.brief("rotate the signing keys")
known = lead.remember("The vault keeps keys for 7 years", "vault: retention", source="keys.txt:1")
assert lead.search("how long does the vault keep keys")[0]["id"] == known["id"]
assert "Keys rotate on day 1" in lead.digest(budget=4000)["text"]
written = lead.export("digest.md")
assert (written["entries"], written["signals"]) == (5, 1), written
with open("report.md", "w") as f:
    f.write("Keys rotate on day 1 of each month. That costs 77 euros.\n")
check = lead.check("report.md")
assert not check["passed"] and [s["name"] for s in check["steps"] if not s["passed"]] == ["survival"], check
assert [f["text"] for s in check["steps"] if s["name"] == "trace" for f in s["trace"]["facts"] if f["verdict"] == "unsupported"] == ["77 euros"]
held = key, lead.post("Keys rotate on day 2", "keys.txt:1", "rotate on day 2")
assert [(e["checked"]["doubted"], e["existing"], e["ran"]) for e in held] == [(False, False, None), (True, False, None)], held
for again in False, True:
    assert lead.correct(held[1]["id"], "Keys rotate on day 1", quote="rotate on day 1", key="again")["existing"] is again
ran = lead.post("The tests pass", ran="go test ./...", key="ran")
assert ran["checked"] is None and (ran["ran"]["command"], ran["ran"]["verdict"]) == ("go test ./...", "unseen"), ran
assert [(w["worker"], [r["verdict"] for r in w["ran"]]) for w in lead.done("b", ran=["go vet"])] == [("b", ["unseen"])]
os.mkdir("sub")
with open("sub/board.yaml", "w") as f:
    f.write("trace: {max_unsupported: 0}\n")
elsewhere = Board("trial", "lead", cwd="sub")
for check in elsewhere.check("../report.md"), lead.check("report.md", policy="sub/board.yaml"):
    assert [s["passed"] for s in check["steps"] if s["name"] == "trace"] == [False], check
cited = lead.post_all([{"content": "Keys rotate monthly", "source": "keys.txt:1", "quote": "each month"}])[0]
assert [cited[k] for k in ("source_doc", "source_ref", "evidence")] == ["keys.txt", "1", "each month"]
for broken, words in (Board("a", "b", program="absent-board"), "install board"), (Board("a", "b", cwd="absent"), "another cwd"):
    try:
        broken.gate()
        raise SystemExit("no error")
    except BoardError as e:
        assert e.exit_code == 127 and words in e.next_step, vars(e)
more = lead.post("Keys rotate monthly on day 1", ["keys.txt:1", "report.md:1"], ["Keys rotate", "77 euros"], must_surface=True, tags=["x"])
assert [c["evidence"] for c in more["sources"]] == ["Keys rotate", "77 euros"] and more["must_surface"] and more["similar"], more
batch = lead.post_all([{"content": "Keys rotate on each day 1", "source": ["keys.txt:1", "report.md:1"], "quote": ["on day 1", "77 euros"], "must": True, "tag": "x", "key": "b"}])
assert batch[0]["must_surface"] and batch[0]["tags"] == ["x"] and len(batch[0]["sources"]) == 2 and batch[0]["checked"] and not batch[0]["existing"], batch
wrong = {"content": "Keys rotate on day 9", "source": "keys.txt:1", "quote": "Keys rotate on day 9", "key": "c"}
assert [(p["checked"]["verdict"], p["existing"]) for p in lead.post_all([wrong])] == [("nearly", False)]
assert lead.post_all([wrong])[0]["existing"] is True
said, other = [], Board("trial", "other", notes=None)
told = Board("trial", "other", notes=said.append)
doubt = lead.post("Keys rotate on day 8", "keys.txt:1", "rotate on day 8")["checked"]["doubt"]
assert other.accept(doubt, "an old text")["worker"] == "other"
for about in lead.ask, told.ask:
    urgent = about("Who rotates them?", "high", key="urgent")
assert lead.wait(urgent["id"], "100ms") is None
answer = lead.call(["wait", urgent["id"]], {"timeout": "100ms"}, answers=(1,))
assert answer["error"]["code"] == "timeout" and answer["error"]["next"], answer
try:
    lead.call(["wait", urgent["id"], "--timeout", "100ms"])
    raise SystemExit("no error")
except BoardError as e:
    assert (e.code, e.exit_code) == ("timeout", 1) and e.next, vars(e)
assert lead.gate("100ms")["reasons"][0]["clear"]
entry = told.answer(urgent["id"], "A cron job does", must=False, key="done")
assert not entry["must_surface"] and lead.wait(urgent["id"])["addressed_by"] == entry["id"]
assert lead.reopen(urgent["id"], "which one?")["status"] == "open"
assert told.claim(urgent["id"])["claimed_by"] == "other" and told.release(urgent["id"])["claimed_by"] == ""
assert lead.link(entry["id"], addresses=urgent["id"])["addresses"] == [urgent["id"]]
assert lead.link(more["id"], supports=entry["id"])["supports"] == [entry["id"]]
assert lead.settle(more["id"], entry["id"], "both hold")["reason"] == "both hold"
assert lead.query("cron -rotates -r x") == [] and len(lead.query("cron -keys")) == 1
assert lead.add_sources("report.md")[0]["change"] == "added"
held = lead.verify(more["id"])
assert [i["verdict"] for i in held["items"]] == ["found"], held
pairs = lead.conflicts(limit=1)
assert pairs["compared"] > 3, pairs
said.clear()
told.done("raeder-9")
assert "raeder-9 was not expected" in "".join(said), said
memory = lead.memory.put("The vault is in Lisbon", tier="workspace", importance="high")
assert lead.memory.update(memory["id"], "The vault is in Porto", if_version=1)["revision"] == 2
assert [h["content"] for s in lead.memory.read("where is the vault") for h in s["hits"]] == ["The vault is in Porto"]
assert lead.memory.forget(memory["id"], why="sold")[0]["why"] == "sold" and lead.memory.read()[0]["hits"] == []
try:
    Board("trial", "lead", timeout=0.3).call(["wait"])
    raise SystemExit("no error")
except BoardError as e:
    assert (e.exit_code, e.code) == (124, "timeout"), vars(e)
print("fine")
`},
	{"javascript", "node", "board_client.mjs", "from-javascript", `
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { Board, BoardError } from "./board_client.mjs";
await writeFile("keys.txt", "Keys rotate on day 1 of each month.\n");
const lead = new Board("trial", "lead"), text = "-- $12 \u00e9\nsecond line";
const given = { expect: ["a", "b"], sources: ["keys.txt"] };
assert.equal((await lead.start("how keys rotate", given)).goal, "how keys rotate");
assert.equal((await lead.start("")).goal, "how keys rotate");
const question = await lead.ask("Who pays?", { priority: "low", key: "q" });
assert.equal((await lead.waive(question.id, "-- nobody asked")).status, "waived");
const flags = { key: "k", tag: ["x", "y"], must: true, confidence: 0.5, type: "gap" };
const first = await lead.post(text, flags);
assert.equal((await lead.post(text, flags)).id, first.id);
assert.deepEqual([first.content, first.tags, first.type], [text, ["x", "y"], "gap"]);
const two = await lead.postAll([{ content: "one", key: "1" }, { content: "two", supports: ["@1"] }]);
assert.deepEqual(two.map((e) => e.content), ["one", "two"]);
assert.equal(await lead.claim(), null);
assert.equal((await lead.questions({ status: "waived" }))[0].reason, "-- nobody asked");
assert.equal((await lead.gate("0s")).open, false);
assert.equal((await lead.expect(["c", "d"])).length, 2);
await lead.expect([], { drop: "a", reason: "not needed" });
await lead.done(["c", "d"]);
await new Board("trial", "b").done();
assert.equal((await lead.gate("9s")).open, true);
await assert.rejects(lead.show("e99"), (e) => {
  assert.ok(e instanceof BoardError && e.nextStep.includes("board query"), JSON.stringify(e));
  assert.deepEqual([e.exitCode, e.code], [5, "not_found"]);
  return true;
});
assert.deepEqual([await lead.get("phase"), await lead.get("phase", [1])], [null, [1]]);
assert.equal((await lead.set("phase", { a: "-" })).version, 1);
assert.deepEqual(await lead.get("phase"), { a: "-" });
await assert.rejects(lead.set("phase", 2, { ifMatch: 0 }), { exitCode: 6 });
assert.equal(await lead.brief("rotate the signing keys"), "");
const wrong = { source: "keys.txt:1", quote: "Keys rotate on day 2", key: "keys" };
const old = await lead.post("Keys rotate on day 2 of each month", wrong);
const key = await lead.correct(old.id, "Keys rotate on day 1 of each month", { quote: "Keys rotate on day 1" });
assert.equal(key.source_doc, "keys.txt");
assert.equal((await lead.query("rotate", { order: "best" }))[0].id, key.id);
assert.ok((await lead.promote(key.id, { kind: "fact" })).body.startsWith(key.content));
const learned = await lead.learn("LEARNING: the cron job that rotates the keys was deleted in March");
assert.deepEqual(learned.map((c) => c.refs), [["run:trial"]]);
assert.ok((await lead.brief("rotate the signing keys")).includes("was deleted in March"));
const known = await lead.remember("The vault keeps keys for 7 years", "vault: retention", { source: "keys.txt:1" });
assert.equal((await lead.search("how long does the vault keep keys"))[0].id, known.id);
assert.ok((await lead.digest({ budget: 4000 })).text.includes("Keys rotate on day 1"));
const written = await lead.export("digest.md");
assert.deepEqual([written.entries, written.signals], [5, 1]);
await writeFile("report.md", "Keys rotate on day 1 of each month. That costs 77 euros.\n");
const check = await lead.check("report.md");
assert.deepEqual([check.passed, check.steps.filter((s) => !s.passed).map((s) => s.name)], [false, ["survival"]]);
const facts = check.steps.find((s) => s.name === "trace").trace.facts;
assert.deepEqual(facts.filter((f) => f.verdict === "unsupported").map((f) => f.text), ["77 euros"]);
const doubted = await lead.post("Keys rotate on day 2", { source: "keys.txt:1", quote: "rotate on day 2" });
const held = [key, doubted].map((e) => [e.checked.doubted, e.existing, e.ran]);
assert.deepEqual(held, [[false, false, null], [true, false, null]]);
for (const again of [false, true]) {
  const flags = { quote: "rotate on day 1", key: "again" };
  assert.equal((await lead.correct(doubted.id, "Keys rotate on day 1", flags)).existing, again);
}
const { checked, ran } = await lead.post("The tests pass", { ran: "go test ./...", key: "ran" });
assert.deepEqual([checked, ran.command, ran.verdict], [null, "go test ./...", "unseen"]);
const done = await lead.done(["b"], { ran: ["go vet"] });
assert.deepEqual(done.map((w) => [w.worker, w.ran.map((r) => r.verdict)]), [["b", ["unseen"]]]);
await mkdir("sub");
await writeFile("sub/board.yaml", "trace: {max_unsupported: 0}\n");
const elsewhere = new Board("trial", "lead", { cwd: "sub" });
for (const c of [await elsewhere.check("../report.md"), await lead.check("report.md", { policy: "sub/board.yaml" })]) {
  assert.equal(c.steps.find((s) => s.name === "trace").passed, false);
}
const [cited] = await lead.postAll([{ content: "Keys rotate monthly", source: "keys.txt:1", quote: "each month" }]);
assert.deepEqual([cited.source_doc, cited.source_ref, cited.evidence], ["keys.txt", "1", "each month"]);
for (const [broken, words] of [["absent-board", "install board"], [{ cwd: "absent" }, "another cwd"]]) {
  await assert.rejects(new Board("a", "b", broken).gate(), (e) => {
    assert.ok(e instanceof BoardError && e.exitCode === 127 && e.nextStep.includes(words), String(e));
    return true;
  });
}
const sources = ["keys.txt:1", "report.md:1"];
const more = await lead.post("Keys rotate monthly on day 1", { source: sources, quote: ["Keys rotate", "77 euros"], must_surface: true, tags: ["x"] });
assert.deepEqual([more.sources.map((c) => c.evidence), more.must_surface, more.similar.length > 0], [["Keys rotate", "77 euros"], true, true]);
const [both] = await lead.postAll([{ content: "Keys rotate on each day 1", source: sources, quote: ["on day 1", "77 euros"], must: true, tag: "x", key: "b" }]);
assert.deepEqual([both.must_surface, both.tags, both.sources.length, both.checked !== null, both.existing], [true, ["x"], 2, true, false]);
const off = { content: "Keys rotate on day 9", source: "keys.txt:1", quote: "Keys rotate on day 9", key: "c" };
assert.deepEqual((await lead.postAll([off])).map((p) => [p.checked.verdict, p.existing]), [["nearly", false]]);
assert.equal((await lead.postAll([off]))[0].existing, true);
const said = [], told = new Board("trial", "other", { notes: (s) => said.push(s) });
const { doubt } = (await lead.post("Keys rotate on day 8", { source: "keys.txt:1", quote: "rotate on day 8" })).checked;
assert.equal((await new Board("trial", "other", { notes: null }).accept(doubt, "an old text")).worker, "other");
const urgent = await lead.ask("Who rotates them?", { priority: "high", key: "urgent" });
assert.equal(await lead.wait(urgent.id, "100ms"), null);
const late = await lead.call(["wait", urgent.id], { timeout: "100ms" }, "", [1]);
assert.deepEqual([late.error.code, late.error.next.length > 0], ["timeout", true]);
await assert.rejects(lead.call(["wait", urgent.id, "--timeout", "100ms"]), (e) => e.code === "timeout" && e.exitCode === 1 && e.next.length > 0);
assert.ok((await lead.gate("100ms")).reasons[0].clear);
const entry = await told.answer(urgent.id, "A cron job does", { must: false, key: "done" });
assert.deepEqual([entry.must_surface, (await lead.wait(urgent.id)).addressed_by], [false, entry.id]);
assert.equal((await lead.reopen(urgent.id, "which one?")).status, "open");
assert.equal((await told.claim(urgent.id)).claimed_by, "other");
assert.equal((await told.release(urgent.id)).claimed_by, "");
assert.deepEqual((await lead.link(entry.id, { addresses: urgent.id })).addresses, [urgent.id]);
assert.deepEqual((await lead.link(more.id, { supports: entry.id })).supports, [entry.id]);
assert.equal((await lead.settle(more.id, entry.id, "both hold")).reason, "both hold");
assert.deepEqual([(await lead.query("cron -rotates -r x")).length, (await lead.query("cron -keys")).length], [0, 1]);
assert.equal((await lead.addSources(["report.md"]))[0].change, "added");
assert.deepEqual((await lead.verify([more.id])).items.map((i) => i.verdict), ["found"]);
assert.ok((await lead.conflicts({ limit: 1 })).compared > 3);
said.length = 0;
await told.done(["raeder-9"]);
assert.ok(said.join("").includes("raeder-9 was not expected"), said.join(""));
const memory = await lead.memory.put("The vault is in Lisbon", { tier: "workspace", importance: "high" });
assert.equal((await lead.memory.update(memory.id, "The vault is in Porto", { ifVersion: 1 })).revision, 2);
const read = await lead.memory.read("where is the vault");
assert.deepEqual(read.flatMap((s) => s.hits.map((h) => h.content)), ["The vault is in Porto"]);
assert.equal((await lead.memory.forget(memory.id, { why: "sold" }))[0].why, "sold");
assert.deepEqual((await lead.memory.read())[0].hits, []);
await assert.rejects(lead.call(["wait"], {}, "", { timeout: 300 }), { exitCode: 124, code: "timeout" });
await assert.rejects(new Board("trial", "lead", { signal: AbortSignal.timeout(300) }).call(["wait"]), { name: "TimeoutError" });
if (process.features.require_module) {
  assert.equal(createRequire(import.meta.url)("./board_client.mjs").Board, Board);
}
console.log("fine");
`},
}

// TestClients runs the clients that `board help python` and `board help javascript` print: their
// examples, and what the examples leave out.
func TestClients(t *testing.T) {
	cost.SkipUnlessLong(t)
	t.Parallel()
	for _, c := range clientTests {
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
			b := expect.Value(board.Open(t.Context(), filepath.Join(home, "boards"), c.run))(t)
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

// openStill stands for board: whatever it waits for does not happen in time.
const openStill = `#!/bin/sh
echo "$@" >>"$0.called"
echo '{"v":1,"error":{"code":"timeout","message":"s1 is still open","try":"wait longer","next":[]}}' >&2
exit 1
`

// TestClientsRetry: a client calls again when others are writing, and only then: not when it has
// waited for as long as it was told to.
func TestClientsRetry(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("sh is not installed: retries are NOT tested here")
	}
	for _, c := range clientTests {
		t.Run(c.page, func(t *testing.T) {
			t.Parallel()
			program := interpreter(t, c.program)
			dir := t.TempDir()
			text, _ := helpPage(c.page)
			snippetFile(t, dir, c.file, text)
			fake := snippetFile(t, dir, "busy", busyOnce)
			test := map[string]string{
				"python":     "from board_client import Board\nprint(Board('retried', 'w', '" + fake + "').post('again', key='k')['id'])",
				"javascript": "import { Board } from './board_client.mjs';\nconsole.log((await new Board('retried', 'w', '" + fake + "').post('again', { key: 'k' })).id);",
			}[c.page]
			if out := snippetRun(t, dir, t.TempDir(), program, snippetFile(t, dir, "trial"+filepath.Ext(c.file), test)); !strings.HasSuffix(out, "e1\n") {
				t.Error(out)
			}
			fake = snippetFile(t, dir, "open", openStill)
			test = map[string]string{
				"python":     "from board_client import Board\nprint(Board('retried', 'w', '" + fake + "').wait('s1', '1s'))",
				"javascript": "import { Board } from './board_client.mjs';\nconsole.log(await new Board('retried', 'w', '" + fake + "').wait('s1', '1s'));",
			}[c.page]
			out := strings.ToLower(snippetRun(t, dir, t.TempDir(), program, snippetFile(t, dir, "open"+filepath.Ext(c.file), test)))
			if calls := readFile(t, fake+".called"); out != "none\n" && out != "null\n" || calls != "wait s1 --timeout=1s --json\n" {
				t.Errorf("after a wait the client prints %s and has called\n%s", out, calls)
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
		expect.OK(t, os.Symlink(filepath.Join(modules, "node_modules"), filepath.Join(dir, "node_modules")))
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
	_, codes, _ := strings.Cut(text, "worth another try if the error's code is ")
	codes, _, _ = strings.Cut(codes, ".")
	want := slices.DeleteFunc(strings.Fields(strings.ReplaceAll(codes, ",", "")),
		func(w string) bool { return w == "or" })
	if len(want) < 3 {
		t.Fatalf("the page names the codes %v alone", want)
	}
	for _, c := range clientTests {
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
