package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"blackboard/board/text"
	"blackboard/cmd/board/base"
	"blackboard/cmd/board/daemon"
	"blackboard/cmd/board/memorycmd"
	"blackboard/embed"
	"blackboard/hooks/harness"
	"blackboard/hooks/mcp"
	"blackboard/hooks/mcp/transport"
	"blackboard/kb"
	"blackboard/kb/chunks"
	kbhome "blackboard/kb/home"
	"blackboard/kb/memory"
)

// mcpFlags say which tools there are and what they may do; both ways to serve have them.
func mcpFlags(grants []string) []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "profile", Usage: "`PROFILE` of tools, repeatable or with commas: " + "worker, orchestrator, memory, context, admin, all (default: the 20 tools that most agents need)"},
		&cli.StringSliceFlag{Name: "grant", Usage: "what clients may do, `GRANT`, repeatable or with commas: " + strings.Join(mcp.AllGrants, ", ") + ", run:NAME, run:NAME:read, conversation:REF, scrub:MODE, all (default " + strings.Join(grants, ",") + ")"},
		&cli.StringFlag{Name: "run", Aliases: []string{"r", "board"}, Usage: "the `RUN` of calls that name none; default $BOARD_RUN"},
		&cli.StringFlag{Name: "agent", Usage: "`WHO` the client is; default what it calls itself (of `board mcp` $BOARD_WORKER first, and on boards with a suffix for each session); without it, nothing over HTTP is private to a client"},
		&cli.StringFlag{Name: "store", Usage: "`DIRECTORY` of the context store; default $AGENT_STORE_PATH, else .agent-memory-store"},
		&cli.BoolFlag{Name: "no-import", Usage: "do not import agent-memory-store's files into the context store"},
		base.WorkspaceFlag("the `DIRECTORY` whose memory it is, and whose capsules come first"),
	}
}

func (p *program) mcpCommand() *cli.Command {
	return &cli.Command{
		Name: "mcp", Category: base.CategoryProgram, Usage: "serve agents that speak the Model Context Protocol, on standard input and output",
		Description: `A client starts it: {"command": "board", "args": ["mcp"]}. It ends with its input. Searches and embeddings come from the daemon, so that any number of servers
share one model. Without a profile 20 tools are listed, since a model chooses badly among fifty; all that are granted can be called:
  worker        board_show, board_query, board_post, board_correct, board_ask, board_claim, board_answer, board_waive, board_done, kb_search, kb_get
  orchestrator  the 20, board_link, board_reopen, board_signals, board_gate, board_survival, board_var_get, board_var_set, kb_brief
  memory        what agents remember, conversations, channels, working notes, named entries
  context       search_context, write_context, read_context, list_context, delete_context, get_state, set_state: the tools of agent-memory-store, over its store
  admin         kb_curate, kb_ingest, memory_scrub and the like
A client needs a grant for what it does; a refusal names the missing grant. Write access includes read access. A server that board setup has installed
reaches the account's memory too ($BOARD_MEMORY_TIERS binds it), as the commands of its harness do. By HTTP: board daemon run --listen, at /mcp.`,
		Flags: append(mcpFlags(mcp.ProcessGrants),
			&cli.StringFlag{Name: "format", Usage: "`FORMAT` of answers: text, whole, for agents; json, as text and as structured content, for programs", Value: "text"},
			&cli.BoolFlag{Name: "debug", Usage: "log more, to standard error"},
		),
		Action: p.mcpServe,
	}
}

// mcpWorkspace is the project of a server: --workspace, $BOARD_WORKSPACE, what a harness
// says in its variable, and else a guess: that of the working directory.
func (p *program) mcpWorkspace(c *cli.Context) (ws string, guessed bool, err error) {
	if !c.IsSet("workspace") && p.NamedWorkspace() == "" {
		for _, h := range harness.All {
			dir := ""
			if h.ProjectVariable != "" {
				dir = p.Env(h.ProjectVariable)
			}
			if !filepath.IsAbs(dir) {
				continue
			}
			if ws, err := p.FindWorkspace(dir); err == nil && ws != "" {
				return ws, false, nil
			}
		}
		guessed = true
	}
	ws, err = p.Workspace(c)
	return ws, guessed, err
}

