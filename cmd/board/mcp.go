package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/daemon"
	"blackboard/embed"
	"blackboard/hooks/harness"
	"blackboard/hooks/mcp"
	"blackboard/kb"
	"blackboard/kb/chunks"
	"blackboard/kb/memory"
)

// mcpFlags say which tools there are and what they may do; both ways to serve have them.
func mcpFlags(grants []string) []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "profile", Usage: "`PROFILE` of tools, repeatable or with commas: " + strings.Join(mcp.Profiles, ", ") + ", all (default " + strings.Join(mcp.DefaultProfiles, ",") + ")"},
		&cli.StringSliceFlag{Name: "grant", Usage: "what clients may do, `GRANT`, repeatable or with commas: " + strings.Join(mcp.AllGrants, ", ") + ", run:NAME, run:NAME:read, conversation:REF, scrub:MODE, all (default " + strings.Join(grants, ",") + ")"},
		&cli.StringFlag{Name: "run", Aliases: []string{"r"}, Usage: "the `RUN` of calls that name none; default $BOARD_RUN"},
		&cli.StringFlag{Name: "agent", Usage: "`WHO` the client is; default what it calls itself (of `board mcp` $BOARD_WORKER first, and on boards with a suffix for each session); over HTTP, without it nothing is a client's alone"},
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
  run        board_post, board_signal, board_claim, board_address, board_waive, board_reopen, board_link, board_settle, board_query, board_signals, board_show, board_state,
             board_digest, board_check, board_gate, board_survival, board_wait, board_expect, board_var_get, board_var_set
  knowledge  kb_search, kb_get, kb_remember, kb_brief
  memory     memory_context, memory_read, memory_put, memory_update, memory_forget, save_to_journal, save_to_core
  conversation  conversations, channels, working notes, named entries
  context    search_context, write_context, read_context, list_context, delete_context, get_state, set_state: the tools of agent-memory-store, over its store
  admin      kb_curate, kb_ingest, memory_scrub and the like
What a client may do is granted: a refusal names the grant that is missing. Who may write may read. A server that board setup has entered
reaches the account's memory too ($BOARD_MEMORY_TIERS binds it), as the commands of its harness do. By HTTP: board daemon run --listen, at /mcp.`,
		Flags: append(mcpFlags(mcp.ProcessGrants),
			&cli.BoolFlag{Name: "debug", Usage: "log more, to standard error"},
		),
		Action: p.mcpServe,
	}
}

// mcpConfig is what the flags and the environment say about a server; handed are grants
// besides.
func (p *program) mcpConfig(c *cli.Context, grants []string, handed ...string) (cfg mcp.Config, err error) {
	if cfg.Home, err = p.dataHome(); err != nil {
		return cfg, err
	}
	if cfg.Boards, err = p.boardsDir(); err != nil {
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
	if cfg.Grants, err = mcp.ParseGrants(slices.Concat(grants, handed)); err != nil {
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
	cfg.Speaker = harness.OfClient
	cfg.Resolve = func(workspace string, m *memory.Store) (func(context.Context, *memory.Item) string, func()) {
		r := &resolver{program: p, home: cfg.Home, workspace: workspace, memory: m}
		return r.resolve, r.close
	}
	cfg.NoImport, cfg.Version = c.Bool("no-import"), versionString()
	return cfg, nil
}

// afterInput is how long a client that neither reads nor goes away may keep a server whose input has ended, or that was told to end: longer than what is still answered then.
const afterInput = 10 * time.Second

func (p *program) mcpServe(c *cli.Context) error {
	if p.env("GOGC") == "" {
		debug.SetGCPercent(400) // the heap is small, and each call leaves some garbage: a tenth of its time
	}
	src, err := p.newSource(daemon.OwnAlone, true)
	if err != nil {
		return err
	}
	defer src.Close()
	var handed []string // by whoever starts the client
	if grant := memory.GrantConversation(p.env("BOARD_CONVERSATION")); memory.CheckGrant(grant) == nil {
		handed = append(handed, grant)
	}
	// An entry of setup names its harness: its agent reaches what it reaches by commands.
	tiers, some := p.envList("BOARD_MEMORY_TIERS")
	if p.env(harness.Variable) != "" && !c.IsSet("grant") && (!some || slices.Contains(tiers, memory.Account)) {
		handed = append(handed, mcp.AccountRead, mcp.AccountWrite)
	}
	cfg, err := p.mcpConfig(c, mcp.ProcessGrants, handed...)
	if err != nil {
		return err
	}
	if cfg.Agent == "" {
		cfg.Agent = p.env("BOARD_WORKER")
	}
	if p.env(harness.Variable) != "" { // it was set up so
		cfg.Harness = harness.Speaking(p.env)
	}
	level := slog.LevelWarn
	if c.Bool("debug") {
		level = slog.LevelDebug
	}
	cfg.Log = slog.New(slog.NewTextHandler(p.err, &slog.HandlerOptions{Level: level}))
	cfg.Search = searchFor(src, cfg.Home)
	cfg.Embedder = func(ctx context.Context) (embed.Embedder, func()) {
		e, _ := src.Embedder(ctx) // which says by itself what is wrong with it
		return e, func() {}
	}
	if isTerminal(p.in) {
		p.talk("this speaks to a client on standard input and output; Ctrl-D ends it")
	}
	go src.Start() // before it is asked for
	server := mcp.New(cfg)
	in := &inputEnd{r: p.in, ended: make(chan struct{})}
	client := mcp.NewStdio(in, p.out.w)
	done := make(chan error, 1)
	go func() { done <- server.Serve(context.WithoutCancel(c.Context), client) }()
	var over <-chan time.Time
	for ended, told, serving := in.ended, c.Context.Done(), true; serving; {
		select {
		case err = <-done:
			serving = false
		case <-ended:
			ended, over = nil, time.After(afterInput)
		case <-told: // what is being done is called off, and answered
			server.End()
			client.Finish()
			told, over = nil, time.After(afterInput)
		case <-over:
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

// searchFor answers an MCP server's questions. Any number of servers share the daemon's model: it is loaded here only where no daemon can have it.
func searchFor(src *daemon.Source, home string) func(context.Context, kb.Query) (kb.Result, []string, error) {
	return func(ctx context.Context, q kb.Query) (kb.Result, []string, error) {
		return src.Search(ctx, q, func(ctx context.Context, model bool) (*kb.KB, func(), error) {
			opt := kb.Options{Actor: "mcp"}
			if model {
				opt.Embedder = src.Model()
			}
			k, err := kb.OpenExisting(ctx, home, opt)
			return k, func() { k.Close() }, err
		})
	}
}
