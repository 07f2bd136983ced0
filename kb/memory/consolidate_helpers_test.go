package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/store"
	"blackboard/testdata/expect"
)

// passOps are the operations of a pass.
var passOps = []string{OpExpire, OpEnd, OpPromote, OpArchive, OpMerge, OpCap}

// newPass returns an empty store, with its clock.
func newPass(t testing.TB, embedder embed.Embedder) (*Store, *clock) {
	t.Helper()
	c := newClock()
	return open(t, t.TempDir(), Options{Now: c.now, Embedder: embedder}), c
}

func consolidate(t testing.TB, s *Store, scopes ...Scope) Consolidated {
	t.Helper()
	all := expect.Value(s.Consolidate(t.Context(), scopes))(t)
	sound(t, s)
	var sum Consolidated
	for _, c := range all {
		sum.Live += c.Live
		for _, op := range passOps {
			*sum.count(op) += *c.count(op)
		}
		sum.Notes = append(sum.Notes, c.Notes...)
	}
	return sum
}

// get returns an item whoever it belongs to.
func get(t testing.TB, s *Store, id string) Item {
	t.Helper()
	for _, account := range []bool{false, true} {
		f, err := s.open(context.Background(), account, false)
		if errors.Is(err, errNoFile) {
			continue
		}
		expect.OK(t, err)
		var found []Item
		expect.OK(t, f.ReadIndex(context.Background(), func(tx *sqlite.Tx) (err error) {
			found, err = itemsWhere(tx, `id = ?`, id)
			return err
		}))
		if len(found) == 1 {
			return found[0]
		}
	}
	t.Fatalf("there is no %s", id)
	return Item{}
}

// one stores one item as it is, and returns it.
func one(t testing.TB, s *Store, it Item, v ...embed.Vector) Item {
	t.Helper()
	if it.Content == "" {
		it.Content = "content " + strings.Map(func(r rune) rune { return 'a' + r%26 }, store.NewID('x')) // no number in it
	}
	if it.Tier == "" {
		it.Tier = Workspace
	}
	items := []Item{it}
	stock(t, s, items, append(v, nil)[:1])
	return items[0]
}

// sound fails unless the index has exactly the live items, each forgotten one says by which rule,
// and each that was replaced leads to one that is there.
func sound(t testing.TB, s *Store) {
	t.Helper()
	for _, account := range []bool{false, true} {
		f, err := s.open(context.Background(), account, false)
		if errors.Is(err, errNoFile) || account && s.Workspace() == "" {
			continue
		}
		expect.OK(t, err)
		expect.OK(t, f.Read(context.Background(), func(tx *sqlite.Tx) error {
			if err := f.Index.Check(tx); err != nil {
				return err
			}
			docs, err := f.Index.Documents(tx)
			if err != nil {
				return err
			}
			all, err := itemsWhere(tx, `1 ORDER BY n`)
			if err != nil {
				return err
			}
			var live []int64
			byID := map[string]*Item{}
			for i := range all {
				byID[all[i].ID] = &all[i]
				if all[i].Forgotten == nil {
					live = append(live, all[i].n)
				}
			}
			if !slices.Equal(live, docs) {
				t.Errorf("%d items are live, the index has %d", len(live), len(docs))
			}
			for i := range all {
				it := &all[i]
				if it.Forgotten == nil {
					continue
				}
				if needs := it.Rule == RuleMerged || it.Rule == RuleConsolidated; it.Rule == "" || needs && it.ReplacedBy == "" {
					t.Errorf("%s is forgotten by the rule %q, replaced by %q", it.ID, it.Rule, it.ReplacedBy)
				}
				for steps := 0; it.ReplacedBy != ""; steps++ {
					next := byID[it.ReplacedBy]
					if next == nil || steps > len(all) || next.Forgotten != nil && next.Forgotten.Before(*it.Forgotten) {
						t.Errorf("%s is replaced by %s, which is not there, was forgotten before, or leads back: %+v", it.ID, it.ReplacedBy, next)
						break
					}
					it = next
				}
			}
			return nil
		}))
	}
}

// dump is all that the files hold.
func dump(t testing.TB, s *Store) string {
	t.Helper()
	var b strings.Builder
	for _, account := range []bool{false, true} {
		f, err := s.open(context.Background(), account, false)
		if errors.Is(err, errNoFile) {
			continue
		}
		expect.OK(t, err)
		expect.OK(t, f.Read(context.Background(), func(tx *sqlite.Tx) error {
			for _, query := range []string{`SELECT json_array(` + strings.ReplaceAll(itemColumns, "\n\t", "") + `) FROM items ORDER BY n`, `SELECT json_array(n, verb, subject, why, data) FROM events ORDER BY n`,
				`SELECT json_array(key, value) FROM meta ORDER BY key`, `SELECT json_array(scope, at, upto) FROM consolidated ORDER BY scope`, `SELECT json_array(subject, revision) FROM revisions ORDER BY subject, revision`,
				`SELECT json_array(generation, docs, vectors) FROM memory_index_meta`} {
				rows, err := tx.Query(query)
				if err != nil {
					return err
				}
				for rows.Next() {
					var line string
					if err := rows.Scan(&line); err != nil {
						return err
					}
					fmt.Fprintln(&b, line)
				}
				if err := rows.Close(); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	return b.String()
}

// askedIn has sessions ask for an item.
func askedIn(t testing.TB, s *Store, id string, sessions ...string) {
	t.Helper()
	it := get(t, s, id)
	f, err := s.open(context.Background(), false, false)
	if err == nil {
		err = f.Write(context.Background(), func(tx *sqlite.Tx) error {
			for _, session := range sessions {
				if _, err := tx.Exec(`INSERT INTO asked VALUES (?, ?)`, it.n, session); err != nil {
					return err
				}
			}
			return nil
		})
	}
	expect.OK(t, err)
}

func errOf[T any](_ T, err error) error { return err }
