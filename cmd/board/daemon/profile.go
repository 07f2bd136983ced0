package daemon

import (
	"io"
	"net/http"
	"runtime/pprof"
	"runtime/trace"
	"strconv"
	"time"
)

// profile sends a profile of this process, as `go tool pprof` asks for it, or a trace.
// The package net/http/pprof would do the same, but registers itself at the start of
// every command.
func (s *Server) profile(w http.ResponseWriter, r *http.Request) {
	seconds, _ := strconv.Atoi(r.FormValue("seconds"))
	if seconds < 1 {
		seconds = 30
	}
	record := func(start func(io.Writer) error, stop func()) {
		if err := start(w); err != nil { // another one runs already
			http.Error(w, err.Error(), http.StatusConflict)
			return
		}
		defer stop()
		select {
		case <-time.After(time.Duration(seconds) * time.Second):
		case <-r.Context().Done():
		}
	}
	switch name := r.PathValue("name"); name {
	case "profile":
		record(pprof.StartCPUProfile, pprof.StopCPUProfile)
	case "trace":
		record(trace.Start, trace.Stop)
	default:
		p := pprof.Lookup(name)
		if p == nil {
			http.NotFound(w, r)
			return
		}
		debug, _ := strconv.Atoi(r.FormValue("debug"))
		p.WriteTo(w, debug)
	}
}
