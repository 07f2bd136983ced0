package main

import (
	_ "embed"
	"os"
	"path/filepath"
	"text/template"
)

//go:embed formula.rb.tmpl
var formulaText string

// download is a binary as a formula names it.
type download struct{ CPU, File, SHA256 string }

// system is an operating system as a formula names it.
type system struct {
	Name      string
	Downloads []download
}

// formula writes the Homebrew formula, which installs the binaries of the repository's
// release.
func (r *release) formula() error {
	t, err := template.New("formula").Parse(formulaText)
	if err != nil {
		return err
	}
	var systems []system
	for _, goos := range []string{"darwin", "linux"} {
		s := system{Name: map[string]string{"darwin": "macos", "linux": "linux"}[goos]}
		for _, b := range r.binaries {
			if b.goos == goos {
				s.Downloads = append(
					s.Downloads,
					download{
						map[string]string{"amd64": "intel", "arm64": "arm"}[b.goarch],
						b.name,
						b.sha256,
					},
				)
			}
		}
		if s.Downloads != nil {
			systems = append(systems, s)
		}
	}
	f, err := os.Create(filepath.Join(r.dir, "board.rb"))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := t.Execute(f, map[string]any{
		"Description": description, "License": license, "Repository": r.Repository,
		"Tag": r.tag, "Version": r.semver, "Systems": systems,
	}); err != nil {
		return err
	}
	return f.Close()
}
