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

// LogPath is the log of a data home: one line for each time that something went wrong.
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
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	line := strings.Join(strings.Fields(text.Harmless(clean(fmt.Sprintf(format, a...)))), " ")
	fmt.Fprintf(f, "%s %s\n", now.UTC().Format(time.RFC3339), clip(line, 500))
}
