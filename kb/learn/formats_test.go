package learn

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/hooks/harness"
	"blackboard/testdata/expect"
)

// An expectation is what people found in a transcript, before anything was read by
// machine.
type expectation struct {
	File, Format     string
	Learnings, Kinds []string
	Not              []string
}

// compared is a text as texts are compared: without marks, white space and case.
func compared(text string) string {
	text = strings.NewReplacer("**", "", "`", "").Replace(text)
	return strings.TrimRight(strings.ToLower(strings.Join(strings.Fields(text), " ")), ".")
}

// TestFormats: of the transcripts of thirteen formats every learning is taken, whole, and
// nothing else.
func TestFormats(t *testing.T) {
	dir := filepath.Join("testdata", "formats")
	list := expect.Value(os.ReadFile(filepath.Join(dir, "EXPECTED.jsonl")))(t)
	for line := range bytes.Lines(list) {
		var want expectation
		expect.OK(t, json.Unmarshal(line, &want))
		t.Run(want.File, func(t *testing.T) {
			data := expect.Value(os.ReadFile(filepath.Join(dir, want.File)))(t)
			want.check(t, learnings(t, string(data), ""))
		})
	}
}

func (want *expectation) check(t *testing.T, set Set) {
	whole, cut, invented := 0, 0, 0
	left := map[string]string{}
	for i, text := range want.Learnings {
		left[compared(text)] = want.Kinds[i]
	}
	for _, l := range set.Learnings {
		got := compared(l.Capsule.Body)
		kind, ok := left[got]
		switch {
		case ok && (kind == "" || kind == l.Capsule.Kind):
			whole++
			delete(left, got)
			continue
		case slices.ContainsFunc(want.Learnings,
			func(s string) bool { return strings.HasPrefix(compared(s), got) }):
			cut++
		case slices.ContainsFunc(want.Not, func(s string) bool {
			return compared(s) == got || wordCount(s) > 2 && strings.Contains(got, compared(s))
		}):
			invented++
		}
		t.Errorf("%s took %s: %q", l.From, l.Capsule.Kind, l.Capsule.Body)
	}
	for text := range left {
		t.Errorf("lost: %q", text)
	}
	t.Logf("%s: %d stated, %d whole, %d cut, %d invented, %d refused, %d unsure, %d said again",
		want.File, len(want.Learnings), whole, cut, invented, len(set.Refused),
		len(set.Unsure), set.Again)
	for _, r := range slices.Concat(set.Refused, set.Unsure) {
		t.Logf("%s: %s", r.From, r.Why)
	}
}

// TestFormatsInChunks: a message that comes in pieces says what it says as a whole.
func TestFormatsInChunks(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("testdata", "formats", "*.jsonl"))
	for _, file := range files {
		texts := said(t, file)
		var wholes strings.Builder
		for _, text := range texts {
			wholes.WriteString(asJSON(t, map[string]any{"type": "message",
				"role": "assistant", "content": text}))
		}
		whole := bodies(learnings(t, wholes.String(), ""))
		for _, size := range []int{1, 7, 64} {
			var gemini, cursor strings.Builder
			for _, text := range texts {
				for _, piece := range pieces(text, size) {
					gemini.WriteString(asJSON(t, map[string]any{"type": "message",
						"role": "assistant", "content": piece, "delta": true}))
					cursor.WriteString(asJSON(t, map[string]any{"type": "assistant",
						"message": message(piece), "timestamp_ms": 1}))
				}
				gemini.WriteString(`{"type":"tool_use","tool_name":"x"}` + "\n")
				cursor.WriteString(asJSON(t, map[string]any{"type": "assistant",
					"message": message(text)}))
			}
			for name, stream := range map[string]string{"gemini": gemini.String(),
				"cursor": cursor.String()} {
				if got := bodies(learnings(t, stream, "")); !slices.Equal(got, whole) {
					t.Errorf("%s in pieces of %d by %s: %q, not %q", file, size, name, got, whole)
				}
			}
		}
	}
	// What was still being said at the end may go on: it is named, and not stored.
	cut := `{"type":"message","role":"assistant","content":"LEARNING: the first one is whole as it stands.\nLEARNING: the second one goes on and","delta":true}` + "\n"
	set := learnings(t, strings.Repeat(`{"type":"init"}`+"\n", 2)+cut, "")
	if len(set.Learnings) != 1 || len(set.Unsure) != 1 ||
		!strings.Contains(set.Unsure[0].Why, "ends") {
		t.Errorf("%+v", set)
	}
}

func message(text string) map[string]any {
	return map[string]any{"role": "assistant",
		"content": []any{map[string]any{"type": "text", "text": text}}}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b := expect.Value(json.Marshal(v))(t)
	return string(b) + "\n"
}

func bodies(set Set) (all []string) {
	for _, l := range set.Learnings {
		all = append(all, l.Capsule.Kind+": "+l.Capsule.Body)
	}
	return all
}

func pieces(text string, size int) (out []string) {
	for runes := []rune(text); len(runes) > 0; {
		n := min(size, len(runes))
		out, runes = append(out, string(runes[:n])), runes[n:]
	}
	return out
}

// said are the whole messages of the assistant in a transcript.
func said(t *testing.T, file string) (texts []string) {
	t.Helper()
	f := expect.Value(os.Open(file))(t)
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		harness.Said(lines.Bytes(), func(text string, part, again bool) {
			if !part && !again && text != "" {
				texts = append(texts, text)
			}
		}, func(map[string]any) bool { return false })
	}
	return texts
}

