package ops

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/kb/memory"
)

type MemoryFilters struct {
	Channel  string   `json:"channel,omitempty" value:"NAME" rare:"true" cli:"of this channel"`
	Tags     []string `json:"tags,omitempty" flag:"tag,tags" rare:"true" cli:"with any of these"`
	Curators []string `json:"curators,omitempty" enum:"curators" flag:"curator" rare:"true" cli:"written by"`
	Sources  []string `json:"sources,omitempty" flag:"source" commas:"no" rare:"true" cli:"from any of these"`
}

type ReadIn struct {
	Query string   `json:"query,omitempty" arg:"[QUERY | -]" as:"ask" jsonschema:"a question"`
	Tiers []string `json:"tiers,omitempty" enum:"tiers" flag:"tier,tiers" rare:"true" jsonschema:"default workspace and channel" cli:"default workspace"`
	MemoryFilters
	ID            string `json:"id,omitempty" only:"mcp" jsonschema:"m0wmh45syj"`
	Conversation  string `json:"conversation,omitempty" value:"REF" rare:"true" jsonschema:"its ref code" cli:"of the conversation, for its tier and its channel; default $BOARD_CONVERSATION"`
	MinImportance string `json:"min_importance,omitempty" value:"LEVEL" rare:"true" cli:"at least low, medium, high, critical, or 0 to 1"`
	Limit         int    `json:"limit,omitempty" min:"1" max:"500" flag:"limit,n" value:"N" default:"10" rare:"true" cli:"of each tier"`
	Archived      bool   `json:"archived,omitempty" rare:"true" jsonschema:"read the archive instead" cli:"read the archive instead: items that nobody read for long"`
	Full          bool   `json:"full,omitempty" only:"cli" jsonschema:"print full contents"`
	op.Given
}

type ReadOut struct {
	Slices     []memory.Slice `json:"tiers,omitempty"`
	Duplicates int            `json:"duplicates"`
	Degraded   []string       `json:"degraded"`
	Item       *GetOut        `json:"item,omitempty"`
	in         ReadIn
}

func (o ReadOut) IDs() (ids []string) {
	for _, s := range o.Slices {
		ids = append(ids, op.Each(s.Hits, func(h *memory.Hit) string { return h.ID })...)
	}
	return ids
}

var MemoryRead = op.Op[Memories, ReadIn, ReadOut]{
	Info: op.Info{Command: "memory read", Aliases: []string{"search"}, Tool: "memory_read",
		Profile: "memory", Budget: 4000, Short: "read tiers, by question or relevance",
		About: "What is remembered here. Without query, what counts at the start of a " +
			"turn. With id, one item whole.",
		Long: `Reads each named tier separately: none inherits from another. With a question,
items are ranked by words, meaning and relevance; without one by relevance
alone, and in a conversation by time. Duplicates are left out. Reading an item
keeps it relevant, unless it is a weak match.`},
	Do: func(ctx context.Context, h Memories, in ReadIn) (out ReadOut, err error) {
		if in.ID != "" {
			one, err := MemoryGet.Do(ctx, h, GetIn{ID: in.ID})
			return ReadOut{Item: &one, Degraded: []string{}}, err
		}
		if !in.Has("tiers") {
			in.Tiers = h.UsualTiers()
		}
		q := memory.Query{Tiers: in.Tiers, Own: !in.Has("tiers") && !in.Archived, Text: in.Query, Channel: in.Channel, Limit: in.Limit,
			Archived: in.Archived, Tags: in.Tags, Curators: in.Curators, Sources: in.Sources}
		for _, t := range in.Tiers {
			err = cmp.Or(err, h.MayRead(t))
		}
		if in.MinImportance != "" && err == nil {
			q.MinImportance, err = memory.ParseImportance(strings.ToLower(in.MinImportance))
		}
		if err != nil {
			return out, err
		}
		err = h.Memory(ctx, in.Query != "", func(m *memory.Store) error {
			q.Conversation = talkIn(h, m, in.Conversation)
			r, err := m.Read(ctx, q)
			out = ReadOut{r.Slices, r.Duplicates, r.Degraded, nil, in}
			for _, s := range r.Slices {
				if s.Tier == memory.Workspace && len(s.Hits) == 0 {
					h.Empty(m)
				}
			}
			return err
		})
		return out, err
	},
	Text: func(p *op.Page, o ReadOut) {
		if o.Item != nil {
			MemoryGet.Text(p, *o.Item)
			return
		}
		for i := range o.Slices {
			printTier(p, &o.Slices[i], i > 0, &o.in)
		}
		if n := o.Duplicates; n > 0 {
			p.Note("note: " + amount(n, "more item says the same and is", "more items say the same and are") + " left out")
		}
		for _, d := range o.Degraded {
			p.Note("note: " + d)
		}
	},
}

