//go:build linux

package kb

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"blackboard/board/postgres"
	"blackboard/testdata/expect"
	"blackboard/testdata/pgtest"
)

// link is a proxy in front of a server that takes a time for each way, and counts how often
// somebody asks after he was answered.
type link struct {
	net.Listener
	socket string
	way    time.Duration
	asked  atomic.Int64
}

func newLink(tb testing.TB, socket string, way time.Duration) *link {
	l := expect.Value(net.Listen("tcp", "127.0.0.1:0"))(tb)
	x := &link{Listener: l, socket: socket, way: way}
	tb.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s, err := net.Dial("unix", socket)
			if err != nil {
				c.Close()
				return
			}
			var answered atomic.Bool
			answered.Store(true)
			go x.carry(s, c, func() {
				if answered.Swap(false) {
					x.asked.Add(1)
				}
			})
			go x.carry(c, s, func() { answered.Store(true) })
		}
	}()
	return x
}

// carry passes on what it reads, a while later.
func (x *link) carry(to, from net.Conn, seen func()) {
	type parcel struct {
		data []byte
		at   time.Time
	}
	queue := make(chan parcel, 1024)
	go func() {
		defer to.Close()
		for p := range queue {
			late(time.Until(p.at))
			if _, err := to.Write(p.data); err != nil {
				return
			}
		}
	}()
	defer close(queue)
	for {
		b := make([]byte, 64<<10)
		n, err := from.Read(b)
		if n > 0 {
			seen()
			queue <- parcel{b[:n], time.Now().Add(x.way)}
		}
		if err != nil {
			return
		}
	}
}

// late sleeps by the system's clock: Go's timers have only whole milliseconds where nothing runs.
func late(by time.Duration) {
	if by > 0 {
		t := syscall.NsecToTimespec(by.Nanoseconds())
		_ = syscall.Nanosleep(&t, nil)
	}
}

// BenchmarkEngines asks a knowledge base in a file and one in PostgreSQL the same questions, in
// turns: warm, and by a process that has just begun, over a link of 1 ms.
func BenchmarkEngines(b *testing.B) {
	for _, n := range benchSizes(b) {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchEngines(b, n) })
	}
}

func benchEngines(b *testing.B, n int) {
	dir := b.TempDir()
	place, err := onServer(dir)
	if errors.Is(err, pgtest.ErrNone) {
		b.Skip(err)
	}
	expect.OK(b, err)
	ctx := context.Background()
	file := dir + "/kb.sqlite3"
	open := func(at string, opt Options) *KB {
		return expect.Value(openFile(ctx, at, 1, opt))(b)
	}
	for _, at := range []string{file, place} {
		k := open(at, Options{Embedder: newInstant(2)})
		r := rand.New(rand.NewPCG(1, 1))
		for i := 0; i < n; {
			var caps []Capsule
			for ; len(caps) < 5000 && i < n; i++ {
				caps = append(caps, benchCapsule(r, i))
			}
			expect.OK(b, k.Fill(ctx, caps))
		}
		k.Close()
	}
	s, _ := server()
	u, _ := url.Parse(s.URL(""))
	l := newLink(b, u.Query().Get("host")+"/.s.PGSQL.5432", time.Millisecond/2)
	_, schema, _ := strings.Cut(place, "schema=")
	far := expect.Value(postgres.Open(fmt.Sprintf("postgres://board@%s/postgres?sslmode=disable&schema=%s", l.Addr(), schema)))(b)
	questions := make([]string, 40)
	r := rand.New(rand.NewPCG(9, 9))
	for i := range questions {
		questions[i] = vocabulary(r, 5)
	}
	one := func(k *KB, q, mode string) time.Duration {
		start := time.Now()
		expect.Value(k.Search(ctx, Query{Text: q, Mode: mode, Peek: true}))(b)
		return time.Since(start)
	}
	for _, mode := range []string{ModeBM25, ModeHybrid} {
		warm := map[string][]time.Duration{}
		var asked int64
		ks := map[string]*KB{}
		for _, at := range []string{file, place, far.String()} {
			ks[at] = open(at, Options{Embedder: newInstant(3), Warm: true})
			for _, q := range questions {
				one(ks[at], q, mode)
			}
		}
		for range 5 {
			for _, q := range questions {
				for at, k := range ks {
					before := l.asked.Load()
					warm[at] = append(warm[at], one(k, q, mode))
					asked += l.asked.Load() - before
				}
			}
		}
		for _, k := range ks {
			k.Close()
		}
		b.Logf("%s warm: file %v, server %v, over the link %v with %.1f round trips", mode, median(warm[file]), median(warm[place]), median(warm[far.String()]), float64(asked)/200)
		var cold [2][]time.Duration
		var trips, opened []int64
		for _, q := range questions[:20] {
			for i, at := range []string{file, far.String()} {
				if i == 1 {
					far.Close()
					far = expect.Value(postgres.Open(fmt.Sprintf("postgres://board@%s/postgres?sslmode=disable&schema=%s", l.Addr(), schema)))(b)
				}
				e := newInstant(3)
				start, before := time.Now(), l.asked.Load()
				k := open(at, Options{Embedder: e})
				begun := l.asked.Load()
				one(k, q, mode)
				cold[i] = append(cold[i], time.Since(start))
				if i == 1 {
					opened, trips = append(opened, begun-before), append(trips, l.asked.Load()-begun)
				}
				k.Close()
			}
		}
		slices.Sort(trips)
		slices.Sort(opened)
		b.Logf("%s cold: file %v, over the link %v with %d round trips to open and %d (most %d) to search", mode, median(cold[0]), median(cold[1]), opened[len(opened)/2], trips[len(trips)/2], trips[len(trips)-1])
	}
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2].Round(10 * time.Microsecond)
}
