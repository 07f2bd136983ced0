package ops

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/kb/memory"
)

type NamedListIn struct {
	Tier string `json:"tier,omitempty" enum:"own_tiers" cli:"default both"`
}

type NamedListOut struct {
	Named []memory.Named `json:"named"`
}

var NamedList = op.Op[Memories, NamedListIn, NamedListOut]{
	Info: op.Info{Command: "memory named list", Short: "list them"},
	Do: onMemory(func(ctx context.Context, _ Memories, m *memory.Store, in NamedListIn) (out NamedListOut, err error) {
		var tiers []string
		if in.Tier != "" {
			tiers = []string{in.Tier}
		}
		out.Named, err = m.Named(ctx, tiers...)
		return out, err
	}),
	Text: func(p *op.Page, o NamedListOut) { namedRows(p, o.Named) },
}

func namedRows(p *op.Page, all []memory.Named) {
	listed(p, all, false, "named entries", func(n *memory.Named) string {
		line := fmt.Sprintf("%-12s  %-9s  ", p.Line(n.Name, 200), n.Tier)
		if n.Revision == 0 {
			return line + p.Paint(op.Dim, "empty")
		}
		return line + fmt.Sprintf("%s  revision %d  %s", n.Updated.Format("2006-01-02"), n.Revision,
			p.Text(n.Body, 100, "memory.named.show", n.Name))
	})
}

type NamedID struct {
	Name string `json:"name" arg:"NAME"`
	Tier string `json:"tier,omitempty" enum:"own_tiers" cli:"default workspace; SOUL's is account"`
}

type NamedShowIn struct {
	NamedID
	Revisions bool `json:"revisions,omitempty" flag:"all,revisions" cli:"print its revisions instead, the oldest first"`
}

type NamedShowOut struct {
	Entry     memory.Named   `json:"entry"`
	Revisions []memory.Named `json:"revisions"`
	older     bool           // these are what is asked for
}

var NamedShow = op.Op[Memories, NamedShowIn, NamedShowOut]{
	Info: op.Info{Command: "memory named show", Short: "print one unchanged"},
	Do: onMemory(func(ctx context.Context, _ Memories, m *memory.Store, in NamedShowIn) (out NamedShowOut, err error) {
		out.older = in.Revisions
		none := error(nil)
		if out.Entry, none = m.GetNamed(ctx, in.Name, in.Tier); none != nil && !in.Revisions {
			return out, none
		}
		out.Revisions, err = m.NamedRevisions(ctx, in.Name, in.Tier)
		if err == nil && len(out.Revisions) == 0 { // one that was removed still has them
			err = none
		}
		return out, err
	}),
	Text: func(p *op.Page, o NamedShowOut) {
		switch {
		case o.older:
			for i := range o.Revisions {
				if i > 0 {
					p.Printf("\n")
				}
				r := &o.Revisions[i]
				p.Printf("revision %d, %s\n%s\n", r.Revision, seconds(r.Updated), p.Block(r.Body, "  | "))
			}
			if len(o.Revisions) == 0 {
				p.Note("it has no earlier revisions")
			}
		case o.Entry.Body == "":
			p.Note(o.Entry.Name + " is empty" + p.Step(fault.Do("memory.named.edit", "; {} writes it", "name", o.Entry.Name)))
		default:
			p.Document(o.Entry.Body)
		}
	},
}

type NamedIn struct {
	Name     string  `json:"name,omitempty" arg:"NAME" jsonschema:"VOICE, SOUL, or another; default: list them"`
	Body     *string `json:"body,omitempty" arg:"[TEXT | -]" as:"note" jsonschema:"markdown to write"`
	Tier     string  `json:"tier,omitempty" enum:"own_tiers" jsonschema:"default workspace; SOUL's is account"`
	File     string  `json:"file,omitempty" only:"cli" cli:"take the text from this file"`
	Revision *int    `json:"revision,omitempty" min:"0" flag:"if-version,if-revision" jsonschema:"with body: the revision that you read; 0: it must be new" cli:"only if it still has this one, 0 for none; else exit 6"`
	KeepSecrets
	op.Given
}

