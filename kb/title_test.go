package kb

import (
	"errors"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/testdata/expect"
)

// TestTitlesOfAllAlphabets: titles are the same without case, and in whatever form Unicode writes
// them.
func TestTitlesOfAllAlphabets(t *testing.T) {
	for _, same := range [][]string{
		{"Über uns", "über uns", "ÜBER UNS", "U\u0308ber uns"},
		{"Straße", "STRASSE", "strasse"},
		{"ΣΟΦΟΣ", "σοφος", "σοφοσ"},
		{"Файл", "ФАЙЛ"},
		{"ＦＵＬＬ width", "full width"},
		{"e\u0301tat", "ÉTAT"},
	} {
		k := newKB(t, nil)
		first := put(t, k, Capsule{Title: same[0], Body: "the first"})
		for _, title := range same[1:] {
			_, err := k.Remember(t.Context(), Capsule{Title: title, Body: "another"}, RememberOptions{})
			if e := refused(t, err, fault.Conflict, "already has this title"); e.ID != first.ID {
				t.Errorf("%q is refused for %s, not %s", title, e.ID, first.ID)
			}
		}
		other := put(t, k, Capsule{Title: same[0] + " 2", Body: "another"})
		_, err := k.Edit(t.Context(), other.ID, func(c *Capsule) error { c.Title = same[1]; return nil }, EditOptions{})
		refused(t, err, fault.Conflict, "already has this title")
		sound(t, k)
	}
}

// TestTitlesFromBefore: a knowledge base from when only ASCII titles were compared without case
// keeps what it has, titles that are alike included; they can be edited, and no other is added to
// them.
func TestTitlesFromBefore(t *testing.T) {
	needsFile(t)
	home := t.TempDir()
	k := openKB(t, home, Options{})
	a := put(t, k, Capsule{Title: "Über uns", Body: "the first"})
	b := put(t, k, Capsule{Title: "über uns", Body: "the second"}, RememberOptions{Force: true})
	c := put(t, k, Capsule{Title: "Plain", Body: "the third"})
	err := k.db.Write(t.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.Exec(`DROP TABLE capsule_titles; DELETE FROM upkeep WHERE what = 'title keys'; CREATE INDEX capsules_title ON capsules(title COLLATE NOCASE); ALTER TABLE events DROP COLUMN content; PRAGMA user_version = 2`)
		return err
	})
	expect.OK(t, errors.Join(err, k.Close()))
	k = openKB(t, home, Options{})
	for _, title := range []string{"ÜBER UNS", "PLAIN"} {
		_, err := k.Remember(t.Context(), Capsule{Title: title, Body: "one more"}, RememberOptions{})
		refused(t, err, fault.Conflict, "already has this title")
	}
	for _, was := range []Capsule{a, b, c} {
		now, err := k.Get(t.Context(), was.ID)
		if err != nil || now.Title != was.Title || now.Body != was.Body {
			t.Errorf("%+v has become %+v: %v", was, now, err)
		}
		r, err := k.Edit(t.Context(), was.ID, func(c *Capsule) error { c.Body = strings.ToUpper(c.Body); return nil }, EditOptions{})
		if err != nil || r.Capsule.Title != was.Title || r.Capsule.Revision != 2 {
			t.Errorf("%s cannot be edited: %+v %v", was.Title, r.Capsule, err)
		}
	}
	sound(t, k)
}
