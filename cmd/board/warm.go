package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/daemon"
	"blackboard/embed"
	"blackboard/embed/minilm"
	"blackboard/kb"
)

// What commands have from the daemon: a search, and a model, that are warm. Whatever it cannot do, they do themselves.

// Values of $BOARD_DAEMON.
const (
	daemonAuto    = "auto"
	daemonOff     = "off"
	daemonRequire = "require"
)

func (p *program) daemonMode() (string, error) {
	switch m := p.env("BOARD_DAEMON"); m {
	case "":
		return daemonAuto, nil
	case daemonAuto, daemonOff, daemonRequire:
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

// askDaemon returns a client for a daemon that may be there; nil if none may be asked, or there is none.
func (p *program) askDaemon() (*daemon.Client, error) {
	mode, err := p.daemonMode()
	if err != nil || mode == daemonOff || p.daemonUseless {
		return nil, err
	}
	client, _, err := p.daemonClient()
	if err == nil && client.There() {
		return client, nil
	}
	if mode == daemonRequire {
		if err == nil {
			err = daemon.ErrNone
		}
		return nil, daemonRequired(err)
	}
	return nil, nil
}

func daemonRequired(err error) error {
	return &hintedError{fmt.Sprintf("the daemon did not answer: %v", err), "`board daemon start` starts one; without BOARD_DAEMON=require a command does without"}
}

// daemonFailed notes that the daemon is of no use to this command, which does without, unless it may not.
func (p *program) daemonFailed(ctx context.Context, c *daemon.Client, err error) error {
	if p.env("BOARD_DAEMON") == daemonRequire {
		return daemonRequired(err)
	}
	if p.daemonUseless = true; errors.Is(err, daemon.ErrOtherBuild) {
		c.StopOther(ctx)
	}
	return nil
}

// search answers a question through the daemon if there is one, else from the file.
func (p *program) search(c *cli.Context, q kb.Query) (kb.Result, error) {
	client, err := p.askDaemon()
	if err != nil {
		return kb.Result{}, err
	}
	if client != nil {
		defer client.Close()
		res, notes, err := client.SearchNotes(c.Context, q)
		if !daemon.Unusable(err) {
			for _, n := range notes {
				p.talk("note: %s", safe(n))
			}
			return res, err
		}
		if err := p.daemonFailed(c.Context, client, err); err != nil {
			return kb.Result{}, err
		}
	}
	k, done, err := p.openKB(c, kb.OpenExisting, q.Mode != kb.ModeBM25)
	if err != nil {
		return kb.Result{}, err
	}
	defer done()
	return k.Search(c.Context, q)
}

// embedder returns the installed model: as the daemon has it, else loaded here; then a daemon is started, for the next who needs one. Without a model it returns nil and no error: whoever
// needs one says so.
func (p *program) embedder(ctx context.Context) (embed.Embedder, func(), error) {
	client, err := p.askDaemon()
	if err != nil {
		return nil, nil, err
	}
	if client != nil {
		e, err := client.Embedder(ctx)
		if err == nil {
			m := &warmModel{Embedder: e, load: p.ownEmbedder}
			return m, func() { m.close(); client.Close() }, nil
		}
		defer client.Close()
		if daemon.Unusable(err) {
			if err := p.daemonFailed(ctx, client, err); err != nil {
				return nil, nil, err
			}
		}
	}
	e, closeModel, err := p.ownEmbedder(ctx)
	if err != nil || e == nil {
		return e, closeModel, err
	}
	return e, func() { closeModel(); p.startForNext() }, nil
}

// startForNext starts a daemon that would have spared this command the loading of the model. That it cannot be started is no matter of the command.
func (p *program) startForNext() {
	if mode, err := p.daemonMode(); err != nil || mode != daemonAuto {
		return
	}
	client, place, err := p.daemonClient()
	if err != nil {
		return
	}
	defer client.Close()
	if dirExists(place.Home) && !client.There() {
		p.spawnDaemon(place, daemon.IdleAfter)
	}
}

func dirExists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// ownEmbedder loads the installed model. For what embeds a great deal it is better than the daemon's, which others need meanwhile.
func (p *program) ownEmbedder(ctx context.Context) (embed.Embedder, func(), error) {
	home, err := p.dataHome()
	if err != nil {
		return nil, nil, err
	}
	m, err := minilm.Open(ctx, minilm.DefaultDir(home, p.env))
	if errors.Is(err, embed.ErrNoModel) {
		return nil, func() {}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return m, func() { m.Close() }, nil
}

// usableEmbedder returns the installed model, or says that it cannot be used: a broken model is no reason not to answer by words.
func (p *program) usableEmbedder(ctx context.Context) (embed.Embedder, func(), error) {
	e, closeModel, err := p.embedder(ctx)
	if err != nil {
		if ctx.Err() != nil || !errors.Is(err, embed.ErrBadModel) {
			return nil, nil, err
		}
		p.talk("the embedding model cannot be used: %s", safe(err.Error()))
		return nil, func() {}, nil
	}
	return e, closeModel, nil
}

// warmModel is the daemon's model. If the daemon goes away, the model is loaded here.
type warmModel struct {
	embed.Embedder // the daemon's
	load           func(context.Context) (embed.Embedder, func(), error)

	mu       sync.Mutex
	own      embed.Embedder // nil: not needed yet
	closeOwn func()
}

// Embed embeds texts; see embed.Embedder.
func (m *warmModel) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	m.mu.Lock()
	own := m.own
	m.mu.Unlock()
	if own == nil {
		vs, err := m.Embedder.Embed(ctx, texts)
		if !errors.Is(err, embed.ErrClosed) {
			return vs, err
		}
		if own, err = m.loadOwn(ctx); err != nil {
			return nil, err
		}
	}
	return own.Embed(ctx, texts)
}

func (m *warmModel) loadOwn(ctx context.Context) (embed.Embedder, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.own != nil {
		return m.own, nil
	}
	own, closeOwn, err := m.load(ctx)
	if err != nil {
		return nil, err
	}
	if own == nil {
		return nil, fmt.Errorf("%w: it was removed meanwhile", embed.ErrNoModel)
	}
	if a, b := own.Model(), m.Model(); a.Name != b.Name || a.Dim != b.Dim {
		closeOwn()
		return nil, fmt.Errorf("%w: it was replaced meanwhile: %s with %d dimensions was there, now it is %s with %d", embed.ErrBadModel, b.Name, b.Dim, a.Name, a.Dim)
	}
	m.own, m.closeOwn = own, closeOwn
	return own, nil
}

func (m *warmModel) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closeOwn != nil {
		m.closeOwn()
	}
}
