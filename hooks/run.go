package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/policy"
)

const maxSignals = 5 // that are told at a time

// openRun opens the board of $BOARD_RUN; nil if no run is named.
func (t *turn) openRun(ctx context.Context) (b *board.Board, run string, err error) {
	run = t.Env("BOARD_RUN")
	if run == "" || t.Home == "" {
		return nil, "", nil
	}
	if b, err = board.Open(ctx, t.boards(), run); err == nil {
		b.SetNow(t.clock)
	}
	return b, oneLine(run, 100), err
}

func (t *turn) boards() string { return cmp.Or(t.Boards, filepath.Join(t.Home, "boards")) }

// within leaves the other parts of an answer their time, where a server has the boards and may be
// away.
func (t *turn) within(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok || t.Boards == "" {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(end)/4)
}

// gate tells whether the run's gate is open by the policy of the session's directory, and what keeps it closed. A board that cannot be read is told as well: it is no open gate.
func (t *turn) gate(ctx context.Context) string {
	ctx, cancel := t.within(ctx)
	defer cancel()
	b, run, err := t.openRun(ctx)
	if run == "" {
		return ""
	}
	var v board.Verdict
	if err == nil {
		defer b.Close()
		by, err2 := policy.Find(t.dir)
		if err2 != nil {
			t.note("the policy of the run", err2)
			return fmt.Sprintf("## Run %s\nThe %s that its gate follows could not be read, so nothing is known of its gate: `board gate` says more.", run, policy.Name)
		}
		v, err = b.Gate(ctx, by.Gate)
	}
	if err != nil {
		switch {
		case errors.Is(err, fault.NotFound):
			names, _ := board.RunNames(t.boards()) // without them there is nothing to suggest
			return strings.TrimSpace(fmt.Sprintf("## Run %s\nNothing is on its board yet; the first `board post` makes it. %s", run, board.DidYouMean(run, names)))
		case errors.Is(err, fault.Invalid):
			return fmt.Sprintf("## Run %s\n$BOARD_RUN is no name of a run: letters, digits, - _ and . are.", run)
		}
		t.note("the gate of the run", err)
		return fmt.Sprintf("## Run %s\nThe board of this run could not be read, so nothing is known of its gate: `board gate` says more.", run)
	}
	if v.Open {
		return fmt.Sprintf("## Run %s\nThe gate is open. `board show` has the findings.", run)
	}
	var ids []string
	for _, r := range v.Reasons[:min(len(v.Reasons), 20)] {
		reason := r.Content
		if r.ID != "" {
			reason = r.ID + " " + cmp.Or(r.Priority, r.Rule)
		}
		ids = append(ids, reason)
	}
	return fmt.Sprintf("## Run %s\nThe gate is closed, so the synthesis waits: %s. `board gate` says what would clear it.", run, oneLine(strings.Join(ids, ", "), 300))
}

// signals tells the run's open signals that this worker has claimed, or that name it as @WORKER, and were not told yet. It needs $BOARD_RUN and $BOARD_WORKER.
func (t *turn) signals(ctx context.Context, r *room, given *seen) (part string, ids []string) {
	worker := t.Env("BOARD_WORKER")
	if worker == "" {
		return "", nil
	}
	ctx, cancel := t.within(ctx)
	defer cancel()
	b, run, err := t.openRun(ctx)
	if run == "" {
		return "", nil
	}
	if err != nil {
		t.note("open the run", err)
		return "", nil
	}
	defer b.Close()
	found, err := b.Signals(ctx, board.SignalQuery{Statuses: []string{board.SignalOpen}, For: worker}) // no limit: what names a longer name, and what was told, is left out below
	if err != nil {
		t.note("the signals of the run", err)
		return "", nil
	}
	mention, err := regexp.Compile(`(?:^|[^\w@])@` + regexp.QuoteMeta(worker) + `(?:$|[^\w-])`)
	if err != nil {
		t.note("the worker's name", err)
		return "", nil
	}
	heading := fmt.Sprintf("## Open questions of the run %s for %s (`board address ID` answers one)", run, oneLine(worker, 60))
	for _, s := range found.Signals {
		key := run + "/" + s.ID
		why := ""
		switch {
		case given.has(key) || len(ids) == maxSignals:
			continue
		case s.ClaimedBy == worker && s.ClaimedAt(t.now):
			why = "claimed"
		case mention.MatchString(s.Content):
			why = "addressed"
		default:
			continue
		}
		line := fmt.Sprintf("\n- %s %s, %s: %s", s.ID, s.Priority, why, oneLine(s.Content, 300))
		if len(heading)+len(part)+len(line)+2 > r.left {
			break
		}
		part += line
		ids = append(ids, key)
	}
	if part == "" || !r.take(heading+part) {
		return "", nil
	}
	return heading + part, ids
}
