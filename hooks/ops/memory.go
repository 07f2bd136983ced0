package ops

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/lazyregexp"
	"blackboard/board/op"
	"blackboard/kb/memory"
)

// Lasting says how long something is kept.
type Lasting struct {
	TTL     string  `json:"ttl,omitempty" value:"SPAN" only:"cli" cli:"it is over after this span: 7d, 12h, 1d12h"`
	Expires string  `json:"expires,omitempty" only:"cli" value:"TIME" cli:"it is over at this time: 2026-12-24, 2026-12-24 18:00 (UTC); of a change: or never"`
	TTLDays float64 `json:"ttl_days,omitempty" only:"mcp" min:"0" rare:"true" jsonschema:"as ttl, in days"`
	op.Given
}

// lifespan is days, hours and minutes: "7d", "12h", "1d12h".
var lifespan = lazyregexp.New(`^(?:([0-9]{1,6})d)?(?:([0-9]{1,7})h)?(?:([0-9]{1,8})m)?$`)

// until is when something is over; nil: never.
func (l *Lasting) until(mayNever bool) (*time.Time, error) {
	const century, hours = 100 * 365 * 24 * time.Hour, "give days and hours: 7d, 12h, 1d12h"
	if l.TTLDays > 0 {
		l.TTL = fmt.Sprintf("%dm", int64(min(l.TTLDays, 99_999)*24*60))
	}
	span, at := l.TTL != "" || l.Has("ttl"), l.Expires != "" || l.Has("expires")
	if span && at {
		return nil, fault.Usage.New("both a span and a time are given", "leave one out")
	}
	if span {
		m := lifespan.FindStringSubmatch(l.TTL)
		if m == nil || l.TTL == "" {
			return nil, fault.Usage.New(fmt.Sprintf("ttl %q is not a duration", l.TTL), hours)
		}
		var d time.Duration
		for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute} {
			n, _ := strconv.Atoi("0" + m[i+1]) // digits, and few of them
			if time.Duration(n) > (century-d)/unit {
				return nil, fault.Usage.New(l.TTL+" is more than a hundred years",
					"leave it out if it shall not expire")
			}
			d += time.Duration(n) * unit
		}
		if d == 0 {
			return nil, fault.Usage.New("ttl "+l.TTL+" is zero", hours)
		}
		t := time.Now().Add(d)
		return &t, nil
	}
	if !at || mayNever && l.Expires == "never" {
		return nil, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05",
		"2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, l.Expires); err == nil {
			return &t, nil
		}
	}
	return nil, fault.Usage.New(fmt.Sprintf("%q is not a time", l.Expires),
		"write 2026-12-24, 2026-12-24 18:00 (UTC) or 2026-12-24T18:00:00+01:00; a span such as 7d "+
			"counts from now")
}

// talkIn is the conversation that a call on the memory means. Without a workspace there
// are none, so the one that the caller is in is no matter.
func talkIn(h Memories, m *memory.Store, named string) string {
	if m.Workspace() == "" {
		return named
	}
	return h.Talk(named)
}

