package items

import (
	"context"
	"path/filepath"
	"testing"

	"blackboard/kb/memory"
	"blackboard/testdata/expect"
	"blackboard/testdata/tuitest"
	"blackboard/tui/page"
)

// TestStale drops answers to what was asked before.
func TestStale(t *testing.T) {
	home := t.TempDir()
	open := func(_ context.Context, agent string) (*memory.Store, error) {
		return memory.Open(home, memory.Options{Workspace: filepath.Join(home, "project"), Agent: agent})
	}
	s := expect.Value(open(t.Context(), ""))(t)
	defer s.Close()
	for _, text := range []string{"One.", "Two.", "Three."} {
		it := memory.Item{Tier: memory.Workspace, Content: text, Importance: .5}
		expect.Value(s.Put(t.Context(), it, memory.PutOptions{}))(t)
	}
	a := page.NewApp(t.Context(), page.Config{Memory: open, Workspace: filepath.Join(home, "project")})
	a.Still = true
	p := New(a)
	tuitest.Do(t, p.Init(), nil)
	late := p.read()
	tuitest.Do(t, p.read(), nil)
	tuitest.Do(t, late, nil)
	if len(p.rows) != 3 {
		t.Errorf("%d rows", len(p.rows))
	}
	p.rows[0].Ref.ID = "m999999999"
	late = p.describeAgain()
	p.rows = nil
	tuitest.Do(t, p.describeAgain(), nil)
	tuitest.Do(t, late, nil)
	if p.factsErr != nil {
		t.Error(p.factsErr)
	}
}
