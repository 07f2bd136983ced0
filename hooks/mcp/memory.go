package mcp

import (
	"fmt"
	"strings"
	"time"

	"blackboard/kb/memory"
)

func (s *Server) addMemoryTools() {
	add(s, tool{Tool: "memory_context", Short: "What counts now", Profile: ProfileMemory,
		Kind: reads,
		About: "What counts now, and what fits the task. Call it when a turn begins, unless a " +
			"hook gave it."}, (*call).memoryContext)
	add(s, tool{Tool: "memory_read", Short: "Read memories", Profile: ProfileMemory, Kind: reads,
		Budget: usualTokens,
		About:  "Search this project's memory."}, (*call).memoryRead)
	add(s, tool{Tool: "memory_put", Short: "Put a memory", Profile: ProfileMemory, Kind: writes,
		About: "Keep a decision, a preference or a lesson that the files do not show."},
		(*call).memoryPut)
	add(s, tool{Tool: "memory_update", Short: "Change a memory", Rare: true,
		Profile: ProfileMemory, Kind: writes,
		About: "Change a memory, or restore one."}, (*call).memoryUpdate)
	add(s, tool{Tool: "memory_forget", Short: "Forget a memory", Profile: ProfileMemory,
		Kind:  writes,
		About: "Hide a memory from reads, with the reason; it can be restored."},
		(*call).memoryForget)
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
	err = c.onMemory(true, func(m *memory.Store) error {
		o, err := m.Orient(c.ctx, memory.OrientQuery{Text: in.Task, Conversation: in.Conversation,
			Channel: in.Channel, Budget: c.document(in.Budget, 100), Words: c.words(nil)})
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

type memoryReadIn struct {
	Tiers         []string `json:"tiers,omitempty" enum:"tiers" jsonschema:"default workspace and channel"`
	Query         string   `json:"query,omitempty" jsonschema:"a question"`
	Channel       string   `json:"channel,omitempty" rare:"true"`
	Conversation  string   `json:"conversation,omitempty" rare:"true"`
	Limit         int      `json:"limit,omitempty" min:"1" max:"100" default:"10" jsonschema:"of each tier" rare:"true"`
	Archived      bool     `json:"archived,omitempty" rare:"true"`
	Tags          []string `json:"tags,omitempty" jsonschema:"with any of these" rare:"true"`
	Curators      []string `json:"curators,omitempty" enum:"curators" rare:"true"`
	Sources       []string `json:"sources,omitempty" rare:"true"`
	MinImportance float64  `json:"min_importance,omitempty" min:"0" max:"1" rare:"true"`
}

// itemOut is an item as agents need it.
type itemOut struct {
	ID         string   `json:"id"`
	Tier       string   `json:"tier"`
	Channel    string   `json:"channel,omitempty"`
	Title      string   `json:"title,omitempty"`
	Content    string   `json:"content,omitempty"`
	Curator    string   `json:"curator"`
	Source     string   `json:"source"`
	Importance float64  `json:"importance"`
	Lifetime   string   `json:"lifetime"`
	Tags       []string `json:"tags,omitempty"`
	Private    bool     `json:"private,omitempty"`
	Created    string   `json:"created"`
	Revision   int      `json:"revision"`
	Relevance  float64  `json:"relevance,omitempty"`
	Frame      string   `json:"frame,omitempty" jsonschema:"how to put it: who noted it, when"`
}

func itemOf(it *memory.Item) itemOut {
	return itemOut{ID: it.ID, Tier: it.Tier, Channel: it.Channel, Title: it.Title,
		Content: it.Content, Curator: it.Curator, Source: it.Source, Importance: it.Importance,
		Lifetime: it.Lifetime, Tags: list(it.Tags),
		Private: it.Agent != "", Created: timeText(it.Created), Revision: it.Revision}
}

type memoryReadOut struct {
	Items      []itemOut `json:"items" jsonschema:"tier by tier, the best of each first"`
	Left       int       `json:"left_out,omitempty" jsonschema:"items that the answer had no room for"`
	Duplicates int       `json:"duplicates" jsonschema:"left out because another says the same"`
	Degraded   []string  `json:"degraded"`
}

func (c *call) memoryRead(in memoryReadIn) (out memoryReadOut, text string, err error) {
	if len(in.Tiers) == 0 {
		in.Tiers = []string{memory.Workspace, memory.Channel}
	}
	for _, t := range in.Tiers {
		if err := c.cfg.Grants.readTier(t); err != nil {
			return out, "", err
		}
	}
	err = c.onMemory(in.Query != "", func(m *memory.Store) error {
		r, err := m.Read(c.ctx, memory.Query{Tiers: in.Tiers, Text: in.Query, Channel: in.Channel,
			Conversation: in.Conversation, Limit: in.Limit, Archived: in.Archived, Tags: in.Tags,
			Curators: in.Curators, Sources: in.Sources, MinImportance: in.MinImportance})
		if err != nil {
			return err
		}
		out, text = fitted(c, func(k cut) (memoryReadOut, string) {
			return k.memories(&r, in.Tiers)
		})
		return nil
	})
	return out, text, err
}

// memories is as much of what was found as there is room for, of each tier.
func (k cut) memories(r *memory.Result, tiers []string) (memoryReadOut, string) {
	out := memoryReadOut{Items: []itemOut{}, Duplicates: r.Duplicates, Degraded: list(r.Degraded)}
	var lines []string
	for _, slice := range r.Slices {
		hits := some(k, slice.Hits)
		out.Left += len(slice.Hits) - len(hits)
		for i := range hits {
			h := &hits[i]
			o := itemOf(&h.Item)
			o.Relevance, o.Frame, o.Tags = h.Relevance, k.text(h.Frame, "", ""), some(k, o.Tags)
			out.Items = append(out.Items, o)
			lines = append(lines, fmt.Sprintf("- %s [%s] %s", o.ID, slice.Tier, indented(o.Frame)))
		}
	}
	switch {
	case out.Left > 0:
		lines = append(lines, fmt.Sprintf("There are %d more: narrow it, or raise max_tokens.",
			out.Left))
	case len(lines) == 0:
		lines = []string{"Nothing is remembered about it in " + strings.Join(tiers, ", ") + "."}
	}
	return out, noted(strings.Join(lines, "\n"), out.Degraded)
}

type memoryPutIn struct {
	Tier         string   `json:"tier,omitempty" enum:"tiers" default:"workspace" jsonschema:"account: everywhere; default workspace"`
	Content      string   `json:"content" jsonschema:"one thing"`
	Title        string   `json:"title,omitempty" jsonschema:"in a few words" rare:"true"`
	Importance   float64  `json:"importance,omitempty" min:"0" max:"1" default:"0.5" jsonschema:"1: others go wrong without it"`
	Level        string   `json:"level,omitempty" enum:"importances" rare:"true"`
	Lifetime     string   `json:"lifetime,omitempty" enum:"lifetimes" jsonschema:"default short_term; long_term stays" rare:"true"`
	Tags         []string `json:"tags,omitempty" jsonschema:"topics" rare:"true"`
	Source       string   `json:"source,omitempty" rare:"true"`
	Channel      string   `json:"channel,omitempty" rare:"true"`
	Conversation string   `json:"conversation,omitempty" rare:"true"`
	TTLDays      float64  `json:"ttl_days,omitempty" min:"0" rare:"true"`
	DerivedFrom  string   `json:"derived_from,omitempty" rare:"true"`
	Private      bool     `json:"private,omitempty" rare:"true"`
	keepSecret
}

type storedOut struct {
	Item      itemOut  `json:"item"`
	Confirmed bool     `json:"confirmed" jsonschema:"the same words were there already"`
	Warnings  []string `json:"warnings"`
}

func (c *call) memoryPut(in memoryPutIn) (out storedOut, text string, err error) {
	if err := c.cfg.Grants.writeTier(in.Tier); err != nil {
		return out, "", err
	}
	if in.Channel != "" && in.Tier != memory.Channel {
		return out, "", badArgument("give tier: channel, or leave channel out",
			"channel is given, but the tier is %s", in.Tier)
	}
	if in.Private {
		if err := c.own("a private memory"); err != nil {
			return out, "", err
		}
	}
	it := memory.Item{Tier: in.Tier, Content: in.Content, Title: in.Title,
		Importance: in.Importance, Lifetime: in.Lifetime, Tags: in.Tags, Source: in.Source,
		Channel: in.Channel, Conversation: in.Conversation, DerivedFrom: in.DerivedFrom}
	if in.Level != "" {
		if it.Importance, err = memory.ParseImportance(in.Level); err != nil {
			return out, "", err
		}
	}
	if it.Expires, err = c.expiry(in.TTLDays); err != nil {
		return out, "", err
	}
	err = c.onMemory(true, func(m *memory.Store) error {
		r, err := m.Put(c.ctx, it, memory.PutOptions{Private: in.Private})
		if err != nil {
			return err
		}
		out, text = stored(r, "Remembered as")
		return nil
	})
	return out, text, err
}

func stored(r memory.Stored, verb string) (storedOut, string) {
	out := storedOut{itemOf(&r.Item), r.Confirmed, list(r.Warnings)}
	text := fmt.Sprintf("%s %s in the tier %s", verb, r.Item.ID, r.Item.Tier)
	if r.Confirmed {
		text = fmt.Sprintf("%s says the same already; its time is renewed", r.Item.ID)
	}
	return out, noted(text, out.Warnings)
}

// expiry is when something is over that lasts for some days; nil: never.
func (c *call) expiry(days float64) (*time.Time, error) {
	const century = 36_500
	switch {
	case days == 0:
		return nil, nil
	case days > century:
		return nil, badArgument("leave it out, and it stays", "%g days are more than a century",
			days)
	}
	now := time.Now()
	if c.cfg.Now != nil {
		now = c.cfg.Now()
	}
	at := now.Add(time.Duration(days * 24 * float64(time.Hour)))
	return &at, nil
}

type memoryUpdateIn struct {
	ID         string    `json:"id"`
	Content    *string   `json:"content,omitempty"`
	Title      *string   `json:"title,omitempty"`
	Importance *float64  `json:"importance,omitempty" min:"0" max:"1" jsonschema:"1: others go wrong without it"`
	Lifetime   *string   `json:"lifetime,omitempty" enum:"lifetimes" jsonschema:"long_term stays"`
	Tags       *[]string `json:"tags,omitempty"`
	TTLDays    *float64  `json:"ttl_days,omitempty" min:"0" rare:"true"`
	Source     *string   `json:"source,omitempty" rare:"true"`
	Derived    *string   `json:"derived_from,omitempty" rare:"true"`
	Revision   *int      `json:"revision,omitempty" min:"0" jsonschema:"only if it still has this one"`
	Restore    bool      `json:"restore,omitempty"`
	Why        string    `json:"why,omitempty"`
	keepSecret
}

func (c *call) memoryUpdate(in memoryUpdateIn) (out storedOut, text string, err error) {
	var expires *time.Time
	if in.TTLDays != nil {
		if expires, err = c.expiry(*in.TTLDays); err != nil {
			return out, "", err
		}
	}
	err = c.onMemory(true, func(m *memory.Store) error {
		if err := c.mayWrite(m, in.ID); err != nil {
			return err
		}
		if in.Restore {
			r, err := m.Restore(c.ctx, in.ID)
			if err != nil {
				return err
			}
			if out, text = stored(r, "Restored"); in.restoresOnly() {
				return nil
			}
		}
		r, err := m.Update(c.ctx, in.ID, memory.UpdateOptions{Revision: in.Revision, Why: in.Why},
			func(it *memory.Item) error {
				give(&it.Content, in.Content)
				give(&it.Title, in.Title)
				give(&it.Importance, in.Importance)
				give(&it.Lifetime, in.Lifetime)
				give(&it.Tags, in.Tags)
				give(&it.Source, in.Source)
				give(&it.DerivedFrom, in.Derived)
				if in.TTLDays != nil {
					it.Expires = expires
				}
				return nil
			})
		if err != nil {
			return err
		}
		out, text = stored(r, "Changed")
		return nil
	})
	return out, text, err
}

// restoresOnly reports whether nothing is to be changed besides.
func (in *memoryUpdateIn) restoresOnly() bool {
	return in.Content == nil && in.Title == nil && in.Importance == nil && in.Lifetime == nil &&
		in.Tags == nil && in.TTLDays == nil
}

// give sets what was given.
func give[T any](to *T, v *T) {
	if v != nil {
		*to = *v
	}
}

// mayWrite refuses an item in a tier that the caller may only read.
func (c *call) mayWrite(m *memory.Store, id string) error {
	it, err := m.Peek(c.ctx, id)
	if err != nil {
		return err
	}
	return c.cfg.Grants.writeTier(it.Tier)
}

type memoryForgetIn struct {
	ID         string `json:"id" jsonschema:"m0wmh45syj"`
	Why        string `json:"why" jsonschema:"the reason"`
	ReplacedBy string `json:"replaced_by,omitempty" rare:"true"`
}

type forgottenOut struct {
	ID         string `json:"id"`
	ReplacedBy string `json:"replaced_by,omitempty"`
}

func (c *call) memoryForget(in memoryForgetIn) (out forgottenOut, text string, err error) {
	if strings.TrimSpace(in.Why) == "" {
		return out, "", badArgument("say in a sentence why it is wrong or over",
			"a reason is needed")
	}
	err = c.onMemory(false, func(m *memory.Store) error {
		if err := c.mayWrite(m, in.ID); err != nil {
			return err
		}
		if _, err := m.Forget(c.ctx, in.ID, in.Why, in.ReplacedBy); err != nil {
			return err
		}
		out = forgottenOut{in.ID, in.ReplacedBy}
		text = "Forgotten: " + inLine(in.ID)
		return nil
	})
	return out, text, err
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
	err = c.onMemory(false, func(m *memory.Store) error {
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
