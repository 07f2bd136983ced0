package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/cmd/board/daemon"
	"blackboard/embed"
	"blackboard/embed/minilm"
	"blackboard/kb"
)

// What commands have from their source: a search, and the model.

// daemonMode is $BOARD_DAEMON.
func (p *program) daemonMode() (string, error) {
	switch m := p.env("BOARD_DAEMON"); m {
	case "":
		return daemon.Auto, nil
	case daemon.Auto, daemon.Off, daemon.Require:
		return m, nil
	default:
		return "", usagef("auto, off or require", "$BOARD_DAEMON is %q", m)
	}
}

func (p *program) usedModelDir(home string) string {
	dir := minilm.DefaultDir(home, p.env)
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

func dirExists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// newSource is the source of the data home for a process that loads the model as own
// says, and that lives or not.
func (p *program) newSource(own daemon.Own, lives bool) (*daemon.Source, error) {
	cfg, err := p.sourceConfig()
	if err != nil {
		return nil, err
	}
	cfg.Own, cfg.Lives, cfg.Much = own, lives, p.embedsMuch
	cfg.Say = func(problem string) { p.talk("%s", safe(problem)) }
	return daemon.NewSource(cfg), nil
}

func (p *program) sourceConfig() (cfg daemon.SourceConfig, err error) {
	if cfg.Mode, err = p.daemonMode(); err != nil {
		return cfg, err
	}
	if cfg.Home, err = p.dataHome(); err != nil {
		return cfg, err
	}
	cfg.Env, cfg.Build, cfg.ModelDir = p.env, daemon.Build(versionString()), p.usedModelDir(cfg.Home)
	cfg.Spawn = func(place daemon.Place) error { return p.spawnDaemon(place, daemon.IdleAfter) }
	return cfg, nil
}

// source is the command's. It is closed when the command has ended.
func (p *program) source() (src *daemon.Source, err error) {
	if p.src == nil {
		p.src, err = p.newSource(daemon.OwnInstead, false)
	}
	return p.src, err
}

// search answers a question.
func (p *program) search(c *cli.Context, q kb.Query) (kb.Result, error) {
	src, err := p.source()
	if err != nil {
		return kb.Result{}, err
	}
	open := func(_ context.Context, model bool) (*kb.KB, func(), error) {
		return p.openToRead(c, model)
	}
	res, notes, err := src.Search(c.Context, q, open)
	p.sayNotes(notes)
	return res, err
}

// embedder returns the installed model. Without one it returns nil and no error:
// whoever needs it says so.
func (p *program) embedder(ctx context.Context) (embed.Embedder, error) {
	src, err := p.source()
	if err != nil {
		return nil, err
	}
	return src.Embedder(ctx)
}

// usableEmbedder returns the installed model, or says that it cannot be used: a broken
// model is no reason not to answer by words.
func (p *program) usableEmbedder(ctx context.Context) (embed.Embedder, error) {
	e, err := p.embedder(ctx)
	if err != nil && ctx.Err() == nil && errors.Is(err, fault.BadModel) {
		p.talk("the embedding model cannot be used: %s", safe(err.Error()))
		return nil, nil
	}
	return e, err
}

// ownEmbedder is the installed model, loaded here; nil without one.
func (p *program) ownEmbedder(ctx context.Context) (embed.Embedder, error) {
	src, err := p.source()
	if err != nil {
		return nil, err
	}
	return src.OwnModel(ctx)
}
