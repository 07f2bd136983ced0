package kbcmd

import (
	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
	"blackboard/kb"
)

func (p *program) kbCurateCommands() []*cli.Command {
	return []*cli.Command{
		p.operation(&ops.KBIngest, &cli.BoolFlag{Name: "no-embed",
			Usage: "store without embeddings; `board kb reembed` adds them"}, base.WorkerFlag()),
		p.operation(&ops.KBCurate, base.WorkerFlag()),
	}
}

// refused prints what was not stored. It returns exit code 1 if there is any.
func (p *program) refused(all []kb.Refused, asJSON bool) error {
	if len(all) == 0 {
		return nil
	}
	if !asJSON {
		for _, r := range all {
			p.Messagef("refused: %s: %s", base.Safe(r.From), base.Safe(r.Why))
		}
	}
	return base.ExitError(base.ExitFailure)
}
