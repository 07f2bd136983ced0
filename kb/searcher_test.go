package kb_test

import (
	"errors"
	"testing"

	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/kb"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/kbtest"
)

func TestSearcherConformance(t *testing.T) {
	cost.SkipShort(t)
	t.Parallel()
	for name, warm := range map[string]bool{"cold": false, "warm": true} {
		t.Run(name, func(t *testing.T) {
			kbtest.TestSearcher(t, func(t *testing.T, home string, model embed.Embedder) kb.Searcher {
				k, err := kb.OpenExisting(t.Context(), home, kb.Options{Embedder: model, Warm: warm})
				if errors.Is(err, fault.NotFound) {
					return nil
				}
				expect.OK(t, err)
				t.Cleanup(func() { k.Close() })
				return k
			})
		})
	}
}
