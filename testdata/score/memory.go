package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blackboard/board/sqlite"
	"blackboard/board/words"
	"blackboard/embed"
	"blackboard/kb/memory"
)

// Ways to ask a memory, in the order in which RunMemory reports them.
const (
	ModePlain = "fts5"   // plain full text of SQLite with its porter stemmer: the yardstick
	ModeFresh = "fresh"  // as a memory answers, all items put and asked for just now
	ModeAged  = "aged"   // the same, with the ages, importances and accesses of the set
	ModeTidy  = "tidied" // the same, after a pass of consolidation
)

// Metadata is the metadata of a document in a memory's set, in BEIR's field for it.
type Metadata struct {
	Tier       string   `json:"tier"`    // "" is workspace
	Channel    string   `json:"channel"` // of the channel tier
	Importance *float64 `json:"importance"`
	AgeDays    float64  `json:"age_days"` // since it was put
	Accesses   int      `json:"accesses"` // how often it was asked for
	// since it was asked for last; null: since it was put
	AccessedDays *float64 `json:"accessed_days"`
	Tags         []string `json:"tags"`
}

// MemoryMetrics are means over a set's questions.
type MemoryMetrics struct {
	Mode  string  `json:"mode"`  // fts5, fresh or aged
	Model string  `json:"model"` // "" by words alone
	Hit1  float64 `json:"hit_1"` // share of the questions whose first answer is right
	Hit3  float64 `json:"hit_3"`
	Hit10 float64 `json:"hit_10"`
	// Right is the rank of the first right answer to each question, 0 if it is not
	// among ten.
	Right map[string]int `json:"right"`
}

// MemoryReport is the result of RunMemory.
type MemoryReport struct {
	Set     string          `json:"set"`
	Items   int             `json:"items"` // items of the set
	Queries int             `json:"queries"`
	Modes   []MemoryMetrics `json:"modes"`
}

