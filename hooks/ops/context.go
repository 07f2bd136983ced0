package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/board/text"
	"blackboard/kb/chunks"
)

// Contexts are what agent-memory-store's operations work with: its names, its very answers.
type Contexts interface {
	Caller
	// Context calls fn with the project's context store; with a model, if one is there and counts.
	Context(ctx context.Context, meaning bool, fn func(*chunks.Store) error) error
	// Embed gives a new chunk its embedding, if it shall have one, and says why it has none.
	Embed(ctx context.Context, s *chunks.Store, c *chunks.Chunk) (warning string)
	// Agent is who writes, unless the call says so; "": nobody in particular.
	Agent() string
}

// reply writes what a tool answers, or a document that an agent goes by: as it is, so that programs find the
// original's words, and whole.
func reply(p *op.Page, s string) {
	if p.Safe {
		s = text.Visible(s)
	}
	p.Printf("%s\n", s)
}

// missing returns a not-found error as an answer, for a caller to whom it is one, else as an error.
func missing(h Contexts, err error) (string, error) {
	if h.IsToolCall() && errors.Is(err, fault.NotFound) {
		return err.Error(), nil
	}
	return "", err
}

// inContext calls fn with the context store, without a model, and returns its value.
func inContext[T any](ctx context.Context, h Contexts, fn func(*chunks.Store) (T, error)) (out T,
	err error) {
	err = h.Context(ctx, false, func(s *chunks.Store) (err error) {
		out, err = fn(s)
		return err
	})
	return out, err
}

type ContextSearchIn struct {
	Query    string   `json:"query" arg:"QUERY | -" as:"ask" jsonschema:"specific, canonical terms"`
	Tags     []string `json:"tags,omitempty" flag:"tag,tags" jsonschema:"any of these"`
	Agent    string   `json:"agent,omitempty" value:"WHO" blank:"no" jsonschema:"only what this agent wrote"`
	TopK     int      `json:"top_k,omitempty" flag:"limit,n,top-k" value:"N" min:"1" max:"20" default:"6" jsonschema:"1 to 20 results"`
	MinScore float64  `json:"min_score,omitempty" value:"SCORE" min:"0" default:"0.1" jsonschema:"lower lets more through"`
	Mode     string   `json:"search_mode,omitempty" flag:"mode,m" enum:"context_modes" blank:"no" default:"hybrid"`
}

type ContextHits struct {
	Hits     []chunks.Hit `json:"hits"`
	Mode     string       `json:"mode"`
	Degraded []string     `json:"degraded"`
}

func (o ContextHits) IDs() []string {
	return op.Each(o.Hits, func(x *chunks.Hit) string { return x.ID })
}

var ContextSearch = op.Op[Contexts, ContextSearchIn, ContextHits]{
	Info: op.Info{Command: "context search", Tool: "search_context", Profile: "context",
		Need: ContextRead, Budget: 4000, Short: "find chunks by words and by meaning",
		About: "Search stored chunks by words and meaning. Call it at the start of every task, with " +
			"specific, canonical terms, to find what is known before you act.",
		Long: "Without a model or embeddings it searches by words alone, and says so. Compare\n" +
			"scores only within one answer."},
	Do: func(ctx context.Context, h Contexts, in ContextSearchIn) (out ContextHits, err error) {
		err = h.Context(ctx, in.Mode != chunks.ModeBM25, func(s *chunks.Store) error {
			r, err := s.Search(ctx, chunks.Query{Text: in.Query, Tags: in.Tags, Agent: in.Agent,
				TopK: &in.TopK, MinScore: &in.MinScore, Mode: in.Mode})
			out = ContextHits{op.List(r.Hits), r.Mode, op.List(r.Degraded)}
			return err
		})
		return out, err
	},
	Text: func(p *op.Page, o ContextHits) {
		hits := slices.Clone(op.FirstRows(p, o.Hits))
		for i := range hits {
			if h := &hits[i]; p.Shorten != nil {
				h.Content = p.Shorten(h.Content, "context.read", h.ID)
			}
		}
		reply(p, chunks.SearchText(chunks.Result{Hits: hits}))
		if left := len(o.Hits) - len(hits); left > 0 {
			p.Printf("- and %d more\n", left)
		}
		for _, d := range o.Degraded {
			if p.Shorten == nil { // the original has nothing of the kind
				p.Note("note: " + d)
			}
		}
	},
}

