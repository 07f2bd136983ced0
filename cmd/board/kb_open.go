package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/kb"
)

// openKB opens the knowledge base, with the installed model if it is wanted.
func (p *program) openKB(c *cli.Context, open func(context.Context, string, kb.Options) (*kb.KB, error), withModel bool) (*kb.KB, func(), error) {
	return p.openKBAs(c, open, withModel, kb.SyncDue)
}

func (p *program) openKBAs(c *cli.Context, open func(context.Context, string, kb.Options) (*kb.KB, error), withModel bool, sync kb.SyncWhen) (*kb.KB, func(), error) {
	home, err := p.dataHome()
	if err != nil {
		return nil, nil, err
	}
	opt := kb.Options{Actor: p.workerName(c), Sync: sync}
	if withModel {
		if opt.Embedder, err = p.usableEmbedder(c.Context); err != nil {
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

// openToWrite opens the knowledge base and makes it if there is none. A dry run makes none: it is tried on an empty one that is gone afterwards.
func (p *program) openToWrite(c *cli.Context, dryRun, withModel bool) (*kb.KB, func(), error) {
	if !dryRun {
		return p.openKB(c, kb.Open, withModel)
	}
	k, done, err := p.openKB(c, kb.OpenExisting, false)
	if !errors.Is(err, fault.NotFound) {
		return k, done, err
	}
	return emptyKB(c.Context)
}

// openToRead opens the knowledge base for a question. Where there is none yet, an empty one answers, and a note says so.
func (p *program) openToRead(c *cli.Context, withModel bool) (*kb.KB, func(), error) {
	k, done, err := p.openKB(c, kb.OpenExisting, withModel)
	if !errors.Is(err, fault.NotFound) {
		return k, done, err
	}
	p.talk("note: %s: %s", safe(err.Error()), safe(try(err)))
	return emptyKB(c.Context)
}

// emptyKB is a knowledge base without capsules that is gone afterwards.
func emptyKB(ctx context.Context) (*kb.KB, func(), error) {
	dir, err := os.MkdirTemp("", "board-empty-*")
	if err != nil {
		return nil, nil, err
	}
	k, err := kb.Open(ctx, dir, kb.Options{})
	if err != nil {
		os.RemoveAll(dir)
		return nil, nil, err
	}
	return k, func() { k.Close(); os.RemoveAll(dir) }, nil
}

// kbNotes says what the knowledge base has to say: files that were edited by hand, or put into quarantine.
func (p *program) kbNotes(k *kb.KB) { p.sayNotes(k.TakeNotes()) }

func (p *program) sayNotes(notes []string) {
	for _, n := range notes {
		p.talk("note: %s", safe(n))
	}
}

// workspace is the project that a command is about: --workspace, else $BOARD_WORKSPACE, else that of the working directory; "" for none.
func (p *program) workspace(c *cli.Context) (string, error) {
	dir := c.String("workspace")
	if !c.IsSet("workspace") {
		if dir = p.env("BOARD_WORKSPACE"); dir == "" {
			var err error
			if dir, err = os.Getwd(); err != nil {
				return "", fmt.Errorf("find the workspace: %w", err)
			}
		}
	}
	if dir == "" {
		return "", nil
	}
	return p.findWorkspace(dir)
}

func (p *program) findWorkspace(dir string) (string, error) {
	data, _ := p.dataHome() // whoever needs one says that there is none
	return kb.FindWorkspace(dir, p.userHome(), data)
}
