package kb

import (
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"blackboard/board/sqlite"
)

// titleKey is a title as titles are compared: in one Unicode form (NFKC), without case. Titles with the same
// key are the same title, in whatever alphabet.
func titleKey(title string) string {
	fold := cases.Fold() // it is not safe for concurrent use
	return norm.NFKC.String(fold.String(norm.NFKC.String(title)))
}

// titleKeys is the version of titleKey; keys of another version are made anew.
const titleKeys = 1

// keepTitle stores the key of a capsule's title.
func keepTitle(tx *sqlite.Tx, c *Capsule) error {
	_, err := tx.Exec(`INSERT OR REPLACE INTO capsule_titles VALUES (?, ?)`, c.n, titleKey(c.Title))
	return err
}

// withTitle returns the standing capsules, but for c itself, that have its title.
func withTitle(tx *sqlite.Tx, c *Capsule) ([]Capsule, error) {
	if err := keyTitles(tx); err != nil {
		return nil, err
	}
	return capsulesWhere(tx, `n IN (SELECT n FROM capsule_titles WHERE key = ?) AND superseded_by = '' AND retired IS NULL AND id <> ? ORDER BY n`, titleKey(c.Title), c.ID)
}

// keyTitles makes the keys of all titles, once: those of capsules from before there were keys.
func keyTitles(tx *sqlite.Tx) error {
	version, err := sqlite.One[int](tx, `SELECT coalesce(max(value), 0) FROM upkeep WHERE what = 'title keys'`)
	if err != nil || version == titleKeys {
		return err
	}
	all, err := sqlite.All(tx, func(c *Capsule) []any { return []any{&c.n, &c.Title} }, `SELECT n, title FROM capsules`)
	if err != nil {
		return err
	}
	for i := range all {
		if err := keepTitle(tx, &all[i]); err != nil {
			return err
		}
	}
	_, err = tx.Exec(`INSERT OR REPLACE INTO upkeep VALUES ('title keys', ?)`, titleKeys)
	return err
}
