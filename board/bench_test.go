package board

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"blackboard/board/record"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// prose is of a vocabulary with a Zipf distribution, so that some words are in most entries and
// most are in few.
func prose(r *rand.Rand, z *rand.Zipf, n int) string {
	var b []byte
	for range n {
		b = fmt.Appendf(b, "%s ", word(z.Uint64()))
	}
	return string(b)
}

func word(n uint64) string {
	const syllables = "bacedifoguhajokelimonupaqurasatevuwoxyza"
	s := ""
	for {
		i := n % 20 * 2
		s += syllables[i : i+2]
		if n /= 20; n == 0 {
			return s + "n"
		}
	}
}

var (
	bigMu     sync.Mutex
	bigBoards = map[bigRun]string{}
)

// uniqueID is what no other entry has, as a hash of a commit or a request's number.
func uniqueID(n int) string {
	sum := sha256.Sum256(fmt.Append(nil, n))
	return fmt.Sprintf("%x", sum[:6])
}

// bigRun says how large a board is. With ids, each entry has a unique id too, and the ids
// outnumber the words.
type bigRun struct {
	entries, signals int
	ids              bool
}

// big returns a board of n entries of about 40 words by 20 workers, with n/10 signals of which 40
// are open, built once a process.
func big(b *testing.B, n int) *Board { return bigOf(b, bigRun{entries: n, signals: n / 10}) }

// bigOf is big, of a given size.
func bigOf(b *testing.B, size bigRun) *Board {
	bigMu.Lock()
	defer bigMu.Unlock()
	n := size.entries
	if bigBoards[size] == "" {
		dir := expect.Value(os.MkdirTemp("", "board-bench-"))(b)
		bd := expect.Value(OpenOrCreate(b.Context(), dir, fmt.Sprint("big", n)))(b)
		r := rand.New(rand.NewPCG(1, uint64(n)))
		z := rand.NewZipf(r, 1.1, 8, 50_000)
		for done := 0; done < n; {
			var posts []Post
			for ; done < n && len(posts) < 5000; done++ {
				content := prose(r, z, 40)
				if size.ids {
					content += uniqueID(done)
				}
				p := Post{Content: content, Type: EntryTypes[r.IntN(5)], Worker: fmt.Sprint("w", r.IntN(20)), SourceDoc: fmt.Sprint("doc", r.IntN(200), ".md"),
					Tags: []string{fmt.Sprint("tag", r.IntN(50))}, MustSurface: r.IntN(50) == 0}
				if before := done - len(posts); before > 0 && r.IntN(3) == 0 {
					p.Supports = []string{EntryID(int64(r.IntN(before)) + 1)}
				}
				posts = append(posts, p)
			}
			expect.Value(bd.PostBatch(b.Context(), "bulk", posts))(b)
		}
		expect.OK(b, bd.write(b.Context(), "bulk", func(w *writer) error {
			for i := range size.signals {
				if err := w.event(record.VerbSignal, SignalID(int64(i)+1), record.SignalPayload{Raise: Raise{Content: prose(r, z, 12), Priority: Priorities[i%4]}}); err != nil {
					return err
				}
				if i >= 40 {
					if err := w.event(record.VerbWaive, SignalID(int64(i)+1), record.WaivePayload{Reason: "closed"}); err != nil {
						return err
					}
				}
			}
			return nil
		}))
		bd.Close()
		bigBoards[size] = dir
	}
	bd := expect.Value(Open(b.Context(), bigBoards[size], fmt.Sprint("big", n)))(b)
	b.Cleanup(func() { bd.Close() })
	return bd
}

// BenchmarkPost posts single entries, each its own durable transaction, to boards of two sizes:
// the cost should not grow.
func BenchmarkPost(b *testing.B) {
	post := func(n int, ids bool) func(*testing.B) {
		return func(b *testing.B) {
			bd := bigOf(b, bigRun{n, n / 10, ids})
			r := rand.New(rand.NewPCG(2, 2))
			z := rand.NewZipf(r, 1.1, 8, 50_000)
			cost.Timed(b, func(i int) error {
				content := prose(r, z, 40)
				if ids {
					content += uniqueID(-1 - i)
				}
				_, err := bd.Post(b.Context(), "w1", Post{Content: content,
					SourceDoc: "a.md", Tags: []string{"tag1"}, Supports: []string{"e1"}})
				return err
			})
		}
	}
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint("entries=", n), post(n, false))
	}
	b.Run("entries=100000+ids", post(100_000, true))
}

