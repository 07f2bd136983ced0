package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/kb/memory"
)

func (p *program) memoryUpkeepCommands() []*cli.Command {
	return append(p.memoryConsolidateCommands(),
		&cli.Command{
			Name: "reembed", Usage: "embed what has no embedding yet",
			Description: `Those that were stored without a model, and all of them after a change of
model. It goes in small steps, each of them kept, so an interrupted run is
continued by the same command.`,
			Flags: memoryFlags(), Action: p.memoryReembed,
		},
		&cli.Command{
			Name: "stats", Usage: "count what there is",
			Flags: memoryFlags(), Action: p.inMemory(p.memoryStats),
		},
		&cli.Command{
			Name: "eval", Usage: "measure how well questions find their items", ArgsUsage: "DIR…",
			Description: `DIR is a set in the layout of BEIR: corpus.jsonl, queries.jsonl and
qrels/SPLIT.tsv. In a document's "metadata" may stand tier, channel, importance,
age_days, accesses, accessed_days and tags. The set is put into a memory of its
own and its questions are asked: by words, and with the model if one is
installed; with every item as if put just now (fresh), with the ages of the set
(aged), and once more after a pass of consolidation (tidied). Plain full text search (SQLite's FTS5 with its porter stemmer) is
measured on the same items for comparison.`,
			Flags:  []cli.Flag{&cli.StringFlag{Name: "split", Usage: "use qrels/`NAME`.tsv; default test"}, jsonFlag()},
			Action: p.memoryEval,
		},
		&cli.Command{
			Name: "events", Usage: "list what was done, the newest last",
			Description: `Who did what to which item, and by which rule; never what somebody said.
Nothing removes events, a scrub included. What is private to others is left out.`,
			Flags: memoryFlags(
				tierFlag("only of this `TIER`: "+strings.Join(memory.Tiers, ", ")),
				&cli.StringFlag{Name: "subject", Usage: "only of this `ID`: an item, a note, a conversation, named:NAME"},
				limitFlag(),
			),
			Action: p.inMemory(p.memoryEvents),
		},
		&cli.Command{
			Name: "workspaces", Usage: "list the directories that have a memory",
			Flags: []cli.Flag{jsonFlag()}, Action: p.memoryWorkspaces,
		},
		p.memoryWorkspaceCommand(),
		&cli.Command{
			Name: "adopt", Usage: "make the memory of a directory that is gone this one's", ArgsUsage: "DIRECTORY",
			Description: `For a project that was moved: DIRECTORY is where it was. What is still a
project keeps its own; between two, there are export and import.`,
			Flags: memoryFlags(), Action: p.inMemory(p.memoryAdopt),
		},
	)
}

// workspaceInfo is a directory that has a memory.
type workspaceInfo struct {
	Directory string `json:"directory"`
	There     bool   `json:"there"` // it is still a directory
	Bytes     int64  `json:"bytes"`
}

func (p *program) memoryWorkspaces(c *cli.Context) error {
	home, err := p.dataHome()
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
	slices.SortFunc(all, func(a, b workspaceInfo) int { return strings.Compare(a.Directory, b.Directory) })
	return p.answer(c, nil, func() {
		for _, w := range all {
			p.printf("%8s  %s%s\n", megabytes(w.Bytes), safe(w.Directory), map[bool]string{false: p.paint(yellow, "  gone: where it is now, board memory adopt takes it over")}[w.There])
		}
		if len(all) == 0 {
			p.listEnd(0, false, "workspaces")
		}
	}, "workspaces", all)
}

