// Package runcmd has the commands about one run: post and settle, look, judge, import and
// export.
//
// From the first command of a run to the last: runs.go, post.go, source.go, state.go, show.go
// and watch.go, then what judges a run (judge.go: policies, formats), and move.go.
package runcmd

import (
	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
)

type program struct{ *base.Program }

// Groups are the commands' makers in the help's order. A line needs few of them.
func Groups(b *base.Program) []func() []*cli.Command {
	p := &program{b}
	return []func() []*cli.Command{
		p.runCommands, p.postCommands, p.signalCommands, p.expectCommands, p.showCommands,
		p.stateCommands,
		p.judgeCommands, p.findingCommands, p.watchCommands, p.moveCommands,
	}
}

// JudgeCommands are the commands that judge a run, which programs call most.
func JudgeCommands(b *base.Program) []*cli.Command { return (&program{b}).judgeCommands() }

// Remove is the action of `board rm` and of `board database drop-run`.
func Remove(b *base.Program, c *cli.Context) error { return (&program{b}).rm(c) }
