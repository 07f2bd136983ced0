package kbcmd

import (
	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/cmd/board/base"
	"blackboard/kb"
	"blackboard/kb/secret"
)

// askingRun returns the run within which a question is asked, "" for none. An invalid $BOARD_RUN is only noted: the
// question is answered.
func (p *program) askingRun(c *cli.Context) (string, error) {
	name, err := p.RunName(c)
	if err == nil || c.IsSet("run") {
		return name, err
	}
	if name != "" {
		p.Messagef("note: cannot record on the board what was given: %s", base.Safe(err.Error()))
	}
	return "", nil
}

// recordGiven records on the board of a run what was given. Its failure is only noted,
// and it creates no run.
func (p *program) recordGiven(c *cli.Context, run string, r board.Retrieval) {
	if run == "" || len(r.Capsules) == 0 {
		return
	}
	r.Task = secret.Redact(r.Task)
	err := base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		return b.Retrieved(c.Context, p.WorkerName(c), r)
	})
	if err != nil {
		p.Messagef("note: cannot record on the board what was given: %s", base.Safe(err.Error()))
	}
}

// usage returns which runs were given a capsule, and what they did with it.
func (p *program) usage(c *cli.Context, k *kb.KB, capsule *kb.Capsule) (board.Usage, error) {
	history, err := k.History(c.Context, capsule.ID)
	if err != nil {
		return board.Usage{}, err
	}
	dir, err := p.BoardsDir()
	if err != nil {
		return board.Usage{}, err
	}
	return board.UsageOf(c.Context, dir, capsule.ID, capsule.Created, kb.ConfirmedBy(history))
}
