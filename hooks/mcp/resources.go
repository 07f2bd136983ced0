package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/hooks/mcp/transport"
	"blackboard/hooks/ops"
	kbhome "blackboard/kb/home"
)

// resource is something that can be read by its address.
type resource struct {
	template string // board://…/{name}
	name     string
	about    string
	read     func(c *call, args []string) (any, error)
}

func (s *Server) addResources() {
	for _, r := range []resource{
		{"board://run/{run}/state", "run-state",
			"Where a run stands: counts, open signals, workers, variables",
			func(c *call, a []string) (any, error) {
				return ops.ShowRun.Do(c.ctx, c, ops.GlanceIn{OnRun: ops.OnRun{Run: a[0]}})
			}},
		{"board://run/{run}/entry/{id}", "entry",
			"An entry of a run's board, with what links to it and its history",
			func(c *call, a []string) (v any, err error) {
				err = c.onBoard(a[0], false, func(b *board.Board) error {
					d, err := b.Entry(c.ctx, a[1])
					v = d
					return err
				})
				return v, err
			}},
		{"board://run/{run}/signal/{id}", "signal",
			"An open question of a run, or one that was, with its answers and its history",
			func(c *call, a []string) (v any, err error) {
				err = c.onBoard(a[0], false, func(b *board.Board) error {
					d, err := b.SignalByID(c.ctx, a[1])
					v = d
					return err
				})
				return v, err
			}},
		{"board://gate/{run}", "gate", "Whether the synthesis of a run may begin, and what " +
			"keeps it shut", func(c *call, a []string) (any, error) {
			out, err := ops.Gate.Do(c.ctx, c, ops.GateIn{OnRun: ops.OnRun{Run: a[0]}})
			return out.Verdict, err
		}},
		{"board://capsule/{id}", "capsule", "A capsule of the knowledge base",
			func(c *call, a []string) (any, error) {
				if err := c.cfg.Grants.need(KBRead, "reading the knowledge base"); err != nil {
					return nil, err
				}
				out, err := ops.KBGet.Do(c.ctx, c, ops.KBGetIn{ID: a[0]})
				return out.Capsule, err
			}},
	} {
		s.sdk.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: r.template, Name: r.name,
			Description: r.about, MIMEType: "application/json"}, s.reader(r))
	}
	s.sdk.AddResource(&sdk.Resource{URI: "board://runs", Name: "runs",
		Description: "All runs", MIMEType: "application/json"},
		s.reader(resource{template: "board://runs", read: func(c *call, _ []string) (any, error) {
			return ops.ListRuns.Do(c.ctx, c, ops.RunsIn{})
		}}))
}

// reader reads a resource as JSON. What is not there, or not granted, is not found: an
// address must not tell which.
func (s *Server) reader(r resource) sdk.ResourceHandler {
	return func(ctx context.Context, req *sdk.ReadResourceRequest) (
		*sdk.ReadResourceResult, error) {
		args, ok := match(r.template, req.Params.URI)
		if !ok {
			return nil, sdk.ResourceNotFoundError(req.Params.URI)
		}
		ctx, cancel := s.living(ctx)
		defer cancel()
		c := &call{Server: s, ctx: ctx, client: clientName(req), room: mostTokens, json: true}
		v, err := guarded(s, r.name, func() (any, error) { return r.read(c, args) })
		switch {
		case atFault(err):
			return nil, sdk.ResourceNotFoundError(req.Params.URI)
		case err != nil:
			return nil, s.refusal(err)
		}
		text, err := c.resourceText(v)
		if err != nil {
			return nil, err
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI,
			MIMEType: "application/json", Text: text}}}, nil
	}
}

// resourceText is JSON as it leaves, within the budget.
func (c *call) resourceText(v any) (string, error) {
	body, err := transport.Marshal(v)
	if err != nil {
		return "", err
	}
	body = c.boundedData(cleanJSON(body))
	var b bytes.Buffer
	err = json.Indent(&b, body, "", "  ")
	return b.String(), err
}

// atFault reports whether an error is the request's: it is about something that is not
// there or not granted, or it makes no sense.
func atFault(err error) bool {
	return fault.KindOf(err).RPC() == jsonrpc.CodeInvalidParams
}

