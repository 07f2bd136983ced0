package kb

import (
	"context"
	_ "embed"
	"math"
	"slices"
	"strings"
	"sync"

	"blackboard/board/sqlite"
	"blackboard/kb/rank"
)

// offTopic has prompts that no knowledge base answers, each behind its class: about other
// subjects, or without a subject ("make it faster").
//
//go:embed calibration.txt
var offTopic string

var offTopicPrompts = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(offTopic) {
		class, text, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all[class] = append(all[class], text)
	}
	return all
})

const (
	// keptUnanswered is the share of each class that a threshold leaves unanswered.
	keptUnanswered = 0.95
	maxTitles      = 100
	// maxRaise is the most that a known threshold is raised here.
	maxRaise = 0.1
	// minMeasured is the least number of titles that measure a threshold of an unknown model.
	minMeasured = 30
)

// Calibration is a threshold of evidence, and how well it separates prompts here.
type Calibration struct {
	Model string `json:"model"` // "": words only
	Dim   int    `json:"dim"`
	// the least evidence of an answer in a knowledge base of this size
	Threshold float64 `json:"threshold"`
	Kept      float64 `json:"kept"`      // share of the titles that find their capsule
	Rejected  float64 `json:"rejected"`  // share of the off-topic prompts that get no answer
	OnTopic   int     `json:"on_topic"`  // titles of capsules used as prompts
	OffTopic  int     `json:"off_topic"` // prompts without an answer

	one float64 // the threshold in a knowledge base of one capsule
}

// Calibrate measures the evidence from which a prompt may be answered automatically, for the
// current model and for words only, stores both thresholds and returns them. For words and some
// models the program has thresholds (rank.Scale), which off-topic prompts may raise here by up to
// maxRaise; for other models these prompts alone set it, and with fewer than minMeasured titles
// there is none.
func (k *KB) Calibrate(ctx context.Context) (all []Calibration, err error) {
	embedded := []bool{false}
	if k.emb != nil {
		embedded = []bool{true, false}
	}
	titles, total, err := k.titlesByID(ctx)
	for _, meaning := range embedded {
		if err != nil {
			return nil, err
		}
		c := Calibration{}
		if meaning {
			c.Model, c.Dim = k.emb.Model().Name, k.emb.Model().Dim
		}
		c.one = rank.ScaleOf(c.Model).Unasked
		if c.one == 0 && len(titles) < minMeasured {
			continue
		}
		if len(titles) > 0 {
			err = k.calibrate(ctx, &c, titles)
		}
		c.Threshold = rank.Threshold(c.one, total)
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

// NeedsCalibration reports whether a model could be measured, and has no threshold.
func (k *KB) NeedsCalibration(ctx context.Context, model string) (bool, error) {
	if _, known, err := k.Threshold(ctx, model); err != nil || known {
		return false, err
	}
	titles, _, err := k.titlesByID(ctx)
	return len(titles) >= minMeasured, err
}

// titlesByID returns titles of active capsules, no sections, and the number of all capsules.
func (k *KB) titlesByID(ctx context.Context) (titles map[string]string, total int64, err error) {
	titles = map[string]string{}
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		if total, err = sqlite.One[int64](tx, `SELECT count(*) FROM capsules`); err != nil {
			return err
		}
		var id, title string
		return tx.Each([]any{&id, &title}, func() error {
			titles[id] = title
			return nil
		}, `SELECT id, title FROM capsules WHERE superseded_by = '' AND retired IS NULL
			AND kind <> 'doc' ORDER BY n % 97, n LIMIT ?`, maxTitles)
	})
	return titles, total, err
}

// calibrate sets the threshold of c, and the shares that it judges correctly.
func (k *KB) calibrate(ctx context.Context, c *Calibration, titles map[string]string) error {
	classes := map[string][]float64{}
	for class, prompts := range offTopicPrompts() {
		for _, p := range prompts {
			_, evidence, err := k.measureEvidence(ctx, p, c.Model)
			if err != nil {
				return err
			}
			classes[class] = append(classes[class], evidence)
		}
	}
	if least := rejecting(classes); c.one == 0 {
		c.one = least
	} else {
		c.one = max(c.one, min(c.one+maxRaise, least))
	}
	for _, off := range classes {
		c.OffTopic += len(off)
		for _, e := range off {
			if e < c.one {
				c.Rejected++
			}
		}
	}
	for id, title := range titles {
		hits, evidence, err := k.measureEvidence(ctx, title, c.Model)
		if err != nil {
			return err
		}
		if evidence >= c.one && slices.ContainsFunc(hits, func(h Hit) bool { return h.ID == id }) {
			c.Kept++
		}
	}
	c.OnTopic = len(titles)
	c.Kept /= float64(c.OnTopic)
	c.Rejected /= float64(c.OffTopic)
	return nil
}

// measureEvidence returns the hits without a threshold, and evidence as among one capsule.
func (k *KB) measureEvidence(ctx context.Context, text, model string) ([]Hit, float64, error) {
	q := Query{Text: text, Limit: RecallLimit, Floor: RecallFloor, NoDocs: true, Gate: true,
		Measuring: true, calibrating: true}
	if model == "" {
		q.Mode = ModeBM25
	}
	res, err := k.Search(ctx, q)
	if err != nil || len(res.Hits) == 0 {
		return nil, 0, err
	}
	return res.Hits, res.amongOne, nil
}

// rejecting returns the least threshold that leaves the required share of each class unanswered.
func rejecting(classes map[string][]float64) (least float64) {
	for _, off := range classes {
		slices.Sort(off)
		at := int(math.Ceil(keptUnanswered*float64(len(off)))) - 1
		least = max(least, math.Nextafter(off[at], 2))
	}
	return least
}

// AmongOne returns the threshold in a store of one text.
func (c *Calibration) AmongOne() float64 { return c.one }

// Threshold is a model's ("": words only), stored or known; false if there is none.
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

func askThreshold(model string) sqlite.Question {
	return sqlite.Question{Query: `SELECT dim, threshold, kept, rejected FROM thresholds
		WHERE model = ?`, Args: []any{model}}
}
