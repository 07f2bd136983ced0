package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"blackboard/board/fault"
	"blackboard/kb/chunks"
)

func (s *Server) addContextTools() {
	add(s, tool{Tool: "search_context", Short: "Search stored context", Profile: ProfileContext,
		Kind: reads, Need: ContextRead, Budget: usualTokens,
		About: "Search stored chunks by words and meaning. Call it at the start of every task, " +
			"with specific, canonical terms, to find what is known before you act."},
		(*call).searchContext)
	add(s, tool{Tool: "write_context", Short: "Store context", Profile: ProfileContext, Kind: writes,
		Need: ContextWrite,
		About: "Store a chunk after a subtask, a decision, or output that others will Need: " +
			"what it is and why. Search first; delete what it replaces."}, (*call).writeContext)
	add(s, tool{Tool: "read_context", Short: "Read a chunk", Profile: ProfileContext, Kind: reads,
		Need: ContextRead, Budget: usualTokens,
		About: "Read a chunk in full by its id, from search_context or list_context."},
		(*call).readContext)
	add(s, tool{Tool: "list_context", Short: "List chunks", Profile: ProfileContext, Kind: reads,
		Need: ContextRead, Budget: usualTokens,
		About: "List stored chunks without their bodies: for an inventory, or to find what to " +
			"delete. Use filters and pages where there are many."}, (*call).listContext)
	add(s, tool{Tool: "delete_context", Short: "Delete a chunk", Profile: ProfileContext,
		Kind: destroys, Need: ContextWrite,
		About: "Delete a chunk for good, because it is outdated or wrong, or before an updated " +
			"version of it is written."},
		(*call).deleteContext)
	add(s, tool{Tool: "get_state", Short: "Read a state variable", Profile: ProfileContext,
		Kind: reads, Need: ContextRead, Budget: usualTokens,
		About: "Read a pipeline state variable by its exact key: progress, flags, counters. " +
			"A key that is not there is no error."}, (*call).getState)
	add(s, tool{Tool: "set_state", Short: "Write a state variable", Profile: ProfileContext,
		Kind: writes, Need: ContextWrite,
		About: "Write a pipeline state variable, in place of what was there. What should be " +
			"found by search is a chunk instead."}, (*call).setState)
}

type searchContextIn struct {
	Query    string   `json:"query" jsonschema:"specific, canonical terms"`
	Tags     []string `json:"tags,omitempty" jsonschema:"any of these"`
	Agent    string   `json:"agent,omitempty" jsonschema:"only what this agent wrote"`
	TopK     *float64 `json:"top_k,omitempty" min:"1" max:"20" default:"6" jsonschema:"how many results at most"`
	MinScore *float64 `json:"min_score,omitempty" min:"0" default:"0.1" jsonschema:"lower lets more through"`
	Mode     string   `json:"search_mode,omitempty" enum:"context_modes" default:"hybrid"`
}

type chunkHitOut struct {
	ID         string  `json:"id"`
	Importance string  `json:"importance"`
	Updated    string  `json:"updated_at"`
	Score      float64 `json:"score"`
}

type searchContextOut struct {
	Chunks   []chunkHitOut `json:"chunks"`
	Mode     string        `json:"mode"`
	Degraded []string      `json:"degraded"`
}

// whole is a number as a client writes it, 6 or 6.0.
func whole(name string, f *float64) (*int, error) {
	if f == nil {
		return nil, nil
	}
	if *f != math.Trunc(*f) || math.Abs(*f) > 1<<40 {
		return nil, badArgument("give a whole number", "%s is %g", name, *f)
	}
	n := int(*f)
	return &n, nil
}

