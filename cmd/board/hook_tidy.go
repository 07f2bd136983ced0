package main

import (
	"cmp"
	"context"
	"time"

	"blackboard/kb"
	"blackboard/kb/memory"
)

// tidyWithin is how long a tidy-up may take when a session ends: the harness may wait
// for the process. What is left is done at the end of the next one.
const tidyWithin = time.Second

// tidyMemory consolidates the scopes of a directory's memory where a session has added
// enough, at most once a day.
func (p *program) tidyMemory(ctx context.Context, home, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, tidyWithin)
	defer cancel()
	agent := p.env("BOARD_WORKER")
	opt := memory.Options{Agent: agent, Actor: cmp.Or(agent, "hook")}
	if dir != "" {
		var err error
		if opt.Workspace, err = kb.FindWorkspace(dir, p.userHome(), home); err != nil {
			return err
		}
	}
	if err := p.memoryEnvironment(&opt); err != nil {
		return err
	}
	s, err := memory.Open(home, opt)
	if err != nil {
		return err
	}
	defer s.Close()
	due, err := s.DueAfterSession(ctx)
	if err != nil || len(due) == 0 {
		return err
	}
	_, err = s.Consolidate(ctx, due, nil)
	return err
}
