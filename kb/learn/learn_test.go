package learn

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/hooks/harness"
	"blackboard/kb"
	"blackboard/testdata/cost"
)

func learnings(tb testing.TB, text, role string) Set {
	tb.Helper()
	set, err := Read(strings.NewReader(text), role, harness.Said)
	if err != nil {
		tb.Fatalf("%.80q: %v", text, err)
	}
	return set
}

// refused checks an error's kind and that it says what to do next.
func refused(tb testing.TB, err error, kind error, words string) {
	tb.Helper()
	if !errors.Is(err, kind) || len(fault.Next(err)) == 0 ||
		!strings.Contains(err.Error(), words) {
		tb.Fatalf("the error is %v, not %v about %q with a next step", err, kind, words)
	}
}

// TestLearningForms: the forms agents write mean the same.
func TestLearningForms(t *testing.T) {
	const said = "the cache must be cleared before the second run"
	for _, line := range []string{
		"LEARNING (gotcha): " + said, "LEARNING[gotcha]: " + said, "LEARNING [gotcha]: " + said,
		"LEARNING gotcha: " + said, "LEARNING: gotcha: " + said,
		"LEARNING: [gotcha] " + said, "LEARNING: (gotcha) " + said, "- LEARNING (gotcha): " + said,
		"* LEARNING (pitfall): " + said, "1. LEARNING (bug): " + said,
		"**LEARNING (gotcha):** " + said, "**LEARNING (gotcha)**: " + said,
		"**LEARNING: gotcha: " + said + "**", "  • LEARNING warning: " + said,
		"### LEARNING 3 (gotcha): " + said,
		"LEARNING(GOTCHA):" + said, "● LEARNING: Gotcha: " + said,
		"\x1b[1mLEARNING\x1b[0m (gotcha): " + said, "LEARNING (gotcha): " + said + "\r",
		"LEARNING: **gotcha**: " + said,
		"LEARNING: gotcha：" + " " + said,
		"LEARNING (gotcha): the cache must be cleared\n    before the second run",
		"LEARNING (gotcha): the cache must be \\\ncleared before the second run",
		"\ufeffLEARNING (gotcha): " + said + " (confidence: 0.9)",
	} {
		set := learnings(t, "Some prose.\n"+line+"\nMore prose.\n", "planner")
		if strings.HasPrefix(line, "\ufeff") {
			set = learnings(t, line, "planner")
		}
		if len(set.Learnings) != 1 || len(set.Refused) > 0 || set.Format != "text" {
			t.Errorf("%q: %+v", line, set)
			continue
		}
		if c := set.Learnings[0].Capsule; c.Kind != "gotcha" || c.Title != said ||
			c.Body != said || c.Scope != "" {
			t.Errorf("%q: %+v", line, c)
		}
	}
}

// TestNoLearning: what only looks like a learning is refused with the reason, or is
// nothing at all.
func TestNoLearning(t *testing.T) {
	for _, c := range []struct{ text, why string }{
		{"LEARNINGS:\n\na heading alone is not one of them", "below a heading"},
		{"epochs: 3\nlearning: supervised, one epoch over the corpus", "settings"},
		{"we are LEARNING all the time, and then some", ""},
		{"LEARNING: too short", "too short"},
		{"LEARNING:", ""},
		{"LEARNING: <text>", "placeholder"},
		{"LEARNING: …", "placeholder"},
		{"LEARNING: ...", "placeholder"},
		{"LEARNING: {{what you learned}}", "placeholder"},
		{"LEARNING (<kind>): one fact that others can use", "placeholder"},
		{"LEARNING (gotcha|fact|recipe): one sentence that others need", "placeholder"},
		{"LEARNING: <kind>: <what was learned> (source: <file:line>)", "placeholder"},
		{"LEARNING: lines like these are collected when you finish", "talk about"},
		{"At the end emit LEARNING: lines like the ones of the last run.", "begin the line"},
		{"> LEARNING: the prompt of the user is quoted here", "quoted"},
		{`"LEARNING: a quoted line is what somebody else has said"`, "a quote"},
		{"`LEARNING: in backticks it is not meant either`", "a quote"},
		{"```\nLEARNING: in a code block nothing is meant\n```",
			"code block that begins at line 1"},
		{"~~~text\nLEARNING: in a code block nothing is meant\n```\n~~~", "code block"},
		{"Write them in this form:\n\nLEARNING: the thing that you have learned", "the format"},
		{"Example:\nLEARNING: the thing that you have learned", "the format"},
		{"LEARNING (banana): a kind that nobody has ever heard of", "choose one of fact, gotcha"},
		{"LEARNING: a good one, but not so sure (confidence: 7)", "not between 0 and 1"},
		{"LEARNING: not \xff\xfe valid at all in any way", "UTF-8"},
		{"LEARNING: it has \x00 one in the middle of it", "NUL"},
	} {
		set := learnings(t, c.text, "")
		left := slices.Concat(set.Refused, set.Unsure)
		if len(set.Learnings) > 0 || len(left) > 1 || (c.why == "") != (len(left) == 0) ||
			c.why != "" && !strings.Contains(left[0].Why, c.why) {
			t.Errorf("%q: %+v", c.text, set)
		}
	}
}

