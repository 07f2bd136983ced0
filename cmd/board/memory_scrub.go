package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/kb/memory"
)

// scrubbedKinds are what a manifest counts, in the order in which it is told, and what each is called.
var scrubbedKinds = []struct{ kind, one, many string }{
	{"live", "live item", "live items"}, {"archived", "archived item", "archived items"}, {"forgotten", "forgotten item", "forgotten items"}, {"private", "of them private to an agent", "of them private to an agent"},
	{"named", "named entry", "named entries"}, {"journal", "journal entry", "journal entries"}, {"core", "core memory", "core memories"}, {"scratch", "working note", "working notes"},
	{"revisions", "revision", "revisions"}, {"conversations", "conversation", "conversations"},
	{"channels", "channel of its own", "channels of its own"},
}

func (p *program) memoryScrubCommand() *cli.Command {
	return &cli.Command{
		Name: "scrub", Usage: "remove for good; first a dry run", ArgsUsage: "SCOPE",
		Description: `SCOPE is workspace, account, channel:NAME or conversation:REF. Of the workspace
and the account the journals and core memories of all agents go too, and with
--mode full the named entries. Without --execute it prints what would be removed
and a hash that stands for exactly that; --execute takes the hash, and refuses
if anything has changed since. The entry in the log stays. An agent needs the
grant scrub, or scrub:MODE; --mode all is board memory workspace rm.`,
		Flags: memoryFlags(scrubFlags(
			&cli.StringFlag{Name: "mode", Usage: "`MODE`: " + strings.Join(memory.ScrubModes, ", "), Value: memory.ScrubKeepNamed},
			&cli.BoolFlag{Name: "purge", Usage: "a conversation itself too, with the working notes of all agents"},
		)...),
		Action: p.inMemory(p.memoryScrub),
	}
}

func scrubFlags(more ...cli.Flag) []cli.Flag {
	return append(more,
		&cli.BoolFlag{Name: "execute", Usage: "do it"},
		&cli.StringFlag{Name: "confirm", Usage: "the `HASH` of what is to be removed"},
	)
}

func (p *program) memoryWorkspaceCommand() *cli.Command {
	return &cli.Command{
		Name: "workspace", Usage: "the memory of a directory as a whole: rm",
		Subcommands: []*cli.Command{{
			Name: "rm", Usage: "remove it for good; first a dry run", ArgsUsage: "[DIRECTORY]",
			Description: `All of one workspace: its items, conversations, channels, named entries, the
journals and notes of all agents, its log and its file. DIRECTORY is this
workspace's by default, and one of board memory workspaces, gone or not.
Without --execute it prints what would be removed and a hash that stands for
exactly that, as scrub does. The account's log keeps that it was done. An
agent needs the grant scrub:all.`,
			Flags: memoryFlags(scrubFlags()...), Action: p.memoryWorkspaceRemove,
		}},
	}
}

func (p *program) memoryWorkspaceRemove(c *cli.Context) error {
	opt, err := p.memoryOptions(c)
	if err != nil {
		return err
	}
	home, err := p.dataHome()
	if err != nil {
		return err
	}
	if c.NArg() > 0 {
		if opt.Workspace, err = p.rememberedWorkspace(c, home); err != nil {
			return err
		}
	}
	s, err := memory.Open(home, opt)
	if err != nil {
		return err
	}
	defer s.Close()
	return p.scrub(c, s, memory.ScrubQuery{Scope: memory.Scope{Tier: memory.Workspace}, Mode: memory.ScrubAll})
}

// rememberedWorkspace is the workspace that a command names: as it stands among those
// that have a memory, since it may be gone, else the one that the directory is in.
func (p *program) rememberedWorkspace(c *cli.Context, home string) (string, error) {
	name, err := onlyOne(c, "directory")
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

func (p *program) memoryScrub(c *cli.Context, s *openedMemory) error {
	name, err := onlyOne(c, "scope")
	if err != nil {
		return err
	}
	q := memory.ScrubQuery{Mode: c.String("mode"), Purge: c.Bool("purge")}
	if q.Scope, err = memory.ParseScope(name); err != nil {
		return err
	}
	return p.scrub(c, s.Store, q)
}

// scrub shows what a scrub would remove, or executes it.
func (p *program) scrub(c *cli.Context, s *memory.Store, q memory.ScrubQuery) error {
	if c.IsSet("confirm") && !c.Bool("execute") {
		return usagef("`board memory scrub --help` shows how the two go together", "--confirm is given, but nothing is to be executed")
	}
	if !c.Bool("execute") {
		m, err := s.ScrubManifest(c.Context, q)
		if err != nil {
			return err
		}
		if c.Bool("json") {
			return p.json("manifest", m, "executed", false, "event", nil, "notes", []string{})
		}
		p.printManifest(&m)
		return nil
	}
	r, err := s.Scrub(c.Context, q, c.String("confirm"))
	if err != nil {
		return err
	}
	return p.answer(c, nil, func() {
		p.printf("removed from %s for good: %s\n", r.Scope, scrubbedText(r.Counts))
		for _, n := range r.Notes {
			p.talk("note: %s", safe(n))
		}
	}, "manifest", r.Manifest, "executed", true, "event", r.Event, "notes", r.Notes)
}

func scrubbedText(counts map[string]int) string {
	var parts []string
	for _, k := range scrubbedKinds {
		if n := counts[k.kind]; n > 0 {
			parts = append(parts, count(int64(n), k.one, k.many))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}

func (p *program) printManifest(m *memory.Manifest) {
	if m.Empty() {
		p.printf("there is nothing to remove in %s\n", m.Scope)
		return
	}
	p.printf("would be removed from %s for good: %s\n", m.Scope, scrubbedText(m.Counts))
	if len(m.Sample) > 0 {
		what := "all"
		all := 0
		for _, kind := range []string{"live", "archived", "forgotten", "journal", "core", "named"} {
			all += m.Counts[kind]
		}
		if all > len(m.Sample) {
			what = fmt.Sprintf("%d of %d", len(m.Sample), all)
		}
		p.printf("ids (%s): %s\n", what, safe(strings.Join(m.Sample, " ")))
	}
	p.printf("hash: %s\n", m.Hash)
	p.talk("nothing is removed yet: --execute --confirm HASH removes exactly this, for good")
}
