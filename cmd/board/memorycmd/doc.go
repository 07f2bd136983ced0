// Package memorycmd has the commands of what agents remember: `board memory` and `board
// context`.
//
// memory.go has the group and what its commands share; the other files are named for what
// their commands do, and those of the context store begin with context. derived.go says
// whether what an item was derived from has changed; MCP and the screen use it too.
package memorycmd

import (
	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/kb/memory"
)

type program struct{ *base.Program }

func Command(b *base.Program) *cli.Command { return (&program{b}).memoryCommand() }

func ContextCommand(b *base.Program) *cli.Command { return (&program{b}).contextCommand() }

// NewResolver returns a resolver for the items of a workspace. s resolves references to
// other items; nil: they are not resolved.
func NewResolver(b *base.Program, workspace string, s *memory.Store) *Resolver {
	return &Resolver{program: &program{b}, workspace: workspace, memory: s}
}
