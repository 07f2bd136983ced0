package survival

import (
	"context"
	"errors"
	"strings"
	"testing"

	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/testdata/expect"
)

// topics is an embedder that knows three topics by their words, and nothing else.
type topics struct{ err error }

func (topics) Model() embed.Model { return embed.Model{Name: "topics", Dim: 3} }

func (e topics) Embed(_ context.Context, texts []string) ([]embed.Vector, error) {
	if e.err != nil {
		return nil, e.err
	}
	out := make([]embed.Vector, len(texts))
	for i, text := range texts {
		out[i] = embed.Vector{0, 0, 0}
		for k, words := range [][]string{{"bankrupt", "insolvent"}, {"delivery", "shipping"},
			{"weather", "rain"}} {
			for _, w := range words {
				if strings.Contains(strings.ToLower(text), w) {
					out[i][k] = 1
				}
			}
		}
		out[i].Normalize()
	}
	return out, nil
}

func TestAddMeaning(t *testing.T) {
	items := []Item{
		{ID: "e1", Why: WhyMustSurface, Content: "The supplier went bankrupt"},
		{ID: "e2", Why: WhyMustSurface, Content: "Delivery takes 14 working days"},
		{ID: "e3", Why: WhyMustSurface, Content: "Heavy rain flooded the cellar"},
		{ID: "e4", Why: WhyMustSurface, Content: "The contract ends in May"},
	}
	reports := []*documents.Document{
		documents.New("a.md", "The contract ends in May.\n\nNothing else here.\n"),
		documents.New("b.md",
			"# Vendor\n\nIt is insolvent.\n\n# Logistics\n\nShipping needs 15 days.\n"),
	}
	s := Check(items, reports...)
	if s.Missing != 3 {
		t.Fatalf("by words: %+v", s)
	}
	expect.OK(t, s.AddMeaning(t.Context(), topics{}, 0.9, reports...))
	e1, e2, e3, e4 := s.Items[0], s.Items[1], s.Items[2], s.Items[3]
	if !e1.Present || !e1.ByMeaning || e1.Cause != "" || *e1.Cosine != 1 ||
		e1.Passage.Report != "b.md" {
		t.Errorf("the same in other words: %+v", e1)
	}
	if e2.Present || *e2.Cosine != 1 {
		t.Errorf("meaning stood in for a number: %+v", e2)
	}
	if e3.Present || *e3.Cosine != 0 {
		t.Errorf("another topic: %+v", e3)
	}
	if !e4.Present || e4.ByMeaning || e4.Cosine != nil {
		t.Errorf("what words found was touched: %+v", e4)
	}
	if s.Passed || s.Checked != 4 || s.Missing != 2 || *s.Semantic != (Semantic{"topics", 0.9}) {
		t.Errorf("%+v", s)
	}

	boom := errors.New("boom")
	s = Check(items, reports...)
	if err := s.AddMeaning(t.Context(), topics{boom}, 0.9, reports...); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
	for _, bad := range []float64{-1, 0, 1.1} {
		if err := s.AddMeaning(t.Context(), topics{}, bad, reports...); !errors.Is(err,
			fault.Invalid) {
			t.Errorf("a least cosine of %v: %v", bad, err)
		}
	}
}
