package daemon

import (
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/gofrs/flock"
)

// Spawn starts a daemon that outlives this process, without waiting until it answers. Of many
// tries at once, one starts it. args are the program's.
func Spawn(place Place, exe string, args, env []string) error {
	if err := place.prepare(); err != nil {
		return err
	}
	// Who holds this lock is starting one. The daemon's own lock is for the daemon alone:
	// to try it here would keep one from starting that tries at the same moment.
	lock := flock.New(place.Lock+"-start", flock.SetPermissions(0o600))
	got, err := lock.TryLock()
	if err != nil || !got {
		return err
	}
	defer lock.Unlock()
	// One started a moment ago, not yet reachable, is enough; one that cannot live is not tried at
	// every search. An orderly end leaves the file empty.
	const lately = 5 * time.Second
	if info, err := os.Stat(place.Lock + "-start"); err == nil && info.Size() > 0 && time.Since(info.ModTime()) < lately {
		return nil
	}
	log, err := os.OpenFile(place.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(exe, args...)
	cmd.Args[0] = "board" // whatever the file is called
	cmd.Env, cmd.Dir = env, place.Home
	cmd.Stdout, cmd.Stderr = log, log // what goes wrong before it has a log of its own
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := os.WriteFile(place.Lock+"-start", fmt.Appendf(nil, "%d\n", cmd.Process.Pid), 0o600); err != nil {
		return err
	}
	go cmd.Wait() // a caller that lives on must not keep a dead child
	return nil
}