func (c *call) searchContext(in searchContextIn) (out searchContextOut, text string, err error) {
	top, err := whole("top_k", in.TopK)
	if err != nil {
		return out, "", err
	}
	q := chunks.Query{Text: in.Query, Tags: in.Tags, Agent: in.Agent, TopK: top,
		MinScore: in.MinScore, Mode: in.Mode}
	r, err := got(c.onStore, func(store *openStore) (chunks.Result, error) {
		return store.Search(c.ctx, q)
	})
	if err != nil {
		return out, "", err
	}
	hits := r.Hits
	out, text = fitted(c, func(k cut) (searchContextOut, string) {
		r.Hits = slices.Clone(some(k, hits))
		for i := range r.Hits {
			h := &r.Hits[i]
			h.Content = k.text(h.Content, "read_context", h.ID)
		}
		return searchContextOut{each(r.Hits, func(h *chunks.Hit) chunkHitOut {
			return chunkHitOut{h.ID, h.Importance, chunks.TimeText(h.Updated), h.Score}
		}), r.Mode, list(r.Degraded)}, further(chunks.SearchText(r), len(r.Hits), len(hits))
	})
	return out, text, nil
}

type writeContextIn struct {
	Topic      string   `json:"topic" jsonschema:"short and specific: what a search in half a year would ask for"`
	Content    string   `json:"content" jsonschema:"markdown: the reasons too, not only the conclusion"`
	Agent      string   `json:"agent,omitempty" default:"global" jsonschema:"who writes it"`
	Tags       []string `json:"tags,omitempty" jsonschema:"short, lower case, from the agreed vocabulary"`
	Importance string   `json:"importance,omitempty" enum:"importances" default:"medium"`
	TTLDays    *float64 `json:"ttl_days,omitempty" min:"0" max:"36500" jsonschema:"expires after so many days; leave it out for what lasts"`
	keepSecret
}

// chunkOut is a chunk as programs need it: of a list, its id.
type chunkOut struct {
	ID         string `json:"id"`
	Importance string `json:"importance,omitempty"`
	Updated    string `json:"updated_at,omitempty"`
	Expires    string `json:"expires_at,omitempty"`
}

func chunkOf(m *chunks.Meta) chunkOut {
	out := chunkOut{ID: m.ID, Importance: m.Importance, Updated: chunks.TimeText(m.Updated)}
	if m.Expires != nil {
		out.Expires = chunks.TimeText(*m.Expires)
	}
	return out
}

func (c *call) writeContext(in writeContextIn) (out chunkOut, text string, err error) {
	err = c.onStore(func(store *openStore) error {
		chunk, err := store.Write(c.ctx, chunks.NewChunk{Topic: in.Topic, Content: in.Content,
			Agent: in.Agent, Tags: in.Tags, Importance: in.Importance, TTLDays: in.TTLDays})
		if err != nil {
			return err
		}
		if store.model != "" {
			store.embed(embedWithin, func(ctx context.Context) error {
				_, err := store.Embed(ctx, chunk.ID)
				return err
			})
		}
		out, text = chunkOf(&chunk.Meta), chunks.WriteText(chunk)
		return nil
	})
	return out, text, err
}

type chunkIDIn struct {
	ID string `json:"id"`
}

// chunkFoundOut is a chunk, if there is one.
type chunkFoundOut struct {
	Found bool      `json:"found"`
	Chunk *chunkOut `json:"chunk,omitempty"`
}

func (c *call) readContext(in chunkIDIn) (out chunkFoundOut, text string, err error) {
	chunk, err := got(c.onStoreAsItIs, func(store *openStore) (chunks.Chunk, error) {
		return store.Read(c.ctx, in.ID)
	})
	if errors.Is(err, fault.NotFound) {
		return out, chunks.NoChunkText(in.ID), nil
	}
	if err != nil {
		return out, "", err
	}
	out, text = fitted(c, func(k cut) (chunkFoundOut, string) {
		o, short := chunkOf(&chunk.Meta), chunk
		short.Content = k.text(chunk.Content, "", "")
		return chunkFoundOut{true, &o}, chunks.ReadText(short)
	})
	return out, text, nil
}