func printTier(p *op.Page, s *memory.Slice, more bool, in *ReadIn) {
	count := "nothing"
	if n := len(s.Hits); n > 0 {
		count = amount(n, "item", "items")
	}
	if more {
		p.Printf("\n")
	}
	p.Printf("%s: %s\n", p.Paint(op.Bold, s.Tier), count)
	shown := op.FirstRows(p, s.Hits)
	for i := range shown {
		printHit(p, &shown[i], in)
	}
	if len(shown) < len(s.Hits) {
		cut(p, fmt.Sprintf("%d of them are shown", len(shown)))
	}
}

// printHit prints a hit. Its frame names the author; in full, it stands below the content.
func printHit(p *op.Page, h *memory.Hit, in *ReadIn) {
	asked, line := in.Query != "", h.ID
	if asked && p.Shorten == nil && !h.Weak { // the best has 1, which would say that it is good
		line += fmt.Sprintf("  score %.2f", h.Score)
	}
	if p.Shorten == nil || !h.Weak {
		line += fmt.Sprintf("  relevance %.2f", h.Relevance)
	}
	if h.Title != "" || in.Full { // without a title, the frame below shows the whole text
		line += "  " + p.Paint(op.Bold, headline(p, &h.Item, 100))
	}
	line += itemMarks(p, &h.Item)
	if asked && h.Weak {
		line += p.Paint(op.Yellow, "  weak")
	}
	p.Printf("%s\n", line)
	if !in.Full {
		whole := ""
		if p.Shorten != nil && len(strings.Fields(h.Frame)) < len(strings.Fields(h.Content)) {
			whole = p.Step(fault.Do("memory.get", " ({} has the whole)", "id", h.ID))
		}
		p.Printf("       | %s%s\n", p.Text(h.Frame, 1000, "memory.get", h.ID), whole)
		return
	}
	p.Printf("%s\n", p.Block(h.Content, "       | "))
	// The content stands in the frame between quotes, which nothing in it can end.
	frame := h.Frame
	if before, rest, ok := strings.Cut(frame, ": “"); ok {
		frame = before
		if _, after, ok := strings.Cut(rest, "”"); ok {
			frame += after
		}
	}
	p.Printf("       @ %s\n", p.Paint(op.Dim, p.Line(frame, 600)))
}

type MemoryListIn struct {
	Tiers []string `json:"tiers,omitempty" enum:"tiers" flag:"tier,tiers" cli:"default all"`
	MemoryFilters
	Conversation string   `json:"conversation,omitempty" value:"REF" cli:"of the conversation that they belong to, or come from"`
	Lifetimes    []string `json:"lifetimes,omitempty" enum:"lifetimes" flag:"lifetime" cli:"of these"`
	Private      bool     `json:"private,omitempty" cli:"only the agent's own"`
	Archived     bool     `json:"archived,omitempty" cli:"only archived items"`
	Forgotten    bool     `json:"forgotten,omitempty" cli:"include archived, forgotten and expired items"`
	Before       string   `json:"before,omitempty" value:"ID" cli:"only those older than this one: the next page"`
	Limit        int      `json:"limit,omitempty" min:"0" flag:"limit,n" value:"N" default:"50" cli:"at most this many; 0: all"`
}

type MemoryListOut struct {
	Items []memory.Item `json:"items"`
	More  bool          `json:"more"`
}

func (o MemoryListOut) IDs() []string {
	return op.Each(o.Items, func(x *memory.Item) string { return x.ID })
}

var MemoryList = op.Op[Memories, MemoryListIn, MemoryListOut]{
	Info: op.Info{Command: "memory list", Short: "list items, newest first"},
	Do: onMemory(func(ctx context.Context, h Memories, m *memory.Store, in MemoryListIn) (out MemoryListOut, err error) {
		out.Items, out.More, err = m.List(ctx, memory.ListQuery{Tiers: in.Tiers,
			Channel: in.Channel, Conversation: in.Conversation, Tags: in.Tags, Curators: in.Curators,
			Sources: in.Sources, Lifetimes: in.Lifetimes, Private: in.Private,
			Forgotten: in.Forgotten, Archived: in.Archived, Before: in.Before, Limit: in.Limit})
		if err == nil && len(out.Items) == 0 {
			h.Empty(m)
		}
		return out, err
	}),
	Text: func(p *op.Page, o MemoryListOut) {
		width := 0
		for i := range o.Items {
			width = max(width, len(o.Items[i].Scope().String()))
		}
		newest(p, o.Items, o.More, "no memories found", func(it *memory.Item) string { return it.ID },
			func(it *memory.Item) string {
				return fmt.Sprintf("%s  %s  %-*s  %s%s", it.ID, it.Created.Format(time.DateOnly), width,
					it.Scope(), headline(p, it, 100), itemMarks(p, it))
			})
	},
}

