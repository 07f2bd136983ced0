package mcp

import "blackboard/kb/secret"

// maskSecrets has a call's writes mask (and tell), refuse, or keep what looks like a secret.
func (c *call) maskSecrets(keep bool) {
	c.keepSecret = keep
	c.ctx = secret.Writing(c.ctx, keep, func(notes []string) {
		c.notes = append(c.notes, secret.Note(notes, "keep_secret"))
	})
}
