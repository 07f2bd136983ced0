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
	"blackboard/board/check"
	"blackboard/board/fault"
	kbhome "blackboard/kb/home"
)

const maxSignals = 5 // in one answer

// openRun opens the board of $BOARD_RUN. It returns a nil board if no run is named.
func (t *turn) openRun(ctx context.Context) (b *board.Board, run string, err error) {
	run = t.Env("BOARD_RUN")
	if run == "" || t.Home == "" {
		return nil, "", nil
	}
	dir, err := t.boards()
	if err != nil {
		return nil, oneLine(run, 100), err
	}
	if b, err = kbhome.Run(ctx, dir, run); err == nil {
		b.SetNow(t.clock)
	}
	return b, oneLine(run, 100), err
}

func (t *turn) boards() (string, error) {
	if t.Boards == nil {
		return filepath.Join(t.Home, "boards"), nil
	}
	return t.Boards(t.dir)
}

// boardDeadline limits the time for the board if a server holds it, since that server
// may be down. The other parts of the answer keep their time.
func (t *turn) boardDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if dir, err := t.boards(); !ok || err != nil || filepath.IsAbs(dir) {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(end)/4)
}

// gate says whether the run's gate is open by the policy of the session's directory, and what keeps it closed; ""
// without a run. If the board cannot be read, it says so: that is not an open gate.
func (t *turn) gate(ctx context.Context) string {
	ctx, cancel := t.boardDeadline(ctx)
	defer cancel()
	b, run, err := t.openRun(ctx)
	if run == "" {
		return ""
	}
	var v board.Verdict
	if err == nil {
		defer b.Close()
		by, err2 := check.PolicyOf(ctx, b, t.dir)
		if err2 != nil {
			t.logError("read the run's policy", err2)
			return fmt.Sprintf("## Run %s\nCannot read %s, the policy of this run's gate, so "+
				"the gate is unknown: `board gate` shows the error.", run, check.PolicyName)
		}
		v, err = b.Gate(ctx, by.Gate)
	}
	if err != nil {
		switch {
		case errors.Is(err, fault.NotFound):
			var names []string // on an error there is no suggestion
			if dir, err := t.boards(); err == nil {
				names, _ = board.RunNames(dir)
			}
			return strings.TrimSpace(fmt.Sprintf("## Run %s\nThis run does not exist yet; the "+
				"first `board post` creates it. %s", run, fault.DidYouMean(run, names)))
		case errors.Is(err, fault.Invalid):
			return fmt.Sprintf("## Run %s\n$BOARD_RUN is not a valid run name: use letters, "+
				"digits, - _ and .", run)
		}
		t.logError("read the run's gate", err)
		return fmt.Sprintf("## Run %s\nCannot read this run's board, so its gate is unknown: "+
			"`board gate` shows the error.", run)
	}
	if v.Open {
		return fmt.Sprintf("## Run %s\nThe gate is open. `board show` has the findings.", run)
	}
	return fmt.Sprintf("## Run %s\nThe gate is closed; `board gate` says how to open it:%s", run,
		blocking(v.Reasons))
}

// mostBlocking is how many reasons for a closed gate are told.
const mostBlocking = 5

// blocking lists what keeps a gate closed, with the text of each question.
func blocking(reasons []board.Reason) (list string) {
	for _, r := range reasons[:min(len(reasons), mostBlocking)] {
		what := r.Content
		if r.ID != "" {
			what = fmt.Sprintf("%s %s: %s", r.ID, cmp.Or(r.Priority, r.Rule), r.Content)
		}
		list += "\n- " + oneLine(what, 300)
	}
	if n := len(reasons) - mostBlocking; n > 0 {
		list += fmt.Sprintf("\n- and %d more", n)
	}
	return list
}

// signals returns the run's open signals that this worker has claimed, that are for it, or that
// name it as @WORKER, and that are new to the session. It needs $BOARD_RUN and $BOARD_WORKER.
func (t *turn) signals(ctx context.Context, r *room, given *sessionState) (part string,
	ids []string) {
	worker := t.Env("BOARD_WORKER")
	if worker == "" {
		return "", nil
	}
	ctx, cancel := t.boardDeadline(ctx)
	defer cancel()
	b, run, err := t.openRun(ctx)
	if run == "" {
		return "", nil
	}
	if err != nil {
		t.logError("open the run", err)
		return "", nil
	}
	defer b.Close()
	// No limit: signals that only mention a longer name, or were given, are dropped.
	found, err := b.Signals(ctx, board.SignalQuery{Statuses: []string{board.SignalOpen},
		For: worker})
	if err != nil {
		t.logError("read the run's questions", err)
		return "", nil
	}
	mention, err := regexp.Compile(`(?:^|[^\w@])@` + regexp.QuoteMeta(worker) + `(?:$|[^\w-])`)
	if err != nil {
		t.logError("match $BOARD_WORKER", err)
		return "", nil
	}
	heading := fmt.Sprintf("## Open questions of run %s for %s (`board answer ID` answers "+
		"one)", run, oneLine(worker, 60))
	for _, s := range found.Signals {
		key := run + "/" + s.ID
		why := ""
		switch {
		case given.has(key) || len(ids) == maxSignals:
			continue
		case s.ClaimedBy == worker && s.ClaimedAt(t.now):
			why = "claimed"
		case s.To == worker || mention.MatchString(s.Content):
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
