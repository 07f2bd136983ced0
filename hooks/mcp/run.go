package mcp

import (
	"blackboard/hooks/ops"
	"blackboard/kb/secret"
)

// keepSecret is for writes to what masks or refuses secrets.
type keepSecret = ops.KeepSecrets

// maskSecrets has the writes of a call mask or refuse what looks like a secret, and tell
// so, or keep it.
func (c *call) maskSecrets(keep bool) {
	c.keepSecret = keep
	c.ctx = secret.Writing(c.ctx, keep, func(notes []string) {
		c.notes = append(c.notes, secret.Note(notes, "keep_secret"))
	})
}

func (s *Server) addRunTools() {
	add(s, tool{Tool: "board_state", Short: "Where the run stands", Profile: ProfileRun,
		Kind: reads, Budget: glanceTokens,
		About: "Start here: goal, counts, open signals, workers, variables. " +
			"Without a run it lists the runs."}, (*call).state)
}
