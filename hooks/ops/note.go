package ops

import (
	"context"
	"fmt"
	"time"

	"blackboard/board/op"
	"blackboard/kb/memory"
)

type NoteIn struct {
	Content string `json:"content,omitempty" arg:"[TEXT | -]" as:"note" needs:"mcp" jsonschema:"the note"`
	Tier    string `json:"tier,omitempty" enum:"own_tiers" jsonschema:"account: in every project" cli:"default workspace, and account where there is none; without a text, only those of it"`
	Full    bool   `json:"full,omitempty" only:"cli" jsonschema:"print full entries"`
	Limit   int    `json:"limit,omitempty" min:"0" flag:"limit,n" value:"N" default:"50" only:"cli" cli:"at most this many; 0: all"`
	KeepSecrets
	op.Given
}

type NoteOut struct {
	Note  *memory.Note   `json:"note,omitempty"`
	Notes *[]memory.Note `json:"notes,omitempty"`
	More  *bool          `json:"more,omitempty"`
	kind  string
	agent string
	full  bool
}

func (o NoteOut) IDs() []string {
	if o.Note != nil {
		return []string{o.Note.ID}
	}
	return op.Each(*o.Notes, func(n *memory.Note) string { return n.ID })
}

var JournalNote = op.Op[Memories, NoteIn, NoteOut]{
	Info: op.Info{Command: "memory journal", Tool: "save_to_journal", Profile: "memory",
		Need: WorkspaceWrite, Kind: op.Writes,
		Short: "write the agent's journal, or list it",
		About: "What happened, and how you see it. Yours alone; it is with you for a week.",
		Long: `An entry is used for seven days, and listed as expired after that. With a text the
command adds an entry, without one it lists the journal. No other agent sees it.`},
	Do: func(ctx context.Context, h Memories, in NoteIn) (NoteOut, error) {
		return note(ctx, h, memory.Journal, in)
	},
	Text: noteText,
}

var CoreNote = op.Op[Memories, NoteIn, NoteOut]{
	Info: op.Info{Command: "memory core", Tool: "save_to_core", Profile: "memory",
		Need: WorkspaceWrite, Kind: op.Writes,
		Short: "write the agent's core memories, or list them",
		About: "Who you are and what you hold to. Yours alone, and permanent: few and short.",
		Long: `With a text the command adds one, without one it lists them; board memory forget
removes one.`},
	Do: func(ctx context.Context, h Memories, in NoteIn) (NoteOut, error) {
		return note(ctx, h, memory.Core, in)
	},
	Text: noteText,
}

func note(ctx context.Context, h Memories, kind string, in NoteIn) (NoteOut, error) {
	if err := h.Owns("what is yours alone"); err != nil {
		return NoteOut{}, err
	}
	return inMemory(ctx, h, func(m *memory.Store) (NoteOut, error) {
		out := NoteOut{kind: kind, agent: m.Agent(), full: in.Full}
		if in.Has("content") {
			tier := in.Tier
			if tier == "" && m.Workspace() == "" {
				tier = memory.Account
			}
			if err := h.MayWrite(tier); err != nil {
				return out, err
			}
			n, err := m.SaveNote(ctx, kind, tier, in.Content, in.KeepSecret)
			out.Note = &n
			return out, err
		}
		found, err := m.Notes(ctx, kind, 0)
		all, more := []memory.Note{}, false
		for _, n := range found {
			switch {
			case in.Tier != "" && n.Tier != in.Tier:
			case in.Limit > 0 && len(all) == in.Limit:
				more = true
			default:
				all = append(all, n)
			}
		}
		out.Notes, out.More = &all, &more
		return out, err
	})
}

func noteText(p *op.Page, o NoteOut) {
	if n := o.Note; n != nil {
		until := ""
		if n.ExpiresAround != "" {
			until = ", counts until " + n.ExpiresAround
		}
		kind := map[string]string{memory.Journal: "journal", memory.Core: "core memory"}[o.kind]
		p.Printf("%s %s of %s, %s: %s%s\n", n.ID, kind, p.Line(n.Agent, 40), n.Tier,
			p.Line(n.Content, 80), until)
		return
	}
	kind := map[string]string{memory.Journal: "journal", memory.Core: "core memories"}[o.kind]
	newest(p, *o.Notes, *o.More, p.Line(o.agent, 40)+" has no "+kind+" yet", nil,
		func(n *memory.Note) string {
			line := fmt.Sprintf("%s  %s  %-9s", n.ID, n.Created.Format(time.DateOnly), n.Tier)
			mark := ""
			if n.Expired {
				mark = p.Paint(op.Yellow, "  expired")
			}
			if o.full {
				return line + mark + "\n" + p.Block(n.Content, "       | ")
			}
			return line + "  " + p.Text(n.Content, 160, "", "") + mark
		})
}
