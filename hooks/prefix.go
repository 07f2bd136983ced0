package hooks

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"blackboard/board/disk"
	"blackboard/board/text"
)

//go:embed prefix.txt
var defaultPrefix string

// maxPrefix is the longest prefix.txt of a user, in bytes.
const maxPrefix = 4000

// ConfigDir is the user's configuration directory: $BOARD_CONFIG_DIR, else
// $XDG_CONFIG_HOME/blackboard, else ~/.config/blackboard; "" without a home.
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

// readPrefix is the text every session begins with: the user's prefix.txt (empty: none), else the
// program's own; that and an error if the file is unusable.
func readPrefix(env func(string) string) (string, error) {
	standard := strings.TrimSpace(defaultPrefix)
	dir := ConfigDir(env)
	if dir == "" {
		return standard, nil
	}
	name := filepath.Join(dir, "prefix.txt")
	data, err := disk.Read(name, maxPrefix)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return standard, nil
	case errors.Is(err, disk.ErrNotRegular), errors.Is(err, disk.ErrTooLarge):
		return standard + fmt.Sprintf(" (Your %s is not used: it is no file of at most %d bytes.)",
				name, maxPrefix), fmt.Errorf("ignored %s: it must be a regular file of at most %d bytes",
				name, maxPrefix)
	case err != nil:
		return standard, err
	}
	return strings.TrimSpace(text.Harmless(string(data))), nil
}
