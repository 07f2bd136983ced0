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

// A capsule found again gains confidence, and no second one is stored.

// Confirmed is a capsule that was found again.
type Confirmed struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// the place in the transcript, such as line 12
	From      string   `json:"from"`
	By        string   `json:"by"`                // "run:audit-7 role:reviewer"
	Before    *float64 `json:"confidence_before"` // null: not stated
	After     *float64 `json:"confidence"`        // afterwards; null: not stated
	Unchanged bool     `json:"unchanged"`         // already counted, or no run and role are named
}

func (c *Confirmed) Changed() bool {
	return c.After != nil && (c.Before == nil || *c.Before != *c.After)
}

const (
	maxConfirmed = 0.95 // the most that confirmations raise a confidence to
	unstated     = 0.5  // the value used for a confidence that is not stated
	maxRefs      = 100  // further confirmations are only in the history
)

// Confirm records that a role of a run has found the same as a capsule, as references
// and in the history.
//
// Reviewers and reflectors check the work of others, so they verify the capsule and halve the
// remaining doubt. Planners and executors may have been told. Each role of a run counts once.
func (k *KB) Confirm(ctx context.Context, id, run, role string) (out Confirmed, err error) {
	if err := CheckID(id); err != nil {
		return out, err
	}
	role = strings.ReplaceAll(role, "-", "_")
	by := RunRefs(run, role)
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
			return capsuleError(fault.Conflict, id, id+" is retired", "", why)
		case old.SupersededBy != "":
			return supersededAlready(id, old.SupersededBy)
		case old.Ingested != nil:
			file := clip(old.Ingested.File, 200)
			return invalid(fmt.Sprintf("%s is a section of %s, which cannot be confirmed", id,
				file),
				"remember a separate capsule")
		case len(by) == 0:
			return nil
		}
		if noted, err := confirmedBy(ch.tx, old, by); err != nil || noted {
			return err
		}
		c := *old
		if c.Refs = slices.Clone(old.Refs); len(c.Refs) < maxRefs {
			c.Refs = append(c.Refs, by...)
		}
		if slices.Contains([]string{"reviewer", "re_reviewer", "reflector"}, role) {
			c.addVerifier(out.By)
		}
		if err := c.Normalise(); err != nil {
			return err
		}
		out.After, out.Unchanged = c.Confidence, false
		return ch.update(old, &c, nil, VerbConfirmed, "", out.By)
	})
	return out, err
}

// ConfirmedBy returns who has confirmed a capsule, from its history: "run:audit-7 role:reviewer".
func ConfirmedBy(history []Event) (by []string) {
	for i := range history {
		if history[i].Verb == VerbConfirmed {
			by = append(by, history[i].Why)
		}
	}
	return by
}

func RunRefs(run, role string) (refs []string) {
	if run != "" {
		refs = append(refs, "run:"+run)
	}
	if role != "" {
		refs = append(refs, "role:"+strings.ReplaceAll(role, "-", "_"))
	}
	return refs
}

// confirmedBy reports whether a role of a run has stored or confirmed it, by references or history.
func confirmedBy(tx *sqlite.Tx, c *Capsule, by []string) (bool, error) {
	for i := range c.Refs {
		if end := i + len(by); end <= len(c.Refs) && slices.Equal(c.Refs[i:end], by) {
			return true, nil
		}
	}
	n, err := sqlite.One[int](tx,
		`SELECT count(*) FROM events WHERE capsule = ? AND verb = ? AND why = ?`,
		c.ID, VerbConfirmed, strings.Join(by, " "))
	return n > 0, err
}

// addVerifier halves the distance to maxConfirmed. A list too long loses the oldest.
func (c *Capsule) addVerifier(by string) {
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
	if was < maxConfirmed {
		now := math.Round((was+(maxConfirmed-was)/2)*1000) / 1000
		c.Confidence = &now
	}
}

// Says reports whether the capsule has a text word for word, ignoring case, spacing and markup.
func (c *Capsule) Says(text string) bool {
	plain := func(s string) string {
		s = strings.NewReplacer("**", "", "__", "", "`", "").Replace(strings.ToLower(s))
		return " " + strings.TrimRight(strings.Join(strings.Fields(s), " "), ".。!") + " "
	}
	whole, part := plain(c.Body), plain(text)
	return strings.Contains(whole, part) || plain(c.Title) == part
}