type PutIn struct {
	Content      string   `json:"content" arg:"[CONTENT | -]" as:"note" flag:"content" hidden:"true" jsonschema:"one thing"`
	Tier         string   `json:"tier,omitempty" enum:"put_tiers" default:"workspace" jsonschema:"journal, core: yours only" cli:"where; journal and core are the agent's own"`
	Channel      string   `json:"channel,omitempty" value:"NAME" rare:"true" jsonschema:"of that tier" cli:"of the tier channel; default the conversation's, else general"`
	Conversation string   `json:"conversation,omitempty" value:"REF" rare:"true" jsonschema:"its ref code" cli:"of the conversation that it belongs to, or comes from; default $BOARD_CONVERSATION"`
	Title        string   `json:"title,omitempty" value:"LINE" rare:"true" jsonschema:"in a few words"`
	Importance   string   `json:"importance,omitempty" flag:"importance,i" value:"LEVEL" default:"medium" jsonschema:"low to critical, or 0 to 1" cli:"low, medium, high, critical (others go wrong without it), or 0 to 1"`
	Lifetime     string   `json:"lifetime,omitempty" enum:"lifetimes" value:"HOW" rare:"true" jsonschema:"default short_term; long_term stays" cli:"default short_term; conversation in its tier"`
	Tags         []string `json:"tags,omitempty" flag:"tags,tag" value:"TAG" rare:"true" jsonschema:"topics"`
	Source       string   `json:"source,omitempty" rare:"true" jsonschema:"who says so" cli:"what produced it: researcher, user, a tool"`
	DerivedFrom  string   `json:"derived_from,omitempty" value:"LINK" rare:"true" jsonschema:"its origin" cli:"its origin: a file, a URL, kb:CAPSULE, board:RUN/ENTRY, memory:ID"`
	Private      bool     `json:"private,omitempty" rare:"true" jsonschema:"only you see it" cli:"only this agent sees it"`
	Lasting
	KeepSecrets
}

// StoredOut is an item that was written.
type StoredOut struct {
	Item      memory.Item `json:"item"`
	Warnings  []string    `json:"warnings"`
	Confirmed *bool       `json:"confirmed,omitempty"`
	Unchanged *bool       `json:"unchanged,omitempty"`
	said      string
}

func (o StoredOut) IDs() []string { return []string{o.Item.ID} }

var MemoryPut = op.Op[Memories, PutIn, StoredOut]{
	Info: op.Info{Command: "memory put", Tool: "memory_put", Profile: "memory", Kind: op.Writes,
		Short: "store an item in a tier",
		About: "Keep a decision, a preference or a lesson that the files do not show.",
		Long: `Store one thing in each item, in a sentence or two, so that it can be found,
replaced and forgotten separately; at most 10,000 characters. If the same text
exists, its time is renewed instead of storing it twice.`},
	Do: func(ctx context.Context, h Memories, in PutIn) (out StoredOut, err error) {
		tier := in.Tier
		if tier == memory.Journal || tier == memory.Core {
			tier = memory.Workspace
		}
		if err = h.MayWrite(tier); err == nil && in.Channel != "" && in.Tier != memory.Channel {
			err = fault.Usage.New("channel is given, but the tier is "+in.Tier, "",
				fault.Give("tier", memory.Channel, "give {}, or leave channel out"))
		}
		if err == nil && in.Private {
			err = h.Owns("a private memory")
		}
		it := memory.Item{Tier: in.Tier, Content: in.Content, Title: in.Title, Lifetime: in.Lifetime,
			Tags: in.Tags, Source: in.Source, Channel: in.Channel, DerivedFrom: in.DerivedFrom}
		if err == nil {
			it.Importance, err = memory.ParseImportance(strings.ToLower(in.Importance))
		}
		if err == nil {
			it.Expires, err = in.until(false)
		}
		if err != nil {
			return out, err
		}
		if in.Tier == memory.Journal || in.Tier == memory.Core {
			return putNote(ctx, h, in)
		}
		err = h.Memory(ctx, true, func(m *memory.Store) error {
			it.Conversation = talkIn(h, m, in.Conversation)
			r, err := m.Put(ctx, it, memory.PutOptions{Private: in.Private, Force: in.KeepSecret})
			out = StoredOut{Item: r.Item, Warnings: r.Warnings, Confirmed: &r.Confirmed}
			return err
		})
		return out, err
	},
	Text: func(p *op.Page, o StoredOut) {
		until := ""
		if o.Item.Expires != nil {
			until = " until " + seconds(*o.Item.Expires)
		}
		said := fmt.Sprintf("remembered in %s%s: ", o.Item.Scope(), until)
		if *o.Confirmed {
			said = "exists already, and its time is renewed: "
		}
		p.Printf("%s %s%s%s\n", o.Item.ID, said, headline(p, &o.Item, 80), itemMarks(p, &o.Item))
		warnings(p, o.Warnings)
	},
}

