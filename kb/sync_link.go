package kb

import (
	"errors"
	"fmt"
	"slices"

	"blackboard/board/fault"
)

// checkLinks refuses what cannot be of the links that a sidecar names.
func (ch *change) checkLinks(row, c *Capsule) error {
	if slices.Contains(c.Supersedes, c.ID) || c.SupersededBy == c.ID {
		return invalid("it supersedes itself", "leave that out")
	}
	for _, id := range c.Supersedes {
		if row == nil || !slices.Contains(row.Supersedes, id) {
			if err := ch.noCircle(c, id); err != nil {
				return err
			}
		}
	}
	if by := c.SupersededBy; by != "" && (row == nil || row.SupersededBy != by) {
		over, err := capsulesWhere(ch.tx, `id = ?`, by)
		if err != nil {
			return err
		}
		if len(over) == 1 {
			return ch.noCircle(&over[0], c.ID)
		}
	}
	return nil
}

// relink makes both ends of every link say the same after a sidecar has changed. What it names in supersedes is the truth; a superseded_by that was set or taken out by hand
// is taken over to the other end.
func (ch *change) relink(was, c *Capsule, s *Synced) error {
	const why = "its file says so"
	for _, id := range was.Supersedes {
		if !slices.Contains(c.Supersedes, id) {
			if err := ch.release(id, c.ID, why); err != nil {
				return err
			}
		}
	}
	for _, id := range c.Supersedes {
		if slices.Contains(was.Supersedes, id) {
			continue
		}
		old, err := ch.get(id)
		if errors.Is(err, fault.NotFound) {
			continue // it may come yet; `doctor` tells
		}
		if err != nil {
			return err
		}
		if old.SupersededBy == c.ID {
			continue
		}
		me, err := ch.row(c.ID) // the other's file may just have been picked up, and say something of this one
		if err != nil {
			return err
		}
		if err := ch.noCircle(me, id); err != nil {
			s.Notes = append(s.Notes, fmt.Sprintf("%v: that link is left out", err))
			continue
		}
		if old.SupersededBy != "" {
			s.Notes = append(s.Notes, fmt.Sprintf("%s says that it supersedes %s, which %s does already", c.ID, id, old.SupersededBy))
			continue
		}
		now := *old
		now.SupersededBy = c.ID
		if err := ch.update(old, &now, nil, VerbSuperseded, c.ID, why); err != nil {
			return err
		}
	}
	if was.SupersededBy == c.SupersededBy {
		return nil
	}
	if was.SupersededBy != "" {
		if err := ch.unname(was.SupersededBy, c.ID, why); err != nil {
			return err
		}
	}
	if c.SupersededBy == "" {
		return nil
	}
	by, err := ch.get(c.SupersededBy)
	if errors.Is(err, fault.NotFound) {
		return nil // it may come yet; `doctor` tells
	}
	if err != nil || slices.Contains(by.Supersedes, c.ID) {
		return err
	}
	now := *by
	now.Supersedes = sortedTags(append(slices.Clone(by.Supersedes), c.ID))
	return ch.update(by, &now, nil, VerbSupersedes, c.ID, why)
}

// unname takes an id out of what a capsule supersedes.
func (ch *change) unname(by, id, why string) error {
	old, err := ch.get(by)
	if errors.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil || !slices.Contains(old.Supersedes, id) {
		return err
	}
	now := *old
	now.Supersedes = slices.DeleteFunc(slices.Clone(old.Supersedes), func(x string) bool { return x == id })
	return ch.update(old, &now, nil, VerbReleased, id, why)
}
