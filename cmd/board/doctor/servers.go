package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/board/lazyregexp"
)

// selftestVariable is the variable that servers set by its version, all at once.
const selftestVariable = "turn"

// serverCalls is what each of the servers is asked for over and over, each list by one
// caller, all of them at the same time. The first has reads that open and close the
// files which others in the same process are writing to. The second is asked for one
// thing at a time, so that it closes its files often: whoever closes a file last folds
// its changes back, and must not take himself for the last one while the first server
// has it open.
var serverCalls = [][][]serverCall{
	{{(*selftestServer).read}, {(*selftestServer).read}, {(*selftestServer).read}, {(*selftestServer).post}, {(*selftestServer).set}, {(*selftestServer).keep}},
	{{(*selftestServer).post, (*selftestServer).set, (*selftestServer).post, (*selftestServer).keep}},
}

// serverCall calls a server for the n-th time.
type serverCall func(s *selftestServer, ctx context.Context, n int)

// ServerCount is what became of the servers of a self-test, and of the calls to them.
type ServerCount struct {
	AtATime   int    `json:"at_a_time"` // servers at a time
	Overlap   int    `json:"overlap"`   // calls that are under way to one of them at the same time
	Processes int    `json:"processes"` // servers that were started
	Killed    int    `json:"killed"`    // servers that were killed
	Calls     int    `json:"calls"`     // that were answered
	Errors    int    `json:"errors"`    // of them with an error that none of them should meet
	Error     string `json:"error"`     // the first of those
}

// SetCount is what became of the changes of one variable, each of which named the
// version that it was to replace.
type SetCount struct {
	Won     int `json:"won"`     // changes that were made
	Refused int `json:"refused"` // somebody else had been faster
	Twice   int `json:"twice"`   // versions that two were told to have made
	// versions that somebody was told to have made, and that are not there
	Missing int `json:"missing"`
}

// selftestServer is one process of `board mcp`.
type selftestServer struct {
	*selftestRun
	name    string
	session *sdk.ClientSession
	until   time.Time
	killed  atomic.Bool
	once    sync.Once
	gone    chan struct{} // closed when it does not answer any more
}

// serve has one server after the other asked for many things at once, until the time is
// over. Some are killed; the others are closed.
func (t *selftestRun) serve(ctx context.Context, n int, until time.Time) {
	for i := 0; ctx.Err() == nil && (i == 0 || time.Now().Before(until)); i++ {
		t.serveOnce(ctx, fmt.Sprintf("server %d, life %d", n+1, i+1), serverCalls[n], until)
	}
}

// serveOnce is the life of one server.
func (t *selftestRun) serveOnce(ctx context.Context, name string, callers [][]serverCall, until time.Time) {
	const shortest, longest = 300 * time.Millisecond, 2 * time.Second
	life := shortest + rand.N(longest-shortest)
	cmd := t.command(ctx, "mcp", "--no-import", "--profile", "run,knowledge,memory,context")
	s := &selftestServer{selftestRun: t, name: name, gone: make(chan struct{})}
	t.mu.Lock()
	t.servers.Processes++
	t.mu.Unlock()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "selftest", Version: "1"}, nil).Connect(ctx, &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.refused(ctx, "mcp: "+err.Error())
		return
	}
	s.session, s.until = session, time.Now().Add(life)
	if s.until.After(until) {
		s.until = until
	}
	if rand.IntN(killOneIn) == 0 {
		timer := time.AfterFunc(rand.N(life), func() { s.killed.Store(true); cmd.Process.Kill() })
		defer timer.Stop()
	}
	var wg sync.WaitGroup
	for n, calls := range callers {
		wg.Go(func() {
			for i := 0; s.lives() && ctx.Err() == nil && time.Now().Before(s.until); i++ {
				calls[i%len(calls)](s, ctx, n<<20|i)
			}
		})
	}
	wg.Wait()
	session.Close()
	if s.killed.Load() {
		t.mu.Lock()
		t.servers.Killed++
		t.mu.Unlock()
	}
}

func (s *selftestServer) lives() bool {
	select {
	case <-s.gone:
		return false
	default:
		return true
	}
}

