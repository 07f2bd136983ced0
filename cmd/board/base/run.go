package base

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/user"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/hooks/harness"
	kbhome "blackboard/kb/home"
	"blackboard/kb/memory"
	"blackboard/kb/secret"
)

func (p *Program) RunName(c *cli.Context) (string, error) {
	name := c.String("run")
	if !c.IsSet("run") {
		name = p.Env("BOARD_RUN")
	}
	return name, board.CheckRun(name)
}

// WorkerName is the acting worker: --worker, else $BOARD_WORKER, else the login name.
func (p *Program) WorkerName(c *cli.Context) string {
	if name := p.NamedWorker(c); name != "" || c.IsSet("worker") {
		return name
	}
	for _, name := range []string{"USER", "LOGNAME", "USERNAME"} {
		if v := p.Env(name); v != "" {
			return v
		}
	}
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "anonymous"
}

// NamedWorker is --worker or $BOARD_WORKER, "" if neither is given.
func (p *Program) NamedWorker(c *cli.Context) string {
	if c.IsSet("worker") {
		return c.String("worker")
	}
	return p.Env("BOARD_WORKER")
}

// AgentName is the environment's agent: $BOARD_WORKER, else the shell's harness, or "".
func (p *Program) AgentName() string {
	return cmp.Or(p.Env("BOARD_WORKER"),
		harness.Speaking(p.Env))
}

func (p *Program) OpenRun(c *cli.Context) (*board.Board, error) {
	return p.OpenRunWith(c, kbhome.Run)
}

// OpenOrCreateRun opens the board of a run for a first write, which creates the run
// unless --no-create or $BOARD_CREATE forbids it.
func (p *Program) OpenOrCreateRun(c *cli.Context) (*board.Board, error) {
	off, err := p.CreationOff()
	if err != nil {
		return nil, err
	}
	if !off && !c.Bool("no-create") {
		return p.OpenRunWith(c, kbhome.RunToPost)
	}
	b, err := p.OpenRun(c)
	if errors.Is(err, fault.NotFound) {
		name, _ := p.RunName(c) // it was good enough to look for
		err = fault.With(err, fault.DidYouMean(name,
			p.RunNames())+"`board runs` lists the runs; `board start` creates one; --no-create or "+
			"$BOARD_CREATE=off keeps this command from it")
	}
	return b, err
}

// CreationOff reports $BOARD_CREATE off: only `board start` and an import create runs.
func (p *Program) CreationOff() (bool, error) {
	switch v := p.Env("BOARD_CREATE"); v {
	case "", "on":
		return false, nil
	case "off":
		return true, nil
	default:
		return false, Usagef("set it to on or off", "invalid $BOARD_CREATE %q", v)
	}
}

// OpenRunWith opens the command's run with one of package board's functions.
func (p *Program) OpenRunWith(c *cli.Context, open func(context.Context, string,
	string) (*board.Board, error)) (*board.Board, error) {
	name, err := p.RunName(c)
	if err != nil {
		return nil, err
	}
	dir, err := p.BoardsDir()
	if err != nil {
		return nil, err
	}
	p.MaskSecrets(c)
	b, err := open(c.Context, dir, name)
	if errors.Is(err, fault.NotFound) {
		if meant := fault.DidYouMean(name, p.RunNames()); meant != "" {
			err = fault.With(err, meant+"`board runs` lists the runs")
		}
	}
	return b, err
}

// MaskSecrets has the command's writes to boards and the context store mask what looks
// like a secret, and tell so, unless --force keeps it.
func (p *Program) MaskSecrets(c *cli.Context) {
	c.Context = secret.Writing(c.Context, c.Bool("force"), func(notes []string) {
		p.Messagef("note: %s", Safe(secret.Note(notes, "--force")))
	})
}

// RunNames are the names of all runs, for completion and suggestions.
func (p *Program) RunNames() []string {
	dir, err := p.BoardsDir()
	if err != nil {
		return nil
	}
	runs, _ := board.RunNames(dir)
	return runs
}

// MemoryEnvironment reads grants, tiers and decay as whoever starts an agent has set them.
func (p *Program) MemoryEnvironment(opt *memory.Options) (err error) {
	opt.Grants, _ = p.EnvList("BOARD_MEMORY_GRANTS")
	for _, g := range opt.Grants {
		if err := memory.CheckGrant(g); err != nil {
			return fmt.Errorf("$BOARD_MEMORY_GRANTS: %w", err)
		}
	}
	if ref := p.Env("BOARD_CONVERSATION"); ref != "" {
		opt.Grants = append(opt.Grants, memory.GrantConversation(ref))
	}
	if tiers, set := p.EnvList("BOARD_MEMORY_TIERS"); set {
		opt.Tiers = tiers
		for _, t := range tiers {
			if !slices.Contains(memory.Tiers, t) {
				return Usagef("choose among "+strings.Join(memory.Tiers, ", "),
					"$BOARD_MEMORY_TIERS: unknown tier %q", t)
			}
		}
	}
	if opt.Rates, err = memory.ParseRates(p.Env("BOARD_MEMORY_DECAY")); err != nil {
		return fmt.Errorf("$BOARD_MEMORY_DECAY: %w", err)
	}
	return nil
}

// OnBoard returns what calls a function with a board that was opened, and closes the board; or what returns the error
// of opening it.
func OnBoard(b *board.Board, err error) func(func(*board.Board) error) error {
	return With(b, func() { b.Close() }, err)
}

// With is OnBoard for any store; done closes it.
func With[T any](store T, done func(), err error) func(func(T) error) error {
	return func(fn func(T) error) error {
		if err != nil {
			return err
		}
		defer done()
		return fn(store)
	}
}
