package main

import (
	"context"
	"errors"
	"io/fs"

	"blackboard/board/fault"
	"blackboard/cmd/board/base"
	"blackboard/kb"
	"blackboard/kb/memory"
)

// storedEmbedded is what became of what was stored before a model was pulled.
type storedEmbedded struct {
	Capsules int  `json:"capsules"` // embedded now
	Items    int  `json:"items"`    // of the memory, embedded now
	Daemon   bool `json:"daemon"`   // the daemon embeds them, in the background
}

// embedStored gives what is stored embeddings of the model in use, or leaves that to the
// daemon, which has the model warm.
func (p *program) embedStored(ctx context.Context) (done storedEmbedded, err error) {
	src, err := p.Source()
	if err != nil {
		return done, err
	}
	if src.Listens() {
		return storedEmbedded{Daemon: true}, nil
	}
	bar := p.StepBar()
	defer bar.Clear()
	if done.Capsules, err = p.embedCapsules(ctx, func(n, of int) { bar.Show("capsules", n, of) }); err != nil {
		return done, err
	}
	done.Items, err = p.embedItems(ctx, func(n, of int) { bar.Show("memory", n, of) })
	return done, err
}

func (p *program) embedCapsules(ctx context.Context, progress func(done, of int)) (int, error) {
	home, err := p.KBHome()
	if err != nil {
		return 0, err
	}
	e, err := p.OwnEmbedder(ctx)
	if err != nil {
		return 0, err
	}
	k, err := kb.OpenExisting(ctx, home, kb.Options{Embedder: e, Actor: "reembed"})
	if errors.Is(err, fault.NotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer k.Close()
	r, err := k.Reembed(ctx, progress)
	return r.Embedded, err
}

// embedItems embeds the memory of the account and of all workspaces.
func (p *program) embedItems(ctx context.Context, progress func(done, of int)) (total int, err error) {
	home, err := p.DataHome()
	if err != nil {
		return 0, err
	}
	paths, err := memory.Paths(home)
	if err != nil {
		return 0, err
	}
	e, err := p.OwnEmbedder(ctx)
	for _, path := range paths {
		if err != nil {
			return total, err
		}
		h, problem := memory.Check(ctx, home, path, false)
		if errors.Is(problem, fs.ErrNotExist) {
			continue
		}
		n := 0
		if err = problem; err == nil {
			n, err = memory.ReembedFile(ctx, home, h.Workspace, e, progress)
		}
		total += n
	}
	return total, err
}

// sayStored tells what became of what was stored.
func (p *program) sayStored(done storedEmbedded) {
	switch {
	case done.Daemon:
		p.Messagef("the daemon embeds what is stored: `board daemon status` shows it; what another model has embedded, `board kb reembed` renews")
	case done.Capsules+done.Items > 0:
		p.Printf("  %s and %s of the memory are found by meaning now\n",
			base.Count(int64(done.Capsules), "capsule", "capsules"), base.Count(int64(done.Items), "item", "items"))
	}
}
