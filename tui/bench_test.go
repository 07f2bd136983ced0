package tui

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/tui/cells"
	"blackboard/tui/page"
	"blackboard/tui/runs"
)

// The size of the screen that is measured, in cells.
const (
	benchWidth  = 160
	benchHeight = 50
)

// pump is the program without a terminal, with its clocks and its following: commands run beside
// it, as they do on a terminal, and come back as messages.
type pump struct {
	b    *testing.B
	m    *model
	msgs chan tea.Msg
	stop func()
	view string
}

func newPump(b *testing.B, boards, run string) *pump {
	ctx, stop := context.WithCancel(context.Background())
	a := page.NewApp(ctx, page.Config{Boards: boards, Run: run, Worker: "ada", Files: boards})
	p := &pump{b: b, m: newModel(a), msgs: make(chan tea.Msg, 1024)}
	p.stop = func() { stop(); p.m.close(); a.Close() }
	p.send(tea.WindowSizeMsg{Width: benchWidth, Height: benchHeight})
	p.do(p.m.Init())
	return p
}

// do carries a command out beside the program.
func (p *pump) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range msg {
				p.do(c)
			}
		default:
			select {
			case p.msgs <- msg:
			case <-p.m.app.Context.Done():
			}
		}
	}()
}

// send gives a message to the program and draws the screen, and returns how long that took: it is
// what the person waits for.
func (p *pump) send(msg tea.Msg) time.Duration {
	start := time.Now()
	_, cmd := p.m.Update(msg)
	p.view = p.m.View()
	took := time.Since(start)
	p.do(cmd)
	return took
}

// until takes messages until the screen has a text.
func (p *pump) until(text string) {
	p.b.Helper()
	for late := time.After(time.Minute); !strings.Contains(p.view, text); {
		select {
		case msg := <-p.msgs:
			p.send(msg)
		case <-late:
			p.b.Fatalf("%q is not shown:\n%s", text, p.view)
		}
	}
}

// settle takes the messages that are there, and those that come soon.
func (p *pump) settle(soon time.Duration) {
	for {
		select {
		case msg := <-p.msgs:
			p.send(msg)
		case <-time.After(soon):
			return
		}
	}
}

// benchRun makes a run, and returns the directory of the boards. Its last entry says that it is.
func benchRun(b *testing.B, entries, signals int) string {
	b.Helper()
	ctx, boards := context.Background(), filepath.Join(b.TempDir(), "boards")
	bd := must(board.OpenOrCreate(ctx, boards, "bench"))
	defer bd.Close()
	words := strings.Fields("the parser ignores expiry while tokens of staging and production share one key that nobody rotates so far")
	text := func(i int) string {
		if i == entries-1 {
			return "the last entry"
		}
		var s strings.Builder
		for j := range 25 {
			fmt.Fprintf(&s, "%s ", words[(i*7+j*j)%len(words)])
		}
		return s.String() + fmt.Sprint(i)
	}
	const batch = 2000
	for from := 0; from < entries; from += batch {
		var posts []board.Post
		for i := from; i < min(from+batch, entries); i++ {
			posts = append(posts, board.Post{Type: board.EntryTypes[i%4], Content: text(i), SourceDoc: fmt.Sprintf("file%d.go", i%50), SourceRef: fmt.Sprint(i), Tags: []string{"bench"}})
		}
		must(bd.PostBatch(ctx, fmt.Sprintf("reader-%d", from/batch%8), posts))
	}
	for i := range signals {
		must(bd.Signal(ctx, "reader-1", board.Raise{Content: fmt.Sprintf("question %d: who rotates the keys?", i), Priority: board.Priorities[i%len(board.Priorities)]}))
	}
	return boards
}

// report reports the median of what was measured, and how long nineteen of twenty took at most.
func report(b *testing.B, took []time.Duration, unit time.Duration, name string) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2])/float64(unit), name+"/median")
	b.ReportMetric(float64(took[len(took)*95/100])/float64(unit), name+"/p95")
	b.ReportMetric(0, "ns/op") // the average says nothing
}

