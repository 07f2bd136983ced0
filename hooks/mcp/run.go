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
