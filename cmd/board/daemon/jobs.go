package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/hooks/topics"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
	"blackboard/kb/memory"
)

// jobs are the usual upkeep: changes any process may make, kept step by small step.
func (s *Server) jobs() []Job {
	jobs := []Job{
		{Name: "embed capsules", First: time.Minute, Every: 30 * time.Minute, Wake: s.hasUnembedded, Run: s.embedCapsules},
		{Name: "decay capsules", First: 2 * time.Minute, Every: 24 * time.Hour, Run: s.onKB(func(ctx context.Context, k *kb.KB) (string, error) {
			d, err := k.Decay(ctx, kb.CurateOptions{})
			return did(d.Changed, "changed"), err
		})},
		{Name: "embed memories", First: 90 * time.Second, Every: 30 * time.Minute, Wake: s.memoriesChanged(), Run: s.onMemories("embedded", s.embedMemory)},
		{Name: "calibrate recall", First: time.Minute, Every: time.Hour, Wake: s.needsCalibration, Run: s.onKB(s.calibrate)},
		// It looks whether a pass is due by what has happened, not by the clock.
		{Name: "consolidate memories", First: 3 * time.Minute, Every: 10 * time.Minute, Run: s.whenSteady(s.onMemories("scopes consolidated", s.consolidateMemory))},
		{Name: "checkpoint", First: 5 * time.Minute, Every: 10 * time.Minute, Run: s.onKB(func(ctx context.Context, k *kb.KB) (string, error) {
			return "", k.Checkpoint(ctx)
		})},
	}
	if s.cfg.Specs != "" {
		jobs = append(jobs, Job{Name: "archive topics", First: 5 * time.Minute, Every: 24 * time.Hour, Run: s.archiveTopics})
	}
	if s.cfg.Curate > 0 {
		jobs = append(jobs, Job{Name: "curate capsules", First: 4 * time.Minute, Every: s.cfg.Curate, Run: s.onKB(func(ctx context.Context, k *kb.KB) (string, error) {
			d, err := k.Dedupe(ctx, kb.CurateOptions{})
			return did(len(d.Duplicates), "superseded"), err
		})})
	}
	return jobs
}

// archiveTopics copies all workspaces' topics, in case somebody clears them away; it removes none.
func (s *Server) archiveTopics(ctx context.Context) (string, error) {
	r, err := topics.Archive(ctx, s.cfg.Specs, topics.ArchiveDir(s.cfg.Place.Home), topics.ArchiveOptions{})
	for _, p := range r.Problems {
		s.log.Warn("a topic's file could not be archived", "problem", p)
	}
	if err == nil && len(r.Problems) > 0 {
		err = fmt.Errorf("%d files copied, %d could not be: the log names them", r.Copied, len(r.Problems))
	}
	return did(r.Copied, "files copied"), err
}

// whenSteady makes a job of one that forgets things by age, put off while the clock was just
// set: what it did by a wrong one is hard to undo.
func (s *Server) whenSteady(fn func(context.Context) (string, error)) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		if !s.clock.isSteady() {
			return "", fmt.Errorf("%w: the clock was set", errLater)
		}
		return fn(ctx)
	}
}

func did(n int, what string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s", n, what)
}

// onKB makes a job on the knowledge base; without one there is nothing to do.
func (s *Server) onKB(fn func(context.Context, *kb.KB) (string, error)) func(context.Context) (string, error) {
	return func(ctx context.Context) (out string, err error) {
		err = s.warm.use(ctx, true, func(h *held) error {
			out, err = fn(ctx, h.kb)
			return err
		})
		if errors.Is(err, fault.NotFound) {
			return "", nil
		}
		return out, err
	}
}

// embedCapsules embeds what has no embedding of the model at hand, batch by batch: what is open is given free
// in between, since it may have to be opened anew.
func (s *Server) embedCapsules(ctx context.Context) (string, error) {
	total := 0
	for {
		n, left := 0, 0
		_, err := s.onKB(func(ctx context.Context, k *kb.KB) (string, error) {
			r, err := k.Backfill(ctx, 1)
			n, left = r.Embedded, r.Left
			return "", err
		})(ctx)
		total += n
		if err != nil || n == 0 || left == 0 {
			return did(total, "embedded"), err
		}
		s.upkeep.tell("embed capsules", fmt.Sprintf("%d embedded, %d left", total, left))
	}
}

