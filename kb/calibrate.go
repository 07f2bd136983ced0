package kb

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"

	"blackboard/board/sqlite"
	embedding "blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/rank"
	"blackboard/kb/store"
)

// calibrationSets have capsules, prompts that one or two of them help with, and prompts
// that none does. Each was written before any of it was searched, and is a knowledge
// base of its own.
//
//go:embed calibration/*.jsonl
var calibrationSets embed.FS

// keptUnanswered is the share of irrelevant prompts, by class, that a threshold must
// leave unanswered.
var keptUnanswered = map[string]float64{
	"off":       0.95, // about another subject
	"vague":     0.95, // without a subject: "make it faster"
	"technical": 0.90, // about a related subject that no capsule covers
}

const (
	// ownTitles is the most titles of this knowledge base that are used as prompts.
	ownTitles = 100
	// ownRaise is the most that this knowledge base raises a threshold: a prompt that is
	// off topic elsewhere may be on topic here.
	ownRaise = 0.1
)

// Calibration is a threshold of evidence, and how well it separates prompts that the
// knowledge base can answer from others.
type Calibration struct {
	Model string `json:"model"` // "": words only
	Dim   int    `json:"dim"`
	// the least evidence of an answer in a knowledge base of this size
	Threshold float64 `json:"threshold"`
	// What was measured: on this knowledge base if the program knows the model and has
	// prompts for it, else on the sets.
	Kept     float64 `json:"kept"`      // share of the on-topic prompts that get a right capsule
	Rejected float64 `json:"rejected"`  // share of the off-topic prompts that get no answer
	OnTopic  int     `json:"on_topic"`  // prompts with an answer
	OffTopic int     `json:"off_topic"` // prompts without an answer
	// Measured on this knowledge base.
	Titles      int     `json:"titles"`       // titles of its capsules used as prompts
	TitlesFound float64 `json:"titles_found"` // share of them that found their capsule

	one float64 // the threshold in a knowledge base of one capsule
}

// calibrationLine is a line of a set: a capsule, or a prompt with the capsules that
// answer it. Class is for prompts without an answer; "" means "off".
type calibrationLine struct {
	Capsule, Kind, Title, Body string
	Prompt, Class, Text        string
	Relevant                   []string
}

// calibrationSet is a knowledge base and its prompts.
type calibrationSet struct {
	capsules, prompts []calibrationLine
}

// ownSets returns the sets that are built into the program.
func ownSets() (sets []calibrationSet, err error) {
	files, err := fs.Glob(calibrationSets, "calibration/*.jsonl")
	for _, name := range files {
		data, err := calibrationSets.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var set calibrationSet
		for in := json.NewDecoder(bytes.NewReader(data)); in.More(); {
			var l calibrationLine
			if err := in.Decode(&l); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if l.Capsule != "" {
				set.capsules = append(set.capsules, l)
			} else {
				l.Class = cmp.Or(l.Class, "off")
				set.prompts = append(set.prompts, l)
			}
		}
		sets = append(sets, set)
	}
	return sets, err
}

