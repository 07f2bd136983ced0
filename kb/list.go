package kb

import (
	"context"
	"fmt"
	"strings"

	"blackboard/board/sqlite"
	"blackboard/kb/index"
)

// Get returns a capsule.
func (k *KB) Get(ctx context.Context, id string) (c Capsule, err error) {
	if err := CheckID(id); err != nil {
		return c, err
	}
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		found, err := capsule(tx, id)
		if err == nil {
			c = *found
		}
		return err
	})
	return c, err
}

// Look is Get for somebody who wants to know what a capsule says: it counts as retrieved.
func (k *KB) Look(ctx context.Context, id string) (Capsule, error) {
	c, err := k.Get(ctx, id)
	if err == nil {
		k.touch(ctx, &c)
	}
	return c, err
}

// ListQuery says which capsules to list, newest first. The lists are as in Query.
type ListQuery struct {
	Kinds, Scopes, Tags, DomainTags, Workspaces, Projects []string
	Superseded, Retired                                   bool
	Documents                                             bool   // of Export: the parts of documents too, which can be ingested again
	Before                                                string // only those older than this capsule: the last of the page before
	Limit                                                 int    // 0 is all
}

// List lists capsules; more reports whether there are others beyond the limit.
func (k *KB) List(ctx context.Context, q ListQuery) (all []Capsule, more bool, err error) {
	check := Query{Text: "x", Kinds: q.Kinds, Scopes: q.Scopes}
	if err := check.normalise(); err != nil {
		return nil, false, err
	}
	if q.Limit < 0 {
		return nil, false, invalid("a limit is negative", "give 0 or more")
	}
	from, order, where := `capsules`, `n`, []string{"1"}
	var args []any
	// The table of tags is sorted by capsule: with one at hand, the newest that have it come first without a look at the others. A CROSS JOIN keeps its order.
	tags, domains := q.Tags, q.DomainTags
	lead := func(domain int, tag string) {
		from, order, args = fmt.Sprintf(`capsule_tags AS lead CROSS JOIN capsules ON n = lead.capsule AND lead.domain = %d AND lead.tag = ?`, domain), `lead.capsule`, append(args, tag)
	}
	switch {
	case len(tags) > 0:
		lead(0, tags[0])
		tags = tags[1:]
	case len(domains) == 1:
		lead(1, domains[0])
		domains = nil
	}
	in := func(column string, values []string) {
		if len(values) == 0 {
			return
		}
		where = append(where, column+` IN (SELECT value FROM json_each(?))`)
		args = append(args, sqlite.List(values))
	}
	in("kind", q.Kinds)
	in("scope", q.Scopes)
	in("workspace", q.Workspaces)
	in("project", q.Projects)
	for _, t := range tags {
		where, args = append(where, `EXISTS (SELECT 1 FROM capsule_tags WHERE tag = ? AND domain = 0 AND capsule = n)`), append(args, t)
	}
	if len(domains) > 0 {
		where = append(where, `n IN (SELECT capsule FROM capsule_tags WHERE tag IN (SELECT value FROM json_each(?)) AND domain = 1)`)
		args = append(args, sqlite.List(domains))
	}
	if !q.Superseded {
		where = append(where, `superseded_by = ''`)
	}
	if !q.Retired {
		where = append(where, `retired IS NULL`)
	}
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		if q.Before != "" {
			if err := CheckID(q.Before); err != nil {
				return err
			}
			var n int64
			if err := tx.QueryRow(`SELECT n FROM capsules WHERE id = ?`, q.Before).Scan(&n); sqlite.IsNoRows(err) {
				return notFound(q.Before)
			} else if err != nil {
				return err
			}
			where, args = append(where, order+` < ?`), append(args, n)
		}
		tail := ` ORDER BY ` + order + ` DESC`
		if q.Limit > 0 {
			tail += fmt.Sprintf(` LIMIT %d`, q.Limit+1)
		}
		all, err = capsulesFrom(tx, from+` WHERE `+strings.Join(where, " AND ")+tail, args...)
		return err
	})
	if q.Limit > 0 && len(all) > q.Limit {
		all, more = all[:q.Limit], true
	}
	return all, more, err
}

// Count is how many there are of something.
type Count struct {
	Name string `json:"name"`
	N    int64  `json:"n"`
}

// Stats are the knowledge base's figures.
type Stats struct {
	Capsules   int64       `json:"capsules"`
	Standing   int64       `json:"standing"` // neither superseded nor retired
	Superseded int64       `json:"superseded"`
	Retired    int64       `json:"retired"`
	Decayed    int64       `json:"decayed"`
	Embedded   int64       `json:"embedded"`
	Model      string      `json:"model"`     // of the embeddings, "" if there are none
	Kinds      []Count     `json:"kinds"`     // of what stands, the most frequent first
	Scopes     []Count     `json:"scopes"`    // the same
	Documents  int64       `json:"documents"` // that were ingested
	Index      index.Stats `json:"index"`
}

// Stats counts.
func (k *KB) Stats(ctx context.Context) (s Stats, err error) {
	err = k.db.Read(ctx, func(tx *sqlite.Tx) (err error) {
		if s.Index, err = k.index.Stats(tx); err != nil {
			return err
		}
		if s.Model, _, err = k.index.Model(tx); err != nil {
			return err
		}
		if err := tx.QueryRow(`SELECT count(*), coalesce(sum(superseded_by = '' AND retired IS NULL), 0), coalesce(sum(superseded_by <> ''), 0), coalesce(sum(retired IS NOT NULL AND superseded_by = ''), 0),
			coalesce(sum(decay_score > 0), 0), coalesce(sum(model <> ''), 0), (SELECT count(*) FROM ingested) FROM capsules`).
			Scan(&s.Capsules, &s.Standing, &s.Superseded, &s.Retired, &s.Decayed, &s.Embedded, &s.Documents); err != nil {
			return err
		}
		for _, c := range []struct {
			column string
			to     *[]Count
		}{{"kind", &s.Kinds}, {"scope", &s.Scopes}} {
			if *c.to, err = sqlite.All(tx, func(n *Count) []any { return []any{&n.Name, &n.N} },
				`SELECT `+c.column+`, count(*) FROM capsules WHERE superseded_by = '' AND retired IS NULL GROUP BY 1 ORDER BY 2 DESC, 1`); err != nil {
				return err
			}
		}
		return nil
	})
	return s, err
}

// invariants are what holds of the tables, whatever the sidecars say.
var invariants = []sqlite.Invariant{
	sqlite.ForeignKeys,
	{Breaks: `SELECT count(*) FROM capsules AS c WHERE revision < (SELECT max(revision) FROM events WHERE capsule = c.id)`, Say: "has %d capsules that are older than the history of changes says"},
}

// Sound runs the file's integrity check, and checks what the tables say of each other. It returns nil for a sound file, and an error that matches fault.Corrupt otherwise.
func (k *KB) Sound(ctx context.Context) error {
	return k.db.Sound(ctx)
}

// Check is Sound, and holds the search index against the capsules.
func (k *KB) Check(ctx context.Context) error {
	if err := k.Sound(ctx); err != nil {
		return err
	}
	return k.checkIndex(ctx)
}

// checkIndex holds the search index against the capsules.
func (k *KB) checkIndex(ctx context.Context) error { return k.db.Read(ctx, k.db.CheckIndex) }
