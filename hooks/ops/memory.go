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
	"blackboard/board/op"
	"blackboard/board/text"
	"blackboard/kb/memory"
)

type Lasting struct {
	TTL     string  `json:"ttl,omitempty" value:"SPAN" only:"cli" cli:"it is over after this span, or at this time: 7d, 1d12h, 2026-12-24, 2026-12-24 18:00 (UTC); of a change: or never"`
	Expires string  `json:"expires,omitempty" only:"cli" value:"TIME" cli:"it is over at this time: 2026-12-24, 2026-12-24 18:00 (UTC); of a change: or never"`
	TTLDays float64 `json:"ttl_days,omitempty" only:"mcp" min:"0" rare:"true" jsonschema:"as ttl, in days"`
	op.Given
}

// lifespan is days, hours and minutes: "7d", "12h", "1d12h".
var lifespan = text.NewRegexp(`^(?:([0-9]{1,6})d)?(?:([0-9]{1,7})h)?(?:([0-9]{1,8})m)?$`)

// until returns when something is over; nil for never, or if the call says nothing of it.
func (l *Lasting) until(mayNever bool) (*time.Time, error) {
	const century, hours = 100 * 365 * 24 * time.Hour, "give days and hours: 7d, 12h, 1d12h"
	if l.TTLDays > 0 {
		l.TTL = fmt.Sprintf("%dm", int64(min(l.TTLDays, 99_999)*24*60))
	}
	span, at := l.TTL != "" || l.Has("ttl"), l.Expires != "" || l.Has("expires")
	if span && at {
		return nil, fault.Usage.New("both a span and a time are given", "leave one out")
	}
	if l.TTL == "never" || strings.Contains(l.TTL, "-") { // a time, which no span looks like
		l.Expires, span, at = l.TTL, false, true
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
	Tier         string   `json:"tier,omitempty" enum:"put_tiers" default:"workspace" jsonschema:"workspace: all agents here; journal: yours for a week; core: yours for good" cli:"where; journal and core are the agent's own"`
	Channel      string   `json:"channel,omitempty" value:"NAME" rare:"true" jsonschema:"of that tier" cli:"of the tier channel; default the conversation's, else general"`
	Conversation string   `json:"conversation,omitempty" value:"REF" rare:"true" jsonschema:"its ref code" cli:"of the conversation that it belongs to, or comes from; default $BOARD_CONVERSATION"`
	Title        string   `json:"title,omitempty" value:"LINE" rare:"true" jsonschema:"in a few words"`
	Importance   string   `json:"importance,omitempty" flag:"importance,i" value:"LEVEL" default:"medium" jsonschema:"low to critical, or 0 to 1" cli:"low, medium, high, critical (others go wrong without it), or 0 to 1"`
	Lifetime     string   `json:"lifetime,omitempty" enum:"lifetimes" value:"HOW" rare:"true" jsonschema:"default short_term; long_term stays" cli:"default short_term; conversation in its tier"`
	Tags         []string `json:"tags,omitempty" flag:"tag,tags" value:"TAG" rare:"true" jsonschema:"topics"`
	Source       string   `json:"source,omitempty" rare:"true" jsonschema:"who says so" cli:"what produced it: researcher, user, a tool"`
	DerivedFrom  string   `json:"derived_from,omitempty" value:"LINK" rare:"true" jsonschema:"its origin" cli:"its origin: a file, a URL, kb:CAPSULE, board:RUN/ENTRY, memory:ID"`
	Private      bool     `json:"private,omitempty" rare:"true" jsonschema:"only you see it" cli:"only this agent sees it"`
	Lasting
	KeepSecrets
}

type StoredOut struct {
	Item      memory.Item `json:"item"`
	Warnings  []string    `json:"warnings"`
	Older     []string    `json:"older,omitempty"` // ids of older items that it may replace
	Confirmed *bool       `json:"confirmed,omitempty"`
	Unchanged *bool       `json:"unchanged,omitempty"`
	said      string
}

func (o StoredOut) IDs() []string { return []string{o.Item.ID} }

var MemoryPut = op.Op[Memories, PutIn, StoredOut]{
	Info: op.Info{Command: "memory put", Tool: "memory_put", Profile: "memory", Kind: op.Writes,
		Short: "store an item in a tier",
		About: "Keep a decision, preference or lesson that no file shows.",
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
			out = StoredOut{Item: r.Item, Warnings: r.Warnings, Older: r.Older, Confirmed: &r.Confirmed}
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
		if len(o.Older) > 0 {
			p.Note(p.Step(fault.Do("memory.forget", "  if it replaces one: {}", "id", o.Older[0],
				"replaced_by", o.Item.ID)))
		}
	},
}

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
	Tags        []string `json:"tags,omitempty" flag:"tag,tags" value:"TAG" jsonschema:"in place of those it has" cli:"in place of those it has; '' for none"`
	AddTags     []string `json:"add_tags,omitempty" flag:"add-tag" value:"TAG" only:"cli" cli:"to add"`
	RemoveTags  []string `json:"remove_tags,omitempty" flag:"remove-tag" value:"TAG" only:"cli" cli:"to remove"`
	Source      string   `json:"source,omitempty" rare:"true" jsonschema:"who says so"`
	DerivedFrom string   `json:"derived_from,omitempty" value:"LINK" rare:"true" jsonschema:"its origin"`
	Lasting
	Revision *int   `json:"revision,omitempty" min:"0" flag:"if-version,if-revision" value:"REVISION" jsonschema:"only if it still has this one" cli:"only if it still has this one; else exit 6"`
	Restore  bool   `json:"restore,omitempty" only:"mcp"`
	Forget   bool   `json:"forget,omitempty" only:"mcp" jsonschema:"hide it, for a reason"`
	Reason   string `json:"reason,omitempty" flag:"why" value:"REASON" jsonschema:"why"`
	Replaced string `json:"replaced_by,omitempty" only:"mcp" rare:"true" jsonschema:"the item in its place, with forget"`
	KeepSecrets
}

