package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/store"
)

// Pass is a pass of consolidation over a scope, or a rewrite, that has changed
// something.
type Pass struct {
	ID     string     `json:"pass"`
	Scope  string     `json:"scope"`
	Actor  string     `json:"actor"`
	Began  time.Time  `json:"began"`
	Ended  *time.Time `json:"ended"`  // null: it was interrupted
	Undone *time.Time `json:"undone"` // null: not undone
	// Steps counts the steps by operation.
	Steps map[string]int `json:"steps"`
}

// Undone is the result of Undo.
type Undone struct {
	Pass string `json:"pass"` // the pass that was undone
	// Restored has the items that are active again and that the caller may know.
	Restored []string `json:"restored"`
	Private  int      `json:"private"` // restored private items of other agents
	// ShortTerm counts the items that the pass had made long-term.
	ShortTerm int      `json:"short_term"`
	Warnings  []string `json:"warnings"`
}

func newPassID() string { return store.NewID('p') }

// keepStep records a step of a pass, and the pass with its first step.
func (f *file) keepStep(tx *sqlite.Tx, pass, scope string, k int, op, item, heir string) error {
	if _, err := tx.Exec(`INSERT OR IGNORE INTO passes VALUES (?, ?, ?, ?, NULL, NULL)`,
		pass, scope, f.s.opt.Actor, tx.Now.UnixMilli()); err != nil {
		return err
	}
	_, err := tx.Exec(`INSERT INTO pass_steps VALUES (?, ?, ?, ?, ?, '{}')`, pass, k, op, item, heir)
	return err
}

func endPass(tx *sqlite.Tx, pass string) error {
	_, err := tx.Exec(`UPDATE passes SET ended = ? WHERE id = ?`, tx.Now.UnixMilli(), pass)
	return err
}

// undoneIn lists the undone steps of a scope, but for expiry, which happens again.
func undoneIn(tx *sqlite.Tx, sc Scope) (map[keptStep]bool, error) {
	all := map[keptStep]bool{}
	var s keptStep
	return all, tx.Each([]any{&s.op, &s.item, &s.heir}, func() error {
		all[s] = true
		return nil
	}, `SELECT op, item, heir FROM passes JOIN pass_steps ON pass = id
		WHERE undone IS NOT NULL AND scope = ? AND op <> 'expire'`, sc.String())
}

// Passes lists the passes in the tiers that the caller can reach, the newest first;
// limit 0 means all.
func (s *Store) Passes(ctx context.Context, limit int) ([]Pass, error) {
	if limit < 0 {
		return nil, invalid(fmt.Sprintf("the limit %d is negative", limit), "0 lists all")
	}
	all := []Pass{}
	if err := s.each(ctx, func(_ *file, tx *sqlite.Tx) error {
		found, err := passesWhere(tx, `1 ORDER BY passes.rowid DESC`)
		for _, p := range found {
			if tier, _, _ := strings.Cut(p.Scope, ":"); s.Reaches(tier) {
				all = append(all, p)
			}
		}
		return err
	}); err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b Pass) int { return b.Began.Compare(a.Began) })
	if limit > 0 {
		all = all[:min(limit, len(all))]
	}
	return all, nil
}

func passesWhere(tx *sqlite.Tx, where string, args ...any) ([]Pass, error) {
	return sqlite.All(tx, func(p *Pass) []any {
		return []any{&p.ID, &p.Scope, &p.Actor, sqlite.Time(&p.Began),
			sqlite.MaybeTime(&p.Ended), sqlite.MaybeTime(&p.Undone),
			sqlite.JSON(&p.Steps, "the steps of %s that", &p.ID)}
	}, `SELECT id, scope, actor, began, ended, undone, (SELECT json_group_object(op, c) FROM
		(SELECT op, count(*) AS c FROM pass_steps WHERE pass = id GROUP BY op))
		FROM passes WHERE `+where, args...)
}

// Undo restores what a pass has archived or forgotten, in one transaction: promoted items
// are short-term again, and the item that a rewrite has stored is forgotten. What a merge
// has added to the kept item stays; the version before is among its revisions. If an
// item was scrubbed, changed or forgotten since, nothing is done, and the error names it.
// Later passes do not repeat undone steps.
func (s *Store) Undo(ctx context.Context, id string) (Undone, error) {
	out := Undone{Pass: id, Restored: []string{}, Warnings: []string{}}
	if !store.IsID(id, "p") {
		return out, invalid(fmt.Sprintf("%q is not the id of a pass", clip(id, 60)),
			"ids look like p3f9x0c2ma", listPasses)
	}
	for f, err := range s.reached(ctx) {
		if err != nil {
			return out, err
		}
		var u *undoing
		if err := f.ReadIndex(ctx, func(tx *sqlite.Tx) (err error) {
			u, err = f.readPass(tx, id)
			return err
		}); err != nil {
			return out, err
		}
		if u == nil {
			continue
		}
		vectors := map[string]embed.Vector{} // of the forgotten items
		for _, it := range u.items {
			if it.Forgotten == nil {
				continue
			}
			if vectors[it.ID], err = store.Vector(ctx, s.opt.Embedder, embeddingText(it),
				&out.Warnings); err != nil {
				return out, err
			}
		}
		warned := len(out.Warnings)
		err = f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
			out.Restored, out.Private, out.Warnings = []string{}, 0, out.Warnings[:warned]
			u, err := f.readPass(tx, id)
			if err == nil && u == nil {
				err = noPass(id)
			}
			if err != nil {
				return err
			}
			return u.takeBack(tx, vectors, &out)
		})
		slices.Sort(out.Restored)
		out.Warnings = slices.Compact(out.Warnings)
		return out, err
	}
	return out, noPass(id)
}

