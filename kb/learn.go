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
	Stored  []Capsule `json:"stored"`
	Refused []Refused `json:"refused"`
}

// Learn stores learnings, each for itself: what is there already, or is no capsule, is refused with the reason, and the others are stored. They hold for the project if there is a workspace.
func (k *KB) Learn(ctx context.Context, all []Learning, opt LearnOptions) (out Learned, err error) {
	out = Learned{Stored: []Capsule{}, Refused: []Refused{}}
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
		r, err := k.Remember(ctx, c, RememberOptions{Force: opt.Force})
		switch e, refused := fault.Refused(err); {
		case refused:
			out.Refused = append(out.Refused, Refused{l.From, e.Msg})
		case err != nil:
			return out, err
		default:
			out.Stored = append(out.Stored, r.Capsule)
		}
	}
	return out, nil
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
	for _, ref := range []struct{ what, name string }{{"run:", opt.Run}, {"role:", opt.Role}} {
		if ref.name != "" && !slices.Contains(c.Refs, ref.what+ref.name) {
			c.Refs = append(slices.Clone(c.Refs), ref.what+ref.name)
		}
	}
	if c.Source == "" && opt.Run != "" {
		c.Source = "run " + opt.Run
	}
}
