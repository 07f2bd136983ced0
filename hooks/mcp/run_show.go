package mcp

import (
	"fmt"

	"blackboard/board"
	"blackboard/board/report"
)

func (s *Server) addShowTools() {
	add(s, tool{name: "board_digest", title: "What the run has found", profile: ProfileRun,
		kind: reads, budget: digestTokens,
		about: "What the run has found, for the synthesis: what blocks, what must surface, the " +
			"strongest findings."}, (*call).digest)
}

// event puts an event on one line.
func (k cut) event(e *board.Event) string {
	line := fmt.Sprintf("Event %d: %s %s by %s", e.Seq, e.Verb, inLine(e.ID), inLine(e.Actor))
	if what := e.Describe(); what != "" {
		line += ". " + inLine(k.text(what, "board_show", e.ID))
	}
	return line
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
