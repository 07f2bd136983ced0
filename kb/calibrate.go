package kb

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/rank"
)

// calibrationSet has capsules, prompts that one or two of them help with, and prompts that none does. It was written before any of it was searched.
//
//go:embed calibration.jsonl
var calibrationSet []byte

const (
	// lexicalEvidence is what BM25 adds to a cosine in Result.Evidence, per square root of what the question asks for.
	lexicalEvidence = 0.2
	// minRejected is the share of off-topic prompts that a threshold must keep unanswered.
	minRejected = 0.95
	// wordThreshold is what Calibrate finds with the set that comes with the program for words alone, which takes no model: there it needs not be measured on the spot.
	wordThreshold = 0.239
	// RecallLimit and RecallFloor are how a prompt is answered unasked: by at most three capsules, none with a lower share of the best one's score than the floor.
	RecallLimit = 3
	RecallFloor = 0.85
)

// evidence says how sure a hit is to be about the question, on a scale that does not depend on the question or the knowledge base: the
// cosine, and the BM25 score by the square root of the score that a perfect match would have. A cosine alone takes any two long texts
// for related, words alone any two that share one.
func evidence(h *Hit, maxBM25 float64) float64 {
	e := 0.0
	if h.CosineScore != nil {
		e = *h.CosineScore
	}
	if maxBM25 > 0 {
		e += lexicalEvidence * h.BM25Score / math.Sqrt(maxBM25)
	}
	return e
}

// Calibration is how well a threshold tells prompts that the knowledge base helps with from others.
type Calibration struct {
	Model     string  `json:"model"` // "": by words alone
	Dim       int     `json:"dim"`
	Threshold float64 `json:"threshold"` // of Result.Evidence
	Kept      float64 `json:"kept"`      // share of the on-topic prompts that get something right
	Rejected  float64 `json:"rejected"`  // share of the off-topic prompts that get nothing
	OnTopic   int     `json:"on_topic"`
	OffTopic  int     `json:"off_topic"`
}

// calibrationLine is a line of the set: a capsule, or a prompt with the capsules that help.
type calibrationLine struct {
	Capsule, Kind, Title, Body string
	Prompt, Text               string
	Relevant                   []string
}

func readCalibration(r io.Reader) (capsules, prompts []calibrationLine, err error) {
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
			capsules = append(capsules, l)
		case l.Prompt == "" || l.Text == "":
			err = fmt.Errorf("it is neither a capsule nor a prompt with a text")
		default:
			for _, id := range l.Relevant {
				if !known[id] {
					err = fmt.Errorf("there is no capsule %q before it", clip(id, 40))
				}
			}
			prompts = append(prompts, l)
		}
		if err != nil {
			return nil, nil, invalid(fmt.Sprintf("line %d of the calibration set: %v", n, err), `lines are {"capsule","kind","title","body"} or {"prompt","text","relevant":[…]}`)
		}
	}
	return capsules, prompts, sc.Err()
}

// CheckCalibrationSet says what is wrong with a set, before anything is done for it.
func CheckCalibrationSet(set io.Reader) error {
	_, _, err := readCalibration(set)
	return err
}

// Calibrate measures from which evidence on a prompt may be answered unasked, with the model at hand and with words alone, and stores both thresholds. With a nil set it takes the one that comes
// with the program.
func (k *KB) Calibrate(ctx context.Context, set io.Reader) ([]Calibration, error) {
	if set == nil {
		set = bytes.NewReader(calibrationSet)
	}
	capsules, prompts, err := readCalibration(set)
	if err != nil {
		return nil, err
	}
	embedders := []embed.Embedder{nil}
	if k.emb != nil {
		embedders = []embed.Embedder{k.emb, nil}
	}
	var all []Calibration
	for _, emb := range embedders {
		c, err := calibrate(ctx, emb, capsules, prompts)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, k.db.Write(ctx, func(tx *sqlite.Tx) error {
		for _, c := range all {
			if _, err := tx.Exec(`INSERT OR REPLACE INTO thresholds VALUES (?, ?, ?, ?, ?, ?)`, c.Model, c.Dim, c.Threshold, c.Kept, c.Rejected, tx.Now.UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
}

func calibrate(ctx context.Context, emb embed.Embedder, capsules, prompts []calibrationLine) (c Calibration, err error) {
	if emb != nil {
		c.Model, c.Dim = emb.Model().Name, emb.Model().Dim
	}
	dir, err := os.MkdirTemp("", "board-calibrate-*")
	if err != nil {
		return c, err
	}
	defer os.RemoveAll(dir)
	k, err := Open(ctx, dir, Options{Embedder: emb})
	if err != nil {
		return c, err
	}
	defer k.Close()
	names := map[string]string{}
	for _, l := range capsules {
		r, err := k.Remember(ctx, Capsule{Kind: l.Kind, Scope: "universal", Title: l.Title, Body: l.Body}, RememberOptions{Force: true})
		if err != nil {
			return c, err
		}
		names[r.Capsule.ID] = l.Capsule
	}
	var on, off, right []float64
	for _, p := range prompts {
		res, err := k.Search(ctx, Query{Text: p.Text, Limit: RecallLimit, Floor: RecallFloor, Measuring: true})
		if err != nil {
			return c, err
		}
		if len(p.Relevant) == 0 {
			off = append(off, res.Evidence)
			continue
		}
		on = append(on, res.Evidence)
		if slices.ContainsFunc(res.Hits, func(h Hit) bool { return slices.Contains(p.Relevant, names[h.ID]) }) {
			right = append(right, res.Evidence)
		}
	}
	c.OnTopic, c.OffTopic = len(on), len(off)
	if len(on) == 0 || len(off) == 0 {
		return c, invalid("the calibration set has no prompts that something helps with, or none that nothing does", "it needs some dozens of both")
	}
	c.Threshold, _, c.Rejected = rank.Threshold(on, off, minRejected)
	kept := 0
	for _, e := range right {
		if e >= c.Threshold {
			kept++
		}
	}
	c.Kept = float64(kept) / float64(len(on))
	return c, nil
}

// Threshold returns the stored threshold of a model, "" for words alone, and false if it was never calibrated; for words alone there is one all the same.
func (k *KB) Threshold(ctx context.Context, model string) (c Calibration, ok bool, err error) {
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		c, ok, err = threshold(tx, model)
		return err
	})
	return c, ok, err
}

func threshold(tx *sqlite.Tx, model string) (c Calibration, ok bool, err error) {
	c.Model = model
	err = tx.QueryRow(`SELECT dim, threshold, kept, rejected FROM thresholds WHERE model = ?`, model).Scan(&c.Dim, &c.Threshold, &c.Kept, &c.Rejected)
	if sqlite.IsNoRows(err) {
		if model == "" {
			c.Threshold = wordThreshold
		}
		return c, false, nil
	}
	return c, err == nil, err
}

// Fill stores capsules as they are, without files and unchecked, for a knowledge base that is only measured, and gives them ids.
func (k *KB) Fill(ctx context.Context, caps []Capsule) error {
	vs := make([]embed.Vector, len(caps))
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
