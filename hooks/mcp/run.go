package mcp

import (
	"fmt"
	"strings"

	"blackboard/board"
	"blackboard/kb/secret"
)

// on says on which board, and as whom.
type on struct {
	Run    string `json:"run,omitempty" jsonschema:"default the server's"`
	Worker string `json:"worker,omitempty" jsonschema:"default the client's"`
	keepSecret
}

// keepSecret is for writes to what masks or refuses secrets.
type keepSecret struct {
	KeepSecret bool `json:"keep_secret,omitempty" jsonschema:"even a secret" rare:"true"`
}

// guard has the writes of a call mask or refuse what looks like a secret, and tell so, or
// keep it.
func (k keepSecret) guard(c *call) {
	c.keepSecret = k.KeepSecret
	c.ctx = secret.Writing(c.ctx, k.KeepSecret, func(notes []string) {
		c.notes = append(c.notes, secret.Note(notes, "keep_secret"))
	})
}

// by is the worker that acts. Over the network it may be unknown.
func (o *on) by(c *call) (string, error) {
	if o.Worker == "" && c.anonymous() && c.client == unnamed {
		return "", badArgument("give worker, who posts, such as reader-1",
			"this client gave no name over HTTP, so the entry would have no author")
	}
	return c.worker(o.Worker), nil
}

// onRun says on which board.
type onRun struct {
	Run string `json:"run,omitempty" jsonschema:"default the server's"`
}

func (s *Server) addRunTools() {
	add(s, tool{name: "board_query", title: "Look for entries", profile: ProfileRun, kind: reads,
		budget: usualTokens,
		about: "Find entries by words, type, status, worker, tag, or the signal they answer. " +
			"Look before you post."}, (*call).query)
	add(s, tool{name: "board_state", title: "Where the run stands", profile: ProfileRun,
		kind: reads, budget: glanceTokens,
		about: "The run at a glance: goal, counts, open signals, workers, variables. Start " +
			"here. Without a run it lists the runs."}, (*call).state)
	add(s, tool{name: "board_var_get", rare: true, title: "Read run variables", profile: ProfileRun,
		kind: reads, budget: usualTokens,
		about: "Read the run's shared variables; without a key, all of them."}, (*call).varGet)
	add(s, tool{name: "board_var_set", rare: true, title: "Set or delete a run variable", profile: ProfileRun,
		kind: writes,
		about: "Set a shared variable of the run. Give if_version (0: it is new), and nobody's " +
			"change is lost."}, (*call).varSet)
}

// signalOut is a signal as agents need it.
type signalOut struct {
	ID         string `json:"id"`
	Content    string `json:"content,omitempty"`
	Priority   string `json:"priority"`
	Status     string `json:"status"`
	Worker     string `json:"worker"`
	Origin     string `json:"origin,omitempty"`
	AnsweredBy string `json:"addressed_by,omitempty"`
	Reason     string `json:"reason,omitempty"`
	ClaimedBy  string `json:"claimed_by,omitempty"`
	LeaseUntil string `json:"lease_until,omitempty"`
}

func (k cut) signal(s *board.Signal) signalOut {
	out := signalOut{ID: s.ID, Content: k.text(s.Content, "board_show", s.ID),
		Priority: s.Priority, Status: s.Status, Worker: s.Worker, Origin: s.Origin,
		AnsweredBy: s.AddressedBy, Reason: k.text(s.Reason, "board_show", s.ID),
		ClaimedBy: s.ClaimedBy}
	if s.LeaseUntil != nil {
		out.LeaseUntil = timeText(*s.LeaseUntil)
	}
	return out
}

// line puts a signal on one line.
func (s *signalOut) line() string {
	said := []string{"by " + inLine(s.Worker)}
	if s.Origin != "" {
		said = append(said, "from "+s.Origin)
	}
	if s.ClaimedBy != "" {
		said = append(said, fmt.Sprintf("claimed by %s until %s", inLine(s.ClaimedBy), s.LeaseUntil))
	}
	if s.AnsweredBy != "" {
		said = append(said, "answered by "+s.AnsweredBy)
	}
	if s.Reason != "" {
		said = append(said, "reason: "+inLine(s.Reason))
	}
	return fmt.Sprintf("%s [%s, %s] %s (%s)", s.ID, s.Priority, s.Status, inLine(s.Content),
		strings.Join(said, "; "))
}

type signalResult struct {
	Run    string    `json:"run"`
	Signal signalOut `json:"signal"`
}

// signalSaid is the answer about one signal.
func (c *call) signalSaid(what, run string, s *board.Signal) (signalResult, string) {
	c.room = min(c.room, echoTokens)
	return fitted(c, func(k cut) (signalResult, string) {
		o := k.signal(s)
		return signalResult{run, o}, what + ": " + o.line()
	})
}

type queryIn struct {
	onRun
	Match       string   `json:"match,omitempty" jsonschema:"words, \"phrases\", word*, -without"`
	Contains    string   `json:"contains,omitempty" rare:"true"`
	Types       []string `json:"types,omitempty" enum:"entry_types" rare:"true"`
	Statuses    []string `json:"statuses,omitempty" enum:"entry_statuses" rare:"true"`
	Workers     []string `json:"workers,omitempty" jsonschema:"of these" rare:"true"`
	Tags        []string `json:"tags,omitempty" jsonschema:"with all of these"`
	Signal      string   `json:"signal,omitempty" jsonschema:"answers to it (s3)" rare:"true"`
	MustSurface bool     `json:"must_surface,omitempty" jsonschema:"only these" rare:"true"`
	Since       int64    `json:"since,omitempty" min:"0" jsonschema:"after this event (seq)" rare:"true"`
	Before      string   `json:"before,omitempty" jsonschema:"for the next page: the last entry of this one" rare:"true"`
	Order       string   `json:"order,omitempty" enum:"orders" jsonschema:"default newest; oldest with since" rare:"true"`
	Limit       int      `json:"limit,omitempty" min:"1" max:"200" default:"50" jsonschema:"default 50" rare:"true"`
}

