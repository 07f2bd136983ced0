package memorycmd

import (
	"context"
	"strings"

	"blackboard/cmd/board/base"
	"blackboard/kb/chunks"
	kbhome "blackboard/kb/home"
	"blackboard/kb/memory"
)

// FlagValues are the values that a flag of a memory command can have. Short names mean
// other things here than elsewhere.
func FlagValues(ctx context.Context, b *base.Program, command, name string,
	words []string) []string {
	p := &program{b}
	switch name {
	case "tier", "tiers", "t":
		if strings.HasPrefix(command, "memory named") {
			return []string{memory.Workspace, memory.Account}
		}
		return memory.Tiers
	case "scope":
		return p.memoryScopes(ctx, words)
	case "channel":
		return p.channelNames(ctx, words)
	case "conversation":
		return p.conversationRefs(ctx, words, nil)
	case "importance", "i", "min-importance":
		return chunks.Importances
	case "mode":
		return memory.ScrubModes
	case "before", "replaced-by":
		return p.itemIDs(ctx, words, false)
	case "subject":
		return p.itemIDs(ctx, words, true)
	}
	return nil
}

// ArgValues are the arguments that a memory command can have.
func ArgValues(ctx context.Context, b *base.Program, command string, words,
	rest []string) []string {
	p := &program{b}
	switch command {
	case "memory get", "memory restore":
		return p.itemIDs(ctx, words, true)
	case "memory forget":
		return p.itemIDs(ctx, words, false)
	case "memory update":
		if len(base.Positional(rest)) == 0 {
			return p.itemIDs(ctx, words, false)
		}
	case "memory scrub":
		return p.memoryScopes(ctx, words)
	case "memory channel describe", "memory channel rm":
		if len(base.Positional(rest)) == 0 {
			return p.channelNames(ctx, words)
		}
	case "memory named show", "memory named edit", "memory named rm":
		if len(base.Positional(rest)) == 0 {
			return p.namedNames(ctx, words)
		}
	case "memory conversation show":
		return p.conversationRefs(ctx, words, memory.Statuses)
	case "memory conversation invite":
		if len(base.Positional(rest)) == 0 {
			return p.conversationRefs(ctx, words, memory.Statuses)
		}
	case "memory conversation idle":
		return p.conversationRefs(ctx, words, []string{memory.StatusActive})
	case "memory conversation reopen":
		return p.conversationRefs(ctx, words, []string{memory.StatusIdle, memory.StatusArchived})
	case "memory conversation archive":
		return p.conversationRefs(ctx, words, nil)
	}
	return nil
}

// withMemory calls fn with the memory of the completed line: of its agent and its
// workspace. It creates none.
func (p *program) withMemory(words []string, fn func(*memory.Store)) {
	home, err := p.DataHome()
	if err != nil {
		return
	}
	value := func(flag string) string {
		found := ""
		for i, w := range words {
			name, v, hasValue := base.CutFlag(w)
			switch {
			case name != flag:
			case hasValue:
				found = v
			case i+1 < len(words):
				found = words[i+1]
			}
		}
		return found
	}
	opt := memory.Options{Agent: value("agent")}
	if opt.Agent == "" {
		opt.Agent = p.AgentName()
	}
	if opt.Workspace, err = p.workspaceOf(value("workspace")); err != nil ||
		p.MemoryEnvironment(&opt) != nil {
		return
	}
	s, err := kbhome.Memory(home, opt)
	if err != nil {
		return
	}
	defer s.Close()
	fn(s)
}

// workspaceOf is the workspace of a named directory, else that of the environment.
func (p *program) workspaceOf(dir string) (string, error) {
	if dir == "" {
		dir = p.Env("BOARD_WORKSPACE")
	}
	if dir == "" {
		dir = "."
	}
	return p.FindWorkspace(dir)
}

func (p *program) itemIDs(ctx context.Context, words []string, forgotten bool) (ids []string) {
	p.withMemory(words, func(s *memory.Store) {
		found, _, _ := s.List(ctx, memory.ListQuery{Forgotten: forgotten, Limit: base.MaxCandidates})
		for i := range found {
			ids = append(ids, found[i].ID)
		}
	})
	return ids
}

func (p *program) channelNames(ctx context.Context, words []string) (names []string) {
	p.withMemory(words, func(s *memory.Store) {
		found, _ := s.Channels(ctx)
		for i := range found {
			names = append(names, found[i].Name)
		}
	})
	return names
}

func (p *program) conversationRefs(ctx context.Context, words, statuses []string) (refs []string) {
	p.withMemory(words, func(s *memory.Store) {
		found, _ := s.Conversations(ctx, "", statuses, base.MaxCandidates)
		for i := range found {
			refs = append(refs, found[i].Ref)
		}
	})
	return refs
}

func (p *program) namedNames(ctx context.Context, words []string) (names []string) {
	p.withMemory(words, func(s *memory.Store) {
		found, _ := s.Named(ctx)
		for i := range found {
			names = append(names, found[i].Name)
		}
	})
	return names
}

// memoryScopes are the existing scopes.
func (p *program) memoryScopes(ctx context.Context, words []string) (scopes []string) {
	scopes = []string{memory.Workspace, memory.Account}
	for _, name := range p.channelNames(ctx, words) {
		scopes = append(scopes, memory.Scope{Tier: memory.Channel, Channel: name}.String())
	}
	for _, ref := range p.conversationRefs(ctx, words, memory.Statuses) {
		scopes = append(scopes, memory.Scope{Tier: memory.Conversation, Conversation: ref}.String())
	}
	return scopes
}
