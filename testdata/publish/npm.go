package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// launcher is the program of the main package: it runs the binary of the platform's package.
//
//go:embed launcher.js
var launcher string

// packageJSON is what npm knows of a package.
type packageJSON struct {
	Name         string            `json:"name"`
	Version      string            `json:"version"`
	Description  string            `json:"description"`
	License      string            `json:"license"`
	Homepage     string            `json:"homepage"`
	Repository   map[string]string `json:"repository"`
	Bin          map[string]string `json:"bin,omitempty"`
	Engines      map[string]string `json:"engines,omitempty"`
	OS           []string          `json:"os,omitempty"`
	CPU          []string          `json:"cpu,omitempty"`
	Optional     map[string]string `json:"optionalDependencies,omitempty"`
	PreferUnplug bool              `json:"preferUnplugged"` // Yarn: a program needs a real file
}

// npm writes a package for each platform, of which npm installs the one that fits, and the
// main one, which depends on them all.
func (r *release) npm() error {
	main := r.packageJSON(r.NPM)
	main.Bin = map[string]string{"board": "board.js"}
	main.Engines = map[string]string{"node": ">=18"}
	main.Optional = map[string]string{}
	for _, b := range r.binaries {
		on := platforms[b.goos+"/"+b.goarch]
		p := r.packageJSON(r.NPM + "-" + on.nodeOS + "-" + on.nodeCPU)
		p.OS, p.CPU = []string{on.nodeOS}, []string{on.nodeCPU}
		main.Optional[p.Name] = r.semver
		data, err := os.ReadFile(b.path)
		if err != nil {
			return err
		}
		if err := r.npmPackage(p, file{b.exe(), data, 0o755}); err != nil {
			return err
		}
	}
	js := strings.ReplaceAll(launcher, "@PACKAGE@", r.NPM)
	return r.npmPackage(main, file{"board.js", []byte(js), 0o755})
}

func (r *release) packageJSON(name string) packageJSON {
	return packageJSON{
		Name: name, Version: r.semver, Description: description, License: license, Homepage: r.Repository,
		Repository: map[string]string{
			"type": "git",
			"url":  "git+" + r.Repository + ".git",
		}, PreferUnplug: true,
	}
}

// file is a file of a package.
type file struct {
	name string
	data []byte
	mode int64
}

// npmPackage writes a package as `npm pack` does, and calls it as that would.
func (r *release) npmPackage(p packageJSON, program file) error {
	manifest, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	readme := "# " + p.Name + "\n\n" + description + ": " + r.Repository + "\n"
	var out bytes.Buffer
	compressed := gzip.NewWriter(&out)
	archive := tar.NewWriter(compressed)
	files := []file{
		{"package.json", append(manifest, '\n'), 0o644},
		{"LICENSE", r.license, 0o644},
		{"README.md", []byte(readme), 0o644},
		program,
	}
	for _, f := range files {
		h := &tar.Header{
			Name:    "package/" + f.name,
			Mode:    f.mode,
			Size:    int64(len(f.data)),
			ModTime: r.time,
			Format:  tar.FormatUSTAR,
		}
		if err := archive.WriteHeader(h); err != nil {
			return err
		}
		if _, err := archive.Write(f.data); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	if err := compressed.Close(); err != nil {
		return err
	}
	name := strings.ReplaceAll(
		strings.TrimPrefix(p.Name, "@"),
		"/",
		"-",
	) + "-" + p.Version + ".tgz"
	return os.WriteFile(filepath.Join(r.dir, name), out.Bytes(), 0o644)
}
