package base

import (
	"runtime/debug"
	"strings"
)

// version is stamped by the release build; else it is what the module's build says.
var version = ""

// Version is the version of this program.
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		v := info.Main.Version
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 && !strings.Contains(v, s.Value[:12]) {
				v += " " + s.Value[:12]
			}
		}
		return v
	}
	return "(devel)"
}
