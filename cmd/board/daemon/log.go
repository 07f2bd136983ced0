package daemon

import (
	"log/slog"
	"os"
	"path/filepath"

	"blackboard/board/disk"
)

// maxLog is how long a log gets before a new one is begun; one older one is kept.
const maxLog = 1 << 20

// Log opens the log of a place, for its owner alone. debug writes down more.
func Log(place Place, debug bool) (*slog.Logger, error) {
	if err := os.MkdirAll(filepath.Dir(place.Log), 0o700); err != nil {
		return nil, err
	}
	if _, err := logFile(place.Log).Write(nil); err != nil {
		return nil, err
	}
	level := slog.LevelInfo
	if debug {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(logFile(place.Log), &slog.HandlerOptions{Level: level})), nil
}

// logFile is a file that is opened for each line, and begun anew when it is long.
type logFile string

func (l logFile) Write(b []byte) (int, error) {
	f, err := disk.OpenLog(string(l), maxLog)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return f.Write(b)
}
