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
	add(s, tool{Tool: "board_var_get", Rare: true, Short: "Read run variables", Profile: ProfileRun,
		Kind: reads, Budget: usualTokens,
		About: "Read the run's shared variables; without a key, all of them."}, (*call).varGet)
	add(s, tool{Tool: "board_var_set", Rare: true, Short: "Set or delete a run variable", Profile: ProfileRun,
		Kind: writes,
		About: "Set a shared variable of the run. Give if_version (0: it is new), and nobody's " +
			"change is lost."}, (*call).varSet)
}