// call calls a tool. It reports whether the answer came, and is no error.
func (s *selftestServer) call(ctx context.Context, tool string, args, answer any) bool {
	r, err := s.session.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		if s.once.Do(func() { close(s.gone) }); !s.killed.Load() {
			s.refused(ctx, tool+": "+err.Error())
		}
		return false
	}
	s.mu.Lock()
	s.servers.Calls++
	s.mu.Unlock()
	if !r.IsError {
		data, err := json.Marshal(r.StructuredContent)
		return err == nil && json.Unmarshal(data, answer) == nil
	}
	var said strings.Builder
	for _, c := range r.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			said.WriteString(text.Text)
		}
	}
	switch {
	case strings.HasPrefix(said.String(), "there is no run "): // nobody has posted yet
	case tool == "board_var_set" && strings.HasPrefix(said.String(), "the variable "):
		s.mu.Lock()
		s.sets.Refused++
		s.mu.Unlock()
	default:
		s.refused(ctx, tool+": "+said.String())
	}
	return false
}

// text is a text that nobody else writes.
func (s *selftestServer) text(n int) string { return fmt.Sprintf("%s, text %d", s.name, n) }

func (s *selftestServer) read(ctx context.Context, _ int) {
	s.call(ctx, "board_state", map[string]any{}, &struct{}{})
}

func (s *selftestServer) post(ctx context.Context, n int) {
	var answer struct{ Entries []struct{ ID string } }
	if s.call(ctx, "board_post", map[string]any{"content": s.text(n)}, &answer) && len(answer.Entries) == 1 {
		s.acknowledge(&s.entries, answer.Entries[0].ID, s.text(n))
	}
}

// set reads the variable, and sets it if it still has that version.
func (s *selftestServer) set(ctx context.Context, n int) {
	type variable struct{ Version int64 }
	var have struct{ Variables []variable }
	if !s.call(ctx, "board_var_get", map[string]any{"key": selftestVariable}, &have) && !s.lives() {
		return
	}
	version := int64(0)
	if len(have.Variables) == 1 {
		version = have.Variables[0].Version
	}
	var answer struct{ Variable variable }
	if s.call(ctx, "board_var_set", map[string]any{"key": selftestVariable, "value": s.text(n), "if_version": version}, &answer) {
		s.acknowledge(&s.versions, fmt.Sprint(answer.Variable.Version), s.text(n))
	}
}

// keep writes to one of the other stores.
func (s *selftestServer) keep(ctx context.Context, n int) {
	var answer struct {
		ID   string // of a capsule, or of a chunk
		Item struct{ ID string }
	}
	text := s.text(n)
	switch rand.IntN(3) {
	case 0:
		if s.call(ctx, "kb_remember", map[string]any{"title": text, "body": text, "source": "selftest"}, &answer) {
			s.acknowledge(&s.capsules, answer.ID, text)
		}
	case 1:
		if s.call(ctx, "memory_put", map[string]any{"content": text}, &answer) {
			s.acknowledge(&s.items, answer.Item.ID, text)
		}
	default:
		if s.call(ctx, "write_context", map[string]any{"topic": text, "content": text}, &answer) {
			s.acknowledge(&s.chunks, answer.ID, text)
		}
	}
}

// bySQLite matches what SQLite says of a file that it cannot trust, by itself or as
// package sqlite puts it.
var bySQLite = lazyregexp.New(`disk I/O error|is malformed|is not a valid SQLite file|constraint failed|SQL logic error|fails its integrity check`)

// refused notes an error that nothing in a self-test should meet.
func (t *selftestRun) refused(ctx context.Context, said string) {
	if ctx.Err() != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.servers.Errors++; t.servers.Error == "" {
		t.servers.Error = said
	}
	t.noteSQLite(said)
}

// noteSQLite counts what SQLite has complained of. The caller holds the lock.
func (t *selftestRun) noteSQLite(said string) {
	if !bySQLite.MatchString(said) {
		return
	}
	if t.sqliteErrors++; t.sqliteError == "" {
		t.sqliteError = said
	}
}
