package memory

import (
	"context"
	_ "embed"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/embed"
	"blackboard/embed/minilm"
	"blackboard/testdata/shared"
)

// meant is a model that knows what some texts mean; others mean something else each.
type meant map[string]embed.Vector

func (meant) Model() embed.Model { return embed.Model{Name: "all-MiniLM-L6-v2", Dim: 4} }

func (m meant) Embed(_ context.Context, texts []string) (out []embed.Vector, err error) {
	for _, text := range texts {
		v := embed.Vector{0, 0, 0, 1}
		for word, of := range m {
			if strings.Contains(text, word) {
				v = of
			}
		}
		out = append(out, v)
	}
	return out, nil
}

// TestOlderIsOffered: put names an older note that is near in meaning, though they share no word, but
// neither one of the same day nor one that is far; the answer puts the newer one first.
func TestOlderIsOffered(t *testing.T) {
	t.Parallel()
	tick := newClock()
	s := open(t, t.TempDir(), Options{Now: tick.now, Agent: "claude", Embedder: meant{
		"spreadsheet": {1, 0, 0, 0}, "Tariffs": {.6, .8, 0, 0}, "stops": {.1, 0, .99, 0}, "Weights": {.6, .79, .1, 0}}})
	old := put(t, s, Item{Tier: Workspace, Content: "Prices come from Helga's spreadsheet", Importance: .5})
	put(t, s, Item{Tier: Workspace, Content: "A tour has nine stops", Importance: .5})
	offered := func(content string) []string {
		r, err := s.Put(t.Context(), Item{Tier: Workspace, Content: content, Importance: .5}, PutOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return append(r.Older, r.Item.ID)
	}
	if got := offered("Weights are entered by hand"); len(got) != 1 {
		t.Errorf("of the same day %q is offered", got)
	}
	tick.pass(21 * 24 * time.Hour)
	got := offered("Tariffs are edited in the admin screen")
	if len(got) == 1 || !slices.Contains(got, old.ID) {
		t.Fatalf("offered: %q", got)
	}
	newer := got[len(got)-1]
	offered("T-17: the date picker opens on focus")
	tick.pass(21 * 24 * time.Hour)
	if got := offered("T-18: the footer has a date picker"); len(got) != 1 {
		t.Errorf("of a series %q is offered", got)
	}
	if all, err := s.ForgetAll(t.Context(), []string{old.ID}, "", newer); err != nil || all[0].ReplacedBy != newer {
		t.Fatal(all, err)
	}
	r := read(t, s, Query{Tiers: []string{Workspace}, Text: "where do prices, the spreadsheet, come from"})
	if h := r.Slices[0].Hits; len(h) == 0 || slices.ContainsFunc(h, func(h Hit) bool { return h.ID == old.ID }) {
		t.Errorf("%+v", h)
	}
}

//go:embed testdata/renewed.txt
var renewedNotes string

// TestOlderOffered counts, with a real model, how often the note that is renewed is among the two that
// put names, and how often something is named for a note that renews nothing.
func TestOlderOffered(t *testing.T) {
	t.Parallel()
	dir := shared.File("models", "all-MiniLM-L6-v2")
	if dir == "" {
		t.Skip("no model in the folder of shared files")
	}
	m, err := minilm.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	right, renewed, named, others := 0, 0, 0, 0
	for set := range strings.SplitSeq(renewedNotes, "\n= ") {
		tick, ids, later := newClock(), map[string]string{}, false
		s := open(t, t.TempDir(), Options{Now: tick.now, Agent: "claude", Embedder: m})
		for line := range strings.Lines(set) {
			part := strings.Split(strings.TrimSpace(line), "|")
			if len(part) < 2 || strings.HasPrefix(line, "#") {
				continue
			}
			if part[0] == "n1" {
				later = true
				tick.pass(21 * 24 * time.Hour)
			}
			r, err := s.Put(t.Context(), Item{Tier: Workspace, Content: part[1], Importance: .5}, PutOptions{})
			if err != nil {
				t.Fatal(err)
			}
			ids[part[0]] = r.Item.ID
			switch {
			case len(part) > 2:
				renewed++
				if slices.Contains(r.Older, ids[part[2]]) {
					right++
				}
			case later:
				others++
				if len(r.Older) > 0 {
					named++
				}
			}
		}
	}
	t.Logf("%d of %d renewed notes are named, and something for %d of %d others", right, renewed, named, others)
	if renewed != 24 || right < 10 || named > others/4 {
		t.Error("that is too few, or too many")
	}
}
