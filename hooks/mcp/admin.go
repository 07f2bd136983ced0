package mcp

import (
	"fmt"
	"slices"
	"strings"

	"blackboard/hooks/ops"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
	"blackboard/kb/memory"
)

func (s *Server) addAdminTools() {
	add(s, tool{Tool: "kb_reembed", Short: "Make missing embeddings", Profile: ProfileAdmin,
		Kind: writes, Need: KBWrite, About: "Give every capsule the embedding of the model at " +
			"hand that has none of it. It goes in steps, each of them kept."}, (*call).reembed)
	add(s, tool{Tool: "memory_scrub", Short: "Remove memories for good", Profile: ProfileAdmin,
		Kind: destroys,
		About: "Without confirm: a manifest of what would be removed, with its hash. With " +
			"confirm, the hash: exactly that is removed, and cannot be brought back. Show the " +
			"manifest to the person first."}, (*call).scrub)
}

func (c *call) reembed(ops.Nothing) (out kb.Reembedded, text string, err error) {
	err = c.onKB(kbhome.Knowledge, true, func(k *kb.KB) error {
		out, err = k.Reembed(c.ctx, c.counting("embedding"))
		return err
	})
	return out, fmt.Sprintf("%d embedded with %s, %d had theirs", out.Embedded, out.Model,
		out.Skipped), err
}

// counting tells the client how far something has come.
func (c *call) counting(what string) func(done, of int) {
	return func(done, of int) { c.progress(what, done, of) }
}

type scrubIn struct {
	Tier         string `json:"tier" enum:"tiers"`
	Channel      string `json:"channel,omitempty" jsonschema:"of the tier channel"`
	Conversation string `json:"conversation,omitempty" jsonschema:"ref code, of the tier conversation"`
	Mode         string `json:"mode,omitempty" enum:"scrub_modes" default:"keep_named"`
	Purge        bool   `json:"purge,omitempty" jsonschema:"of a conversation: its working notes and itself too"`
	Confirm      string `json:"confirm,omitempty" jsonschema:"the manifest's hash"`
}

type scrubOut struct {
	Removed bool           `json:"removed"`
	Hash    string         `json:"hash" jsonschema:"confirms exactly this manifest"`
	Mode    string         `json:"mode"`
	Counts  map[string]int `json:"counts"`
	Sample  []string       `json:"sample"`
	Notes   []string       `json:"notes"`
}

func (c *call) scrub(in scrubIn) (out scrubOut, text string, err error) {
	if err := c.cfg.Grants.scrub(in.Mode); err != nil {
		return out, "", err
	}
	if err := c.cfg.Grants.writeTier(in.Tier); err != nil {
		return out, "", err
	}
	q := memory.ScrubQuery{Scope: memory.Scope{Tier: in.Tier, Channel: in.Channel,
		Conversation: in.Conversation}, Mode: in.Mode, Purge: in.Purge}
	err = c.Memory(c.ctx, false, func(m *memory.Store) error {
		if in.Confirm == "" {
			man, err := m.ScrubManifest(c.ctx, q)
			if err != nil {
				return err
			}
			out = scrubOut{false, man.Hash, man.Mode, man.Counts, list(man.Sample), []string{}}
			return nil
		}
		s, err := m.Scrub(c.ctx, q, in.Confirm)
		if err != nil {
			return err
		}
		out = scrubOut{true, s.Hash, s.Mode, s.Counts, list(s.Sample), list(s.Notes)}
		return nil
	})
	counts := counted(out.Counts)
	text = fmt.Sprintf("A scrub of %s (%s) would remove%s.\nNothing was removed. To do exactly "+
		"this: confirm %s", in.Tier, out.Mode, counts, out.Hash)
	if out.Removed {
		text = fmt.Sprintf("Removed for good from %s:%s", in.Tier, counts)
	}
	return out, text, err
}

// counted writes counts by name, the names in order.
func counted[N int | int64](counts map[string]N) string {
	var parts []string
	for name, n := range counts {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", name, n))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	slices.Sort(parts)
	return " (" + strings.Join(parts, ", ") + ")"
}
