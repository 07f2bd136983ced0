package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"blackboard/kb/memory"
	"blackboard/testdata/cost"
	"blackboard/testdata/shared/potion"
)

// memorySets are three projects with questions that were labelled before anything was
// asked: items, ages, importances and accesses were chosen without regard to what
// answers what.
func memorySets(t *testing.T) (sets []*Set) {
	t.Helper()
	for _, name := range []string{"prose", "review", "operations"} {
		set, err := Read(filepath.Join("..", "memory", name), "")
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, set)
	}
	return sets
}

// TestMemoryFinds holds a memory to plain full text search: it finds no less at any
// age, more with a model, and ages take nothing away.
func TestMemoryFinds(t *testing.T) {
	cost.SkipUnlessLong(t)
	t.Parallel()
	emb := potion.Open(t)
	for _, set := range memorySets(t) {
		r, err := RunMemory(t.Context(), set, emb)
		if err != nil {
			t.Fatal(err)
		}
		plain, modes := r.Modes[0], r.Modes[1:]
		before := map[string]MemoryMetrics{}
		for _, m := range modes {
			t.Logf("%-10s %-6s %-15s hit@1 %.3f @3 %.3f @10 %.3f", set.Name, m.Mode, m.Model,
				m.Hit1, m.Hit3, m.Hit10)
			more := 0.0
			if m.Model != "" {
				more = .03 // .05 before newer notes went first: a question or two of 60 wants an older one
			}
			if m.Hit1 < plain.Hit1+more-1e-9 || m.Hit10 < plain.Hit10-1e-9 {
				t.Errorf("%s, %s, model %q: hit@1 %.3f, hit@10 %.3f; plain full text has %.3f and %.3f", set.Name, m.Mode, m.Model, m.Hit1, m.Hit10, plain.Hit1, plain.Hit10)
			}
			was, there := before[m.Model]
			most := .02 // for ages; a tidy-up costs nothing
			if m.Mode == ModeTidy {
				most = 1e-9
			}
			if there && (m.Hit1 < was.Hit1-most || m.Hit10 < was.Hit10-most) {
				t.Errorf("%s, %s, model %q: %.3f and %.3f, and before %.3f and %.3f", set.Name,
					m.Mode, m.Model, m.Hit1, m.Hit10, was.Hit1, was.Hit10)
			}
			before[m.Model] = m
		}
	}
}

// TestMemoryGate asks each project, of which few or all items are there, its own
// questions and those of the others, as a prompt asks: what is given must be right, and
// for others' questions nothing.
func TestMemoryGate(t *testing.T) {
	cost.SkipUnlessLong(t)
	t.Parallel()
	sets := memorySets(t)
	for _, size := range []int{30, 1000} {
		own, right, given, others, off := 0, 0, 0, 0, 0
		for _, set := range sets {
			docs, err := readMetadata(set)
			if err != nil {
				t.Fatal(err)
			}
			docs = docs[:min(size, len(docs))]
			s, names, err := remember(t.Context(), t.TempDir(), docs, nil, true)
			if err != nil {
				t.Fatal(err)
			}
			ask := func(text string) (best string) {
				q := memory.Query{Tiers: []string{memory.Channel, memory.Workspace,
					memory.Account}, Text: text, Gate: true, Untouched: true}
				res, err := s.Read(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				evidence := 0.0
				for _, sl := range res.Slices {
					for _, h := range sl.Hits {
						if h.Evidence > evidence {
							best, evidence = names[h.ID], h.Evidence
						}
					}
				}
				return best
			}
			for _, q := range set.Queries {
				if !slices.ContainsFunc(docs,
					func(d remembered) bool { return q.Relevant[d.ID] > 0 }) {
					continue
				}
				own++
				if best := ask(q.Text); best != "" {
					given++
					right += min(1, q.Relevant[best])
				}
			}
			for _, other := range sets {
				if other == set {
					continue
				}
				for _, q := range other.Queries {
					others++
					if ask(q.Text) != "" {
						off++
					}
				}
			}
			s.Close()
		}
		what := fmt.Sprintf(
			"%d items at most: of %d questions %d are answered, %d of them right; of %d others %d",
			size, own, given, right, others, off)
		t.Log(what)
		if float64(off) > .05*float64(others) || float64(right) < .8*float64(given) ||
			float64(right) < .38*float64(own) { // .4 before a count or a name that is asked for had to be in the answer
			t.Error(what)
		}
	}
}

// TestMemorySets refuses metadata that is none.
func TestMemorySets(t *testing.T) {
	set := &Set{Name: "bad",
		Docs: []Doc{{ID: "d1", Text: "x", Metadata: []byte(`{"importance":"high"}`)}}}
	if _, err := RunMemory(t.Context(), set, nil); err == nil {
		t.Error("an importance that is no number is taken")
	}
}
