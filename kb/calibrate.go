package kb

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"

	"blackboard/board/sqlite"
	embedding "blackboard/embed"
	"blackboard/kb/evidence"
	"blackboard/kb/index"
)

// calibrationSets have capsules, prompts that one or two of them help with, and prompts
// that none does. Each was written before any of it was searched, and is a knowledge base
// of its own.
//
//go:embed calibration/*.jsonl
var calibrationSets embed.FS

// Classes of prompts that nothing helps with, and the share of each that a threshold
// keeps unanswered.
var keptUnanswered = map[string]float64{
	"off":       0.95, // about something else
	"vague":     0.95, // about nothing: "make it faster"
	"technical": 0.90, // about something near that nobody has learned
}

const (
	// ownTitles is how many titles of the knowledge base itself are asked for at most.
	ownTitles = 100
	// ownRaise is by how much the knowledge base itself raises a threshold at most: what
	// is off topic for others may be its topic.
	ownRaise = 0.1
)

// Calibration is how well a threshold tells prompts that the knowledge base helps with
// from others.
type Calibration struct {
	Model     string  `json:"model"` // "": by words alone
	Dim       int     `json:"dim"`
	Threshold float64 `json:"threshold"` // of Hit.Evidence among as many capsules as this knowledge base has; it rises with their number
	Kept      float64 `json:"kept"`      // share of the on-topic prompts that get something right
	Rejected  float64 `json:"rejected"`  // share of the off-topic prompts that get nothing
	OnTopic   int     `json:"on_topic"`
	OffTopic  int     `json:"off_topic"`
	// Of the knowledge base itself.
	Titles      int     `json:"titles"`       // of its capsules that were asked for
	TitlesFound float64 `json:"titles_found"` // share of them that got their capsule

	one float64 // the threshold for one capsule
}

// calibrationLine is a line of a set: a capsule, or a prompt with the capsules that help.
// A class goes with prompts that none helps with; "" is "off".
type calibrationLine struct {
	Capsule, Kind, Title, Body string
	Prompt, Class, Text        string
	Relevant                   []string
}

// calibrationSet is a knowledge base and its prompts; own are prompts that capsules of
// the knowledge base at hand help with, by their ids.
type calibrationSet struct {
	capsules, prompts, own []calibrationLine
}

func readCalibration(r io.Reader) (set calibrationSet, err error) {
	known := map[string]bool{}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<20)
	for n := 1; sc.Scan(); n++ {
		if len(bytes.TrimSpace(sc.Bytes())) == 0 {
			continue
		}
		var l calibrationLine
		err := json.Unmarshal(sc.Bytes(), &l)
		switch {
		case err != nil:
		case l.Capsule != "":
			known[l.Capsule] = true
			set.capsules = append(set.capsules, l)
		case l.Prompt == "" || l.Text == "":
			err = fmt.Errorf("it is neither a capsule nor a prompt with a text")
		case len(l.Relevant) > 0 && !slices.ContainsFunc(l.Relevant, func(id string) bool { return known[id] || CheckID(id) != nil }):
			set.own = append(set.own, l)
		default:
			for _, id := range l.Relevant {
				if !known[id] {
					err = fmt.Errorf("there is no capsule %q before it", clip(id, 40))
				}
			}
			if _, ok := keptUnanswered[l.Class]; !ok && len(l.Relevant) == 0 {
				l.Class = "off"
			}
			set.prompts = append(set.prompts, l)
		}
		if err != nil {
			return set, invalid(fmt.Sprintf("line %d of the calibration set: %v", n, err), `lines are {"capsule","kind","title","body"} or {"prompt","text","relevant":[…]}`)
		}
	}
	return set, sc.Err()
}

// CheckCalibrationSet says what is wrong with a set, before anything is done for it.
func CheckCalibrationSet(set io.Reader) error {
	_, err := readCalibration(set)
	return err
}

