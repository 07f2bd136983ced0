package main

import (
	"context"

	"blackboard/kb/chunks"
)

// contextFlagValues are the values of the context commands' flags, where the short names mean other things.
func (p *program) contextFlagValues(name string) []string {
	switch name {
	case "mode", "m":
		return chunks.Modes
	case "importance", "i":
		return chunks.Importances
	}
	return nil
}

// contextArgValues are their arguments.
func (p *program) contextArgValues(ctx context.Context, command string, words, rest []string) (values []string) {
	switch command {
	case "context read", "context delete":
		p.withContext(ctx, words, func(s *chunks.Store) {
			l, _ := s.List(ctx, chunks.ListQuery{Limit: new(maxCandidates)})
			for i := range l.Chunks {
				values = append(values, l.Chunks[i].ID)
			}
		})
	case "context get", "context set":
		if len(positional(rest)) == 0 {
			p.withContext(ctx, words, func(s *chunks.Store) { values, _ = s.Keys(ctx, maxCandidates) })
		}
	}
	return values
}

// withContext calls fn with the store of the line that is being completed. It makes none, and takes nothing over.
func (p *program) withContext(ctx context.Context, words []string, fn func(*chunks.Store)) {
	dir := chunks.DefaultDir(p.env)
	for i, w := range words {
		name, value, hasValue := cutFlag(w)
		switch {
		case name != "store":
		case hasValue:
			dir = value
		case i+1 < len(words):
			dir = words[i+1]
		}
	}
	s, _, err := chunks.Open(ctx, dir, chunks.Options{})
	if err != nil {
		return
	}
	defer s.Close()
	fn(s)
}
