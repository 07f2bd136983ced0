package harness

import (
	"path/filepath"
	"slices"
	"strings"
)

// Kinds of problems that a harness's own settings cause.
const (
	ProblemDisabled = "disabled" // the harness has disabled the hooks or the MCP server
	ProblemTrust    = "trust"    // the user has not approved the hooks, or the folder
	ProblemMCP      = "mcp"      // the MCP server is refused or not yet approved
	ProblemIgnored  = "ignored"  // the harness will not read the file
)

// Look reads a harness's own settings. Package setup creates it, because it can read
// JSON with comments.
type Look struct {
	*Place
	*Harness
	Root string                           // of the project that the user works in
	Dir  string                           // where the user works, links resolved
	Has  func(part string) bool           // reports whether anything of a part is set up
	Read func(path string) map[string]any // the content of a file; empty if it cannot be read
	// Found reports a problem: its kind and part, the file, the next step, and what is
	// wrong.
	Found func(kind, part, path, hint, format string, a ...any)
}

func (l *Look) read(path string) object { return l.Read(path) }

// says reports whether the boolean at a path of names in a file has this value.
func (l *Look) says(path string, truth bool, names ...string) bool {
	o, last := l.read(path), len(names)-1
	for _, name := range names[:last] {
		o = o.obj(name)
	}
	value, known := o.boolean(names[last])
	return known && value == truth
}

// hasText reports whether a list contains a text.
func (o object) hasText(key, text string) bool { return slices.Contains(o.list(key), any(text)) }

// hooksOff reports hooks that disableAllHooks disables in one of these files.
func (l *Look) hooksOff(paths ...string) {
	for _, path := range slices.Compact(paths) {
		if l.Has(PartHooks) && l.says(path, true, "disableAllHooks") {
			l.Found(ProblemDisabled, PartHooks, path, "remove disableAllHooks, or set it to false",
				"hooks are disabled in %s by %s", l.Title, l.Short(path))
		}
	}
}

// trusted reports the user's folder if the harness does not trust it. The entry of the folder counts, or else that of
// the nearest folder around it.
func (l *Look) trusted(path string) {
	best, trusted := -1, false
	for dir, v := range l.read(path) {
		at := filepath.Clean(dir)
		if v == "TRUST_PARENT" {
			at = filepath.Dir(at)
		}
		if rel, err := filepath.Rel(at, l.Dir); err == nil && rel != ".." &&
			!strings.HasPrefix(rel, ".."+string(filepath.Separator)) && len(at) > best {
			best, trusted = len(at), v != "DO_NOT_TRUST"
		}
	}
	if !trusted {
		l.Found(ProblemTrust, PartHooks, path, "start it there and trust the folder",
			"%s does not trust %s and runs no hooks there", l.Title, l.Dir)
	}
}
