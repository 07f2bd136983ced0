package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"blackboard/testdata/expect"
)

// TestTrustNamesTests: each test and script that the page on trust names is there.
func TestTrustNamesTests(t *testing.T) {
	var tests strings.Builder
	expect.OK(t, filepath.WalkDir(repo(t), func(path string, _ os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			tests.WriteString(readFile(t, path))
		}
		return err
	}))
	all := tests.String()
	named := regexp.MustCompile(`\bTest[A-Z]\w+`).FindAllString(trustPage, -1)
	if len(named) < 10 {
		t.Errorf("the page names %d tests only", len(named))
	}
	for _, name := range named {
		if !strings.Contains(all, "func "+name+"(") {
			t.Errorf("there is no %s", name)
		}
	}
	joined := strings.ReplaceAll(trustPage, "\n    ", " ")
	for _, m := range regexp.MustCompile(`the script (\w+)`).FindAllStringSubmatch(joined, -1) {
		if _, err := os.Stat(filepath.Join(repo(t), "testdata", "script", m[1]+".txtar")); err != nil {
			t.Error(err)
		}
	}
}
