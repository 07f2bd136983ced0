package mcp

import (
	"fmt"

	"blackboard/hooks/ops"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
)

func (s *Server) addAdminTools() {
	add(s, tool{Tool: "kb_reembed", Short: "Make missing embeddings", Profile: ProfileAdmin,
		Kind: writes, Need: KBWrite, About: "Give every capsule the embedding of the model at " +
			"hand that has none of it. It goes in steps, each of them kept."}, (*call).reembed)
}

func (c *call) reembed(ops.Nothing) (out kb.Reembedded, text string, err error) {
	err = c.onKB(kbhome.Knowledge, true, func(k *kb.KB) error {
		out, err = k.Reembed(c.ctx, func(done, of int) { c.progress("embedding", done, of) })
		return err
	})
	return out, fmt.Sprintf("%d embedded with %s, %d had theirs", out.Embedded, out.Model,
		out.Skipped), err
}