// BenchmarkRead100K asks a board of 100,000 entries and 10,000 signals, 40 of them open.
func BenchmarkRead100K(b *testing.B) {
	type question struct {
		name string
		do   func(*Board) error
	}
	query := func(q Query) func(*Board) error {
		q.Limit = 50
		return func(bd *Board) error { _, err := bd.Query(context.Background(), q); return err }
	}
	for _, a := range []question{
		{"gate", func(bd *Board) error { _, err := bd.Gate(context.Background(), Policy{}); return err }},
		{"state", func(bd *Board) error { _, err := bd.State(context.Background()); return err }},
		{"query/newest", query(Query{})},
		{"query/type+worker", query(Query{Types: []string{Gap}, Workers: []string{"w3"}})},
		{"query/type+tag+must", query(Query{Types: []string{Gap}, Tags: []string{"tag7"}, MustSurface: true})},
		{"query/since", query(Query{Since: 99_000})},
		{"query/status=disputed", query(Query{Statuses: []string{Disputed}})},
		{"query/match-rare", query(Query{Match: word(40_001)})},
		{"query/match-3-words-best", query(Query{Match: word(300) + " " + word(30) + " " + word(3), Order: Best})},
		{"query/match-3-words", query(Query{Match: word(300) + " " + word(30) + " " + word(3)})},
		{"query/match-common", query(Query{Match: word(0)})},
		{"query/match-common+type", query(Query{Match: word(0), Types: []string{Gap}, Workers: []string{"w3"}})},
		{"query/match-common-best", query(Query{Match: word(0), Order: Best})},
		{"query/contains-frequent", query(Query{Contains: word(30)})},
		{"query/contains-absent-phrase", query(Query{Contains: "no such text"})},
		{"query/contains-absent-word", query(Query{Contains: "nosuchtext"})},
		{"query/contains-absent-word+worker", query(Query{Contains: "nosuchtext", Workers: []string{"w3"}})},
		{"query/contains-rare-part", query(Query{Contains: word(40_001)[1:6]})},
		{"query/contains-rare-part+type", query(Query{Contains: word(40_001)[1:6], Types: []string{Gap}})},
		{"query/contains-common-part", query(Query{Contains: "ba"})},
		{"query/contains-common-part+type+worker", query(Query{Contains: "ba", Types: []string{Gap}, Workers: []string{"w3"}})},
		{"query/contains-100-words", query(Query{Contains: word(30_000)[:4]})},
		{"query/contains-100-words+type+worker", query(Query{Contains: word(30_000)[:4], Types: []string{Gap}, Workers: []string{"w3"}})},
		{"query/contains-two-common-words", query(Query{Contains: word(2) + " " + word(3)})},
		{"query/contains-rare-end-after-common-word", query(Query{Contains: " " + word(0) + " " + word(40_001)[:6]})},
		{"query/contains-rare-part+match-common", query(Query{Contains: word(40_001)[1:6], Match: word(0)})},
		{"signals", func(bd *Board) error {
			_, err := bd.Signals(context.Background(), SignalQuery{Statuses: []string{SignalOpen}, Limit: 50})
			return err
		}},
		{"entry", func(bd *Board) error { _, err := bd.Entry(context.Background(), "e5000"); return err }},
	} {
		b.Run(a.name, func(b *testing.B) { ask(b, big(b, 100_000), a.do) })
	}
}

