package survival

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/wait"
)

// label says what a person found when looking for one item of a real run in that run's
// artifacts. See ../../testdata/survival.
type label struct {
	Run   string `json:"run"`
	Kind  string `json:"kind"` // entry or signal
	Pool  string `json:"pool"` // which part of the sample it is from
	Index int    `json:"index"`
	ID    string `json:"id"` // in the run's own file, where ids repeat: Index is what identifies
	Label string `json:"label"`
	Split string `json:"split"`
	Note  string `json:"note"`
}

// irysRun is a real run: its items, and the artifacts it ended with.
type irysRun struct {
	Entries, Signals []Item
	Reports          []*documents.Document
	results          map[string][]ItemResult // by kind
	plain            []map[string]bool       // the tokens of each report
}

// sharedDir returns the directory of the data that are too large, or not ours, to be in
// the repository.
func sharedDir(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("BOARD_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "data", "irys")); err != nil {
		tb.Skip("the Irys runs are not here; set BOARD_SHARED to the directory that holds data/irys")
	}
	return dir
}

func loadIrys(tb testing.TB, name string) irysRun {
	tb.Helper()
	dir := filepath.Join(sharedDir(tb), "data", "irys", name)
	data := expect.Value(os.ReadFile(filepath.Join(dir, "iter_12_final.json")))(tb)
	var board struct {
		Entries []struct{ ID, Type, Content string }
		Signals []struct{ ID, Priority, Status, Content string }
	}
	expect.OK(tb, json.Unmarshal(data, &board))
	var run irysRun
	for _, e := range board.Entries {
		run.Entries = append(run.Entries, Item{ID: e.ID, Why: WhyMustSurface,
			Type: e.Type, Content: e.Content})
	}
	for _, s := range board.Signals {
		why := WhyOpen
		if s.Status == "expired" {
			why = WhyWaived
		}
		run.Signals = append(run.Signals, Item{ID: s.ID, Why: why,
			Priority: s.Priority, Content: s.Content})
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.docx"))
	if err != nil || len(paths) == 0 {
		tb.Fatal("no artifacts in ", dir, err)
	}
	for _, path := range paths {
		r := expect.Value(documents.Open(path))(tb)
		r.Name = filepath.Base(path)
		run.Reports = append(run.Reports, r)
	}
	return run
}

// confusion counts verdicts. What is to be found are the missing items, so a hit is a
// missing item called missing.
type confusion struct{ hit, miss, alarm, pass int }

func (c *confusion) add(missing, called bool) {
	switch {
	case missing && called:
		c.hit++
	case missing:
		c.miss++
	case called:
		c.alarm++
	default:
		c.pass++
	}
}

func (c confusion) precision() float64 { return float64(c.hit) / float64(max(1, c.hit+c.alarm)) }
func (c confusion) recall() float64    { return float64(c.hit) / float64(max(1, c.hit+c.miss)) }
func (c confusion) String() string {
	return fmt.Sprintf("precision %.2f  recall %.2f  (missing: %d found, %d not; present: %d right, %d called missing)",
		c.precision(), c.recall(), c.hit, c.miss, c.pass, c.alarm)
}

var plainWord = regexp.MustCompile(`[\pL\pN]+`)

// plainTokens and plainCheck are the heuristic that ours is measured against: 60 % of
// the tokens with four letters or a digit, anywhere in an artifact.
func plainTokens(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range plainWord.FindAllString(strings.ToLower(s), -1) {
		if len(w) >= 4 || strings.ContainsAny(w, "0123456789") {
			m[w] = true
		}
	}
	return m
}

func plainCheck(item Item, reports []map[string]bool) bool {
	want := plainTokens(item.Content)
	for _, have := range reports {
		n := 0
		for w := range want {
			if have[w] {
				n++
			}
		}
		if float64(n) >= 0.6*float64(len(want)) {
			return true
		}
	}
	return false
}

// TestSurvivalLabels measures the heuristic against sixty items of two real runs that a
// person looked up in the artifacts before there was a heuristic. Half of them ("tune")
// were used to choose its sizes, the other half ("held-out") were not.
func TestSurvivalLabels(t *testing.T) {
	cost.SkipTable(t)
	sharedDir(t)
	data := expect.Value(os.ReadFile(filepath.Join("..", "..", "testdata", "survival", "irys_labels.json")))(t)
	var labels []label
	expect.OK(t, json.Unmarshal(data, &labels))
	runs := map[string]irysRun{}
	ours, plain := map[string]*confusion{}, map[string]*confusion{}
	for _, split := range []string{"tune", "held-out", "all"} {
		ours[split], plain[split] = &confusion{}, &confusion{}
	}
	for _, l := range labels {
		run, ok := runs[l.Run]
		if !ok {
			run = loadIrys(t, l.Run)
			run.results = map[string][]ItemResult{"entry": Check(run.Entries,
				run.Reports...).Items, "signal": Check(run.Signals, run.Reports...).Items}
			for _, r := range run.Reports {
				run.plain = append(run.plain, plainTokens(r.Text()))
			}
			runs[l.Run] = run
		}
		r := run.results[l.Kind][l.Index]
		item := r.Item
		if item.ID != l.ID {
			t.Fatalf("%s %s %d is %s, not %s: another version of the data?", l.Run,
				l.Kind, l.Index, item.ID, l.ID)
		}
		p := plainCheck(item, run.plain)
		for _, split := range []string{l.Split, "all"} {
			ours[split].add(l.Label == "missing", r.Cause != "")
			plain[split].add(l.Label == "missing", !p)
		}
		if (r.Cause == "") != (l.Label == "present") {
			t.Logf("%s %s/%d %s is %s (%s), called %q: %s", l.Split, l.Kind, l.Index, l.ID,
				l.Label, l.Note, cmp.Or(r.Cause, "present"), fault.Clip(item.Content, 120))
		}
	}
	for _, split := range []string{"tune", "held-out", "all"} {
		t.Logf("%-8s  ours   %v", split, ours[split])
		t.Logf("%-8s  plain  %v", split, plain[split])
	}
	// Slightly under what was measured: 0.90 and 0.86.
	if c := ours["all"]; c.precision() < 0.88 || c.recall() < 0.84 {
		t.Errorf("the heuristic has become worse: %v", c)
	}
}

// TestSurvivalRealRuns checks everything the real runs found, for its time and against
// surprises.
func TestSurvivalRealRuns(t *testing.T) {
	cost.SkipUnlessLong(t)
	for _, name := range []string{"extract-lien-and-debt-information", "draft-safe-agreement"} {
		run := loadIrys(t, name)
		list := append(run.Entries, run.Signals...)
		begin := wait.CPU()
		results := Check(list, run.Reports...).Items
		took := wait.CPU() - begin
		causes := map[string]int{}
		for _, r := range results {
			causes[r.Cause]++
		}
		t.Logf("%s: %d items in %v: %v", name, len(list), took.Round(time.Millisecond), causes)
		if causes[MissContradicted] > 2 { // of what nobody contradicts, as far as was read
			t.Errorf("%s: %d are called contradicted", name, causes[MissContradicted])
		}
		if took > 5*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}
