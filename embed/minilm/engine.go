package minilm

import (
	"runtime/debug"
	"slices"
	"strings"
)

// Engine is the library that computes the vectors.
type Engine struct {
	Engine  string `json:"engine"`
	Version string `json:"version"` // "" in a test, which has no build information
	SIMD    bool   `json:"simd"`    // built with GOEXPERIMENT=simd: five times as fast
}

const engineName, engineModule = "hugot", "github.com/knights-analytics/hugot"

// ThisEngine returns the engine of this program.
func ThisEngine() Engine {
	e := Engine{Engine: engineName}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return e
	}
	for _, dep := range info.Deps {
		if dep.Path == engineModule {
			e.Version = dep.Version
		}
	}
	for _, s := range info.Settings {
		if s.Key == "GOEXPERIMENT" {
			e.SIMD = slices.Contains(strings.Split(s.Value, ","), "simd")
		}
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
