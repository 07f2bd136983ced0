package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/cmd/board/base"
	"blackboard/cmd/board/kbcmd"
	"blackboard/embed"
	"blackboard/kb"
	"blackboard/kb/chunks"
	kbhome "blackboard/kb/home"
	"blackboard/kb/memory"
)

// storedEmbedded is what became of what was stored before a model was pulled.
type storedEmbedded struct {
	Capsules int  `json:"capsules"` // embedded now
	Items    int  `json:"items"`    // of the memory, embedded now
	Chunks   int  `json:"chunks"`   // of the context store of this directory, embedded now
	Daemon   bool `json:"daemon"`   // the daemon embeds capsules and items, in the background
	kb       kb.Reembedded
}

// kbCommand is the group kb, with what is about the other stores, too.
func (p *program) kbCommand() *cli.Command {
	c := kbcmd.Command(p.Program)
	c.Subcommands = append(c.Subcommands, &cli.Command{Name: "reembed",
		Usage: "embed what has no embedding of the installed model: capsules, memory, the context store here",
		Description: `This is what was stored without a model, and all of it after a change of the model:
vectors of two models cannot be compared. Each small step is saved. If it is interrupted, run
the same command again.`,
		Flags: []cli.Flag{base.JSONFlag()}, Action: p.reembed})
	return c
}

func (p *program) reembed(c *cli.Context) error {
	e, err := p.OwnEmbedder(c.Context)
	if err == nil && e == nil {
		err = embed.NoModel()
	}
	if err != nil {
		return err
	}
	done, err := p.embedStored(c.Context, false)
	if err != nil && done.Capsules+done.Items+done.Chunks > 0 {
		p.Messagef("%s", "some have theirs; the same command continues")
	}
	return p.Answer(c, err, func() {
		p.Printf("%s embedded with %s, %d had theirs already\n", base.Count(int64(done.Capsules), "capsule",
			"capsules"), base.Safe(e.Model().Name), done.kb.Skipped)
		if done.Items+done.Chunks > 0 {
			p.Printf("%s of the memory, %s of the context store\n", base.Count(int64(done.Items), "item", "items"),
				base.Count(int64(done.Chunks), "chunk", "chunks"))
		}
	}, "reembed", done.kb, "items", done.Items, "chunks", done.Chunks)
}

// embedStored embeds the stored capsules, memory items and chunks with the model in use. If leave is set and a daemon is
// listening, capsules and items are left to it, as it has the model in memory.
func (p *program) embedStored(ctx context.Context, leave bool) (done storedEmbedded, err error) {
	src, err := p.Source()
	if err != nil {
		return done, err
	}
	bar := p.StepBar()
	defer bar.Clear()
	if done.Daemon = leave && src.Listens(); !done.Daemon {
		if done.kb, err = p.embedCapsules(ctx, func(n, of int) { bar.Show("capsules", n, of) }); err != nil {
			return done, err
		}
		done.Capsules = done.kb.Embedded
		if done.Items, err = p.embedItems(ctx, func(n, of int) { bar.Show("memory", n, of) }); err != nil {
			return done, err
		}
	}
	done.Chunks, err = p.embedChunks(ctx, func(n, of int) { bar.Show("context store", n, of) })
	return done, err
}

func (p *program) embedChunks(ctx context.Context, progress func(done, of int)) (int, error) {
	dir := chunks.DefaultDir(p.Env)
	if _, err := os.Lstat(filepath.Join(dir, chunks.FileName)); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	e, err := p.Embedder(ctx)
	if err != nil {
		return 0, err
	}
	s, _, err := kbhome.Context(ctx, dir, chunks.Options{Embedder: e})
	if err != nil {
		return 0, err
	}
	defer s.Close()
	r, err := s.Reembed(ctx, progress)
	return r.Embedded, err
}

func (p *program) embedCapsules(ctx context.Context, progress func(done, of int)) (done kb.Reembedded, err error) {
	home, err := p.KBHome()
	if err != nil {
		return done, err
	}
	e, err := p.OwnEmbedder(ctx)
	if err != nil || e == nil {
		return done, cmp.Or(err, embed.NoModel())
	}
	done.Model = e.Model().Name
	k, err := kbhome.Knowledge(ctx, home, kb.Options{Embedder: e, Actor: "reembed"})
	if errors.Is(err, fault.NotFound) {
		return done, nil
	}
	if err != nil {
		return done, err
	}
	defer k.Close()
	return k.Reembed(ctx, progress)
}

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

func (p *program) sayStored(done storedEmbedded) {
	if done.Daemon {
		p.Messagef("the daemon embeds what is stored: `board daemon status` shows how far it is")
	}
	if done.Capsules+done.Items+done.Chunks > 0 {
		p.Printf("  %s, %s of the memory and %s of the context store are found by meaning now\n",
			base.Count(int64(done.Capsules), "capsule", "capsules"), base.Count(int64(done.Items), "item", "items"),
			base.Count(int64(done.Chunks), "chunk", "chunks"))
	}
}
