//go:build unix

package chunks

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// smallDisk mounts a file system in memory for the test, which is skipped if that is
// impossible.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "mode=0700,size=2m", "none", dir).CombinedOutput(); err != nil {
		t.Skipf("needs to mount a small file system: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	return dir
}

// fillDisk writes a file until there is no space left.
func fillDisk(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	expect.OK(t, err)
	defer f.Close()
	for size := 64 << 10; size > 0; size /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, size))
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

// TestOpenedOnAFullDisk: a store that is opened on a full disk can be read. Once there is
// space, it sees other writers and can be written to.
func TestOpenedOnAFullDisk(t *testing.T) {
	disk := smallDisk(t)
	dir, filler := filepath.Join(disk, "store"), filepath.Join(disk, "filler")
	s := openStore(t, dir, Options{})
	first := write(t, s, "first")
	expect.OK(t, s.Close())
	fillDisk(t, filler)
	held, other := openStore(t, dir, Options{Warm: true}), openStore(t, dir, Options{Warm: true})
	topics := func(s *Store) []string { return found(t, s, Query{Text: "first second third", Mode: ModeBM25}) }
	for range 2 {
		if _, err := held.Write(t.Context(), NewChunk{Topic: "lost", Content: "There is no space."}); err == nil {
			t.Error("it was written")
		} else {
			fails(t, err, fault.Full, "no room")
		}
		if _, err := held.Read(t.Context(), first.ID); err != nil {
			t.Error(err)
		}
		if got := topics(held); len(got) != 1 {
			t.Errorf("found %v", got)
		}
	}
	expect.OK(t, os.Remove(filler))
	// The writes of another store are visible while it is open, and after it is closed.
	write(t, other, "second")
	if got := topics(held); len(got) != 2 {
		t.Errorf("while another has it open, found %v", got)
	}
	expect.OK(t, other.Close())
	if got := topics(held); len(got) != 2 {
		t.Errorf("found %v", got)
	}
	write(t, held, "third")
	if got := topics(held); len(got) != 3 {
		t.Errorf("found %v", got)
	}
}

// TestSpaceComesBackUnderReaders: readers are answered while space becomes free, with the
// old or the new content.
func TestSpaceComesBackUnderReaders(t *testing.T) {
	disk := smallDisk(t)
	dir, filler := filepath.Join(disk, "store"), filepath.Join(disk, "filler")
	s := openStore(t, dir, Options{})
	first := write(t, s, "first")
	expect.OK(t, s.Close())
	fillDisk(t, filler)
	held := openStore(t, dir, Options{})
	var readers sync.WaitGroup
	begun := make(chan struct{}, 4)
	for range cap(begun) {
		readers.Go(func() {
			begun <- struct{}{}
			for range 100 {
				if _, err := held.Read(t.Context(), first.ID); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range cap(begun) {
		<-begun
	}
	if err := os.Remove(filler); err != nil {
		t.Error(err)
	}
	readers.Wait()
	write(t, held, "second")
}

// TestMadeOnAFullDisk: a file that could not be created is created once there is space.
func TestMadeOnAFullDisk(t *testing.T) {
	disk := smallDisk(t)
	filler := filepath.Join(disk, "filler")
	s := openStore(t, filepath.Join(disk, "store"), Options{})
	fillDisk(t, filler)
	for range 2 { // the second time the file exists
		_, err := s.Write(t.Context(), NewChunk{Topic: "lost", Content: "There is no space."})
		fails(t, err, fault.Full, "")
	}
	expect.OK(t, os.Remove(filler))
	write(t, s, "first")
}
