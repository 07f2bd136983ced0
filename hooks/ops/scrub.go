package ops

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/board/text"
	"blackboard/kb/memory"
)

type ScrubIn struct {
	Scope        string `json:"scope,omitempty" arg:"SCOPE" only:"cli"`
	Tier         string `json:"tier,omitempty" enum:"tiers" only:"mcp" needs:"mcp"`
	Channel      string `json:"channel,omitempty" only:"mcp" jsonschema:"of the tier channel"`
	Conversation string `json:"conversation,omitempty" only:"mcp" jsonschema:"ref code, of the tier conversation"`
	Mode         string `json:"mode,omitempty" enum:"scrub_modes" default:"keep_named"`
	Of           string `json:"of,omitempty" value:"AGENT" only:"cli" cli:"only what is this one's own: private items, journal, core, working notes"`
	Purge        bool   `json:"purge,omitempty" jsonschema:"of a conversation: its working notes and itself too" cli:"the conversation itself too, with the working notes of all agents"`
	Confirm      string `json:"confirm,omitempty" value:"HASH" jsonschema:"the manifest's hash" cli:"do not ask: delete what the dry run with this hash listed"`
	Execute      bool   `json:"execute,omitempty" only:"cli" cli:"old spelling; --confirm alone is enough"`
	DryRun       bool   `json:"dry_run,omitempty" only:"cli" cli:"show what would be done, and change nothing"`
	op.Given
}

type ScrubOut struct {
	Manifest memory.Manifest `json:"manifest"`
	Executed bool            `json:"executed"`
	Event    *memory.Event   `json:"event"` // null if nothing was deleted
	Notes    []string        `json:"notes"`
	looks    bool            // it was asked for nothing else
}

var MemoryScrub = op.Op[Memories, ScrubIn, ScrubOut]{
	Info: op.Info{Command: "memory scrub", Tool: "memory_scrub", Profile: "admin", Kind: op.Destroys,
		Short: "delete items for good, after a dry run",
		About: "Without confirm: a manifest of what would be removed, with its hash. With confirm, the hash: exactly " +
			"that is removed, and cannot be brought back. Show the manifest to the person first.",
		Long: `SCOPE is workspace, account, channel:NAME or conversation:REF. In the workspace
and the account this includes the journals and core memories of all agents, and
with --mode full the named entries. On a terminal the command asks. It refuses a
hash if anything has changed since. The log records the scrub. An agent needs the
grant scrub, or scrub:MODE. --mode all deletes all of one workspace, with its log and its file;
its directory, which --workspace names, may be gone. The account's log records it.`},
	Do: func(ctx context.Context, h Memories, in ScrubIn) (out ScrubOut, err error) {
		q := memory.ScrubQuery{Scope: memory.Scope{Tier: in.Tier, Channel: in.Channel, Conversation: in.Conversation},
			Mode: in.Mode, Of: in.Of, Purge: in.Purge}
		if in.Tier == "" {
			q.Scope, err = memory.ParseScope(in.Scope)
		}
		err = cmp.Or(err, h.MayUse(memory.GrantScrubMode(q.Mode)), h.MayWrite(q.Scope.Tier))
		if err != nil {
			return out, err
		}
		return inMemory(ctx, h, func(m *memory.Store) (ScrubOut, error) {
			if !in.Execute && !in.Has("confirm") || in.DryRun {
				would, err := m.ScrubManifest(ctx, q)
				return ScrubOut{would, false, nil, []string{}, in.DryRun}, err
			}
			done, err := m.Scrub(ctx, q, in.Confirm)
			return ScrubOut{done.Manifest, true, &done.Event, done.Notes, false}, err
		})
	},
	Text: func(p *op.Page, o ScrubOut) {
		m := &o.Manifest
		switch {
		case o.Executed:
			p.Printf("deleted from %s for good: %s\n", m.Scope, Scrubbed(m.Counts))
			for _, n := range o.Notes {
				p.Note("note: " + n)
			}
			return
		case m.Empty():
			p.Printf("nothing to delete in %s\n", m.Scope)
			return
		}
		p.Printf("would be deleted from %s for good: %s\n", m.Scope, Scrubbed(m.Counts))
		if len(m.Sample) > 0 {
			what, all := "all", 0
			for _, kind := range []string{"live", "archived", "forgotten", "journal", "core", "named"} {
				all += m.Counts[kind]
			}
			if all > len(m.Sample) {
				what = fmt.Sprintf("%d of %d", len(m.Sample), all)
			}
			p.Printf("ids (%s): %s\n", what, text.Visible(strings.Join(m.Sample, " ")))
		}
		p.Printf("hash: %s\n", m.Hash)
		if !o.looks {
			p.Note("nothing was deleted; " + p.Step(fault.Give("confirm", "HASH", "{} deletes exactly this, for good")))
		}
	},
}

// scrubbedKinds are the counts of a manifest, in the order of its text, with their names.
var scrubbedKinds = Kinds{
	{"live", "live item", "live items"}, {"archived", "archived item", "archived items"},
	{"forgotten", "forgotten item", "forgotten items"}, {"private", "of them private to an agent",
		"of them private to an agent"},
	{"named", "named entry", "named entries"}, {"journal", "journal entry", "journal entries"},
	{"core", "core memory", "core memories"}, {"scratch", "working note", "working notes"},
	{"revisions", "revision", "revisions"}, {"conversations", "conversation", "conversations"},
	{"channels", "channel of its own", "channels of its own"},
}

func Scrubbed(counts map[string]int) string { return Counted(scrubbedKinds, counts) }

// Kinds are the kinds of things that are counted, with the names of one and of several.
type Kinds []struct{ Name, One, Many string }

// Counted says how many there are of each kind, "nothing" if there are none.
func Counted(kinds Kinds, counts map[string]int) string {
	var parts []string
	for _, k := range kinds {
		if n := counts[k.Name]; n > 0 {
			parts = append(parts, text.Count(int64(n), k.One, k.Many))
		}
	}
	if len(parts) == 0 {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}
