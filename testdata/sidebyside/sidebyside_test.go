// Package sidebyside measures the context store side by side with agent-memory-store, the npm
// package whose place it takes: on the same machine, over the same chunks, in alternation.
//
//	testdata/sidebyside/run.sh                            # installs version 0.0.9 into a scratch directory, measures, prints a table
//	testdata/sidebyside/run.sh 1000 10000 50000 100000 250000
//	BOARD_SIDEBYSIDE=DIR go test -run '^$' -bench . -benchtime 5x ./testdata/sidebyside     # DIR holds node_modules
//
// BOARD_SIDEBYSIDE_SIZES lists how many chunks there are, 1000,10000 if it is not set. Without the
// package or a Node.js of 22.5 or newer the benchmarks skip and say what is missing. The package
// is one of its own, so that `go test ./...` and `go test -bench . ./...` do not start Node.js;
// its tests without the other program run all the same.
//
// # What is compared
//
// The level "mcp" is what an agent has: both programs as MCP servers over stdio, which are sent
// the same calls. The level "process" is without the protocol: package kb/chunks in this process,
// the package's own functions in a Node.js of its own (peer.mjs). "start" is from the start of a
// server to the list of its tools.
//
// Both go by words alone: search_mode is bm25, fetch is switched off in Node.js, and it is checked
// that neither has a model. Both sync the log with each write (WAL, synchronous FULL).
//
// Chunks are of 80 words from 50,000 with the frequencies of a language. "search" asks for five
// words as they come in a text, frequent ones among them, "search_rare" for five of which each is
// in less than one chunk in a hundred; both for the 6 best. "list" asks for the newest 100,
// "list_tag" for the newest 100 of a tag that one chunk in a hundred has. Before they are
// measured, answers to reads and lists must be the same on both sides, letter by letter, and
// "same-%" is how many of the chunks that ours finds theirs finds too: where many fit about as
// well, as with rare words, another weight of the topic makes others the first six.
//
// The bulk of the chunks is not written through the tools: agent-memory-store gets it by its own
// insert, a thousand to a transaction, and this program takes it over from there by `board context
// import`, so that ids and times are the same. What is measured as "write" comes on top of that,
// one by one.
//
// A round asks one side, then the other, and the next round begins with the other. A side makes up
// to 30 calls in a round, or as many as 4 seconds hold. The figures are medians of the rounds'
// medians; "ratio" is theirs divided by ours, the median over the rounds, with the least and the
// greatest. Below 1 the other program is the faster one.
//
// # The race
//
// BenchmarkRace has 8 and 16 servers at work on one store: see race_test.go.
package sidebyside

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// buildDir is where the program is built; "": it is not.
var buildDir string

func TestMain(m *testing.M) {
	code := m.Run()
	if buildDir != "" {
		os.RemoveAll(buildDir)
	}
	os.Exit(code)
}

// built builds the program once and returns where it is. It opens the directories that the source
// is in, since otherwise `go test` would give its cached answer although the source has changed.
var built = sync.OnceValues(func() (string, error) {
	for _, dir := range []string{"board", "cmd", "embed", "hooks", "kb", "tui"} {
		if err := filepath.WalkDir(filepath.Join("..", "..", dir), func(_ string, _ fs.DirEntry, err error) error { return err }); err != nil {
			return "", err
		}
	}
	dir, err := os.MkdirTemp("", "sidebyside")
	if err != nil {
		return "", err
	}
	buildDir = dir
	exe := filepath.Join(dir, "board")
	cmd := exec.Command("go", "build", "-trimpath", "-o", exe, "blackboard/cmd/board")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return exe, nil
})

// peer is where the other program is.
type peer struct {
	node    string // the program node
	src     string // the package's own directory of modules
	offline string // offline.mjs
	script  string // peer.mjs
}

