package daemon

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"blackboard/embed"
	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
)

// told calls a function before each of its batches.
type told struct {
	embed.Embedder
	before func()
}

func (w told) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	w.before()
	return w.Embedder.Embed(ctx, texts)
}

// TestAnotherModelIsRenewed: what another model has embedded gets the vectors of the model at
// hand without being asked for, and the status says how far it is.
func TestAnotherModelIsRenewed(t *testing.T) {
	dir, before := home(t), embedtest.NewHash(32)
	k := expect.Value(kb.Open(t.Context(), dir, kb.Options{Embedder: before}))(t)
	var set kb.ImportSet
	for i := range 120 {
		set.Items = append(set.Items, kb.Incoming{Capsule: kb.Capsule{Kind: "fact", Scope: "universal",
			Title: fmt.Sprint("title ", i), Body: fmt.Sprint("word", i)}})
	}
	out := expect.Value(k.Import(t.Context(), &set, kb.ImportOptions{Force: true}))(t)
	if len(out.Stored) != len(set.Items) {
		t.Fatalf("%d of %d capsules are stored", len(out.Stored), len(set.Items))
	}
	expect.OK(t, k.Close())
	m := expect.Value(memory.Open(dir, memory.Options{Author: true, Embedder: before}))(t)
	expect.Value(m.Put(t.Context(), memory.Item{Tier: memory.Account, Content: "rotate the keys"}, memory.PutOptions{}))(t)
	expect.OK(t, m.Close())

	var s *Server
	var said []string
	s = newServer(Config{Place: placeOf(t, dir), OpenModel: func(context.Context, string) (embed.Embedder, func() error, error) {
		return told{embedtest.NewHash(64), func() { said = append(said, s.upkeep.Status()[0].Result) }}, func() error { return nil }, nil
	}})
	defer s.end()
	defer s.warm.close()
	for name, want := range map[string]string{"embed capsules": "120 embedded", "embed memories": "1 embedded"} {
		job := s.upkeep.jobs[slices.IndexFunc(s.upkeep.jobs, func(j Job) bool { return j.Name == name })]
		if !job.Wake(t.Context()) {
			t.Errorf("%s: another model is not noticed", name)
		}
		if got, err := job.Run(t.Context()); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
		if got, err := job.Run(t.Context()); err != nil || got != "" {
			t.Errorf("%s, once more: %q, %v", name, got, err)
		}
	}
	if !slices.Contains(said, "50 embedded, 70 left") || !slices.Contains(said, "100 embedded, 20 left") {
		t.Errorf("the status said %q", said)
	}
	s.warm.use(t.Context(), true, func(h *held) error {
		if st, err := h.kb.Stats(t.Context()); err != nil || st.Embedded != 120 || st.Index.Dim != 64 {
			t.Errorf("%+v, %v", st, err)
		}
		return nil
	})
}
