package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// The programs of others that package a release. Newer ones of nfpm need Go modules that
// not every proxy has.
const (
	nfpm      = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.2"
	cyclonedx = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"
)

// runTool runs a program of others, which the go command fetches and builds.
func (r *release) runTool(tool string, args ...string) error {
	cmd := exec.Command("go", append([]string{"run", tool}, args...)...)
	cmd.Env = append(
		os.Environ(),
		"CGO_ENABLED=0",
		"SOURCE_DATE_EPOCH="+strconv.FormatInt(r.time.Unix(), 10),
	)
	if out, err := cmd.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf(
			"cannot run %s: %w: %s\n  try: make sure that the Go module proxy can be reached, "+
				"as the first run fetches the program; then run make packages",
			tool,
			err,
			lines[len(lines)-1],
		)
	}
	return nil
}

// content is a file that nfpm puts into a package.
type content struct {
	Src  string         `yaml:"src"`
	Dst  string         `yaml:"dst"`
	Info map[string]any `yaml:"file_info"`
	For  string         `yaml:"packager,omitempty"`
}

// linux writes a .deb and an .rpm for each Linux.
func (r *release) linux() error {
	work, err := os.MkdirTemp("", "publish")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	man, err := os.ReadFile(filepath.Join(r.dir, "board.1"))
	if err != nil {
		return err
	}
	zipped, err := gzipped(man)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(work, noticesFile), r.notices(), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(work, "board.1.gz"), zipped, 0o644); err != nil {
		return err
	}
	for _, b := range r.binaries {
		if b.goos != "linux" {
			continue
		}
		config, err := r.nfpmConfig(b, work)
		if err != nil {
			return err
		}
		path := filepath.Join(work, b.goarch+".yaml")
		if err := os.WriteFile(path, config, 0o600); err != nil {
			return err
		}
		for _, format := range []string{"deb", "rpm"} {
			args := []string{"package", "--config", path, "--packager", format, "--target", r.dir}
			if err := r.runTool(nfpm, args...); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *release) nfpmConfig(b binary, work string) ([]byte, error) {
	at := func(src, dst, packager string, mode int) content {
		return content{
			src,
			dst,
			map[string]any{
				"mode":  mode,
				"mtime": r.time.Format(time.RFC3339),
				"owner": "root",
				"group": "root",
			},
			packager,
		}
	}
	dist := func(name string) string { return filepath.Join(r.dir, name) }
	return yaml.Marshal(map[string]any{
		"name": "board", "arch": b.goarch, "platform": "linux", "version": r.semver,
		"maintainer": r.Maintainer, "description": description, "homepage": r.Repository,
		"license": license, "section": "utils", "priority": "optional",
		"mtime": r.time.Format(time.RFC3339),
		"rpm":   map[string]string{"buildhost": "localhost", "summary": description},
		"contents": []content{
			at(b.path, "/usr/bin/board", "", 0o755),
			at(filepath.Join(work, "board.1.gz"), "/usr/share/man/man1/board.1.gz", "", 0o644),
			at(dist("board.bash"), "/usr/share/bash-completion/completions/board", "", 0o644),
			at(dist("board.fish"), "/usr/share/fish/vendor_completions.d/board.fish", "", 0o644),
			at(dist("board.zsh"), "/usr/share/zsh/vendor-completions/_board", "deb", 0o644),
			at(dist("board.zsh"), "/usr/share/zsh/site-functions/_board", "rpm", 0o644),
			at("LICENSE", "/usr/share/doc/board/copyright", "deb", 0o644),
			at("LICENSE", "/usr/share/licenses/board/LICENSE", "rpm", 0o644),
			at(filepath.Join(work, noticesFile), "/usr/share/doc/board/"+noticesFile, "deb", 0o644),
			at(filepath.Join(work, noticesFile), "/usr/share/licenses/board/"+noticesFile, "rpm", 0o644),
		},
	})
}

// sboms writes a bill of materials (CycloneDX) for each binary: the modules that it was
// built of, as the binary itself names them.
func (r *release) sboms() error {
	for _, b := range r.binaries {
		out := filepath.Join(r.dir, strings.TrimSuffix(b.name, ".exe")+".cdx.json")
		args := []string{"bin", "-json", "-std", "-noserial", "-notimestamp", "-version", r.tag}
		if err := r.runTool(cyclonedx, append(args, "-output", out, b.path)...); err != nil {
			return err
		}
	}
	return nil
}
