package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestREADME: the table names every command, and no command that is named does not exist.
func TestREADME(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(repo(t), "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	p := &program{env: func(string) string { return "" }}
	for _, c := range p.commands() {
		if !strings.Contains(string(data), "`board "+c.Name+"`") {
			t.Errorf("the README does not name `board %s`", c.Name)
		}
	}
	for _, m := range regexp.MustCompile("(?:`|\\$ |^)board ([a-z]+)").FindAllStringSubmatch(string(data), -1) {
		if m[1] == "help" {
			continue
		}
		if byName(p.commands(), m[1]) == nil {
			t.Errorf("the README names `board %s`, which does not exist", m[1])
		}
	}
}
