package mcp

import (
	"blackboard/board"
	"blackboard/board/op"
	"blackboard/board/report"
	"blackboard/hooks/ops"
)

func (s *Server) addShowTools() {
	add(s, tool{Tool: "board_digest", Short: "What the run has found", Profile: ProfileRun,
		Kind: reads, Budget: digestTokens,
		About: "All findings, for the report: questions, disputes, then by document, with quotes."}, (*call).digest)
}

const digestTokens = 6_000

type digestOut struct {
	Run         string   `json:"run"`
	Tokens      int      `json:"tokens"`
	Included    int      `json:"included"`
	Omitted     int      `json:"omitted"`
	OmittedMust []string `json:"omitted_must" jsonschema:"what must surface and is not shown in full"`
}

type digestIn struct {
	ops.OnRun
	Tag string `json:"tag,omitempty" rare:"never" jsonschema:"only findings with it"`
}

func (c *call) digest(in digestIn) (out digestOut, text string, err error) {
	err = c.onBoard(in.Run, false, func(b *board.Board) error {
		snap, err := b.Snapshot(c.ctx)
		if err != nil {
			return err
		}
		by, err := c.Policy(c.ctx, b)
		if err != nil {
			return err
		}
		d, err := report.NewDigest(snap, by.Gate, report.DigestOptions{Budget: c.Room(c.room, leastTokens),
			Max: mostTokens, Tag: in.Tag, Words: c.words(nil)})
		out, text = fitted(c, func(k cut) (digestOut, string) {
			return digestOut{b.Run(), d.Tokens, d.Included, d.Omitted,
				op.List(d.OmittedMust[:min(len(d.OmittedMust), k.items)])}, d.Text
		})
		return err
	})
	return out, text, err
}
