package memorycmd

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	kbhome "blackboard/kb/home"
	"blackboard/kb/memory"
)

// scrubbedKinds are the counts of a manifest, in the order of its text, with their
// names.
var scrubbedKinds = []struct{ kind, one, many string }{
	{"live", "live item", "live items"}, {"archived", "archived item", "archived items"},
	{"forgotten", "forgotten item", "forgotten items"}, {"private", "of them private to an agent",
		"of them private to an agent"},
	{"named", "named entry", "named entries"}, {"journal", "journal entry", "journal entries"},
	{"core", "core memory", "core memories"}, {"scratch", "working note", "working notes"},
	{"revisions", "revision", "revisions"}, {"conversations", "conversation", "conversations"},
	{"channels", "channel of its own", "channels of its own"},
}

func (p *program) memoryScrubCommand() *cli.Command {
	return &cli.Command{
		Name: "scrub", Usage: "delete items for good, after a dry run", ArgsUsage: "SCOPE",
		Description: `SCOPE is workspace, account, channel:NAME or conversation:REF. In the workspace
and the account this includes the journals and core memories of all agents, and
with --mode full the named entries. The command prints what it would delete and
a hash of that, and asks. Without a terminal it needs --confirm HASH, and refuses
if anything has changed since. The log records the scrub. An agent needs the
grant scrub, or scrub:MODE; --mode all is board memory workspace rm.`,
		Flags: memoryFlags(scrubFlags(
			&cli.StringFlag{Name: "mode",
				Usage: "`MODE`: " + strings.Join(memory.ScrubModes, ", "), Value: memory.ScrubKeepNamed},
			&cli.StringFlag{Name: "of", Usage: "only what is this `AGENT`'s own: private items, journal, " +
				"core, working notes"},
			&cli.BoolFlag{Name: "purge",
				Usage: "the conversation itself too, with the working notes of all agents"},
		)...),
		Action: p.inMemory(p.memoryScrub),
	}
}

func scrubFlags(more ...cli.Flag) []cli.Flag {
	return append(more,
		&cli.StringFlag{Name: "confirm",
			Usage: "do not ask: delete what the dry run with this `HASH` listed"},
		&cli.BoolFlag{Name: "execute", Usage: "old spelling; --confirm alone is enough"},
		base.DryRunFlag(),
	)
}

func (p *program) memoryWorkspaceCommand() *cli.Command {
	return &cli.Command{
		Name: "workspace", Usage: "the memory of a directory as a whole: rm",
		Subcommands: []*cli.Command{{
			Name: "rm", Usage: "delete it for good, after a dry run", ArgsUsage: "[DIRECTORY]",
			Description: `Deletes all of one workspace: its items, conversations, channels, named entries,
the journals and notes of all agents, its log and its file. DIRECTORY is one of
board memory workspaces, existing or not (default: this workspace). The command
prints what it would delete and asks, or needs --confirm HASH, as scrub does. The
account's log records it. An agent needs the grant scrub:all.`,
			Flags: memoryFlags(scrubFlags()...), Action: p.memoryWorkspaceRemove,
		}},
	}
}

func (p *program) memoryWorkspaceRemove(c *cli.Context) error {
	opt, err := p.memoryOptions(c)
	if err != nil {
		return err
	}
	home, err := p.DataHome()
	if err != nil {
		return err
	}
	if c.NArg() > 0 {
		if opt.Workspace, err = p.rememberedWorkspace(c, home); err != nil {
			return err
		}
	}
	s, err := kbhome.Memory(home, opt)
	if err != nil {
		return err
	}
	defer s.Close()
	return p.scrub(c, s, memory.ScrubQuery{Scope: memory.Scope{Tier: memory.Workspace},
		Mode: memory.ScrubAll})
}

// rememberedWorkspace is the workspace that a command names: a known one, since its
// directory may be gone, else that of the directory.
func (p *program) rememberedWorkspace(c *cli.Context, home string) (string, error) {
	name, err := base.OneArg(c, "directory")
	if err != nil {
		return "", err
	}
	dir, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	all, err := memory.Workspaces(c.Context, home)
	if err != nil || slices.Contains(all, dir) {
		return dir, err
	}
	return p.workspaceOf(dir)
}

func (p *program) memoryScrub(c *cli.Context, s *memory.Store) error {
	name, err := base.OneArg(c, "scope")
	if err != nil {
		return err
	}
	q := memory.ScrubQuery{Mode: c.String("mode"), Purge: c.Bool("purge"), Of: c.String("of")}
	if q.Scope, err = memory.ParseScope(name); err != nil {
		return err
	}
	return p.scrub(c, s, q)
}

// scrub shows what a scrub would delete, or executes it.
func (p *program) scrub(c *cli.Context, s *memory.Store, q memory.ScrubQuery) error {
	hash := c.String("confirm")
	if !c.Bool("execute") && !c.IsSet("confirm") || c.Bool("dry-run") {
		m, err := s.ScrubManifest(c.Context, q)
		if err != nil {
			return err
		}
		if c.Bool("json") {
			return p.JSON("manifest", m, "executed", false, "event", nil, "notes", []string{})
		}
		p.printManifest(&m)
		if m.Empty() || c.Bool("dry-run") {
			return nil
		}
		if !base.IsTerminal(p.In) {
			p.Messagef("nothing was deleted; --confirm HASH deletes exactly this, for good")
			return nil
		}
		if err := p.ConfirmDelete(c, "this"); err != nil {
			return err
		}
		hash = m.Hash
	}
	r, err := s.Scrub(c.Context, q, hash)
	if err != nil {
		return err
	}
	return p.Answer(c, nil, func() {
		p.Printf("deleted from %s for good: %s\n", r.Scope, scrubbedText(r.Counts))
		for _, n := range r.Notes {
			p.Messagef("note: %s", base.Safe(n))
		}
	}, "manifest", r.Manifest, "executed", true, "event", r.Event, "notes", r.Notes)
}

func scrubbedText(counts map[string]int) string {
	var parts []string
	for _, k := range scrubbedKinds {
		if n := counts[k.kind]; n > 0 {
			parts = append(parts, base.Count(int64(n), k.one, k.many))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

func (p *program) printManifest(m *memory.Manifest) {
	if m.Empty() {
		p.Printf("nothing to delete in %s\n", m.Scope)
		return
	}
	p.Printf("would be deleted from %s for good: %s\n", m.Scope, scrubbedText(m.Counts))
	if len(m.Sample) > 0 {
		what := "all"
		all := 0
		for _, kind := range []string{"live", "archived", "forgotten", "journal", "core", "named"} {
			all += m.Counts[kind]
		}
		if all > len(m.Sample) {
			what = fmt.Sprintf("%d of %d", len(m.Sample), all)
		}
		p.Printf("ids (%s): %s\n", what, base.Safe(strings.Join(m.Sample, " ")))
	}
	p.Printf("hash: %s\n", m.Hash)
}
