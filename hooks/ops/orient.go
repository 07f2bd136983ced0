package ops

import (
	"context"
	"fmt"

	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/board/text"
	"blackboard/kb/memory"
)

type OrientIn struct {
	Task         string   `json:"task,omitempty" arg:"[QUERY | -]" as:"ask" jsonschema:"what you are about to do"`
	Budget       int      `json:"budget,omitempty" min:"1" default:"1200" value:"TOKENS" jsonschema:"tokens" cli:"that it may have, 4 bytes each"`
	Conversation string   `json:"conversation,omitempty" value:"REF" rare:"true" cli:"of the conversation; default $BOARD_CONVERSATION"`
	Channel      string   `json:"channel,omitempty" value:"NAME" rare:"true" cli:"of the channel; default the conversation's"`
	Limit        int      `json:"limit,omitempty" min:"1" flag:"limit,n" value:"N" only:"cli" cli:"at most so many items in a section (default as the budget has room)"`
	Tiers        []string `json:"tiers,omitempty" enum:"tiers" flag:"tier,tiers" only:"cli" cli:"default all"`
}

type OrientOut struct {
	Orientation memory.Orientation `json:"orientation"`
	Count       memory.NoteCounts  `json:"memories_count"`
	empty       bool               // nothing is remembered
}

var Orient = op.Op[Memories, OrientIn, OrientOut]{
	Info: op.Info{Command: "memory orient", Tool: "memory_context", Profile: "memory",
		Short: "print the memory for a turn, as one document",
		About: "What counts now, and what fits the task. Call it when a turn begins, unless a hook gave it.",
		Long: `Prints the named entries first; then critical items of any tier, items about the
question, those of the conversation and its channel, and the newest; then the
agent's own core memories and journal. Each line has an item's id, its age, and
its author if that is somebody else. The document is Markdown for a prompt; it
is empty if the memory is. Items beyond the budget are counted.`},
	Do: func(ctx context.Context, h Memories, in OrientIn) (out OrientOut, err error) {
		err = h.Memory(ctx, in.Task != "", func(m *memory.Store) (err error) {
			o := &out.Orientation
			*o, err = m.Orient(ctx, memory.OrientQuery{Text: in.Task, Conversation: talkIn(h, m, in.Conversation),
				Channel: in.Channel, Budget: h.Room(in.Budget, 100), Limit: in.Limit, Tiers: in.Tiers, Words: h.Words})
			if err == nil {
				out.Count, err = m.CountNotes(ctx)
			}
			if err == nil && h.MayRead(memory.Account) != nil {
				o.Degraded = append(o.Degraded, "the account's memory (SOUL, what holds in all projects) is not granted "+
					"to this client")
			}
			if err == nil && o.Text() == "" {
				some, _, err := m.List(ctx, memory.ListQuery{Limit: 1})
				out.empty = len(some) == 0
				return err
			}
			return err
		})
		return out, err
	},
	Text: func(p *op.Page, out OrientOut) {
		o := &out.Orientation
		switch said := o.Text(); {
		case said != "":
			reply(p, said)
		case out.empty:
			p.Note("the memory is empty")
		case o.LeftOut == 0:
			p.Note("nothing matched, though something is remembered" + p.Step(fault.Do("memory.get", ": {} looks further")))
		}
		for _, d := range o.Degraded {
			p.Note("note: " + d)
		}
		if o.LeftOut > 0 {
			p.Note(fmt.Sprintf("note: the budget of %d tokens leaves out %s", o.Budget,
				text.Count(int64(o.LeftOut), "more item", "more items")))
		}
	},
}

type OwnIn struct {
	Budget int `json:"budget,omitempty" min:"1" default:"1200" value:"TOKENS" cli:"that it may have, 4 bytes each"`
}

type OwnOut struct {
	Agent   string            `json:"agent"`
	Block   string            `json:"block"`
	LeftOut int               `json:"left_out"`
	Count   memory.NoteCounts `json:"memories_count"` // how many notes the agent has in all
	budget  int
}

var OwnContext = op.Op[Memories, OwnIn, OwnOut]{
	Info: op.Info{Command: "memory context", Short: "print core and journal for a prompt",
		Long: `Prints the agent's core memories and its journal of the last seven days as one
block: a line for each note, the newest within the budget. Without notes it
prints nothing.`},
	Do: onMemory(func(ctx context.Context, _ Memories, m *memory.Store, in OwnIn) (OwnOut, error) {
		block, left, err := m.AgentContext(ctx, in.Budget)
		if err != nil {
			return OwnOut{}, err
		}
		count, err := m.CountNotes(ctx)
		return OwnOut{m.Agent(), block, left, count, in.Budget}, err
	}),
	Text: func(p *op.Page, o OwnOut) {
		if o.Block != "" {
			reply(p, o.Block)
		}
		if o.LeftOut > 0 {
			p.Note(fmt.Sprintf("note: the budget of %d tokens leaves out %s; `board memory core` and `board "+
				"memory journal` list all", o.budget, text.Count(int64(o.LeftOut), "more note", "more notes")))
		}
	},
}