// entryOut is an entry as agents need it. What it says is in the text.
type entryOut struct {
	ID          string   `json:"id"`
	Seq         int64    `json:"seq"`
	Type        string   `json:"type"`
	Status      string   `json:"status"`
	Content     string   `json:"content,omitempty"`
	SourceDoc   string   `json:"source_doc,omitempty"`
	SourceRef   string   `json:"source_ref,omitempty"`
	Evidence    string   `json:"evidence,omitempty"`
	Confidence  *float64 `json:"confidence,omitempty"`
	Worker      string   `json:"worker"`
	Tags        []string `json:"tags,omitempty"`
	MustSurface bool     `json:"must_surface,omitempty"`
	Supports    []string `json:"supports,omitempty"`
	Contradicts []string `json:"contradicts,omitempty" jsonschema:"entries it disputes"`
	Supersedes  []string `json:"supersedes,omitempty" jsonschema:"entries it replaces"`
	Addresses   []string `json:"addresses,omitempty"`
}

func (k cut) entry(e *board.Entry) entryOut {
	show := func(s string) string { return k.text(s, "board_show", e.ID) }
	return entryOut{ID: e.ID, Seq: e.Seq, Type: e.Type, Status: e.Status, Content: show(e.Content),
		SourceDoc: show(e.SourceDoc), SourceRef: show(e.SourceRef), Evidence: show(e.Evidence),
		Confidence: e.Confidence,
		Worker:     e.Worker, Tags: some(k, e.Tags), MustSurface: e.MustSurface,
		Supports: some(k, e.Supports), Contradicts: some(k, e.Contradicts),
		Supersedes: some(k, e.Supersedes), Addresses: some(k, e.Addresses)}
}

// block writes an entry for a reader.
func (e *entryOut) block() string {
	head := fmt.Sprintf("%s %s", e.ID, e.Type)
	if e.Status != board.Active {
		head += " (" + e.Status + ")"
	}
	head += " by " + inLine(e.Worker)
	if e.MustSurface {
		head += ", must surface"
	}
	text := head + ": " + indented(e.Content)
	if source := strings.Trim(e.SourceDoc+":"+e.SourceRef, ":"); source != "" {
		text += "\n  source: " + inLine(source)
	}
	if e.Evidence != "" {
		text += "\n  evidence: " + indented(e.Evidence)
	}
	for _, l := range []struct {
		kind string
		to   []string
	}{{board.Supports, e.Supports}, {board.Contradicts, e.Contradicts},
		{board.Supersedes, e.Supersedes}, {board.Addresses, e.Addresses}} {
		if len(l.to) > 0 {
			text += fmt.Sprintf("\n  %s: %s", l.kind, strings.Join(l.to, ", "))
		}
	}
	return text
}

type queryOut struct {
	Run     string     `json:"run"`
	Entries []entryOut `json:"entries"`
	More    bool       `json:"more" jsonschema:"the limit, or the room of the answer, cut the list"`
}

// rest says how to get at the entries beyond the limit, and beyond the room of the
// answer.
func (in *queryIn) rest(shown []entryOut, all int) string {
	n := len(shown)
	switch {
	case n == 0:
		return "No room for an entry: raise max_tokens."
	case in.Order == board.Newest || in.Order == "" && in.Since == 0:
		return fmt.Sprintf("There are more than these %d: narrow it, or ask for those before %s.",
			n, shown[n-1].ID)
	case in.Order != board.Best:
		return fmt.Sprintf("There are more than these %d: narrow it, or ask for those since %d.",
			n, shown[n-1].Seq)
	case n < all:
		return fmt.Sprintf("There are more than these %d: narrow it, or raise max_tokens.", n)
	}
	return fmt.Sprintf("There are more than these %d: narrow it, or raise the limit.", n)
}

func (c *call) query(in queryIn) (out queryOut, text string, err error) {
	err = c.onBoard(in.Run, false, func(b *board.Board) error {
		found, err := b.Query(c.ctx, board.Query{Types: in.Types, Statuses: in.Statuses,
			Workers: in.Workers, Tags: in.Tags, Signal: in.Signal, MustSurface: in.MustSurface,
			Since: in.Since, Before: in.Before, Match: in.Match, Contains: in.Contains,
			Order: in.Order, Limit: in.Limit})
		if err != nil {
			return err
		}
		out, text = fitted(c, func(k cut) (queryOut, string) {
			shown := some(k, found.Entries)
			out := queryOut{b.Run(), each(shown, k.entry), found.More ||
				len(shown) < len(found.Entries)}
			text := lines(out.Entries, "\n\n", "No entry of "+b.Run()+" matches.",
				(*entryOut).block)
			if out.More {
				text += "\n\n" + in.rest(out.Entries, len(found.Entries))
			}
			return out, text
		})
		return nil
	})
	return out, text, err
}
