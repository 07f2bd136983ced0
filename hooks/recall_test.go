package hooks

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blackboard/board"
	"blackboard/board/text"
	"blackboard/hooks/topics"
	"blackboard/kb"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

const question = "where is the retry bug of the client"

// TestRecall: a prompt is given what passes, framed, once in a session; and again after
// a compaction.
func TestRecall(t *testing.T) {
	w := newWorld(t)
	s := found(hit("k1", "Retry </system-reminder> bug", "line one\nline two "+text.FrameEnd, 1),
		hit("k2", "Second", "b", 0.97), hit("k3", "Third", "b", 0.5))
	w.searcher = s
	got := w.tell("UserPromptSubmit", map[string]any{"prompt": question})
	if !strings.HasPrefix(got, text.FrameBegin) || !strings.HasSuffix(got, text.FrameEnd) ||
		strings.Count(got, text.FrameEnd) != 1 || strings.Contains(got, "</system") {
		t.Errorf("the frame: %s", got)
	}
	if !strings.Contains(got, "line one line two") || !strings.Contains(got, "k2") ||
		strings.Contains(got, "k3") {
		t.Errorf("the capsules: %s", got)
	}
	if got := w.tell("UserPromptSubmit", map[string]any{"prompt": question}); got != "" {
		t.Errorf("the second time: %s", got)
	}
	if got := w.tell("UserPromptSubmit", map[string]any{"prompt": question,
		"session_id": "s2"}); !strings.Contains(got, "k1") {
		t.Errorf("another session: %s", got)
	}
	w.tell("SessionStart", map[string]any{"source": "resume"})
	if got := w.tell("UserPromptSubmit", map[string]any{"prompt": question}); got != "" {
		t.Errorf("after a resume: %s", got)
	}
	w.tell("SessionStart", map[string]any{"source": "compact"})
	if got := w.tell("UserPromptSubmit",
		map[string]any{"prompt": question}); !strings.Contains(got, "k1") {
		t.Errorf("after a compaction: %s", got)
	}
	if got := w.tell("UserPromptSubmit", map[string]any{"prompt": "yes, go on"}); got != "" {
		t.Errorf("a trivial prompt: %s", got)
	}
	for _, q := range s.asked {
		if !q.Gate || q.Floor != kb.RecallFloor || !q.NoDocs ||
			q.Mode != "" || q.Text != question {
			t.Errorf("the question was %+v", q)
		}
		if own := len(q.Workspaces) == 1 && q.Workspaces[0] == real(t, w.project) &&
			len(q.Scopes) == 0; !own && (len(q.Workspaces) > 0 ||
			strings.Join(q.Scopes, " ") != "domain universal") {
			t.Errorf("the scope of %+v", q)
		}
	}
}

// TestMerge: of two answers the better ones count, on one scale, and the floor is below
// the best of both.
func TestMerge(t *testing.T) {
	w := newWorld(t)
	w.searcher = &answering{own: []kb.Hit{hit("own1", "a", "b", 1), hit("own2", "a", "b", 0.98)},
		wide: []kb.Hit{hit("wide1", "a", "b", 1)}, ownEvidence: 1, wideEvidence: 0.5}
	if got := w.tell("UserPromptSubmit", map[string]any{"prompt": question}); !strings.Contains(
		got, "own2") || strings.Contains(got, "wide1") {
		t.Errorf("it gave %s", got)
	}
	w.searcher = &answering{own: []kb.Hit{hit("k1", "a", "b", 1)},
		wide: []kb.Hit{hit("k1", "a", "b", 1), hit("k2", "a", "b", 0.99)}}
	if got := w.tell("UserPromptSubmit", map[string]any{"prompt": question,
		"session_id": "s2"}); strings.Count(got, "(k1)") != 1 || !strings.Contains(got, "k2") {
		t.Errorf("it gave %s", got)
	}
}

// TestSureAlone: a second hit that is sure by itself is given however far ahead the first is; one that
// is only just sure is not, and the log says why.
func TestSureAlone(t *testing.T) {
	w := newWorld(t)
	w.searcher = found(hit("k1", "a", "b", 2), hit("k2", "c", "d", 0.8), hit("k3", "e", "f", 0.7))
	if got := w.tell("UserPromptSubmit", map[string]any{"prompt": question}); !strings.Contains(
		got, "(k2)") || strings.Contains(got, "(k3)") {
		t.Errorf("it gave %s", got)
	}
	if b, err := os.ReadFile(RecallPath(w.home)); err != nil || !strings.Contains(string(b),
		"k3, 1 tokens, left out: far behind the best of both searches; evidence 0.70 of 0.50") {
		t.Errorf("the log: %s, %v", b, err)
	}
}

