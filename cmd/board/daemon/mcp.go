package daemon

import (
	"context"
	"fmt"
	"net/http"

	"blackboard/embed"
	"blackboard/hooks/mcp"
	"blackboard/kb"
)

// mcpServer is the MCP server of a daemon, over what it keeps warm.
func (s *Server) mcpServer(cfg mcp.Config) *mcp.Server {
	cfg.Home, cfg.Rates, cfg.Log, cfg.Now, cfg.Far = s.cfg.Place.Home, s.cfg.Rates, s.log, s.cfg.Now, true
	cfg.Search = func(ctx context.Context, q kb.Query) (res kb.Result, notes []string, err error) {
		err = s.warm.use(ctx, true, func(h *held) error {
			if q.Mode != kb.ModeBM25 {
				notes = h.notes
			}
			res, err = h.kb.Search(ctx, q)
			return err
		})
		return res, notes, err
	}
	cfg.Embedder = func(ctx context.Context) (embed.Embedder, func()) {
		var m *warmEmbedder
		err := s.warm.use(ctx, false, func(h *held) error {
			if h.model != nil {
				m = &warmEmbedder{&s.warm, h.model.Model()}
			}
			return nil
		})
		if err != nil || m == nil {
			return nil, func() {}
		}
		return m, func() {}
	}
	return mcp.New(cfg)
}

// warmEmbedder is the model that was there, for who keeps it longer than a request lasts. If another is there by then, it says so.
type warmEmbedder struct {
	w     *warm
	model embed.Model
}

// Model describes the model.
func (e *warmEmbedder) Model() embed.Model { return e.model }

// Embed embeds texts; see embed.Embedder.
func (e *warmEmbedder) Embed(ctx context.Context, texts []string) (vs []embed.Vector, err error) {
	err = e.w.use(ctx, false, func(h *held) error {
		if h.model == nil || h.model.Model() != e.model {
			return fmt.Errorf("%w: the model %s is not there any more", embed.ErrClosed, e.model.Name)
		}
		vs, err = h.model.Embed(ctx, texts)
		return err
	})
	return vs, err
}

// counted has requests count as use, so that the daemon does not end while a client waits for something.
func (s *Server) counted(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.active.Add(1)
		defer func() {
			s.active.Add(-1)
			s.served.Add(1)
			s.used()
		}()
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(s.streams, cancel)()
		h.ServeHTTP(w, r.WithContext(ctx))
	})
}
