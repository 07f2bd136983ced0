package hookcmd

import (
	"cmp"
	"context"
	"time"

	"blackboard/hooks"
	kbhome "blackboard/kb/home"
	"blackboard/kb/memory"
)

// tidyWithin is the time limit at the end of a session: the harness may wait for the
// process. The next session's end does the rest.
const tidyWithin = time.Second

// tidyMemory consolidates the scopes of a directory's memory that need it.
func (p *program) tidyMemory(ctx context.Context, home, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, tidyWithin)
	defer cancel()
	agent := p.Env("BOARD_WORKER")
	opt := memory.Options{Agent: agent, Actor: cmp.Or(agent, "hook")}
	if dir != "" {
		var err error
		if opt.Workspace, err = kbhome.Find(dir, p.UserHome(), home); err != nil {
			return err
		}
	}
	if err := p.MemoryEnvironment(&opt); err != nil {
		return err
	}
	s, err := kbhome.Memory(home, opt)
	if err != nil {
		return err
	}
	defer s.Close()
	due, err := s.Due(ctx)
	if err != nil || len(due) == 0 {
		return err
	}
	_, err = s.Consolidate(ctx, due)
	return err
}

// recognise stores how the repository of a session's directory can be recognised in another place, such as another
// clone. It has a time limit, since the harness may wait for it.
func (p *program) recognise(ctx context.Context, home, dir string) {
	ctx, cancel := context.WithTimeout(ctx, tidyWithin)
	defer cancel()
	ws, err := kbhome.Find(dir, p.UserHome(), home)
	if dir != "" && err == nil {
		err = kbhome.Recognise(ctx, home, ws)
	}
	if err != nil && ctx.Err() == nil {
		hooks.Log(home, "recognise the repository of %s: %v", dir, err)
	}
}
