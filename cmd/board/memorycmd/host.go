package memorycmd

import (
	"context"
	"io"

	"github.com/urfave/cli/v2"

	"blackboard/board/op"
	"blackboard/cmd/board/base"
	"blackboard/kb/memory"
)

type host struct {
	*program
	c *cli.Context
}

func (p *program) operation(o op.Any, more ...cli.Flag) *cli.Command {
	return p.Operation(o, func(c *cli.Context) any { return &host{p, c} },
		append(more, speakerFlags()...)...)
}

func (h *host) Memory(_ context.Context, meaning bool, fn func(*memory.Store) error) error {
	return base.With(h.openMemory(h.c, meaning && !h.c.Bool("no-embed")))(fn)
}

// MayRead, like the next ones, allows all: the memory checks what the environment lets one do.
func (h *host) MayRead(string) error  { return nil }
func (h *host) MayWrite(string) error { return nil }
func (h *host) MayUse(string) error   { return nil }
func (h *host) Owns(string) error     { return nil }

func (h *host) Tidy(ctx context.Context, _ bool, fn func(*memory.Store) error) error {
	return h.Memory(ctx, false, fn)
}

func (h *host) Open(name, what string) (io.Reader, func(), error) { return h.OpenNamed(name, what) }

func (h *host) UsualTiers() []string { return []string{memory.Workspace} }

func (h *host) Empty(m *memory.Store) {
	if home, err := h.DataHome(); err == nil {
		h.noteMemoryAbove(home, m.Workspace())
	}
}

func (h *host) Talk(named string) string {
	if named == "" && !h.c.IsSet("conversation") {
		return h.Env("BOARD_CONVERSATION")
	}
	return named
}
