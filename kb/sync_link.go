package kb

import (
	"errors"
	"fmt"
	"slices"

	"blackboard/board/fault"
)

// checkLinks refuses a link of c to itself or in a cycle. Links that row has are not checked again.
func (ch *change) checkLinks(row, c *Capsule) error {
	if slices.Contains(c.Supersedes, c.ID) || c.SupersededBy == c.ID {
		return invalid("it supersedes itself", "leave that id out")
	}
	for _, id := range c.Supersedes {
		if row == nil || !slices.Contains(row.Supersedes, id) {
			if err := ch.checkCycle(c, id); err != nil {
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
			return ch.checkCycle(&over[0], c.ID)
		}
	}
	return nil
}

// relink repairs both ends of every link after a sidecar has changed. The field supersedes is
// authoritative; a superseded_by that was set or removed by hand is applied to the other end.
func (ch *change) relink(was, c *Capsule, s *Synced) error {
	const why = "as its file says"
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
			continue // it may be added later; `doctor` reports it
		}
		if err != nil {
			return err
		}
		if old.SupersededBy == c.ID {
			continue
		}
		// the other's file may have just been picked up and have changed this one
		me, err := ch.row(c.ID)
		if err != nil {
			return err
		}
		if err := ch.checkCycle(me, id); err != nil {
			s.Notes = append(s.Notes, fmt.Sprintf("%v: the link was left out", err))
			continue
		}
		if old.SupersededBy != "" {
			s.Notes = append(s.Notes,
				fmt.Sprintf("%s supersedes %s in its file, but %s already does", c.ID, id,
					old.SupersededBy))
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
		if err := ch.removeLink(was.SupersededBy, c.ID, why); err != nil {
			return err
		}
	}
	if c.SupersededBy == "" {
		return nil
	}
	by, err := ch.get(c.SupersededBy)
	if errors.Is(err, fault.NotFound) {
		return nil // it may be added later; `doctor` reports it
	}
	if err != nil || slices.Contains(by.Supersedes, c.ID) {
		return err
	}
	now := *by
	now.Supersedes = sortedTags(append(slices.Clone(by.Supersedes), c.ID))
	return ch.update(by, &now, nil, VerbSupersedes, c.ID, why)
}

func (ch *change) removeLink(by, id, why string) error {
	old, err := ch.get(by)
	if errors.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil || !slices.Contains(old.Supersedes, id) {
		return err
	}
	now := *old
	now.Supersedes = slices.DeleteFunc(
		slices.Clone(old.Supersedes), func(x string) bool { return x == id })
	return ch.update(old, &now, nil, VerbReleased, id, why)
}
