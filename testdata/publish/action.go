package main

import "embed"

//go:embed action
var actionFiles embed.FS

// action writes the folder that becomes the repository of the GitHub Action.
func (r *release) action() error {
	files := map[string]any{"LICENSE": r.license}
	for _, name := range []string{"action.yml", "README.md"} {
		text, err := actionFiles.ReadFile("action/" + name)
		if err != nil {
			return err
		}
		files[name] = text
	}
	return r.writeFolder("action", files)
}
