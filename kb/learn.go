package kb

import (
	"context"
	"path/filepath"
	"slices"

	"blackboard/board/fault"
)

// Learning is a capsule that a transcript or a reflector proposes. Its scope is empty unless a wider one than workspace was stated.
type Learning struct {
	Capsule Capsule `json:"capsule"`
	From    string  `json:"from"` // "line 12", "item 3", "line 12, item 3"
}

// Refused is a thing that cannot become a capsule, and why.
type Refused struct {
	From string `json:"from"`
	Why  string `json:"why"`
}

// LearnOptions say where learnings come from and go to.
type LearnOptions struct {
	Role, Run          string // whose they are, and of which run: among the refs of each
	Workspace, Project string // where they hold
	Force              bool   // stores what is there already, or looks like a secret
	DryRun             bool   // checks each by itself, and stores nothing
}

// Learned is what became of learnings.
type Learned struct {
	Stored    []Capsule   `json:"stored"`
	Confirmed []Confirmed `json:"confirmed"` // were there already
	Refused   []Refused   `json:"refused"`
}

// Learn stores learnings, each for itself: what is there already is confirmed, what is no capsule is refused with the reason, and the others are stored. They hold for the project if there
// is a workspace.
func (k *KB) Learn(ctx context.Context, all []Learning, opt LearnOptions) (out Learned, err error) {
	out = Learned{Stored: []Capsule{}, Confirmed: []Confirmed{}, Refused: []Refused{}}
	for _, l := range all {
		c := l.Capsule
		c.placed(&opt)
		if opt.DryRun {
			err := c.Normalise()
			if err == nil && !opt.Force {
				err = refuseSecret(&c)
			}
			if e, ok := fault.Refused(err); ok {
				out.Refused = append(out.Refused, Refused{l.From, e.Msg})
			} else {
				out.Stored = append(out.Stored, c)
			}
			continue
		}
		stored, confirmed, err := k.learn(ctx, c, &opt)
		switch e, refused := fault.Refused(err); {
		case refused:
			out.Refused = append(out.Refused, Refused{l.From, e.Msg})
		case err != nil:
			return out, err
		case confirmed != nil:
			confirmed.From = l.From
			out.Confirmed = append(out.Confirmed, *confirmed)
		default:
			out.Stored = append(out.Stored, *stored)
		}
	}
	return out, nil
}

// learn stores a capsule, or confirms the one that says the same. If they only share the title, it gets one that says more.
func (k *KB) learn(ctx context.Context, c Capsule, opt *LearnOptions) (*Capsule, *Confirmed, error) {
	const titles = 9 // how many are tried
	first := c
	for n := 1; ; n++ {
		r, err := k.Remember(ctx, c, RememberOptions{Force: opt.Force})
		e, refused := fault.Refused(err)
		if err == nil {
			return &r.Capsule, nil, nil
		}
		if !refused || e.Kind != fault.Conflict || CheckID(e.ID) != nil || len(c.Supersedes) > 0 {
			return nil, nil, err
		}
		old, gone := k.Get(ctx, e.ID)
		if gone != nil {
			return nil, nil, err
		}
		if titleKey(old.Title) == titleKey(c.Title) && !old.says(c.Body) {
			if n > titles {
				return nil, nil, err
			}
			c.Title = first.retitled(n)
			continue
		}
		again, err := k.Confirm(ctx, e.ID, opt.Run, opt.Role)
		return nil, &again, err
	}
}

// placed fills in where a learning holds and where it is from, unless it says so itself.
func (c *Capsule) placed(opt *LearnOptions) {
	if c.Workspace == "" {
		c.Workspace = opt.Workspace
	}
	if c.Project == "" {
		c.Project = opt.Project
	}
	if c.Project == "" && c.Workspace != "" {
		c.Project = filepath.Base(c.Workspace)
	}
	if c.Scope == "" && c.Workspace != "" {
		c.Scope = "project"
	}
	for _, ref := range refsOf(opt.Run, opt.Role) {
		if !slices.Contains(c.Refs, ref) {
			c.Refs = append(slices.Clone(c.Refs), ref)
		}
	}
	if c.Source == "" && opt.Run != "" {
		c.Source = "run " + opt.Run
	}
}
