package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// wheels writes a wheel for each platform. pip puts the program beside python.
func (r *release) wheels() error {
	for _, b := range r.binaries {
		if err := r.wheel(b); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) wheel(b binary) error {
	program, err := os.ReadFile(b.path)
	if err != nil {
		return err
	}
	project := strings.ReplaceAll(r.PyPI, "-", "_") + "-" + r.python
	info := project + ".dist-info/"
	tags := platforms[b.goos+"/"+b.goarch].wheelTags
	wheel := "Wheel-Version: 1.0\nGenerator: board\nRoot-Is-Purelib: false\n"
	for _, tag := range tags {
		wheel += "Tag: py3-none-" + tag + "\n"
	}
	metadata := strings.Join([]string{
		"Metadata-Version: 2.4", "Name: " + r.PyPI, "Version: " + r.python,
		"Summary: " + description, "License-Expression: " + license, "License-File: LICENSE",
		"Project-URL: Homepage, " + r.Repository, "Requires-Python: >=3.8",
		"Description-Content-Type: text/plain", "", description + ": " + r.Repository, "",
	}, "\n")
	files := []file{
		{project + ".data/scripts/" + b.exe(), program, 0o755},
		{info + "METADATA", []byte(metadata), 0o644},
		{info + "WHEEL", []byte(wheel), 0o644},
		{info + "licenses/LICENSE", r.license, 0o644},
	}
	record := ""
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		record += fmt.Sprintf(
			"%s,sha256=%s,%d\n",
			f.name,
			base64.RawURLEncoding.EncodeToString(sum[:]),
			len(f.data),
		)
	}
	files = append(files, file{info + "RECORD", []byte(record + info + "RECORD,,\n"), 0o644})

	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: r.time}
		h.SetMode(os.FileMode(f.mode))
		w, err := archive.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	name := project + "-py3-none-" + strings.Join(tags, ".") + ".whl"
	return os.WriteFile(filepath.Join(r.dir, name), out.Bytes(), 0o644)
}
