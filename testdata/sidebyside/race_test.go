package sidebyside

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"blackboard/testdata/cost"
)

// The race has many servers, each a process of its own, change one store at the same time, and
// counts what was acknowledged and what of that is there in the end. Nothing is asked twice: a
// change that a server refuses is refused, as it is to an agent that does not know that a second
// try may do. The exception is in what "counter_cas" is about.

// race is one of the things that they do at the same time.
type race struct {
	name  string
	fresh bool // there is no store before they all start
	// before makes what they change.
	before func(s *server) error
	// change makes the change of a number as one of the servers, and says under which name it can
	// be found, if it was acknowledged.
	change func(s *server, who, i int, t *tally) (name string, err error)
	// survived counts what is there of what was acknowledged, asked of a server that was started
	// later.
	survived func(s *server, acked []string) (int, error)
}

// tally is what came of a race.
type tally struct {
	mu         sync.Mutex
	acked      []string
	survived   int
	refused    int    // changes that a server said it had not made
	refusal    string // the first one's words
	retried    int    // compare-and-set only: somebody else was first
	torn       int    // values read that nobody had written as they were
	notStarted int    // servers
}

var errRefused = errors.New("refused")

// text calls a tool and returns its text; whatever does not begin as it should is a refusal.
func (s *server) text(tool, begins string, args any) (string, error) {
	r, _, err := s.call(tool, args)
	if err != nil {
		return "", err
	}
	if r.IsError || !strings.HasPrefix(r.text(), begins) {
		return "", fmt.Errorf("%w: %.200s", errRefused, r.text())
	}
	return r.text(), nil
}

// distinct: each writes chunks of its own.
var distinct = race{
	name: "distinct",
	change: func(s *server, who, i int, _ *tally) (string, error) {
		text, err := s.text("write_context", "Chunk saved: id=`", arguments{Topic: fmt.Sprintf("server %d chunk %d", who, i), Content: "Written while others write.", Tags: []string{"race"}})
		if err != nil {
			return "", err
		}
		id, _, _ := strings.Cut(strings.TrimPrefix(text, "Chunk saved: id=`"), "`")
		return id, nil
	},
	survived: func(s *server, acked []string) (there int, err error) {
		for _, id := range acked {
			switch _, err := s.text("read_context", "## ", arguments{ID: id}); {
			case err == nil:
				there++
			case !errors.Is(err, errRefused):
				return there, err
			}
		}
		return there, nil
	},
}

// firstUse: the same in a directory in which there is nothing yet.
var firstUse = race{name: "first_use", fresh: true, change: distinct.change, survived: distinct.survived}

// counter: each adds one to the same value, again and again, with the tools that both programs
// have: it reads the value and sets the next.
var counter = race{
	name: "counter",
	before: func(s *server) error {
		_, err := s.text("set_state", `State "count"`, map[string]any{"key": "count", "value": 0})
		return err
	},
	change: func(s *server, _, _ int, _ *tally) (string, error) {
		n, err := s.count()
		if err == nil {
			_, err = s.text("set_state", `State "count"`, map[string]any{"key": "count", "value": n + 1})
		}
		return "", err
	},
	survived: func(s *server, _ []string) (int, error) { return s.count() },
}

func (s *server) count() (int, error) {
	text, err := s.text("get_state", "", arguments{Key: "count"})
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}

// counterCAS: the same with a variable of a run's board, which is set only if it is still the
// version that was read. Who comes too late reads it again.
var counterCAS = race{
	name: "counter_cas",
	before: func(s *server) error {
		_, err := s.text("board_var_set", "count = 0", map[string]any{"key": "count", "value": 0, "if_version": 0})
		return err
	},
	change: func(s *server, _, _ int, t *tally) (string, error) {
		for {
			v, err := s.variable()
			if err != nil {
				return "", err
			}
			r, _, err := s.call("board_var_set", map[string]any{"key": "count", "value": v.Value + 1, "if_version": v.Version})
			if err != nil || !r.IsError {
				return "", err
			}
			if !strings.Contains(r.text(), "has version") {
				return "", fmt.Errorf("%w: %.200s", errRefused, r.text())
			}
			t.mu.Lock()
			t.retried++
			t.mu.Unlock()
		}
	},
	survived: func(s *server, _ []string) (int, error) {
		v, err := s.variable()
		return v.Value, err
	},
}

type variable struct {
	Value   int
	Version int
}

func (s *server) variable() (v variable, err error) {
	r, _, err := s.call("board_var_get", map[string]any{"key": "count", "format": "json"})
	if err != nil {
		return v, err
	}
	var out struct{ Variable *variable }
	if err := json.Unmarshal([]byte(r.text()), &out); err != nil || out.Variable == nil {
		return v, fmt.Errorf("%w: %v %.200s", errRefused, err, r.text())
	}
	return *out.Variable, nil
}

// overwritten: all set the same key to values of 20,000 characters, and read it in between. A
// value must be one that was written, whole. One of them is there in the end; survived counts it
// for all that it took the place of.
var overwritten = race{
	name: "overwritten",
	before: func(s *server) error {
		_, err := s.text("set_state", `State "shared"`, arguments{Key: "shared", Value: sharedValue(0, 0)})
		return err
	},
	change: func(s *server, who, i int, t *tally) (string, error) {
		value := sharedValue(who, i)
		_, err := s.text("set_state", `State "shared"`, arguments{Key: "shared", Value: value})
		text, readErr := s.text("get_state", "", arguments{Key: "shared", Room: 20_000})
		if readErr != nil {
			return "", errors.Join(err, readErr)
		}
		if !isWhole(text) {
			t.mu.Lock()
			t.torn++
			t.mu.Unlock()
		}
		return value, err
	},
	survived: func(s *server, acked []string) (int, error) {
		text, err := s.text("get_state", "", arguments{Key: "shared", Room: 20_000})
		for _, value := range acked {
			if value == text {
				return len(acked), err
			}
		}
		return 0, err
	},
}

