package doctor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blackboard/board"
	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/hooks"
	"blackboard/hooks/topics"
	kbhome "blackboard/kb/home"
)

// Known are the environment variables the program reads; misspellings are told.
var Known = []string{
	"BOARD_CONFIG_DIR", "BOARD_CONVERSATION", "BOARD_CREATE", "BOARD_CURATE_EVERY", "BOARD_DAEMON", "BOARD_DATABASE_URL", "BOARD_DEPTH", "BOARD_HARNESS", "BOARD_HOME", "BOARD_HOOK_CONTEXT", "BOARD_HOOK_TIMEOUT", "BOARD_MEMORY_DECAY", "BOARD_MEMORY_GRANTS",
	"BOARD_MEMORY_TIERS", "BOARD_MODEL_DIR", "BOARD_RUN", "BOARD_SESSION", "BOARD_SPEC_ROOT", "BOARD_WATCH", "BOARD_WORKER", "BOARD_WORKSPACE",
}

// lookAtEnvironment holds each variable that is set against what it can be.
func (d *Doctor) lookAtEnvironment(context.Context) {
	before := len(d.all)
	d.wrongValues()
	d.wrongPaths()
	if run := d.Env("BOARD_RUN"); run != "" {
		if err := board.CheckRun(run); err != nil {
			d.wrong("BOARD_RUN", err)
		}
	}
	if d.Env("BOARD_HOOK_CONTEXT") == "0" {
		d.note("$BOARD_HOOK_CONTEXT", "unset it to inject context into sessions", "it is 0: hooks record, but inject nothing")
	}
	if dir := d.Env("XDG_DATA_HOME"); dir != "" && !filepath.IsAbs(dir) && d.Env("BOARD_HOME") == "" {
		d.note("$XDG_DATA_HOME", "give an absolute path", "%q is not an absolute path and is not used", line(dir, 100))
	}
	for _, set := range os.Environ() {
		name, _, _ := strings.Cut(set, "=")
		if meant := misspelt(name); meant != "" {
			d.note("$"+name, "is $"+meant+" meant?", "nothing reads it")
		}
	}
	if len(d.all) == before {
		d.ok("variables", "all values are valid")
	}
}

// wrongValues tells of values that are none.
func (d *Doctor) wrongValues() {
	for _, v := range d.Variables {
		if v.Err != nil {
			d.wrong(v.Name, v.Err)
		}
	}
	depth := strings.TrimSpace(d.Env("BOARD_DEPTH"))
	if depth != "" && !slices.ContainsFunc(hooks.Depths, func(h hooks.Depth) bool { return strings.EqualFold(depth, h.Name) }) {
		d.broken("$BOARD_DEPTH", "fast, balanced or deep", "unknown depth %q: hooks use balanced", line(depth, 40))
	}
	if v := d.Env("BOARD_HOOK_TIMEOUT"); v != "" {
		if t, err := time.ParseDuration(v); err != nil || t <= 0 {
			d.broken("$BOARD_HOOK_TIMEOUT", "a duration such as 300ms", "%q is not a duration: hooks use %s", line(v, 40), hooks.DefaultTimeout)
		}
	}
}

// wrongPaths tells of directories that are not there, where nothing makes them.
func (d *Doctor) wrongPaths() {
	user, _ := topics.Home(d.Env)
	if dir := d.Env("BOARD_WORKSPACE"); disk.IsDir(dir) {
		if ws, err := kbhome.Find(dir, user, d.Home); err == nil && ws == "" {
			d.note("$BOARD_WORKSPACE", "name the directory of a project, or unset it",
				"%s is no project, and does not count", line(dir, 200))
		}
	}
	for _, name := range []string{"BOARD_MODEL_DIR", "BOARD_WORKSPACE", "BOARD_CONFIG_DIR"} {
		if dir := d.Env(name); dir != "" && !disk.IsDir(dir) {
			d.broken("$"+name, "name one that is, or unset it", "%s is not a directory", line(dir, 200))
		}
	}
	// the first write makes them
	for _, name := range []string{"BOARD_SPEC_ROOT", "AGENT_STORE_PATH"} {
		dir := d.Env(name)
		if info, err := os.Stat(dir); dir != "" && err == nil && !info.IsDir() {
			d.broken("$"+name, "name a directory, or unset it", "%s is a file", line(dir, 200))
		}
	}
	if home := d.Env("BOARD_HOME"); home != "" && !filepath.IsAbs(home) {
		d.note("$BOARD_HOME", "give an absolute path", "%q is taken from each working directory, so each has a data home of its own", line(home, 100))
	}
}

func (d *Doctor) wrong(name string, err error) {
	d.broken("$"+name, d.try(err), "%s", err.Error())
}

// misspelt returns the variable that a name is a misspelling of, "" if it is none.
func misspelt(name string) string {
	const most = 2 // letters that are wrong
	if !strings.HasPrefix(name, "BOARD_") || slices.Contains(Known, name) {
		return ""
	}
	for _, v := range Known {
		if fault.Distance(name, v) <= most {
			return v
		}
	}
	return ""
}
