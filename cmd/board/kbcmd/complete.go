package kbcmd

import (
	"context"

	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
	"blackboard/kb/importers"
)

// FlagValues are the values that a flag of a kb command can have.
func FlagValues(ctx context.Context, b *base.Program, command, name string) []string {
	switch name {
	case "role":
		return kb.Roles
	case "format":
		return importers.Formats
	case "run", "r", "board":
		return b.RunNames()
	case "kind":
		return kb.Kinds
	case "scope":
		return kb.Scopes
	case "supersedes", "before":
		return capsuleIDs(ctx, b, false)
	}
	return nil
}

// ArgValues are the arguments that a kb command can have.
func ArgValues(ctx context.Context, b *base.Program, command string) []string {
	switch command {
	case "kb get", "kb history", "kb restore":
		return capsuleIDs(ctx, b, true)
	case "kb edit", "kb retire":
		return capsuleIDs(ctx, b, false)
	case "kb curate":
		return ops.Curations
	}
	return nil
}

// capsuleIDs are the newest capsules of the knowledge base, if there is one: active ones,
// or all.
func capsuleIDs(ctx context.Context, b *base.Program, all bool) (ids []string) {
	home, err := b.KBHome()
	if err != nil {
		return nil
	}
	k, err := kbhome.Knowledge(ctx, home, kb.Options{Sync: kb.SyncNever})
	if err != nil {
		return nil
	}
	defer k.Close()
	found, _, _ := k.List(ctx, kb.ListQuery{Superseded: all, Retired: all,
		Limit: base.MaxCandidates})
	for i := range found {
		ids = append(ids, found[i].ID)
	}
	return ids
}
