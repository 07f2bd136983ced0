package postgres

import (
	"strconv"
	"strings"
	"sync"

	"blackboard/board/sqlite"
	"blackboard/board/store"
)

// engine puts the statements of the boards into the words of PostgreSQL, for one run.
type engine struct {
	place *Place
	run   int64
	conn  *bulkConn
}

// statements are those that were translated, of the boards and of the knowledge base.
// There are some hundreds; those with a list of any length in them are left out.
var statements, kbStatements sync.Map

// Statement writes $1 for ?, and ILIKE for LIKE, which under the collation C ignores ASCII's case
// alone. Arguments true and false become 1 and 0.
func (engine) Statement(query string, args []any) (string, []any) {
	return statement(&statements, translate, query, args)
}

func statement(kept *sync.Map, translate func(string) string, query string, args []any) (string, []any) {
	for i, a := range args {
		if b, is := a.(bool); is {
			args[i] = 0
			if b {
				args[i] = 1
			}
		}
	}
	if known, ok := kept.Load(query); ok {
		return known.(string), args
	}
	text := translate(query)
	const long = 4 << 10
	if len(query) < long && len(args) < 20 {
		kept.Store(query, text)
	}
	return text, args
}

func translate(query string) string {
	var b strings.Builder
	n, quoted := 0, false
	for i := 0; i < len(query); i++ {
		switch c := query[i]; {
		case c == '\'':
			quoted = !quoted
			b.WriteByte(c)
		case c != '?' || quoted:
			b.WriteByte(c)
		case i+1 < len(query) && query[i+1] >= '1' && query[i+1] <= '9': // ?1 is $1 already
			b.WriteByte('$')
		default:
			n++
			b.WriteString("$" + strconv.Itoa(n))
		}
	}
	text := b.String()
	for {
		before, rest, found := strings.Cut(text, " INDEXED BY ") // a hint for SQLite alone
		if !found {
			return strings.ReplaceAll(text, " LIKE ", " ILIKE ")
		}
		_, rest, _ = strings.Cut(rest, " ")
		text = before + " " + rest
	}
}

// HasTable reports true: an older schema is migrated before anything is read.
func (engine) HasTable(*store.Tx, string) (bool, error) { return true, nil }

// Remake empties the tables: only migrations create them.
func (engine) Remake(tx *store.Tx, tables []string, _ string) error {
	for _, table := range tables {
		if _, err := tx.Exec(`DELETE FROM ` + table); err != nil {
			return err
		}
	}
	return nil
}

// Bulk sends fn's rows some hundred at a time, and counts them once, at the end.
func (e engine) Bulk(tx *store.Tx, fn func() error) error {
	if _, err := tx.Exec(`SELECT set_config('board.bulk', 'on', true)`); err != nil {
		return err
	}
	e.conn.on = true
	err := fn()
	e.conn.on = false
	if err != nil {
		return err
	}
	_, err = tx.Exec(`SELECT count_again(), set_config('board.bulk', 'off', true)`)
	return err
}

// ofSources is a column of the only source, or of all of several.
func ofSources(column string) string {
	return `CASE sources WHEN '[]' THEN ` + column + ` ELSE (SELECT string_agg(
		json_extract(value, '$.` + column + `'), ' ') FROM json_each(sources)) END`
}

// Match finds the entries in an index of the run that this process keeps in memory: SQLite's,
// so that there are the same hits in the same order. New entries are added to it first.
func (e engine) Match(tx *store.Tx, words string) (store.Hits, error) {
	index, err := e.place.indexOf(e.run)
	if err != nil {
		return store.Hits{}, err
	}
	index.Lock()
	defer index.Unlock()
	var id int64
	var text [5]string
	err = tx.Each([]any{&id, &text[0], &text[1], &text[2], &text[3], &text[4]},
		func() error { return index.Add(id, text) },
		`SELECT id, content, `+ofSources("evidence")+`, `+ofSources("source_doc")+`, source_ref, tags
			FROM entries WHERE id > ? ORDER BY id`, index.Last())
	if err != nil {
		return store.Hits{}, err
	}
	ids, err := index.Match(words)
	if err != nil {
		return store.Hits{}, err
	}
	list := make([]byte, 0, 8*len(ids))
	for i, id := range ids {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, id, 10)
	}
	return store.Hits{
		From: `unnest(string_to_array(?, ',')::bigint[]) WITH ORDINALITY f(rowid, place)
			JOIN entries e ON e.id = f.rowid`,
		Args: []any{string(list)},
		Best: `f.place`,
	}, nil
}

// maxIndexes is the number of runs whose words are kept in memory.
const maxIndexes = 4

// index is the full-text index of one run, in memory.
type index struct {
	sync.Mutex
	*sqlite.Words
	used int64 // the value of Place.asked at its last use
}

func (p *Place) indexOf(run int64) (*index, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	x := p.indexes[run]
	if x == nil {
		words, err := sqlite.NewWords()
		if err != nil {
			return nil, err
		}
		x = &index{Words: words}
		p.indexes[run] = x
		for len(p.indexes) > maxIndexes {
			oldest := run
			for other, y := range p.indexes {
				if other != run && (oldest == run || y.used < p.indexes[oldest].used) {
					oldest = other
				}
			}
			delete(p.indexes, oldest) // whoever uses it still does; the collector closes it
		}
	}
	x.used = p.asked
	return x, nil
}
