package kb

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"blackboard/testdata/cost"
	"blackboard/testdata/embedtest"
)

const childCapsules = 30

// child remembers capsules in a knowledge base that others write to as well, and prints the id of
// each after it was stored.
func child(home string) error {
	ctx := context.Background()
	name := os.Getenv("BOARD_KB_TEST_WORKER")
	k, err := Open(ctx, home, Options{Embedder: embedtest.NewHash(256)})
	if err != nil {
		return err
	}
	defer k.Close()
	for i := range childCapsules {
		body := fmt.Sprintf("common %sx%d", name, i)
		for j := range 12 { // words of its own, so that it is nobody's duplicate
			body += fmt.Sprintf(" %x", hash(fmt.Sprint(body, j))[:6])
		}
		r, err := k.Remember(ctx, Capsule{Title: fmt.Sprintf("%s capsule %d", name, i), Body: body}, RememberOptions{})
		if err != nil {
			return err
		}
		fmt.Println(r.Capsule.ID, r.Capsule.Title)
	}
	return nil
}

// TestManyProcesses: 16 processes make one new knowledge base at the same time and remember 30
// capsules each. Nothing fails, nothing is lost, all is found.
func TestManyProcesses(t *testing.T) {
	cost.SkipQuickUnlessRace(t)
	t.Parallel()
	home := t.TempDir()
	const processes = 16
	var mu sync.Mutex
	acked := map[string]string{}
	var wg sync.WaitGroup
	for i := range processes {
		cmd, out, stderr := cost.Child(t, "", "BOARD_KB_TEST_CHILD="+home, fmt.Sprintf("BOARD_KB_TEST_WORKER=w%d", i))
		wg.Go(func() {
			for lines := bufio.NewScanner(out); lines.Scan(); {
				id, title, _ := strings.Cut(lines.Text(), " ")
				mu.Lock()
				if acked[id] != "" {
					t.Errorf("%s was given out twice", id)
				}
				acked[id] = title
				mu.Unlock()
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("w%d: %v: %s", i, err, stderr)
			}
		})
	}
	wg.Wait()
	k := openKB(t, home, Options{Embedder: embedtest.NewHash(256)})
	all, _, err := k.List(t.Context(), ListQuery{})
	if err != nil || len(all) != processes*childCapsules || len(acked) != len(all) {
		t.Fatalf("%d acknowledged, %d there, %d were remembered; %v", len(acked), len(all), processes*childCapsules, err)
	}
	for _, c := range all {
		if acked[c.ID] != c.Title || c.Model != "hash" {
			t.Errorf("%s is %q of the model %q, but %q was acknowledged", c.ID, c.Title, c.Model, acked[c.ID])
		}
	}
	for i := range processes {
		if hits := ask(t, k, Query{Text: fmt.Sprintf("w%dx%d", i, i), Mode: ModeBM25}).Hits; len(hits) != 1 || hits[0].Title != fmt.Sprintf("w%d capsule %d", i, i) {
			t.Errorf("w%dx%d finds %q", i, i, titles(hits))
		}
	}
	sound(t, k)
}
