// Command publish prepares the tree and a release for publication. README.md beside it has
// the steps. The Makefile holds what the owner chooses, and is the only place that does.
//
//	go run ./testdata/publish set MODULE=… REPOSITORY=…   change a choice, everywhere
//	go run ./testdata/publish packages VERSION DIR        make the packages (see make release)
//	go run ./testdata/publish image VERSION DIR           make the image alone (see make image)
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "publish:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) > 1 && args[0] == "set":
		return set(".", args[1:])
	case len(args) == 3 && (args[0] == "packages" || args[0] == "image"):
		c, err := readChoices(".")
		if err != nil {
			return err
		}
		if args[0] == "packages" {
			return packages(c, args[1], args[2])
		}
		r, err := readRelease(c, args[1], args[2])
		if err != nil {
			return err
		}
		return r.image()
	}
	return fmt.Errorf("usage: publish set NAME=VALUE… | publish packages VERSION DIR | publish image VERSION DIR")
}

// choices are what the owner of a publication chooses, as the Makefile has them.
type choices struct {
	Module     string // the path of the Go module
	Repository string // the web address of the repository on GitHub
	Maintainer string // NAME <ADDRESS>, of the .deb and the .rpm
	NPM        string // the name of the package on npm
	PyPI       string // the name of the project on PyPI
}

// fields are the choices by their names in the Makefile.
func (c *choices) fields() map[string]*string {
	return map[string]*string{
		"MODULE": &c.Module, "REPOSITORY": &c.Repository, "MAINTAINER": &c.Maintainer,
		"NPM": &c.NPM, "PYPI": &c.PyPI,
	}
}

var assignment = regexp.MustCompile(`(?m)^([A-Z]+) = (.*)$`)

// readChoices reads the choices from the Makefile of the tree at root.
func readChoices(root string) (c choices, err error) {
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		return c, fmt.Errorf("%w: run this at the top of the repository", err)
	}
	fields := c.fields()
	for _, m := range assignment.FindAllSubmatch(text, -1) {
		if field := fields[string(m[1])]; field != nil {
			*field = strings.TrimSpace(string(m[2]))
		}
	}
	for name, value := range fields {
		if *value == "" {
			return c, fmt.Errorf("the Makefile does not set %s: add a line %s = …", name, name)
		}
	}
	return c, c.check()
}

var formats = []struct {
	name   string
	format *regexp.Regexp
	wanted string
}{
	{
		"MODULE",
		regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*(/[\w.~-]+)*$`),
		"a module path, as github.com/you/board",
	},
	{
		"REPOSITORY",
		regexp.MustCompile(`^https://github\.com/[\w.-]+/[\w.-]+$`),
		"an address, as https://github.com/you/board",
	},
	{
		"MAINTAINER",
		regexp.MustCompile(`^[^<>"\\]+ <[^<>@\s]+@[^<>@\s]+>$`),
		"a name and an address, as You <you@example.com>",
	},
	{
		"NPM",
		regexp.MustCompile(`^(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$`),
		"a package name in lower case, as @you/board",
	},
	{
		"PYPI",
		regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`),
		"a project name in lower case, as you-board",
	},
}

// lastModule is the path before which that of the module has to sort; see package tui/dark.
const lastModule = "text/template"

func (c *choices) check() error {
	fields := c.fields()
	for _, f := range formats {
		if value := *fields[f.name]; !f.format.MatchString(value) {
			return fmt.Errorf("invalid %s %q: give %s", f.name, value, f.wanted)
		}
	}
	if c.Module >= lastModule {
		return fmt.Errorf(
			"invalid MODULE %q: give a path that sorts before %s; package tui/dark depends on that",
			c.Module,
			lastModule,
		)
	}
	return nil
}
