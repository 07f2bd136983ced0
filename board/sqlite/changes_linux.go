package sqlite

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/fsnotify/fsnotify"
	"golang.org/x/sys/unix"
)

// notices is the one watcher of the process: a single inotify descriptor for the
// directories of all databases. It opens no database. It exists while somebody waits.
var notices struct {
	sync.Mutex
	watcher *fsnotify.Watcher
	waiting map[string]map[string][]chan struct{} // directory → name of the database → who waits
}

// Changes notifies of writes to a database, to its file or its WAL, by any process. One
// value may stand for many writes or for none. The channel is nil if the system cannot
// notify of every write, or $BOARD_WATCH is "poll"; the caller must poll the file then.
// stop releases the channel.
func Changes(path string) (changed <-chan struct{}, stop func()) {
	nothing := func() {}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, nothing
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	dir, name := filepath.Split(path)
	return await(filepath.Clean(dir), name)
}

// ChangesIn is Changes for all databases in a directory, including new ones.
func ChangesIn(dir string) (changed <-chan struct{}, stop func()) {
	real, err := filepath.EvalSymlinks(dir)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return nil, func() {}
	}
	return await(real, anyName)
}

// anyName stands for all databases of a directory.
const anyName = ""

// await registers a waiter for a database in a directory.
func await(dir, name string) (<-chan struct{}, func()) {
	nothing := func() {}
	if os.Getenv("BOARD_WATCH") == "poll" || !notifiesAllWrites(dir) {
		return nil, nothing
	}
	notices.Lock()
	defer notices.Unlock()
	n := &notices
	if n.watcher == nil {
		var err error
		if n.watcher, err = fsnotify.NewWatcher(); err != nil { // the user has too many already
			n.watcher = nil
			return nil, nothing
		}
		n.waiting = map[string]map[string][]chan struct{}{}
		go tell(n.watcher)
	}
	if n.waiting[dir] == nil {
		if err := n.watcher.Add(dir); err != nil {
			endIfUnused()
			return nil, nothing
		}
		n.waiting[dir] = map[string][]chan struct{}{}
	}
	c := make(chan struct{}, 1)
	n.waiting[dir][name] = append(n.waiting[dir][name], c)
	return c, sync.OnceFunc(func() { forgo(dir, name, c) })
}

// forgo removes a waiter.
func forgo(dir, name string, c chan struct{}) {
	notices.Lock()
	defer notices.Unlock()
	names := notices.waiting[dir]
	names[name] = slices.DeleteFunc(names[name],
		func(other chan struct{}) bool { return other == c })
	if len(names[name]) == 0 {
		delete(names, name)
	}
	if len(names) == 0 {
		delete(notices.waiting, dir)
		notices.watcher.Remove(dir) // it may be gone
	}
	endIfUnused()
}

// endIfUnused closes the watcher if no one waits. The caller holds the lock.
func endIfUnused() {
	if len(notices.waiting) == 0 {
		notices.watcher.Close()
		notices.watcher = nil
	}
}

// tell forwards notifications until the watcher is closed.
func tell(w *fsnotify.Watcher) {
	for {
		select {
		case e, ok := <-w.Events:
			if !ok {
				return
			}
			notify(filepath.Split(e.Name))
		case _, ok := <-w.Errors: // as of a queue that was full
			if !ok {
				return
			}
			notify("", "")
		}
	}
}

// notify wakes the waiters for a file in a directory, or all if its name is unknown.
func notify(dir, file string) {
	notices.Lock()
	defer notices.Unlock()
	names := notices.waiting[filepath.Clean(dir)]
	name := file
	if !strings.HasSuffix(file, "-shm") && !strings.HasSuffix(file, "-lock") {
		wake(names[anyName])
	}
	for _, beside := range []string{"-wal", "-shm", "-lock", "-journal"} {
		if db, ok := strings.CutSuffix(file, beside); ok && len(names[db]) > 0 {
			if name = db; beside != "-wal" {
				return // nothing that is read
			}
		}
	}
	if names != nil {
		wake(names[name])
		return
	}
	for _, names := range notices.waiting {
		for _, waiting := range names {
			wake(waiting)
		}
	}
}

func wake(waiting []chan struct{}) {
	for _, c := range waiting {
		select {
		case c <- struct{}{}:
		default: // it will look anyway
		}
	}
}

// notifiesAllWrites reports whether the file system of a directory notifies of every write. A
// network file system does not: other machines may write.
func notifiesAllWrites(dir string) bool {
	var fs unix.Statfs_t
	if unix.Statfs(dir, &fs) != nil {
		return false
	}
	switch fs.Type {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC,
		unix.OVERLAYFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC:
		return true
	}
	return false
}
