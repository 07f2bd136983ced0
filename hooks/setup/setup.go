package setup

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/hooks/harness"
)

// Options are the directories and the program of a setup.
type Options struct {
	Home string // the user's home directory
	// the root of the project, for its level; "" for the user's
	Project string
	// the directory below which the machine's own files lie; "": its root
	Machine  string
	DataHome string                       // the directory of the manifest
	Binary   string                       // the absolute path of the program
	Version  string                       // of the program
	Env      func(string) string          // the environment, like os.Getenv
	LookPath func(string) (string, error) // finds a program, like exec.LookPath
	Now      func() time.Time             // time.Now
}

var Parts = []string{harness.PartHooks, harness.PartMCP, harness.PartSkill, harness.PartPointer}

// place locates configurations, with the program that they call.
type place struct {
	harness.Place
	binary string // absolute
}

func byName(name string) *harness.Harness {
	for _, h := range harness.All {
		if h.Name == name {
			return h
		}
	}
	return nil
}

type Setup struct {
	place
	dataHome string
	version  string
	lookPath func(string) (string, error)
	now      func() time.Time
	manifest *manifest
}

// New reads the manifest and checks the options.
func New(o Options) (*Setup, error) {
	switch {
	case !filepath.IsAbs(o.Home):
		return nil, fault.Usage.New(fmt.Sprintf("the home directory is unknown: $HOME is %q",
			o.Home), "set $HOME")
	case !filepath.IsAbs(o.Binary):
		return nil, fault.Usage.New(fmt.Sprintf("the program's path %q is not absolute", o.Binary),
			"install board and call it by its name")
	case strings.ContainsAny(o.Binary, "\n\r\"\u2028\u2029"):
		return nil, fault.Usage.New(fmt.Sprintf("the program's path %q cannot be written to "+
			"a configuration", o.Binary), "install board in another directory")
	case strings.Contains(o.Binary, "://"):
		return nil, fault.Usage.New(o.Binary+" looks like a URL, which Cursor refuses",
			"install board in another directory")
	}
	m, err := readManifest(o.DataHome)
	if err != nil {
		return nil, err
	}
	return &Setup{place{harness.Place{Home: o.Home, Project: o.Project, Machine: o.Machine,
		Env: o.Env}, o.Binary}, o.DataHome, o.Version, o.LookPath, o.Now, m}, nil
}

func Names() (names []string) {
	for _, h := range harness.All {
		names = append(names, h.Name)
	}
	return names
}

func Named(names []string) (found []*harness.Harness, err error) {
	for _, name := range names {
		h := byName(name)
		if h == nil {
			return nil, fault.Usage.New(fmt.Sprintf("unknown harness %q", name),
				"one of "+strings.Join(Names(), ", "))
		}
		if !slices.Contains(found, h) {
			found = append(found, h)
		}
	}
	return found, nil
}

func (s *Setup) Found() (names []string) {
	for _, h := range harness.All {
		if len(s.foundBy(h)) > 0 {
			names = append(names, h.Name)
		}
	}
	return names
}

// foundBy returns the directories and programs that show a harness on this machine.
func (s *Setup) foundBy(h *harness.Harness) []string {
	by := []string{}
	for _, d := range h.Dirs {
		if dir := filepath.Join(s.Home, filepath.FromSlash(d)); disk.IsDir(dir) {
			by = append(by, dir)
		}
	}
	if h.HomeVariable != "" && disk.IsDir(s.Env(h.HomeVariable)) {
		by = append(by, s.Env(h.HomeVariable))
	}
	for _, b := range h.Binaries {
		if path, err := s.lookPath(b); err == nil {
			by = append(by, path)
		}
	}
	return by
}

// ProjectRoot is a project's configuration directory: the git root around dir, or else dir.
func ProjectRoot(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for d := dir; ; d = filepath.Dir(d) {
		if disk.Exists(filepath.Join(d, ".git")) {
			return d, nil
		}
		if filepath.Dir(d) == d {
			return dir, nil
		}
	}
}
