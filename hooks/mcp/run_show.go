package mcp

import (
	"fmt"
	"strings"

	"blackboard/board"
	"blackboard/board/report"
)

func (s *Server) addShowTools() {
	add(s, tool{name: "board_show", title: "One entry or signal", profile: ProfileRun, kind: reads,
		budget: usualTokens,
		about:  "One entry or signal whole, with its links both ways and its history."},
		(*call).show)
	add(s, tool{name: "board_signals", rare: true, title: "List signals", profile: ProfileRun, kind: reads,
		budget: usualTokens,
		about:  "List signals by status, the open and urgent ones first."}, (*call).signals)
	add(s, tool{name: "board_digest", title: "What the run has found", profile: ProfileRun,
		kind: reads, budget: digestTokens,
		about: "What the run has found, for the synthesis: what blocks, what must surface, the " +
			"strongest findings."}, (*call).digest)
}

type showIn struct {
	onRun
	ID string `json:"id" jsonschema:"e12 or s3"`
}

type backlinkOut struct {
	Kind string `json:"kind"`
	From string `json:"from"`
}

// showOut is an entry or a signal, with what is linked to it.
type showOut struct {
	Run     string        `json:"run"`
	Entry   *entryOut     `json:"entry,omitempty"`
	Signal  *signalOut    `json:"signal,omitempty"`
	Linked  []backlinkOut `json:"linked_by" jsonschema:"entries that link to it"`
	Raised  []string      `json:"raised,omitempty" jsonschema:"signals that arose from it"`
	Settled []string      `json:"settled_with,omitempty" jsonschema:"entries with which it is no conflict"`
	Seqs    []int64       `json:"events" jsonschema:"the events of its history"`
}

func (c *call) show(in showIn) (out showOut, text string, err error) {
	err = c.onBoard(in.Run, false, func(b *board.Board) error {
		if strings.HasPrefix(in.ID, "s") {
			d, err := b.SignalByID(c.ctx, in.ID)
			if err == nil {
				out, text = fitted(c, func(k cut) (showOut, string) {
					return k.signalShown(b.Run(), &d)
				})
			}
			return err
		}
		d, err := b.Entry(c.ctx, in.ID)
		if err == nil {
			out, text = fitted(c, func(k cut) (showOut, string) {
				return k.entryShown(b.Run(), &d)
			})
		}
		return err
	})
	return out, text, err
}

func (k cut) entryShown(run string, d *board.EntryDetail) (showOut, string) {
	e := k.entry(&d.Entry)
	out := showOut{Run: run, Entry: &e}
	said := []string{e.block()}
	for _, x := range some(k, d.Dropped) {
		said = append(said, fmt.Sprintf("%s need not surface, by %s with %s: %s", x.ID,
			inLine(x.Worker), x.By, inLine(k.text(x.Reason, "", ""))))
	}
	for i := range some(k, d.Raised) {
		s := k.signal(&d.Raised[i])
		out.Raised = append(out.Raised, s.ID)
		said = append(said, "raised "+s.line())
	}
	for i := range some(k, d.Settled) {
		s := &d.Settled[i]
		out.Settled = append(out.Settled, s.Other(e.ID))
		said = append(said, fmt.Sprintf("no conflict with %s, by %s: %s", s.Other(e.ID),
			inLine(s.Worker), inLine(k.text(s.Reason, "", ""))))
	}
	return k.surrounded(out, said, d.Linked, d.History)
}

func (k cut) signalShown(run string, d *board.SignalDetail) (showOut, string) {
	s := k.signal(&d.Signal)
	out := showOut{Run: run, Signal: &s}
	text := fmt.Sprintf("%s [%s, %s] by %s: %s", s.ID, s.Priority, s.Status, inLine(s.Worker),
		indented(s.Content))
	for _, l := range [][2]string{{"from", s.Origin}, {"answered by", s.AnsweredBy},
		{"reason", inLine(s.Reason)}, {"claimed by", inLine(s.ClaimedBy)}} {
		if l[1] != "" {
			text += "\n  " + l[0] + ": " + l[1]
		}
	}
	return k.surrounded(out, []string{text}, d.Linked, d.History)
}