type GetIn struct {
	ID        string `json:"id" arg:"ID"`
	Revisions bool   `json:"revisions,omitempty" flag:"all,revisions" cli:"with its revisions"`
}

type GetOut struct {
	Item      memory.Item   `json:"item"`
	Derived   string        `json:"derived_note"`
	Revisions []memory.Item `json:"revisions"`
	shows     bool          // the revisions too
}

var MemoryGet = op.Op[Memories, GetIn, GetOut]{
	Info: op.Info{Command: "memory get", Short: "show an item, archived and forgotten ones too"},
	Do: onMemory(func(ctx context.Context, h Memories, m *memory.Store, in GetIn) (out GetOut, err error) {
		if out.Item, err = m.Get(ctx, in.ID); err != nil {
			return out, err
		}
		out.shows, out.Derived = in.Revisions, m.Derived(ctx, &out.Item)
		out.Revisions, err = m.Revisions(ctx, in.ID)
		return out, cmp.Or(h.MayRead(out.Item.Tier), err)
	}),
	Text: func(p *op.Page, o GetOut) {
		printItem(p, &o.Item, o.Derived)
		if !o.shows {
			return
		}
		for i := range o.Revisions {
			r := &o.Revisions[i]
			p.Printf("\nrevision %d, %s\n", r.Revision, seconds(r.Updated))
			row(p, "title", p.Line(r.Title, 300))
			p.Printf("%s\n", p.Whole(r.Content, "  | ", "", ""))
		}
		if len(o.Revisions) == 0 {
			p.Note("it has no earlier revisions")
		}
	},
}

func printItem(p *op.Page, it *memory.Item, derived string) {
	row := column(p, 12)
	p.Printf("%s", it.ID)
	if it.Title != "" {
		p.Printf("  %s", p.Paint(op.Bold, p.Line(it.Title, 300)))
	}
	p.Printf("\n")
	row("scope", p.Line(it.Scope().String(), 400))
	row("private to", p.Line(it.Agent, 400))
	if it.Tier != memory.Conversation {
		row("conversation", it.Conversation)
	}
	row("curator", p.Line(it.Curator, 400))
	row("source", p.Line(it.Source, 400))
	row("importance", fmt.Sprintf("%g (%s)", it.Importance, memory.Level(it.Importance)))
	row("lifetime", it.Lifetime)
	row("tags", p.Line(strings.Join(it.Tags, ", "), 400))
	if derived != "" {
		derived = p.Paint(op.Yellow, "  "+p.Line(derived, 100))
	}
	if it.DerivedFrom != "" {
		row("derived from", p.Line(it.DerivedFrom, 300)+derived)
	}
	row("created", seconds(it.Created))
	if it.Revision > 1 {
		row("updated", fmt.Sprintf("%s, revision %d", seconds(it.Updated), it.Revision))
	}
	row("accessed", seconds(it.Accessed)+", "+amount(it.Accesses, "time", "times"))
	if it.Expires != nil {
		row("expires", seconds(*it.Expires))
	}
	if it.Archived != nil {
		row("archived", p.Paint(op.Yellow, seconds(*it.Archived)+": "+p.Line(it.Why, 200)))
	}
	if it.Forgotten != nil {
		gone := seconds(*it.Forgotten) + ": " + it.Rule
		if it.ReplacedBy != "" {
			gone += ", replaced by " + it.ReplacedBy
		}
		if it.Why != "" {
			gone += "; " + p.Line(it.Why, 200)
		}
		row("forgotten", p.Paint(op.Yellow, gone))
	}
	row("embedding", it.Model)
	p.Printf("\n%s\n", p.Whole(it.Content, "  | ", "", ""))
}

// headline returns an item's title, or its content if it has none, on one line of at most n characters.
func headline(p *op.Page, it *memory.Item, n int) string {
	if it.Title != "" {
		return p.Line(it.Title, n)
	}
	return p.Line(it.Content, n)
}

func itemMarks(p *op.Page, it *memory.Item) string {
	var marks []string
	for _, m := range []struct {
		is   bool
		mark string
	}{
		{it.Agent != "", "private"}, {it.Lifetime == memory.LongTerm, it.Lifetime},
		{it.Expires != nil && it.Forgotten == nil && !it.Expires.After(time.Now()), "expired"},
		{it.Archived != nil, "archived"},
	} {
		if m.is {
			marks = append(marks, m.mark)
		}
	}
	if it.Forgotten != nil {
		mark := "forgotten: " + it.Rule
		if it.ReplacedBy != "" {
			mark += " → " + it.ReplacedBy
		}
		if it.Rule == memory.RuleAsked && it.Why != "" {
			mark += "; " + p.Line(it.Why, 100)
		}
		marks = append(marks, mark)
	}
	if len(marks) == 0 {
		return ""
	}
	return "  " + p.Paint(op.Yellow, strings.Join(marks, ", "))
}
