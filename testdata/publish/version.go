package main

import (
	"fmt"
	"regexp"
	"strings"
)

// version is a version in the form that each kind of package wants.
type version struct {
	tag    string // as git has it: v1.2.3, v1.2.3-rc.1
	semver string // of npm, Homebrew, .deb and .rpm: without the v
	python string // of a wheel: PEP 440
}

var (
	released    = regexp.MustCompile(`^v(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.(\d+))?$`)
	pythonStage = map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}
	describes   = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.-]*$`)
	separators  = regexp.MustCompile(`[.-]+`)
)

// parseVersion reads a tag of a release. Whatever else git describes is a version of
// development, which sorts before every release.
func parseVersion(tag string) (version, error) {
	if m := released.FindStringSubmatch(tag); m != nil {
		python := m[1]
		if m[2] != "" {
			python += pythonStage[m[2]] + m[3]
		}
		return version{tag, strings.TrimPrefix(tag, "v"), python}, nil
	}
	if !describes.MatchString(tag) {
		return version{}, fmt.Errorf(
			"invalid version %q: give a tag as v1.2.3 or v1.2.3-rc.1",
			tag,
		)
	}
	id := separators.ReplaceAllString(tag, ".")
	return version{tag, "0.0.0-dev.g" + id, "0.0.0.dev0+" + strings.ToLower(id)}, nil
}
