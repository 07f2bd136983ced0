package memorycmd

import (
	"context"

	"blackboard/cmd/board/base"
	"blackboard/kb/chunks"
	kbhome "blackboard/kb/home"
)

// ContextArgValues are the arguments that a context command can have.
func ContextArgValues(ctx context.Context, b *base.Program, command string, words,
	rest []string) (values []string) {
	p := &program{b}
	switch command {
	case "context read", "context delete":
		p.withContext(ctx, words, func(s *chunks.Store) {
			l, _ := s.List(ctx, chunks.ListQuery{Limit: new(base.MaxCandidates)})
			for i := range l.Chunks {
				values = append(values, l.Chunks[i].ID)
			}
		})
	case "context get", "context set":
		if len(base.Positional(rest)) == 0 {
			p.withContext(ctx, words, func(s *chunks.Store) { values, _ = s.Keys(ctx, base.MaxCandidates) })
		}
	}
	return values
}

// withContext calls fn with the store of the completed line. It creates none, and
// imports nothing.
func (p *program) withContext(ctx context.Context, words []string, fn func(*chunks.Store)) {
	dir := chunks.DefaultDir(p.Env)
	for i, w := range words {
		name, value, hasValue := base.CutFlag(w)
		switch {
		case name != "store":
		case hasValue:
			dir = value
		case i+1 < len(words):
			dir = words[i+1]
		}
	}
	s, _, err := kbhome.Context(ctx, dir, chunks.Options{})
	if err != nil {
		return
	}
	defer s.Close()
	fn(s)
}