func (p *program) memoryAdopt(c *cli.Context, s *openedMemory) error {
	dir, err := onlyOne(c, "directory")
	if err != nil {
		return err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if err := s.Adopt(c.Context, dir); err != nil {
		return err
	}
	return p.answer(c, nil, func() {
		p.printf("what was remembered in %s is %s's now\n", safe(dir), safe(s.Workspace()))
	}, "adopted", dir, "workspace", s.Workspace())
}

func (p *program) memoryReembed(c *cli.Context) error {
	p.embedsMuch = true
	s, done, err := p.openMemory(c, true)
	if err != nil {
		return err
	}
	defer done()
	bar := p.stepBar()
	r, err := s.Reembed(c.Context, 0, func(done, of int) { bar.show("embedding", done, of) })
	bar.clear()
	if err != nil {
		if errors.Is(err, fault.NoModel) {
			return embed.NoModel()
		}
		if r.Embedded > 0 {
			p.talk("%s have theirs; the same command continues", count(int64(r.Embedded), "item", "items"))
		}
		return err
	}
	return p.answer(c, nil, func() { p.printf("%s embedded with %s\n", count(int64(r.Embedded), "item", "items"), r.Model) }, "reembed", r)
}

func (p *program) memoryStats(c *cli.Context, s *openedMemory) error {
	all, err := s.Stats(c.Context)
	return p.answer(c, err, func() {
		for i := range all {
			f := &all[i]
			if i > 0 {
				p.printf("\n")
			}
			p.printf("%s  %s, %s\n", p.paint(bold, f.Tiers), safe(f.Path), megabytes(f.Bytes))
			live := 0
			width := len("conversations")
			for _, sc := range f.Scopes {
				width = max(width, len(sc.Scope))
			}
			row := func(name, text string) { p.printf("  %-*s  %s\n", width, name, text) }
			for _, sc := range f.Scopes {
				live += sc.Live
				text := count(int64(sc.Live), "item", "items")
				for _, part := range []struct {
					n    int
					name string
				}{{sc.Private, "private"}, {sc.LongTerm, "long-term"}, {sc.Archived, "archived"}, {sc.Forgotten, "forgotten"}} {
					if part.n > 0 {
						text += fmt.Sprintf(", %d %s", part.n, part.name)
					}
				}
				row(sc.Scope, text)
			}
			for _, t := range []struct {
				name   string
				counts map[string]int
			}{{"conversations", f.Statuses}, {"forgotten by", f.Rules}, {"agents", f.Agents}} {
				if len(t.counts) > 0 {
					row(t.name, tallyMap(t.counts))
				}
			}
			if len(f.Notes) > 0 {
				var each []string
				for _, agent := range slices.Sorted(maps.Keys(f.Notes)) {
					each = append(each, line(agent, 40)+": "+tallyMap(f.Notes[agent]))
				}
				row("notes", strings.Join(each, "; "))
			}
			row("named", fmt.Sprint(f.Named))
			with := ""
			if f.Model != "" {
				with = " with " + safe(f.Model)
			}
			row("embedded", fmt.Sprintf("%d of %d%s", f.Embedded, live, with))
			row("index", fmt.Sprintf("%s, %d in the tail, %s", count(int64(f.Index.Segments), "segment", "segments"), f.Index.Tail, megabytes(f.Index.Bytes)))
			row("events", fmt.Sprint(f.Events))
		}
		if len(all) == 0 {
			p.talk("nothing is remembered yet")
		}
	}, "stats", all)
}

// tallyMap prints counts, the highest first.
func tallyMap(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, n := range names {
		names[i] = fmt.Sprintf("%s %d", safe(n), counts[n])
	}
	return strings.Join(names, ", ")
}

func (p *program) memoryEvents(c *cli.Context, s *openedMemory) error {
	limit, err := listLimit(c)
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
	if c.Bool("json") {
		return p.json("events", all, "more", more)
	}
	if more {
		p.talk("the newest %d are shown; --limit 0 shows all", limit)
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
			text += ": " + line(e.Why, 200)
		}
		p.printf("%s  %s  %s\n", clock(e.At), line(e.Actor, 30), safe(text))
		if data := eventData(e); data != "" {
			p.printf("       %s\n", p.paint(dim, data))
		}
	}
	if len(all) == 0 {
		p.listEnd(0, false, "events")
	}
	return nil
}

// eventData says what an event tells besides.
func eventData(e *memory.Event) string {
	var scrubbed memory.Manifest
	var pass memory.Consolidated
	switch {
	case (e.Verb == memory.VerbScrubbed || e.Verb == memory.VerbPurged || e.Verb == memory.VerbRemoved) && json.Unmarshal(e.Data, &scrubbed) == nil:
		return safe(scrubbed.Mode) + ": " + scrubbedText(scrubbed.Counts)
	case e.Verb == memory.VerbConsolidate && json.Unmarshal(e.Data, &pass) == nil:
		return consolidatedText(&pass)
	}
	return ""
}

// memoryEvents reads the log of each file that the caller reaches, of a tier or of all: a file has the events of all its tiers.
func memoryEvents(c *cli.Context, s *openedMemory) ([]memory.Event, error) {
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
	for _, file := range [][]string{{memory.Conversation, memory.Channel, memory.Workspace}, {memory.Account}} {
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
