// Package tree makes directories for tests.
package tree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Plant makes files below root: names with their contents. A name that ends with / is a
// directory, a content that begins with "-> " is a link; {} stands for root.
func Plant(t *testing.T, root string, tree [][2]string) {
	t.Helper()
	for _, f := range tree {
		name, content := filepath.Join(root, filepath.FromSlash(f[0])), strings.ReplaceAll(f[1], "{}", root)
		dir := filepath.Dir(name)
		if strings.HasSuffix(f[0], "/") {
			dir = name
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, isLink := strings.CutPrefix(content, "-> "); isLink {
			err = os.Symlink(target, name)
		} else if dir != name {
			err = os.WriteFile(name, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
