package home_test

import (
	"errors"
	"os"
	"testing"

	"blackboard/board/fault"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
	"blackboard/testdata/expect"
)

// TestKeptKnowledge: it is opened once, and again when it has to be warm or is another file.
func TestKeptKnowledge(t *testing.T) {
	home := t.TempDir()
	var kept kbhome.KeptKnowledge
	defer kept.Close()
	open := func(warm bool) (*kb.KB, bool) {
		t.Helper()
		return expect.Values(kept.Open(t.Context(), home, kb.Options{Warm: warm}))(t)
	}
	if _, _, err := kept.Open(t.Context(), home, kb.Options{}); !errors.Is(err, fault.NotFound) {
		t.Fatalf("a knowledge base that is not there: %v", err)
	}
	made := expect.Value(kbhome.MakeKnowledge(t.Context(), home, kb.Options{}))(t)
	made.Close()
	cold, first := open(false)
	again, second := open(false)
	if !first || second || cold != again {
		t.Errorf("opened %t, then %t", first, second)
	}
	warm, anew := open(true)
	if _, twice := open(false); !anew || twice {
		t.Errorf("warm: opened %t; cold after it: %t", anew, twice)
	}
	for _, ext := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(kb.Path(home) + ext); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	made = expect.Value(kbhome.MakeKnowledge(t.Context(), home, kb.Options{}))(t)
	made.Close()
	if k, opened := open(true); !opened || k == warm {
		t.Error("the file that was removed is still in use")
	}
	// A search that had it before goes on with it; it ends with an error, at worst.
	if _, err := cold.Stats(t.Context()); err != nil {
		t.Errorf("what was open before: %v", err)
	}
}