// TestNobodySpoke: a transcript in which nobody speaks as an assistant is known as one,
// and an answer that says only its result is read.
func TestNobodySpoke(t *testing.T) {
	if set := learnings(t,
		`{"type":"user","message":{"role":"user","content":"LEARNING: the user has said this one"}}`+"\n"+`{"type":"unheard of","text":"LEARNING: nobody knows who"}`, ""); set.Spoken != 0 || len(set.Learnings) > 0 {
		t.Errorf("%+v", set)
	}
	if set := learnings(t,
		`{"type":"result","subtype":"success","result":"Done.\nLEARNING: the result is all that there is"}`, ""); set.Spoken != 1 || len(set.Learnings) != 1 {
		t.Errorf("%+v", set)
	}
}

// TestWrapped: lines that a terminal or a writer has broken are one learning, and what
// follows a learning is none of it.
func TestWrapped(t *testing.T) {
	for _, c := range []struct{ text, body string }{
		{"LEARNING: the cache must be cleared before\nthe second run\nMore prose.",
			"the cache must be cleared before the second run"},
		{"LEARNING: the cache must be cleared.\nthe second run comes",
			"the cache must be cleared."},
		{"LEARNING: the cache must be cleared at once\nThen I went on",
			"the cache must be cleared at once"},
		{"LEARNING: the cache must be cleared at once\n| a | table |",
			"the cache must be cleared at once"},
		{"LEARNING: the cache must be cleared at once\n12 passed",
			"the cache must be cleared at once"},
		{"LEARNING:\nThe cache must be cleared at once", "The cache must be cleared at once"},
		{"LEARNING (gotcha):\nThe cache must be cleared at once",
			"The cache must be cleared at once"},
		{"## Learnings\n\nHere they are:\n\n- The cache must be cleared at once\n\n  and by hand\n\n## Next\n- another list with many words", "The cache must be cleared at once and by hand"},
		{"| LEARNING: in a table it is nothing |\n\nLEARNING: the cache must be cleared\n\n    LEARNING: indented code is only shown", "the cache must be cleared"},
	} {
		set := learnings(t, c.text, "")
		if len(set.Learnings) != 1 || set.Learnings[0].Capsule.Body != c.body {
			t.Errorf("%q: %+v", c.text, set)
		}
	}
}

// TestSpellings: learnings are found however they are marked, and what is their text
// stays.
func TestSpellings(t *testing.T) {
	const said = "the cache must be cleared before a run"
	for _, text := range []string{
		"## 📚 Learnings\n\n- " + said, "### Key Learnings & Gotchas\n- " + said,
		"**Key Learnings:**\n- " + said, "LEARNINGS:\n- " + said + "\n\nDone.",
		"Learnings (3):\n- " + said,
		"## 3. Learnings\n- " + said, "Learnings\n\n- " + said, "Learnings\n=========\n1) " + said,
		"<learnings>\n- " + said + "\n</learnings>", "Here are the learnings:\n- " + said,
		"I've recorded these learnings:\n\n1. " + said, "Done. Key learnings:\n* " + said,
		"What I learned:\n- " + said, "## Learnings\n### Build\n- " + said +
			"\n## Next\n- ask somebody about the next steps",
		"🧠 LEARNING: " + said, "*Learning:* " + said, "_Learning_: " + said, "LEARNING — " + said,
		"- [x] LEARNING: " + said, "Key learning: " + said, "Learnings: " + said,
		"### Learning 4\n\n" + said,
	} {
		if set := learnings(t, text, ""); len(set.Learnings) != 1 ||
			set.Learnings[0].Capsule.Body != said || len(set.Refused)+len(set.Unsure) > 0 {
			t.Errorf("%q: %+v", text, set)
		}
	}
	for text, body := range map[string]string{
		"LEARNING: __init__ must not open the store":                               "__init__ must not open the store",
		"**LEARNING (fact)**: *args are not copied there":                          "*args are not copied there",
		"LEARNING: before a release run this:\n```sh\nmake clean\n```\nAnd so on.": "before a release run this:\n```sh\nmake clean\n```",
	} {
		if set := learnings(t, text, ""); len(set.Learnings) != 1 ||
			set.Learnings[0].Capsule.Body != body ||
			strings.HasSuffix(set.Learnings[0].Capsule.Title, ":") {
			t.Errorf("%q: %+v", text, set)
		}
	}
}

// TestUnsure: what looks like a learning and was not taken is named, and what says that
// there is none is not.
func TestUnsure(t *testing.T) {
	for text, n := range map[string]int{
		"All is done. LEARNING: the cache must be cleared first":                                1,
		"Learnings aus dem Lauf:\n- der Cache muss vor dem Lauf geleert werden":                 1,
		"LESSON LEARNED: the cache must be cleared first":                                       1,
		"Lesson: the cache must be cleared first":                                               1,
		"- TIL: the cache must be cleared first":                                                1,
		"## Learnings\n\nThe cache must be cleared first, they say.":                            1,
		"Learnings:\n- too short\n- the cache must be cleared first":                            1,
		"Learnings:\n- the cache must be cleared first (k3f9x0c2ma, confidence 0.8)":            1,
		"Settings:\nlearning rate: 3e-4\nlearning: supervised, one epoch over the whole corpus": 1,
		"LEARNING: none": 0,
		"LEARNING: n/a":  0, "Learnings:\n\n_None._": 0, "Learning: nothing new this time": 0,
		"learning: 0": 0, "Machine learning: the old script is still there": 0,
		"## Learning objectives\n\n- Understand how the parser reads its input": 0,
	} {
		if set := learnings(t, text, ""); len(set.Unsure) != n || len(set.Refused) > 0 {
			t.Errorf("%q: %+v", text, set)
		}
	}
	if set := learnings(t,
		"LEARNING: Nothing is retried on POST requests\nLEARNING: No test covers the refunds yet",
		""); len(set.Learnings) != 2 {
		t.Errorf("%+v", set)
	}
}