// refusal is the error of a request that is no call of a tool, with the code that says
// whose fault it is: without one it would go out as 0. It says what the answer of a tool
// would.
func (s *Server) refusal(err error) error {
	return &jsonrpc.Error{Code: fault.KindOf(err).RPC(), Message: s.explained(err, nil)}
}

// addressable refuses addresses with characters that cannot be printed: the SDK could not
// write one into its answer that there is no such resource, and would end the session.
func (s *Server) addressable(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		uri := ""
		switch p := req.GetParams().(type) {
		case *sdk.ReadResourceParams:
			uri = p.URI
		case *sdk.SubscribeParams:
			uri = p.URI
		case *sdk.UnsubscribeParams:
			uri = p.URI
		}
		if strings.ContainsFunc(uri, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return nil, s.refusal(badArgument("list the resources for those that there are",
				"the address has characters that cannot be printed"))
		}
		return next(ctx, method, req)
	}
}

// match reads the names out of an address that a template describes.
func match(template, uri string) (args []string, ok bool) {
	want, have := strings.Split(template, "/"), strings.Split(uri, "/")
	if len(want) != len(have) {
		return nil, false
	}
	for i, w := range want {
		switch {
		case strings.HasPrefix(w, "{"):
			if have[i] == "" {
				return nil, false
			}
			args = append(args, have[i])
		case w != have[i]:
			return nil, false
		}
	}
	return args, true
}

// watches are the runs whose resources somebody has subscribed to.
type watches struct {
	mu    sync.Mutex
	of    map[string]*watched // by run
	ended bool
	wg    sync.WaitGroup
}

// watched is a run that is followed for its subscribers.
type watched struct {
	stop context.CancelFunc
	uris map[string]map[*sdk.ServerSession]bool
}

func (s *Server) subscribe(ctx context.Context, req *sdk.SubscribeRequest) error {
	run, ok := runOfURI(req.Params.URI)
	if !ok {
		return s.refusal(badArgument("watch board://run/RUN/state",
			"%s cannot be watched: only what belongs to a run changes by events", req.Params.URI))
	}
	if err := s.cfg.Grants.run(run, false); err != nil {
		return s.refusal(err)
	}
	if _, modern := req.Params.GetMeta()[sdk.MetaKeyProtocolVersion]; s.cfg.Far && !modern &&
		req.Session.ID() == "" {
		return s.refusal(badArgument("begin with initialize, and give the session that it "+
			"answers with", "over HTTP a client without a session could not be told anything"))
	}
	b, err := kbhome.Run(ctx, s.boards(), run)
	if err != nil {
		return s.refusal(err)
	}
	w := &s.watches
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		b.Close()
		return context.Canceled
	}
	of := w.of[run]
	if of == nil {
		// what happens from here on is told, however long the following takes to begin
		st, err := b.State(ctx)
		if err != nil {
			b.Close()
			return err
		}
		follow, stop := context.WithCancel(context.WithoutCancel(ctx))
		of = &watched{stop: stop, uris: map[string]map[*sdk.ServerSession]bool{}}
		w.of[run] = of
		w.wg.Go(func() { s.follow(follow, run, b, st.Seq, of) })
	} else {
		b.Close()
	}
	if of.uris[req.Params.URI] == nil {
		of.uris[req.Params.URI] = map[*sdk.ServerSession]bool{}
	}
	of.uris[req.Params.URI][req.Session] = true
	return nil
}

func (s *Server) unsubscribe(_ context.Context, req *sdk.UnsubscribeRequest) error {
	run, _ := runOfURI(req.Params.URI)
	w := &s.watches
	w.mu.Lock()
	defer w.mu.Unlock()
	if of := w.of[run]; of != nil {
		delete(of.uris[req.Params.URI], req.Session)
		w.prune(run, of)
	}
	return nil
}

// prune ends the following of a run that nobody watches any more.
func (w *watches) prune(run string, of *watched) {
	for uri, sessions := range of.uris {
		if len(sessions) == 0 {
			delete(of.uris, uri)
		}
	}
	if len(of.uris) == 0 && w.of[run] == of {
		delete(w.of, run)
		of.stop()
	}
}