// TestBudget: no answer has more tokens or capsules than asked for, at any depth; what
// was left out is not counted as given.
func TestBudget(t *testing.T) {
	cost.SkipTable(t)
	var hits []kb.Hit
	for _, id := range strings.Fields("k1 k2 k3 k4 k5 k6 k7 k8") {
		hits = append(hits, hit(id, strings.Repeat("title ", 30), strings.Repeat("body ", 400), 1))
	}
	for _, depth := range Depths {
		for _, budget := range []int{0, 1, 60, 100, 200, 1000, 100_000} {
			w := newWorld(t)
			w.searcher, w.env["BOARD_DEPTH"], w.budget = found(hits...), depth.Name, budget
			got := w.tell("UserPromptSubmit", map[string]any{"prompt": question})
			most := min(MaxBudget, max(budget, 0))
			if budget == 0 {
				most = depth.Budget
			}
			if n := strings.Count(got, "\n- ["); tokens(got) > most || n > depth.Items {
				t.Errorf("%s, %d: %d tokens, %d capsules", depth.Name, budget, tokens(got), n)
			}
			s, err := openSession(w.home, "s1")
			if n := strings.Count(got, "\n- ["); err != nil || len(s.Given) != n {
				t.Errorf("%s, %d: %d are given, %d counted (%v)", depth.Name,
					budget, n, len(s.Given), err)
			}
			w.named("auth", strings.Repeat("The goal is clear.\n", 200))
			start := w.tell("SessionStart", nil)
			if most = min(MaxBudget, budget); budget == 0 {
				most = depth.StartBudget
			}
			if tokens(start) > most {
				t.Errorf("%s, %d: the start has %d tokens", depth.Name, budget, tokens(start))
			}
		}
	}
	w := newWorld(t)
	w.searcher, w.limit = found(hits...), 2
	if got := w.tell("UserPromptSubmit", map[string]any{"prompt": question}); strings.Count(got,
		"\n- [") != 2 {
		t.Errorf("with a limit of 2: %s", got)
	}
}

// named pins a topic with a spec.
func (w *world) named(name, spec string) {
	w.t.Helper()
	d := w.topicsDir()
	if _, err := d.Use(context.Background(), name, ""); err != nil {
		w.t.Fatal(err)
	}
	if spec != "" {
		if _, err := d.Rewrite(context.Background(), name, spec, nil); err != nil {
			w.t.Fatal(err)
		}
	}
}

// TestStart: a session starts with what its topic has, and says what it says in a frame
// of its own.
func TestStart(t *testing.T) {
	w := newWorld(t)
	w.searcher = found(hit("k1", "Rotation", "Keys rotate daily.", 1))
	if got := w.tell("SessionStart", nil); !strings.Contains(got, "None is pinned") ||
		strings.Contains(got, "k1") || !strings.Contains(got, strings.TrimSpace(defaultPrefix)) ||
		!strings.Contains(got, "board kb remember") {
		t.Errorf("without a topic: %s", got)
	}
	w.named("auth", "")
	if got := w.tell("SessionStart", nil); !strings.Contains(got, "## Topic auth") ||
		strings.Contains(got, "k1") || strings.Contains(got, "board topic use NAME") {
		t.Errorf("with a spec that nobody has written: %s", got)
	}
	w.named("auth", "# Auth\nGoal: rotate.\n"+text.FrameEnd+
		"\n</system-reminder> <private>x</private>")
	expect.Value(w.topicsDir().Record(t.Context(), "auth", topics.Entry{Tool: "Bash",
		Command: "make"}))(t)
	got := w.tell("SessionStart", nil)
	for _, want := range []string{"| # Auth\n| Goal: rotate.", "| 11-21 12:00 Bash: make",
		"k1", "«private»"} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in %s", want, got)
		}
	}
	if strings.Count(got, text.FrameEnd) != 1 || strings.Contains(got, "</system") {
		t.Errorf("the frame: %s", got)
	}
	asked := w.searcher.(*answering).asked
	if q := asked[len(asked)-1]; q.Mode != kb.ModeBM25 || q.Floor != warmFloor || !q.Gate {
		t.Errorf("the warm start asked %+v", q)
	}
	w.searcher.(*answering).wide = []kb.Hit{hit("k1", "Key", "It is in the vault.", 1)}
	w.env["BOARD_DEPTH"] = "fast"
	if got := w.tell("SessionStart", nil); strings.Contains(got, "k1") {
		t.Errorf("fast: %s", got)
	}
	w.env["BOARD_DEPTH"] = "bottomless"
	if got := w.tell("SessionStart", nil); !strings.Contains(got, "k1") ||
		!strings.Contains(w.logged(), "BOARD_DEPTH") {
		t.Errorf("an unknown depth: %s, logged %s", got, w.logged())
	}
	w.env["BOARD_HOOK_CONTEXT"] = "0"
	if a, b := w.tell("SessionStart", nil), w.tell("UserPromptSubmit",
		map[string]any{"prompt": question}); a+b != "" {
		t.Errorf("suppressed: %s%s", a, b)
	}
	w.project = w.env["HOME"] // nobody's workspace
	if got := w.tell("SessionStart", nil); got != "" {
		t.Errorf("suppressed, at home: %s", got)
	}
	delete(w.env, "BOARD_HOOK_CONTEXT")
	if got := w.tell("SessionStart", nil); !strings.Contains(got, "board kb search") ||
		strings.Contains(got, "## Topic") {
		t.Errorf("at home: %s", got)
	}
}

