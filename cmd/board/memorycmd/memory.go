package memorycmd

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"blackboard/board/disk"
	"blackboard/cmd/board/base"
	kbhome "blackboard/kb/home"
	"blackboard/kb/memory"
)

func (p *program) memoryCommand() *cli.Command {
	return &cli.Command{
		Name: "memory", Aliases: []string{"mem"}, Category: base.CategoryKnow,
		Usage: "what agents remember: put, read, journal, orient, consolidate and more",
		Description: `Items are in four tiers: conversation, channel, workspace, account. Each agent
has its own journal and core memories; conversations have working notes. board
help memory explains what goes where, who sees it, and how long it is kept.`,
		Subcommands: slices.Concat(p.memoryItemCommands(), p.namedAndAgentCommands(),
			p.memoryTalkCommands(), p.memoryUpkeepCommands(), p.memoryMoveCommands()),
	}
}

// memoryFlags are the flags of every memory command: who asks, where, in which format.
func memoryFlags(more ...cli.Flag) []cli.Flag {
	return slices.Concat(more, speakerFlags(), []cli.Flag{base.JSONFlag()})
}

// speakerFlags say who asks for which memory.
func speakerFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "agent",
			Usage: "`WHO` asks; default $BOARD_WORKER, else the harness, else a person at a terminal"},
		&cli.BoolFlag{Name: "author",
			Usage: "a person asks, although stdin is not a terminal; needs --reason"},
		&cli.StringFlag{Name: "reason", Usage: "`REASON` of the author; it is logged"},
		base.WorkspaceFlag("the `DIRECTORY` whose memory it is"),
	}
}

// openMemory opens the memory for its caller (setSpeaker), with grants of the environment, which
// the agent's starter controls, and a model if wanted and usable.
func (p *program) openMemory(c *cli.Context, withModel bool) (*memory.Store, func(), error) {
	opt, err := p.memoryOptions(c)
	if err != nil {
		return nil, nil, err
	}
	home, err := p.DataHome()
	if err != nil {
		return nil, nil, err
	}
	if withModel {
		if opt.Embedder, err = p.UsableEmbedder(c.Context); err != nil {
			return nil, nil, err
		}
	}
	r := &Resolver{program: p, workspace: opt.Workspace}
	opt.Resolve = r.Resolve
	s, err := kbhome.Memory(home, opt)
	if err != nil {
		return nil, nil, err
	}
	r.memory = s
	if opt.Embedder != nil { // the command has the model: without a daemon nobody else has
		ctx, cancel := context.WithTimeout(c.Context, 10*backfillWithin)
		_, _ = s.Backfill(ctx, backfillWithin) // what fails here is said by what lacks its embedding
		cancel()
	}
	if memory.HasMemory(home, opt.Workspace) {
		if err := kbhome.Recognise(c.Context, home, opt.Workspace); err != nil {
			p.Messagef("this repository will not be known again once it has moved: %s",
				base.Safe(err.Error()))
		}
	}
	return s, func() { r.Close(); s.Close() }, nil
}

// backfillWithin is how long a command may embed what others have left without an embedding.
const backfillWithin = 250 * time.Millisecond

// inMemory is the action of a command that needs the memory, but no model.
func (p *program) inMemory(fn func(*cli.Context, *memory.Store) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		s, done, err := p.openMemory(c, false)
		if err != nil {
			return err
		}
		defer done()
		return fn(c, s)
	}
}

func (p *program) memoryOptions(c *cli.Context) (opt memory.Options, err error) {
	if opt.Workspace, err = p.remembered(c); err != nil {
		return opt, err
	}
	opt.Session = cmp.Or(p.Env("BOARD_SESSION"), p.Env("BOARD_CONVERSATION"))
	if err = p.setSpeaker(c, &opt); err != nil {
		return opt, err
	}
	opt.KeepSecrets = c.Bool("force")
	return opt, p.MemoryEnvironment(&opt)
}

// remembered returns the workspace of a command. A directory that --workspace names may be gone if it has a memory.
func (p *program) remembered(c *cli.Context) (string, error) {
	dir, err := filepath.Abs(c.String("workspace"))
	if home, err2 := p.DataHome(); err == nil && err2 == nil && c.IsSet("workspace") && !disk.Exists(dir) &&
		memory.HasMemory(home, dir) {
		return dir, nil
	}
	return p.Workspace(c)
}

// scriptAgent is the agent's name in a shell without a harness, a person or a name.
const scriptAgent = "script"

// setSpeaker sets who asks. The author is a person at a terminal, outside of harnesses
// and without a worker's name; other authors need --author and a reason.
func (p *program) setSpeaker(c *cli.Context, opt *memory.Options) error {
	opt.Agent = p.AgentName()
	switch {
	case c.IsSet("author") && c.IsSet("agent"):
		return base.Usagef("leave one out: the author is not an agent",
			"both --author and --agent are given")
	case c.Bool("author"):
		opt.Reason = strings.TrimSpace(c.String("reason"))
		if opt.Reason == "" {
			return base.Usagef("add --reason 'who wants it, and why'",
				"--author needs a reason, which is logged")
		}
		opt.Actor = cmp.Or(opt.Agent, p.WorkerName(c))
		opt.Agent, opt.Author = "", true
		return nil
	case c.IsSet("reason") && !slices.ContainsFunc(c.Command.Flags,
		func(f cli.Flag) bool { return f.Names()[0] == "why" }): // a change has one, too
		return base.Usagef("leave it out, or add --author", "--reason is only for the author")
	case c.IsSet("agent"):
		// --agent "" is a name that a script has lost: it must not make the caller the author.
		if opt.Agent = c.String("agent"); opt.Agent == "" {
			return base.Usagef("name the agent; without --agent it is $BOARD_WORKER, the harness, or "+
				"whoever is at the terminal", "--agent is empty")
		}
	case opt.Agent == "" && p.Terminal && base.IsTerminal(p.In):
		opt.Author, opt.Actor = true, p.WorkerName(c)
		return nil
	}
	opt.Agent = cmp.Or(opt.Agent, scriptAgent)
	opt.Actor = opt.Agent
	return nil
}
