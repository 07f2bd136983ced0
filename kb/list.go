package kb

import (
	"context"
	"fmt"
	"strings"

	"blackboard/board/sqlite"
	"blackboard/kb/index"
)

// Get returns a capsule, or fault.NotFound. It is not counted as a retrieval.
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

// Retrieve is Get for a reader: it counts, and picks up an edit of the file.
func (k *KB) Retrieve(ctx context.Context, id string) (Capsule, error) {
	if err := k.noteSyncError(ctx, k.PickUp(ctx, id)); err != nil {
		return Capsule{}, err
	}
	c, err := k.Get(ctx, id)
	if err == nil {
		k.MarkRetrieved(ctx, &c)
	}
	return c, err
}

// ListQuery says which capsules to list, the newest first. Its lists are filters as in Query.
type ListQuery struct {
	Kinds, Scopes, Tags, DomainTags, Workspaces, Projects []string
	Superseded, Retired                                   bool
	// for Export: include sections of documents, which can be ingested again
	Documents bool
	Before    string // only capsules older than this one, the last of the previous page
	Limit     int    // 0: all
}

// List lists capsules; more reports whether the limit cut the list.
func (k *KB) List(ctx context.Context, q ListQuery) (all []Capsule, more bool, err error) {
	check := Query{Text: "x", Kinds: q.Kinds, Scopes: q.Scopes}
	if err := check.normalise(); err != nil {
		return nil, false, err
	}
	if q.Limit < 0 {
		return nil, false, invalid("the limit is negative", "give 0 or more")
	}
	from, order, where, args := q.conditions()
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		if q.Before != "" {
			if err := CheckID(q.Before); err != nil {
				return err
			}
			var n int64
			if err := tx.QueryRow(`SELECT n FROM capsules WHERE id = ?`, q.Before).Scan(
				&n); sqlite.IsNoRows(err) {
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

// conditions returns the query in SQL: tables, column of the order, conditions, arguments.
func (q *ListQuery) conditions() (from, order string, where []string, args []any) {
	from, order, where = `capsules`, `n`, []string{"TRUE"}
	// From capsule_tags, the newest matches come first. CROSS JOIN keeps that order.
	tags, domains := q.Tags, q.DomainTags
	lead := func(domain int, tag string) {
		from, order = `capsule_tags AS lead CROSS JOIN capsules`, `lead.capsule`
		where, args = append(where,
			fmt.Sprintf(`n = lead.capsule AND lead.domain = %d AND lead.tag = ?`, domain)),
			append(args, tag)
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
		where, args = append(where,
			`EXISTS (SELECT 1 FROM capsule_tags WHERE tag = ? AND domain = 0
				AND capsule = n)`), append(args, t)
	}
	if len(domains) > 0 {
		where = append(where, `n IN (SELECT capsule FROM capsule_tags WHERE tag IN (SELECT value
			FROM json_each(?)) AND domain = 1)`)
		args = append(args, sqlite.List(domains))
	}
	if !q.Superseded {
		where = append(where, `superseded_by = ''`)
	}
	if !q.Retired {
		where = append(where, `retired IS NULL`)
	}
	return from, order, where, args
}

type Stats struct {
	Capsules   int64
	Standing   int64 // neither superseded nor retired
	Superseded int64 // capsules that others replace
	Retired    int64 // retired and not superseded
	Embedded   int64
	Model      string // of the embeddings; "": there are none
	Documents  int64  // ingested documents
	Index      index.Stats
}

func (k *KB) Stats(ctx context.Context) (s Stats, err error) {
	err = k.db.Read(ctx, func(tx *sqlite.Tx) (err error) {
		if s.Index, err = k.index.Stats(tx); err != nil {
			return err
		}
		if s.Model, _, err = k.index.Model(tx); err != nil {
			return err
		}
		return tx.QueryRow(`SELECT count(*), count(*) FILTER (WHERE superseded_by = ''
			AND retired IS NULL), count(*) FILTER (WHERE superseded_by <> ''),
			count(*) FILTER (WHERE retired IS NOT NULL
			AND superseded_by = ''),
			count(*) FILTER (WHERE model <> ''), (SELECT count(*) FROM ingested) FROM capsules`).
			Scan(&s.Capsules, &s.Standing, &s.Superseded, &s.Retired, &s.Embedded, &s.Documents)
	})
	return s, err
}

// invariants hold for the tables, whatever the sidecars contain.
var invariants = []sqlite.Invariant{
	{Breaks: `SELECT count(*) FROM capsules AS c WHERE revision < (SELECT max(revision) FROM events
		WHERE capsule = c.id)`, Say: "has %d capsules that are older than the history of changes says"},
}

// Sound runs the integrity check of the file and checks the tables against each other.
func (k *KB) Sound(ctx context.Context) error {
	return k.db.Sound(ctx)
}

// Check is Sound, and checks the capsules against their events and the search index.
func (k *KB) Check(ctx context.Context) error {
	if err := k.Sound(ctx); err != nil {
		return err
	}
	if err := k.checkContent(ctx); err != nil {
		return err
	}
	return k.checkIndex(ctx)
}

func (k *KB) checkIndex(ctx context.Context) error { return k.db.Read(ctx, k.db.CheckIndex) }
