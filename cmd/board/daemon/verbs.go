package daemon

import (
	"context"
	"encoding/binary"
	"os"
	"runtime"
	"time"

	"blackboard/embed"
	"blackboard/kb"
)

type searchRequest struct {
	Query    kb.Query `json:"query"`
	ModelDir string   `json:"model_dir"` // of the client; of no matter by TCP
}

type searchResponse struct {
	V      int       `json:"v"` // of the contract of JSON: 1
	Result kb.Result `json:"result"`
	Notes  []string  `json:"notes"` // what the knowledge base, or the model, has to say
}

func (s *Server) search(ctx context.Context, req searchRequest) (res searchResponse, err error) {
	if req.Query.Mode != kb.ModeBM25 && req.ModelDir != s.cfg.ModelDir && ctx.Value(overTCP{}) == nil {
		return res, ErrOtherModel
	}
	res.V = 1
	err = s.warm.use(ctx, true, func(h *held) error {
		res.Notes = append([]string{}, h.notes...)
		if req.Query.Mode == kb.ModeBM25 {
			res.Notes = []string{} // the model is no matter
		}
		res.Result, err = h.kb.Search(ctx, req.Query)
		return err
	})
	return res, err
}

// embedRequest has the texts as bytes: JSON would change text that is not valid.
type embedRequest struct {
	Texts    [][]byte
	ModelDir string
}

// embedResponse has the vectors one after the other, as little-endian 32-bit floats: as
// text they would be three times as long.
type embedResponse struct {
	Model embed.Model
	Data  []byte
}

func (s *Server) embed(ctx context.Context, req embedRequest) (res embedResponse, err error) {
	if req.ModelDir != s.cfg.ModelDir {
		return res, ErrOtherModel
	}
	texts := make([]string, len(req.Texts))
	for i, t := range req.Texts {
		texts[i] = string(t)
	}
	err = s.warm.withModel(ctx, func(model embed.Embedder) error {
		vs, err := model.Embed(ctx, texts)
		for _, v := range vs {
			// numbers always can be
			res.Data, _ = binary.Append(res.Data, binary.LittleEndian, []float32(v))
		}
		res.Model = model.Model()
		return err
	})
	return res, err
}

type Status struct {
	PID        int         `json:"pid"`             // of its process
	Build      string      `json:"build"`           // what Build gave
	Home       string      `json:"home"`            // the data home that it serves
	Socket     string      `json:"socket"`          // where it is reached
	Started    time.Time   `json:"started"`         // UTC
	UpSeconds  int64       `json:"up_seconds"`      // since then
	IdleIn     int64       `json:"idle_in_seconds"` // ends then, if nobody needs it; -1: never
	Active     int64       `json:"active"`          // requests and streams, this one not
	Served     int64       `json:"served"`          // requests since then
	Failed     int64       `json:"failed"`          // of those, that ended with an error
	Goroutines int         `json:"goroutines"`      // of the process
	HeapBytes  uint64      `json:"heap_bytes"`      // memory in use, as Go counts it
	Model      string      `json:"model"`           // "": none
	ModelDir   string      `json:"model_dir"`       // where a model would be opened
	KB         bool        `json:"kb_open"`         // the knowledge base is in memory
	Stopping   bool        `json:"stopping"`        // it ends when nobody needs it
	Listen     string      `json:"listen"`          // of the TCP listener; "": none
	Jobs       []JobStatus `json:"jobs"`            // the upkeep
}

func (s *Server) status(context.Context, struct{}) (Status, error) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	st := Status{PID: os.Getpid(), Build: s.cfg.Build, Home: s.cfg.Place.Home, Socket: s.cfg.Place.Socket, Started: s.started.UTC(), UpSeconds: int64(time.Since(s.started).Seconds()),
		IdleIn: -1, Active: s.active.Load() - 1, Served: s.served.Load(), Failed: s.failed.Load(), Goroutines: runtime.NumGoroutine(), HeapBytes: m.HeapAlloc,
		ModelDir: s.cfg.ModelDir, Stopping: s.whenIdle.Load()}
	st.Jobs = s.upkeep.Status()
	if s.tcp != nil {
		st.Listen = s.tcp.Addr().String()
	}
	if s.cfg.Idle > 0 {
		st.IdleIn = max(0, int64((s.cfg.Idle - s.idle()).Seconds()))
	}
	if s.warm.mu.TryRLock() { // who asks how it is must not wait for a model that is being loaded
		if s.warm.model != nil {
			st.Model = s.warm.model.Model().Name
		}
		st.KB = s.warm.kb != nil
		s.warm.mu.RUnlock()
	}
	return st, nil
}

type stopRequest struct {
	// WhenIdle has it end once nobody needs it.
	WhenIdle bool
}

func (s *Server) stop(_ context.Context, req stopRequest) (struct{}, error) {
	if req.WhenIdle {
		s.whenIdle.Store(true)
	} else {
		s.finish("asked to")
	}
	return struct{}{}, nil
}
