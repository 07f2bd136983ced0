package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"blackboard/board"
	"blackboard/board/fault"
	kbhome "blackboard/kb/home"
)

// Event is one thing that the stream of events tells.
type Event struct {
	Run   string       `json:"run"`             // where it happened
	Event *board.Event `json:"event,omitempty"` // what happened; nil where a gate is told
	// the verdict, first and whenever it opens or closes
	Gate *board.Verdict `json:"gate,omitempty"`
}

const (
	// heartbeat is how often a stream with nothing else to say says that it is alive.
	heartbeat = 15 * time.Second
	// readWithin is how long a reader may take to read a piece of the stream.
	readWithin = 10 * time.Second
	// lookForRuns is how often new boards are looked for.
	lookForRuns = 2 * time.Second
)

// events streams what happens on boards: GET /v1/events?run=NAME&run=NAME&since=SEQ.
// Without a run it is all of them, and those that come; one that is named has to exist. A
// daemon serves many projects, so who follows a gate says what closes it: &block=PRIORITY
// for each priority, or block=none; without it a critical or high signal does.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	err := s.admit(r, "events")
	var runs []string
	var since int64
	var by board.Policy
	if err == nil {
		runs, since, by, err = streamOf(r.URL.Query())
	}
	for i := 0; i < len(runs) && err == nil; i++ {
		err = kbhome.OnRun(r.Context(), s.boards(), runs[i], func(*board.Board) error { return nil })
		if !errors.Is(err, fault.NotFound) {
			err = nil // it is looked for again
		}
	}
	if err != nil {
		s.writeError(w, 0, err)
		return
	}
	ctx, done := s.stream(r.Context())
	out := make(chan string)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer done()
	wg.Go(func() { s.follow(ctx, runs, since, by, out) })
	writeStream(ctx, w, ": events\n\n", out)
}

// writeStream answers with what comes, and signs of life, until ctx ends or nobody reads.
func writeStream(ctx context.Context, w http.ResponseWriter, hello string, messages <-chan string) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	rc := http.NewResponseController(w)
	rc.SetReadDeadline(time.Time{})
	send := func(text string) bool {
		rc.SetWriteDeadline(time.Now().Add(readWithin))
		_, err := io.WriteString(w, text)
		return err == nil && rc.Flush() == nil
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for text := hello; send(text); {
		select {
		case text = <-messages:
		case <-beat.C:
			text = ": still here\n\n"
		case <-ctx.Done():
			return
		}
	}
}

// offer gives a stream a message, and reports whether the stream goes on.
func offer(ctx context.Context, out chan<- string, message string) bool {
	select {
	case out <- message:
		return true
	case <-ctx.Done():
		return false
	}
}

func (e *Event) message() string {
	kind, id := "gate", ""
	if e.Event != nil {
		kind, id = "event", fmt.Sprintf("id: %s:%d\n", e.Run, e.Event.Seq)
	}
	data, _ := json.Marshal(e) // texts, numbers and JSON that was stored always can be
	return fmt.Sprintf("event: %s\n%sdata: %s\n\n", kind, id, data)
}

func (s *Server) boards() string {
	return cmp.Or(s.cfg.Boards, filepath.Join(s.cfg.Place.Home, "boards"))
}

// streamOf reads which runs are asked for, from which event, by which policy.
func streamOf(q url.Values) (runs []string, since int64, by board.Policy, err error) {
	runs, since = q["run"], board.FromNow
	if v := q.Get("since"); v != "" {
		if since, err = strconv.ParseInt(v, 10, 64); err != nil || since < 0 {
			return nil, 0, by, badRequest("events count from 1; 0 is before the first", "since=%q is not the number of an event", fault.Clip(v, 60))
		}
	}
	for _, run := range runs {
		if err := board.CheckRun(run); err != nil {
			return nil, 0, by, err
		}
	}
	if by.Block = q["block"]; slices.Equal(by.Block, []string{"none"}) {
		by.Block = []string{}
	}
	if err := by.Check(); err != nil {
		return nil, 0, by, badRequest("a priority for each block, or block=none", "block: %v", err)
	}
	return runs, since, by, nil
}

// follow follows the boards of runs, all of them if none is named, until ctx ends.
func (s *Server) follow(ctx context.Context, runs []string, since int64, by board.Policy, out chan<- string) {
	dir := s.boards()
	var wg sync.WaitGroup
	defer wg.Wait()
	followed := map[string]bool{}
	for names := runs; ; {
		if len(runs) == 0 {
			var err error
			if names, err = board.RunNames(dir); err != nil {
				s.log.Debug("looking for boards", "error", err)
			}
		}
		for _, run := range names {
			if followed[run] {
				continue
			}
			followed[run] = true
			seq := since
			wg.Go(func() {
				// a board that cannot be followed is looked for again, and followed on from there
				for {
					if err := s.followOne(ctx, dir, run, &seq, by, out); err != nil && ctx.Err() == nil {
						s.log.Debug("following a board", "run", run, "error", err)
					}
					if !sleep(ctx, lookForRuns) {
						return
					}
					seq = max(seq, 0) // it was made since the stream began
				}
			})
		}
		since = max(since, 0)
		if !sleep(ctx, lookForRuns) {
			return
		}
	}
}

// followOne sends a board's events after seq, which it keeps up to date, and its gate's changes.
func (s *Server) followOne(ctx context.Context, dir, run string, seq *int64, by board.Policy, out chan<- string) error {
	defer func() {
		if r := recover(); r != nil {
			s.log.Error("following a board panicked", "run", run, "panic", r, "stack", string(debug.Stack()))
		}
	}()
	return kbhome.OnRun(ctx, dir, run, func(b *board.Board) error {
		send := func(e Event) bool { return offer(ctx, out, e.message()) }
		var last *board.Verdict
		gate := func() error {
			v, err := b.Gate(ctx, by)
			if err != nil {
				return err
			}
			if last == nil || last.Open != v.Open || !reflect.DeepEqual(last.Reasons, v.Reasons) {
				last = &v
				if !send(Event{Run: run, Gate: &v}) {
					return ctx.Err()
				}
			}
			return nil
		}
		if err := gate(); err != nil {
			return err
		}
		for e, err := range b.Watch(ctx, *seq) {
			if err != nil {
				if errors.Is(err, context.Canceled) {
					return nil
				}
				return err
			}
			if !send(Event{Run: run, Event: &e}) {
				return nil
			}
			*seq = e.Seq
			if err := gate(); err != nil {
				return err
			}
		}
		return nil
	})
}
