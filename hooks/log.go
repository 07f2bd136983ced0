package hooks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blackboard/board/text"
)

// maxLog is how long the log gets before a new one is begun, in bytes; one older one is kept.
const maxLog = 256 << 10

// Lost begins a message about a line of the worklog that nobody will write any more. Each is
// counted, so that the log has all of them; of other messages it has one a day.
const Lost = "a line of the worklog is lost"

// saidFor is how long a message is not said again.
const saidFor = 24 * time.Hour

// Dirs are the directories below a data home that hooks write into.
func Dirs(home string) []string { return []string{filepath.Dir(LogPath(home)), seenDir(home)} }

// LogPath is the log of a data home: one line for each thing that went wrong, once a day.
func LogPath(home string) string { return filepath.Join(home, "log", "hooks.log") }

// Log appends a line about what goes wrong after the answer.
func Log(home, format string, a ...any) { logLine(home, time.Now(), format, a...) }

// logLine appends a line to the log. If that fails too, there is nowhere left to say so.
func logLine(home string, now time.Time, format string, a ...any) {
	if home == "" {
		return
	}
	name := LogPath(home)
	if os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	if info, err := os.Stat(name); err == nil && (info.Size() > maxLog || !info.Mode().IsRegular()) {
		if !info.Mode().IsRegular() || os.Rename(name, name+".1") != nil {
			return
		}
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	line := clip(strings.Join(strings.Fields(text.Harmless(clean(fmt.Sprintf(format, a...)))), " "), 500)
	if strings.Contains(line, Lost) || !said(f, line, now) {
		fmt.Fprintf(f, "%s %s\n", now.UTC().Format(time.RFC3339), line)
	}
}

// said reports whether the end of a log has a message already, of the last day.
func said(log *os.File, message string, now time.Time) bool {
	info, err := log.Stat()
	if err != nil {
		return false
	}
	end := make([]byte, min(info.Size(), maxLog/4))
	if _, err := log.ReadAt(end, info.Size()-int64(len(end))); err != nil {
		return false
	}
	for line := range strings.Lines(string(end)) {
		at, old, _ := strings.Cut(strings.TrimSpace(line), " ")
		if t, err := time.Parse(time.RFC3339, at); err == nil && old == message && now.Sub(t) < saidFor {
			return true
		}
	}
	return false
}