var MemoryUpdate = op.Op[Memories, MemoryUpdateIn, StoredOut]{
	Info: op.Info{Command: "memory update", Tool: "memory_update", Profile: "memory",
		Kind: op.Writes, Shows: []string{"id", "content", "forget", "reason"},
		Short: "change an item; revisions are kept",
		About: "Correct a memory, or forget it. Old versions are kept.",
		Long: `What is given changes; its tier and its owner do not. With an id alone, on a
terminal, the content opens in $VISUAL or $EDITOR.`},
	Do: func(ctx context.Context, h Memories, in MemoryUpdateIn) (out StoredOut, err error) {
		if in.Forget {
			gone, err := MemoryForget.Do(ctx, h, ForgetIn{ID: []string{in.ID}, Reason: in.Reason,
				ReplacedBy: in.Replaced, Given: op.Giving("reason")})
			if err != nil {
				return out, err
			}
			return StoredOut{Item: gone.Items[0], Warnings: gone.Notes, said: "is forgotten: "}, nil
		}
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

// change returns what an update does to the item, and what is wrong with its importance or its time.
func (in *MemoryUpdateIn) change() (func(*memory.Item) error, error) {
	importance, err := 0.0, error(nil)
	if in.Has("importance") {
		importance, err = memory.ParseImportance(strings.ToLower(in.Importance))
	}
	expires, wrong := in.until(true)
	return func(it *memory.Item) error {
		g := &in.Given
		op.Take(g, &it.Title, in.Title, "title")
		op.Take(g, &it.Content, in.Content, "content")
		op.Take(g, &it.Lifetime, in.Lifetime, "lifetime")
		op.Take(g, &it.Source, in.Source, "source")
		op.Take(g, &it.DerivedFrom, in.DerivedFrom, "derived_from")
		op.Take(g, &it.Importance, importance, "importance")
		op.Take(g, &it.Expires, expires, "ttl", "ttl_days", "expires")
		op.Take(g, &it.Tags, in.Tags, "tags")
		return changeTags(&it.Tags, in.AddTags, in.RemoveTags, in.ID, "memory.get")
	}, errors.Join(err, wrong)
}

// errSame ends an update that would change nothing.
var errSame = errors.New("unchanged")

// updated changes an item. An update without a change makes no revision.
func updated(ctx context.Context, m *memory.Store, in *MemoryUpdateIn,
	change func(*memory.Item) error) (StoredOut, error) {
	var was memory.Item
	r, err := m.Update(ctx, in.ID, memory.UpdateOptions{Revision: in.Revision, Why: in.Reason,
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
board memory get ID --all lists them.`},
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
	Reason     string   `json:"reason,omitempty" flag:"why" needs:"mcp" value:"REASON" jsonschema:"the reason; it is kept"`
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
		if in.Has("reason") && strings.TrimSpace(in.Reason) == "" {
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
			all, err := m.ForgetAll(ctx, out.ids, in.Reason, in.ReplacedBy)
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
		for _, id := range op.FirstRows(p, o.ids) {
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