// mcpConfig is what the flags and the environment say about a server; handed are grants in addition.
func (p *program) mcpConfig(c *cli.Context, grants []string, handed ...string) (cfg mcp.Config, err error) {
	if cfg.Home, err = p.DataHome(); err != nil {
		return cfg, err
	}
	if cfg.Workspace, cfg.Guessed, err = p.mcpWorkspace(c); err != nil {
		return cfg, err
	}
	cfg.Find = p.FindWorkspace
	if cfg.Boards, err = p.BoardsDirFrom(cmp.Or(cfg.Workspace, ".")); err != nil {
		return cfg, err
	}
	if cfg.Knowledge, err = p.KBHomeFrom(cmp.Or(cfg.Workspace, ".")); err != nil {
		return cfg, err
	}
	if cfg.Profiles, err = mcp.ParseProfiles(base.List(c, "profile")); err != nil {
		return cfg, base.Usagef("`board mcp --help` lists them", "%v", err)
	}
	if c.IsSet("grant") {
		grants = base.List(c, "grant")
	}
	if cfg.Grants, err = mcp.ParseGrants(slices.Concat(grants, handed)); err != nil {
		return cfg, base.Usagef("`board mcp --help` says what they mean", "%v", err)
	}
	if cfg.Rates, err = memory.ParseRates(p.Env("BOARD_MEMORY_DECAY")); err != nil {
		return cfg, err
	}
	if cfg.NoCreate, err = p.CreationOff(); err != nil {
		return cfg, err
	}
	cfg.Agent = c.String("agent")
	if cfg.Run = c.String("run"); cfg.Run == "" {
		cfg.Run = p.Env("BOARD_RUN")
	}
	if cfg.Store = c.String("store"); cfg.Store == "" {
		cfg.Store = chunks.DefaultDir(p.Env)
	}
	cfg.Speaker, cfg.Shared = harness.OfClient, p.SharedPath
	cfg.Resolve = func(workspace string, m *memory.Store) (func(context.Context, *memory.Item) string, func()) {
		r := memorycmd.NewResolver(p.Program, workspace, m)
		return r.Resolve, r.Close
	}
	cfg.NoImport, cfg.Version = c.Bool("no-import"), base.Version()
	return cfg, nil
}

// afterInput is how long a client that neither reads nor leaves may keep a server whose input has
// ended, or that was told to end: longer than answers take.
const afterInput = 10 * time.Second

func (p *program) mcpServe(c *cli.Context) error {
	src, err := p.NewSource(daemon.OwnAlone, true)
	if err != nil {
		return err
	}
	defer src.Close()
	var handed []string // by whoever starts the client
	if grant := memory.GrantConversation(p.Env("BOARD_CONVERSATION")); memory.CheckGrant(grant) == nil {
		handed = append(handed, grant)
	}
	// An entry of setup names its harness: its agent reaches what it reaches by commands.
	tiers, some := p.EnvList("BOARD_MEMORY_TIERS")
	if p.Env(harness.Variable) != "" && !c.IsSet("grant") && (!some || slices.Contains(tiers, memory.Account)) {
		handed = append(handed, mcp.AccountRead, mcp.AccountWrite)
	}
	cfg, err := p.mcpConfig(c, mcp.ProcessGrants, handed...)
	if err != nil {
		return err
	}
	switch format := c.String("format"); format {
	case "text":
	case "json":
		cfg.JSON = true
	default:
		return base.Usagef("choose text or json", "--format %q is unknown", base.Line(format, 40))
	}
	cfg.Agent = cmp.Or(cfg.Agent, p.Env("BOARD_WORKER"))
	if p.Env(harness.Variable) != "" { // it was set up so
		cfg.Harness = harness.Speaking(p.Env)
	}
	level := slog.LevelWarn
	if c.Bool("debug") {
		level = slog.LevelDebug
	}
	cfg.Log = slog.New(slog.NewTextHandler(p.Err, &slog.HandlerOptions{Level: level}))
	cfg.Search = searchFor(src, cfg.Knowledge)
	cfg.Embedder = func(ctx context.Context) (embed.Embedder, func()) {
		e, _ := src.Embedder(ctx) // which says by itself what is wrong with it
		return e, func() {}
	}
	if base.IsTerminal(p.In) {
		p.Messagef("this speaks to a client on standard input and output; Ctrl-D ends it")
	}
	go src.Start() // before it is asked for
	server := mcp.New(cfg)
	in := &inputEnd{r: text.Reader(p.In), ended: make(chan struct{})}
	client := transport.NewStdio(in, p.Out.W)
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

// searchFor answers an MCP server's questions, by the daemon's model, shared, loaded here only
// where no daemon can have it. A database's knowledge base stays warm here.
func searchFor(src *daemon.Source, home string) func(context.Context, kb.Query) (
	kb.Result, []string, error) {
	var kept kbhome.KeptKnowledge
	return func(ctx context.Context, q kb.Query) (kb.Result, []string, error) {
		return src.Search(ctx, q, func(ctx context.Context, model bool) (*kb.KB, func(), error) {
			opt := kb.Options{Actor: "mcp"}
			if model {
				opt.Embedder = src.Model()
			}
			if !kb.IsShared(home) {
				k, err := kbhome.Knowledge(ctx, home, opt)
				return k, func() { k.Close() }, err
			}
			opt.Warm = true
			k, _, err := kept.Open(ctx, home, opt)
			return k, func() {}, err
		})
	}
}