type listContextIn struct {
	Agent  string   `json:"agent,omitempty"`
	Tags   []string `json:"tags,omitempty" jsonschema:"any of these"`
	Limit  *float64 `json:"limit,omitempty" min:"1" max:"500" default:"100"`
	Offset *float64 `json:"offset,omitempty" min:"0" default:"0" jsonschema:"how many to skip"`
}

type listContextOut struct {
	Chunks []chunkOut `json:"chunks"`
	Total  int        `json:"total"`
}

func (c *call) listContext(in listContextIn) (out listContextOut, text string, err error) {
	limit, err := whole("limit", in.Limit)
	if err != nil {
		return out, "", err
	}
	offset, err := whole("offset", in.Offset)
	if err != nil {
		return out, "", err
	}
	q := chunks.ListQuery{Agent: in.Agent, Tags: in.Tags, Limit: limit}
	if offset != nil {
		q.Offset = *offset
	}
	l, err := got(c.onStoreAsItIs, func(store *openStore) (chunks.List, error) {
		return store.List(c.ctx, q)
	})
	if err != nil {
		return out, "", err
	}
	all := l.Chunks
	out, text = fitted(c, func(k cut) (listContextOut, string) {
		l.Chunks = some(k, all)
		text := chunks.ListText(l)
		if n := len(l.Chunks); n < len(all) {
			text += fmt.Sprintf("\n\nThere are more: offset %d has the next.", q.Offset+n)
		}
		return listContextOut{each(l.Chunks, func(m *chunks.Meta) chunkOut {
			return chunkOut{ID: m.ID}
		}), l.Total}, text
	})
	return out, text, nil
}

type chunkDeletedOut struct {
	ID      string `json:"id"`
	Deleted bool   `json:"deleted"`
}

func (c *call) deleteContext(in chunkIDIn) (out chunkDeletedOut, text string, err error) {
	out.ID = in.ID
	switch err := c.onStore(func(store *openStore) error { return store.Delete(c.ctx, in.ID) }); {
	case errors.Is(err, fault.NotFound):
		return out, chunks.NoChunkText(in.ID), nil
	case err != nil:
		return out, "", err
	}
	out.Deleted = true
	return out, chunks.DeleteText(in.ID), nil
}

type stateKeyIn struct {
	Key string `json:"key"`
}

type stateValueOut struct {
	Found   bool            `json:"found"`
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value,omitempty"`
	Long    bool            `json:"value_left_out,omitempty" jsonschema:"the value is too long; max_tokens asks for more"`
	Updated string          `json:"updated_at,omitempty"`
}

func (k cut) stateValue(v *chunks.State) stateValueOut {
	value := k.value(v.Value)
	return stateValueOut{true, v.Key, value, value == nil, chunks.TimeText(v.Updated)}
}

func (c *call) getState(in stateKeyIn) (out stateValueOut, text string, err error) {
	v, err := got(c.onStoreAsItIs, func(store *openStore) (chunks.State, error) {
		return store.State(c.ctx, in.Key)
	})
	if errors.Is(err, fault.NotFound) {
		return stateValueOut{Key: in.Key, Value: json.RawMessage("null")},
			chunks.NoStateText(in.Key), nil
	}
	if err != nil {
		return out, "", err
	}
	out, text = fitted(c, func(k cut) (stateValueOut, string) {
		return k.stateValue(&v), k.text(chunks.StateText(v), "", "")
	})
	return out, text, nil
}

type setStateIn struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value" jsonschema:"any JSON value"`
	keepSecret
}

func (c *call) setState(in setStateIn) (out stateValueOut, text string, err error) {
	v, err := got(c.onStoreAsItIs, func(store *openStore) (chunks.State, error) {
		return store.SetState(c.ctx, in.Key, in.Value)
	})
	if err != nil {
		return out, "", err
	}
	out, text = fitted(c, func(k cut) (stateValueOut, string) {
		return k.stateValue(&v), chunks.SetStateText(v)
	})
	return out, text, nil
}
