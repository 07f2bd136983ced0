package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/daemon"
	"blackboard/embed"
	"blackboard/embed/minilm"
	"blackboard/hooks/mcp"
	"blackboard/kb"
	"blackboard/kb/chunks"
	"blackboard/kb/memory"
)

// mcpFlags say which tools there are and what they may do; both ways to serve have them.
func mcpFlags(grants []string) []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "profile", Usage: "`PROFILE` of tools, repeatable or with commas: " + strings.Join(mcp.Profiles, ", ") + ", all (default " + strings.Join(mcp.DefaultProfiles, ",") + ")"},
		&cli.StringSliceFlag{Name: "grant", Usage: "what clients may do, `GRANT`, repeatable or with commas: " + strings.Join(mcp.AllGrants, ", ") + ", run:NAME, run:NAME:read, all (default " + strings.Join(grants, ",") + ")"},
		&cli.StringFlag{Name: "run", Aliases: []string{"r"}, Usage: "the `RUN` of calls that name none; default $BOARD_RUN"},
		&cli.StringFlag{Name: "agent", Usage: "`WHO` the client is; default what it calls itself (of `board mcp` $BOARD_WORKER first, and on boards with a suffix for each server); over HTTP, without it nothing is a client's alone"},
		&cli.StringFlag{Name: "store", Usage: "`DIRECTORY` of the context store; default $AGENT_STORE_PATH, else .agent-memory-store"},
		&cli.BoolFlag{Name: "no-import", Usage: "leave what agent-memory-store has left in the context store alone"},
		workspaceFlag("the `DIRECTORY` whose memory it is, and whose capsules come first"),
	}
}

func (p *program) mcpCommand() *cli.Command {
	return &cli.Command{
		Name: "mcp", Category: catProgram, Usage: "serve agents that speak the Model Context Protocol, on standard input and output",
		Description: `A client starts it: {"command": "board", "args": ["mcp"]}. It ends with its input. Searches and embeddings come from the daemon, so that any number of servers
share one model. Tools come in profiles, since a model chooses badly among fifty:
  run        board_post, board_signal, board_claim, board_address, board_waive, board_query, board_state, board_gate, board_survival, board_wait, board_var_get, board_var_set
  knowledge  kb_search, kb_get, kb_remember, kb_brief
  memory     memory_context, memory_read, memory_put, memory_update, memory_forget, memory_named, journal, core, working notes, conversations
  context    search_context, write_context, read_context, list_context, delete_context, get_state, set_state: the tools of agent-memory-store, over its store
  admin      kb_curate, kb_ingest, memory_scrub and the like
What a client may do is granted: a refusal names the grant that is missing. Who may write may read. By HTTP: board daemon run --listen, at /mcp.`,
		Flags: append(mcpFlags(mcp.ProcessGrants),
			&cli.BoolFlag{Name: "debug", Usage: "log more, to standard error"},
		),
		Action: p.mcpServe,
	}
}

// mcpConfig is what the flags and the environment say about a server.
func (p *program) mcpConfig(c *cli.Context, grants []string) (cfg mcp.Config, err error) {
	if cfg.Home, err = p.dataHome(); err != nil {
		return cfg, err
	}
	if cfg.Workspace, err = p.workspace(c); err != nil {
		return cfg, err
	}
	if cfg.Profiles, err = mcp.ParseProfiles(list(c, "profile")); err != nil {
		return cfg, usagef("`board mcp --help` lists them", "%v", err)
	}
	if c.IsSet("grant") {
		grants = list(c, "grant")
	}
	if cfg.Grants, err = mcp.ParseGrants(grants); err != nil {
		return cfg, usagef("`board mcp --help` says what they mean", "%v", err)
	}
	if cfg.Rates, err = memory.ParseRates(p.env("BOARD_MEMORY_DECAY")); err != nil {
		return cfg, err
	}
	if cfg.NoCreate, err = p.creationOff(); err != nil {
		return cfg, err
	}
	cfg.Agent = c.String("agent")
	if cfg.Run = c.String("run"); cfg.Run == "" {
		cfg.Run = p.env("BOARD_RUN")
	}
	if cfg.Store = c.String("store"); cfg.Store == "" {
		cfg.Store = chunks.DefaultDir(p.env)
	}
	cfg.NoImport, cfg.Version = c.Bool("no-import"), versionString()
	return cfg, nil
}

// afterInput is how long a client that neither reads nor goes away may keep a server whose input has ended: longer than what is still answered then.
const afterInput = 10 * time.Second