// installed finds the other program, and skips if it is not there.
func installed(tb testing.TB) *peer {
	tb.Helper()
	const how = "testdata/sidebyside/run.sh installs it for the time of a comparison"
	dir := os.Getenv("BOARD_SIDEBYSIDE")
	if dir == "" {
		tb.Skip("$BOARD_SIDEBYSIDE does not name a directory in whose node_modules agent-memory-store is; " + how)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		tb.Fatal(err)
	}
	p := &peer{node: "node", src: filepath.Join(dir, "node_modules", "agent-memory-store", "src")}
	if _, err := os.Stat(filepath.Join(p.src, "index.js")); err != nil {
		tb.Skipf("%v; %s", err, how)
	}
	if own, err := filepath.Glob(filepath.Join(dir, "node_modules", "node*", "bin", "node")); err == nil && len(own) > 0 {
		p.node = own[0]
	}
	if out, err := exec.Command(p.node, "-e", "require('node:sqlite')").CombinedOutput(); err != nil {
		tb.Skipf("there is no Node.js of 22.5 or newer: %s: %v %.200s; %s", p.node, err, out, how)
	}
	for name, at := range map[string]*string{"offline.mjs": &p.offline, "peer.mjs": &p.script} {
		if *at, err = filepath.Abs(name); err != nil {
			tb.Fatal(err)
		}
	}
	return p
}

// sizes are the numbers of chunks that are asked for.
func sizes(b *testing.B) []int {
	b.Helper()
	env := os.Getenv("BOARD_SIDEBYSIDE_SIZES")
	if env == "" {
		return []int{1_000, 10_000}
	}
	var all []int
	for s := range strings.SplitSeq(env, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 1000 {
			b.Fatalf("$BOARD_SIDEBYSIDE_SIZES has %q: it lists numbers of chunks, 1000 or more, with commas", s)
		}
		all = append(all, n)
	}
	return all
}

// progress says on standard error what takes long.
func progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "sidebyside: "+format+"\n", args...)
}

const (
	// callsPerRound is how many calls a side makes in a round,
	callsPerRound = 30
	// roundBudget unless they take longer than this.
	roundBudget = 4 * time.Second
)

// arguments are those of any of the tools.
type arguments struct {
	Topic   string   `json:"topic,omitempty"`
	Content string   `json:"content,omitempty"`
	Agent   string   `json:"agent,omitempty"`
	Tags    []string `json:"tags,omitempty"`
	ID      string   `json:"id,omitempty"`
	Query   string   `json:"query,omitempty"`
	Mode    string   `json:"search_mode,omitempty"`
	Key     string   `json:"key,omitempty"`
	Value   any      `json:"value,omitempty"`
	Room    int      `json:"max_tokens,omitempty"` // which theirs does not know
}

// operation is what is measured.
type operation struct {
	name   string
	tool   string
	begins string // the answer, if it is a good one
	same   bool   // both sides give the same answer
	args   func(c *corpus, n int) arguments
}

// operations are in this order because lists are no longer the same once something was written.
var operations = []operation{
	{"read", "read_context", "## ", true, func(c *corpus, n int) arguments { return arguments{ID: chunkID(c.r.IntN(n))} }},
	{"list", "list_context", "100 chunk(s) found:", true, func(*corpus, int) arguments { return arguments{Room: 20_000} }},
	{"list_tag", "list_context", "", true, func(c *corpus, _ int) arguments { return arguments{Tags: []string{c.tag()}, Room: 20_000} }},
	{"search", "search_context", "### [score: ", false, func(c *corpus, _ int) arguments { return arguments{Query: c.words(5), Mode: "bm25"} }},
	{"search_rare", "search_context", "### [score: ", false, func(c *corpus, _ int) arguments { return arguments{Query: c.rare(5), Mode: "bm25"} }},
	{"set_state", "set_state", "State \"phase\" written at ", false, func(c *corpus, _ int) arguments { return arguments{Key: "phase", Value: c.words(5)} }},
	{"get_state", "get_state", "", false, func(*corpus, int) arguments { return arguments{Key: "phase"} }},
	{"write", "write_context", "Chunk saved: ", false, func(c *corpus, _ int) arguments {
		return arguments{Topic: c.words(5), Content: c.words(75), Agent: "agent3", Tags: c.tags()}
	}},
}

// side is one of the two programs at one of the levels, ready to be asked.
type side interface {
	// measure makes calls until all are made or the budget is spent, one at least, and says how
	// long each took. A call that fails, or finds nothing, is an error.
	measure(op *operation, calls []arguments, budget time.Duration) ([]time.Duration, error)
}

