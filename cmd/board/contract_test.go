package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/cmd/board/base"
	"blackboard/hooks/topics"
	"blackboard/testdata/expect"
)

// contractCommands are run in this order on one board, one knowledge base and one memory. Each
// line's JSON is held against testdata/json/<name>.txt; one without a name only prepares. $ID is
// the capsule that was remembered last, $MEM the item that was put last, $REF the conversation
// that was started last, $CHUNK the chunk that was written last, $HASH what the last dry run of a
// scrub said.
var contractCommands = []struct{ name, line string }{
	{"new", `new contract --goal "g"`},
	{"post", `post "one" --source-doc a.md --source-ref 1 --evidence q --confidence 0.5 --tags a --key k --must-surface`},
	{"post_batch", `post --batch batch.jsonl`},
	{"link", `link e2 --supports e1`},
	{"signal", `signal "q" -p high --origin e1 --key s`},
	{"claim", `claim s1`},
	{"", `post "The gateway closes idle connections after 30 seconds." --source-doc a.md`},
	{"", `post "The gateway closes idle connections after 60 seconds." --source-doc a.md`},
	{"", `post "The gateway closes idle connections after 90 seconds." --source-doc a.md`},
	{"gate", `gate --max-open 0 --max-disputed 0 --max-conflicts 0 --require-source`},
	{"conflicts", `conflicts --raise`},
	{"settle", `settle e4 e5 "other versions"`},
	{"address", `address s1 "answer"`},
	{"reopen", `reopen s1`},
	{"waive", `waive s1 --reason r`},
	{"expect", `expect w1 w2`},
	{"", `expect --drop w2 --reason late`},
	{"done", `done w1`},
	{"state_set", `state set phase 1`},
	{"state_get", `state get phase`},
	{"", `state set phase --unset`},
	{"show", `show`},
	{"show_entry", `show e1`},
	{"show_signal", `show s1`},
	{"query", `query`},
	{"signals", `signals`},
	{"survival", `survival report.md`},
	{"source_add", `source add report.md --text`},
	{"source_list", `source list`},
	{"", `source add batch.jsonl --text`},
	{"source_rm", `source rm batch.jsonl`},
	{"verify", `verify`},
	{"trace", `trace claims.md`},
	{"check", `check claims.md --sources report.md`},
	{"watch", `watch --since 0 --timeout 0s --limit 1`},
	{"wait", `wait --since 0`},
	{"replay", `replay --at 5`},
	{"digest", `digest`},
	{"export", `export`},
	{"export_file", `export -o digest.md`},
	{"import", `import export.jsonl -r copy`},
	{"correct", `correct e5 "corrected" --tag b`},
	{"runs", `runs`},
	{"rm", `rm copy --yes`},
	{"version", `version`},
	{"setup_list", `setup --list`},
	{"setup", `setup claude --mcp --dry-run`},
	{"error", `show e99`},
	{"", `kb remember "gate shut" --title "gate shut" --no-embed`},
	{"kb_reembed", `kb reembed`},
	{"kb_remember", `kb remember "rotate keys" --title "rotate keys" --tags a --domain d --source s --confidence 0.5 --verified-by v --ref r --project p --supersedes $ID`},
	{"kb_get", `kb get $ID`},
	{"kb_list", `kb list --limit 1`},
	{"kb_search", `kb search "rotate the token" --explain --workspace .`},
	{"kb_calibrate", `kb calibrate`},
	{"kb_edit", `kb edit $ID --title "rotate all keys" --why w`},
	{"kb_retire", `kb retire $ID --why w`},
	{"kb_history", `kb history $ID`},
	{"kb_revision", `kb history $ID --revision 1`},
	{"kb_restore", `kb restore $ID`},
	{"kb_ingest", `kb ingest doc.md`},
	{"kb_curate", `kb curate --dry-run`},
	{"kb_project", `kb project`},
	{"kb_doctor", `kb doctor`},
	{"kb_rebuild", `kb rebuild`},
	{"kb_learn", `kb learn learned.txt --dry-run`},
	{"kb_brief", `kb brief --role planner --task "rotate the keys"`},
	{"kb_promote", `kb promote e1`},
	{"kb_import", `kb import capsules.jsonl`},
	{"memory_channel_create", `memory channel create ops --description d`},
	{"memory_channel_describe", `memory channel describe ops "of operations"`},
	{"memory_channel_list", `memory channel list`},
	{"memory_conversation_start", `memory conversation start --channel ops --thread t`},
	{"memory_conversation_invite", `memory conversation invite $REF helper`},
	{"memory_conversation_list", `memory conversation list`},
	{"memory_scratch_write", `memory scratch write key 1 --conversation $REF`},
	{"memory_scratch_read", `memory scratch read key --conversation $REF`},
	{"memory_scratch_list", `memory scratch list --conversation $REF`},
	{"memory_scratch_clear", `memory scratch clear key --conversation $REF`},
	{"", `memory put "of the conversation" --tier conversation --conversation $REF`},
	{"memory_conversation_idle", `memory conversation idle $REF`},
	{"memory_conversation_archive", `memory conversation archive $REF`},
	{"memory_conversation_reopen", `memory conversation reopen $REF`},
	{"", `memory conversation archive $REF --force`},
	{"memory_conversation_show", `memory conversation show $REF`},
	{"", `memory channel create unused`},
	{"memory_channel_rm", `memory channel rm unused`},
	{"memory_journal", `memory journal "it went well"`},
	{"memory_journal_list", `memory journal`},
	{"memory_core", `memory core "reads first"`},
	{"memory_core_list", `memory core`},
	{"memory_context", `memory context`},
	{"memory_named_edit", `memory named edit VOICE short`},
	{"", `memory named edit VOICE shorter`},
	{"memory_named_list", `memory named list`},
	{"memory_named_show", `memory named show VOICE`},
	{"", `memory put "rotate the token" --no-embed`},
	{"", `memory put "rotate the other token" --ttl 1d --no-embed`},
	{"memory_put", `memory put "rotate keys" --title t --tags a --source s --importance high --ttl 7d --derived-from kb:$ID --private --conversation $REF`},
	{"memory_read", `memory read "rotate the token" --tier workspace --min-importance low`},
	{"memory_list", `memory list --limit 1`},
	{"memory_update", `memory update $MEM "rotate all keys" --why w`},
	{"memory_get", `memory get $MEM`},
	{"memory_orient", `memory orient "rotate the token"`},
	{"memory_consolidate_plan", `memory consolidate --plan`},
	{"memory_consolidate_dry_run", `memory consolidate --dry-run`},
	{"memory_consolidate", `memory consolidate`},
	{"memory_forget", `memory forget $MEM --why w`},
	{"memory_restore", `memory restore $MEM`},
	{"", `memory restore $MEM --revision 1`},
	{"", `memory forget $MEM --why w`},
	{"memory_workspaces", `memory workspaces`},
	{"memory_export", `memory export memory.json --forgotten`},
	{"memory_import", `memory import refused.json --dry-run`},
	{"memory_scrub", `memory scrub workspace`},
	{"memory_scrub_execute", `memory scrub workspace --confirm $HASH`},
	{"memory_scrub_all", `memory scrub workspace --mode all --author --reason r`},
	{"memory_events", `memory events`},
	{"memory_named_rm", `memory named rm VOICE`},
	{"context_write", `context write content --topic topic --tags a --ttl-days 30`},
	{"context_search", `context search topic`},
	{"context_read", `context read $CHUNK`},
	{"context_list", `context list`},
	{"context_set", `context set key 1`},
	{"context_get", `context get key`},
	{"context_import", `context import`},
	{"context_delete", `context delete $CHUNK`},
	{"topic_use", `topic use auth --goal g`},
	{"topic_note", `topic note "a note"`},
	{"topic_edit", `topic edit --file doc.md`},
	{"topic_status", `topic status`},
	{"topic_show", `topic show`},
	{"topic_show_injected", `topic show --injected`},
	{"topic_list", `topic list`},
	{"topic_archive", `topic archive`},
	{"topic_list_archived", `topic list --archived`},
	{"topic_wipe", `topic wipe --yes`},
	{"topic_restore", `topic restore auth`},
	{"topic_use_none", `topic use --none`},
	{"backup", `backup the-copy`},
	{"doctor", `doctor`},
	{"doctor_repair", `doctor --repair --yes`},
}