func (p *program) mcpServe(c *cli.Context) error {
	if err := noArgs(c); err != nil {
		return err
	}
	if _, err := p.daemonMode(); err != nil {
		return err
	}
	cfg, err := p.mcpConfig(c, mcp.ProcessGrants)
	if err != nil {
		return err
	}
	if cfg.Agent == "" {
		cfg.Agent = p.env("BOARD_WORKER")
	}
	level := slog.LevelWarn
	if c.Bool("debug") {
		level = slog.LevelDebug
	}
	cfg.Log = slog.New(slog.NewTextHandler(p.err, &slog.HandlerOptions{Level: level}))
	model := &sharedModel{p: p}
	defer model.close()
	cfg.Search, cfg.Embedder = model.search, model.embedder
	if isTerminal(p.in) {
		p.talk("this speaks to a client on standard input and output; Ctrl-D ends it")
	}
	go model.prepare(c.Context)
	server := mcp.New(cfg)
	in := &inputEnd{r: p.in, ended: make(chan struct{})}
	done := make(chan error, 1)
	go func() { done <- server.Serve(c.Context, mcp.NewStdio(in, p.out.w)) }()
	select {
	case err = <-done:
	case <-in.ended:
		select {
		case err = <-done:
		case <-time.After(afterInput):
			return nil
		}
	}
	server.Close()
	if c.Context.Err() != nil || errors.Is(err, io.EOF) {
		err = nil // told to end, or the client is gone
	}
	return err
}

// inputEnd tells when a reader has come to its end.
type inputEnd struct {
	r     io.Reader
	once  sync.Once
	ended chan struct{}
}

func (e *inputEnd) Read(b []byte) (int, error) {
	n, err := e.r.Read(b)
	if err != nil {
		e.once.Do(func() { close(e.ended) })
	}
	return n, err
}

// sharedModel is the model as a server that lives has it: in the daemon, so that any number of servers share one. Where there may be no daemon it is loaded here, once.
type sharedModel struct {
	p *program

	mu       sync.Mutex
	loaded   bool
	own      embed.Embedder
	closeOwn func()
}

// startWithin is how long a call waits for a daemon that was just started.
const startWithin = 1500 * time.Millisecond

// prepare starts a daemon before it is asked for, if there is a model that it would load.
func (m *sharedModel) prepare(ctx context.Context) {
	if client := m.client(ctx); client != nil {
		client.Close()
	}
}

func (m *sharedModel) mode() string {
	mode, err := m.p.daemonMode()
	if err != nil {
		return daemonOff
	}
	return mode
}

// client returns a client for a daemon that answers; nil if there is none to be had now.
func (m *sharedModel) client(ctx context.Context) *daemon.Client {
	mode := m.mode()
	if mode == daemonOff {
		return nil
	}
	client, place, err := m.p.daemonClient()
	if err != nil {
		return nil
	}
	if client.There() {
		return client
	}
	if mode == daemonAuto && dirExists(place.Home) && m.installed() && m.p.spawnDaemon(place, daemon.IdleAfter) == nil {
		wait, cancel := context.WithTimeout(ctx, startWithin)
		defer cancel()
		if _, err := client.WaitReady(wait); err == nil {
			return client
		}
	}
	client.Close()
	return nil
}

// installed reports whether there is a model, without reading it.
func (m *sharedModel) installed() bool {
	home, err := m.p.dataHome()
	return err == nil && dirExists(minilm.DefaultDir(home, m.p.env))
}

// embedder returns the model, and what gives it back.
func (m *sharedModel) embedder(ctx context.Context) (embed.Embedder, func()) {
	own := m.mode() == daemonOff
	if client := m.client(ctx); client != nil {
		e, err := client.Embedder(ctx)
		if err == nil {
			return e, client.Close
		}
		if errors.Is(err, daemon.ErrOtherBuild) {
			client.StopOther(ctx)
		}
		own = errors.Is(err, daemon.ErrOtherModel)
		client.Close()
	}
	if !own {
		return nil, func() {} // the next call may find a daemon; until then, words alone
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.loaded {
		m.loaded = true
		var err error
		if m.own, m.closeOwn, err = m.p.ownEmbedder(context.WithoutCancel(ctx)); err != nil {
			m.p.talk("the embedding model cannot be used: %s", safe(err.Error()))
			m.own = nil
		}
	}
	return m.own, func() {}
}

// search asks the daemon, else the file.
func (m *sharedModel) search(ctx context.Context, q kb.Query) (res kb.Result, notes []string, err error) {
	if err := q.Check(); err != nil {
		return res, nil, err
	}
	var refused error
	if client := m.client(ctx); client != nil {
		defer client.Close()
		if res, notes, err = client.SearchNotes(ctx, q); !daemon.Unusable(err) {
			return res, notes, err
		}
		if refused = err; errors.Is(err, daemon.ErrOtherBuild) {
			client.StopOther(ctx)
		}
	}
	if m.mode() == daemonRequire {
		if refused == nil {
			refused = daemon.ErrNone
		}
		return res, nil, daemonRequired(refused)
	}
	home, err := m.p.dataHome()
	if err != nil {
		return res, nil, err
	}
	opt := kb.Options{Actor: "mcp"}
	if q.Mode != kb.ModeBM25 && (m.mode() == daemonOff || errors.Is(refused, daemon.ErrOtherModel)) {
		var back func()
		opt.Embedder, back = m.embedder(ctx)
		defer back()
	}
	k, err := kb.OpenExisting(ctx, home, opt)
	if err != nil {
		return res, nil, err
	}
	defer k.Close()
	res, err = k.Search(ctx, q)
	return res, k.TakeNotes(), err
}

func (m *sharedModel) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.own != nil && m.closeOwn != nil {
		m.closeOwn()
	}
}
