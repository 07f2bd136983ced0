package index

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"blackboard/board/sqlite"
)

// expandDocs are documents with words that others may be misspelt for. "deleted" leaves a term
// of documents that are no more.
func expandDocs(t *testing.T) (*sqlite.DB, *Index) {
	t.Helper()
	db := openDB(t)
	x := newIndex(t, db, testConfig)
	write(t, db, func(tx *sqlite.Tx) error {
		for i, text := range []string{
			"database migration", "database connections", "a kubernetes cluster", "Authentifizierung der Datenbank",
			"сертифікат сервісу", "uploads fail with e4012", "a key of the server", "server 127 restarts", "數據庫連接",
			"dataship", "databasx is gone", "contract", "contrast", "it is not there",
		} {
			d := Doc{ID: int64(i + 1), Text: []string{"", text}, Keywords: []string{"databaze"}}
			if err := x.Put(tx, d); err != nil {
				return err
			}
		}
		return x.Delete(tx, 11)
	})
	return db, x
}

func TestExpand(t *testing.T) {
	db, x := expandDocs(t)
	check := func(t *testing.T) {
		for _, tc := range []struct{ name, text, want string }{
			{"a letter is missing", "databse", "databs: databas"},
			{"a letter is wrong", "detabase", "detabas: databas"},
			{"two letters are swapped", "uplaod", "uplaod: upload"},
			{"the first two are", "adtabase", "adtabas: databas"},
			{"two of many are wrong", "kubernetez", "kubernetez: kubernet"},
			{"two of few are not corrected", "sarvar", ""},
			{"a beginning", "kuber", "kuber: kubernet"},
			{"a beginning before a misspelling", "contra", "contra: contract contrast"},
			{"a misspelling of both", "conract", "conract: contract"},
			{"two are as close", "contraxt", "contraxt: contract contrast"},
			{"another ending", "сертифікатами", "сертифікатами: сертифікат"},
			{"another first letter", "batabase", ""},
			{"short words", "ky kxy", ""},
			{"numbers and names", "e4013 128 foo/bar.go", ""},
			{"pairs of characters", "庫數", ""},
			{"a keyword is no term", "databaze", "databaz: databas"},
			{"nothing is missing", "database", ""},
			{"a word that is not there is no misspelling", "fall", ""},
			{"nor is its plural", "falls", ""},
			{"a function word is none that was meant", "noty", ""},
		} {
			t.Run(tc.name, func(t *testing.T) {
				r := ask(t, db, x, Query{Text: tc.text, Depth: 10, Expand: true})
				var got []string
				for _, e := range r.Expanded {
					got = append(got, e.Missing+": "+strings.Join(e.Terms, " "))
					if !slices.Contains(r.Missing, e.Missing) {
						t.Errorf("%s is not missing", e.Missing)
					}
				}
				if s := strings.Join(got, ", "); s != tc.want {
					t.Errorf("expanded %q, want %q", s, tc.want)
				}
				if (len(r.Candidates) > 0) != (tc.want != "" || tc.text == "database") {
					t.Errorf("found %+v", r.Candidates)
				}
				plain := ask(t, db, x, Query{Text: tc.text, Depth: 10})
				if plain.Expanded != nil || len(plain.Candidates) > 0 && tc.text != "database" {
					t.Errorf("without being asked to: %+v", plain)
				}
			})
		}
	}
	t.Run("tail", check)
	write(t, db, x.Seal)
	t.Run("sealed", check)
}

// TestExpandScores: an expansion weighs less than the word itself, and none counts twice.
func TestExpandScores(t *testing.T) {
	db, x := expandDocs(t)
	score := func(text string) float64 {
		for _, c := range ask(t, db, x, Query{Text: text, Depth: 10, Expand: true}).Candidates {
			if c.ID == 2 {
				return c.BM25
			}
		}
		return 0
	}
	right, wrong := score("database"), score("databse")
	if wrong <= 0 || wrong >= right {
		t.Errorf("the word scores %g, misspelt %g", right, wrong)
	}
	if both := score("database databse detabase"); both != right {
		t.Errorf("the word and its misspellings score %g, the word %g", both, right)
	}
	read(t, db, func(tx *sqlite.Tx) error {
		why, err := x.Explain(tx, Query{Text: "databse connections", Expand: true}, []int64{2})
		if err != nil {
			return err
		}
		if s := why[2]; len(s) != 2 || s[1].Term != "databs→databas" || s[1].DF != 2 {
			t.Errorf("explained as %+v", s)
		}
		return nil
	})
}