// Calibrate measures the evidence from which a prompt may be answered unasked, for the
// current model and for words only, on the built-in sets, and stores both thresholds. Of
// words and of the models that the program knows it has thresholds (rank.Scale), and
// measures only on this knowledge base: its own titles should be found, and prompts about
// other subjects should not be answered.
func (k *KB) Calibrate(ctx context.Context) ([]Calibration, error) {
	sets, err := ownSets()
	if err != nil {
		return nil, err
	}
	embedders := []embedding.Embedder{nil}
	if k.emb != nil {
		embedders = []embedding.Embedder{k.emb, nil}
	}
	var all []Calibration
	for _, emb := range embedders {
		m := measuring{emb: emb}
		if emb != nil {
			m.model = emb.Model()
		}
		m.least = rank.ScaleOf(m.model.Name).Unasked
		if m.least == 0 {
			for _, set := range sets {
				if err := m.set(ctx, set); err != nil {
					return nil, err
				}
			}
		}
		c := m.calibration()
		if err := m.own(ctx, k, sets, &c); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, k.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, c := range all {
			if _, err := tx.Exec(`INSERT INTO thresholds VALUES (?, ?, ?, ?, ?, ?)
				ON CONFLICT (model) DO UPDATE
				SET dim = excluded.dim, threshold = excluded.threshold, kept = excluded.kept,
				rejected = excluded.rejected,
				measured = excluded.measured`, c.Model, c.Dim, c.one, c.Kept, c.Rejected, tx.Now.UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
}

// measuring collects evidence, scaled to a knowledge base of one capsule.
type measuring struct {
	emb      embedding.Embedder // nil: words only
	model    embedding.Model
	least    float64 // the threshold so far
	measured bool    // on the sets
	on       int
	right    []float64 // evidence of the prompts whose hits include a right capsule
	off      []float64
}

// set measures on a set's own knowledge base.
func (m *measuring) set(ctx context.Context, set calibrationSet) error {
	m.measured = true
	k, names, done, err := set.open(ctx, m.emb)
	if err != nil {
		return err
	}
	defer done()
	classes := map[string][]float64{}
	for _, p := range set.prompts {
		hits, evidence, err := k.measured(ctx, p.Text, m.emb)
		if err != nil {
			return err
		}
		if len(p.Relevant) == 0 {
			classes[p.Class] = append(classes[p.Class], evidence)
			m.off = append(m.off, evidence)
			continue
		}
		m.on++
		if slices.ContainsFunc(hits,
			func(h Hit) bool { return slices.Contains(p.Relevant, names[h.ID]) }) {
			m.right = append(m.right, evidence)
		}
	}
	m.least = max(m.least, rejecting(classes))
	return nil
}

// measured returns the hits of a prompt without a threshold, and its evidence scaled to
// a knowledge base of one capsule.
func (k *KB) measured(ctx context.Context, text string, emb embedding.Embedder) (
	[]Hit, float64, error) {
	q := Query{Text: text, Limit: RecallLimit, Floor: RecallFloor, NoDocs: true, Gate: true,
		Measuring: true, calibrating: true}
	if emb == nil {
		q.Mode = ModeBM25
	}
	res, err := k.Search(ctx, q)
	if err != nil || len(res.Hits) == 0 {
		return nil, 0, err
	}
	return res.Hits, res.amongOne, nil
}

// open creates a temporary knowledge base of the set's capsules and maps their ids to
// their names in the set.
func (s *calibrationSet) open(ctx context.Context, emb embedding.Embedder) (
	k *KB, names map[string]string, done func(), err error) {
	caps := make([]Capsule, len(s.capsules))
	for i, l := range s.capsules {
		caps[i] = Capsule{Kind: l.Kind, Scope: "universal", Title: l.Title, Body: l.Body}
		if err := caps[i].Normalise(); err != nil {
			return nil, nil, nil, err
		}
	}
	dir, err := os.MkdirTemp("", "board-calibrate-*")
	if err != nil {
		return nil, nil, nil, err
	}
	done = func() { os.RemoveAll(dir) }
	if k, err = Open(ctx, dir, Options{Embedder: emb}); err == nil {
		done = func() { k.Close(); os.RemoveAll(dir) }
		err = k.Fill(ctx, caps)
	}
	if err != nil {
		done()
		return nil, nil, nil, err
	}
	names = map[string]string{}
	for i := range caps {
		names[caps[i].ID] = s.capsules[i].Capsule
	}
	return k, names, done, nil
}

// rejecting returns the least threshold that leaves the required share of each class
// unanswered.
func rejecting(classes map[string][]float64) (least float64) {
	for class, off := range classes {
		slices.Sort(off)
		if at := int(math.Ceil(keptUnanswered[class]*float64(len(off)))) - 1; at >= 0 {
			least = max(least, math.Nextafter(off[at], 2))
		}
	}
	return least
}

// calibration returns the result over all sets.
func (m *measuring) calibration() (c Calibration) {
	c.Model, c.Dim, c.one = m.model.Name, m.model.Dim, m.least
	if !m.measured {
		return c
	}
	c.OnTopic, c.OffTopic = m.on, len(m.off)
	share := func(list []float64, of int) float64 {
		n := 0
		for _, e := range list {
			if e >= c.one {
				n++
			}
		}
		return float64(n) / float64(of)
	}
	c.Kept, c.Rejected = share(m.right, m.on), 1-share(m.off, len(m.off))
	return c
}

// own measures on the knowledge base at hand. Prompts about other subjects raise the
// threshold, by ownRaise at most. Titles should find their capsules.
func (m *measuring) own(ctx context.Context, k *KB, sets []calibrationSet, c *Calibration) error {
	var n, total int64
	var ask []calibrationLine
	err := k.db.Read(ctx, func(tx *sqlite.Tx) error {
		const standing = ` FROM capsules WHERE superseded_by = '' AND retired IS NULL
			AND kind <> 'doc'`
		if err := tx.QueryRow(`SELECT count(*), (SELECT count(*) FROM capsules)`+standing).Scan(
			&n, &total); err != nil {
			return err
		}
		var id, title string
		return tx.Each([]any{&id, &title}, func() error {
			ask = append(ask, calibrationLine{Text: title, Relevant: []string{id}})
			return nil
		}, `SELECT id, title`+standing+` ORDER BY n % 97, n LIMIT ?`, ownTitles)
	})
	if err != nil || n == 0 {
		c.Threshold = c.one
		return err
	}
	classes := map[string][]float64{}
	for _, set := range sets {
		for _, p := range set.prompts {
			if len(p.Relevant) > 0 || p.Class == "technical" {
				continue
			}
			_, evidence, err := k.measured(ctx, p.Text, m.emb)
			if err != nil {
				return err
			}
			classes[p.Class] = append(classes[p.Class], evidence)
		}
	}
	c.one = max(c.one, min(c.one+ownRaise, rejecting(classes)))
	c.Threshold = rank.Threshold(c.one, total)
	if !m.measured {
		for _, off := range classes {
			c.OffTopic += len(off)
			for _, e := range off {
				if e < c.one {
					c.Rejected++
				}
			}
		}
		c.Rejected /= float64(max(1, c.OffTopic))
	}
	for _, p := range ask {
		hits, evidence, err := k.measured(ctx, p.Text, m.emb)
		if err != nil {
			return err
		}
		if evidence >= c.one && slices.ContainsFunc(
			hits, func(h Hit) bool { return slices.Contains(p.Relevant, h.ID) }) {
			c.TitlesFound++
		}
	}
	c.Titles = len(ask)
	c.TitlesFound /= float64(max(1, c.Titles))
	return nil
}

// AmongOne returns the threshold in a store of one text.
func (c *Calibration) AmongOne() float64 { return c.one }

// Threshold returns the threshold of a model ("": words only): the stored one, or the one
// that the program knows; false if there is none.
func (k *KB) Threshold(ctx context.Context, model string) (c Calibration, ok bool, err error) {
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		if c, ok, err = threshold(tx, model); err != nil {
			return err
		}
		n, err := sqlite.One[int64](tx, `SELECT count(*) FROM capsules`)
		c.Threshold = rank.Threshold(c.one, n)
		return err
	})
	return c, ok, err
}

func threshold(tx *sqlite.Tx, model string) (c Calibration, ok bool, err error) {
	c.Model, ok = model, true
	q := askThreshold(model)
	err = tx.QueryRow(q.Query, q.Args...).Scan(&c.Dim, &c.one, &c.Kept, &c.Rejected)
	if sqlite.IsNoRows(err) {
		c.one = rank.ScaleOf(model).Unasked
		ok, err = c.one > 0, nil
	}
	return c, ok && err == nil, err
}

// askThreshold asks for the threshold of a model.
func askThreshold(model string) sqlite.Question {
	return sqlite.Question{Query: `SELECT dim, threshold, kept, rejected FROM thresholds
		WHERE model = ?`, Args: []any{model}}
}

// Fill stores capsules as they are, without files and without checks, and gives them
// ids. It is for a knowledge base that is only measured.
func (k *KB) Fill(ctx context.Context, caps []Capsule) error {
	vs := make([]embedding.Vector, len(caps))
	if k.emb != nil {
		texts := make([]string, len(caps))
		for i := range caps {
			texts[i] = embeddingText(&caps[i])
		}
		var err error
		if vs, err = store.Vectors(ctx, k.emb, texts); err != nil {
			return err
		}
	}
	return k.db.Write(ctx, func(tx *sqlite.Tx) error {
		if k.emb != nil {
			if err := k.index.SetModel(tx, k.emb.Model()); err != nil {
				return err
			}
		}
		docs := make([]index.Doc, len(caps))
		for i := range caps {
			c := &caps[i]
			c.ID, c.Created, c.Updated = newID(), tx.Now, tx.Now
			if vs[i] != nil {
				c.Model, c.Dim = k.emb.Model().Name, len(vs[i])
			}
			if err := insertRow(tx, c); err != nil {
				return err
			}
			docs[i] = document(c, vs[i])
		}
		return k.index.Put(tx, docs...)
	})
}