// leave has a session that ends watch nothing any more.
func (w *watches) leave(session string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for run, of := range w.of {
		for _, sessions := range of.uris {
			maps.DeleteFunc(sessions, func(s *sdk.ServerSession, _ bool) bool {
				return s.ID() == session
			})
		}
		w.prune(run, of)
	}
}

// close ends all following.
func (w *watches) close() {
	w.mu.Lock()
	w.ended = true
	for _, of := range w.of {
		of.stop()
	}
	w.mu.Unlock()
	w.wg.Wait()
}

// runOfURI is the run that a resource belongs to.
func runOfURI(uri string) (string, bool) {
	for _, template := range []string{"board://run/{run}/state", "board://gate/{run}",
		"board://run/{run}/entry/{id}", "board://run/{run}/signal/{id}"} {
		if args, ok := match(template, uri); ok {
			return args[0], board.CheckRun(args[0]) == nil
		}
	}
	return "", false
}

// gather is how long events gather before subscribers are told: a batch is one change to
// them.
const gather = 50 * time.Millisecond

// follow tells the subscribers of a run what has changed, until nobody is left, or ctx
// ends. A run that is removed, and made again, keeps them.
func (s *Server) follow(ctx context.Context, run string, b *board.Board, after int64,
	of *watched) {
	t := &telling{s: s, ctx: ctx, run: run, of: of, touched: map[string]bool{}}
	defer t.stop()
	err := t.events(b, after)
	for errors.Is(err, fault.Gone) {
		if b, err = kbhome.AwaitRun(ctx, s.boards(), run); err != nil {
			break
		}
		t.all() // nothing of it is what it was
		err = t.events(b, 0)
	}
	if err != nil && ctx.Err() == nil {
		s.log.Debug("following a run", "run", run, "error", err)
	}
	s.watches.mu.Lock()
	defer s.watches.mu.Unlock()
	if s.watches.of[run] == of {
		delete(s.watches.of, run)
	}
}

// telling tells the subscribers of a run.
type telling struct {
	s   *Server
	ctx context.Context
	run string
	of  *watched

	mu      sync.Mutex
	touched map[string]bool // ids of what has changed, and they have not been told of
	timer   *time.Timer
}

// events follows a board after an event, closes it, and returns why it cannot be followed
// any more.
func (t *telling) events(b *board.Board, after int64) error {
	defer b.Close()
	for e, err := range b.Watch(t.ctx, after) {
		if err != nil {
			return err
		}
		t.mu.Lock()
		if len(t.touched) == 0 {
			t.timer = time.AfterFunc(gather, t.tell)
		}
		for _, id := range changedBy(&e) {
			t.touched[id] = true
		}
		t.mu.Unlock()
	}
	return nil
}

func (t *telling) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
	}
}

func (t *telling) tell() {
	t.mu.Lock()
	ids := t.touched
	t.touched = map[string]bool{}
	t.mu.Unlock()
	t.about(func(uri string) bool {
		parts := strings.Split(uri, "/")
		id := parts[len(parts)-1]
		return id == "state" || uri == "board://gate/"+t.run || ids[id]
	})
}

// all tells of everything.
func (t *telling) all() { t.about(func(string) bool { return true }) }

func (t *telling) about(changed func(uri string) bool) {
	for _, uri := range t.s.subscribed(t.run, t.of) {
		if changed(uri) {
			// who is gone need not know
			t.s.sdk.ResourceUpdated(t.ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri})
		}
	}
}

// changedBy returns what reads differently after an event: the thing itself, and what it
// links to.
func changedBy(e *board.Event) []string {
	var links board.Links
	json.Unmarshal(e.Payload, &links) // what has none leaves it empty
	return slices.Concat([]string{e.ID}, links.Supports, links.Contradicts, links.Supersedes,
		links.Addresses)
}

// subscribed returns what of a run is watched by clients that are still there.
func (s *Server) subscribed(run string, of *watched) (uris []string) {
	there := map[*sdk.ServerSession]bool{}
	for session := range s.sdk.Sessions() {
		there[session] = true
	}
	w := &s.watches
	w.mu.Lock()
	defer w.mu.Unlock()
	for uri, sessions := range of.uris {
		for session := range sessions {
			if !there[session] {
				delete(sessions, session)
			}
		}
		if len(sessions) > 0 {
			uris = append(uris, uri)
		}
	}
	w.prune(run, of)
	return uris
}