// putNote writes to the caller's journal or core memories.
func putNote(ctx context.Context, h Memories, in PutIn) (out StoredOut, err error) {
	if err := h.Owns("a " + in.Tier + " note"); err != nil {
		return out, err
	}
	return out, h.Memory(ctx, false, func(m *memory.Store) error {
		n, err := m.SaveNote(ctx, in.Tier, "", in.Content, in.KeepSecret)
		if err == nil {
			out.Item, err = m.Peek(ctx, n.ID)
		}
		out.Warnings, out.Confirmed = []string{}, new(bool)
		return err
	})
}

type MemoryUpdateIn struct {
	ID          string   `json:"id" arg:"ID" jsonschema:"m0wmh45syj"`
	Content     string   `json:"content,omitempty" arg:"[CONTENT | -]" as:"note" flag:"content" hidden:"true" jsonschema:"new text"`
	Title       string   `json:"title,omitempty" value:"LINE" jsonschema:"in a few words"`
	Importance  string   `json:"importance,omitempty" flag:"importance,i" value:"LEVEL" jsonschema:"low to critical, or 0 to 1"`
	Lifetime    string   `json:"lifetime,omitempty" enum:"lifetimes" value:"HOW" jsonschema:"long_term stays" cli:"how long"`
	Tags        []string `json:"tags,omitempty" flag:"tags,tag" value:"TAG" jsonschema:"in place of those it has" cli:"in place of those it has; '' for none"`
	AddTags     []string `json:"add_tags,omitempty" flag:"add-tag" value:"TAG" only:"cli" cli:"to add"`
	RemoveTags  []string `json:"remove_tags,omitempty" flag:"remove-tag" value:"TAG" only:"cli" cli:"to remove"`
	Source      string   `json:"source,omitempty" rare:"true" jsonschema:"who says so"`
	DerivedFrom string   `json:"derived_from,omitempty" value:"LINK" rare:"true" jsonschema:"its origin"`
	Lasting
	Revision *int   `json:"revision,omitempty" min:"0" flag:"if-revision" value:"REVISION" jsonschema:"only if it still has this one" cli:"only if it still has this one; else exit 6"`
	Restore  bool   `json:"restore,omitempty" only:"mcp"`
	Why      string `json:"why,omitempty" value:"REASON" jsonschema:"the reason; it is kept"`
	KeepSecrets
}

var MemoryUpdate = op.Op[Memories, MemoryUpdateIn, StoredOut]{
	Info: op.Info{Command: "memory update", Tool: "memory_update", Profile: "memory",
		Kind: op.Writes, Rare: true, Short: "change an item; revisions are kept",
		About: "Change a memory, or restore one.",
		Long: `What is given changes; its tier and its owner do not. With an id alone, on a
terminal, the content opens in $VISUAL or $EDITOR.`},
	Do: func(ctx context.Context, h Memories, in MemoryUpdateIn) (out StoredOut, err error) {
		change, err := in.change()
		if err != nil {
			return out, err
		}
		err = h.Memory(ctx, in.Has("content") || in.Has("title"), func(m *memory.Store) error {
			it, err := m.Peek(ctx, in.ID)
			if err == nil {
				err = h.MayWrite(it.Tier)
			}
			if err == nil && in.Restore {
				var r memory.Stored
				if r, err = m.Restore(ctx, in.ID); err == nil && in.restores() {
					out = StoredOut{Item: r.Item, Warnings: r.Warnings, said: "is restored: "}
					return nil
				}
			}
			if err != nil {
				return err
			}
			out, err = updated(ctx, m, &in, change)
			return err
		})
		return out, err
	},
	Text: func(p *op.Page, o StoredOut) {
		if o.Unchanged != nil && *o.Unchanged {
			p.Printf("%s is unchanged\n", o.Item.ID)
		} else {
			p.Printf("%s %s%s%s\n", o.Item.ID, o.said, headline(p, &o.Item, 80), itemMarks(p, &o.Item))
		}
		warnings(p, o.Warnings)
	},
}

