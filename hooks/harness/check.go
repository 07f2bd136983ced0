package harness

import (
	"path/filepath"
	"slices"
	"strings"
)

// Kinds of what a harness's own settings can have against what is set up.
const (
	ProblemDisabled = "disabled" // hooks, or the MCP server, are switched off in the harness
	ProblemTrust    = "trust"    // the user has not approved the hooks, or the folder
	ProblemMCP      = "mcp"      // the MCP server is refused, or not approved yet
	ProblemIgnored  = "ignored"  // the harness will not read the file
)

// Look is a look at what a harness's own settings say. Package setup, which reads JSON with
// comments, makes it.
type Look struct {
	*Place
	*Harness
	Root string                           // of the project that the user works in
	Dir  string                           // where the user works, links resolved
	Has  func(part string) bool           // something of a part is set up
	Read func(path string) map[string]any // what a file says; nothing if it cannot be read
	// Found takes a problem: of which kind and part, in which file, the next step, what is wrong.
	Found func(kind, part, path, hint, format string, a ...any)
}

func (l *Look) read(path string) object { return l.Read(path) }

// says reports whether a truth that a path of names leads to in a file is this one.
func (l *Look) says(path string, truth bool, names ...string) bool {
	o, last := l.read(path), len(names)-1
	for _, name := range names[:last] {
		o = o.obj(name)
	}
	value, known := o.boolean(names[last])
	return known && value == truth
}

// hasText reports whether a list of a file has a text.
func (o object) hasText(key, text string) bool { return slices.Contains(o.list(key), any(text)) }

// hooksOff looks for hooks that are switched off by disableAllHooks in one of some files.
func (l *Look) hooksOff(paths ...string) {
	for _, path := range slices.Compact(paths) {
		if l.Has(PartHooks) && l.says(path, true, "disableAllHooks") {
			l.Found(ProblemDisabled, PartHooks, path, "remove disableAllHooks, or set it to false", "hooks are switched off in %s by %s", l.Title, l.Short(path))
		}
	}
}

// trusted looks whether the folder is trusted that the user works in: by its own line or that of one around it; the nearest counts.
func (l *Look) trusted(path string) {
	best, trusted := -1, false
	for dir, v := range l.read(path) {
		at := filepath.Clean(dir)
		if v == "TRUST_PARENT" {
			at = filepath.Dir(at)
		}
		if rel, err := filepath.Rel(at, l.Dir); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) && len(at) > best {
			best, trusted = len(at), v != "DO_NOT_TRUST"
		}
	}
	if !trusted {
		l.Found(ProblemTrust, PartHooks, path, "start it there and trust the folder", "%s does not trust %s, and runs no hooks there", l.Title, l.Dir)
	}
}
