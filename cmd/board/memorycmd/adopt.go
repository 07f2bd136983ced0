package memorycmd

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/cmd/board/base"
	"blackboard/hooks/topics"
	"blackboard/kb"
	"blackboard/kb/home"
	"blackboard/kb/memory"
)

func (p *program) memoryAdoptCommand() *cli.Command {
	return &cli.Command{
		Name: "adopt", Usage: "take over what is known of this project in another directory",
		ArgsUsage: "[DIRECTORY]",
		Description: `After a project was moved, DIRECTORY is its old place: the memory, the capsules and
the topics of that place become this one's. If DIRECTORY still exists, it must be another
clone of this repository, with the same first commit and first remote; this clone then
shares its memory and its capsules, as a git worktree does, and keeps topics of its own.
Without DIRECTORY it lists the places that this repository is known from. Nothing is ever
taken over by itself: whoever makes a repository can copy both.`,
		Flags: memoryFlags(&cli.BoolFlag{Name: "none",
			Usage: "this is a project of its own: do not offer it any more"}),
		Action: p.inMemory(p.memoryAdopt),
	}
}

type Adopted struct {
	Memory   bool `json:"memory"`   // the items, now of this workspace
	Capsules int  `json:"capsules"` // number of those that are of this workspace now
	Shared   bool `json:"shared"`   // both places exist and share all but topics
	topics.Adopted
}

func (p *program) memoryAdopt(c *cli.Context, s *memory.Store) error {
	data, err := p.DataHome()
	if err != nil {
		return err
	}
	here, places := s.Workspace(), []string{}
	took := Adopted{Adopted: topics.Adopted{Moved: []string{}, Left: []string{}}}
	if c.NArg() == 0 && !c.Bool("none") {
		places = append(places, home.Elsewhere(data, here)...)
		return p.Answer(c, nil, func() {
			for _, dir := range places {
				p.Printf("%s\n", base.Safe(dir))
			}
			p.EndList(len(places), false, "other places of this repository")
		}, "adopted", "", "workspace", here, "took", took, "places", places)
	}
	if c.Bool("none") {
		if err := base.NoArgs(c); err != nil {
			return err
		}
		if err := s.CheckAdopt(string(filepath.Separator)); err != nil {
			return err
		}
		err := home.Store(c.Context, data, home.Known{Path: here, Alone: true})
		return p.Answer(c, err, func() {
			p.Printf("%s is a project of its own\n", base.Safe(here))
		}, "adopted", "", "workspace", here, "took", took, "places", places)
	}
	dir, err := base.OneArg(c, "directory")
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err == nil {
		err = s.CheckAdopt(dir)
	}
	if err != nil {
		return err
	}
	if _, missing := os.Stat(dir); missing == nil {
		took.Shared = true
		took.Capsules, err = p.adoptClone(c.Context, data, dir, here)
	} else {
		err = p.adoptMoved(c.Context, s, data, dir, &took)
	}
	return p.Answer(c, err, func() { p.showAdopted(&took, dir, here) },
		"adopted", dir, "workspace", here, "took", took, "places", places)
}

func (p *program) showAdopted(took *Adopted, dir, here string) {
	switch {
	case took.Shared:
		p.Printf("%s shares the memory and the capsules of %s now\n", base.Safe(here), base.Safe(dir))
	case took.Memory:
		p.Printf("the memory of %s belongs to %s now\n", base.Safe(dir), base.Safe(here))
	}
	if took.Capsules > 0 {
		p.Printf("%s moved\n", base.Count(int64(took.Capsules), "capsule", "capsules"))
	}
	if len(took.Moved) > 0 {
		p.Printf("topics moved: %s\n", base.Safe(strings.Join(took.Moved, ", ")))
	}
	for _, file := range took.Left {
		p.Messagef("%s stays where it is: there is another one here", base.Safe(file))
	}
}

// adoptClone lets a clone share the workspace of another one. It returns how many capsules were moved.
func (p *program) adoptClone(ctx context.Context, data, dir, here string) (int, error) {
	switch {
	case !slices.Contains(home.Elsewhere(data, here), dir):
		return 0, fault.Conflict.New(dir+" still exists, so its memory belongs to it, and "+
			here+" is not known as another clone of it", "export it there and import it here")
	case memory.HasMemory(data, here):
		return 0, fault.Conflict.New("there is already a memory for "+here,
			"export this one and scrub it, then repeat the command")
	}
	moved, err := p.moveCapsules(ctx, here, dir)
	if err != nil {
		return 0, err
	}
	return moved, home.Store(ctx, data, home.Known{Path: here, CloneOf: dir})
}

func (p *program) adoptMoved(ctx context.Context, s *memory.Store, data, dir string,
	took *Adopted) error {
	nothing := s.Adopt(ctx, dir)
	if took.Memory = nothing == nil; nothing != nil && !errors.Is(nothing, fault.NotFound) {
		return nothing
	}
	var err error
	if took.Capsules, err = p.moveCapsules(ctx, dir, s.Workspace()); err != nil {
		return err
	}
	if took.Adopted, err = p.moveTopics(ctx, dir, s.Workspace()); err != nil {
		return err
	}
	if !took.Memory && took.Capsules+len(took.Moved)+len(took.Left) == 0 {
		return nothing
	}
	return home.Move(ctx, data, dir, s.Workspace())
}

func (p *program) moveCapsules(ctx context.Context, from, to string) (int, error) {
	where, err := p.KBHome()
	if err != nil {
		return 0, err
	}
	k, err := home.Knowledge(ctx, where, kb.Options{Actor: cmp.Or(p.AgentName(), "author")})
	if errors.Is(err, fault.NotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer k.Close()
	return k.Move(ctx, from, to)
}

func (p *program) moveTopics(ctx context.Context, from, to string) (topics.Adopted, error) {
	root, err := topics.Root(p.Env)
	if err != nil {
		return topics.Adopted{}, err
	}
	old, err := topics.Open(root, from, topics.Options{})
	if err != nil {
		return topics.Adopted{}, err
	}
	d, err := topics.Open(root, to, topics.Options{})
	if err != nil {
		return topics.Adopted{}, err
	}
	return d.Adopt(ctx, old)
}
