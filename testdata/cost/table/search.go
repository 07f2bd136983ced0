//go:build linux

package main

import (
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the driver

	"blackboard/kb"
)

// searches are the first search of a process in bases of two sizes, in process and as a
// command, beside FTS5 in the SQLite that the program has.
func (b *bench) searches() error {
	for _, n := range []int{200, 10_000} {
		if err := b.searchesIn(n); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) searchesIn(n int) error {
	home, err := b.home(fmt.Sprint("kb", n))
	if err != nil {
		return err
	}
	file := filepath.Join(b.dir, fmt.Sprintf("fts%d.db", n))
	if err := fillFTS(file, n); err != nil {
		return err
	}
	capsules := filepath.Join(b.dir, "capsules.jsonl")
	if err := writeCapsules(capsules, n); err != nil {
		return err
	}
	c := call{exe: b.boards[0], home: home}
	if err := b.do(c, []string{"kb", "import", capsules, "--apply"}); err != nil {
		return err
	}
	floor, aim, asked := fmt.Sprintf("FTS5 cold, %d capsules", n), 2.0, 0
	b.add(floor, "", 0, func() (cost, error) {
		return inProcess(func() error { return searchFTS(file, asked) })
	})
	if n > 1000 {
		aim = 1.5
	}
	b.add(fmt.Sprintf("kb search cold, %d capsules", n), floor, aim, func() (cost, error) {
		asked++
		return inProcess(func() error { return b.searchKB(home, asked) })
	})
	b.add(fmt.Sprintf("board kb search, %d capsules", n), "hello", 5, func() (cost, error) {
		return b.process(c, "kb", "search", question(asked))
	})
	return nil
}

func (b *bench) searchKB(home string, i int) error {
	k, err := kb.OpenExisting(b.ctx, home, kb.Options{})
	if err != nil {
		return err
	}
	defer k.Close()
	r, err := k.Search(b.ctx, kb.Query{Text: question(i)})
	if err == nil && len(r.Hits) == 0 {
		err = fmt.Errorf("nothing is found for %q", question(i))
	}
	return err
}

func fillFTS(file string, n int) error {
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec(`CREATE VIRTUAL TABLE capsules USING fts5(title, body)`); err != nil {
		return err
	}
	for i := range n {
		if _, err := tx.Exec(`INSERT INTO capsules VALUES(?,?)`, title(i), text(i)); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// searchFTS opens the database, reads the ten best and closes it.
func searchFTS(file string, i int) error {
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return err
	}
	defer db.Close()
	words := strings.Join(strings.Fields(question(i)), " OR ")
	rows, err := db.Query(`SELECT title, body FROM capsules WHERE capsules MATCH ? ORDER BY rank
		LIMIT 10`, words)
	if err != nil {
		return err
	}
	defer rows.Close()
	found := 0
	for ; rows.Next(); found++ {
		var title, body string
		if err := rows.Scan(&title, &body); err != nil {
			return err
		}
	}
	if found == 0 {
		return fmt.Errorf("nothing is found for %q", words)
	}
	return rows.Err()
}

// writeCapsules writes what kb import reads.
func writeCapsules(file string, n int) error {
	var s strings.Builder
	s.WriteString(`{"v":1,"schema":"blackboard.capsules"}` + "\n")
	for i := range n {
		fmt.Fprintf(&s, `{"kind":"fact","scope":"universal","title":"%s","body":"%s"}`+"\n", title(i),
			text(i))
	}
	return os.WriteFile(file, []byte(s.String()), 0o600)
}

func title(i int) string { return fmt.Sprintf("The %s of the service %d", word(i), i) }

// vocabulary is how many words there are. The first is about every eleventh of a text, and
// the rare ones never end, as in a language (Zipf's law): words that came round again made
// two texts of many the same, and what compares texts looked slower the more there were.
const vocabulary = 60_000

// text has 60 words.
func text(i int) string {
	from := rand.New(rand.NewPCG(uint64(i), vocabulary))
	words := make([]string, 60)
	for j := range words {
		words[j] = word(int(math.Pow(vocabulary, from.Float64())) - 1)
	}
	return strings.Join(words, " ")
}

// word is the word of a rank from 0, a frequent one short.
func word(rank int) string {
	const syllables = "barolumitekanosepidufoge"
	w := ""
	for n := rank + 12; n > 0; n /= 12 {
		w += syllables[n%12*2 : n%12*2+2]
	}
	return w
}

// question is three words of a capsule.
func question(i int) string { return strings.Join(strings.Fields(text(i % 200))[7:10], " ") }
