package base

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"blackboard/board/disk"
	"blackboard/board/fault"
)

// WriteFile writes a whole file or nothing, by renaming a temporary one beside it. "-" and "" are
// stdout; links are followed; a pipe or device is written directly.
func (p *Program) WriteFile(name string, write func(io.Writer) error) error {
	return p.WriteFileMode(name, 0o666, write)
}

// WriteFileMode is WriteFile with the mode of a new file, before the umask.
func (p *Program) WriteFileMode(name string, perm os.FileMode, write func(io.Writer) error) error {
	if name == "" || name == "-" {
		return write(p.Out)
	}
	fail := func(err error) error {
		// without the path, which is that of a temporary file
		return fault.With(fmt.Errorf("write %s: %w", name, disk.Cause(err)),
			"name a file in an existing directory that you may write to")
	}
	target, mode := name, os.FileMode(0)
	if real, err := filepath.EvalSymlinks(name); err == nil {
		target = real
	}
	if err := CheckOutput(target); err != nil {
		return err
	}
	if info, err := os.Stat(target); err == nil {
		if mode = info.Mode().Perm(); !info.Mode().IsRegular() {
			f, err := os.OpenFile(target, os.O_WRONLY, 0)
			if err != nil {
				return fail(err)
			}
			if err := write(f); err != nil {
				f.Close()
				return err
			}
			return f.Close()
		}
	}
	tmp, err := disk.Temp(target, perm)
	if err != nil {
		return fail(err)
	}
	var unwritten error // as the caller says it
	err = disk.Fill(tmp, func(f *os.File) error {
		if unwritten = write(f); unwritten != nil || mode == 0 {
			return unwritten
		}
		return f.Chmod(mode)
	})
	if unwritten != nil {
		return unwritten
	}
	if err == nil {
		err = disk.Put(tmp.Name(), target)
	}
	if err != nil {
		return fail(err)
	}
	return nil
}

// CheckOutput refuses to write to a directory, and to a database, which others may have open.
func CheckOutput(name string) error {
	info, err := os.Stat(name)
	if err == nil && info.IsDir() {
		return Usagef("name a file in it", "cannot write to %s: it is a directory", name)
	}
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := disk.Open(name)
	if err != nil {
		return nil // writing to it says what is wrong
	}
	defer f.Close()
	const magic = "SQLite format 3\x00"
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(f, head); err != nil || string(head) != magic {
		return nil
	}
	return Usagef("name another file", "%s is a database and was not overwritten", name)
}