// wanted reports whether there is a knowledge base that fn says yes to.
func (s *Server) wanted(ctx context.Context, fn func(*held) (bool, error)) (yes bool) {
	if !exists(kb.Path(s.cfg.Place.Home)) {
		return false
	}
	err := s.warm.use(ctx, true, func(h *held) (err error) {
		yes, err = fn(h)
		return err
	})
	return err == nil && yes
}

func (s *Server) hasUnembedded(ctx context.Context) bool {
	return s.wanted(ctx, func(h *held) (bool, error) {
		n, err := h.kb.Unembedded(ctx)
		return n > 0, err
	})
}

// needsCalibration reports whether nobody has measured when a prompt may be answered unasked
// with the model at hand: until then words alone judge.
func (s *Server) needsCalibration(ctx context.Context) bool {
	return s.wanted(ctx, func(h *held) (bool, error) {
		if h.model == nil {
			return false, nil
		}
		return h.kb.NeedsCalibration(ctx, h.model.Model().Name)
	})
}

func (s *Server) calibrate(ctx context.Context, k *kb.KB) (string, error) {
	if !s.needsCalibration(ctx) {
		return "", nil
	}
	all, err := k.Calibrate(ctx)
	if err != nil || len(all) == 0 {
		return "", err
	}
	return fmt.Sprintf("prompts are answered from evidence %.2f on", all[0].Threshold), nil
}

// embedMemory embeds what has no embedding of the model at hand, batch by batch: the model is given free in
// between, since it may have to be loaded anew.
func (s *Server) embedMemory(ctx context.Context, opt memory.Options) (total int, err error) {
	for {
		n, left := 0, 0
		err := s.warm.withModel(ctx, func(model embed.Embedder) error {
			opt.Embedder = model
			m, err := kbhome.Memory(s.cfg.Place.Home, opt)
			if err != nil {
				return err
			}
			defer m.Close()
			r, err := m.Reembed(ctx, 1, nil)
			n, left = r.Embedded, r.Left
			return err
		})
		if total += n; errors.Is(err, fault.NoModel) {
			return total, nil
		}
		if err != nil || n == 0 || left == 0 {
			return total, err
		}
		s.upkeep.tell("embed memories", fmt.Sprintf("%d embedded, %d of this file left", total, left))
	}
}

// memoriesChanged returns what reports whether a memory was written to, or the model was
// replaced, since it was last asked. It looks at the files from outside, since opening them all takes too long.
func (s *Server) memoriesChanged() func(context.Context) bool {
	before, dir := "", memory.Dir(s.cfg.Place.Home)
	return func(context.Context) bool {
		// Not the log's index, nor an empty log: those change at each opening.
		now := stampOf([]string{dir, filepath.Join(dir, "workspaces")}, func(f fs.FileInfo) bool { return f.Size() > 0 && !strings.HasSuffix(f.Name(), "-shm") })
		if now == "" {
			return false
		}
		now += modelStamp(s.cfg.ModelDir)
		changed := now != before
		before = now
		return changed
	}
}

// consolidateMemory makes the passes due, without a model or what others need.
func (s *Server) consolidateMemory(ctx context.Context, opt memory.Options) (int, error) {
	m, err := kbhome.Memory(s.cfg.Place.Home, opt)
	if err != nil {
		return 0, err
	}
	defer m.Close()
	due, err := m.Due(ctx)
	if err != nil || len(due) == 0 {
		return 0, err
	}
	done, err := m.Consolidate(ctx, due)
	return len(done), err
}

// onMemories makes a job on the account's memory and each workspace's, one after the other.
func (s *Server) onMemories(what string, fn func(context.Context, memory.Options) (int, error)) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		all, err := memory.Workspaces(ctx, s.cfg.Place.Home)
		if err != nil {
			return "", err
		}
		total := 0
		var failed []error
		for _, workspace := range append([]string{""}, all...) {
			opt := memory.Options{Workspace: workspace, Author: true, Actor: "daemon", Rates: s.cfg.Rates, Now: s.cfg.Now}
			if workspace != "" {
				// the account has its own turn
				opt.Tiers = []string{memory.Conversation, memory.Channel, memory.Workspace}
			}
			n, err := fn(ctx, opt)
			total += n
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			if err != nil { // one that is broken is no reason to leave the others alone
				failed = append(failed, err)
			}
		}
		return did(total, what), errors.Join(failed...)
	}
}
