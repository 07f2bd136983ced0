package mcp

import (
	"fmt"
	"strings"

	"blackboard/kb/memory"
)

func (s *Server) addMemoryTools() {
	add(s, tool{Tool: "memory_context", Short: "What counts now", Profile: ProfileMemory,
		Kind: reads,
		About: "What counts now, and what fits the task. Call it when a turn begins, unless a " +
			"hook gave it."}, (*call).memoryContext)
	add(s, tool{Tool: "memory_named", Short: "Named entries", Profile: ProfileTalk, Kind: writes,
		Budget: usualTokens,
		About: "Read VOICE, SOUL and other entries with names: without a name, a list; with " +
			"one, the whole. Give body to write one, which takes the grant named:write, and the " +
			"revision that you read."}, (*call).memoryNamed)
}

type contextIn struct {
	Task         string `json:"task,omitempty" jsonschema:"what you are about to do"`
	Conversation string `json:"conversation,omitempty" rare:"true"`
	Channel      string `json:"channel,omitempty" rare:"true"`
	Budget       int    `json:"budget,omitempty" min:"100" max:"8000" default:"1200" jsonschema:"tokens"`
}

type contextOut struct {
	Markdown string   `json:"markdown,omitempty"`
	Tokens   int      `json:"tokens"`
	LeftOut  int      `json:"left_out" jsonschema:"hits that the budget had no room for"`
	Own      string   `json:"own,omitempty" jsonschema:"your core memories and your journal of a week"`
	Degraded []string `json:"degraded"`
}

func (c *call) memoryContext(in contextIn) (out contextOut, text string, err error) {
	if err := c.anyTier(); err != nil {
		return out, "", err
	}
	err = c.Memory(c.ctx, true, func(m *memory.Store) error {
		o, err := m.Orient(c.ctx, memory.OrientQuery{Text: in.Task, Conversation: in.Conversation,
			Channel: in.Channel, Budget: c.Room(in.Budget, 100), Words: c.words(nil)})
		if err != nil {
			return err
		}
		out = contextOut{o.Markdown, o.Tokens, o.LeftOut, o.Own, list(o.Degraded)}
		text = o.Text()
		if !m.Reaches(memory.Account) {
			out.Degraded = append(out.Degraded,
				"the account's memory (SOUL, what holds in all projects) is not granted to this "+
					"client")
		}
		switch {
		case o.LeftOut > 0:
			text += fmt.Sprintf("\n\n(%d more that the budget has no room for: memory_read "+
				"finds them)", o.LeftOut)
		case text == "":
			some, _, err := m.List(c.ctx, memory.ListQuery{Limit: 1})
			if err != nil {
				return err
			}
			text = "Nothing is remembered yet."
			if len(some) > 0 {
				text = "Nothing matched, though something is remembered: memory_read looks " +
					"further."
			}
		}
		text = noted(strings.TrimSpace(text), out.Degraded)
		return nil
	})
	return out, text, err
}

// anyTier refuses a caller without any tier.
func (c *call) anyTier() error {
	if len(c.cfg.Grants.tiers()) == 0 {
		return c.cfg.Grants.need(WorkspaceRead, "reading the memory")
	}
	return nil
}

type namedIn struct {
	Name     string  `json:"name,omitempty" jsonschema:"VOICE, SOUL, or another; default: list them"`
	Tier     string  `json:"tier,omitempty" enum:"own_tiers" jsonschema:"default workspace; SOUL's is account"`
	Body     *string `json:"body,omitempty" jsonschema:"markdown to write"`
	Revision *int    `json:"revision,omitempty" min:"0" jsonschema:"with body: the revision that you read; 0: it must be new"`
	keepSecret
}

// namedOut is a named entry as agents need it.
type namedOut struct {
	Name     string `json:"name"`
	Tier     string `json:"tier"`
	Body     string `json:"body,omitempty"`
	Revision int    `json:"revision" jsonschema:"0: nothing was written yet"`
	Updated  string `json:"updated,omitempty"`
}

func (k cut) named(n *memory.Named) namedOut {
	out := namedOut{Name: n.Name, Tier: n.Tier, Body: k.text(n.Body, "", ""), Revision: n.Revision}
	if n.Revision > 0 {
		out.Updated = timeText(n.Updated)
	}
	return out
}

type namedListOut struct {
	Entries []namedOut `json:"entries"`
}

func (c *call) memoryNamed(in namedIn) (out namedListOut, text string, err error) {
	if err := c.anyTier(); err != nil {
		return out, "", err
	}
	if in.Body != nil && (in.Name == "" || in.Revision == nil) {
		return out, "", badArgument("read it first",
			"to write a named entry takes its name, and the revision that you read")
	}
	if in.Tier == "" && in.Name != "" {
		if in.Tier = memory.Workspace; in.Name == memory.Soul {
			in.Tier = memory.Account
		}
	}
	if in.Tier != "" {
		if err := c.cfg.Grants.readTier(in.Tier); err != nil {
			return out, "", err
		}
	}
	err = c.Memory(c.ctx, false, func(m *memory.Store) error {
		var all []memory.Named
		switch {
		case in.Name == "":
			var tiers []string
			if in.Tier != "" {
				tiers = []string{in.Tier}
			}
			if all, err = m.Named(c.ctx, tiers...); err != nil {
				return err
			}
		default:
			n, err := c.named(m, &in)
			if err != nil {
				return err
			}
			all = append(all, n)
		}
		out, text = fitted(c, func(k cut) (namedListOut, string) {
			out := namedListOut{each(some(k, all), k.named)}
			text := lines(out.Entries, "\n\n", "There is no named entry.",
				func(n *namedOut) string {
					return fmt.Sprintf("## %s (%s, revision %d)\n  | %s", inLine(n.Name), n.Tier,
						n.Revision, indented(n.Body))
				})
			return out, further(text, len(out.Entries), len(all))
		})
		return nil
	})
	return out, text, err
}

// named reads a named entry, or writes it.
func (c *call) named(m *memory.Store, in *namedIn) (memory.Named, error) {
	if in.Body == nil {
		return m.GetNamed(c.ctx, in.Name, in.Tier)
	}
	if err := c.cfg.Grants.need(NamedWrite, "writing a named entry"); err != nil {
		return memory.Named{}, err
	}
	if err := c.cfg.Grants.writeTier(in.Tier); err != nil {
		return memory.Named{}, err
	}
	return m.EditNamed(c.ctx, in.Name, in.Tier, *in.Body, *in.Revision)
}
