package hooks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"blackboard/board"
	"blackboard/hooks/harness"
	"blackboard/kb"
)

// subagentBudget is the upper limit of a subagent's brief, in tokens.
const subagentBudget = 400

// subagent is what a run's subagent starts with: the goal, what keeps the gate closed, and what is
// known. Without a run it is nothing: its caller has told it its task.
func (t *turn) subagent(ctx context.Context) string {
	given := t.openSession()
	if t.suppressed() {
		return ""
	}
	st, run := t.state(ctx)
	if run == "" {
		return ""
	}
	r := t.sessionRoom(subagentBudget, given)
	heading := fmt.Sprintf("## Run %s\nGoal: %s", run, oneLine(clean(st.Goal), 400))
	if worker := t.expected(&st); worker != "" {
		heading += fmt.Sprintf("\nYou are %s: post each finding with its source, then say done "+
			"(`board post … --worker %[1]s`, `board done --worker %[1]s`).", oneLine(worker, 60))
	}
	var parts []string
	for _, part := range []string{heading, strings.TrimPrefix(t.gate(ctx), "## Run "+run+"\n")} {
		if part != "" && r.take(part) {
			parts = append(parts, part)
			t.gave("run", part, "a subagent's brief")
		}
	}
	if t.clean() {
		t.leftOut("capsules about the goal", "", cleanRoom)
	} else {
		hits, err := t.lookup(ctx, kb.Query{Text: clip(clean(st.Goal), maxQuery), Floor: t.depth.Floor},
			&sessionState{}, t.items(t.depth.Items))
		t.logError("search", err)
		part, ids := t.listCapsules(r, "## Known about this (`board kb get ID` shows one in full)", hits)
		if part != "" {
			parts = append(parts, part)
			defer t.recordGiven(ctx, retrievalOf(board.ByStart, "subagent", hits, ids))
		}
	}
	told := t.framed(parts, given)
	t.saveState(given)
	return told
}

// keepAtWork returns a reminder, once, when a worker stops or reports its task complete while the
// run expects it and it has posted nothing; otherwise "".
func (t *turn) keepAtWork(ctx context.Context) string {
	given := t.openSession()
	st, run := t.state(ctx)
	worker := t.expected(&st)
	kept := "kept/" + worker
	if run == "" || worker == "" || t.e.Continuation || given.has(kept) || t.suppressed() || slices.ContainsFunc(st.Workers,
		func(w board.Worker) bool { return w.Name == worker && w.Entries > 0 }) {
		return ""
	}
	given.addPrompt(kept)
	text := fmt.Sprintf("Run %s waits for %s, who has posted nothing: post what you found, each "+
		"with its source (`board post … --worker %[2]s`), then `board done --worker %[2]s`; or "+
		"say done if there is nothing.", run, oneLine(worker, 60))
	t.gave("a reminder to post", text, "the run expects this worker")
	told := t.framed([]string{text}, given)
	t.saveState(given)
	return told
}

func (t *turn) state(ctx context.Context) (st board.State, run string) {
	ctx, cancel := t.boardDeadline(ctx)
	defer cancel()
	b, run, err := t.openRun(ctx)
	if run == "" || err != nil {
		return st, ""
	}
	defer b.Close()
	if st, err = b.State(ctx); err != nil {
		t.logError("read the run", err)
		return st, ""
	}
	return st, run
}

// expected is the worker the run still expects and the event is about: a subagent by kind or id, a
// team's member by name, else the session by $BOARD_WORKER.
func (t *turn) expected(st *board.State) string {
	own := ""
	if t.e.Kind == harness.TaskCompleted && t.e.AgentType == "" {
		own = t.Env("BOARD_WORKER")
	}
	for _, e := range st.Expected {
		if e.Status == board.WorkerExpected && slices.Contains(
			[]string{t.e.AgentType, t.e.Agent, own}, e.Worker) {
			return e.Worker
		}
	}
	return ""
}
