package mcp

import (
	"fmt"
	"slices"
	"strings"

	"blackboard/board/fault"
	"blackboard/hooks/ops"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
	"blackboard/kb/memory"
)

func (s *Server) addAdminTools() {
	add(s, tool{Tool: "kb_ingest", Short: "Ingest documents", Profile: ProfileAdmin, Kind: writes,
		Need: Files,
		About: "Cut markdown documents of this machine into capsules, a section each. What has " +
			"not changed is left alone, so it can be repeated."}, (*call).ingest)
	add(s, tool{Tool: "kb_reembed", Short: "Make missing embeddings", Profile: ProfileAdmin,
		Kind: writes, Need: KBWrite, About: "Give every capsule the embedding of the model at " +
			"hand that has none of it. It goes in steps, each of them kept."}, (*call).reembed)
	add(s, tool{Tool: "kb_doctor", Short: "Examine the knowledge base", Profile: ProfileAdmin,
		Kind: reads, Need: KBRead, About: "Look at everything: the file, the index, the " +
			"sidecars, links, embeddings. It changes nothing."}, (*call).doctor)
	add(s, tool{Tool: "memory_scrub", Short: "Remove memories for good", Profile: ProfileAdmin,
		Kind: destroys,
		About: "Without confirm: a manifest of what would be removed, with its hash. With " +
			"confirm, the hash: exactly that is removed, and cannot be brought back. Show the " +
			"manifest to the person first."}, (*call).scrub)
}

type ingestIn struct {
	Paths   []string `json:"paths" jsonschema:"files and folders; below the workspace unless they begin at the root"`
	Project string   `json:"project,omitempty"`
	Scope   string   `json:"scope,omitempty" enum:"scopes" jsonschema:"default workspace"`
	Tags    []string `json:"tags,omitempty"`
	Domains []string `json:"domains,omitempty"`
	Prune   bool     `json:"prune,omitempty" jsonschema:"remove the capsules of documents that are gone from the folders given"`
	DryRun  bool     `json:"dry_run,omitempty"`
}

type ingestOut struct {
	New       []string `json:"new"`
	Changed   []string `json:"changed"`
	Pruned    []string `json:"pruned"`
	Unchanged int      `json:"unchanged"`
	Capsules  int      `json:"capsules"`
	Removed   int      `json:"removed"`
	Refused   []string `json:"refused"`
	Warnings  []string `json:"warnings"`
	Masked    []string `json:"masked" jsonschema:"sections in which what looks like a secret was masked"`
}

func (c *call) ingest(in ingestIn) (out ingestOut, text string, err error) {
	if err := c.cfg.Grants.need(KBWrite, "writing to the knowledge base"); err != nil {
		return out, "", err
	}
	paths := make([]string, len(in.Paths))
	for i, p := range in.Paths {
		paths[i] = c.path(p)
	}
	err = c.onKB(kbhome.MakeKnowledge, true, func(k *kb.KB) error {
		r, err := k.Ingest(c.ctx, paths, kb.IngestOptions{Workspace: c.workspace(),
			Project: in.Project, Scope: in.Scope, Tags: in.Tags, DomainTags: in.Domains,
			Prune: in.Prune, DryRun: in.DryRun, Progress: c.progress, Shared: c.cfg.Shared})
		out = ingestOut{list(r.New), list(r.Changed), list(r.Pruned), r.Unchanged, r.Capsules,
			r.Removed, []string{}, list(r.Warnings), []string{}}
		for _, f := range r.Refused {
			out.Refused = append(out.Refused, fmt.Sprint(f.From, ": ", f.Why))
		}
		text = fmt.Sprintf("%d new, %d changed, %d unchanged documents; %d capsules written, %d "+
			"removed", len(out.New), len(out.Changed), out.Unchanged, out.Capsules, out.Removed)
		if len(r.Empty) > 0 {
			text += fmt.Sprintf("; %d documents have no text", len(r.Empty))
		}
		if len(r.Elsewhere) > 0 {
			text += fmt.Sprintf("; %d are the same in another worktree", len(r.Elsewhere))
		}
		for _, f := range out.Refused {
			text += "\nRefused: " + inLine(f)
		}
		for _, m := range r.Masked {
			out.Masked = append(out.Masked, m.String())
			text += "\nMasked: " + inLine(m.String())
		}
		return err
	})
	return out, text, err
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

type findingOut struct {
	What  string `json:"what"`
	State string `json:"state" jsonschema:"ok, note, broken"`
	Say   string `json:"say"`
	Try   string `json:"try,omitempty"`
}

type doctorOut struct {
	Findings []findingOut `json:"findings"`
	Broken   int          `json:"broken"`
}

func (c *call) doctor(ops.Nothing) (out doctorOut, text string, err error) {
	all, err := got(c.onQuietKB, func(k *kb.KB) ([]kb.Finding, error) { return k.Doctor(c.ctx) })
	out.Findings = each(all, func(f *kb.Finding) findingOut {
		return findingOut{f.What, f.State, f.Say, fault.Say(f.Next, c.words(nil))}
	})
	text = lines(out.Findings, "\n", "", func(f *findingOut) string {
		if f.State == kb.StateBroken {
			out.Broken++
		}
		line := fmt.Sprintf("- %s [%s] %s", f.What, f.State, inLine(f.Say))
		if f.Try != "" {
			line += "; try: " + f.Try
		}
		return line
	})
	return out, text, err
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
	err = c.onMemory(false, func(m *memory.Store) error {
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
