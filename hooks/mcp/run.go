package mcp

import "blackboard/kb/secret"

// maskSecrets has the writes of a call mask or refuse what looks like a secret, and tell
// so, or keep it.
func (c *call) maskSecrets(keep bool) {
	c.keepSecret = keep
	c.ctx = secret.Writing(c.ctx, keep, func(notes []string) {
		c.notes = append(c.notes, secret.Note(notes, "keep_secret"))
	})
}