var listPasses = fault.Do("memory.consolidate", "{} lists them", "passes", "")

func noPass(id string) error {
	return fault.NotFound.New("pass not found: "+clip(id, 60), "", listPasses)
}

// undoing is a pass that is being undone.
type undoing struct {
	f       *file
	pass    Pass
	steps   []keptStep
	items   map[string]*Item
	blocked []string
}

// readPass reads a pass that the caller may undo, with its items; nil if this file does
// not have it.
func (f *file) readPass(tx *sqlite.Tx, id string) (*undoing, error) {
	found, err := passesWhere(tx, `id = ?`, id)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	u := &undoing{f: f, pass: found[0], items: map[string]*Item{}}
	if tier, _, _ := strings.Cut(u.pass.Scope, ":"); f.s.allowed(tier) != nil {
		return nil, nil
	}
	if u.pass.Undone != nil {
		since := u.pass.Undone.Format(time.RFC3339)
		return nil, conflict(fmt.Sprintf("the pass %s is already undone, since %s", id, since),
			"nothing to do")
	}
	if u.steps, err = sqlite.All(tx, func(s *keptStep) []any {
		return []any{&s.op, &s.item, &s.heir}
	}, `SELECT op, item, heir FROM pass_steps WHERE pass = ? ORDER BY k DESC`, id); err != nil {
		return nil, err
	}
	all, err := itemsWhere(tx, `id IN (SELECT item FROM pass_steps WHERE pass = ?1
		UNION SELECT heir FROM pass_steps WHERE pass = ?1)`, id)
	for i := range all {
		u.items[all[i].ID] = &all[i]
	}
	return u, err
}

// takeBack reverses the steps, the last one first.
func (u *undoing) takeBack(tx *sqlite.Tx, vectors map[string]embed.Vector, out *Undone) error {
	for i := range u.steps {
		u.check(&u.steps[i])
	}
	if len(u.blocked) > 0 {
		return u.cannot()
	}
	why := "the pass " + u.pass.ID + " was undone"
	for _, s := range u.steps {
		it := u.items[s.item]
		switch {
		case s.op == OpPromote && it.Lifetime == LongTerm:
			it.Lifetime = ShortTerm
			if _, err := tx.Exec(`UPDATE items SET lifetime = ? WHERE n = ?`, it.Lifetime,
				it.n); err != nil {
				return err
			}
			out.ShortTerm++
		case s.op != OpPromote && !it.Live():
			if u.f.s.visible(it.Agent) {
				out.Restored = append(out.Restored, it.ID)
			} else {
				out.Private++
			}
			if err := u.f.revive(tx, it, vectors[it.ID], why, &out.Warnings); err != nil {
				return err
			}
		}
		if heir := u.items[s.heir]; s.op == OpRewrite && heir.Live() {
			if err := u.f.forget(tx, heir, RuleUndone, "", why); err != nil {
				return err
			}
		}
	}
	if _, err := tx.Exec(`UPDATE passes SET undone = ? WHERE id = ?`,
		tx.Now.UnixMilli(), u.pass.ID); err != nil {
		return err
	}
	return u.f.event(tx, Event{Verb: VerbUndone, Scope: u.pass.Scope, Subject: u.pass.ID})
}

// check notes why a step cannot be reversed.
func (u *undoing) check(s *keptStep) {
	it := u.items[s.item]
	rule := map[string]string{OpExpire: RuleExpired, OpMerge: RuleMerged,
		OpRewrite: RuleConsolidated}[s.op]
	switch {
	case it == nil:
		u.block(s.item, "was scrubbed")
	case s.op != OpPromote && it.Forgotten != nil && (it.Rule != rule || it.ReplacedBy != s.heir):
		u.block(s.item, "was forgotten since: "+it.Rule)
	}
	if s.op != OpRewrite {
		return
	}
	switch heir := u.items[s.heir]; {
	case heir == nil:
		u.block(s.heir, "was scrubbed")
	case !heir.Live():
		u.block(s.heir, "was archived or forgotten since")
	case heir.Revision != 1:
		u.block(s.heir, "was changed since")
	}
}

// block records why something cannot be reversed. Others' private items are not named.
func (u *undoing) block(id, why string) {
	if it := u.items[id]; it != nil && !u.f.s.visible(it.Agent) {
		id = "a private item of another agent"
	}
	if say := id + " " + why; !slices.Contains(u.blocked, say) {
		u.blocked = append(u.blocked, say)
	}
}

func (u *undoing) cannot() error {
	const most = 5
	say := strings.Join(u.blocked[:min(most, len(u.blocked))], "; ")
	if n := len(u.blocked) - most; n > 0 {
		say += fmt.Sprintf("; and %d more", n)
	}
	return conflict(fmt.Sprintf("the pass %s cannot be undone completely, so nothing was changed: %s",
		u.pass.ID, say), "", fault.Do("memory.restore", "{} restores one item", "id", "ID"))
}
