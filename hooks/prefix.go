package hooks

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blackboard/board/text"
)

//go:embed prefix.txt
var defaultPrefix string

// maxPrefix is how long the user's own prefix may be, in bytes.
const maxPrefix = 4000

// ConfigDir is where the user's configuration is: $BOARD_CONFIG_DIR, else $XDG_CONFIG_HOME/blackboard, else ~/.config/blackboard; "" if there is no home either.
func ConfigDir(env func(string) string) string {
	if dir := env("BOARD_CONFIG_DIR"); dir != "" {
		return dir
	}
	if dir := env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "blackboard")
	}
	if home := env("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "blackboard")
	}
	return ""
}

// prefix is what every session begins with: prefix.txt of the configuration, else the one that comes with the program. An empty file switches it off. A file that cannot be used is an error,
// and the program's own stands for it.
func prefix(env func(string) string) (string, error) {
	standard := strings.TrimSpace(defaultPrefix)
	dir := ConfigDir(env)
	if dir == "" {
		return standard, nil
	}
	name := filepath.Join(dir, "prefix.txt")
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return standard, nil
	case err != nil:
		return standard, err
	case !info.Mode().IsRegular() || info.Size() > maxPrefix:
		return standard, fmt.Errorf("%s is not used: it must be a file of at most %d bytes", name, maxPrefix)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return standard, err
	}
	return strings.TrimSpace(text.Harmless(string(data))), nil
}