// restores reports whether nothing is to be changed besides.
func (in *MemoryUpdateIn) restores() bool {
	return !slices.ContainsFunc([]string{"content", "title", "importance", "lifetime", "tags",
		"add_tags", "remove_tags", "source", "derived_from", "ttl", "ttl_days", "expires"}, in.Has)
}

// change is what an update does to the item.
func (in *MemoryUpdateIn) change() (func(*memory.Item) error, error) {
	importance, err := 0.0, error(nil)
	if in.Has("importance") {
		importance, err = memory.ParseImportance(strings.ToLower(in.Importance))
	}
	expires, wrong := in.until(true)
	return func(it *memory.Item) error {
		for name, f := range map[string]struct{ to, from *string }{"title": {&it.Title, &in.Title},
			"content": {&it.Content, &in.Content}, "lifetime": {&it.Lifetime, &in.Lifetime},
			"source": {&it.Source, &in.Source}, "derived_from": {&it.DerivedFrom, &in.DerivedFrom}} {
			if in.Has(name) {
				*f.to = *f.from
			}
		}
		if in.Has("importance") {
			it.Importance = importance
		}
		if in.Has("ttl") || in.Has("ttl_days") || in.Has("expires") {
			it.Expires = expires
		}
		if in.Has("tags") {
			it.Tags = in.Tags
		}
		return changeTags(&it.Tags, in.AddTags, in.RemoveTags, in.ID, "memory.get")
	}, errors.Join(err, wrong)
}

// errSame ends an update that would change nothing.
var errSame = errors.New("unchanged")

// updated changes an item. An update without a change makes no revision.
func updated(ctx context.Context, m *memory.Store, in *MemoryUpdateIn,
	change func(*memory.Item) error) (StoredOut, error) {
	var was memory.Item
	r, err := m.Update(ctx, in.ID, memory.UpdateOptions{Revision: in.Revision, Why: in.Why,
		Force: in.KeepSecret}, func(it *memory.Item) error {
		was = *it
		was.Tags = slices.Clone(it.Tags)
		if err := change(it); err != nil {
			return err
		}
		if reflect.DeepEqual(was, *it) && it.Forgotten == nil && (in.Revision == nil ||
			*in.Revision == it.Revision) {
			return errSame
		}
		return nil
	})
	same := errors.Is(err, errSame)
	if same {
		r.Item, err = was, nil
	}
	return StoredOut{Item: r.Item, Warnings: r.Warnings, Unchanged: &same,
		said: fmt.Sprintf("is at revision %d: ", r.Item.Revision)}, err
}

type MemoryRestoreIn struct {
	ID       string `json:"id" arg:"ID"`
	Revision *int   `json:"revision,omitempty" value:"N" cli:"restore this revision"`
}

type MemoryRestoreOut struct {
	Item     memory.Item `json:"restored"`
	Warnings []string    `json:"warnings"`
	to       string
}

var MemoryRestore = op.Op[Memories, MemoryRestoreIn, MemoryRestoreOut]{
	Info: op.Info{Command: "memory restore",
		Short: "restore an archived or forgotten item, or an earlier revision",
		Long: `Without --revision, reads find an archived or forgotten item again. With it,
the item gets the text and the fields of that revision, as a new revision.
board memory get ID --revisions lists them.`},
	Do: func(ctx context.Context, h Memories, in MemoryRestoreIn) (out MemoryRestoreOut, err error) {
		err = h.Memory(ctx, true, func(m *memory.Store) error {
			if in.Revision == nil {
				r, err := m.Restore(ctx, in.ID)
				out = MemoryRestoreOut{r.Item, r.Warnings, r.Item.Scope().String()}
				return err
			}
			r, err := m.RestoreRevision(ctx, in.ID, *in.Revision)
			out = MemoryRestoreOut{r.Item, r.Warnings, fmt.Sprintf("revision %d, as revision %d",
				*in.Revision, r.Item.Revision)}
			return err
		})
		return out, err
	},
	Text: func(p *op.Page, o MemoryRestoreOut) {
		p.Printf("%s is restored to %s: %s\n", o.Item.ID, p.Line(o.to, 200), headline(p, &o.Item, 100))
		warnings(p, o.Warnings)
	},
}

