package daemon

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"blackboard/board/disk"
)

type Place struct {
	Home   string // the data home
	Socket string // the Unix socket's path
	Lock   string // whoever holds this file is the daemon
	Note   string // says where the socket is, while a daemon runs
	Log    string // the file that it writes its log to
	Token  string // of the TCP listener
	// Told is there once a person was told that a daemon starts by itself.
	Told string
}

// maxSocket is a socket path's limit: 104 bytes on macOS, 108 on Linux, with the zero.
const maxSocket = 103

// PlaceOf returns the place of a data home's daemon. The lock is in the data home:
// whoever has whatever environment, there is one daemon. Its socket is in
// $XDG_RUNTIME_DIR, else in the data home, else, if that path is too long for a socket,
// in the directory for temporary files; a daemon that runs has noted where, for those
// with another environment.
func PlaceOf(home string, env func(string) string) (Place, error) {
	home, err := filepath.Abs(home)
	if err != nil {
		return Place{}, err
	}
	if real, err := filepath.EvalSymlinks(home); err == nil {
		home = real
	}
	run := filepath.Join(home, "run")
	p := Place{Home: home, Lock: filepath.Join(run, "daemon.lock"), Note: filepath.Join(run, "daemon.socket"), Log: filepath.Join(home, "log", "daemon.log"), Token: filepath.Join(run, "token"), Told: filepath.Join(run, "daemon.told")}
	sum := sha256.Sum256([]byte(home))
	name := fmt.Sprintf("%x.sock", sum[:6])
	noted, err := disk.Read(p.Note, maxSocket) // in a copy of a data home it is about the daemon of another
	if err == nil && filepath.IsAbs(string(noted)) && filepath.Base(string(noted)) == name && len(noted) <= maxSocket && exists(string(noted)) {
		p.Socket = string(noted)
		return p, nil
	}
	var dirs []string
	if dir := env("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		dirs = append(dirs, filepath.Join(dir, "blackboard"))
	}
	for _, dir := range append(dirs, run, filepath.Join(os.TempDir(), fmt.Sprintf("blackboard-%d", os.Getuid()))) {
		if p.Socket = filepath.Join(dir, name); len(p.Socket) <= maxSocket {
			return p, nil
		}
	}
	return p, fmt.Errorf("the path %s is too long for a socket: set XDG_RUNTIME_DIR to a shorter one", p.Socket)
}

// prepare makes the directories, for their owner alone. A directory that is somebody
// else's, in a place where anybody may make one, is not used.
func (p Place) prepare() error {
	for _, dir := range []string{filepath.Dir(p.Socket), filepath.Dir(p.Lock), filepath.Dir(p.Log)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	return p.private()
}

// private returns an error if others may write to the directory of the socket.
func (p Place) private() error {
	info, err := os.Lstat(filepath.Dir(p.Socket))
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory, so the daemon's socket cannot be created: move it away, or set XDG_RUNTIME_DIR to another directory", filepath.Dir(p.Socket))
	}
	if !ourAlone(info) {
		return fmt.Errorf("%s is writable by others, so a daemon there cannot be trusted: remove that permission, or set XDG_RUNTIME_DIR to a directory of your own", filepath.Dir(p.Socket))
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
