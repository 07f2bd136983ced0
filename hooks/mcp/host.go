package mcp

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/hooks/ops"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
	"blackboard/kb/memory"
)

// A call is what an operation works with, when a client asks for it.

func (c *call) Board(_ context.Context, run string, need ops.Access,
	fn func(*board.Board) error) error {
	if need == ops.Create {
		return c.onNewBoard(run, fn)
	}
	return c.onBoard(run, need == ops.Write, fn)
}

// Worker is who acts. Over the network others may have the same name.
func (c *call) Worker(named string, holds bool) (string, error) {
	if holds && named == "" && c.anonymous() {
		return "", badArgument("give worker, a name that no other client uses",
			"over HTTP other clients may call themselves %s too, and could release the claim",
			c.client)
	}
	if named == "" && c.anonymous() && c.client == unnamed {
		return "", badArgument("give worker, who posts, such as reader-1",
			"this client gave no name over HTTP, so the entry would have no author")
	}
	return c.worker(named), nil
}

// Acted has nothing to say: a client has a name of its own.
func (c *call) Acted(string) {}

// Person is false: a model calls.
func (c *call) Person() bool { return false }

// CanVerify has posts verified; who may not read files has only what the board keeps of sources.
func (c *call) CanVerify() (posts, files bool) { return true, c.cfg.Grants.has[Files] }

func (c *call) Policy(ctx context.Context, b *board.Board) (check.Policy, error) {
	return check.PolicyOf(ctx, b, c.workspace())
}

// Which is the run of a call: where clients may create runs, the server's begins with a post.
func (c *call) Which(run string) (string, bool) {
	run = cmp.Or(run, c.ownRun())
	return run, !c.cfg.NoCreate && run == c.ownRun()
}

func (c *call) List(ctx context.Context, _ bool, _ ...string) ([]board.Info, error) {
	by, err := check.FindPolicy(c.workspace())
	if err != nil {
		return nil, err
	}
	all, err := board.List(ctx, c.boards(), by.Gate)
	return slices.DeleteFunc(op.List(all), func(r board.Info) bool {
		return c.cfg.Grants.run(r.Run, false) != nil
	}), err
}

// Sound returns nil: clients check no files of the knowledge base.
func (c *call) Sound(context.Context) (*ops.Soundness, error) { return nil, nil }

func (c *call) KB(_ context.Context, need ops.Access, meaning bool, fn func(*kb.KB) error) error {
	open := kbhome.Knowledge
	if need == ops.Create {
		open = kbhome.MakeKnowledge
	}
	return c.onKB(open, meaning, fn)
}

// Search answers a query. Without a knowledge base the answer has no hits, and says so.
func (c *call) Search(_ context.Context, q kb.Query) (kb.Result, error) {
	r, notes, err := c.find(q)
	if errors.Is(err, fault.NotFound) {
		r, notes, err = kb.Result{Hits: []kb.Hit{}, Mode: kb.ModeBM25}, []string{noKB}, nil
	}
	r.Degraded = append(op.List(r.Degraded), notes...)
	return r, err
}

func (c *call) Asks(run, _, project string) (asking, about string, err error) {
	return cmp.Or(run, c.ownRun()), project, nil
}

// Documents are below the workspace, unless they say otherwise.
func (c *call) Documents(paths []string) ([]string, func(string) string, error) {
	return op.Each(paths, c.where), c.cfg.Shared, c.cfg.Grants.need(KBWrite, "writing to the knowledge base")
}

// Place is the server's workspace.
func (c *call) Place() (string, error) { return c.workspace(), nil }

// Unembedded is false: what is written gets its embedding.
func (c *call) Unembedded() bool { return false }

// Gave keeps on the board of a run what it was given.
func (c *call) Gave(_ context.Context, run string, r board.Retrieval) error {
	c.keep(run, r)
	return nil
}

// Usage is nil: what runs did that the client may not read is not for it.
func (c *call) Usage(context.Context, *kb.KB, *kb.Capsule) (*board.Usage, error) { return nil, nil }

func (c *call) MayRead(tier string) error { return c.cfg.Grants.readTier(tier) }

func (c *call) MayUse(grant string) error {
	if grant == memory.GrantNamed {
		return c.cfg.Grants.need(NamedWrite, "writing a named entry")
	}
	return c.cfg.Grants.scrub(grant)
}

func (c *call) MayWrite(tier string) error { return c.cfg.Grants.writeTier(tier) }

// UsualTiers are the workspace's, which is why a channel that a call names is read.
func (c *call) UsualTiers() []string { return []string{memory.Workspace, memory.Channel} }

// Agent returns "": the context tools take no client's name for an author.
func (c *call) Agent() string { return "" }

// IsToolCall is true: the MCP server has tools alone.
func (c *call) IsToolCall() bool { return true }

func (c *call) Tidy(_ context.Context, shows bool, fn func(*memory.Store) error) error {
	tiers := c.cfg.Grants.writable()
	if shows {
		tiers = slices.DeleteFunc(tiers, func(t string) bool { return c.cfg.Grants.readTier(t) != nil })
	}
	return c.onTiers(tiers, false, fn)
}

func (c *call) Open(name, _ string) (io.Reader, func(), error) {
	return nil, nil, badArgument("give its content", "%s is a file of a command line", name)
}

// Progress tells the client.
func (c *call) Progress() (func(what string, done, of int), func()) { return c.progress, func() {} }

// Empty has nothing to say: a client has one workspace.
func (c *call) Empty(*memory.Store) {}

func (c *call) Talk(named string) string { return named }

func (c *call) Note(text string) { c.notes = append(c.notes, strings.TrimPrefix(text, "note: ")) }

// Dir is unknown: the server may work elsewhere than its client.
func (c *call) Dir() string { return "" }

// Words formats a step as the call of a tool.
func (c *call) Words(step fault.Step) string { return c.words(nil)(step) }