// contract is a data home and a working directory for contractCommands.
type contract struct {
	t     *testing.T
	dir   string
	env   map[string]string
	named []string // what the lines' placeholders stand for

	answered func(pairs []any) // as in program
}

func newContract(t *testing.T) *contract {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	c := &contract{t: t, dir: dir}
	expect.OK(t, os.MkdirAll(filepath.Join("store", "chunks"), 0o700))
	c.write("batch.jsonl", `{"content":"two","type":"contradiction","contradicts":["e1"]}`)
	c.write("report.md", "nothing of it")
	c.write("claims.md", "The value was $12 in the year 2019.")
	c.write("doc.md", "# Doc\n\nof gates")
	c.write("learned.txt", "LEARNING: The gate stays shut while a critical question is open.\nLEARNING: too short\nSo much for LEARNING: lines.")
	c.write("capsules.jsonl", `{"v":1,"schema":"blackboard.capsules"}`+"\n"+`{"kind":"fact","scope":"universal","title":"imported","body":"text of it"}`+"\nno")
	c.write("store/chunks/refused.md", "---\nno end")
	c.write("refused.json", `{"schema_version":1,"items":[{}]}`)
	c.env = map[string]string{"BOARD_HOME": filepath.Join(dir, "home"), "BOARD_RUN": "contract", "BOARD_WORKER": "w", "BOARD_MODEL_DIR": tinyModel(t), "BOARD_DAEMON": "off", "HOME": filepath.Join(dir, "person"), "BOARD_MEMORY_GRANTS": "named,scrub",
		"BOARD_SPEC_ROOT": filepath.Join(dir, "specs"), "AGENT_STORE_PATH": filepath.Join(dir, "store")}
	contractWorklog(t, c.env)
	contractLeftover(t, c.env["BOARD_HOME"])
	return c
}

