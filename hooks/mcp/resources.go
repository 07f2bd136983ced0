package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/hooks/ops"
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
			"Where a run stands: counts, open questions, workers, variables",
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

// reader reads a resource as JSON. What is missing or not granted is not found alike.
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
		case fault.KindOf(err).RPC() == jsonrpc.CodeInvalidParams: // it is the request's
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
	body, err := marshal(v)
	if err != nil {
		return "", err
	}
	body = c.boundedData(cleanJSON(body))
	var b bytes.Buffer
	err = json.Indent(&b, body, "", "  ")
	return b.String(), err
}

// refusal is the error of a request that is no tool's call, with the code that says whose fault it
// is (not 0), and a tool's words.
func (s *Server) refusal(err error) error {
	return &jsonrpc.Error{Code: fault.KindOf(err).RPC(), Message: s.explained(err, nil)}
}

// addressable refuses addresses with characters that cannot be printed: the SDK could not
// write one into its answer that there is no such resource, and would end the session.
func (s *Server) addressable(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		p, ok := req.GetParams().(*sdk.ReadResourceParams)
		if ok && strings.ContainsFunc(p.URI, func(r rune) bool { return !unicode.IsPrint(r) }) {
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