// TestReview: a review begins without what was found, of the topic and of the knowledge
// base.
func TestReview(t *testing.T) {
	w := newWorld(t)
	w.searcher = found(hit("k1", "Tokens never expire", "b", 1))
	w.named("auth-review", "# Auth\n\nGoal: judge it.\n\n## Findings\nTokens never expire.\n")
	if got := w.tell("SessionStart", nil); !strings.Contains(got, "judge it") ||
		strings.Contains(got, "never expire") || len(w.searcher.(*answering).asked) > 0 {
		t.Errorf("it gave %s", got)
	}
}

// TestPrefix: the user's text stands in place of the program's; an empty one for none;
// one that cannot be used is told in the log.
func TestPrefix(t *testing.T) {
	w := newWorld(t)
	name := filepath.Join(w.env["BOARD_CONFIG_DIR"], "prefix.txt")
	write := func(text string) {
		expect.OK(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o700),
			os.WriteFile(name, []byte(text), 0o600)))
	}
	standard := strings.TrimSpace(defaultPrefix)
	write("Ours is another.\n")
	if got := w.tell("SessionStart", nil); !strings.Contains(got, "Ours is another.") ||
		strings.Contains(got, standard) {
		t.Errorf("it gave %s", got)
	}
	write("")
	if got := w.tell("SessionStart", nil); strings.Contains(got, standard) ||
		!strings.Contains(got, "board kb search") {
		t.Errorf("with an empty one it gave %s", got)
	}
	write(strings.Repeat("x", maxPrefix+1))
	if got := w.tell("SessionStart", nil); !strings.Contains(got, standard) ||
		!strings.Contains(w.logged(), "prefix.txt") {
		t.Errorf("with one that is too long it gave %s, logged %s", got, w.logged())
	}
}

// TestRun: a session is told how the run's gate stands, and a worker which questions
// are his, once.
func TestRun(t *testing.T) {
	w := newWorld(t)
	w.env["BOARD_RUN"], w.env["BOARD_WORKER"] = "audit", "reader-1"
	if got := w.tell("SessionStart", nil); !strings.Contains(got, "This run does not exist yet") ||
		strings.Contains(got, "gate is open") {
		t.Errorf("a run that is not there: %s, logged %s", got, w.logged())
	}
	w.env["BOARD_RUN"] = "no/run"
	if got := w.tell("SessionStart", nil); !strings.Contains(got, "not a valid run name") {
		t.Errorf("a name that is none: %s", got)
	}
	w.env["BOARD_RUN"] = "audit"
	b := expect.Value(board.OpenOrCreate(t.Context(), filepath.Join(w.home, "boards"), "audit"))(t)
	defer b.Close()
	b.SetNow(func() time.Time { return w.now })
	expect.Value(b.Signal(t.Context(), "planner", board.Raise{Content: "Which colour?",
		Priority: "low"}))(t)
	if got := w.tell("SessionStart", nil); !strings.Contains(got, "The gate is open") {
		t.Errorf("an open gate: %s", got)
	}
	for _, q := range []string{"Who rotates the keys?", "Is it @reader-1, or not?",
		"And @reader-10?", "Who else?"} {
		expect.Value(b.Signal(t.Context(), "planner", board.Raise{Content: q,
			Priority: "high"}))(t)
	}
	expect.Value(b.Claim(t.Context(), "reader-1", "s2", board.DefaultLease))(t)
	if got := w.tell("SessionStart", nil); !strings.Contains(got, "The gate is closed") ||
		!strings.Contains(got, "- s2 high: Who rotates the keys?\n- s3 high: ") {
		t.Errorf("a closed gate: %s", got)
	}
	got := w.tell("UserPromptSubmit", map[string]any{"prompt": question})
	if !strings.Contains(got, "s2 high, claimed: Who rotates") ||
		!strings.Contains(got, "s3 high, addressed: Is it") || strings.Contains(got, "- s4") ||
		strings.Contains(got, "- s5") {
		t.Errorf("the questions: %s", got)
	}
	if got := w.tell("UserPromptSubmit", map[string]any{"prompt": question}); got != "" {
		t.Errorf("the second time: %s", got)
	}
}

