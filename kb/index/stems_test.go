package index

import (
	"math"
	"testing"

	"blackboard/board/sqlite"
)

// TestStems: among documents in several languages a question finds other forms of its words in
// its own, or in any if it says too little to tell; explained scores add up; and where all is
// English nothing else is looked for.
func TestStems(t *testing.T) {
	db := openDB(t)
	x := newIndex(t, db, testConfig)
	texts := []string{
		"The server refuses connections at night",
		"Servern nekar anslutningen på natten, och vi vet inte varför det är så",
		"Anslutningar till flyget går från spår nio och är inte dyra",
		"La copia de seguridad no se restaura porque el archivo estaba cifrado con una clave",
		"Резервная копия не восстанавливается",
		"`PaymentMapper` traduce el código y lo manda con su clave en la cola",
	}
	put := func(n int) {
		write(t, db, func(tx *sqlite.Tx) error {
			for i := range n {
				if err := x.Put(tx, Doc{ID: int64(i + 1), Text: []string{"", texts[i]}}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	put(1)
	if r := ask(t, db, x, Query{Text: "connections", Depth: 5}); r.Languages != 0 || len(r.Candidates) != 1 {
		t.Errorf("all is English: %+v", r)
	}
	put(len(texts))
	check := func(t *testing.T) {
		for _, c := range []struct {
			text string
			want int64
		}{
			{"server connection", 1},
			{"nekade anslutningarna", 2},
			{"restaurando copias de seguridad", 4},
			{"seguridd", 4}, // mistyped
			{"восстановить резервную копию", 5},
			{"paymentmapper", 6},
			{"payment", 6},
		} {
			q := Query{Text: c.text, Depth: 5, Expand: true}
			r := ask(t, db, x, q)
			got := ranked(r, byText)
			if len(got) == 0 || got[0] != c.want {
				t.Errorf("%q finds %v, want %d: %+v", c.text, got, c.want, r)
				continue
			}
			for _, cand := range r.Candidates {
				var why map[int64][]TermScore
				read(t, db, func(tx *sqlite.Tx) (err error) {
					why, err = x.Explain(tx, q, []int64{cand.ID})
					return err
				})
				sum := 0.0
				for _, s := range why[cand.ID] {
					sum += s.Score
				}
				if math.Abs(sum-cand.BM25) > 1e-3 {
					t.Errorf("%q: document %d has %.4f, explained as %.4f: %+v", c.text, cand.ID, cand.BM25, sum, why)
				}
			}
		}
	}
	t.Run("tail", check)
	write(t, db, x.Seal)
	t.Run("sealed", check)
}
