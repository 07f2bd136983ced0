package postgres_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/postgres"
	"blackboard/testdata/expect"
	"blackboard/testdata/pgtest"
)

// watchEnv has the test binary be a watcher, in a process and a network of its own.
const watchEnv = "BOARD_TEST_WATCH"

func init() {
	u := os.Getenv(watchEnv)
	if u == "" {
		return
	}
	dir, err := board.UseDatabase(u)
	if err == nil {
		var r *board.Board
		if r, err = board.Open(context.Background(), dir, "r"); err == nil {
			for e, failed := range r.Watch(context.Background(), 0) {
				if err = failed; err != nil {
					break
				}
				fmt.Println(e.Seq, time.Now().UnixNano())
			}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// BenchmarkWatch is how long after a commit was acknowledged its event is with a watcher in
// another process, each way to whom takes 1 ms. Both read one clock.
func BenchmarkWatch(b *testing.B) {
	const way = time.Millisecond
	if !postgres.Server().Own() {
		b.Skip("it needs a server of the tests' own")
	}
	proxy := expect.Value(pgtest.NewProxy(postgres.Server()))(b)
	defer proxy.Close()
	proxy.Delay(way)
	u := postgres.Server().URL(fmt.Sprintf("b%d", schemas.Add(1)))
	dir := prepared(b, u)
	r := expect.Value(board.Create(b.Context(), dir, "r", "", "w", nil))(b)
	watcher := exec.CommandContext(b.Context(), os.Args[0])
	watcher.Env = append(os.Environ(), watchEnv+"="+proxy.Through(u))
	watcher.Stderr = os.Stderr
	out, err := watcher.StdoutPipe()
	if err == nil {
		err = watcher.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	defer func() { watcher.Process.Kill(); watcher.Wait() }()
	lines := bufio.NewScanner(out)
	seen := func(seq int64) time.Time {
		for lines.Scan() {
			n, at, _ := strings.Cut(lines.Text(), " ")
			if n == strconv.FormatInt(seq, 10) {
				ns, _ := strconv.ParseInt(at, 10, 64)
				return time.Unix(0, ns)
			}
		}
		b.Fatal("the watcher ended")
		return time.Time{}
	}
	seen(1)
	var late []time.Duration
	for b.Loop() {
		p := expect.Value(r.Post(b.Context(), "w", board.Post{Content: "Tokens never expire"}))(b)
		committed := time.Now()
		late = append(late, seen(p.Entry.Seq).Sub(committed))
	}
	slices.Sort(late)
	b.ReportMetric(float64(late[len(late)/2].Microseconds())/1000, "ms-median")
	b.ReportMetric(float64(late[len(late)*99/100].Microseconds())/1000, "ms-p99")
}

// TestContact: who watches hears that the server is away before anybody gives up on it, and hears
// when it is back.
func TestContact(t *testing.T) {
	if !postgres.Server().Own() {
		t.Skip("it needs a server of the tests' own")
	}
	proxy := expect.Value(pgtest.NewProxy(postgres.Server()))(t)
	defer proxy.Close()
	dir := expect.Value(board.UseDatabase(proxy.Through(schemaOf(t, "contact"))))(t)
	defer postgres.At(dir).Close()
	r := expect.Value(board.Create(t.Context(), dir, "r", "", "w", nil))(t)
	told := make(chan error, 1000)
	ctx, stop := context.WithCancel(board.OnContact(t.Context(), dir, func(away error) {
		select {
		case told <- away:
		default: // nobody reads any more
		}
	}))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range r.Watch(ctx, 0) {
		}
	}()
	defer func() { stop(); <-ended }()
	until := func(away bool) {
		for err := range told {
			if err != nil && !errors.Is(err, fault.Away) {
				t.Fatal(err)
			}
			if (err != nil) == away {
				return
			}
		}
	}
	until(false)
	proxy.Cut()
	until(true)
	proxy.Heal()
	until(false)
}
