package kb

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

// This file is about what is said once more: it makes a capsule surer, and no second one.

// Confirmed is a capsule that somebody else has found, too.
type Confirmed struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	From      string   `json:"from"` // of the transcript, as in Learning
	By        string   `json:"by"`   // "run:audit-7 role:reviewer"
	Before    *float64 `json:"confidence_before"`
	After     *float64 `json:"confidence"`
	Unchanged bool     `json:"unchanged"` // it was noted before, or nobody is named
}

// Raised says whether the confidence is another one now.
func (c *Confirmed) Raised() bool {
	return c.After != nil && (c.Before == nil || *c.Before != *c.After)
}

const (
	mostConfirmed = 0.95 // what repeats make of a confidence at most
	unstated      = 0.5  // a confidence that nobody has stated
	mostRefs      = 100  // beyond that only the history has who has confirmed
)

// Confirm notes with a capsule that a role of a run has found the same: as references
// and in the history. Reviewers and reflectors look at the work of others, so theirs
// verifies the capsule and takes half of the doubt that is left; planners and executors
// may have been told it. The same role of the same run counts once.
func (k *KB) Confirm(ctx context.Context, id, run, role string) (out Confirmed, err error) {
	if err := CheckID(id); err != nil {
		return out, err
	}
	role = strings.ReplaceAll(role, "-", "_")
	by := refsOf(run, role)
	err = k.change(ctx, func(ch *change) error {
		old, err := ch.get(id)
		if err != nil {
			return err
		}
		out = Confirmed{ID: id, Title: old.Title, By: strings.Join(by, " "), Unchanged: true}
		out.Before, out.After = old.Confidence, old.Confidence
		switch {
		case old.Retired != nil:
			why := fault.Do("kb.history", "{} shows why", "id", id)
			return about(fault.Conflict, id, id+" is retired", "", why)
		case old.SupersededBy != "":
			return supersededAlready(id, old.SupersededBy)
		case old.Ingested != nil:
			file := clip(old.Ingested.File, 200)
			return invalid(fmt.Sprintf("%s is a part of %s, which nobody confirms", id, file),
				"remember a capsule of its own")
		case len(by) == 0:
			return nil
		}
		if noted, err := confirmedBy(ch.tx, old, by); err != nil || noted {
			return err
		}
		c := *old
		if c.Refs = slices.Clone(old.Refs); len(c.Refs) < mostRefs {
			c.Refs = append(c.Refs, by...)
		}
		if slices.Contains([]string{"reviewer", "re_reviewer", "reflector"}, role) {
			c.verified(out.By)
		}
		if err := c.Normalise(); err != nil {
			return err
		}
		out.After, out.Unchanged = c.Confidence, false
		return ch.update(old, &c, nil, VerbConfirmed, "", out.By)
	})
	return out, err
}

// ConfirmedBy is who has confirmed a capsule, by its history: "run:audit-7
// role:reviewer".
func ConfirmedBy(history []Event) (by []string) {
	for i := range history {
		if history[i].Verb == VerbConfirmed {
			by = append(by, history[i].Why)
		}
	}
	return by
}

// refsOf are the references to a role of a run.
func refsOf(run, role string) (refs []string) {
	if run != "" {
		refs = append(refs, "run:"+run)
	}
	if role != "" {
		refs = append(refs, "role:"+strings.ReplaceAll(role, "-", "_"))
	}
	return refs
}

// confirmedBy says whether a role of a run has stored a capsule or confirmed it before.
// References stand in pairs, and the history has those that somebody has taken away
// since.
func confirmedBy(tx *sqlite.Tx, c *Capsule, by []string) (bool, error) {
	for i := range c.Refs {
		if end := i + len(by); end <= len(c.Refs) && slices.Equal(c.Refs[i:end], by) {
			return true, nil
		}
	}
	n, err := sqlite.One[int](tx, `SELECT count(*) FROM events WHERE capsule = ? AND verb = ? AND why = ?`,
		c.ID, VerbConfirmed, strings.Join(by, " "))
	return n > 0, err
}

// verified adds who has verified a capsule, and takes half of the doubt that is left. Of
// very many the first are left out.
func (c *Capsule) verified(by string) {
	all := strings.Split(c.VerifiedBy, "; ")
	if c.VerifiedBy == "" {
		all = nil
	}
	if !slices.Contains(all, by) {
		all = append(all, by)
	}
	for len(strings.Join(all, "; ")) > MaxField && len(all) > 1 {
		all = all[1:]
	}
	c.VerifiedBy = strings.Join(all, "; ")
	was := unstated
	if c.Confidence != nil {
		was = *c.Confidence
	}
	if was < mostConfirmed {
		now := math.Round((was+(mostConfirmed-was)/2)*1000) / 1000
		c.Confidence = &now
	}
}

// says reports whether a text says nothing that the capsule does not: it is there word
// for word, whatever the case, the spacing and the marks.
func (c *Capsule) says(text string) bool {
	plain := func(s string) string {
		s = strings.NewReplacer("**", "", "__", "", "`", "").Replace(strings.ToLower(s))
		return " " + strings.TrimRight(strings.Join(strings.Fields(s), " "), ".。!") + " "
	}
	whole, part := plain(c.Body), plain(text)
	return strings.Contains(whole, part) || plain(c.Title) == part
}

// retitled gives the n-th other title to a capsule whose title another one has: one that
// has more of its text, or else a number.
func (c *Capsule) retitled(n int) string {
	title := strings.TrimRight(c.Title, "….")
	body := strings.Join(strings.Fields(c.Body), " ")
	more := body
	if !strings.HasPrefix(body, title) {
		more = title + ": " + body
	}
	const room = MaxTitle - 10
	if cut := clipBytes(more, room); cut != more {
		more = strings.TrimSuffix(cut, "…")
		if word := strings.LastIndexByte(more, ' '); word > len(more)/2 {
			more = more[:word]
		}
		more = strings.TrimRight(more, " ,;:") + "…"
	}
	if n > 1 {
		more += fmt.Sprintf(" (%d)", n)
	}
	return more
}
