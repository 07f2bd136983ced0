// Package kbcmd has the commands of the knowledge base: `board kb`.
//
// kb.go has the group, what its commands share, remember and search; open.go opens the
// knowledge base; the other files are named for what their commands do.
package kbcmd

import (
	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
)

type program struct{ *base.Program }

func Command(b *base.Program) *cli.Command { return (&program{b}).kbCommand() }