type NamedOut struct {
	Entry *memory.Named  `json:"entry,omitempty"`
	Named []memory.Named `json:"named,omitempty"`
	wrote bool
}

var Named = op.Op[Memories, NamedIn, NamedOut]{
	Info: op.Info{Command: "memory named edit", Tool: "memory_named", Profile: "conversation", Kind: op.Writes,
		Budget: 4000, Short: "write one",
		About: "Read VOICE, SOUL and other entries with names: without a name, a list; with one, the whole. Give " +
			"body to write one, which takes the grant named:write, and the revision that you read.",
		Long: `The text is the argument, standard input (-), or a file. Without a text, on a
terminal, the entry opens in $VISUAL or $EDITOR. Revisions are kept.`},
	Do: func(ctx context.Context, h Memories, in NamedIn) (out NamedOut, err error) {
		out.wrote = in.Body != nil || in.Has("file")
		switch {
		case in.Name == "" && !out.wrote:
			list, err := NamedList.Do(ctx, h, NamedListIn{in.Tier})
			return NamedOut{Named: list.Named}, err
		case h.IsToolCall() && out.wrote && (in.Name == "" || in.Revision == nil):
			err = fault.Usage.New("to write a named entry takes its name, and the revision that you read", "read it first")
		case in.Body != nil && in.Has("file"):
			err = fault.Usage.New("both --file and an argument are given", "give the text once")
		case in.Has("file"):
			in.Body, err = fileText(h, in.File)
		}
		if tier, named := memory.NamedTier(in.Name, in.Tier); err == nil {
			if err = cmp.Or(named, h.MayRead(tier)); out.wrote {
				err = cmp.Or(err, h.MayUse(memory.GrantNamed), h.MayWrite(tier))
			}
		}
		if err != nil {
			return out, err
		}
		return inMemory(ctx, h, func(m *memory.Store) (NamedOut, error) {
			n, revision := memory.Named{}, memory.AnyRevision
			if in.Revision != nil {
				revision = *in.Revision
			}
			if !out.wrote {
				n, err = m.GetNamed(ctx, in.Name, in.Tier)
			} else {
				n, err = m.EditNamed(ctx, in.Name, in.Tier, *in.Body, revision)
			}
			out.Entry = &n
			return out, err
		})
	},
	Text: func(p *op.Page, o NamedOut) {
		n := o.Entry
		switch {
		case n == nil:
			namedRows(p, o.Named)
			return
		case !o.wrote:
			p.Printf("%s (%s, revision %d)\n%s\n", p.Line(n.Name, 200), n.Tier, n.Revision, p.Whole(n.Body, "  | ", "", ""))
			return
		}
		p.Printf("%s is at revision %d: %s\n", p.Line(n.Name, 200), n.Revision, p.Line(n.Body, 80))
		if tokens := n.Tokens(); tokens > memory.NamedTokens {
			p.Note(fmt.Sprintf("note: it has %d tokens, but a turn has %d for all named entries; the rest is cut",
				tokens, memory.NamedTokens))
		}
	},
}

// fileText is the text of a file that a command names, - for its standard input.
func fileText(h Memories, name string) (*string, error) {
	const most = 1 << 20
	in, done, err := h.Open(name, "text")
	if err != nil {
		return nil, err
	}
	defer done()
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	if len(data) > most {
		err = fault.Usage.New(name+" is larger than 1 MiB", "it is read in every turn: keep what matters")
	}
	said := string(data)
	return &said, err
}

var NamedRemove = op.Op[Memories, NamedID, NamedOut]{
	Info: op.Info{Command: "memory named rm", Short: "remove one; revisions are kept"},
	Do: onMemory(func(ctx context.Context, _ Memories, m *memory.Store, in NamedID) (NamedOut, error) {
		n, err := m.RemoveNamed(ctx, in.Name, in.Tier)
		return NamedOut{Entry: &n}, err
	}),
	Text: func(p *op.Page, o NamedOut) {
		p.Printf("%s is removed%s\n", o.Entry.Name, p.Step(fault.Do("memory.named.show", "; {} shows its revisions",
			"name", o.Entry.Name, "tier", o.Entry.Tier, "all", "")))
	},
}