// ownSets are the sets that come with the program.
func ownSets() (sets []calibrationSet, err error) {
	files, err := fs.Glob(calibrationSets, "calibration/*.jsonl")
	for _, name := range files {
		data, err := calibrationSets.ReadFile(name)
		if err != nil {
			return nil, err
		}
		set, err := readCalibration(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		sets = append(sets, set)
	}
	return sets, err
}

// Calibrate measures from which evidence on a prompt may be answered unasked, with the
// model at hand and with words alone, and stores both thresholds. It measures on the
// given set, or with nil on those that come with the program; and on this knowledge base:
// its own titles should be found, prompts about something else not.
func (k *KB) Calibrate(ctx context.Context, set io.Reader) ([]Calibration, error) {
	sets, err := ownSets()
	if set != nil {
		sets = make([]calibrationSet, 1)
		sets[0], err = readCalibration(set)
	}
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
		for _, set := range sets {
			if err := m.set(ctx, set); err != nil {
				return nil, err
			}
		}
		c, err := m.calibration()
		if err != nil {
			return nil, err
		}
		if err := m.own(ctx, k, sets, &c); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, k.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, c := range all {
			if _, err := tx.Exec(`INSERT OR REPLACE INTO thresholds VALUES (?, ?, ?, ?, ?, ?)`, c.Model, c.Dim, c.one, c.Kept, c.Rejected, tx.Now.UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
}

// measuring gathers evidence, as it would be among one capsule.
type measuring struct {
	emb   embedding.Embedder // nil: by words
	least float64            // the threshold so far
	on    int
	right []float64 // of the prompts that get something right, if they get something
	off   []float64
}

// set measures on a set's own knowledge base.
func (m *measuring) set(ctx context.Context, set calibrationSet) error {
	if len(set.capsules) == 0 {
		return nil
	}
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
		if slices.ContainsFunc(hits, func(h Hit) bool { return slices.Contains(p.Relevant, names[h.ID]) }) {
			m.right = append(m.right, evidence)
		}
	}
	m.least = max(m.least, rejecting(classes))
	return nil
}

// measured returns what a prompt would be given if everything were enough, and the
// evidence for it as it would be among one capsule.
func (k *KB) measured(ctx context.Context, text string, emb embedding.Embedder) ([]Hit, float64, error) {
	q := Query{Text: text, Limit: RecallLimit, Floor: RecallFloor, NoDocs: true, Gate: true, Measuring: true, calibrating: true}
	if emb == nil {
		q.Mode = ModeBM25
	}
	res, err := k.Search(ctx, q)
	if err != nil || len(res.Hits) == 0 {
		return nil, 0, err
	}
	return res.Hits, res.Evidence - res.Threshold, nil // the threshold is what their number asks for
}

// open makes the set's knowledge base, for as long as it is measured, and tells which
// capsule of the set each is.
func (s *calibrationSet) open(ctx context.Context, emb embedding.Embedder) (k *KB, names map[string]string, done func(), err error) {
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

// rejecting is the smallest evidence that keeps the share of each class unanswered that
// it should.
func rejecting(classes map[string][]float64) (least float64) {
	for class, off := range classes {
		slices.Sort(off)
		if at := int(math.Ceil(keptUnanswered[class]*float64(len(off)))) - 1; at >= 0 {
			least = max(least, math.Nextafter(off[at], 2))
		}
	}
	return least
}

// calibration is what the sets come to.
func (m *measuring) calibration() (c Calibration, err error) {
	if m.on == 0 || len(m.off) == 0 {
		return c, invalid("the calibration set has no prompts that something helps with, or none that nothing does", "it needs some dozens of both")
	}
	if m.emb != nil {
		c.Model, c.Dim = m.emb.Model().Name, m.emb.Model().Dim
	}
	c.one, c.OnTopic, c.OffTopic = m.least, m.on, len(m.off)
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
	return c, nil
}

// own measures on the knowledge base at hand: prompts about something else raise the
// threshold, by ownRaise at most, and titles and the set's own prompts should find their
// capsules.
func (m *measuring) own(ctx context.Context, k *KB, sets []calibrationSet, c *Calibration) error {
	var n, total int64
	var ask []calibrationLine
	err := k.db.Read(ctx, func(tx *sqlite.Tx) error {
		const standing = ` FROM capsules WHERE superseded_by = '' AND retired IS NULL AND kind <> 'doc'`
		if err := tx.QueryRow(`SELECT count(*), (SELECT count(*) FROM capsules)`+standing).Scan(&n, &total); err != nil {
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
		ask = append(ask, set.own...)
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
	c.Threshold = evidence.Threshold(c.one, total)
	for _, p := range ask {
		hits, evidence, err := k.measured(ctx, p.Text, m.emb)
		if err != nil {
			return err
		}
		if evidence >= c.one && slices.ContainsFunc(hits, func(h Hit) bool { return slices.Contains(p.Relevant, h.ID) }) {
			c.TitlesFound++
		}
	}
	c.Titles = len(ask)
	c.TitlesFound /= float64(max(1, c.Titles))
	return nil
}

// AmongOne is the threshold in a store of one text.
func (c *Calibration) AmongOne() float64 { return c.one }

// Threshold returns the stored threshold of a model, "" for words alone, and false if it
// was never calibrated; for words alone there is one all the same.
func (k *KB) Threshold(ctx context.Context, model string) (c Calibration, ok bool, err error) {
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		if c, ok, err = threshold(tx, model); err != nil {
			return err
		}
		n, err := sqlite.One[int64](tx, `SELECT count(*) FROM capsules`)
		c.Threshold = evidence.Threshold(c.one, n)
		return err
	})
	return c, ok, err
}

func threshold(tx *sqlite.Tx, model string) (c Calibration, ok bool, err error) {
	c.Model, ok = model, true
	err = tx.QueryRow(`SELECT dim, threshold, kept, rejected FROM thresholds WHERE model = ?`, model).Scan(&c.Dim, &c.one, &c.Kept, &c.Rejected)
	if sqlite.IsNoRows(err) {
		c.one = evidence.WordThreshold // until somebody has measured the model
		ok, err = false, nil
	}
	return c, ok && err == nil, err
}

// Fill stores capsules as they are, without files and unchecked, for a knowledge base
// that is only measured, and gives them ids.
func (k *KB) Fill(ctx context.Context, caps []Capsule) error {
	vs := make([]embedding.Vector, len(caps))
	if k.emb != nil {
		texts := make([]string, len(caps))
		for i := range caps {
			texts[i] = embeddingText(&caps[i])
		}
		var err error
		if vs, err = k.emb.Embed(ctx, texts); err != nil {
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