type ContextWriteIn struct {
	Topic      string   `json:"topic,omitempty" needs:"mcp" value:"LINE" jsonschema:"short and specific: what a search in half a year would ask for" cli:"what it is about, in one line; default the first line of the text"`
	Content    string   `json:"content" arg:"TEXT | -" as:"note" flag:"content" hidden:"true" jsonschema:"markdown: the reasons too, not only the conclusion"`
	Agent      string   `json:"agent,omitempty" value:"WHO" blank:"no" jsonschema:"who writes it; default global" cli:"who writes it; default $BOARD_WORKER, else global"`
	Tags       []string `json:"tags,omitempty" flag:"tag,tags" jsonschema:"short, lower case, from the agreed vocabulary"`
	Importance string   `json:"importance,omitempty" flag:"importance,i" enum:"importances" blank:"no" default:"medium"`
	TTLDays    *float64 `json:"ttl_days,omitempty" value:"DAYS" min:"0" max:"36500" jsonschema:"expires after up to 36500 days; leave it out for what lasts" cli:"expires after so many days, such as 30 or 0.5 (default never)"`
	KeepSecrets
	op.Given
}

type ContextWritten struct {
	Chunk    chunks.Chunk `json:"chunk"`
	Warnings []string     `json:"warnings"`
}

func (o ContextWritten) IDs() []string { return []string{o.Chunk.ID} }

var ContextWrite = op.Op[Contexts, ContextWriteIn, ContextWritten]{
	Info: op.Info{Command: "context write", Tool: "write_context", Profile: "context", Kind: op.Writes,
		Need: ContextWriting, Short: "store a chunk",
		About: "Store a chunk after a subtask, a decision, or output that others will need: what it is " +
			"and why. Search first; delete what it replaces.",
		Long: "To correct a chunk, delete it and write another."},
	Do: func(ctx context.Context, h Contexts, in ContextWriteIn) (out ContextWritten, err error) {
		if !in.Has("topic") {
			line, _, _ := strings.Cut(strings.TrimSpace(in.Content), "\n")
			in.Topic = board.Line(strings.TrimLeft(line, "# "), 120)
		}
		in.Agent = cmp.Or(in.Agent, h.Agent())
		out.Warnings = []string{}
		err = h.Context(ctx, true, func(s *chunks.Store) (err error) {
			out.Chunk, err = s.Write(ctx, chunks.NewChunk{Topic: in.Topic, Content: in.Content,
				Agent: in.Agent, Tags: in.Tags, Importance: in.Importance, TTLDays: in.TTLDays})
			if err != nil {
				return err
			}
			if warning := h.Embed(ctx, s, &out.Chunk); warning != "" { // it is stored all the same
				out.Warnings = append(out.Warnings, warning)
			}
			return nil
		})
		return out, err
	},
	Text: func(p *op.Page, o ContextWritten) {
		reply(p, chunks.WriteText(o.Chunk))
		warnings(p, o.Warnings)
	},
}

type ContextReadIn struct {
	ID string `json:"id" arg:"ID"`
}

type ContextChunk struct {
	Chunk  *chunks.Chunk `json:"chunk,omitempty"`
	absent string
}

var ContextReadChunk = op.Op[Contexts, ContextReadIn, ContextChunk]{
	Info: op.Info{Command: "context read", Tool: "read_context", Profile: "context", Need: ContextRead,
		Budget: 4000, Short: "show a chunk",
		About: "Read a chunk in full by its id, from search_context or list_context."},
	Do: func(ctx context.Context, h Contexts, in ContextReadIn) (out ContextChunk, err error) {
		c, err := inContext(ctx, h, func(s *chunks.Store) (chunks.Chunk, error) { return s.Read(ctx, in.ID) })
		if err == nil {
			out.Chunk = &c
		}
		out.absent, err = missing(h, err)
		return out, err
	},
	Text: func(p *op.Page, o ContextChunk) {
		if o.Chunk == nil {
			reply(p, o.absent)
			return
		}
		short := *o.Chunk
		if p.Shorten != nil {
			short.Content = p.Shorten(short.Content, "", "")
		}
		reply(p, chunks.ReadText(short))
	},
}

type ContextListIn struct {
	Agent  string   `json:"agent,omitempty" value:"WHO" blank:"no" cli:"only what this agent wrote"`
	Tags   []string `json:"tags,omitempty" flag:"tag,tags" jsonschema:"any of these"`
	Limit  int      `json:"limit,omitempty" flag:"limit,n" value:"N" min:"1" max:"500" default:"100" jsonschema:"at most this many, 1 to 500"`
	Offset int      `json:"offset,omitempty" value:"N" min:"0" jsonschema:"how many to skip"`
}

type ContextListed struct {
	Chunks []chunks.Meta `json:"chunks"`
	Total  int           `json:"total"`
	list   chunks.List
	offset int
}

func (o ContextListed) IDs() []string {
	return op.Each(o.Chunks, func(x *chunks.Meta) string { return x.ID })
}