// RunMemory puts a set's documents into a separate memory and asks its questions of all
// tiers together: by words, and with the model if there is one. It does so with every
// item fresh, with the ages and accesses of the set, and after a tidy-up. For
// comparison it also asks plain FTS5.
func RunMemory(ctx context.Context, set *Set, emb embed.Embedder) (*MemoryReport, error) {
	docs, err := readMetadata(set)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "board-score-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	r := &MemoryReport{Set: set.Name, Items: len(set.Docs), Queries: len(set.Queries)}
	plain, err := newFullText(ctx, filepath.Join(dir, "fts.sqlite3"), docs)
	if err != nil {
		return nil, err
	}
	defer plain.db.Close()
	if err := r.measure(ctx, set, MemoryMetrics{Mode: ModePlain}, plain.ask); err != nil {
		return nil, err
	}
	embedders := []embed.Embedder{nil}
	if emb != nil {
		embedders = append(embedders, emb)
	}
	for _, mode := range []string{ModeFresh, ModeAged} {
		for i, e := range embedders {
			m := MemoryMetrics{Mode: mode}
			if e != nil {
				m.Model = e.Model().Name
			}
			s, names, err := remember(ctx, filepath.Join(dir, fmt.Sprint(mode, i)),
				docs, e, mode == ModeAged)
			if err != nil {
				return nil, err
			}
			ask := func(ctx context.Context, text string) ([]string,
				error) {
				return askMemory(ctx, s, text, names)
			}
			err = r.measure(ctx, set, m, ask)
			if err == nil && mode == ModeAged {
				m.Mode = ModeTidy
				if _, err = s.Consolidate(ctx, nil); err == nil {
					err = r.measure(ctx, set, m, ask)
				}
			}
			s.Close()
			if err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// remembered is a document of a set as an item.
type remembered struct {
	Doc
	meta Metadata
}

func readMetadata(set *Set) ([]remembered, error) {
	docs := make([]remembered, len(set.Docs))
	for i, d := range set.Docs {
		docs[i].Doc = d
		if len(d.Metadata) == 0 {
			continue
		}
		if err := json.Unmarshal(d.Metadata, &docs[i].meta); err != nil {
			return nil, fmt.Errorf("%s: the metadata of the document %q: %w", set.Name, d.ID, err)
		}
	}
	return docs, nil
}

// measure asks a set's questions of one searcher.
func (r *MemoryReport) measure(ctx context.Context, set *Set, m MemoryMetrics,
	ask func(context.Context, string) ([]string, error)) error {
	m.Right = make(map[string]int, len(set.Queries))
	for _, q := range set.Queries {
		ranked, err := ask(ctx, q.Text)
		if err != nil {
			return err
		}
		ranked = ranked[:min(10, len(ranked))]
		right := 1 + slices.IndexFunc(ranked, func(id string) bool { return q.Relevant[id] > 0 })
		m.Right[q.ID] = right
		for _, at := range []struct {
			most int
			sum  *float64
		}{{1, &m.Hit1}, {3, &m.Hit3}, {10, &m.Hit10}} {
			if right > 0 && right <= at.most {
				*at.sum += 1 / float64(len(set.Queries))
			}
		}
	}
	r.Modes = append(r.Modes, m)
	return nil
}

// remember puts the set's documents into a memory, by the same door as a memory that
// comes from elsewhere, and returns their names by item.
func remember(ctx context.Context, home string, docs []remembered, emb embed.Embedder,
	aged bool) (*memory.Store, map[string]string, error) {
	const workspace = "/eval"
	s, err := memory.Open(home, memory.Options{Workspace: workspace, Author: true,
		Embedder: emb})
	if err != nil {
		return nil, nil, err
	}
	doc, names := exported(docs, workspace, aged, time.Now())
	in, err := s.Import(ctx, bytes.NewReader(doc), memory.ImportOptions{Force: true})
	if err == nil && len(in.Refused) > 0 {
		err = fmt.Errorf("%d of its %d documents are not valid memory items, the first: %s",
			len(in.Refused), len(docs), in.Refused[0].Reason)
	}
	if err == nil && emb != nil {
		_, err = s.Reembed(ctx, 0, nil)
	}
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	return s, names, nil
}

// askMemory lists what all tiers answer, the best first.
func askMemory(ctx context.Context, s *memory.Store, text string,
	names map[string]string) ([]string, error) {
	res, err := s.Read(ctx, memory.Query{Tiers: []string{memory.Channel, memory.Workspace,
		memory.Account}, Text: text, Limit: 20, Untouched: true})
	if err != nil {
		return nil, err
	}
	var hits []memory.Hit
	for _, slice := range res.Slices {
		hits = append(hits, slice.Hits...)
	}
	slices.SortStableFunc(hits, func(a, b memory.Hit) int { return cmp.Compare(b.Score, a.Score) })
	ranked := make([]string, len(hits))
	for i := range hits {
		ranked[i] = names[hits[i].ID]
	}
	return ranked, nil
}

// fullText answers by plain FTS5.
type fullText struct{ db *sqlite.DB }

func newFullText(ctx context.Context, path string, docs []remembered) (fullText, error) {
	schema := sqlite.Schema{Name: "a full text index", ApplicationID: 0x626d6531,
		Migrations: []string{
			`CREATE VIRTUAL TABLE docs USING fts5(id UNINDEXED, title, text, tags, tokenize = 'porter unicode61')`}}
	db, err := sqlite.Open(ctx, path, schema, sqlite.Create)
	if err != nil {
		return fullText{}, err
	}
	err = db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, d := range docs {
			if _, err := tx.Exec(`INSERT INTO docs VALUES (?, ?, ?, ?)`, d.ID, d.Title, d.Text,
				strings.Join(d.meta.Tags, " ")); err != nil {
				return err
			}
		}
		return nil
	})
	return fullText{db}, err
}

// ask finds what has any of the words, by FTS5's own BM25.
func (f fullText) ask(ctx context.Context, text string) (ranked []string, err error) {
	all := words.Split(text, "")
	for i, w := range all {
		all[i] = `"` + w + `"`
	}
	err = f.db.Read(ctx, func(tx *sqlite.Tx) (err error) {
		ranked, err = sqlite.Column[string](tx,
			`SELECT id FROM docs WHERE docs MATCH ? ORDER BY rank LIMIT 10`,
			strings.Join(all, " OR "))
		return err
	})
	return ranked, err
}

// exported is the set in the form in which a memory exports itself.
func exported(docs []remembered, workspace string, aged bool, now time.Time) (doc []byte,
	names map[string]string) {
	names = make(map[string]string, len(docs))
	channels, items := []any{}, []any{}
	made := map[string]bool{}
	for i, d := range docs {
		id := fmt.Sprintf("m%09d", i)
		names[id] = d.ID
		m := d.meta
		ago := func(days float64) time.Time {
			return now.Add(-time.Duration(days * 24 * float64(time.Hour)))
		}
		it := map[string]any{"id": id, "tier": cmp.Or(m.Tier, memory.Workspace),
			"channel": m.Channel, "title": d.Title,
			"content": d.Text, "tags": m.Tags, "importance": .5, "lifetime": memory.ShortTerm,
			"created": now, "accessed": now}
		if m.Channel != "" && !made[m.Channel] {
			made[m.Channel] = true
			channels = append(channels, map[string]any{"name": m.Channel, "created": now})
		}
		if aged {
			it["created"], it["accessed"], it["access_count"] = ago(m.AgeDays),
				ago(m.AgeDays), m.Accesses
			if m.Importance != nil {
				it["importance"] = *m.Importance
			}
			if m.AccessedDays != nil {
				it["accessed"] = ago(*m.AccessedDays)
			}
		}
		items = append(items, it)
	}
	doc, err := json.Marshal(map[string]any{"schema_version": memory.ExportVersion,
		"workspace": workspace, "exported_at": now,
		"channels": channels, "items": items})
	if err != nil {
		panic(err) // of strings, numbers and times
	}
	return doc, names
}