// TestExpandHistory: expansions depend on what there is, not on what there was, and an index
// that lives finds the terms that others add.
func TestExpandHistory(t *testing.T) {
	db, x := expandDocs(t)
	qs := []Query{{Text: "databse", Depth: 10, Expand: true}, {Text: "databast", Depth: 10, Expand: true}, {Text: "kuber", Depth: 10, Expand: true}}
	sameAsNew(t, db, "in the tail", x, qs...)
	write(t, db, x.Seal)
	sameAsNew(t, db, "sealed", x, qs...)
	write(t, db, func(tx *sqlite.Tx) error {
		return New(testConfig).Put(tx, Doc{ID: 20, Text: []string{"", "kuberless"}})
	})
	sameAsNew(t, db, "with another in the tail", x, qs...)
	write(t, db, func(tx *sqlite.Tx) error { return New(testConfig).Delete(tx, 1, 2) })
	sameAsNew(t, db, "with dead documents", x, qs...)
	if r := ask(t, db, x, qs[0]); len(r.Expanded) > 0 {
		t.Errorf("expanded to terms that no living document has: %+v", r.Expanded)
	}
	write(t, db, x.Seal)
	sameAsNew(t, db, "sealed again", x, qs...)
	if r := ask(t, db, x, qs[2]); !reflect.DeepEqual(r.Expanded, []Expansion{{"kuber", []string{"kubernet", "kuberless"}}}) {
		t.Errorf("expanded %+v", r.Expanded)
	}
}

// TestExpandMost: of a page that no document has a word of, few words are looked at.
func TestExpandMost(t *testing.T) {
	db, x := expandDocs(t)
	var page strings.Builder
	for _, r := range "bcdfghjklmnp" {
		page.WriteString("kuber" + string(r) + "etz ")
	}
	if r := ask(t, db, x, Query{Text: page.String(), Depth: 10, Expand: true}); len(r.Missing) != 12 || len(r.Expanded) != maxExpanded {
		t.Errorf("%d of %d missing terms are expanded", len(r.Expanded), len(r.Missing))
	}
	write(t, db, func(tx *sqlite.Tx) error {
		for i, end := range []string{"alpha", "beta", "gamma", "delta", "rho", "tau", "tau"} {
			if err := x.Put(tx, Doc{ID: int64(100 + i), Text: []string{"", "zyklo" + end}}); err != nil {
				return err
			}
		}
		return nil
	})
	r := ask(t, db, x, Query{Text: "zyklo", Depth: 10, Expand: true})
	if want := []string{"zyklotau", "zyklorho", "zyklobeta", "zykloalpha", "zyklodelta"}; len(r.Expanded) != 1 || !slices.Equal(r.Expanded[0].Terms, want) {
		t.Errorf("%+v, want %q", r.Expanded, want)
	}
}

func TestExpandMissingBlock(t *testing.T) {
	db, x := expandDocs(t)
	write(t, db, x.Seal)
	write(t, db, func(tx *sqlite.Tx) error { return x.exec(tx, `DELETE FROM @_blocks`) })
	err := db.Read(t.Context(), func(tx *sqlite.Tx) error {
		v, done, err := x.viewOf(tx)
		if err != nil {
			return err
		}
		defer done()
		_, err = new(vocabulary).termsWith(tx, "d", v.segs)
		return err
	})
	if !errors.Is(err, ErrCorrupt) {
		t.Error(err)
	}
}

func TestDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want [2]int // at most 1, at most 2
	}{
		{"database", "database", [2]int{0, 0}},
		{"databse", "database", [2]int{1, 1}},
		{"dtaabase", "database", [2]int{1, 1}},
		{"dtaabsae", "database", [2]int{2, 2}},
		{"dabatase", "database", [2]int{2, 2}},
		{"satabasx", "database", [2]int{2, 2}},
		{"dbs", "database", [2]int{2, 3}},
		{"ca", "abc", [2]int{2, 3}}, // swapped, and then a letter between
		{"", "a", [2]int{1, 1}},
		{"", "", [2]int{0, 0}},
		{"дверь", "двреь", [2]int{1, 1}},
	} {
		for i, want := range tc.want {
			for _, p := range [][2]string{{tc.a, tc.b}, {tc.b, tc.a}} {
				if got := distance([]rune(p[0]), []rune(p[1]), i+1); min(got, i+2) != want {
					t.Errorf("from %q to %q, at most %d: %d, want %d", p[0], p[1], i+1, got, want)
				}
			}
		}
	}
}