// sharedValue is a value that shows whether it is whole: the same words over and over.
func sharedValue(who, i int) string { return strings.Repeat(fmt.Sprintf("%03d-%05d ", who, i), 2000) }

func isWhole(value string) bool {
	return len(value) == 20_000 && strings.Repeat(value[:10], 2000) == value
}

// run has so many servers make so many changes each.
func (r *race) run(p func(filled bool) program, dir string, servers, changes int) (*tally, error) {
	t := &tally{}
	if !r.fresh {
		if err := r.prepare(p(false), dir); err != nil {
			return t, err
		}
	}
	all := t.startAll(p(!r.fresh), dir, servers) // and begin together
	failed := make([]error, servers)
	var wg sync.WaitGroup
	for who, s := range all {
		if s != nil {
			wg.Go(func() { failed[who] = r.changeAll(s, who, changes, t) })
		}
	}
	wg.Wait()
	for _, s := range all {
		if s != nil {
			s.stop()
		}
	}
	if err := errors.Join(failed...); err != nil {
		return t, err
	}
	last, err := p(len(t.acked) > 0).start(dir)
	if err != nil {
		return t, err
	}
	defer last.stop()
	t.survived, err = r.survived(last, t.acked)
	return t, err
}

// prepare makes a store, and what they change in it.
func (r *race) prepare(p program, dir string) error {
	first, err := p.start(dir)
	if err != nil {
		return err
	}
	defer first.stop()
	if _, err := first.text("write_context", "Chunk saved: ", arguments{Topic: "before the race", Content: "So that nobody finds the store empty."}); err != nil || r.before == nil {
		return err
	}
	return r.before(first)
}

// startAll starts servers at the same time, and waits until they are at rest. Those that do not
// start are nil.
func (t *tally) startAll(p program, dir string, servers int) []*server {
	all := make([]*server, servers)
	var wg sync.WaitGroup
	for who := range all {
		wg.Go(func() {
			s, err := p.start(dir)
			if err == nil {
				if err = s.atRest(); err == nil {
					all[who] = s
					return
				}
				s.stop()
			}
			t.mu.Lock()
			defer t.mu.Unlock()
			t.notStarted++
			t.refusal = err.Error()
		})
	}
	wg.Wait()
	return all
}

// changeAll makes the changes of one server.
func (r *race) changeAll(s *server, who, changes int, t *tally) error {
	for i := range changes {
		name, err := r.change(s, who, i, t)
		if err != nil && !errors.Is(err, errRefused) {
			return fmt.Errorf("%s: %s: %w", s.name, r.name, err)
		}
		t.mu.Lock()
		if err == nil {
			t.acked = append(t.acked, name)
		} else if t.refused++; t.refused == 1 {
			t.refusal = err.Error()
		}
		t.mu.Unlock()
	}
	return nil
}

// TestRace: of what eight of our servers have acknowledged, all is there, nothing is refused, and
// no value is torn. A counter whose versions are compared before it is set counts every change.
func TestRace(t *testing.T) {
	cost.SkipTable(t) // it builds the program, without the race detector
	for _, r := range []race{firstUse, distinct, counterCAS, overwritten} {
		t.Run(r.name, func(t *testing.T) {
			const servers, changes = 8, 15
			dir := t.TempDir()
			got, err := r.run(func(bool) program { return ours(t, dir, "context,run") }, dir, servers, changes)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.acked) != servers*changes || got.survived != len(got.acked) || got.torn != 0 {
				t.Errorf("%d of %d changes are acknowledged, %d survive, %d values are torn; %d are refused (%s)", len(got.acked), servers*changes, got.survived, got.torn, got.refused, got.refusal)
			}
		})
	}
}

// BenchmarkRace counts the same of both programs, with more servers and changes, and of the
// counter that both can have besides: both lose changes of it, since its tools cannot compare.
func BenchmarkRace(b *testing.B) {
	p := installed(b)
	const changes = 50
	for _, servers := range []int{8, 16} {
		for _, r := range []race{firstUse, distinct, counter, counterCAS, overwritten} {
			for _, who := range []string{"ours", "theirs"} {
				if who == "theirs" && r.name == counterCAS.name {
					continue // it has nothing of the kind
				}
				b.Run(fmt.Sprintf("%d/%s/%s", servers, r.name, who), func(b *testing.B) {
					var asked, acked, survived, refused, retried, torn, notStarted float64
					for b.Loop() {
						dir := b.TempDir()
						start := func(filled bool) program { return p.theirs(dir, filled) }
						if who == "ours" {
							start = func(bool) program { return ours(b, dir, "context,run") }
						}
						t, err := r.run(start, dir, servers, changes)
						if err != nil {
							b.Fatal(err)
						}
						if t.refusal != "" {
							progress("%d servers, %s, %s: %s", servers, r.name, who, t.refusal)
						}
						asked += float64(servers * changes)
						acked, survived, refused = acked+float64(len(t.acked)), survived+float64(t.survived), refused+float64(t.refused)
						retried, torn, notStarted = retried+float64(t.retried), torn+float64(t.torn), notStarted+float64(t.notStarted)
					}
					b.ReportMetric(0, "ns/op") // a race is no operation
					b.ReportMetric(asked, "asked")
					b.ReportMetric(acked, "acked")
					b.ReportMetric(survived, "survived")
					b.ReportMetric(refused, "refused")
					b.ReportMetric(retried, "retried")
					b.ReportMetric(torn, "torn")
					b.ReportMetric(notStarted, "not-started")
				})
			}
		}
	}
}