// surrounded adds what links here, and the history, of which the end is shown.
func (k cut) surrounded(o showOut, said []string, linked []board.Backlink,
	history []board.Event) (showOut, string) {
	linked, all := some(k, linked), len(linked)
	o.Linked = each(linked, func(l *board.Backlink) backlinkOut {
		return backlinkOut{l.Kind, l.From}
	})
	for _, l := range linked {
		said = append(said, fmt.Sprintf("%s %s it: %s", l.From, l.Kind,
			inLine(k.text(l.Line, "", ""))))
	}
	if left := all - len(linked); left > 0 {
		said = append(said, fmt.Sprintf("%d more link to it", left))
	}
	said = append(said, "History:")
	if left := len(history) - k.items; left > 0 {
		history = history[left:]
		said = append(said, fmt.Sprintf("%d events before", left))
	}
	o.Seqs = each(history, func(e *board.Event) int64 { return e.Seq })
	return o, strings.Join(said, "\n") + "\n" + lines(history, "\n", "none", k.event)
}

// event puts an event on one line.
func (k cut) event(e *board.Event) string {
	line := fmt.Sprintf("Event %d: %s %s by %s", e.Seq, e.Verb, inLine(e.ID), inLine(e.Actor))
	if what := e.Describe(); what != "" {
		line += ". " + inLine(k.text(what, "board_show", e.ID))
	}
	return line
}

type signalsIn struct {
	onRun
	Status   string `json:"status,omitempty" enum:"signal_statuses" jsonschema:"only these"`
	Priority string `json:"priority,omitempty" enum:"priorities" rare:"true"`
	Free     bool   `json:"free,omitempty" jsonschema:"claimed by nobody"`
	Limit    int    `json:"limit,omitempty" min:"1" max:"200" default:"50" jsonschema:"default 50"`
}

type signalsOut struct {
	Run     string      `json:"run"`
	Signals []signalOut `json:"signals"`
	More    bool        `json:"more" jsonschema:"the limit, or the room of the answer, cut the list"`
}

func (c *call) signals(in signalsIn) (out signalsOut, text string, err error) {
	q := board.SignalQuery{Free: in.Free, Limit: in.Limit}
	if in.Status != "" {
		q.Statuses = []string{in.Status}
	}
	if in.Priority != "" {
		q.Priorities = []string{in.Priority}
	}
	err = c.onBoard(in.Run, false, func(b *board.Board) error {
		found, err := b.Signals(c.ctx, q)
		if err != nil {
			return err
		}
		out, text = fitted(c, func(k cut) (signalsOut, string) {
			shown := some(k, found.Signals)
			out := signalsOut{b.Run(), each(shown, k.signal), found.More ||
				len(shown) < len(found.Signals)}
			text := lines(out.Signals, "\n", "No signal of "+b.Run()+" matches.",
				(*signalOut).line)
			if out.More {
				text += fmt.Sprintf("\nThere are more than these %d: narrow it, or raise the "+
					"limit or max_tokens.", len(shown))
			}
			return out, text
		})
		return nil
	})
	return out, text, err
}

// digestTokens is the usual budget of board_digest.
const digestTokens = 3_000

type digestOut struct {
	Run         string   `json:"run"`
	Tokens      int      `json:"tokens"`
	Included    int      `json:"included"`
	Omitted     int      `json:"omitted"`
	OmittedMust []string `json:"omitted_must" jsonschema:"what must surface and is not shown in full"`
}

func (c *call) digest(in onRun) (out digestOut, text string, err error) {
	err = c.onBoard(in.Run, false, func(b *board.Board) error {
		d, err := c.digestOf(b, c.document(c.room, leastTokens))
		out, text = fitted(c, func(k cut) (digestOut, string) {
			return digestOut{b.Run(), d.Tokens, d.Included, d.Omitted,
				some(k, list(d.OmittedMust))}, d.Text
		})
		return err
	})
	return out, text, err
}

// digestOf is the digest of a board by the workspace's policy.
func (c *call) digestOf(b *board.Board, budget int) (report.Digest, error) {
	snap, err := b.Snapshot(c.ctx)
	if err != nil {
		return report.Digest{}, err
	}
	by, err := c.Policy(c.ctx, b)
	if err != nil {
		return report.Digest{}, err
	}
	return report.NewDigest(snap, by.Gate, budget, c.words(nil))
}
