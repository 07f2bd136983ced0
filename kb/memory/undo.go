package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
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
	Warnings []string `json:"warnings"`
}

// trace records what a merge changed in the kept item. Its earlier text is among its
// revisions.
type trace struct {
	Was      *figures `json:"was,omitempty"`
	Is       *figures `json:"is,omitempty"`
	Sessions []string `json:"sessions,omitempty"` // sessions that it took over
}

type figures struct {
	Revision   int        `json:"revision"`
	Importance float64    `json:"importance"`
	Lifetime   string     `json:"lifetime"`
	Accesses   int        `json:"accesses"`
	Accessed   time.Time  `json:"accessed"`
	Expires    *time.Time `json:"expires"`
}

func figuresOf(it *Item) *figures {
	return &figures{it.Revision, it.Importance, it.Lifetime, it.Accesses, it.Accessed, it.Expires}
}

func (t *trace) before(it *Item) { t.Was = figuresOf(it) }
func (t *trace) after(it *Item)  { t.Is = figuresOf(it) }

func newPassID() string { return store.NewID('p') }

// keepStep records a step of a pass, and the pass with its first step.
func (f *file) keepStep(tx *sqlite.Tx, pass, scope string, k int, op, item, heir string,
	t *trace) error {
	if _, err := tx.Exec(`INSERT OR IGNORE INTO passes VALUES (?, ?, ?, ?, NULL, NULL)`,
		pass, scope, f.s.opt.Actor, tx.Now.UnixMilli()); err != nil {
		return err
	}
	b, err := json.Marshal(t)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO pass_steps VALUES (?, ?, ?, ?, ?, ?)`,
		pass, k, op, item, heir, string(b))
	return err
}

func endPass(tx *sqlite.Tx, pass string) error {
	_, err := tx.Exec(`UPDATE passes SET ended = ? WHERE id = ?`, tx.Now.UnixMilli(), pass)
	return err
}

// inherit gives an item the sessions that asked for another, and returns the new ones.
func inherit(tx *sqlite.Tx, to, from int64) ([]string, error) {
	added, err := sqlite.Column[string](tx, `SELECT session FROM asked WHERE item = ?2
		AND session NOT IN (SELECT session FROM asked WHERE item = ?1)`, to, from)
	if err != nil || len(added) == 0 {
		return nil, err
	}
	_, err = tx.Exec(`INSERT INTO asked SELECT ?, value FROM json_each(?)`, to, sqlite.List(added))
	return added, err
}

// undoneIn lists the undone steps of a scope, but for expiry, which happens again.
func undoneIn(tx *sqlite.Tx, sc Scope) (map[undoneStep]bool, error) {
	all := map[undoneStep]bool{}
	var s undoneStep
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
	for f, err := range s.reached(ctx) {
		if err != nil {
			return nil, err
		}
		var found []Pass
		if err := f.ReadIndex(ctx, func(tx *sqlite.Tx) (err error) {
			found, err = passesWhere(tx, `1 ORDER BY passes.rowid DESC`)
			return err
		}); err != nil {
			return nil, err
		}
		for _, p := range found {
			if tier, _, _ := strings.Cut(p.Scope, ":"); s.Reaches(tier) {
				all = append(all, p)
			}
		}
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

// Undo reverses a whole pass in one transaction: what it archived or forgot is active
// again, and what it merged or promoted is as before. If a part cannot be reversed,
// because it was changed or scrubbed or a later pass has changed it, nothing is done,
// and the error names it. Later passes do not repeat undone steps.
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
		vectors, err := u.embed(ctx, &out.Warnings)
		if err != nil {
			return out, err
		}
		warned := len(out.Warnings)
		err = f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
			out.Restored, out.Private, out.Warnings = []string{}, 0, out.Warnings[:warned]
			u, err := f.readPass(tx, id)
			if err != nil {
				return err
			}
			if u == nil {
				return noPass(id)
			}
			u.vectors, u.out = vectors, &out
			return u.takeBack(tx)
		})
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
	steps   []doneStep
	items   map[string]*Item        // items as they will be
	was     map[string]*Item        // items as they are
	vectors map[string]embed.Vector // embeddings of the forgotten items
	out     *Undone

	revived map[string]bool
	changed map[string]bool // items whose text changes
	checked map[string]bool // items known to have the revision that the pass left
	blocked []string
}

type doneStep struct {
	op, item, heir string
	trace          trace
}

// readPass reads a pass that the caller may undo, with its items; nil if this file does
// not have it.
func (f *file) readPass(tx *sqlite.Tx, id string) (*undoing, error) {
	found, err := passesWhere(tx, `id = ?`, id)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	u := &undoing{f: f, pass: found[0], items: map[string]*Item{}, was: map[string]*Item{},
		revived: map[string]bool{}, changed: map[string]bool{}, checked: map[string]bool{}}
	if tier, _, _ := strings.Cut(u.pass.Scope, ":"); f.s.allowed(tier) != nil {
		return nil, nil
	}
	if u.pass.Undone != nil {
		since := u.pass.Undone.Format(time.RFC3339)
		return nil, conflict(fmt.Sprintf("the pass %s is already undone, since %s", id, since),
			"nothing to do")
	}
	if u.steps, err = sqlite.All(tx, func(s *doneStep) []any {
		return []any{&s.op, &s.item, &s.heir, sqlite.JSON(&s.trace, "a step of %s that", &id)}
	}, `SELECT op, item, heir, trace FROM pass_steps WHERE pass = ? ORDER BY k DESC`,
		id); err != nil {
		return nil, err
	}
	all, err := itemsWhere(tx, `id IN (SELECT item FROM pass_steps WHERE pass = ?1
		UNION SELECT heir FROM pass_steps WHERE pass = ?1)`, id)
	for i := range all {
		was := all[i]
		u.items[all[i].ID], u.was[all[i].ID] = &all[i], &was
	}
	return u, err
}

// embed embeds the items that the pass forgot.
func (u *undoing) embed(ctx context.Context, warnings *[]string) (map[string]embed.Vector, error) {
	all := map[string]embed.Vector{}
	for id, it := range u.items {
		if it.Forgotten == nil {
			continue
		}
		v, err := store.Vector(ctx, u.f.s.opt.Embedder, embeddingText(it), warnings)
		if err != nil {
			return nil, err
		}
		all[id] = v
	}
	return all, nil
}

// takeBack reverses the steps, the last one first.
func (u *undoing) takeBack(tx *sqlite.Tx) error {
	if err := u.later(tx); err != nil {
		return err
	}
	for i := range u.steps {
		if err := u.undo(tx, &u.steps[i]); err != nil {
			return err
		}
	}
	if len(u.blocked) > 0 {
		return u.cannot()
	}
	for _, id := range slices.Sorted(maps.Keys(u.items)) {
		if err := u.write(tx, id); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(`UPDATE passes SET undone = ? WHERE id = ?`,
		tx.Now.UnixMilli(), u.pass.ID); err != nil {
		return err
	}
	return u.f.event(tx, Event{Verb: VerbUndone, Scope: u.pass.Scope, Subject: u.pass.ID})
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

// later looks for later passes over the same items.
func (u *undoing) later(tx *sqlite.Tx) error {
	var pass, item string
	return tx.Each([]any{&pass, &item}, func() error {
		u.block(item, "was changed by the later pass "+pass+": undo that pass first")
		return nil
	}, `WITH mine AS (SELECT item AS id FROM pass_steps WHERE pass = ?1
			UNION SELECT heir FROM pass_steps WHERE pass = ?1 AND heir <> '')
		SELECT DISTINCT p.id, mine.id FROM mine
		JOIN pass_steps s ON s.item = mine.id OR s.heir = mine.id JOIN passes p ON p.id = s.pass
		WHERE p.undone IS NULL AND p.rowid > (SELECT rowid FROM passes WHERE id = ?1)
		ORDER BY p.rowid, mine.id`, u.pass.ID)
}

// undo reverses a step in memory.
func (u *undoing) undo(tx *sqlite.Tx, s *doneStep) error {
	it := u.items[s.item]
	if it == nil {
		u.block(s.item, "was scrubbed")
		return nil
	}
	switch s.op {
	case OpPromote:
		if it.Lifetime == LongTerm {
			it.Lifetime = ShortTerm
		}
		return nil
	case OpArchive, OpEnd, OpCap:
		if it.Forgotten != nil {
			u.block(s.item, "was forgotten since: "+it.Rule)
		}
		u.revived[s.item] = !it.Live()
		return nil
	}
	rule := map[string]string{OpExpire: RuleExpired, OpMerge: RuleMerged,
		OpRewrite: RuleConsolidated}[s.op]
	switch {
	case it.Archived != nil:
		u.block(s.item, "was archived since")
	case it.Forgotten != nil && (it.Rule != rule || it.ReplacedBy != s.heir):
		u.block(s.item, "was forgotten since: "+it.Rule)
	}
	u.revived[s.item] = !it.Live()
	if s.heir == "" {
		return nil
	}
	keep := u.items[s.heir]
	switch {
	case keep == nil:
		u.block(s.heir, "was scrubbed")
		return nil
	case !keep.Live() && !u.revived[s.heir]:
		u.block(s.heir, "was archived or forgotten since")
		return nil
	case s.op == OpRewrite:
		if keep.Revision != 1 {
			u.block(s.heir, "was changed since")
		}
		return nil
	}
	return u.unmerge(tx, keep, &s.trace)
}

// unmerge removes from an item what it got by a merge.
func (u *undoing) unmerge(tx *sqlite.Tx, keep *Item, t *trace) error {
	keep.Accesses = max(0, keep.Accesses-(t.Is.Accesses-t.Was.Accesses))
	if keep.Accessed.Equal(t.Is.Accessed) {
		keep.Accessed = t.Was.Accessed
	}
	if _, err := tx.Exec(`DELETE FROM asked WHERE item = ?
		AND session IN (SELECT value
		FROM json_each(?))`, keep.n, sqlite.List(t.Sessions)); err != nil {
		return err
	}
	if t.Is.Revision == t.Was.Revision {
		return nil
	}
	if !u.checked[keep.ID] && keep.Revision != t.Is.Revision {
		u.block(keep.ID, fmt.Sprintf("was changed since: it is at revision %d, and the pass left %d",
			keep.Revision, t.Is.Revision))
	}
	u.checked[keep.ID], u.changed[keep.ID] = true, true
	keep.Importance, keep.Lifetime, keep.Expires = t.Was.Importance, t.Was.Lifetime, t.Was.Expires
	before, err := sqlite.All(tx, func(it *Item) []any {
		return []any{sqlite.JSON(it, "a revision of %s that", &keep.ID)}
	},
		`SELECT before FROM revisions WHERE subject = ? AND revision = ?`, keep.ID, t.Was.Revision)
	if err == nil && len(before) == 1 {
		keep.Tags = before[0].Tags
	}
	return err
}

// write stores an item as it was before the pass.
func (u *undoing) write(tx *sqlite.Tx, id string) error {
	now, was := u.items[id], u.was[id]
	why := "the pass " + u.pass.ID + " was undone"
	if u.changed[id] {
		updated := was.Updated
		if err := u.f.change(tx, was, now, nil, why, &u.out.Warnings); err != nil {
			return err
		}
		now.Updated = updated // the text is unchanged, so it is not new for the next pass
	}
	if _, err := tx.Exec(`UPDATE items SET lifetime = ?, accesses = ?, accessed = ?, updated = ?
		WHERE n = ?`, now.Lifetime, now.Accesses, now.Accessed.UnixMilli(), now.Updated.UnixMilli(), now.n); err != nil {
		return err
	}
	if u.revived[id] {
		if u.f.s.visible(now.Agent) {
			u.out.Restored = append(u.out.Restored, id)
		} else {
			u.out.Private++
		}
		return u.f.revive(tx, now, u.vectors[id], why, &u.out.Warnings)
	}
	written := func(s doneStep) bool { return s.op == OpRewrite && s.heir == id }
	if now.Live() && slices.ContainsFunc(u.steps, written) {
		return u.f.forget(tx, now, RuleUndone, "", why)
	}
	return nil
}
