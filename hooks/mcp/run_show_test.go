package mcp

import (
	"strings"
	"testing"
)

// has looks for texts in what was answered.
func has(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%q is not in\n%s", w, got)
		}
	}
}

// TestNothingPostedYet: an agent that begins a run asks how it stands, and is told.
func TestNothingPostedYet(t *testing.T) {
	c := connect(t, everything(t, nil), nil)
	has(t, must(t, c, "board_state", `{}`), "Run r1: nothing posted yet", "board_post")
	has(t, must(t, c, "board_state", `{"run":"r1"}`), "nothing posted yet")
	refused(t, c, "board_state", `{"run":"r7"}`, "there is no run r7")
	refused(t, c, "board_gate", `{}`, "there is no run r1") // an absent gate is not an open one
	must(t, c, "board_signal", `{"content":"who?"}`)
	has(t, must(t, c, "board_state", `{}`), "questions  1: open 1 (medium 1)")
	none := connect(t, everything(t, func(c *Config) { c.NoCreate = true }), nil)
	refused(t, none, "board_state", `{}`, "there is no run r1")
}

// TestShow shows entries and signals with what is around them.
func TestShow(t *testing.T) {
	c := connect(t, everything(t, nil), nil)
	must(t, c, "board_post",
		`{"content":"Refunds took 4 days","source_doc":"report.md","worker":"ann"}`)
	must(t, c, "board_signal",
		`{"content":"Since when?","origin":"e1","priority":"high","worker":"ben"}`)
	must(t, c, "board_address", `{"signal":"s1","content":"Since May","worker":"ann"}`)
	must(t, c, "board_post", `{"content":"Refunds took 6 days","worker":"ben"}`)
	must(t, c, "board_link", `{"entry":"e3","contradicts":["e1"],"worker":"ben"}`)
	has(t, must(t, c, "board_show", `{"id":"e1"}`),
		"e1  observation, disputed", "by         ann", "  | Refunds took 4 days",
		"source     report.md", "contradicted by e3    Refunds took 6 days", "raised       s1",
		"history", "ann  post e1", "ben  dispute e1: by e3")
	has(t, must(t, c, "board_show", `{"id":"e3"}`), "→ contradicts  e1")
	has(t, must(t, c, "board_show", `{"id":"e2"}`), "e2  analysis, active", "by         ann",
		"  | Since May", "→ addresses    s1")
	has(t, must(t, c, "board_show", `{"id":"s1"}`), "s1  high, addressed", "by         ben",
		", from e1", "with e2 at", "answered by     e2    Since May", "  | Since when?")
	refused(t, c, "board_show", `{"id":"e9"}`, "there is no entry e9")
	refused(t, c, "board_show", `{"id":"x"}`, "try:")
	refused(t, c, "board_link", `{"entry":"e3","contradicts":["e1"]}`,
		"board_show (id: e3) shows its links")

	refused(t, c, "board_waive", `{"signal":"s1","reason":"x"}`,
		"board_show (id: s1) tells how; board_reopen (id: s1) opens it again")
	has(t, must(t, c, "board_reopen", `{"signal":"s1","note":"May of which year?"}`),
		"s1     high      open      Since when?  by ben from e1")
	has(t, must(t, c, "board_show", `{"id":"s1"}`), "reopen", "May of which year?")
	must(t, c, "board_address", `{"signal":"s1","content":"Since May 2025","worker":"ann"}`)
	has(t, must(t, c, "board_link", `{"entry":"e3","supersedes":["e4"]}`),
		"e3 observation, contradicts e1, supersedes e4", "Note: open again: s1",
		"board_answer (entry: e3, id: s1)")
	must(t, c, "board_signal", `{"content":"Who?","priority":"low"}`)
	must(t, c, "board_waive", `{"signal":"s2","reason":"no matter"}`)
	if text := must(t, c, "board_signals", `{"status":"waived"}`); !strings.Contains(text, "s2") ||
		strings.Contains(text, "s1") {
		t.Error(text)
	}
	has(t, must(t, c, "board_signals", `{}`), "s1     high      open", "s2     low       waived")
	has(t, must(t, c, "board_signals", `{"status":"addressed"}`), "no questions found")
	must(t, c, "board_claim", `{"signal":"s1","worker":"ann"}`)
	has(t, must(t, c, "board_signals", `{"free":true}`), "no questions found")
}

