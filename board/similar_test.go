package board

import (
	"testing"

	"blackboard/testdata/expect"
)

// TestSimilar: of the entries that say nearly the same the two most alike are named, the nearest first, on every engine.
func TestSimilar(t *testing.T) {
	b := newBoard(t)
	var last Posted
	for _, p := range []Post{{Content: "Keys rotate every 90 days"}, {Content: "The build takes six minutes on two cores"},
		{Content: "All keys of the service rotate every 30 days"}, {Content: "Keys are rotated every 80 days",
			Supports: []string{"e3"}},
		{Content: "Old keys rotate every 90 days"}, {Content: "Keys rotate every 85 days", Supersedes: []string{"e5"}}} {
		posted := expect.Value(b.Post(t.Context(), "w", p))(t)
		last = posted
	}
	if all := b.Similar(t.Context(), &last); len(all) != 2 || all[0].ID != "e4" || all[1].ID != "e1" {
		t.Errorf("%+v", all)
	}
	one := expect.Value(b.Post(t.Context(), "w", Post{Content: "Readings must stay in the EU", SourceDoc: "offer.md",
		SourceRef: "3"}))(t)
	if all := b.Similar(t.Context(), &Posted{Entry: Entry{ID: "e9", Content: "Readings have to stay within the EU",
		SourceDoc: "offer.md", SourceRef: "3"}}); len(all) != 1 || all[0].ID != one.Entry.ID {
		t.Errorf("by words that carry no content: %+v", all)
	}
	if all := b.Similar(t.Context(), &Posted{Entry: Entry{ID: "e9", Content: "42 — 17"}}); len(all) != 0 {
		t.Errorf("without a word: %+v", all)
	}
}
