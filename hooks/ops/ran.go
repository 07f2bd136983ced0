package ops

import (
	"context"
	"fmt"

	"blackboard/board"
	"blackboard/board/op"
	"blackboard/hooks/harness"
)

// claimRan holds commands that a worker says to have run against what hooks saw of it. First
// it completes that from the harness's own record, where one can be read.
func claimRan(ctx context.Context, h Runs, b *board.Board, worker, entry string, exit int,
	commands ...string) (all []board.RanClaim, err error) {
	if err := compareReceipts(ctx, b, worker); err != nil {
		h.Note(fmt.Sprintf("the harness's own record was not read: %s", board.Line(err.Error(), 200)))
	}
	for _, command := range commands {
		c, err := b.ClaimRan(ctx, worker, board.RanClaim{Entry: entry, Command: command, Dir: h.Dir(),
			Exit: exit})
		if err != nil {
			return all, err
		}
		all = append(all, c)
	}
	return all, nil
}

// heldRan holds a finding whose source is a command ("go test ./... @ exit 0") against what hooks saw; nil for other
// sources, and after an error, which is noted.
func heldRan(ctx context.Context, h Runs, b *board.Board, who string, e *board.Entry) *board.RanClaim {
	exit, ok := board.SourceExit(e.SourceRef)
	if !ok {
		return nil
	}
	said, err := claimRan(ctx, h, b, who, e.ID, exit, e.SourceDoc)
	if err != nil {
		h.Note(fmt.Sprintf("%s was not checked: %s", e.ID, board.Line(err.Error(), 200)))
		return nil
	}
	return &said[0]
}

// compareReceipts compares what hooks saw of a worker with the harness's own record, which
// also has the exit codes that hooks are not told.
func compareReceipts(ctx context.Context, b *board.Board, worker string) error {
	seen, err := b.Receipts(ctx)
	if err != nil {
		return err
	}
	open := map[string]map[string]*board.Receipt{} // by record, and by call
	for i := range seen {
		r := &seen[i]
		of := harness.ByName(r.Harness)
		if r.Worker != worker || r.Compared != "" || r.Command == "" || r.Transcript == "" || r.Use == "" ||
			of == nil || !of.Settles() {
			continue
		}
		if open[r.Transcript] == nil {
			open[r.Transcript] = map[string]*board.Receipt{}
		}
		open[r.Transcript][r.Use] = r
	}
	var later []board.Receipt
	for record, calls := range open {
		for _, r := range calls {
			known, err := harness.ByName(r.Harness).Settle(record, func(u *harness.Use) bool { return calls[u.ID] != nil })
			if err != nil {
				return err
			}
			for i := range known {
				later = append(later, calls[known[i].ID].CompareExit(known[i].ExitCode))
			}
			break
		}
	}
	return b.CompareReceipts(ctx, worker, later)
}

func printRan(p *op.Page, c *board.RanClaim) {
	color := op.Red
	if c.Holds {
		color = op.Green
	} else if c.IsUnknown() {
		color = op.Yellow
	}
	p.Printf("%s\n", p.Paint(color, p.Line("ran "+c.Describe(), 400)))
}
