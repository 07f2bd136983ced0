package kbcmd

import (
	"context"
	"errors"
	"os"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/cmd/board/base"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
)

// openKB opens the knowledge base, with the installed model if it is wanted.
func (p *program) openKB(c *cli.Context, open func(context.Context, string, kb.Options) (*kb.KB,
	error), withModel bool) (*kb.KB, func(), error) {
	return p.openKBAs(c, open, withModel, kb.SyncDue)
}

func (p *program) openKBAs(c *cli.Context, open func(context.Context, string, kb.Options) (*kb.KB,
	error), withModel bool, sync kb.SyncWhen) (*kb.KB, func(), error) {
	home, err := p.KBHome()
	if err != nil {
		return nil, nil, err
	}
	opt := kb.Options{Actor: p.WorkerName(c), Sync: sync}
	if withModel {
		if opt.Embedder, err = p.UsableEmbedder(c.Context); err != nil {
			return nil, nil, err
		}
	}
	k, err := open(c.Context, home, opt)
	if err != nil {
		return nil, nil, err
	}
	p.kbNotes(k)
	return k, func() { k.Close() }, nil
}

// openToWrite opens the knowledge base, and creates it if it is missing. A dry run
// creates none: it works on a temporary empty one.
func (p *program) openToWrite(c *cli.Context, dryRun, withModel bool) (*kb.KB, func(), error) {
	if !dryRun {
		return p.openKB(c, kbhome.MakeKnowledge, withModel)
	}
	k, done, err := p.openKB(c, kbhome.Knowledge, false)
	if !errors.Is(err, fault.NotFound) {
		return k, done, err
	}
	return emptyKB(c.Context)
}

// openToRead opens the knowledge base for a question; a missing one is empty, with a note.
func (p *program) openToRead(c *cli.Context, withModel bool) (*kb.KB, func(), error) {
	k, done, err := p.openKB(c, kbhome.Knowledge, withModel)
	if !errors.Is(err, fault.NotFound) {
		return k, done, err
	}
	p.Messagef("note: %s: %s", base.Safe(err.Error()), base.Safe(base.NextStep(err)))
	return emptyKB(c.Context)
}

// emptyKB is a temporary knowledge base without capsules.
func emptyKB(ctx context.Context) (*kb.KB, func(), error) {
	dir, err := os.MkdirTemp("", "board-empty-*")
	if err != nil {
		return nil, nil, err
	}
	k, err := kbhome.MakeKnowledge(ctx, dir, kb.Options{})
	if err != nil {
		os.RemoveAll(dir)
		return nil, nil, err
	}
	return k, func() { k.Close(); os.RemoveAll(dir) }, nil
}

// kbNotes prints the knowledge base's notes, such as of edited or quarantined files.
func (p *program) kbNotes(k *kb.KB) { p.sayNotes(k.TakeNotes()) }

func (p *program) sayNotes(notes []string) {
	for _, n := range notes {
		p.Messagef("note: %s", base.Safe(n))
	}
}