type ForgetIn struct {
	ID         []string `json:"id" arg:"ID…" as:"words" jsonschema:"m0wmh45syj"`
	Why        string   `json:"why,omitempty" needs:"mcp" value:"REASON" jsonschema:"the reason; it is kept"`
	ReplacedBy string   `json:"replaced_by,omitempty" value:"ID" rare:"true" cli:"of the item that takes its place"`
	KeepSecrets
	op.Given
}

type ForgetOut struct {
	Items []memory.Item `json:"items"`
	Notes []string      `json:"notes"`
	ids   []string
	by    string
}

var MemoryForget = op.Op[Memories, ForgetIn, ForgetOut]{
	Info: op.Info{Command: "memory forget", Tool: "memory_forget", Profile: "memory",
		Kind: op.Writes, Short: "forget items: no read returns them",
		About: "Hide a memory from reads, with the reason; it can be restored.",
		Long: `The item stays in the file with the reason: board memory get and
board memory list --forgotten still show it. Only a scrub deletes it.`},
	Do: func(ctx context.Context, h Memories, in ForgetIn) (out ForgetOut, err error) {
		if in.Has("why") && strings.TrimSpace(in.Why) == "" {
			return out, fault.Usage.New("a reason is needed", "say in a sentence why it is wrong or over")
		}
		out = ForgetOut{[]memory.Item{}, []string{}, nil, in.ReplacedBy}
		for _, id := range in.ID {
			if !slices.Contains(out.ids, id) {
				out.ids = append(out.ids, id)
			}
			if strings.HasPrefix(id, "j") && in.ReplacedBy != "" {
				return out, fault.Usage.New(id+" is a journal entry, which cannot be replaced", "",
					fault.Give("replaced_by", "", "leave {} out"))
			}
		}
		err = h.Memory(ctx, false, func(m *memory.Store) error {
			for _, id := range out.ids {
				if it, err := m.Peek(ctx, id); err == nil {
					if err := h.MayWrite(it.Tier); err != nil {
						return err
					}
				} // what is not there is said below
			}
			all, err := m.ForgetAll(ctx, out.ids, in.Why, in.ReplacedBy)
			for i, it := range all {
				if it.ID == "" {
					out.Notes = append(out.Notes, out.ids[i])
				} else {
					out.Items = append(out.Items, it)
				}
			}
			return err
		})
		return out, err
	},
	Text: func(p *op.Page, o ForgetOut) {
		for _, id := range op.Some(p, o.ids) {
			p.Printf("%s is forgotten", p.Line(id, 40))
			for i := range o.Items {
				if o.Items[i].ID == id {
					p.Printf(": %s", headline(p, &o.Items[i], 80))
				}
			}
			if o.by != "" {
				p.Printf("; %s takes its place", p.Line(o.by, 40))
			}
			p.Printf("\n")
		}
	},
}

// MemoryFilters say which items are meant.
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
	ID            string `json:"id,omitempty" only:"mcp" jsonschema:"one item whole"`
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
		for i := range s.Hits {
			ids = append(ids, s.Hits[i].ID)
		}
	}
	return ids
}