var ContextList = op.Op[Contexts, ContextListIn, ContextListed]{
	Info: op.Info{Command: "context list", Tool: "list_context", Profile: "context", Need: ContextRead,
		Budget: 4000, Short: "list chunks, the newest first",
		About: "List stored chunks without their bodies: for an inventory, or to find what to delete. " +
			"Use filters and pages where there are many."},
	Do: func(ctx context.Context, h Contexts, in ContextListIn) (out ContextListed, err error) {
		l, err := inContext(ctx, h, func(s *chunks.Store) (chunks.List, error) {
			return s.List(ctx, chunks.ListQuery{Agent: in.Agent, Tags: in.Tags, Limit: &in.Limit,
				Offset: in.Offset})
		})
		return ContextListed{op.List(l.Chunks), l.Total, l, in.Offset}, err
	},
	Text: func(p *op.Page, o ContextListed) {
		o.list.Chunks = op.FirstRows(p, o.Chunks)
		reply(p, chunks.ListText(o.list))
		if n := len(o.list.Chunks); o.offset+n < o.Total {
			p.Note(fmt.Sprintf("%d of %d are listed", n, o.Total) + p.Step(fault.Give("offset",
				fmt.Sprint(o.offset+n), "; {} lists the next")))
		}
	},
}

type ContextDeleteIn struct {
	ID  string   `json:"id,omitempty" only:"mcp" needs:"mcp"`
	IDs []string `json:"ids,omitempty" only:"cli" arg:"ID…" as:"words"`
}

type ContextDeleted struct {
	Deleted []string `json:"deleted"`
	absent  string
}

var ContextDelete = op.Op[Contexts, ContextDeleteIn, ContextDeleted]{
	Info: op.Info{Command: "context delete", Tool: "delete_context", Profile: "context",
		Kind: op.Destroys, Need: ContextWriting, Short: "delete chunks for good",
		About: "Delete a chunk for good, because it is outdated or wrong, or before an updated version " +
			"of it is written."},
	Do: func(ctx context.Context, h Contexts, in ContextDeleteIn) (out ContextDeleted, err error) {
		out.Deleted = []string{}
		for _, id := range append(in.IDs, in.ID) {
			if id != "" && !slices.Contains(out.Deleted, id) {
				out.Deleted = append(out.Deleted, id)
			}
		}
		if len(out.Deleted) == 0 {
			return out, fault.Usage.New("no id is given", "a list or a search has it")
		}
		err = h.Context(ctx, false, func(s *chunks.Store) error { return s.Delete(ctx, out.Deleted...) })
		if out.absent, err = missing(h, err); out.absent != "" {
			out.Deleted = []string{}
		}
		return out, err
	},
	Text: func(p *op.Page, o ContextDeleted) {
		if o.absent != "" {
			reply(p, o.absent)
		}
		for _, id := range o.Deleted {
			reply(p, chunks.DeleteText(id))
		}
	},
}

type ContextKeyIn struct {
	Key string `json:"key" arg:"KEY"`
}

type ContextState struct {
	State  *chunks.State `json:"state,omitempty"`
	absent string
}

var ContextGet = op.Op[Contexts, ContextKeyIn, ContextState]{
	Info: op.Info{Command: "context get", Tool: "get_state", Profile: "context", Need: ContextRead,
		Budget: 4000, Short: "print the value under a key",
		About: "Read a pipeline state variable by its exact key: progress, flags, counters.",
		Long:  "A string as it is, anything else as JSON. Exit 5 if nothing was set."},
	Do: func(ctx context.Context, h Contexts, in ContextKeyIn) (out ContextState, err error) {
		v, err := inContext(ctx, h, func(s *chunks.Store) (chunks.State, error) { return s.State(ctx, in.Key) })
		if err == nil {
			out.State = &v
		}
		out.absent, err = missing(h, err)
		return out, err
	},
	Text: func(p *op.Page, o ContextState) {
		switch {
		case o.State == nil:
			reply(p, o.absent)
		case p.Shorten != nil:
			reply(p, p.Shorten(chunks.StateText(*o.State), "", ""))
		default:
			reply(p, chunks.StateText(*o.State))
		}
	},
}

type ContextSetIn struct {
	Key    string          `json:"key" arg:"KEY"`
	Value  json.RawMessage `json:"value" arg:"VALUE | -" as:"json" jsonschema:"any JSON value"`
	String bool            `json:"string,omitempty" only:"cli" cli:"VALUE is a string, whatever it looks like"`
	KeepSecrets
}

var ContextSet = op.Op[Contexts, ContextSetIn, ContextState]{
	Info: op.Info{Command: "context set", Tool: "set_state", Profile: "context", Kind: op.Writes,
		Need: ContextWriting, Short: "put a value under a key",
		About: "Write a pipeline state variable, in place of what was there. What should be found by " +
			"search is a chunk instead.",
		Long: "VALUE is JSON; a plain word that is not JSON is taken as a string, and --string takes\n" +
			"anything as one."},
	Do: func(ctx context.Context, h Contexts, in ContextSetIn) (ContextState, error) {
		v, err := inContext(ctx, h, func(s *chunks.Store) (chunks.State, error) {
			return s.SetState(ctx, in.Key, in.Value)
		})
		return ContextState{State: &v}, err
	},
	Text: func(p *op.Page, o ContextState) { reply(p, chunks.SetStateText(*o.State)) },
}
