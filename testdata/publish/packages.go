package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	description = "A shared, typed, auditable blackboard for multi-agent runs"
	license     = "MIT"
	sumsFile    = "SHA256SUMS"
)

// release is what `make release` has built in a directory, and how to package it.
type release struct {
	choices
	version
	dir      string
	time     time.Time // of every file in a package
	license  []byte    // the text of LICENSE
	binaries []binary
	modules  []module
}

// binary is the program for one platform.
type binary struct {
	name, path   string
	goos, goarch string
	sha256       string
}

// packages packages the binaries of a version in dir, beside them. It replaces what an
// earlier run made there. What needs no other program is made first.
func packages(c choices, version, dir string) error {
	r, err := readRelease(c, version, dir)
	if err != nil {
		return err
	}
	var missing []error
	for _, step := range []func() error{r.licences, r.npm, r.wheels, r.formula, r.mcp, r.plugin, r.action,
		r.image, r.linux, r.sboms} {
		if err := step(); err != nil {
			missing = append(missing, err)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf(
			"the release in %s is incomplete, and has no %s: %w",
			dir,
			sumsFile,
			errors.Join(missing...),
		)
	}
	return r.checksums()
}

func readRelease(c choices, tag, dir string) (*release, error) {
	v, err := parseVersion(tag)
	if err != nil {
		return nil, err
	}
	epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf(
			"SOURCE_DATE_EPOCH is not a number of seconds: set it to the time of the release",
		)
	}
	r := &release{choices: c, version: v, dir: dir, time: time.Unix(epoch, 0).UTC()}
	if r.license, err = os.ReadFile("LICENSE"); err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(dir, "board-"+tag+"-*-*"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		platform := strings.TrimPrefix(filepath.Base(path), "board-"+tag+"-")
		goos, goarch, _ := strings.Cut(strings.TrimSuffix(platform, ".exe"), "-")
		if _, known := platforms[goos+"/"+goarch]; !known {
			continue // a file about a binary
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		r.binaries = append(
			r.binaries,
			binary{
				filepath.Base(path),
				path,
				goos,
				goarch,
				fmt.Sprintf("%x", sha256.Sum256(data)),
			},
		)
	}
	if len(r.binaries) == 0 {
		return nil, fmt.Errorf("%s has no binary of version %s: run make release", dir, tag)
	}
	// An incomplete release must not have the sums of an earlier one.
	if err := os.Remove(filepath.Join(dir, sumsFile)); err != nil &&
		!errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return r, r.readModules()
}

// platforms says what others call a platform of Go.
var platforms = map[string]struct {
	nodeOS, nodeCPU string
	wheelTags       []string // a static binary runs with glibc and with musl
}{
	"linux/amd64": {
		"linux",
		"x64",
		[]string{"manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"},
	},
	"linux/arm64": {
		"linux",
		"arm64",
		[]string{"manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"},
	},
	"darwin/amd64":  {"darwin", "x64", []string{"macosx_12_0_x86_64"}},
	"darwin/arm64":  {"darwin", "arm64", []string{"macosx_12_0_arm64"}},
	"windows/amd64": {"win32", "x64", []string{"win_amd64"}},
	"windows/arm64": {"win32", "arm64", []string{"win_arm64"}},
}

// exe is the file name of the program on the binary's platform.
func (b *binary) exe() string {
	if b.goos == "windows" {
		return "board.exe"
	}
	return "board"
}

// checksums writes a line for each file of the release, as sha256sum -c reads them.
func (r *release) checksums() error {
	var sums []string
	err := filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(r.dir, path)
		sums = append(sums, fmt.Sprintf("%x  %s\n", sha256.Sum256(data), filepath.ToSlash(name)))
		return err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(sums, func(a, b string) int { return strings.Compare(a[66:], b[66:]) })
	return os.WriteFile(filepath.Join(r.dir, sumsFile), []byte(strings.Join(sums, "")), 0o644)
}