// TestDigest: the digest keeps to its budget, and says what it leaves out.
func TestDigest(t *testing.T) {
	c := connect(t, everything(t, nil), nil)
	must(t, c, "board_post", `{"content":"The job was deleted in March","must_surface":true}`)
	has(t, must(t, c, "board_digest", `{}`), "! e1", "The job was deleted in March")
	for range 40 {
		must(t, c, "board_post", `{"content":"`+strings.Repeat("Refunds wait for the nightly "+
			"batch. ", 20)+`"}`)
	}
	if d := structured(t, c, "board_digest", `{}`); d["tokens"].(float64) > digestTokens ||
		d["omitted"].(float64) == 0 {
		t.Error(d)
	}
	if d := structured(t, c, "board_digest", `{"max_tokens":400}`); d["tokens"].(float64) > 400 {
		t.Error(d)
	}
	has(t, must(t, c, "board_digest", `{"max_tokens":400}`), "The job was deleted in March",
		"Left out for room", "board_digest (max_tokens: ")
	must(t, c, "board_post", `{"content":"Tokens expire","tags":["keys"]}`)
	if text := must(t, c, "board_digest", `{"tag":"keys"}`); !strings.Contains(text, "Tokens expire") ||
		!strings.Contains(text, "Only the tag keys: 1 of them; of the others 1 must be") || strings.Contains(text,
		"Refunds") {
		t.Error(text)
	}
	has(t, must(t, c, "board_post", `{"content":"The job was deleted in May"}`), "similar: e1 by ", ": support it")
}

// TestDeleteVariable deletes one that nobody has changed.
func TestDeleteVariable(t *testing.T) {
	c := connect(t, everything(t, nil), nil)
	refused(t, c, "board_var_set", `{"key":"phase","delete":true}`, "there is no run r1")
	must(t, c, "board_var_set", `{"key":"phase","value":"draft"}`)
	must(t, c, "board_var_set", `{"key":"nothing","value":null}`)
	refused(t, c, "board_var_set", `{"key":"phase"}`, "value and delete")
	refused(t, c, "board_var_set", `{"key":"phase","value":1,"delete":true}`, "value and delete")
	refused(t, c, "board_var_set", `{"key":"phase","delete":true,"if_version":7}`, "version 1")
	has(t, must(t, c, "board_var_set", `{"key":"phase","delete":true,"if_version":1}`),
		`phase deleted; it was "draft"`)
	refused(t, c, "board_var_get", `{"key":"phase"}`, "there is no variable")
	refused(t, c, "board_var_set", `{"key":"phase","delete":true}`, "there is no variable")
}

// TestWaitBatch: a wait returns all that has happened, and where to go on; and waits for
// a run that is not there.
func TestWaitBatch(t *testing.T) {
	s := everything(t, nil)
	c := connect(t, s, nil)
	begun := calls(s)
	first := make(chan map[string]any)
	go func() {
		first <- structured(t, c, "board_wait", `{"for":"event","since":0,"timeout_seconds":300}`)
	}()
	if tool := <-begun; tool != "board_wait" {
		t.Fatal(tool)
	}
	must(t, c, "board_post", `{"content":"a"}`)
	if d := <-first; d["happened"] != true ||
		d["events"].([]any)[0].(map[string]any)["seq"] != 1.0 {
		t.Errorf("of a run that was not there: %v", d)
	}
	must(t, c, "board_post", `{"content":"b"}`)
	must(t, c, "board_post", `{"content":"c"}`)
	d := structured(t, c, "board_wait", `{"for":"event","since":1,"limit":2}`)
	if events := d["events"].([]any); len(events) != 2 || d["seq"] != 3.0 ||
		d["event"].(map[string]any)["seq"] != 2.0 {
		t.Errorf("two of three: %v", d)
	}
	has(t, must(t, c, "board_wait", `{"for":"event","since":2}`), "post e2",
		"post e3")
	if d := structured(t, c, "board_wait",
		`{"for":"signal","signal":"s1","run":"none","timeout_seconds":0.01}`); d["happened"] != false {
		t.Errorf("of a run that never comes: %v", d)
	}
}

// TestSearchNamesOtherProjects: what is another project's says so.
func TestSearchNamesOtherProjects(t *testing.T) {
	home := t.TempDir()
	shop := connect(t, everything(t, func(c *Config) { c.Home = home }), nil)
	must(t, shop, "kb_remember",
		`{"title":"Refunds need a key","body":"The gateway retries a refund twice."}`)
	if text := must(t, shop, "kb_search", `{"query":"refunds key"}`); strings.Contains(text,
		"another project") {
		t.Error(text)
	}
	other := connect(t, everything(t, func(c *Config) { c.Home = home }), nil)
	has(t, must(t, other, "kb_search", `{"query":"refunds key"}`), "from another project: ",
		"/project")
}
