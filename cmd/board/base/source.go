package base

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"blackboard/board/fault"
	"blackboard/cmd/board/daemon"
	"blackboard/embed"
	"blackboard/embed/minilm"
)

// What commands get from their source: a search, and the embedding model.

// DaemonMode is $BOARD_DAEMON, auto by default.
func (p *Program) DaemonMode() (string, error) {
	switch m := p.Env("BOARD_DAEMON"); m {
	case "":
		return daemon.Auto, nil
	case daemon.Auto, daemon.Off, daemon.Require:
		return m, nil
	default:
		return "", Usagef("set it to auto, off or require", "invalid $BOARD_DAEMON %q", m)
	}
}

// ModelDir is the directory of the embedding model, whether it is installed or not.
func (p *Program) ModelDir(home string) string {
	dir := minilm.DefaultDir(home, p.Env)
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

// NewSource returns the source of the data home. own says when this process loads the
// model itself; lives, that it runs for long.
func (p *Program) NewSource(own daemon.Own, lives bool) (*daemon.Source, error) {
	cfg, err := p.SourceConfig()
	if err != nil {
		return nil, err
	}
	cfg.Own, cfg.Lives = own, lives
	return daemon.NewSource(cfg), nil
}

// SourceConfig is what NewSource begins with: environment, and how a daemon is started.
func (p *Program) SourceConfig() (cfg daemon.SourceConfig, err error) {
	if cfg.Mode, err = p.DaemonMode(); err != nil {
		return cfg, err
	}
	if cfg.Home, err = p.DataHome(); err != nil {
		return cfg, err
	}
	url, err := p.DatabaseURL(".")
	if err != nil {
		return cfg, err
	}
	cfg.Shared = url != ""
	cfg.Env, cfg.Build, cfg.ModelDir = p.Env, daemon.Build(Version()), p.ModelDir(cfg.Home)
	cfg.Spawn = func(place daemon.Place) error {
		err := p.SpawnDaemon(place, daemon.IdleAfter)
		if err == nil {
			p.spawned.Store(true)
		}
		return err
	}
	return cfg, nil
}

// Source is the command's source, opened at its first use. CloseSource closes it.
func (p *Program) Source() (src *daemon.Source, err error) {
	if p.src == nil {
		p.src, err = p.NewSource(daemon.OwnInstead, false)
	}
	return p.src, err
}

// CloseSource closes the command's source, which may start a daemon; the first time a person, not
// a hook's harness or a program, is told so.
func (p *Program) CloseSource(args []string) {
	if p.src == nil {
		return
	}
	p.src.Close()
	if !p.spawned.Load() || !IsTerminal(p.Err) || WantsJSON(args) || args[0] == "hook" ||
		args[0] == "mcp" {
		return
	}
	place, err := p.DaemonPlace()
	if err != nil {
		return
	}
	told, err := os.OpenFile(place.Told, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil { // it exists, or cannot be created: then each command would say it
		return
	}
	told.Close()
	p.Messagef("note: started a daemon in the background, so that the next search is faster; it "+
		"ends after %.0f minutes without use",
		daemon.IdleAfter.Minutes())
	p.Messagef("  `board daemon stop` ends it now; with BOARD_DAEMON=off in the environment none " +
		"is started")
}

// Embedder returns the installed model, nil without one: callers that need it say so.
func (p *Program) Embedder(ctx context.Context) (embed.Embedder, error) {
	src, err := p.Source()
	if err != nil {
		return nil, err
	}
	return src.Embedder(ctx)
}

// UsableEmbedder is Embedder with only a note of a broken model: words still find.
func (p *Program) UsableEmbedder(ctx context.Context) (embed.Embedder, error) {
	e, err := p.Embedder(ctx)
	if err != nil && ctx.Err() == nil && errors.Is(err, fault.BadModel) {
		p.Messagef("the embedding model cannot be used: %s", Safe(err.Error()))
		return nil, nil
	}
	return e, err
}

// OwnEmbedder returns the installed model, loaded in this process; nil without one.
func (p *Program) OwnEmbedder(ctx context.Context) (embed.Embedder, error) {
	src, err := p.Source()
	if err != nil {
		return nil, err
	}
	return src.OwnModel(ctx)
}

func (p *Program) DaemonPlace() (daemon.Place, error) {
	home, err := p.DataHome()
	if err != nil {
		return daemon.Place{}, err
	}
	return daemon.PlaceOf(home, p.Env)
}

func (p *Program) SpawnDaemon(place daemon.Place, idle time.Duration) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	return daemon.Spawn(place, exe, []string{"daemon", "run", "--detached", "--idle", idle.String()},
		append(os.Environ(), "BOARD_HOME="+place.Home, "BOARD_MODEL_DIR="+p.ModelDir(place.Home)))
}
