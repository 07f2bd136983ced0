package survival

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/board/documents"
)

var fitting = flag.Bool("fit", false, "fit the weights of doubts, and write weights.go")

// readSets are the labelled sets that the weights are fitted to.
var readSets = []string{"tune", "held-out", "final", "unseen", "check"}

// draw is how strongly weights are held to where they start.
const draw = 0.5

// An example is an item that a report contradicts, or does not.
type example struct {
	set, id      string
	contradicted bool
	doubts       []doubt
	weight       float64
}

func newExample(set, id string, contradicted bool, weight float64, content string,
	reports ...*documents.Document) example {
	e := example{set, id, contradicted, nil, weight}
	p := newPattern(content)
	for _, report := range reports {
		x := newIndex(report)
		var h hits
		h.fill(p, x)
		e.doubts = append(e.doubts, p.doubts(x, &h)...)
	}
	return e
}

// examples reads the labelled sets, the pairs of the tests, and the real runs, of which
// nearly nothing is contradicted.
func examples(t *testing.T) (all []example) {
	for _, set := range readSets {
		dir := filepath.Join("..", "..", "testdata", "survival", "meaning", set)
		data, err := os.ReadFile(filepath.Join(dir, "items.json"))
		if err != nil {
			t.Fatal(err)
		}
		var items []setItem
		if err := json.Unmarshal(data, &items); err != nil {
			t.Fatal(err)
		}
		for _, l := range items {
			if l.Label == "missing" && l.Cause != MissContradicted {
				continue
			}
			report, err := documents.Open(filepath.Join(dir, l.Report))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, newExample(set, l.ID, l.Label == "missing", 1, l.Content, report))
		}
	}
	for _, c := range contradictions {
		all = append(all, newExample("tests", c[0], true, 1, c[0], documents.New("r.md", c[1])))
	}
	for _, c := range agreements {
		all = append(all, newExample("tests", c[0], false, 4, c[0], documents.New("r.md", c[1])))
	}
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "survival", "pairs.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		label, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
		item, report, _ := strings.Cut(rest, " | ")
		weight := map[string]float64{"missing": 1, "present": 4}[label]
		d := documents.New("r.md", report)
		all = append(all, newExample("pairs", line, label == "missing", weight, item, d))
	}
	for _, name := range []string{"extract-lien-and-debt-information", "draft-safe-agreement"} {
		run := loadIrys(t, name)
		for _, item := range run.Entries {
			all = append(all, newExample("real", item.ID, false, 0.4,
				item.Content, run.Reports...))
		}
	}
	return all
}

// A fitted has a bias and weights.
type fitted struct {
	bias    float64
	weights traits
}

func (m *fitted) score(t *traits) float64 {
	sum := m.bias
	for i, v := range t {
		sum += v * m.weights[i]
	}
	return sum
}

// top returns the doubt of an example that scores highest.
func (m *fitted) top(e example) (best *traits, score float64) {
	score = math.Inf(-1)
	for i := range e.doubts {
		if s := m.score(&e.doubts[i].traits); s > score {
			best, score = &e.doubts[i].traits, s
		}
	}
	return best, score
}

// start is what the weights are drawn to: each doubt contradicts, where a sentence has
// most of the item, and what speaks against it does so.
func start() (m fitted) {
	m.bias = -1
	for t := isNegated; t < traitCount; t++ {
		m.weights[t] = map[bool]float64{true: 2, false: -1}[t <= isUnproven]
	}
	m.weights[isHalf], m.weights[ofVerb], m.weights[mutual] = 0, 0, 0
	m.weights[carried], m.weights[near] = 2, 1
	return m
}

// fit is logistic regression on the highest doubt of each example, drawn to the start.
func fit(all []example) fitted {
	from := start()
	m := from
	for range 12 {
		var picked []*traits
		var of []example
		for _, e := range all {
			if best, _ := m.top(e); best != nil {
				picked, of = append(picked, best), append(of, e)
			}
		}
		var speed fitted
		n := float64(len(picked))
		for range 200 {
			var slope fitted
			for i, t := range picked {
				off := of[i].weight * (1/(1+math.Exp(-m.score(t))) - one(of[i].contradicted))
				slope.bias += off
				for k, v := range t {
					slope.weights[k] += off * v
				}
			}
			speed.bias = .9*speed.bias - .2*slope.bias/n
			m.bias += speed.bias
			for k := range m.weights {
				pull := draw * (m.weights[k] - from.weights[k])
				speed.weights[k] = .9*speed.weights[k] - .2*(slope.weights[k]+pull)/n
				m.weights[k] += speed.weights[k]
			}
		}
	}
	return m
}

// TestFit fits the weights of weights.go, if that is asked: to all sets but one, to see
// how they do on that, and then to all.
func TestFit(t *testing.T) {
	if !*fitting {
		t.Skip("run with -fit")
	}
	all := examples(t)
	for _, set := range append(slices.Clone(readSets), "tests", "pairs", "real") {
		rest := slices.DeleteFunc(slices.Clone(all), func(e example) bool { return e.set == set })
		m := fit(rest)
		var c confusion
		for _, e := range all {
			if _, score := m.top(e); e.set == set {
				c.add(e.contradicted, score > 0)
			}
		}
		t.Logf("%-9s contradicted: %v", set, c)
	}
	m := fit(all)
	out := weightsHead + fmt.Sprintf("var (\n\tbias    = %.2f\n\tweights = traits{\n", m.bias)
	for k, v := range m.weights {
		name := traitNames[k] + ":"
		out += fmt.Sprintf("\t\t%-12s %.2f,\n", name, v)
	}
	if err := os.WriteFile("weights.go", []byte(out+"\t}\n)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// weightsHead is how weights.go begins.
const weightsHead = `package survival

// bias and weights are those of a logistic regression on the likeliest doubt of each item
// of the labelled sets that were read, short pairs, and real runs. TestFit -fit makes them
// anew, and says how they do on sets that are left out. Change no weight by hand.
`

// traitNames are the names of the traits, in their order.
var traitNames = strings.Fields(`isNegated isHalf isOpposed isExchanged isReordered isEnded isSided
	isForbidden isRefuted isUnproven apart ofOther inMood inOther inCompound hedged ofVerb carried near
	lesser nameless verbless mutual`)
