package daemon

import (
	"context"
	"fmt"
	"net/http"

	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/hooks/mcp"
	"blackboard/kb"
)

// mcpServer is the MCP server of a daemon, over what it keeps warm.
func (s *Server) mcpServer(cfg mcp.Config) *mcp.Server {
	cfg.Home, cfg.Rates, cfg.Log, cfg.Now, cfg.Far = s.cfg.Place.Home, s.cfg.Rates, s.log, s.cfg.Now, true
	if !kb.IsShared(cfg.Knowledge) {
		cfg.Search = s.answer
	}
	cfg.Embedder = func(ctx context.Context) (embed.Embedder, func()) {
		var m embed.Embedder // without one, words are searched alone
		s.warm.withModel(ctx, func(model embed.Embedder) error {
			m = &warmEmbedder{&s.warm, model.Model()}
			return nil
		})
		return m, func() {}
	}
	return mcp.New(cfg)
}

// answer searches what is warm.
func (s *Server) answer(ctx context.Context, q kb.Query) (kb.Result, []string, error) {
	res, err := s.search(ctx, searchRequest{q, s.cfg.ModelDir})
	return res.Result, res.Notes, err
}

// warmEmbedder is the model that was there, for who keeps it longer than a request lasts.
// If another is there by then, it says so.
type warmEmbedder struct {
	w     *warm
	model embed.Model
}

func (e *warmEmbedder) Model() embed.Model { return e.model }

func (e *warmEmbedder) Embed(ctx context.Context, texts []string) (vs []embed.Vector, err error) {
	err = e.w.use(ctx, false, func(h *held) error {
		if h.model == nil || h.model.Model() != e.model {
			return fmt.Errorf("%w: the model %s is not there any more", fault.Closed, e.model.Name)
		}
		vs, err = h.model.Embed(ctx, texts)
		return err
	})
	return vs, err
}

// counted has requests count as use, so that the daemon does not end while a client waits
// for something. They end with the server of MCP, which answers them first.
func (s *Server) counted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.active.Add(1)
		defer func() {
			s.active.Add(-1)
			s.used()
			s.served.Add(1)
		}()
		h.ServeHTTP(w, r)
	})
}