func TestLearningMetadata(t *testing.T) {
	for _, c := range []struct {
		text, body, source, confidence, tags, domain string
	}{
		{"Tokens expire after an hour (source: auth.go:42)", "Tokens expire after an hour",
			"auth.go:42", "", "", ""},
		{"Tokens expire after an hour. (source: auth.go:42, confidence: 0.9)",
			"Tokens expire after an hour.", "auth.go:42", "0.9", "", ""},
		{"Tokens expire after an hour (source: auth.go:42) (confidence: 90%) [tags: auth, tokens]",
			"Tokens expire after an hour", "auth.go:42", "0.9", "auth,tokens", ""},
		{"Tokens expire after an hour (source=auth.go:42 confidence=0.9 tags=auth,#tokens domain=security)", "Tokens expire after an hour", "auth.go:42", "0.9", "auth,tokens", "security"},
		{"Tokens expire (after an hour)", "Tokens expire (after an hour)", "", "", "", ""},
		{"Always look at the source: it tells more than the manual",
			"Always look at the source: it tells more than the manual", "", "", "", ""},
		{"Tokens expire after an hour (confidence: high)",
			"Tokens expire after an hour (confidence: high)", "", "", "", ""},
		{"Use https://example.com/a?source=b to see it",
			"Use https://example.com/a?source=b to see it", "", "", "", ""},
		{"Set x=1 before the source is built (see a.go)",
			"Set x=1 before the source is built (see a.go)", "", "", "", ""},
	} {
		set := learnings(t, "LEARNING: "+c.text, "")
		if len(set.Learnings) != 1 {
			t.Errorf("%q: %+v", c.text, set)
			continue
		}
		got := set.Learnings[0].Capsule
		confidence := ""
		if got.Confidence != nil {
			confidence = fmt.Sprint(*got.Confidence)
		}
		if got.Body != c.body || got.Source != c.source || confidence != c.confidence ||
			strings.Join(got.Tags, ",") != c.tags ||
			strings.Join(got.DomainTags, ",") != c.domain {
			t.Errorf("%q: %q, source %q, confidence %s, tags %v, domain %v", c.text, got.Body,
				got.Source, confidence, got.Tags, got.DomainTags)
		}
	}
}

