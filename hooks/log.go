package hooks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"blackboard/board/disk"
	"blackboard/board/text"
)

// maxLog is the size in bytes at which a new log is begun; one older log is kept.
const maxLog = 256 << 10

// LostLine begins a message about a worklog line that was lost. All of these are
// logged, so that they can be counted; any other message is logged once a day.
const LostLine = "lost a worklog line"

// repeatAfter is how long a repeated message is left out.
const repeatAfter = 24 * time.Hour

// RecallPath returns the log of what was found for prompts and session starts: what was
// given, what was left out, and why. It has a line for each, without the prompt.
func RecallPath(home string) string { return filepath.Join(home, "log", "recall.log") }

// Dirs returns the directories below a data home that hooks write to.
func Dirs(home string) []string { return []string{filepath.Dir(LogPath(home)), sessionDir(home)} }

// LogPath returns the log of a data home. It has one line for each problem and day.
func LogPath(home string) string { return filepath.Join(home, "log", "hooks.log") }

func Log(home, format string, a ...any) { logLine(home, time.Now(), format, a...) }

// logLine appends a line about a problem to the log, unless it is there already.
func logLine(home string, now time.Time, format string, a ...any) {
	if home == "" {
		return
	}
	line := logged(500, format, a...)
	// where that fails, there is no other place to report it
	if f, err := openLog(LogPath(home)); err == nil {
		defer f.Close()
		if strings.Contains(line, LostLine) || !loggedRecently(f, line, now) {
			writeLog(f, now, line)
		}
	}
}

func openLog(path string) (*os.File, error) {
	os.MkdirAll(filepath.Dir(path), 0o700) // what it cannot make cannot be opened
	return disk.OpenLog(path, maxLog)
}

// logged is a message on one line of at most so many bytes, without secrets.
func logged(most int, format string, a ...any) string {
	return clip(strings.Join(strings.Fields(text.Harmless(clean(fmt.Sprintf(format, a...)))),
		" "), most)
}

func writeLog(f *os.File, now time.Time, line string) {
	fmt.Fprintf(f, "%s %s\n", now.UTC().Format(time.RFC3339), line)
}

// loggedRecently reports whether the end of a log has this message from the last day.
func loggedRecently(log *os.File, message string, now time.Time) bool {
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
		if t, err := time.Parse(time.RFC3339, at); err == nil &&
			old == message && now.Sub(t) < repeatAfter {
			return true
		}
	}
	return false
}