// BenchmarkPage reads pages of 200 entries out of 100,000, at the end of the list and further
// back: where a page lies should not matter.
func BenchmarkPage(b *testing.B) {
	for _, q := range []struct {
		name  string
		query Query
	}{
		{"all", Query{}},
		{"types", Query{Types: []string{Gap}}},
		{"two-types", Query{Types: []string{Gap, Analysis}}},
		{"worker", Query{Workers: []string{"w3"}}},
		{"tag", Query{Tags: []string{"tag7"}}},
		{"match-common", Query{Match: word(0)}},
		{"contains-common", Query{Contains: "ba"}},
	} {
		for _, before := range []string{"", "e50000", "e1000"} {
			q.query.Before, q.query.Limit = before, 200
			b.Run(q.name+"/before="+before, func(b *testing.B) {
				ask(b, big(b, 100_000), func(bd *Board) error { _, err := bd.Query(b.Context(), q.query); return err })
			})
		}
	}
}

// BenchmarkContainsIDs looks for parts of unique ids on a board of 100,000 entries, each of which
// has one.
func BenchmarkContainsIDs(b *testing.B) {
	id := uniqueID(50_000)
	for _, q := range []struct {
		name  string
		query Query
	}{
		{"absent", Query{Contains: "nosuchtext"}},
		{"absent+worker", Query{Contains: "nosuchtext", Workers: []string{"w3"}}},
		{"whole", Query{Contains: id}},
		{"5-digits", Query{Contains: id[3:8]}},
		{"3-digits", Query{Contains: id[3:6]}},
		{"3-digits+type+worker", Query{Contains: id[3:6], Types: []string{Gap}, Workers: []string{"w3"}}},
		{"2-digits", Query{Contains: id[3:5]}},
		{"2-digits+type", Query{Contains: id[3:5], Types: []string{Gap}}},
		{"2-digits+type+worker", Query{Contains: id[3:5], Types: []string{Gap}, Workers: []string{"w3"}}},
	} {
		q.query.Limit = 50
		b.Run(q.name, func(b *testing.B) {
			ask(b, bigOf(b, bigRun{100_000, 10_000, true}), func(bd *Board) error { _, err := bd.Query(b.Context(), q.query); return err })
		})
	}
}

func ask(b *testing.B, bd *Board, do func(*Board) error) {
	cost.Timed(b, func(int) error { return do(bd) })
}

// BenchmarkWatch measures from the moment a post was acknowledged to one handle until a watcher on
// another has its event.
func BenchmarkWatch(b *testing.B) {
	bd := big(b, 1_000)
	watcher := expect.Value(Open(b.Context(), filepath.Dir(bd.path), bd.run))(b)
	defer watcher.Close()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	seen := make(chan time.Time, 1)
	ready := make(chan struct{})
	go func() {
		close(ready)
		for _, err := range watcher.Watch(ctx, FromNow) {
			if err != nil {
				return
			}
			seen <- time.Now()
		}
	}()
	<-ready
	time.Sleep(50 * time.Millisecond)
	var d []time.Duration
	for b.Loop() {
		expect.Value(bd.Post(ctx, "w", Post{Content: "x"}))(b)
		committed := time.Now()
		d = append(d, max(0, (<-seen).Sub(committed)))
	}
	cost.Percentiles(b, d)
}

// BenchmarkReplay rebuilds boards from their logs, up to the middle and to the end.
func BenchmarkReplay(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		for _, part := range []int64{2, 1} {
			b.Run(fmt.Sprintf("entries=%d/1:%d", n, part), func(b *testing.B) {
				bd := big(b, n)
				st := expect.Value(bd.State(b.Context()))(b)
				ask(b, bd, func(bd *Board) error { _, err := bd.Replay(b.Context(), st.Seq/part); return err })
			})
		}
	}
}

// BenchmarkTimeline reads who did what when, and moments of that.
func BenchmarkTimeline(b *testing.B) {
	bd := big(b, 100_000)
	t := expect.Value(bd.Timeline(b.Context()))(b)
	b.Run("read", func(b *testing.B) {
		ask(b, bd, func(bd *Board) error { bd.timeline = timelines{}; _, err := bd.Timeline(b.Context()); return err })
	})
	for _, percent := range []int64{10, 50, 90} {
		b.Run(fmt.Sprintf("at=%d%%", percent), func(b *testing.B) {
			ask(b, bd, func(bd *Board) error { _, err := bd.At(b.Context(), t.Last()*percent/100); return err })
		})
	}
}