func (c *contract) write(name, text string) {
	c.t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// run runs a line of contractCommands and returns its JSON.
func (c *contract) run(name, line string) (answer []byte) {
	t := c.t
	t.Helper()
	var out, errs bytes.Buffer
	env := c.env
	if name == "memory_read" || name == "memory_orient" { // with a model nothing would be degraded
		env = maps.Clone(env)
		env["BOARD_MODEL_DIR"] = filepath.Join(c.dir, "none")
	}
	p := &program{&base.Program{Env: func(k string) string { return env[k] }, In: strings.NewReader(""), Out: &base.CheckedWriter{W: &out}, Err: &errs, Answered: c.answered}}
	code := p.main(context.Background(), append(splitWords(strings.NewReplacer(c.named...).Replace(line)), "--json"))
	answer = out.Bytes()
	switch {
	case name == "error":
		answer = errs.Bytes()
	case code != base.ExitOK && code != base.ExitGate && code != base.ExitSurvival && !slices.Contains([]string{"kb_import", "memory_import"}, name): // these refuse a part
		t.Fatalf("board %s: exit %d: %s%s", line, code, &out, &errs)
	}
	if name == "export" {
		c.write("export.jsonl", out.String())
	}
	var made struct {
		Capsule, Item, Chunk struct{ ID string }
		Conversation         struct {
			Ref string `json:"ref_code"`
		}
		Manifest struct{ Hash string }
	}
	json.Unmarshal(answer, &made) // what has none of these makes none
	for _, m := range []struct{ by, name, value string }{{"kb remember", "$ID", made.Capsule.ID}, {"memory put", "$MEM", made.Item.ID}, {"memory conversation start", "$REF", made.Conversation.Ref},
		{"memory scrub", "$HASH", made.Manifest.Hash}, {"context write", "$CHUNK", made.Chunk.ID}} {
		if strings.HasPrefix(line, m.by) {
			if m.value == "" {
				t.Fatalf("board %s: there is nothing for %s in %s", line, m.name, answer)
			}
			c.named = append([]string{m.name, m.value}, c.named...) // the first one counts
		}
	}
	return answer
}

// contractAnswer is what a line of contractCommands printed, and the values that it printed.
type contractAnswer struct {
	name, line string
	answer     []byte
	values     [][]any
}

var contractRun []contractAnswer

// contractAnswers runs contractCommands, once for all tests.
func contractAnswers(t *testing.T) []contractAnswer {
	t.Helper()
	if contractRun != nil {
		return contractRun
	}
	run, all := newContract(t), []contractAnswer(nil)
	for _, c := range contractCommands {
		one := contractAnswer{name: c.name, line: c.line}
		run.answered = func(pairs []any) { one.values = append(one.values, pairs) }
		one.answer = run.run(c.name, c.line)
		all = append(all, one)
	}
	contractRun = all
	return all
}

// TestJSONContract: fields are only added. Each golden file lists the paths and types of one
// answer; all of them must still be there. -update adds what is new.
func TestJSONContract(t *testing.T) {
	goldens := filepath.Join(repo(t), "testdata", "json")
	for _, c := range contractAnswers(t) {
		if c.name == "" {
			continue
		}
		have := map[string]string{}
		for _, line := range bytes.Split(bytes.TrimSpace(c.answer), []byte("\n")) {
			var v any
			if err := json.Unmarshal(line, &v); err != nil {
				t.Fatalf("board %s: %v: %s", c.line, err, line)
			}
			if v.(map[string]any)["v"] != float64(1) {
				t.Errorf("board %s: the answer has no \"v\":1: %s", c.line, line)
			}
			shape("", v, have)
		}
		golden := filepath.Join(goldens, c.name+".txt")
		old, err := os.ReadFile(golden)
		if err != nil && !*updateGolden {
			t.Fatal(err)
		}
		for _, line := range strings.Fields(string(old)) {
			path, kind, _ := strings.Cut(line, "=")
			if now, ok := have[path]; !ok || now != kind && kind != "null" && now != "null" {
				t.Errorf("board %s: the contract has %s, the answer %q", c.line, line, now)
			}
		}
		if *updateGolden {
			var lines []string
			for path, kind := range have {
				lines = append(lines, path+"="+kind)
			}
			slices.Sort(lines)
			expect.OK(t, os.WriteFile(golden, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
		}
	}
}

// contractLeftover gives the data home a file that nobody will finish, for the doctor to repair.
func contractLeftover(t *testing.T, home string) {
	t.Helper()
	expect.OK(t, os.MkdirAll(home, 0o700))
	name, then := filepath.Join(home, ".setup.json.new-1"), time.Now().Add(-time.Hour)
	expect.OK(t, os.WriteFile(name, nil, 0o600))
	expect.OK(t, os.Chtimes(name, then, then))
}

// contractWorklog gives the working directory a topic with an entry that has all fields, and one
// that is old enough to be archived.
func contractWorklog(t *testing.T, env map[string]string) {
	t.Helper()
	root := expect.Value(topics.Root(func(k string) string { return env[k] }))(t)
	place := expect.Value(topics.Find("", env["HOME"]))(t)
	h := expect.Value(topics.Open(root, place.Workspace, topics.Options{}))(t)
	exit, ok, took := 1, false, int64(5)
	expect.Value(h.Record(t.Context(), "auth", topics.Entry{Session: "s", ID: "i", Event: "e", Tool: "t", Command: "c", Path: "p", Summary: "s", Error: "e", ExitCode: &exit, OK: &ok, DurationMS: &took}))(t)
	expect.Value(h.Note(t.Context(), "old", "long ago"))(t)
	then := time.Now().Add(-365 * 24 * time.Hour)
	expect.OK(t, os.Chtimes(h.SpecPath("old"), then, then))
}

// repo is the root of the project.
func repo(t *testing.T) string {
	t.Helper()
	if root := os.Getenv("BOARD_TEST_REPO"); root != "" {
		return root
	}
	t.Fatal("BOARD_TEST_REPO is not set: TestMain does that")
	return ""
}

// shape collects the path and the JSON type of every value. Lists are never null.
func shape(path string, v any, into map[string]string) {
	kind := ""
	switch v := v.(type) {
	case map[string]any:
		kind = "object"
		for k, e := range v {
			// What is keyed by the user's own words, or is an open payload, has no fixed fields
			// below.
			if strings.HasSuffix(path, "payload") || strings.HasSuffix(path, ".data") || strings.HasSuffix(path, ".agents") {
				continue
			}
			shape(strings.TrimPrefix(path+"."+k, "."), e, into)
		}
	case []any:
		kind = "list"
		for _, e := range v {
			shape(path+"[]", e, into)
		}
	case string:
		kind = "string"
	case float64:
		kind = "number"
	case bool:
		kind = "bool"
	case nil:
		kind = "null"
	default:
		kind = fmt.Sprintf("%T", v)
	}
	if path != "" && (into[path] == "" || into[path] == "null") {
		into[path] = kind
	}
}