var MemoryRead = op.Op[Memories, ReadIn, ReadOut]{
	Info: op.Info{Command: "memory read", Aliases: []string{"search"}, Tool: "memory_read",
		Profile: "memory", Budget: 4000, Short: "read tiers, by question or relevance",
		About: "Search this project's memory. With id, one item whole.",
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
			err = cmpErr(err, h.MayRead(t))
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
		if n := o.Duplicates; n == 1 {
			p.Note("note: 1 more item says the same and is left out")
		} else if n > 1 {
			p.Note(fmt.Sprintf("note: %d more items say the same and are left out", n))
		}
		for _, d := range o.Degraded {
			p.Note("note: " + d)
		}
	},
}

// printTier prints what was found in a tier.
func printTier(p *op.Page, s *memory.Slice, more bool, in *ReadIn) {
	count := "nothing"
	switch n := len(s.Hits); {
	case n == 1:
		count = "1 item"
	case n > 1:
		count = fmt.Sprintf("%d items", n)
	}
	if more {
		p.Printf("\n")
	}
	p.Printf("%s: %s\n", p.Paint(op.Bold, s.Tier), count)
	shown := op.Some(p, s.Hits)
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
	if asked && p.Shorten == nil {
		line += fmt.Sprintf("  score %.2f", h.Score)
	}
	if p.Shorten == nil {
		line += fmt.Sprintf("  relevance %.2f", h.Relevance)
	}
	if h.Title != "" || in.Full { // without one the frame says it all
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

func (o MemoryListOut) IDs() (ids []string) {
	for i := range o.Items {
		ids = append(ids, o.Items[i].ID)
	}
	return ids
}

var MemoryList = op.Op[Memories, MemoryListIn, MemoryListOut]{
	Info: op.Info{Command: "memory list", Short: "list items, newest first"},
	Do: func(ctx context.Context, h Memories, in MemoryListIn) (MemoryListOut, error) {
		return inMemory(ctx, h, func(m *memory.Store) (out MemoryListOut, err error) {
			out.Items, out.More, err = m.List(ctx, memory.ListQuery{Tiers: in.Tiers,
				Channel: in.Channel, Conversation: in.Conversation, Tags: in.Tags, Curators: in.Curators,
				Sources: in.Sources, Lifetimes: in.Lifetimes, Private: in.Private,
				Forgotten: in.Forgotten, Archived: in.Archived, Before: in.Before, Limit: in.Limit})
			if err == nil && len(out.Items) == 0 {
				h.Empty(m)
			}
			return out, err
		})
	},
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
	Revisions bool   `json:"revisions,omitempty" cli:"with its revisions"`
}

type GetOut struct {
	Item      memory.Item   `json:"item"`
	Derived   string        `json:"derived_note"`
	Revisions []memory.Item `json:"revisions"`
	shows     bool          // the revisions too
}

var MemoryGet = op.Op[Memories, GetIn, GetOut]{
	Info: op.Info{Command: "memory get", Short: "show an item, archived and forgotten ones too"},
	Do: func(ctx context.Context, h Memories, in GetIn) (GetOut, error) {
		return inMemory(ctx, h, func(m *memory.Store) (out GetOut, err error) {
			if out.Item, err = m.Get(ctx, in.ID); err != nil {
				return out, err
			}
			out.shows, out.Derived = in.Revisions, m.Derived(ctx, &out.Item)
			out.Revisions, err = m.Revisions(ctx, in.ID)
			return out, cmpErr(h.MayRead(out.Item.Tier), err)
		})
	},
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
	row := func(name, value string) {
		if value != "" {
			p.Printf("%-12s %s\n", name, value)
		}
	}
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
	times := "times"
	if it.Accesses == 1 {
		times = "time"
	}
	row("accessed", fmt.Sprintf("%s, %d %s", seconds(it.Accessed), it.Accesses, times))
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

// headline is an item's text in a list.
func headline(p *op.Page, it *memory.Item, n int) string {
	if it.Title != "" {
		return p.Line(it.Title, n)
	}
	return p.Line(it.Content, n)
}

// itemMarks are the notable states of an item, for a list.
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

// cmpErr is the first of two errors.
func cmpErr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}