func TestLearningKinds(t *testing.T) {
	for _, c := range []struct{ line, role, kind, tags string }{
		{"LEARNING: the cache is warm after that", "", "fact", ""},
		{"LEARNING: the cache is warm after that", "planner", "principle", ""},
		{"LEARNING: the cache is warm after that", "reviewer", "gotcha", ""},
		{"LEARNING: the cache is warm after that", "re-reviewer", "gotcha", ""},
		{"LEARNING: the cache is warm after that", "executor", "fact", ""},
		{"LEARNING: Run make twice after a rename", "executor", "recipe", ""},
		{"LEARNING: Run make twice after a rename", "reflector", "fact", ""},
		{"LEARNING (decision): we keep one file per run", "", "principle", "decision"},
		{"LEARNING (Anti-Pattern): we keep one file per run", "", "anti_pattern", ""},
		{"LEARNING anti pattern: we keep one file per run", "", "anti_pattern", ""},
		{"LEARNING (howto, tmux, panes): we keep one file per run", "planner",
			"recipe", "tmux,panes"},
		{"LEARNING: tmux: panes are numbered from one here", "", "fact", ""},
	} {
		set := learnings(t, c.line, c.role)
		if len(set.Learnings) != 1 || set.Learnings[0].Capsule.Kind != c.kind ||
			strings.Join(set.Learnings[0].Capsule.Tags, ",") != c.tags {
			t.Errorf("%q as %s: %+v", c.line, c.role, set)
		}
	}
	_, err := Read(strings.NewReader(""), "plumber", harness.Said)
	refused(t, err, fault.Invalid, "plumber")
	for _, role := range kb.Roles {
		for _, k := range kb.RoleKinds(role) {
			if !slices.Contains(kb.Kinds, k) {
				t.Errorf("%s reads the kind %s, which is none", role, k)
			}
		}
	}
	if kb.RoleKinds("planner") != nil || kb.RoleKinds("reflector") != nil ||
		len(kb.RoleKinds("reviewer")) != 2 {
		t.Error("RoleKinds")
	}
}