// settle has both write until they have begun their logs anew, which SQLite does after a thousand
// pages: from then on a write overwrites a part of the log; before, it makes the file longer,
// which takes a file system more time.
func settle(b *testing.B, sides ...side) {
	b.Helper()
	op := &operation{tool: "set_state"}
	calls := make([]arguments, 1200)
	for i := range calls {
		calls[i] = arguments{Key: "phase", Value: i}
	}
	for _, s := range sides {
		if _, err := s.measure(op, calls, time.Minute); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSideBySide(b *testing.B) {
	p := installed(b)
	for _, n := range sizes(b) {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			store := fill(b, p, n)
			b.Run("mcp", func(b *testing.B) {
				a, t := startBoth(b, p, store)
				settle(b, a, t)
				for i := range operations {
					op := &operations[i]
					b.Run(op.name, func(b *testing.B) {
						same := agree(b, op, a, t, n)
						compare(b, op, n, a, t)
						if strings.HasPrefix(op.name, "search") {
							b.ReportMetric(same, "same-%")
						}
					})
				}
			})
			b.Run("start", func(b *testing.B) {
				compare(b, &operation{args: func(*corpus, int) arguments { return arguments{Room: 20_000} }}, n, &starter{ours(b, store, "context"), store}, &starter{p.theirs(store, true), store})
			})
			b.Run("process", func(b *testing.B) {
				a, t := openOurs(b, store), openTheirs(b, p, store)
				settle(b, a, t)
				for i := range operations {
					b.Run(operations[i].name, func(b *testing.B) { compare(b, &operations[i], n, a, t) })
				}
			})
		})
	}
}

// compare has two sides do the same in alternation.
func compare(b *testing.B, op *operation, n int, ours, theirs side) {
	sides := []side{ours, theirs}
	c := newCorpus(uint64(n) + 1)
	calls := func(many int) []arguments {
		all := make([]arguments, many)
		for i := range all {
			all[i] = op.args(c, n)
		}
		return all
	}
	for _, s := range sides { // what the first calls of a kind take is part of no round
		if _, err := s.measure(op, calls(3), roundBudget); err != nil {
			b.Fatal(err)
		}
	}
	var medians [2][]float64 // of each round, in milliseconds
	var ratios []float64
	made := callsPerRound
	for round := 0; b.Loop(); round++ {
		asked := calls(callsPerRound)
		var of [2]float64
		for i := range sides {
			who := (i + round) % 2
			took, err := sides[who].measure(op, asked, roundBudget)
			if err != nil {
				b.Fatal(err)
			}
			made = min(made, len(took))
			slices.Sort(took)
			of[who] = float64(took[len(took)/2].Nanoseconds()) / 1e6
			medians[who] = append(medians[who], of[who])
		}
		ratios = append(ratios, of[1]/of[0])
	}
	b.ReportMetric(0, "ns/op") // a round is no operation
	b.ReportMetric(median(medians[0]), "ours-ms")
	b.ReportMetric(median(medians[1]), "theirs-ms")
	b.ReportMetric(median(ratios), "ratio")
	b.ReportMetric(slices.Min(ratios), "ratio-min")
	b.ReportMetric(slices.Max(ratios), "ratio-max")
	b.ReportMetric(float64(made), "calls") // in the round with the fewest
}

func median(all []float64) float64 {
	all = slices.Sorted(slices.Values(all))
	return all[len(all)/2]
}

// agree asks both servers the same and holds the answers against each other. It says which share
// of the chunks that ours finds theirs finds too, in percent.
func agree(b *testing.B, op *operation, ours, theirs *server, n int) float64 {
	c := newCorpus(uint64(n) + 2)
	var found, both int
	for range 20 {
		args := op.args(c, n)
		mine, _, err := ours.call(op.tool, args)
		other, _, err2 := theirs.call(op.tool, args)
		if err := errors.Join(err, err2); err != nil {
			b.Fatal(err)
		}
		if op.same && mine.text() != other.text() {
			b.Fatalf("%s of %+v: ours is\n%.500s\ntheirs\n%.500s", op.tool, args, mine.text(), other.text())
		}
		for _, id := range chunkIDs.FindAllString(mine.text(), -1) {
			if found++; strings.Contains(other.text(), id) {
				both++
			}
		}
	}
	return 100 * float64(both) / float64(max(found, 1))
}