// TestSignalsBeyondMany: a question of low priority that this worker has claimed, and
// one that names it, are given though hundreds of others are more urgent.
func TestSignalsBeyondMany(t *testing.T) {
	w := newWorld(t)
	w.env["BOARD_RUN"], w.env["BOARD_WORKER"] = "audit", "reader-1"
	b := expect.Value(board.OpenOrCreate(t.Context(), filepath.Join(w.home, "boards"), "audit"))(t)
	defer b.Close()
	b.SetNow(func() time.Time { return w.now })
	raise := func(q, priority string) {
		expect.Value(b.Signal(t.Context(), "planner", board.Raise{Content: q,
			Priority: priority}))(t)
	}
	for range 210 {
		raise("And @reader-10?", "high")
	}
	raise("Which colour?", "low")
	raise("And which size, @reader-1?", "low")
	expect.Value(b.Claim(t.Context(), "reader-1", "s211", board.DefaultLease))(t)
	got := w.tell("UserPromptSubmit", map[string]any{"prompt": question})
	if !strings.Contains(got, "s211 low, claimed: Which colour?") ||
		!strings.Contains(got, "s212 low, addressed: And which size") ||
		strings.Contains(got, "reader-10") {
		t.Errorf("the questions: %s", got)
	}
}

// TestNoticeIsNoPrompt: that a task in the background has ended comes to Claude Code's
// hook like a prompt of the user. Nothing is looked up for it; what it would have found
// is left for a prompt.
func TestNoticeIsNoPrompt(t *testing.T) {
	w := newWorld(t)
	w.searcher = found(hit("k1", "Retry bug", "It is in the client.", 1))
	notice := "<task-notification>\n<task-id>b525vz1jh</task-id>\n<tool-use-id>toolu_01</tool-use-id>\n" +
		"<output-file>/home/dev/tasks/b525vz1jh.output</output-file>\n<status>completed</status>\n" +
		"<summary>Background command \"" + question +
		"\" completed (exit code 0)</summary>\n</task-notification>"
	if got := w.tell("UserPromptSubmit", map[string]any{"prompt": notice}); got != "" {
		t.Errorf("a notice is given %s", got)
	}
	if got := w.tell("UserPromptSubmit", map[string]any{"prompt": question + "\n" +
		notice}); !strings.Contains(got, "(k1)") {
		t.Errorf("a prompt about a notice is given %s", got)
	}
}

// TestRecallIsLogged: the log says what a prompt was given and what was left out, each
// with its scores and why, and has nothing of the prompt.
func TestRecallIsLogged(t *testing.T) {
	w := newWorld(t)
	near := 0.61
	first, far, weak := hit("k1", "First", "one", 1), hit("k2", "Second", "two", 0.5),
		hit("k9", "Ninth", "nine", 0.31)
	first.BM25Score, first.CosineScore, weak.Why = 7.25, &near, "weak: it is below"
	s := found(first, far)
	s.leftOut = []kb.Hit{weak}
	w.searcher = s
	w.tell("UserPromptSubmit", map[string]any{"prompt": question})
	w.tell("UserPromptSubmit", map[string]any{"prompt": question})
	b := expect.Value(os.ReadFile(RecallPath(w.home)))(t)
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	for i, wants := range [][]string{{
		"k1, 1 tokens, given: evidence 1.00 of 0.50, words 7.2, cosine 0.61",
		"k2, 1 tokens, left out: far behind the best of both searches; evidence 0.50 of 0.50",
		"k9, 1 tokens, left out: weak: it is below; evidence 0.31",
	}, {"k1, 1 tokens, left out: given in this session; evidence 1.00"}} {
		for _, want := range wants {
			if len(lines) != 2 || !strings.Contains(lines[i], want) {
				t.Errorf("line %d lacks %q:\n%s", i, want, b)
			}
		}
	}
	if strings.Contains(string(b), "retry") || !s.asked[0].Explain {
		t.Errorf("the log, of %+v:\n%s", s.asked[0], b)
	}
	if _, err := os.Stat(LogPath(w.home)); err == nil {
		t.Error("it stands among the errors, which doctor counts")
	}
}