// TestLearningTranscript: where things begin and end in a longer text, and what is
// there twice.
func TestLearningTranscript(t *testing.T) {
	set := learnings(t, `Done. What I learned:

- LEARNING: The first one goes on
  in an indented line, with a list:
  - one thing
  - another thing
- LEARNING: The second one begins here at once
  LEARNING: A third one that is indented

  This is prose again.
LEARNING: the   first one goes ON in an indented line, with a list: - one thing - another thing

`+"```sh\nmake\n```"+`
LEARNING: A fourth one comes after the block
`, "")
	if own := learnings(t,
		"Here are my learnings, written in the format you asked for:\nLEARNING: this one is meant as it stands\nLEARNING: and so is this one here", ""); len(own.Learnings) != 2 {
		t.Errorf("%+v", own)
	}
	var got []string
	for _, l := range set.Learnings {
		got = append(got, l.From+": "+l.Capsule.Body)
	}
	want := []string{
		"line 3: The first one goes on in an indented line, with a list:\n- one thing\n- another thing",
		"line 7: The second one begins here at once", "line 8: A third one that is indented",
		"line 16: A fourth one comes after the block",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
	if len(set.Refused)+len(set.Unsure) > 0 || set.Again != 1 || set.Lines != 16 {
		t.Errorf("%+v of %d lines", set, set.Lines)
	}
}

func TestLearningTitle(t *testing.T) {
	long := strings.Repeat("word ", 60)
	for _, c := range []struct{ text, title string }{
		{"One sentence that is whole.", "One sentence that is whole"},
		{"The first sentence has words. The second has more.", "The first sentence has words"},
		{"Careful. The store is shared by all. Really.", "Careful. The store is shared by all"},
		{"It needs v1.2 of the tool, e.g. The Tool, to work. Else not.",
			"It needs v1.2 of the tool, e.g. The Tool, to work"},
		{"設定ファイルは起動時に読み込まれる。再起動が必要である。", "設定ファイルは起動時に読み込まれる"},
		{long, strings.TrimSpace(strings.Repeat("word ", 31)) + "…"},
		{"The client retries POST requests by itself when the connection is reset, so handlers must be idempotent or they pay twice.",
			"The client retries POST requests by itself when the connection is reset, so handlers must be idempotent or they pay twice"},
		{"The importer holds the lock for the whole time while it reads a file of more than 2 GB, and every other worker waits for it, even those that only want to read the file's name",
			"The importer holds the lock for the whole time while it reads a file of more than 2 GB, and every other worker waits for it…"},
		{"a\tb\nc  d", "a b c d"},
	} {
		if got := TitleOf(c.text); got != c.title {
			t.Errorf("%q: %q, not %q", c.text, got, c.title)
		}
	}
	for _, s := range []string{strings.Repeat("漢", 400), strings.Repeat("😀", 400),
		strings.Repeat("x", 400), long} {
		if got := TitleOf(s); len(got) > kb.MaxTitle || utf8.RuneCountInString(got) > learnTitle ||
			!utf8.ValidString(got) {
			t.Errorf("%d bytes, %d characters: %q", len(got), utf8.RuneCountInString(got), got)
		}
	}
}

// TestLearningHarnesses: of the transcripts of harnesses only what the assistant says
// counts.
func TestLearningHarnesses(t *testing.T) {
	const said, other = `LEARNING: what the assistant says is taken`,
		`LEARNING: what anybody else says is not taken`
	for name, lines := range map[string][]string{
		"Claude Code": {
			`{"type":"user","message":{"role":"user","content":"` + other + `"},"uuid":"1"}`,
			`{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"thinking","thinking":"` + other + `"},{"type":"text","text":"Done.\n` + said + `"},{"type":"tool_use","name":"Bash","input":{"command":"` + other + `"}}]}}`,
			`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","content":"` + other + `"},{"type":"text","text":"` + other + `"}]},"toolUseResult":{"stdout":"` + other + `"}}`,
			`{"type":"summary","summary":"` + other + `"}`,
			`{"type":"result","result":"` + said + `"}`,
		},
		"Codex": {
			`{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"1","instructions":"` + other + `"}}`,
			`{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"` + other + `"}]}}`,
			`{"type":"response_item","payload":{"type":"reasoning","summary":[{"type":"summary_text","text":"` + other + `"}]}}`,
			`{"type":"response_item","payload":{"type":"function_call_output","output":"` +
				other + `"}}`,
			`{"type":"event_msg","payload":{"type":"agent_message","message":"` + said + `"}}`,
			`{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + said + `"}]}}`,
		},
		"Codex exec": {
			`{"type":"thread.started","thread_id":"1"}`,
			`{"type":"item.completed","item":{"id":"i","type":"reasoning","text":"` +
				other + `"}}`,
			`{"type":"item.completed","item":{"id":"i","type":"command_execution","aggregated_output":"` + other + `"}}`,
			`{"type":"item.completed","item":{"id":"j","type":"agent_message","text":"` +
				said + `"}}`,
		},
		"Gemini": {
			`{"id":"1","type":"user","content":[{"text":"` + other + `"}]}`,
			`{"id":"2","type":"gemini","content":"` + said + `","thoughts":[{"description":"` +
				other + `"}],"toolCalls":[{"result":"` + other + `"}]}`,
		},
		"Gemini API": {
			`{"role":"user","parts":[{"text":"` + other + `"}]}`,
			`{"role":"model","parts":[{"text":"` + other + `","thought":true},{"text":"` +
				said + `"},{"functionCall":{"args":{"x":"` + other + `"}}}]}`,
		},
		"Cursor": {
			`{"role":"user","message":{"content":[{"type":"text","text":"` + other + `"}]}}`,
			`{"role":"assistant","message":{"content":[{"type":"text","text":"` + said +
				`"}]}}`,
		},
		"pi": {
			`{"type":"session","id":"1"}`,
			`{"type":"message","message":{"role":"toolResult","content":[{"type":"text","text":"` +
				other + `"}]}}`,
			`{"type":"message","message":{"role":"assistant","content":[{"type":"thinking","thinking":"` + other + `"},{"type":"text","text":"` + said + `"}]}}`,
		},
		"generic": {
			`{"role":"system","content":"` + other + `"}`, `{"role":"tool","content":"` + other +
				`"}`, `{"role":"assistant","content":"` + said + `"}`, `{"role":7,"content":"` +
				other + `"}`, `[1]`, `null`,
		},
		"hooks": {`{"hook_event_name":"UserPromptSubmit","prompt":"` + other + `"}`,
			`{"hook_event_name":"Stop","last_assistant_message":"` + said + `"}`},
	} {
		text := strings.Join(lines, "\n")
		set := learnings(t, text, "")
		if len(set.Learnings) != 1 ||
			set.Learnings[0].Capsule.Title != "what the assistant says is taken" ||
			len(set.Refused) > 0 || set.Format != "jsonl" || set.Lines != len(lines) {
			t.Errorf("%s: %+v", name, set)
		}
	}
	set := learnings(t, `{"role":"assistant","content":"hello"}`+"\nLEARNING: who has said this line at all\n"+`{"role":"user","content":"hello"}`, "")
	if len(set.Learnings) > 0 || len(set.Refused) != 1 ||
		!strings.Contains(set.Refused[0].Why, "speaker is unknown") {
		t.Errorf("%+v", set)
	}
	set = learnings(t, `{"info":{"id":"1"},"messages":[{"info":{"role":"user"},"parts":[{"type":"text","text":"`+other+`"}]},
		{"info":{"role":"assistant"},"parts":[{"type":"reasoning","text":"`+other+`"},{"type":"text","text":"`+said+`"}]}]}`, "")
	if len(set.Learnings) != 1 || set.Format != "json" || set.Learnings[0].From != "item 2" {
		t.Errorf("opencode: %+v", set)
	}
}

// TestReflector: a list of capsules, however it is wrapped.
func TestReflector(t *testing.T) {
	const item = `{"kind":"pitfall","title":"Caches outlive runs","body":"Clear the cache before a second run.","tags":["cache"],"domain_tags":"build, ci","source":"Makefile:3","confidence":"0.8",
		"verified_by":"make test","scope":"project","refs":["run 7"],"supersedes":["k0123456ab"],"surplus":{}}`
	inTurn, _ := json.Marshal(map[string]any{"role": "assistant",
		"content": "Here:\n```json\n[" + item + "]\n```\n"})
	for _, c := range []struct{ text, from string }{
		{"[" + item + "]", "item 1"}, {`{"capsules":[` + item + `]}`, "item 1"},
		{"{\"learnings\":[\n" + item + "]}", "item 1"}, {item, "item 1"},
		{"Here they are:\n\n```json\n[" + item + "]\n```\nThat is all.", "line 3, item 1"},
		{"Here they are:\n```\n{\"capsules\":[" + item + "]}\n```", "line 2, item 1"},
		{"Here they are:\n[" + item + "]\nThat is all.", "item 1"},
		{string(inTurn), "line 1, item 1"}, {"```json\n[" + item + "]", "line 1, item 1"},
		{strings.Join(strings.Fields(item), " ") + "\n", "line 1, item 1"},
	} {
		set := learnings(t, c.text, "reflector")
		if len(set.Learnings) != 1 || len(set.Refused) > 0 || set.Learnings[0].From != c.from {
			t.Errorf("%.60q: %+v", c.text, set)
			continue
		}
		got := set.Learnings[0].Capsule
		if got.Kind != "gotcha" || got.Title != "Caches outlive runs" ||
			got.Source != "Makefile:3" || *got.Confidence != 0.8 ||
			got.VerifiedBy != "make test" || got.Scope != "project" ||
			!slices.Equal(got.DomainTags, []string{"build", "ci"}) ||
			!slices.Equal(got.Tags, []string{"cache"}) ||
			!slices.Equal(got.Refs, []string{"run 7"}) || len(got.Supersedes) != 1 {
			t.Errorf("%.60q: %+v", c.text, got)
		}
	}
	for _, c := range []struct{ item, why string }{
		{`{"kind":"banana","body":"a body that is long enough"}`, "choose one of fact"},
		{`{"title":"short","body":"too short"}`, "too short"},
		{`"just a text"`, "not an object"}, {`null`, "not an object"},
		{`{"title":"t","body":"a body that is long enough","confidence":3}`, "between 0 and 1"},
		{`{"title":"t","body":["a body"]}`, `"body" has the wrong type`},
		{`{"title":"t","body":"a body that is long enough","scope":"galaxy"}`, `scope "galaxy"`},
		{`{"title":"t","body":"a body that is long enough","supersedes":["x"]}`,
			"is not a capsule id"},
		{`{"title":"t","body":"<one or two sentences>"}`, "placeholder"},
		{`{"title":"t","body":"a body that is long enough","tags":[1]}`, `"tags"`},
		{`{"title":"t","body":"a body that is long enough","confidence":"sure"}`, `"confidence"`},
	} {
		set := learnings(t, "[\n"+c.item+"]", "reflector")
		left := slices.Concat(set.Refused, set.Unsure)
		if len(set.Learnings) > 0 || len(left) != 1 || left[0].From != "item 1" ||
			!strings.Contains(left[0].Why, c.why) {
			t.Errorf("%s: %+v", c.item, set)
		}
	}
	if set := learnings(t,
		`[{"title":"t","body":"a body that is long enough","scope":"workspace"},{"body":"Only a body. It has two sentences."}]`, "reflector"); len(set.Learnings) != 2 ||
		set.Learnings[0].Capsule.Scope != "" ||
		set.Learnings[1].Capsule.Title != "Only a body. It has two sentences" ||
		set.Learnings[1].Capsule.Kind != "fact" {
		t.Errorf("%+v", set)
	}
	for _, none := range []string{"", "\n\n", "[]", `{"capsules":[]}`, "just prose, no more",
		"[INFO] a log line\n[WARN] another"} {
		if set := learnings(t, none, ""); len(set.Learnings)+len(set.Refused) > 0 ||
			set.Learnings == nil || set.Refused == nil {
			t.Errorf("%q: %+v", none, set)
		}
	}
	// JSON that a transcript shows is not a reflector's.
	if set := learnings(t,
		"The answer was\n```json\n[{\"title\":\"An issue\",\"body\":\"with a body that is long\"}]\n```\n", "executor"); len(set.Learnings) > 0 {
		t.Errorf("%+v", set)
	}
	for _, bad := range []string{"{\n\"a\":1}", "[\n{\"title\":\"cut sho"} {
		_, err := Read(strings.NewReader(bad), "reflector", harness.Said)
		if bad[0] == '[' {
			refused(t, err, fault.Invalid, "is invalid")
		} else {
			refused(t, err, fault.Invalid, "neither")
		}
	}
}

type failing struct{ io.Reader }

func (f failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err == io.EOF {
		err = errors.New("the disk is gone")
	}
	return n, err
}

// again reads the same text for ever.
type again struct {
	text string
	at   int
}

func (a *again) Read(p []byte) (n int, err error) {
	for n < len(p) {
		k := copy(p[n:], a.text[a.at:])
		n, a.at = n+k, (a.at+k)%len(a.text)
	}
	return n, nil
}

// TestLearningLimits: too much of anything is told, and what is left is read.
func TestLearningLimits(t *testing.T) {
	cost.SkipUnlessLong(t)
	t.Parallel()
	var b bytes.Buffer
	for i := range 250 {
		fmt.Fprintf(&b, "LEARNING: this is the learning number %d\n", i)
	}
	set := learnings(t, b.String(), "")
	if len(set.Learnings) != MaxLearnings || len(set.Refused) != 1 ||
		set.Refused[0].From != "line 201" || !strings.Contains(set.Refused[0].Why, "50 more") {
		t.Errorf("%d, %+v", len(set.Learnings), set.Refused)
	}
	set = learnings(t, strings.Repeat("LEARNING: short\n", 1000), "")
	if len(set.Refused) != maxRefusals+1 ||
		set.Refused[maxRefusals].Why != "800 more were refused" {
		t.Errorf("%d refused", len(set.Refused))
	}
	set = learnings(t, "LEARNING: before the long line it is read\n"+strings.Repeat("x",
		maxLearnLine+1)+"\nLEARNING: after the long line it is read", "")
	if len(set.Learnings) != 2 || len(set.Refused) != 1 || set.Refused[0].From != "line 2" ||
		set.Learnings[1].From != "line 3" {
		t.Errorf("%+v", set.Refused)
	}
	set = learnings(t, "LEARNING: a long one "+strings.Repeat("\n  and so on, and so on",
		5000), "")
	if len(set.Learnings) > 0 || len(set.Refused) != 1 ||
		!strings.Contains(set.Refused[0].Why, "bytes") {
		t.Errorf("%+v", set.Refused)
	}
	if _, err := Read(failing{strings.NewReader("x")}, "", harness.Said); err == nil ||
		!strings.Contains(err.Error(), "disk is gone") {
		t.Error(err)
	}
	// Many keys of metadata, marks of sentences, brackets: no time that grows with
	// their square.
	for _, u := range []string{"tags=t ", "tag: t, ", "! ? ", "(source: a) ", "[] ", "{", "**",
		"\\\n", "\n[1]", "\n  x", "\x1b["} {
		learnings(t, "LEARNING: "+strings.Repeat(u, 200_000/len(u)), "")
	}
	if !cost.Long() {
		return
	}
	line := "a line of a long transcript that says nothing at all, and goes on and on and on for a while, until it ends here\n"
	long := io.MultiReader(strings.NewReader("LEARNING: at the beginning of much it is read\n"),
		io.LimitReader(&again{text: line}, maxLearnInput),
		strings.NewReader("LEARNING: at the end of it all it is not"))
	set, err := Read(long, "", harness.Said)
	if err != nil || len(set.Learnings) != 1 || len(set.Refused) != 1 ||
		!strings.Contains(set.Refused[0].Why, "256 MB") {
		t.Errorf("%v, %d, %+v", err, len(set.Learnings), set.Refused)
	}
}

// FuzzLearnings: whatever is read, what is taken can be stored, once.
func FuzzLearnings(f *testing.F) {
	for _, s := range []string{
		"LEARNING: the cache must be cleared first (source: a.go:1)",
		"- **LEARNING (gotcha):** a b c d\n  e f\\\ng",
		"```json\n[{\"kind\":\"fact\",\"title\":\"t\",\"body\":\"a b c d\"}]\n```",
		`{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"LEARNING: a b c d"}]}}`, `[{"title":"t","body":"a b c d","confidence":"90%","tags":"a,b"}]`,
		`{"capsules":[{"body":"a b c d","supersedes":["k0123456ab"]}]}`,
		"Here:\n[\n{\"kind\":\"tip\",\"title\":\"t\",\"body\":\"a b c d\"}]",
		"LEARNING: \x00 a b c d", "LEARNING: \xff\xfe a b c",
		`{"messages":[{"role":"assistant","content":"LEARNING: a b c d"}]}`,
		"## Learnings\n\n- a b c d\n  e\n\n  f\n1. g h i j",
		"╭─ You ─╮\n│ LEARNING: a b c d │\n╰─╯\n┃ Learning - a b c d\n┃ e",
		"⏺ x\n  ⎿ y\n     LEARNING: a b c d\n> z\n\nLEARNING: a b c d:\n```\ne\n```",
		`{"role":"assistant","content":"LEARNING: a b","delta":true}` + "\n" +
			`{"role":"assistant","content":" c d","delta":true}`,
		"LEARNING [a,gotcha]: " + strings.Repeat("漢", 300), "LEARNING: a b c d tags=" +
			strings.Repeat("t,", 99),
	} {
		f.Add(s, uint8(0))
		f.Add(s, uint8(5))
	}
	f.Fuzz(func(t *testing.T, text string, who uint8) {
		role := append([]string{""}, kb.Roles...)[int(who)%(1+len(kb.Roles))]
		set, err := Read(strings.NewReader(text), role, harness.Said)
		if err != nil {
			refused(t, err, fault.Invalid, "")
			return
		}
		seen := map[string]bool{}
		for _, l := range set.Learnings {
			c := l.Capsule
			if err := c.Check(); err != nil || l.From == "" || wordCount(c.Body) < learnWords ||
				seen[c.Body] || c.ID != "" {
				t.Fatalf("%q: %v, %+v", text, err, l)
			}
			seen[c.Body] = true
		}
		for _, r := range set.Refused {
			if r.From == "" || r.Why == "" || !utf8.ValidString(r.Why) && utf8.ValidString(text) {
				t.Fatalf("%q: %+v", text, r)
			}
		}
	})
}