// BenchmarkScreen measures a run of the size of a large real one, and one that is far larger: what
// a key costs until the new screen is there, how long it takes to see the run, what scrolling
// through it leaves in memory, and when an entry that another process posts is seen.
func BenchmarkScreen(b *testing.B) {
	for _, size := range []struct{ entries, signals int }{{100_000, 230}, {538, 230}} {
		b.Run(fmt.Sprint(size.entries), func(b *testing.B) {
			boards := benchRun(b, size.entries, size.signals)
			b.Run("scroll", func(b *testing.B) { benchScroll(b, boards, size.entries) }) // first: the clocks of others hold what they show for a while
			for _, keys := range []struct{ name, keys string }{{"down", "jjjjjjjjjk"}, {"pgdn", " "}, {"tab", "\t"}, {"G", "Gg"}, {"filter", "/tokens staging\x1b"}} {
				b.Run("key="+keys.name, func(b *testing.B) { benchKeys(b, boards, keys.keys) })
			}
			b.Run("open", func(b *testing.B) { benchOpen(b, boards) })
			b.Run("past", func(b *testing.B) { benchPast(b, boards) })
			b.Run("live", func(b *testing.B) { benchLive(b, boards) })
		})
	}
}

// keyOf makes a key of a character.
func keyOf(r rune) tea.KeyMsg {
	switch r {
	case '\t':
		return tea.KeyMsg{Type: tea.KeyTab}
	case '\x1b':
		return tea.KeyMsg{Type: tea.KeyEsc}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}}
}

func benchKeys(b *testing.B, boards, keys string) {
	p := newPump(b, boards, "bench")
	defer p.stop()
	p.until("the last entry")
	p.settle(50 * time.Millisecond)
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		if keys == " " && i%100 == 99 { // back to the top, so that there is something to come
			p.send(keyOf('g'))
		}
		took = append(took, p.send(keyOf(rune(keys[i%len(keys)]))))
		b.StopTimer()
		p.settle(time.Millisecond)
		b.StartTimer()
	}
	report(b, took, time.Microsecond, "µs")
}

func benchOpen(b *testing.B, boards string) {
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		p := newPump(b, boards, "bench")
		p.until("the last entry")
		took = append(took, time.Since(start))
		p.stop()
	}
	report(b, took, time.Millisecond, "ms")
}

// benchScroll goes through all entries a page at a time, and measures the whole heap of the
// process then.
func benchScroll(b *testing.B, boards string, entries int) {
	for b.Loop() {
		p := newPump(b, boards, "bench")
		p.until("the last entry")
		for range entries/(benchHeight-8) + 1 {
			p.send(keyOf(' '))
			p.settle(200 * time.Microsecond)
		}
		p.send(keyOf('G'))
		p.until(cells.Count(int64(entries)) + " of " + cells.Count(int64(entries)))
		p.settle(20 * time.Millisecond)
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/(1<<20), "heap-MB")
		runtime.KeepAlive(p)
		p.stop()
	}
	b.ReportMetric(0, "ns/op")
}

// benchLive posts through another handle, and waits until the entry is on the screen.
func benchLive(b *testing.B, boards string) {
	p := newPump(b, boards, "bench")
	defer p.stop()
	p.until("1 of ") // of the entries: others were posted when this is repeated
	p.settle(50 * time.Millisecond)
	other := must(board.Open(context.Background(), boards, "bench"))
	defer other.Close()
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		text := fmt.Sprintf("posted elsewhere %d.", i)
		must(other.Post(context.Background(), "elsewhere", board.Post{Content: text}))
		start := time.Now()
		p.until(text)
		took = append(took, time.Since(start))
	}
	report(b, took, time.Millisecond, "ms")
}

// benchPast jumps to moments of the past, each in a program that was just started and then in the
// one that has jumped before, and measures what the process holds meanwhile at most.
func benchPast(b *testing.B, boards string) {
	var first, later []time.Duration
	most := uint64(0)
	for b.Loop() {
		p := newPump(b, boards, "bench")
		p.until("the last entry")
		p.settle(50 * time.Millisecond)
		run := p.m.top().(*runs.Page)
		runtime.GC()
		last := run.Place()
		for i, percent := range []int64{50, 10, 90} {
			seq := last * percent / 100
			start := time.Now()
			p.do(run.GoTo(seq))
			for run.Past() == nil || run.Past().Seq != seq {
				p.send(<-p.msgs)
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				most = max(most, m.HeapInuse)
			}
			if took := time.Since(start); i == 0 {
				first = append(first, took)
			} else {
				later = append(later, took)
			}
		}
		p.stop()
	}
	report(b, first, time.Millisecond, "first-ms")
	report(b, later, time.Millisecond, "ms")
	b.ReportMetric(float64(most)/(1<<20), "heap-MB")
}
