package memorycmd

import (
	"encoding/json"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
	"blackboard/kb/memory"
)

func (p *program) memoryUpkeepCommands() []*cli.Command {
	return append([]*cli.Command{p.operation(&ops.MemoryConsolidate), p.operation(&ops.MemoryRestore), p.memoryScrubCommand()},
		&cli.Command{
			Name: "events", Usage: "list changes, the newest last",
			Description: `Lists who did what to which item, and by which rule; never the content. Events
are never deleted, not even by a scrub. Events of other agents' private items
are left out.`,
			Flags: memoryFlags(
				&cli.StringFlag{Name: "tier", Usage: "only of this `TIER`: " + strings.Join(memory.Tiers, ", ")},
				&cli.StringFlag{Name: "subject",
					Usage: "only of this `ID`: an item, a note, a conversation, named:NAME"},
				base.LimitFlag(),
			),
			Action: p.inMemory(p.memoryEvents),
		},
		&cli.Command{
			Name: "workspaces", Usage: "list the directories that have a memory",
			Flags: []cli.Flag{base.JSONFlag()}, Action: p.memoryWorkspaces,
		},
		p.memoryAdoptCommand(),
	)
}

type workspaceInfo struct {
	Directory string `json:"directory"`
	There     bool   `json:"there"` // it is still a directory
	Bytes     int64  `json:"bytes"`
}

func (p *program) memoryWorkspaces(c *cli.Context) error {
	home, err := p.DataHome()
	if err != nil {
		return err
	}
	dirs, err := memory.Workspaces(c.Context, home)
	if err != nil {
		return err
	}
	all := []workspaceInfo{}
	for _, dir := range dirs {
		w := workspaceInfo{Directory: dir}
		if info, err := os.Stat(dir); err == nil {
			w.There = info.IsDir()
		}
		if info, err := os.Stat(memory.WorkspacePath(home, dir)); err == nil {
			w.Bytes = info.Size()
		}
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b workspaceInfo) int {
		return strings.Compare(a.Directory,
			b.Directory)
	})
	return p.Answer(c, nil, func() {
		for _, w := range all {
			p.Printf("%8s  %s%s\n", base.Megabytes(w.Bytes), base.Safe(w.Directory),
				map[bool]string{false: p.Paint(base.Yellow,
					"  not found; if it has moved, run board memory adopt in the new place")}[w.There])
		}
		if len(all) == 0 {
			p.EndList(0, false, "workspaces")
		}
	}, "workspaces", all)
}

func (p *program) memoryEvents(c *cli.Context, s *memory.Store) error {
	limit, err := base.Limit(c)
	if err != nil {
		return err
	}
	all, err := memoryEvents(c, s)
	if err != nil {
		return err
	}
	more := limit > 0 && len(all) > limit
	if more {
		all = all[len(all)-limit:]
	}
	return p.Answer(c, nil, func() {
		if more {
			p.Messagef("the newest %d are shown; --limit 0 shows all", limit)
		}
		for i := range all {
			e := &all[i]
			text := e.Verb + " " + e.Subject
			if e.Other != "" {
				text += " → " + e.Other
			}
			if e.Scope != "" && e.Scope != e.Subject {
				text += " in " + e.Scope
			}
			if e.Why != "" {
				text += ": " + base.Line(e.Why, 200)
			}
			p.Printf("%s  %s  %s\n", base.FormatTime(e.At), base.Line(e.Actor, 30), base.Safe(text))
			if data := eventData(e); data != "" {
				p.Printf("       %s\n", p.Paint(base.Dim, data))
			}
		}
		if len(all) == 0 {
			p.EndList(0, false, "events")
		}
	}, "events", all, "more", more)
}

// eventData returns the details of an event as text, "" if it has none to show.
func eventData(e *memory.Event) string {
	var scrubbed memory.Manifest
	var pass memory.Consolidated
	switch {
	case (e.Verb == memory.VerbScrubbed || e.Verb == memory.VerbPurged ||
		e.Verb == memory.VerbRemoved) && json.Unmarshal(e.Data, &scrubbed) == nil:
		return base.Safe(scrubbed.Mode) + ": " + ops.Scrubbed(scrubbed.Counts)
	case e.Verb == memory.VerbConsolidate && json.Unmarshal(e.Data, &pass) == nil:
		return ops.Consolidated(&pass)
	}
	return ""
}

// memoryEvents reads logs that the caller may read. A log has the events of all its file's tiers.
func memoryEvents(c *cli.Context, s *memory.Store) ([]memory.Event, error) {
	only := c.String("tier")
	limit := c.Int("limit")
	if limit > 0 {
		limit++
	}
	if c.IsSet("tier") {
		all, err := s.Events(c.Context, only, c.String("subject"), 0)
		return slices.DeleteFunc(all, func(e memory.Event) bool {
			tier, _, _ := strings.Cut(e.Scope, ":")
			return tier != only
		}), err
	}
	all := []memory.Event{}
	for _, file := range [][]string{{memory.Conversation, memory.Channel, memory.Workspace},
		{memory.Account}} {
		at := slices.IndexFunc(file, s.Reaches)
		if at < 0 {
			continue
		}
		events, err := s.Events(c.Context, file[at], c.String("subject"), limit)
		if err != nil {
			return nil, err
		}
		all = append(all, events...)
	}
	slices.SortStableFunc(all, func(a, b memory.Event) int { return a.At.Compare(b.At) })
	return all, nil
}
