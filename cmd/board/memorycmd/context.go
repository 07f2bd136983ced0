package memorycmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
	"blackboard/kb/chunks"
	kbhome "blackboard/kb/home"
)

func (p *program) contextCommand() *cli.Command {
	return &cli.Command{
		Name: "context", Aliases: []string{"ctx"}, Category: base.CategoryKnow,
		Usage: "a project's context store: search, write, read, list, delete, get, set and more",
		Description: `Chunks are texts that are written once and found by search; state is values
under keys. It does what agent-memory-store does, with the same answers. The
store is a directory: --store, else $AGENT_STORE_PATH, else .agent-memory-store
here; its file is board.sqlite3. The first use imports what agent-memory-store
has left there, and does not change those files.`,
		Subcommands: append(p.contextItemCommands(), p.contextUpkeepCommands()...),
	}
}

// contextItemCommands are those of chunks and state.
func (p *program) contextItemCommands() []*cli.Command {
	command := func(o op.Any, more ...cli.Flag) *cli.Command {
		c := p.Operation(o, func(c *cli.Context) any { return &contextHost{p, c} }, more...)
		c.Flags = append(c.Flags, &cli.BoolFlag{Name: "no-import",
			Usage: "the first use imports nothing from agent-memory-store"}, storeFlag())
		return c
	}
	return []*cli.Command{command(&ops.ContextSearch), command(&ops.ContextWrite, &cli.BoolFlag{
		Name: "no-embed", Usage: "store it without an embedding; `board kb reembed` adds it"}),
		command(&ops.ContextReadChunk), command(&ops.ContextList), command(&ops.ContextDelete),
		command(&ops.ContextGet), command(&ops.ContextSet)}
}

type contextHost struct {
	*program
	c *cli.Context
}

func (h *contextHost) Context(_ context.Context, meaning bool, fn func(*chunks.Store) error) error {
	return base.With(h.openContext(h.c, meaning && !h.c.Bool("no-embed"), !h.c.Bool("no-import")))(fn)
}

func (h *contextHost) Embed(ctx context.Context, s *chunks.Store, c *chunks.Chunk) (warning string) {
	if h.c.Bool("no-embed") {
		return ""
	}
	if _, err := s.Embed(ctx, c.ID); err != nil && !errors.Is(err, fault.NoModel) {
		warning = "it has no embedding: " + err.Error()
	}
	if now, err := s.Read(ctx, c.ID); err == nil {
		*c = now
	}
	return warning
}

func (h *contextHost) Agent() string { return h.Env("BOARD_WORKER") }

func storeFlag() cli.Flag {
	return &cli.StringFlag{Name: "store",
		Usage: "the `DIRECTORY` of the store; default $AGENT_STORE_PATH, else .agent-memory-store"}
}

// openContext opens the store, with the model if wanted and usable, and tells of a first import.
func (p *program) openContext(c *cli.Context, withModel, firstUse bool) (*chunks.Store, func(), error) {
	if c.IsSet("store") && c.String("store") == "" { // $STORE is not set
		return nil, nil, base.Usagef("name it, or leave the flag out", "--store is empty")
	}
	dir := cmp.Or(c.String("store"), chunks.DefaultDir(p.Env))
	opt := chunks.Options{Import: firstUse}
	if withModel {
		var err error
		if opt.Embedder, err = p.UsableEmbedder(c.Context); err != nil {
			return nil, nil, err
		}
	}
	p.MaskSecrets(c)
	s, res, err := kbhome.Context(c.Context, dir, opt)
	if err != nil {
		return nil, nil, err
	}
	if res.Source != "" {
		p.Messagef("note: %s", importText(&res))
		p.importNotes(&res)
	}
	p.backfill(c, s)
	return s, func() { s.Close() }, nil
}

// backfill embeds chunks that have no embedding, for as long as a command may take, and says what is
// left. Without a model it does nothing.
func (p *program) backfill(c *cli.Context, s *chunks.Store) {
	ctx, cancel := context.WithTimeout(c.Context, 10*backfillWithin)
	defer cancel()
	if did, err := s.Backfill(ctx, backfillWithin); err == nil && did.Left > 0 {
		p.Messagef("note: %s no embedding yet; `board kb reembed` adds it, or the next commands bit by bit",
			base.Count(int64(did.Left), "chunk has", "chunks have"))
	}
}

func importText(r *chunks.ImportResult) string {
	part := func(c chunks.ImportCount, one, many string) string {
		s := base.Count(int64(c.Added), one, many)
		if c.Updated > 0 {
			s += fmt.Sprintf(", %d updated", c.Updated)
		}
		if c.Kept > 0 {
			s += fmt.Sprintf(", %d here already", c.Kept)
		}
		return s
	}
	s := fmt.Sprintf("imported from %s: %s; %s", r.Source, part(r.Chunks, "chunk", "chunks"),
		part(r.State, "value", "values"))
	for _, left := range []struct {
		n   int
		why string
	}{{r.Expired, "expired, skipped"}, {r.Deleted, "deleted here, skipped"},
		{len(r.Refused), "refused"}} {
		if left.n > 0 {
			s += fmt.Sprintf("; %d %s", left.n, left.why)
		}
	}
	return base.Safe(s)
}

func (p *program) importNotes(r *chunks.ImportResult) {
	for _, n := range r.Notes {
		p.Messagef("  note: %s", base.Safe(n))
	}
	for _, refused := range r.Refused {
		p.Messagef("  refused: %s: %s", base.Line(refused.From, 300), base.Line(refused.Why, 300))
	}
}
