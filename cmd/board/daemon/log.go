package daemon

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
)

// maxLog is how long a log gets before a new one is begun; one older one is kept.
const maxLog = 1 << 20

// Log opens the log of a place, for its owner alone. debug writes down more.
func Log(place Place, debug bool) (*slog.Logger, io.Closer, error) {
	if err := os.MkdirAll(filepath.Dir(place.Log), 0o700); err != nil {
		return nil, nil, err
	}
	f := &logFile{path: place.Log}
	if err := f.open(); err != nil {
		return nil, nil, err
	}
	level := slog.LevelInfo
	if debug {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(f, &slog.HandlerOptions{Level: level})), f, nil
}

// logFile is a file that begins anew when it is long.
type logFile struct {
	path string
	mu   sync.Mutex
	f    *os.File
}

func (l *logFile) open() (err error) {
	l.f, err = os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	return err
}

func (l *logFile) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if info, err := l.f.Stat(); err != nil || info.Size()+int64(len(b)) > maxLog {
		l.f.Close()
		os.Rename(l.path, l.path+".1") // if that fails, the old one grows on
		if err := l.open(); err != nil {
			return 0, err
		}
	}
	return l.f.Write(b)
}

func (l *logFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.f.Close()
}
