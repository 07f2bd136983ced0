package pgtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Crash ends all processes of the server with SIGKILL; Again starts it again.
func (s *Server) Crash() error {
	text, err := os.ReadFile(s.pidFile())
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(text), "\n")
	postmaster, err := strconv.Atoi(first)
	if err != nil {
		return err
	}
	// The postmaster first, so that it starts none in the place of those that end.
	for _, of := range []func() []int{func() []int { return []int{postmaster} }, func() []int { return children(postmaster, s.data()) }} {
		if err := endAll(of()); err != nil {
			return err
		}
	}
	// Nobody may have reaped them: then it seems to be alive to who looks at these.
	return errors.Join(os.Remove(s.pidFile()), os.Remove(s.socket()+".lock"))
}

// children are the processes of a server whose postmaster is, or was, a process.
func children(postmaster int, data string) (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, cwd := range all {
		if at, err := os.Readlink(cwd); err != nil || at != data {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(cwd))); err == nil && pid != postmaster {
			pids = append(pids, pid)
		}
	}
	return pids
}

// endAll kills processes, and returns when they have ended.
func endAll(pids []int) error {
	for _, pid := range pids {
		fd, err := unix.PidfdOpen(pid, 0)
		if err == unix.ESRCH {
			continue
		}
		if err != nil {
			return err
		}
		if err := unix.Kill(pid, unix.SIGKILL); err == nil {
			for err = unix.EINTR; err == unix.EINTR; {
				_, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1)
			}
		}
		unix.Close(fd)
	}
	return nil
}

// Net are networks of their own, each with one cable to this one.
type Net struct{ names []string }

// NewNet makes n of them, or says why it cannot: it takes the right to.
func NewNet(n int) (*Net, error) {
	w := &Net{}
	for i := range n {
		name := fmt.Sprintf("bd%d-%d", os.Getpid()%100000, i)
		w.names = append(w.names, name)
		for _, line := range []string{
			"netns add " + name,
			"link add " + name + " type veth peer name eth0 netns " + name,
			"addr add " + w.Host(i) + "/30 dev " + name,
			"link set " + name + " up",
			"-n " + name + " addr add " + fmt.Sprintf("198.18.%d.2/30", i) + " dev eth0",
			"-n " + name + " link set eth0 up",
			"-n " + name + " link set lo up",
		} {
			if err := ip(line); err != nil {
				w.Remove()
				return nil, err
			}
		}
	}
	return w, nil
}

func ip(line string) error {
	if said, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %s: %w: %s", line, err, said)
	}
	return nil
}

// Host is the address of this machine as seen from a network.
func (w *Net) Host(i int) string { return fmt.Sprintf("198.18.%d.1", i) }

// Hosts are all of them, as listen_addresses takes them.
func (w *Net) Hosts() string {
	var all []string
	for i := range w.names {
		all = append(all, w.Host(i))
	}
	return strings.Join(all, ",")
}

// Within is how a command is run in a network.
func (w *Net) Within(i int) []string { return []string{"ip", "netns", "exec", w.names[i]} }

// Cut cuts a cable, and Heal mends it: whoever waits for an answer hears nothing at all.
func (w *Net) Cut(i int) error { return ip("-n " + w.names[i] + " link set eth0 down") }

// Heal mends what Cut has cut.
func (w *Net) Heal(i int) error { return ip("-n " + w.names[i] + " link set eth0 up") }

// Remove removes the networks.
func (w *Net) Remove() {
	for _, name := range slices.Backward(w.names) {
		_ = ip("netns del " + name)
		_ = ip("link del " + name)
	}
}
