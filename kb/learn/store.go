package learn

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/text"
	"blackboard/kb"
)

// Learning is a proposed capsule, without a scope unless it states a wide one.
type Learning struct {
	Capsule kb.Capsule `json:"capsule"`
	From    string     `json:"from"` // "line 12", "item 3", "line 12, item 3"
}

// Options say where learnings come from and where they apply.
type Options struct {
	Role, Run          string // added to the refs of each learning
	Workspace, Project string // where they apply
	Force              bool   // store duplicates and suspected secrets
	DryRun             bool   // check each learning by itself, store nothing
}

type Learned struct {
	Stored    []kb.Capsule   `json:"stored"`
	Confirmed []kb.Confirmed `json:"confirmed"` // existed already
	Refused   []kb.Refused   `json:"refused"`
}

// Store stores or confirms learnings one by one. In a workspace they get the scope project.
func Store(ctx context.Context, k *kb.KB, all []Learning, opt Options) (out Learned, err error) {
	out = Learned{Stored: []kb.Capsule{}, Confirmed: []kb.Confirmed{}, Refused: []kb.Refused{}}
	for _, l := range all {
		c := l.Capsule
		fillPlace(&c, &opt)
		if opt.DryRun {
			err := c.Normalise()
			if err == nil && !opt.Force {
				err = c.CheckSecrets()
			}
			if e, ok := fault.Refused(err); ok {
				out.Refused = append(out.Refused, kb.Refused{From: l.From, Why: e.Msg})
			} else {
				out.Stored = append(out.Stored, c)
			}
			continue
		}
		stored, confirmed, err := store(ctx, k, c, &opt)
		switch e, refused := fault.Refused(err); {
		case refused:
			out.Refused = append(out.Refused, kb.Refused{From: l.From, Why: e.Msg})
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

// store stores a capsule or confirms the one that says the same; a taken title gets longer.
func store(ctx context.Context, k *kb.KB, c kb.Capsule, opt *Options) (
	*kb.Capsule, *kb.Confirmed, error) {
	const titles = 9 // the most titles to try
	first := c
	for n := 1; ; n++ {
		r, err := k.Remember(ctx, c, kb.RememberOptions{Force: opt.Force})
		e, refused := fault.Refused(err)
		if err == nil {
			return &r.Capsule, nil, nil
		}
		if !refused || e.Kind != fault.Conflict || kb.CheckID(e.ID) != nil ||
			len(c.Supersedes) > 0 {
			return nil, nil, err
		}
		old, gone := k.Get(ctx, e.ID)
		if gone != nil {
			return nil, nil, err
		}
		if old.SameTitle(&c) && !old.Says(c.Body) {
			if n > titles {
				return nil, nil, err
			}
			c.Title = alternativeTitle(&first, n)
			continue
		}
		again, err := k.Confirm(ctx, e.ID, opt.Run, opt.Role)
		return nil, &again, err
	}
}

// fillPlace fills in where a learning applies and comes from, unless it says so.
func fillPlace(c *kb.Capsule, opt *Options) {
	c.Workspace = cmp.Or(c.Workspace, opt.Workspace)
	c.Project = cmp.Or(c.Project, opt.Project)
	if c.Project == "" && c.Workspace != "" {
		c.Project = filepath.Base(c.Workspace)
	}
	if c.Scope == "" && c.Workspace != "" {
		c.Scope = "project"
	}
	for _, ref := range kb.RunRefs(opt.Run, opt.Role) {
		if !slices.Contains(c.Refs, ref) {
			c.Refs = append(slices.Clone(c.Refs), ref)
		}
	}
	if c.Source == "" && opt.Run != "" {
		c.Source = "run " + opt.Run
	}
}

// alternativeTitle returns the n-th one for a title that is taken: more of the text, or a number.
func alternativeTitle(c *kb.Capsule, n int) string {
	title := strings.TrimRight(c.Title, "….")
	body := strings.Join(strings.Fields(c.Body), " ")
	more := body
	if !strings.HasPrefix(body, title) {
		more = title + ": " + body
	}
	const room = kb.MaxTitle - 10
	more = text.ClipWords(more, room)
	if n > 1 {
		more += fmt.Sprintf(" (%d)", n)
	}
	return more
}
