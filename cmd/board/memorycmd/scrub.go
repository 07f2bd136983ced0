package memorycmd

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
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
grant scrub, or scrub:MODE. --mode all deletes all of one workspace, with its log and its file;
its directory, which --workspace names, may be gone. The account's log records it.`,
		Flags: memoryFlags(
			&cli.StringFlag{Name: "mode",
				Usage: "`MODE`: " + strings.Join(memory.ScrubModes, ", "), Value: memory.ScrubKeepNamed},
			&cli.StringFlag{Name: "of", Usage: "only what is this `AGENT`'s own: private items, journal, " +
				"core, working notes"},
			&cli.BoolFlag{Name: "purge",
				Usage: "the conversation itself too, with the working notes of all agents"},
			&cli.StringFlag{Name: "confirm",
				Usage: "do not ask: delete what the dry run with this `HASH` listed"},
			&cli.BoolFlag{Name: "execute", Usage: "old spelling; --confirm alone is enough"},
			base.DryRunFlag(),
		),
		Action: p.inMemory(p.memoryScrub),
	}
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
