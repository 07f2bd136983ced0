package minilm

import (
	"runtime/debug"
	"strings"
)

// Engine is the library that computes the vectors.
type Engine struct {
	Engine  string `json:"engine"`
	Version string `json:"version"` // "" in a test, which has no build information
	SIMD    bool   `json:"simd"`    // built with GOEXPERIMENT=simd: five times as fast
}

// ThisEngine returns the engine of this program.
func ThisEngine() Engine {
	e := Engine{Engine: "hugot"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return e
	}
	for _, dep := range info.Deps {
		if dep.Path == "github.com/knights-analytics/hugot" {
			e.Version = dep.Version
		}
	}
	for _, s := range info.Settings {
		e.SIMD = e.SIMD || s.Key == "GOEXPERIMENT" && strings.Contains(s.Value, "simd")
	}
	return e
}

func (e Engine) String() string {
	kind := "without SIMD, which makes it five times as slow"
	if e.SIMD {
		kind = "with SIMD"
	}
	return strings.TrimSpace(e.Engine+" "+e.Version) + ", built " + kind
}
